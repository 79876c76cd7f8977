//! The pawns before a king, of both sides.

use super::geometry::fill;
use super::packed::Packed;
use super::sink::{Sink, Sum};
use super::terms::*;
use dyno_chess::{Bitboard, Color, File, Position, Role, Square};

/// What the pawns do for a king: kept with the pawns, as kings move less often than other pieces.
#[derive(Clone, Copy, Default)]
pub struct Shelter {
    /// Where the king is.
    king: Option<Square>,
    /// How many files before it are open.
    open: u8,
    /// The sum of the terms.
    score: Packed,
}

impl Shelter {
    /// Works out the shelter of a side's king, unless that was done before; returns its score and
    /// the number of open files.
    #[inline(always)]
    pub fn update(&mut self, pos: &Position, us: Color) -> (Packed, i32) {
        let king = pos.king(us);
        if self.king != Some(king) {
            let mut sum = Sum::default();
            let open = add_shelter(pos, us, &mut sum);
            *self = Shelter { king: Some(king), open: open as u8, score: sum.terms[us.index()] };
        }
        (self.score, i32::from(self.open))
    }
}

/// Tells the pawns of both sides on the king's file and the two beside it; returns how many of the
/// files have no own pawn before the king.
#[inline(always)]
pub(super) fn add_shelter<S: Sink>(pos: &Position, us: Color, sink: &mut S) -> i32 {
    let them = !us;
    let king = pos.king(us);
    // Pawns already behind the king neither shelter nor storm it.
    let ahead = fill(Bitboard::rank(king.rank()), us);
    let own = pos.pieces(us, Role::Pawn) & ahead;
    let enemy = pos.pieces(them, Role::Pawn) & ahead;
    let center = king.file().index().clamp(1, 6);
    let mut open = 0;
    for index in center - 1..=center + 1 {
        let file = Bitboard::file(File::new(index));
        let shield = foremost(own & file, them);
        open += i32::from(shield == 0);
        let storm = foremost(enemy & file, them);
        let term = if index == king.file().index() { SHELTER_CENTER } else { SHELTER_SIDE };
        sink.add(us, term + shield, 1);
        let blocked = shield != 0 && storm == shield + 1;
        sink.add(us, if blocked { STORM_BLOCKED } else { STORM } + storm, 1);
    }
    let wing = if king.file() < File::E { 0x0f0f_0f0f_0f0f_0f0f } else { 0xf0f0_f0f0_f0f0_f0f0 };
    if (pos.by_role(Role::Pawn) & Bitboard(wing)).is_empty() {
        sink.add(us, KING_PAWNLESS_WING, 1);
    }
    open
}

/// The rank, as the enemy of `them` counts, of the pawn nearest to that side; 0 for none.
fn foremost(pawns: Bitboard, them: Color) -> usize {
    match them {
        Color::Black => pawns.first().map_or(0, |square| square.rank().index()),
        Color::White => {
            if pawns.is_empty() {
                0
            } else {
                7 - (63 - pawns.0.leading_zeros() as usize) / 8
            }
        }
    }
}
