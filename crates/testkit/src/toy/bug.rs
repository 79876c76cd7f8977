//! The classic bugs, each of which the toy engine can be given.

macro_rules! bugs {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// A bug that engines really have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Bug { $($(#[doc = $doc])* $variant,)* }

        impl Bug {
            /// Every bug.
            pub const ALL: &'static [Bug] = &[$(Bug::$variant),*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Bug::$variant => $name),* }
            }

            /// The bug of a name.
            pub fn from_name(name: &str) -> Option<Bug> {
                Bug::ALL.iter().copied().find(|bug| bug.name() == name)
            }
        }
    };
}

bugs! {
    /// En passant is not checked for exposing the king.
    EnPassantExposesKing = "en-passant-exposes-king",
    /// En passant is never generated.
    EnPassantForgotten = "en-passant-forgotten",
    /// The en-passant square outlives the next move.
    EnPassantStale = "en-passant-stale",
    /// The square the king crosses is not tested.
    CastlingThroughAttack = "castling-through-attack",
    /// Castling is allowed while in check.
    CastlingOutOfCheck = "castling-out-of-check",
    /// The b-file square is not tested for a piece.
    CastlingThroughPiece = "castling-through-piece",
    /// An attack on the square only the rook crosses forbids castling.
    CastlingRookAttacked = "castling-rook-attacked",
    /// Only the origin square updates castling rights, so a captured rook keeps its right.
    CastlingRightAfterCapture = "castling-right-after-capture",
    /// A rook that moved keeps its castling right.
    CastlingRightAfterRookMove = "castling-right-after-rook-move",
    /// A king that moved keeps its castling rights.
    CastlingRightAfterKingMove = "castling-right-after-king-move",
    /// Only queens are promoted to.
    NoUnderpromotion = "no-underpromotion",
    /// A capture on the last rank does not promote.
    PromotionCaptureForgotten = "promotion-capture-forgotten",
    /// A pawn reaches the last rank as a pawn.
    PromotionMissing = "promotion-missing",
    /// Legality is only tested for king moves when not in check.
    PinnedPieceMoves = "pinned-piece-moves",
    /// In double check, a block of one of the two is accepted.
    DoubleCheckBlocked = "double-check-blocked",
    /// The king's own square blocks the line behind it.
    KingBackAlongLine = "king-back-along-line",
    /// The rank of the double step is computed one too far.
    DoubleStepRankOffByOne = "double-step-rank-off-by-one",
    /// The double step does not look at the square it crosses.
    DoubleStepJumps = "double-step-jumps",
    /// Knight steps wrap around the edge of the board.
    KnightWraps = "knight-wraps",
    /// A push takes the piece in front of the pawn.
    PawnPushTakes = "pawn-push-takes",
    /// The old en-passant square stays in the hash.
    HashEnPassantNotRemoved = "hash-en-passant-not-removed",
    /// Castling rights do not change the hash when they are lost.
    HashCastlingNotUpdated = "hash-castling-not-updated",
    /// A captured piece stays in the hash.
    HashCaptureNotRemoved = "hash-capture-not-removed",
    /// A promoted pawn is hashed as a pawn.
    HashPromotionAsPawn = "hash-promotion-as-pawn",
    /// The castling rook is not moved in the hash.
    HashCastlingRookForgotten = "hash-castling-rook-forgotten",
    /// The side to move is not part of the hash at all.
    HashIgnoresSide = "hash-ignores-side",
    /// Castling rights are not part of the hash at all.
    HashIgnoresCastling = "hash-ignores-castling",
    /// Undo does not restore castling rights.
    UndoCastlingRights = "undo-castling-rights",
    /// Undo does not put the captured piece back.
    UndoCapture = "undo-capture",
    /// Undo does not restore the en-passant square.
    UndoEnPassant = "undo-en-passant",
    /// Undo does not restore the hash.
    UndoHash = "undo-hash",
    /// The piece count is not lowered by a capture.
    AggregateCapture = "aggregate-capture",
    /// The evaluation favours White.
    EvalAsymmetric = "eval-asymmetric",
    /// The evaluation counts moves played.
    EvalPathDependent = "eval-path-dependent",
    /// The score of the child is not negated.
    SignLost = "sign-lost",
    /// A cut-off returns without taking the move back.
    MissingUnmake = "missing-unmake",
    /// The window of the child is not swapped.
    WindowNotSwapped = "window-not-swapped",
    /// Table entries are used whatever their depth and bound.
    TableIgnoresBound = "table-ignores-bound",
    /// Clearing the table leaves it as it was.
    TableNotCleared = "table-not-cleared",
}
