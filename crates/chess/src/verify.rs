//! Integrity: everything a position keeps is checked against everything it follows from.

use crate::{Bitboard, Color, Position, Rank, Role, Square, zobrist};
use std::fmt;

/// One thing that is wrong inside a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PositionFault {
    ArrayDisagrees { square: Square, array: Option<Role>, sets: Vec<Role> },
    TwoColors { squares: Bitboard },
    AggregateDisagrees { by_color: Bitboard, by_role: Bitboard },
    KingCount { color: Color, count: u32 },
    PawnOnLastRank { square: Square },
    CastlingRook { square: Square },
    CastlingKing { color: Color },
    EnPassantSquare { square: Square },
    EnPassantLegality { stored: bool, found: bool },
    Checkers { stored: Bitboard, found: Bitboard },
    OpponentInCheck { color: Color },
    Key { stored: u64, found: u64 },
    PawnKey { stored: u64, found: u64 },
    MaterialKey { stored: u64, found: u64 },
}

impl fmt::Display for PositionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use PositionFault::*;
        match self {
            ArrayDisagrees { square, array, sets } => {
                write!(f, "{square}: the array says {array:?}, the sets say {sets:?}")
            }
            TwoColors { squares } => write!(f, "both sides claim {:#018x}", squares.0),
            AggregateDisagrees { by_color, by_role } => write!(
                f,
                "pieces by side {:#018x} and by role {:#018x} differ",
                by_color.0, by_role.0
            ),
            KingCount { color, count } => write!(f, "{color} has {count} kings"),
            PawnOnLastRank { square } => write!(f, "a pawn stands on {square}"),
            CastlingRook { square } => {
                write!(f, "castling right on {square}, where no rook stands")
            }
            CastlingKing { color } => {
                write!(f, "{color} may castle but its king has left the first rank")
            }
            EnPassantSquare { square } => {
                write!(f, "en-passant square {square} has no pawn that passed it")
            }
            EnPassantLegality { stored, found } => {
                write!(f, "en passant is kept as legal = {stored} but is {found}")
            }
            Checkers { stored, found } => {
                write!(f, "checkers are kept as {:#018x} but are {:#018x}", stored.0, found.0)
            }
            OpponentInCheck { color } => write!(f, "{color} is in check after its own move"),
            Key { stored, found } => {
                write!(f, "the key is kept as {stored:016x} but is {found:016x}")
            }
            PawnKey { stored, found } => {
                write!(f, "the pawn key is kept as {stored:016x} but is {found:016x}")
            }
            MaterialKey { stored, found } => {
                write!(f, "the material key is kept as {stored:016x} but is {found:016x}")
            }
        }
    }
}

impl std::error::Error for PositionFault {}

impl Position {
    /// Checks the board array, the sets, the aggregates, the kings, castling rooks, en-passant
    /// state, checkers and every key against recomputation, and names all that disagrees.
    pub fn verify(&self) -> Result<(), Vec<PositionFault>> {
        let mut faults = Vec::new();
        self.verify_board(&mut faults);
        // The rest is worked out from the board and means nothing on a broken one.
        if faults.is_empty() {
            self.verify_state(&mut faults);
            self.verify_keys(&mut faults);
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn verify_board(&self, faults: &mut Vec<PositionFault>) {
        let by_color = self.by_color[0] | self.by_color[1];
        let by_role = self.by_role.iter().fold(Bitboard::EMPTY, |all, set| all | *set);
        let both = self.by_color[0] & self.by_color[1];
        if both.any() {
            faults.push(PositionFault::TwoColors { squares: both });
        }
        if by_color != by_role {
            faults.push(PositionFault::AggregateDisagrees { by_color, by_role });
        }
        for square in Square::all() {
            let array = self.roles[square.index()];
            let mut standing = Role::ALL.into_iter().filter(|r| self.by_role(*r).contains(square));
            if standing.next() != array || standing.next().is_some() {
                let sets =
                    Role::ALL.into_iter().filter(|r| self.by_role(*r).contains(square)).collect();
                faults.push(PositionFault::ArrayDisagrees { square, array, sets });
            }
        }
        for color in Color::ALL {
            let count = self.pieces(color, Role::King).count();
            if count != 1 {
                faults.push(PositionFault::KingCount { color, count });
            }
        }
        let last = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        for square in self.by_role(Role::Pawn) & last {
            faults.push(PositionFault::PawnOnLastRank { square });
        }
    }

    fn verify_state(&self, faults: &mut Vec<PositionFault>) {
        for color in Color::ALL {
            let home = Bitboard::rank(Rank::First.relative_to(color));
            let rooks = self.castling & home;
            for square in rooks - self.pieces(color, Role::Rook) {
                faults.push(PositionFault::CastlingRook { square });
            }
            if rooks.any() && !home.contains(self.king(color)) {
                faults.push(PositionFault::CastlingKing { color });
            }
        }
        let homes = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        for square in self.castling - homes {
            faults.push(PositionFault::CastlingRook { square });
        }
        if let Some(square) = self.ep_square {
            let pawn = Square::new(square.file(), Rank::Fifth.relative_to(self.side));
            let origin = Square::new(square.file(), Rank::Seventh.relative_to(self.side));
            let sound = square.rank() == Rank::Sixth.relative_to(self.side)
                && self.pieces(!self.side, Role::Pawn).contains(pawn)
                && !self.occupied().contains(square)
                && !self.occupied().contains(origin);
            if !sound {
                faults.push(PositionFault::EnPassantSquare { square });
            }
        }
        let found = self.ep_square.is_some_and(|square| self.can_take_en_passant(square));
        if found != self.en_passant_legal {
            faults.push(PositionFault::EnPassantLegality { stored: self.en_passant_legal, found });
        }
        let checkers =
            self.attackers_to(self.king(self.side), self.occupied()) & self.by_color(!self.side);
        if checkers != self.checkers {
            faults.push(PositionFault::Checkers { stored: self.checkers, found: checkers });
        }
        if self.is_attacked(self.king(!self.side), self.side) {
            faults.push(PositionFault::OpponentInCheck { color: !self.side });
        }
    }

    fn verify_keys(&self, faults: &mut Vec<PositionFault>) {
        let found = self.key_from_scratch();
        if found != self.key {
            faults.push(PositionFault::Key { stored: self.key, found });
        }
        let (mut pawn_key, mut material_key) = (0, 0);
        for color in Color::ALL {
            for square in self.pieces(color, Role::Pawn) {
                pawn_key ^= zobrist::piece(color, Role::Pawn, square);
            }
            for role in Role::ALL {
                for nth in 0..self.pieces(color, role).count() {
                    material_key ^= zobrist::count(color, role, nth);
                }
            }
        }
        if pawn_key != self.pawn_key {
            faults.push(PositionFault::PawnKey { stored: self.pawn_key, found: pawn_key });
        }
        if material_key != self.material_key {
            faults.push(PositionFault::MaterialKey {
                stored: self.material_key,
                found: material_key,
            });
        }
    }
}
