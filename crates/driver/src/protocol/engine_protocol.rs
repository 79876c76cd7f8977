//! What the driver needs from a protocol: commands to write, and the meaning of lines read.

use super::capabilities::Capabilities;
use crate::channel::Channel;
use crate::error::EngineError;
use crate::identity::Identity;
use crate::search::ResultClaim;
use crate::spec::Protocol;
use dyno_uci::{BestMove, Deviation, EngineOption, Go, Info};
use std::borrow::Cow;
use std::time::Instant;

/// What a line is about, before its details are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// A report of the running search.
    Info,
    BestMove,
    /// The engine resigns or claims a result.
    Claim,
    DrawOffer,
    /// The answer to the readiness query.
    Ready,
    /// Of no consequence here.
    Other,
}

/// A protocol in use with one engine, with the state it needs between commands.
///
/// UCI commands are self-contained, so its implementation has no state; XBoard's depend on what the
/// engine was told before. What only XBoard knows has a default here that does nothing.
pub(crate) trait EngineProtocol: Send {
    /// Which protocol this is, for the record.
    fn protocol(&self) -> Protocol;

    fn capabilities(&self) -> Capabilities;

    fn set_option(
        &mut self,
        channel: &mut Channel,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), EngineError>;

    /// The commands that start a new game.
    fn new_game(&mut self) -> Cow<'static, str>;

    /// The name of the readiness query, for messages.
    fn ready_command(&self) -> &'static str;

    /// A query that the engine answers once it has dealt with everything before; `None` when this
    /// engine knows no such query.
    fn ready_query(&mut self) -> Option<Cow<'static, str>>;

    /// Sets up the position and starts a search, in one write; says when.
    fn start_search(
        &mut self,
        channel: &mut Channel,
        position: &str,
        go: &Go,
    ) -> Result<Instant, EngineError>;

    /// The command that ends a search.
    fn stop_command(&self) -> &'static str;

    fn stop(&mut self, channel: &mut Channel) -> Result<(), EngineError> {
        channel.send(self.stop_command()).map(drop)
    }

    /// The opponent played the move pondered on; says when the engine's clock started.
    fn ponder_hit(&mut self, channel: &mut Channel) -> Result<Instant, EngineError>;

    /// Classifies the line just read and keeps what it says.
    fn classify(&mut self, channel: &mut Channel, searching: bool) -> LineKind;

    /// The move of a line classified as [`LineKind::BestMove`].
    fn best_move<'a>(&'a self, line: &'a str, report: &mut dyn FnMut(Deviation)) -> BestMove<'a>;

    /// The content of a line classified as [`LineKind::Info`].
    fn info<'a>(&'a self, line: &'a str, report: &mut dyn FnMut(Deviation)) -> Info<'a>;

    /// Takes the claim the engine made last, also one made before its search began.
    fn take_claim(&mut self) -> Option<ResultClaim> {
        None
    }

    /// When to stop a search whose limit the engine cannot be trusted to keep.
    fn stop_at(&self) -> Option<Instant> {
        None
    }

    /// Whether the engine has searched deeper than asked and has to be stopped.
    fn is_beyond_limit(&self) -> bool {
        false
    }

    /// Tells the engine that its opponent offers a draw.
    fn offer_draw(&self, _: &mut Channel) -> Result<(), EngineError> {
        Ok(())
    }

    /// Whether the engine has offered a draw since this was asked last.
    fn take_draw_offer(&mut self) -> bool {
        false
    }

    /// Whether the engine is to ponder on its own account from the next game on.
    fn set_pondering(&mut self, _on: bool) {}
}

/// A finished handshake.
pub(crate) struct Handshake {
    pub(crate) protocol: Box<dyn EngineProtocol>,
    pub(crate) identity: Identity,
    pub(crate) options: Vec<EngineOption>,
}
