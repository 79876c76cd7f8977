//! The first words with an engine: which language it speaks, who it is, what it can be told.

use super::{Dialect, Identity};
use crate::channel::Channel;
use crate::error::EngineError;
use crate::settings::Settings;
use crate::spec::{EngineSpec, Protocol};
use crate::uci::Uci;
use crate::xboard::Xboard;
use dyno_uci::EngineOption;
use std::time::Duration;

pub(super) type Introduced = (Dialect, Identity, Vec<EngineOption>);

fn speak_uci(
    channel: &mut Channel,
    patience: Duration,
    gives_up: impl Fn(&str) -> bool,
) -> Result<Introduced, EngineError> {
    let (identity, options) = Uci::handshake(channel, patience, gives_up)?;
    Ok((Dialect::Uci, identity, options))
}

fn speak_xboard(
    channel: &mut Channel,
    patience: Duration,
    silence_is_fine: bool,
) -> Result<Introduced, EngineError> {
    let (xboard, identity, options) = Xboard::handshake(channel, patience, silence_is_fine)?;
    Ok((Dialect::Xboard(Box::new(xboard)), identity, options))
}

/// Starts a process and finds a language to speak with it.
pub(super) fn introduce(
    spec: &EngineSpec,
    settings: &Settings,
) -> Result<(Channel, Introduced), EngineError> {
    let patience = settings.handshake;
    let mut channel = Channel::open(spec, settings)?;
    if spec.protocol == Protocol::Xboard {
        let introduced = speak_xboard(&mut channel, patience, true)?;
        return Ok((channel, introduced));
    }
    let gives_up = |line: &str| spec.protocol == Protocol::Auto && refuses_uci(line);
    match speak_uci(&mut channel, patience, gives_up) {
        Err(error @ (EngineError::NoHandshake { .. } | EngineError::Exited { .. }))
            if spec.protocol == Protocol::Auto =>
        {
            // A process that was spoken to in the wrong language may be confused by it, or die of
            // it: some builds of fairymax do.
            drop(channel);
            let mut channel = Channel::open(spec, settings)?;
            let introduced = speak_xboard(&mut channel, patience, false).map_err(|_| error)?;
            Ok((channel, introduced))
        }
        other => other.map(|introduced| (channel, introduced)),
    }
}

/// Whether an engine says that it does not know the word `uci`.
fn refuses_uci(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let complains = ["illegal", "invalid", "unknown", "error", "unrecogni", "bad "];
    line.contains("uci") && complains.iter().any(|word| line.contains(word))
}
