//! What an engine's protocol can express.

/// What can be asked of an engine, and expected from it, in the protocol it speaks. Callers look
/// here instead of asking which protocol that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// UCI commands may be sent as text, unofficial ones such as `go perft` among them.
    pub uci_commands: bool,
    /// A search can be limited by nodes.
    pub node_limit: bool,
    /// Every engine knows how to limit a search by depth. Some XBoard engines have no `sd`.
    pub depth_limit: bool,
    /// A time per move is exact to the millisecond. XBoard's `st` counts whole seconds, and is the
    /// most that may be used rather than the time to use.
    pub exact_movetime: bool,
    /// Any position can be set up. XBoard engines without `setboard` know nothing of en passant
    /// squares.
    pub any_position: bool,
    /// The engine may resign, offer a draw or claim a result.
    pub game_claims: bool,
    /// The protocol obliges the engine to give its name.
    pub names_itself: bool,
}
