//! Half positions that come again.
//!
//! Where a table remembers whole positions, the new ones mostly differ from others in one side's
//! pieces only, and the other side sees no difference. So each thread remembers, for the pieces of
//! one side, what was worked out about them, and which squares it depends on: the same pieces with
//! the same of the other side's pieces on those squares need not be looked at again. Everything
//! is compared in full; nothing is left to chance.

use super::pieces::PieceReplies;
use super::replies::Sight;
use crate::board::{Board, Side};
use crate::{Bitboard, Role};

/// What a thread remembers of half positions, by the side to move.
pub(super) struct Memory([Sides; 2]);

pub(super) struct Sides {
    pub(super) sights: Halves<Sight>,
    pub(super) replies: Halves<PieceReplies>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        let new =
            || Sides { sights: Halves::new(Sight::NONE), replies: Halves::new(PieceReplies::NONE) };
        Memory([new(), new()])
    }

    #[inline(always)]
    pub(super) fn of<C: Side>(&mut self) -> &mut Sides {
        &mut self.0[C::US.index()]
    }
}

const KNOWN: u32 = 10;
const HALVES: u32 = 10;

/// What is known about one side's pieces, in sizes that a core's own cache holds.
pub(super) struct Halves<T> {
    known: Box<[Known]>,
    halves: Box<[Half<T>]>,
    /// The number last given.
    last: u64,
}

/// The pieces of a side, the number they were given, and the squares of their view: those where
/// the other side's pieces make a difference.
#[derive(Clone)]
#[repr(align(64))]
struct Known {
    pieces: [Bitboard; 6],
    number: u64,
    view: Bitboard,
}

#[derive(Clone)]
#[repr(align(64))]
struct Half<T> {
    number: u64,
    /// The other side's pieces within the view.
    others: Bitboard,
    what: T,
}

/// Where a half position is kept, if it is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    index: usize,
    number: u64,
    others: Bitboard,
}

impl<T: Clone> Halves<T> {
    fn new(nothing: T) -> Halves<T> {
        let known = Known { pieces: [Bitboard::EMPTY; 6], number: 0, view: Bitboard::EMPTY };
        // Numbers are given from 1 on, so that nothing matches these.
        let half = Half { number: 0, others: Bitboard::EMPTY, what: nothing };
        Halves {
            known: vec![known; 1 << KNOWN].into_boxed_slice(),
            halves: vec![half; 1 << HALVES].into_boxed_slice(),
            last: 0,
        }
    }

    /// The place of a side's pieces on a board; or, where the pieces are not known, theirs, to
    /// `learn` first.
    #[inline(always)]
    pub(super) fn find<C: Side>(&self, board: &Board) -> Result<Place, Unknown> {
        let pieces = Role::ALL.map(|role| board.pieces::<C>(role));
        let index = scatter(&pieces, KNOWN);
        let known = &self.known[index];
        if known.pieces != pieces || known.number == 0 {
            return Err(Unknown { index, pieces });
        }
        Ok(place(known.number, board.own::<C::Them>() & known.view))
    }

    /// Learns a side's pieces and their view.
    #[inline(always)]
    pub(super) fn learn(&mut self, unknown: Unknown, view: Bitboard, others: Bitboard) -> Place {
        self.last += 1;
        let Unknown { index, pieces } = unknown;
        self.known[index] = Known { pieces, number: self.last, view };
        place(self.last, others & view)
    }

    #[inline(always)]
    pub(super) fn knows(&self, place: Place) -> bool {
        let half = &self.halves[place.index];
        half.number == place.number && half.others == place.others
    }

    #[inline(always)]
    pub(super) fn keep(&mut self, place: Place, what: T) {
        self.halves[place.index] = Half { number: place.number, others: place.others, what };
    }

    #[inline(always)]
    pub(super) fn at(&self, place: Place) -> &T {
        &self.halves[place.index].what
    }
}

/// Pieces that are not known, and where they would be kept.
pub(super) struct Unknown {
    index: usize,
    pieces: [Bitboard; 6],
}

#[inline(always)]
fn place(number: u64, others: Bitboard) -> Place {
    let index = scatter(&[Bitboard(number), others], HALVES);
    Place { index, number, others }
}

/// Odd numbers without a pattern.
const FACTORS: [u64; 6] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
];

#[inline(always)]
fn scatter(words: &[Bitboard], bits: u32) -> usize {
    let sum = words.iter().zip(FACTORS).fold(0_u64, |sum, (word, factor)| {
        sum.wrapping_add((word.0 ^ word.0 >> 32).wrapping_mul(factor))
    });
    (sum >> (64 - bits)) as usize
}
