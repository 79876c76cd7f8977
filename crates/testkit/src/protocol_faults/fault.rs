//! The protocol faults.

macro_rules! faults {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// One thing that engines do and should not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProtocolFault { $($(#[doc = $doc])* $variant,)* }

        impl ProtocolFault {
            /// Every fault.
            pub const ALL: &'static [ProtocolFault] = &[$(ProtocolFault::$variant),*];

            /// The name on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(ProtocolFault::$variant => $name),* }
            }

            /// The fault of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<ProtocolFault> {
                ProtocolFault::ALL.iter().copied().find(|fault| fault.name() == name)
            }
        }
    };
}

faults! {
    /// Every search leaks some memory.
    LeaksMemory = "leaks-memory",
    /// The option Hash changes nothing.
    IgnoresHash = "ignores-hash",
    /// The table takes three times what Hash says.
    HashTooLarge = "hash-too-large",
    /// Stops after a fifth of a movetime.
    MovetimeUnused = "movetime-unused",
    /// Takes much longer than a movetime.
    MovetimeOverstepped = "movetime-overstepped",
    /// Takes more than the whole clock, but only where moves to go are given.
    MovesToGoOverstepped = "moves-to-go-overstepped",
    /// Does not look at `go nodes`.
    NodesIgnored = "nodes-ignored",
    /// Writes its moves in capital letters.
    CapitalMoves = "capital-moves",
    /// Leaves out the piece of a promotion.
    PromotionWithoutPiece = "promotion-without-piece",
    /// Writes castling as king takes rook without UCI_Chess960.
    CastlingAsRookTaken = "castling-as-rook-taken",
    /// Shows the worst of several lines first.
    LinesOutOfOrder = "lines-out-of-order",
    /// Shows the same line several times.
    LinesAlike = "lines-alike",
    /// Answers each `stop` with a `bestmove`.
    AnswersEveryStop = "answers-every-stop",
    /// Answers `go infinite` by itself.
    InfiniteEnds = "infinite-ends",
    /// Answers while it should ponder.
    PonderEnds = "ponder-ends",
    /// Takes no notice of `ponderhit`.
    PonderHitIgnored = "ponder-hit-ignored",
    /// Answers `isready` only when no search runs.
    ReadyAfterSearch = "ready-after-search",
    /// Takes no notice of `searchmoves`.
    SearchMovesIgnored = "search-moves-ignored",
    /// Adds a move to its line that is not legal there.
    IllegalTail = "illegal-tail",
    /// Tells of two illegal moves in its table with each search.
    TableCollides = "table-collides",
    /// Announces its own mates as the opponent's.
    MateSignLost = "mate-sign-lost",
    /// Announces mates in half-moves.
    MateInPlies = "mate-in-plies",
    /// Tells fewer nodes from line to line.
    NodesFall = "nodes-fall",
    /// Tells depths in any order.
    DepthFalls = "depth-falls",
    /// Searches another number of nodes each time.
    NotDeterministic = "not-deterministic",
    /// Ends with an exit code.
    ExitCode = "exit-code",
    /// Stays when its input ends.
    StaysAtEndOfInput = "stays-at-end-of-input",
    /// Aborts on an unknown command.
    AbortsOnUnknown = "aborts-on-unknown",
    /// Aborts on an option value that is not a number.
    AbortsOnRubbish = "aborts-on-rubbish",
    /// Aborts after a thousand new games.
    AbortsOnNewGames = "aborts-on-new-games",
    /// Plays some move where there is none.
    MovesWhenOver = "moves-when-over",
    /// Declares an option whose default is out of its own range.
    BadDeclaration = "bad-declaration",
    /// Adds a pawn to every evaluation of White.
    LovesWhite = "loves-white",
}
