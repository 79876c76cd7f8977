//! Starting an engine and finding the protocol it speaks.

use super::engine_protocol::Handshake;
use super::{uci, xboard};
use crate::channel::Channel;
use crate::error::EngineError;
use crate::settings::Settings;
use crate::spec::{EngineSpec, Protocol};

/// Starts a process and shakes hands with it.
pub(crate) fn connect(
    spec: &EngineSpec,
    settings: &Settings,
) -> Result<(Channel, Handshake), EngineError> {
    let timeout = settings.handshake;
    let mut channel = Channel::open(spec, settings)?;
    if spec.protocol == Protocol::Xboard {
        let handshake = xboard::handshake(&mut channel, timeout, true)?;
        return Ok((channel, handshake));
    }
    let auto = spec.protocol == Protocol::Auto;
    match uci::handshake(&mut channel, timeout, |line| auto && rejects_uci(line)) {
        Err(error @ (EngineError::NoHandshake { .. } | EngineError::Exited { .. })) if auto => {
            // A fresh process, because one that was addressed in the wrong protocol may be
            // confused by it, or dead: some builds of fairymax crash.
            drop(channel);
            let mut channel = Channel::open(spec, settings)?;
            let handshake = xboard::handshake(&mut channel, timeout, false).map_err(|_| error)?;
            Ok((channel, handshake))
        }
        other => other.map(|handshake| (channel, handshake)),
    }
}

/// Whether an engine complains that it does not know the command `uci`.
fn rejects_uci(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let complaints = ["illegal", "invalid", "unknown", "error", "unrecogni", "bad "];
    line.contains("uci") && complaints.iter().any(|word| line.contains(word))
}
