//! The answers that were worked out last, for the next nodes with the same enemy pieces.

use super::answers::{self, Answers, Enemy, Pieces};
use super::walk::Machine;
use crate::Bitboard;
use crate::board::{Board, Side};
use crate::memory::prefetch;

/// Few enough to stay in the nearer caches: nodes come sorted by the enemy's pieces.
const ENEMIES: usize = 1 << 8;
const ANSWERS: usize = 1 << 12;

/// What a thread knows of enemies. All nodes must have the same side to move.
pub(super) struct Known {
    enemies: Box<[KnownEnemy]>,
    answers: KnownAnswers,
    /// How many enemies were worked out.
    count: u64,
}

pub(super) struct KnownAnswers(Box<[(u64, Bitboard, Bitboard, Answers)]>);

#[derive(Clone, Copy)]
pub(super) struct KnownEnemy {
    pieces: Pieces,
    castling: Bitboard,
    /// Tells it from every other, so that its answers can be found.
    serial: u64,
    pub(super) enemy: Enemy,
}

impl Known {
    pub(super) fn new() -> Known {
        let nobody = KnownEnemy {
            pieces: [Bitboard::EMPTY; 5],
            castling: Bitboard::EMPTY,
            serial: 0,
            enemy: Enemy::NONE,
        };
        let nothing = (0, Bitboard::EMPTY, Bitboard::EMPTY, Answers::NONE);
        Known {
            enemies: vec![nobody; ENEMIES].into(),
            answers: KnownAnswers(vec![nothing; ANSWERS].into()),
            count: 0,
        }
    }

    /// Finds the enemy on a board.
    #[inline(always)]
    pub(super) fn find<C: Side, M: Machine>(&mut self, board: &Board) -> usize {
        let pieces = answers::pieces::<C::Them>(board);
        let castling = board.castling & pieces[0];
        let index = hash(&pieces) as usize % ENEMIES;
        let place = &mut self.enemies[index];
        if place.pieces != pieces || place.castling != castling {
            self.count += 1;
            let enemy = Enemy::new::<C::Them, M>(board);
            *place = KnownEnemy { pieces, castling, serial: self.count, enemy };
        }
        index
    }

    /// An enemy that was found, and the answers known of it and others.
    #[inline(always)]
    pub(super) fn enemy(&mut self, index: usize) -> (&KnownEnemy, &mut KnownAnswers) {
        (&self.enemies[index % ENEMIES], &mut self.answers)
    }
}

impl KnownAnswers {
    #[inline(always)]
    fn place(known: &KnownEnemy, own: Bitboard, bound: Bitboard) -> usize {
        mixed(known.serial << 32 ^ own.0 ^ bound.0.rotate_left(17)) as usize % ANSWERS
    }

    /// Fetches answers that will be asked for soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, known: &KnownEnemy, own: Bitboard) {
        prefetch(&self.0[KnownAnswers::place(known, own, Bitboard::EMPTY)]);
    }

    /// The enemy's answers, given our pieces in its zone and the lines of pins.
    #[inline(always)]
    pub(super) fn get<C: Side, M: Machine>(
        &mut self,
        board: &Board,
        known: &KnownEnemy,
        own: Bitboard,
        bound: Bitboard,
    ) -> &Answers {
        let place = KnownAnswers::place(known, own, bound);
        let (serial, kept, pins, answers) = &mut self.0[place];
        if *kept != own || *serial != known.serial || *pins != bound {
            (*serial, *kept, *pins) = (known.serial, own, bound);
            M::answers::<C>(answers, board, own, bound);
        }
        answers
    }
}

/// A number of 32 bits that is nearly always another for another set.
#[inline(always)]
pub(super) fn mixed(set: u64) -> u64 {
    set.wrapping_mul(MULTIPLIER) >> 32
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that is nearly always another for other pieces.
#[inline(always)]
pub(super) fn hash(pieces: &Pieces) -> u64 {
    let mix = |hash: u64, set: &Bitboard| (hash.rotate_left(23) ^ set.0).wrapping_mul(MULTIPLIER);
    pieces.iter().fold(0, mix) >> 32
}
