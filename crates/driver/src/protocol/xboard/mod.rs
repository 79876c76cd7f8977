//! XBoard's protocol (CECP, versions 1 and 2), translated from and to UCI's terms.

mod board;
mod features;
mod game_notice;
mod limits;
mod negotiation;
mod thinking_output;
mod xboard_protocol;

pub(super) use xboard_protocol::handshake;

use dyno_chess::{Color, Position};

/// Reads a line of an engine in every way that one can be read: for the fuzz target, as none may
/// panic.
pub(crate) fn read_line(position: &Position, color: Color, line: &str) {
    let mut features = features::Features::default();
    features.read(line);
    let _ = features.engine_options();
    let _ = game_notice::GameNotice::parse(line, color);
    let _ = thinking_output::read_move(position, line);
    if let Some(output) = thinking_output::ThinkingOutput::parse(line) {
        thinking_output::write_variation(position, output.variation, &mut String::new());
    }
}
