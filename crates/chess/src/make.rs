//! Playing a move: in place, or the next position as a copy.

use crate::{Bitboard, Color, File, Move, Position, Rank, Role, Square, zobrist};

/// Where king and rook end up when castling: the rook's side of the king decides the wing.
#[inline]
pub(crate) fn castling_targets(king: Square, rook: Square) -> (Square, Square) {
    let rank = king.rank();
    if rook > king {
        (Square::new(File::G, rank), Square::new(File::F, rank))
    } else {
        (Square::new(File::C, rank), Square::new(File::D, rank))
    }
}

impl Position {
    /// The position after a move, which must be legal here (see [`Position::is_legal`]).
    #[must_use]
    pub fn play(&self, mv: Move) -> Position {
        let mut next = *self;
        next.advance(mv);
        next
    }

    /// Plays a move, which must be legal here, in place: for callers that care that a
    /// position is copied no oftener than need be.
    pub fn advance(&mut self, mv: Move) {
        #[cfg(debug_assertions)]
        let before = *self;
        self.make(mv);
        #[cfg(debug_assertions)]
        if let Err(faults) = self.verify() {
            panic!("{mv:?} in {before} breaks the position: {faults:?}");
        }
    }

    /// The key after a move, but for changes of castling rights and en passant: soon known, and
    /// right often enough to fetch what is kept under it.
    #[inline]
    #[must_use]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = self.roles[from.index()] else { return self.key };
        let taken = match self.roles[to.index()] {
            Some(taken) => zobrist::piece(!self.side, taken, to),
            None => 0,
        };
        let moved = zobrist::piece(self.side, role, from) ^ zobrist::piece(self.side, role, to);
        self.key ^ zobrist::side() ^ moved ^ taken
    }

    /// The position with the turn passed to the other side. The side to move must not be in check.
    #[must_use]
    pub fn play_null(&self) -> Position {
        let mut next = *self;
        next.forget_en_passant();
        next.halfmoves = next.halfmoves.saturating_add(1);
        next.pass_the_turn();
        next
    }

    #[inline]
    fn make(&mut self, mv: Move) {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = self.roles[from.index()] else { return };
        self.forget_en_passant();
        self.halfmoves = self.halfmoves.saturating_add(1);

        if mv.is_castling() {
            let (king_to, rook_to) = castling_targets(from, to);
            self.remove(us, Role::King, from);
            self.remove(us, Role::Rook, to);
            self.put(us, Role::King, king_to);
            self.put(us, Role::Rook, rook_to);
            self.drop_castling(Bitboard::rank(from.rank()));
        } else {
            self.move_piece(us, role, mv);
        }
        self.pass_the_turn();
    }

    fn move_piece(&mut self, us: Color, role: Role, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let taken_on = if mv.is_en_passant() { Square::new(to.file(), from.rank()) } else { to };
        if let Some(taken) = self.roles[taken_on.index()] {
            self.remove(!us, taken, taken_on);
            self.halfmoves = 0;
        }
        match mv.promotion() {
            Some(promoted) => {
                self.remove(us, Role::Pawn, from);
                self.put(us, promoted, to);
            }
            None => self.shift(us, role, from, to),
        }
        // A rook that leaves its square, or is taken on it, can no longer castle.
        let mut lost = Bitboard::of(from) | Bitboard::of(to);
        match role {
            Role::King => lost |= Bitboard::rank(Rank::First.relative_to(us)),
            Role::Pawn => {
                self.halfmoves = 0;
                if from.index().abs_diff(to.index()) == 16 {
                    self.ep_square = Some(Square::from_index((from.index() + to.index()) / 2));
                }
            }
            _ => {}
        }
        self.drop_castling(lost);
    }

    /// Moves a piece to an empty square.
    #[inline]
    fn shift(&mut self, color: Color, role: Role, from: Square, to: Square) {
        let both = Bitboard::of(from) | Bitboard::of(to);
        self.by_role[role.index()] ^= both;
        self.by_color[color.index()] ^= both;
        self.roles[from.index()] = None;
        self.roles[to.index()] = Some(role);
        self.toggle_key(color, role, from);
        self.toggle_key(color, role, to);
    }

    #[inline]
    fn drop_castling(&mut self, squares: Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            self.castling -= lost;
            self.key ^= zobrist::castling(lost);
        }
    }

    #[inline]
    fn forget_en_passant(&mut self) {
        if let Some(square) = self.en_passant() {
            self.key ^= zobrist::en_passant(square);
        }
        self.ep_square = None;
        self.en_passant_legal = false;
    }

    #[inline]
    fn pass_the_turn(&mut self) {
        self.fullmoves = self.fullmoves.saturating_add(u32::from(self.side == Color::Black));
        self.side = !self.side;
        self.key ^= zobrist::side();
        self.checkers =
            self.attackers_to(self.king(self.side), self.occupied()) & self.by_color(!self.side);
        if let Some(square) = self.ep_square
            && self.can_take_en_passant(square)
        {
            self.en_passant_legal = true;
            self.key ^= zobrist::en_passant(square);
        }
    }
}
