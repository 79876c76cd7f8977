//! Finding out what an XBoard engine can do: from the features it declares, or by trial.

use super::features::Features;
use crate::channel::Channel;
use crate::error::EngineError;
use std::time::{Duration, Instant};

/// An engine that declares nothing within this time speaks version 1 and has no features.
const FEATURE_TIMEOUT: Duration = Duration::from_secs(2);
/// `done=0` asks for more time; this is how much there is.
const EXTENDED_TIMEOUT: Duration = Duration::from_secs(60);
const BARE_KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

/// What is known after the negotiation.
#[derive(Debug, Default)]
pub(super) struct Negotiation {
    pub(super) features: Features,
    /// The number of the last `ping`.
    pub(super) pings: u32,
    /// Whether the engine answered at all.
    pub(super) answered: bool,
}

impl Negotiation {
    /// Sends `xboard` and `protover 2` and reads features. Engines of version 1 declare none, and
    /// then it is tried what they know.
    pub(super) fn run(channel: &mut Channel, timeout: Duration) -> Result<Self, EngineError> {
        let began = channel.send("xboard\nprotover 2")?;
        let mut negotiation = Self::default();
        let declared = negotiation.read_features(channel, began + FEATURE_TIMEOUT.min(timeout))?;
        negotiation.answered = declared || negotiation.probe(channel, began + timeout)?;
        Ok(negotiation)
    }

    /// Reads features until `done=1`; false when none came by the deadline.
    fn read_features(
        &mut self,
        channel: &mut Channel,
        mut deadline: Instant,
    ) -> Result<bool, EngineError> {
        let mut declared = false;
        while !self.features.done && channel.read_line(Some(deadline))? {
            let line = channel.line.trim();
            if !line.starts_with("feature ") {
                continue;
            }
            declared = true;
            let accepted: Vec<String> = self
                .features
                .read(line)
                .into_iter()
                .filter(|name| name != "done")
                .map(|name| format!("accepted {name}"))
                .collect();
            if self.features.needs_time {
                deadline = Instant::now() + EXTENDED_TIMEOUT;
            }
            if !accepted.is_empty() {
                channel.send(&accepted.join("\n"))?;
            }
        }
        Ok(declared)
    }

    /// Tries an engine without features: whether it answers `ping`, and whether it rejects
    /// `setboard`. Features that come late count.
    fn probe(&mut self, channel: &mut Channel, deadline: Instant) -> Result<bool, EngineError> {
        let mut rejected = false;
        for question in [String::new(), format!("force\nsetboard {BARE_KINGS}\n")] {
            self.pings += 1;
            channel.send(&format!("{question}ping {}", self.pings))?;
            loop {
                if !channel.read_line(Some(deadline))? {
                    return Ok(false);
                }
                let line = channel.line.trim();
                if line.starts_with("feature ") {
                    self.features.read(line);
                    self.read_features(channel, Instant::now() + FEATURE_TIMEOUT)?;
                    return Ok(true);
                }
                let lower = line.to_ascii_lowercase();
                rejected |= ["error", "illegal", "invalid", "unknown"]
                    .iter()
                    .any(|word| lower.contains(word) && lower.contains("setboard"));
                if lower.ends_with(&format!("pong {}", self.pings)) {
                    break;
                }
            }
        }
        (self.features.ping, self.features.setboard) = (true, !rejected);
        Ok(true)
    }
}
