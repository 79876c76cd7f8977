//! XBoard's protocol (CECP, versions 1 and 2), translated from and to UCI's terms.

mod board;
mod features;
mod game_notice;
mod limits;
mod negotiation;
mod thinking_output;
mod xboard_protocol;

pub(super) use xboard_protocol::handshake;
