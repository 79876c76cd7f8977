//! The pawns alone: their structure, kept in a small cache, as it changes rarely.

use super::geometry::{CENTER_FILES, attacked_by_pawns, fill, home};
use super::king_bucket::{KingBucket, add_psqt};
use super::packed::Packed;
use super::shelter::Shelter;
use super::sink::{Sink, Sum};
use super::terms::*;
use dyno_chess::{Bitboard, Color, Position, Role, attacks};

/// What follows from the pawns alone.
#[derive(Clone, Copy, Default)]
// One cache line, and not parts of two.
#[repr(align(64))]
pub struct Pawns {
    /// The key it goes by.
    pub key: u64,
    /// The sum of the pawn terms, White's minus Black's.
    pub score: Packed,
    /// The passed pawns of each side.
    pub passed: [Bitboard; 2],
    /// The squares each side's pawns attack or may come to attack.
    pub reach: [Bitboard; 2],
    /// What the pawns last did for each side's king.
    pub shelters: [Shelter; 2],
}

impl Pawns {
    /// What tells one structure from another.
    #[inline]
    pub fn key(pos: &Position, buckets: [KingBucket; 2]) -> u64 {
        // The places of pawns count by where the kings are.
        let [white, black] = buckets.map(KingBucket::index);
        pos.pawn_key() ^ (white + 16 * black) as u64
    }

    /// Works out the pawns and their score.
    #[inline(always)]
    pub fn summed(pos: &Position, buckets: [KingBucket; 2]) -> Pawns {
        let mut sum = Sum::default();
        let pawns = Pawns::new(pos, buckets, &mut sum);
        Pawns { key: Pawns::key(pos, buckets), score: sum.total(), ..pawns }
    }
}

impl Pawns {
    /// Works out the pawns and tells the sink their terms.
    #[inline(always)]
    pub fn new<S: Sink>(pos: &Position, buckets: [KingBucket; 2], sink: &mut S) -> Pawns {
        let mut pawns = Pawns::default();
        for us in Color::ALL {
            let front = fill(pos.pieces(us, Role::Pawn).forward(us), us);
            pawns.reach[us.index()] = front.east() | front.west();
        }
        for us in Color::ALL {
            pawns.structure(pos, us, buckets, sink);
        }
        pawns
    }

    #[inline(always)]
    fn structure<S: Sink>(
        &mut self,
        pos: &Position,
        us: Color,
        buckets: [KingBucket; 2],
        sink: &mut S,
    ) {
        let them = !us;
        let own = pos.pieces(us, Role::Pawn);
        let enemy = pos.pieces(them, Role::Pawn);
        let enemy_attacks = attacked_by_pawns(pos, them);
        let enemy_front = fill(enemy.forward(them), them);
        let own_behind = fill(own.forward(them), them);
        let barred = enemy_front | self.reach[them.index()];
        let passed = own - barred - own_behind;
        self.passed[us.index()] = passed;
        let files = fill(fill(own, us), them);
        let beside = files.east() | files.west();

        let weak = home(us) - self.reach[us.index()];
        sink.add(us, WEAK_SQUARES, weak.count() as i32);
        sink.add(us, WEAK_SQUARES + 1, (weak & CENTER_FILES).count() as i32);

        for square in own {
            let bit = Bitboard::of(square);
            let rank = square.relative_to(us).rank().index();
            add_psqt(us, Role::Pawn, square, buckets, sink);

            let neighbours = bit.east() | bit.west();
            let supporters = attacks::pawn(them, square) & own;
            let phalanx = (neighbours & own).any();
            let opposed = (fill(bit.forward(us), us) & enemy).any();
            let isolated = (beside & bit).is_empty();
            // Left behind by its friends, with the square ahead in the enemy's hands.
            let stop = bit.forward(us);
            let comrades = fill(neighbours, them) & own;
            let backward =
                !isolated && comrades.is_empty() && (stop & (enemy_attacks | enemy)).any();

            if phalanx {
                sink.add(us, PHALANX + rank, 1);
            }
            if supporters.any() {
                sink.add(us, SUPPORTED + rank, supporters.count() as i32);
            }
            if isolated {
                sink.add(us, ISOLATED, 1);
            }
            if backward {
                sink.add(us, BACKWARD, 1);
            }
            if (isolated || backward) && !opposed {
                sink.add(us, WEAK_UNOPPOSED, 1);
            }
            if (fill(stop, us) & own).any() && supporters.is_empty() {
                sink.add(us, DOUBLED, 1);
            }
            if passed.contains(square) {
                sink.add(us, PASSED + rank, 1);
            } else if !opposed && !own_behind.contains(square) {
                let path = fill(stop, us);
                let guards = ((path.east() | path.west()) & enemy).count();
                let friends = (fill(neighbours, them) & own).count();
                if friends >= guards {
                    sink.add(us, CANDIDATE + rank, 1);
                }
            }
        }
    }
}
