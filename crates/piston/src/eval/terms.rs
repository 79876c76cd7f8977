//! The terms of the evaluation and their places in the table of weights.

/// A run of weights for one feature.
pub struct Term {
    /// Its name in the table.
    pub name: &'static str,
    /// Where its first weight is.
    pub first: usize,
    /// How many weights it has.
    pub len: usize,
}

macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident: $len:expr;)*) => {
        terms!(@offsets 0usize; $($(#[$doc])* $name: $len;)*);
        /// All terms, in order.
        pub const TERMS: &[Term] =
            &[$(Term { name: stringify!($name), first: $name, len: $len }),*];
    };
    (@offsets $first:expr; $(#[$doc:meta])* $name:ident: $len:expr; $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: usize = $first;
        terms!(@offsets $name + $len; $($rest)*);
    };
    (@offsets $first:expr;) => {
        /// How many weights there are.
        pub const COUNT: usize = $first;
    };
}

terms! {
    /// The pieces themselves, pawn to queen.
    MATERIAL: 5;
    /// Two pieces of different kinds on one side: by the greater, then the lesser.
    OWN_IMBALANCE: 10;
    /// A piece and a lesser one of the enemy's.
    ENEMY_IMBALANCE: 10;
    /// More than one piece of a kind, pawn to queen.
    TWO_OF_A_KIND: 5;
    /// Piece-square tables by the bucket of the own king: six roles and the square, on a board
    /// mirrored so that the king stands on its right half.
    OWN_KING_PSQT: KING_BUCKETS * 6 * 64;
    /// The same by the enemy's king.
    ENEMY_KING_PSQT: KING_BUCKETS * 6 * 64;
    /// Squares a knight reaches that no enemy pawn guards.
    KNIGHT_MOBILITY: 9;
    BISHOP_MOBILITY: 14;
    ROOK_MOBILITY: 15;
    QUEEN_MOBILITY: 28;
    BISHOP_PAIR: 1;
    /// Own pawns on squares of the bishop's colour, each.
    BISHOP_PAWNS: 1;
    /// The same for each own pawn of the central files that cannot move.
    BISHOP_PAWNS_STUCK: 1;
    /// A bishop that sees both central squares of a long diagonal.
    LONG_DIAGONAL: 1;
    /// On a square guarded by a pawn that no enemy pawn can attack.
    KNIGHT_OUTPOST: 1;
    BISHOP_OUTPOST: 1;
    /// Minor pieces guarded by pawns, each.
    MINOR_GUARDED: 1;
    /// The distance to the own king: knight to queen.
    TO_OWN_KING: 4 * 8;
    TO_ENEMY_KING: 4 * 8;
    /// A minor piece right behind a pawn.
    MINOR_BEHIND_PAWN: 1;
    ROOK_OPEN_FILE: 1;
    ROOK_HALF_OPEN_FILE: 1;
    /// A rook behind a passed pawn of its own side.
    ROOK_BEHIND_PASSED: 1;
    /// A rook with little mobility on the king's side of its own king.
    ROOK_TRAPPED: 1;
    DOUBLED: 1;
    ISOLATED: 1;
    /// An isolated or backward pawn on a half-open file.
    WEAK_UNOPPOSED: 1;
    BACKWARD: 1;
    /// Side by side with another, by rank.
    PHALANX: 8;
    /// Guarded by another, by rank.
    SUPPORTED: 8;
    /// More friends beside than enemies ahead, by rank.
    CANDIDATE: 8;
    PASSED: 8;
    /// The square ahead of a passed pawn is occupied, by the pawn's rank.
    PASSED_BLOCKED: 8;
    /// All squares ahead of a passed pawn are out of the enemy's reach, by rank.
    PASSED_FREE: 8;
    /// The square ahead of a passed pawn is guarded by its own side.
    PASSED_HELPED: 8;
    /// A passed pawn whose side is to move, by rank.
    PASSED_TURN: 8;
    /// A passed pawn that a king without other help does not catch.
    PASSED_UNSTOPPABLE: 1;
    /// With another passed pawn on a file beside, not far, by rank.
    PASSED_CONNECTED: 8;
    /// The distance from the own king to the square ahead of a far passed pawn, by rank from the
    /// fourth on.
    PASSED_OWN_KING: 4 * 8;
    /// The distance from the enemy's king to it.
    PASSED_ENEMY_KING: 4 * 8;
    /// The rank of the own pawn nearest to the king on its file and the two beside; 0 for none.
    SHELTER_CENTER: 8;
    SHELTER_SIDE: 8;
    /// The rank of the enemy's foremost pawn on those files, as the king's side counts.
    STORM: 8;
    /// The same when a pawn of the king's side stands in its way.
    STORM_BLOCKED: 8;
    /// Rooks with which castling may still come.
    CASTLING: 1;
    /// Pieces that may not leave their line, each, with their own side to move or the enemy's.
    PINNED: 2;
    /// Squares of the ring around the enemy's king that a piece sees: knight to queen, each.
    KING_RING_ATTACKS: 4;
    /// Squares of the ring around the enemy's king that are left to it alone, each.
    KING_HOLES: 1;
    /// Safe checks by knight, bishop, rook and queen, each: first out of turn, then with the move.
    SAFE_CHECK: 2 * 4;
    /// No pawn of either side on the king's wing.
    KING_PAWNLESS_WING: 1;
    /// A pawn attacks a piece: knight to queen. This and all threats: first out of turn, then with
    /// the move.
    PAWN_THREAT: 2 * 4;
    /// A minor piece attacks, pawn to queen: what no pawn defends, and anything worth more.
    MINOR_THREAT: 2 * 5;
    ROOK_THREAT: 2 * 5;
    KING_THREAT: 2;
    /// Attacked and not defended: knight to queen.
    HANGING: 2 * 4;
    /// More than one piece is so at once.
    SEVERAL_HANGING: 2;
    /// A piece attacked twice that is not defended twice, nor by a pawn.
    OUTNUMBERED: 2;
    /// Minor pieces and rooks that could attack the enemy's queen from a safe square, each square.
    QUEEN_HARRIED: 2;
    /// Safe squares from which a knight would fork king, queen or rooks, each.
    KNIGHT_FORK: 2;
    /// A safe pawn push would attack a piece.
    PUSH_THREAT: 2;
    /// Squares in the own half, behind the pawns and out of the enemy's reach.
    SPACE: 1;
    /// The same for each own piece, by fours.
    SPACE_SHARED: 1;
    /// Squares that the side sees and no enemy pawn guards, by rank, each.
    CONTROL: 8;
    /// Squares that the side sees twice and the enemy not at all, each.
    DOMINATED: 1;
    /// Squares of the side's second to fourth rank that its pawns can no longer guard, each; the
    /// same on the four central files.
    WEAK_SQUARES: 2;
    /// Pawns that pawns can take, each.
    LEVERS: 2;
    /// Pawns that stand head to head, each, for each knight, bishop, rook and queen.
    CLOSED: 4;
    /// Rooks that see each other.
    ROOKS_CONNECTED: 1;
    /// Squares that both sides see and no enemy pawn guards, each.
    RESTRICTED: 1;
    TEMPO: 1;
    /// From here on: the danger to a king. In the middlegame its sum counts by its square. First the
    /// pieces that see the ring around the king: knight to queen.
    DANGER: 4;
    /// Squares of the ring that they see, each.
    DANGER_RING: 4;
    /// Squares of the ring left to the king alone, each.
    DANGER_HOLES: 1;
    /// Safe checks by knight, bishop, rook and queen: first out of turn, then with the move.
    DANGER_CHECK: 2 * 4;
    /// Checks that lose the piece, each.
    DANGER_UNSAFE_CHECK: 1;
    /// Pieces that may not leave their line to the king, each.
    DANGER_PINNED: 1;
    /// Squares on the king's wing that the enemy sees, that it sees twice, and that its own side
    /// sees, each.
    DANGER_WING: 3;
    /// Files beside the king without a pawn of its own ahead, each.
    DANGER_OPEN: 1;
    /// The enemy has no queen.
    DANGER_NO_QUEEN: 1;
    /// A knight guards the ring.
    DANGER_KNIGHT_GUARD: 1;
    /// The enemy is to move.
    DANGER_TURN: 1;
    /// Always, where the king is in danger at all.
    DANGER_BASE: 1;
}

/// The buckets of a king: castled or in the centre, on the first rank or the
/// second, and away from home.
pub const KING_BUCKETS: usize = 5;
/// How many weights there are for the danger to a king; they are the last ones.
pub const DANGER_COUNT: usize = COUNT - DANGER;
