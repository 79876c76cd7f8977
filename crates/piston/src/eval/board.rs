//! A position with what the parts of the evaluation share.

use super::geometry::attacked_by_pawns;
use super::king_bucket::KingBucket;
use super::pawns::Pawns;
use dyno_chess::{Bitboard, Color, Position, Role, attacks};

/// What the parts of the evaluation share.
pub(super) struct Board<'a> {
    pub(super) pos: &'a Position,
    pub(super) occupied: Bitboard,
    pub(super) pawns: &'a Pawns,
    /// The squares each side's pawns attack.
    pub(super) pawn_attacks: [Bitboard; 2],
    /// How many files before each side's king are open.
    pub(super) open: [i32; 2],
    /// The bucket of each side's king.
    pub(super) buckets: [KingBucket; 2],
    /// The squares each side's pieces of each role see.
    pub(super) seen: [[Bitboard; 6]; 2],
    pub(super) seen_by_any: [Bitboard; 2],
    pub(super) seen_by_two: [Bitboard; 2],
    /// The squares that count for mobility.
    pub(super) area: [Bitboard; 2],
    /// The squares around each king.
    pub(super) ring: [Bitboard; 2],
    /// Whether anything sees the ring around each side's king.
    pub(super) in_danger: [bool; 2],
}

impl<'a> Board<'a> {
    #[inline(always)]
    pub(super) fn new(
        pos: &'a Position,
        pawns: &'a Pawns,
        buckets: [KingBucket; 2],
        open: [i32; 2],
    ) -> Board<'a> {
        let mut board = Board {
            pos,
            occupied: pos.occupied(),
            pawns,
            pawn_attacks: [
                attacked_by_pawns(pos, Color::White),
                attacked_by_pawns(pos, Color::Black),
            ],
            open,
            buckets,
            seen: [[Bitboard::EMPTY; 6]; 2],
            seen_by_any: [Bitboard::EMPTY; 2],
            seen_by_two: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            in_danger: [false; 2],
        };
        for us in Color::ALL {
            let own = us.index();
            let king = pos.king(us);
            let around = attacks::king(king);
            let pawn_set = pos.pieces(us, Role::Pawn);
            let from_pawns = board.pawn_attacks[own];
            let ahead = pawn_set.forward(us);
            board.seen[own][Role::Pawn.index()] = from_pawns;
            board.seen[own][Role::King.index()] = around;
            board.seen_by_any[own] = from_pawns | around;
            board.seen_by_two[own] = (from_pawns & around) | (ahead.east() & ahead.west());
            board.ring[own] = around | Bitboard::of(king) | around.forward(us);
            let stuck = pawn_set & board.occupied.forward(!us);
            board.area[own] = !(board.pawn_attacks[1 - own] | stuck | Bitboard::of(king));
        }
        board
    }
}
