//! What decides which moves are legal, and nothing else: the board that the generator reads and
//! perft copies.

use crate::sliders::Sliders;
use crate::{Bitboard, Color, Rank, Role, Square, attacks};

/// Eighty bytes: the pieces, the rooks that may castle and the en-passant square.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pub(crate) by_role: [Bitboard; 6],
    pub(crate) by_color: [Bitboard; 2],
    pub(crate) castling: Bitboard,
    /// The square behind a pawn that has just made a double step; empty where no capture en
    /// passant is possible.
    pub(crate) ep_square: Bitboard,
}

/// A side known at compile time: directions and ranks become constants.
pub(crate) trait Side: Copy {
    /// The side itself.
    const US: Color;
    /// The side's opponent.
    type Them: Side<Them = Self>;
}

#[derive(Clone, Copy)]
pub(crate) struct White;
#[derive(Clone, Copy)]
pub(crate) struct Black;

impl Side for White {
    const US: Color = Color::White;
    type Them = Black;
}

impl Side for Black {
    const US: Color = Color::Black;
    type Them = White;
}

/// A set of pawns moved one rank forward, as the side plays.
#[inline(always)]
pub(crate) fn ahead<C: Side>(pawns: Bitboard) -> Bitboard {
    pawns.forward(C::US)
}

/// A rank as a side counts them.
#[inline(always)]
pub(crate) fn rank<C: Side>(rank: Rank) -> Bitboard {
    Bitboard::rank(rank.relative_to(C::US))
}

#[inline(always)]
pub(crate) fn bishop<S: Sliders>(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(S::bishop(square.index(), occupied.0))
}

#[inline(always)]
pub(crate) fn rook<S: Sliders>(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(S::rook(square.index(), occupied.0))
}

impl Board {
    #[inline(always)]
    pub(crate) fn own<C: Side>(&self) -> Bitboard {
        self.by_color[C::US.index()]
    }

    #[inline(always)]
    pub(crate) fn role(&self, role: Role) -> Bitboard {
        self.by_role[role.index()]
    }

    #[inline(always)]
    pub(crate) fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The side's pieces of a role.
    #[inline(always)]
    pub(crate) fn pieces<C: Side>(&self, role: Role) -> Bitboard {
        self.own::<C>() & self.role(role)
    }

    /// The side's pieces that move like a bishop.
    #[inline(always)]
    pub(crate) fn diagonal<C: Side>(&self) -> Bitboard {
        self.own::<C>() & (self.role(Role::Bishop) | self.role(Role::Queen))
    }

    /// The side's pieces that move like a rook.
    #[inline(always)]
    pub(crate) fn orthogonal<C: Side>(&self) -> Bitboard {
        self.own::<C>() & (self.role(Role::Rook) | self.role(Role::Queen))
    }

    #[inline(always)]
    pub(crate) fn king<C: Side>(&self) -> Square {
        self.pieces::<C>(Role::King).lowest()
    }

    /// The squares the side attacks, on a board with the given occupation.
    #[inline(always)]
    pub(crate) fn attacked_by<C: Side, S: Sliders>(&self, occupied: Bitboard) -> Bitboard {
        let pawns = ahead::<C>(self.pieces::<C>(Role::Pawn));
        let mut attacked = pawns.east() | pawns.west() | attacks::king(self.king::<C>());
        for square in self.pieces::<C>(Role::Knight) {
            attacked |= attacks::knight(square);
        }
        for square in self.diagonal::<C>() {
            attacked |= bishop::<S>(square, occupied);
        }
        for square in self.orthogonal::<C>() {
            attacked |= rook::<S>(square, occupied);
        }
        attacked
    }

    /// The side's pieces that attack a square, on a board with the given occupation.
    #[inline(always)]
    pub(crate) fn attackers<C: Side, S: Sliders>(
        &self,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        (attacks::pawn(C::Them::US, square) & self.pieces::<C>(Role::Pawn))
            | (attacks::knight(square) & self.pieces::<C>(Role::Knight))
            | (attacks::king(square) & self.pieces::<C>(Role::King))
            | (bishop::<S>(square, occupied) & self.diagonal::<C>())
            | (rook::<S>(square, occupied) & self.orthogonal::<C>())
    }

    /// An en-passant capture takes two pawns off their lines at once, so the king's safety is
    /// checked on the board as it will be.
    #[inline(always)]
    pub(crate) fn en_passant_is_safe<C: Side, S: Sliders>(&self, from: Square, to: Square) -> bool {
        let taken = Bitboard::of(Square::new(to.file(), from.rank()));
        let occupied = (self.occupied() - taken - Bitboard::of(from)) | Bitboard::of(to);
        let attackers = self.attackers::<C::Them, S>(self.king::<C>(), occupied);
        (attackers - taken).is_empty()
    }
}
