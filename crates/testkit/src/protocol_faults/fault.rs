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
    /// Keeps the moves of `searchmoves` for the next search.
    KeepsSearchMoves = "keeps-searchmoves",
    /// Does not look at `go depth`.
    DepthIgnored = "depth-ignored",
    /// Searches three plies deeper than asked.
    DepthBeyond = "depth-beyond",
    /// Does not look at `go movetime`.
    MovetimeIgnored = "movetime-ignored",
    /// Ends at four times the nodes and a hundred thousand more.
    NodesLoose = "nodes-loose",
    /// Spends a fraction of the opponent's clock.
    OpponentsClock = "opponents-clock",
    /// Spends the opponent's increment.
    OpponentsIncrement = "opponents-increment",
    /// Never answers the 33rd search.
    LoopsAfter32 = "loops-after-32",
    /// Aborts with the hundredth search.
    AbortsAfter100 = "aborts-after-100",
    /// Aborts on games of more than 512 half-moves.
    AbortsOnLongGames = "aborts-on-long-games",
    /// Reads the first 2048 characters of a line.
    CutsLongLines = "cuts-long-lines",
    /// Has no move when it is stopped before its first iteration has ended.
    NoMoveWhenStopped = "no-move-when-stopped",
    /// Answers half a second after `stop`.
    StopsLate = "stops-late",
    /// Takes any input for `stop`.
    IsReadyStops = "isready-stops",
    /// Reads `isready` away during a search and ends it.
    SwallowsIsReady = "swallows-isready",
    /// Keeps the movetime of one `go` for those after it.
    KeepsMovetime = "keeps-movetime",
    /// Takes `go nodes` for a `go` without a limit, and ends at once.
    NodesEndAtOnce = "nodes-end-at-once",
    /// Tells its time in microseconds.
    Microseconds = "microseconds",
    /// Tells ten times its speed.
    SpeedTimesTen = "speed-times-ten",
    /// Tells a full table as 5000 per mille.
    HashfullTooLarge = "hashfull-too-large",
    /// Plays the last of its moves, whatever the line says.
    OtherMove = "other-move",
    /// Names a ponder move that is not legal.
    IllegalPonder = "illegal-ponder",
    /// Plays an illegal move with more than one thread.
    IllegalWithThreads = "illegal-with-threads",
    /// Does not hear `stop` with more than one thread.
    DeafWithThreads = "deaf-with-threads",
    /// Shows as many lines as it ever did.
    MultiPvSticks = "multipv-sticks",
    /// Aborts when Hash changes for the second time.
    AbortsOnHashChange = "aborts-on-hash-change",
    /// Aborts when an option is set during a search.
    AbortsOnOptionInSearch = "aborts-on-option-in-search",
    /// Does not say its name.
    NoName = "no-name",
    /// Takes its time with `readyok`.
    SlowReady = "slow-ready",
    /// Aborts on `quit`.
    AbortsOnQuit = "aborts-on-quit",
    /// Does not hear `quit` during a search.
    QuitIgnoredInSearch = "quit-ignored-in-search",
    /// Answers unknown commands with a move.
    AnswersUnknown = "answers-unknown",
    /// Aborts on what is not a position.
    AbortsOnBadFen = "aborts-on-bad-fen",
    /// Plays anything but a mate in one.
    MissesMates = "misses-mates",
    /// Writes castling as the king's move with UCI_Chess960, too.
    CastlingPlainIn960 = "castling-plain-in-960",
    /// Every new game leaks some memory.
    LeaksPerGame = "leaks-per-game",
    /// Never flushes its output.
    NeverFlushes = "never-flushes",
    /// Searches one ply less deep than asked.
    DepthShort = "depth-short",
    /// Searches one ply deeper than asked.
    DepthLong = "depth-long",
    /// Takes no more than sixteen megabytes, whatever Hash says.
    HashCapped = "hash-capped",
    /// Takes the Hash that it has with its first search, and no other.
    HashSetOnce = "hash-set-once",
    /// Keeps its old table when Hash changes.
    LeaksTables = "leaks-tables",
    /// Aborts after three hundred half-moves without a capture or a pawn move.
    AbortsOnQuietGames = "aborts-on-quiet-games",
    /// Divides the time by movestogo.
    DividesByMovesToGo = "divides-by-moves-to-go",
    /// Searches without an end where the clock is below zero.
    BelowZeroIsEndless = "below-zero-is-endless",
    /// Takes the clocks from the second and the fourth word of `go`.
    WordsInOrder = "words-in-order",
    /// Aborts on a word of `go` that it does not know.
    AbortsOnUnknownLimit = "aborts-on-unknown-limit",
    /// Aborts on a second `go`.
    AbortsOnSecondGo = "aborts-on-second-go",
    /// Spends half of its increment with each move, earned or not.
    SpendsIncrement = "spends-increment",
    /// Counts its time in 32 bits, as microseconds.
    ClockOverflows = "clock-overflows",
    /// Takes its clock for seconds.
    ClockHardlyUsed = "clock-hardly-used",
    /// Plays its last move with more than one thread.
    WorseWithThreads = "worse-with-threads",
    /// Plays the moves of `position startpos` on the board that stands there.
    KeepsBoard = "keeps-board",
    /// Ignores a FEN without its counters.
    WantsCounters = "wants-counters",
    /// Splits its lines at single spaces.
    SplitsAtSpaces = "splits-at-spaces",
    /// Knows its options only as it has written them.
    CaseOfOptions = "case-of-options",
    /// Tells the opponent's move as the current one.
    WrongCurrentMove = "wrong-current-move",
    /// Tells a selective depth of 1.
    ShallowSelectiveDepth = "shallow-selective-depth",
    /// Has forgotten castling.
    ForgetsCastling = "forgets-castling",
    /// Searches the first of `searchmoves` alone.
    FirstSearchMove = "first-searchmove",
    /// Spends the opponent's increment, but no more than half of its own clock.
    OpponentsIncrementCapped = "opponents-increment-capped",
    /// Ends the search on `isready`, after its answer.
    IsReadyStopsLater = "isready-stops-later",
    /// Sends the last search's move where there is none.
    StaleMove = "stale-move",
    /// Does not hear a `ponderhit` that comes at once.
    LosesPonderHit = "loses-ponder-hit",
    /// Does not read its increment.
    IncrementUnread = "increment-unread",
    /// Does not read `movestogo`.
    MovesToGoUnread = "movestogo-unread",
    /// Answers `go depth` without a search.
    DepthUnread = "depth-unread",
    /// Ends every other iteration with a line of one move.
    LinesBreakOff = "lines-break-off",
    /// Throws `isready` away while it searches, and hears `stop`.
    IgnoresIsReady = "ignores-isready",

    // Habits that are not faults: no check may blame them.
    /// Names `(none)` as the move to ponder on.
    PonderNone = "ponder-none",
    /// Says `a8a8` where there is no move.
    NullMoveWhenOver = "null-move-when-over",
    /// Plays no move where the game is drawn.
    DrawnIsOver = "drawn-is-over",
    /// Loads something for seconds with the first search.
    LoadsLate = "loads-late",
}
