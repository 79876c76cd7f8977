//! The 960 start positions, by their number.

use crate::position::Wing;
use crate::{Bitboard, Color, File, Position, Rank, Role, Square};

/// The knights' places among the five squares left by bishops and queen, in Scharnagl's order.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// The pieces of the first rank, from the a-file, by Scharnagl's number from 0 to 959; higher
/// numbers start again at 0.
fn back_rank(number: u16) -> [Role; 8] {
    let number = usize::from(number % 960);
    let mut rank = [None; 8];
    rank[number % 4 * 2 + 1] = Some(Role::Bishop);
    rank[number / 4 % 4 * 2] = Some(Role::Bishop);
    let mut place = |nth: usize, role: Role| {
        if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(nth) {
            *square = Some(role);
        }
    };
    place(number / 16 % 6, Role::Queen);
    let (first, second) = KNIGHTS[number / 96];
    // The second is counted with the first already placed.
    place(first, Role::Knight);
    place(second - 1, Role::Knight);
    place(0, Role::Rook);
    place(0, Role::King);
    place(0, Role::Rook);
    rank.map(|role| role.unwrap_or(Role::King))
}

impl Position {
    /// The Chess960 start position of a number from 0 to 959 (518 is the standard one).
    ///
    /// ```
    /// use dyno_chess::Position;
    /// let start = Position::chess960_start(0);
    /// assert_eq!(start.fen(), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    /// assert!(Position::chess960_start(518).is_same(&Position::startpos()));
    /// ```
    pub fn chess960_start(number: u16) -> Position {
        Position::double_chess960_start(number, number)
    }

    /// The start position of double Chess960, where each side has a number of its own.
    pub fn double_chess960_start(white: u16, black: u16) -> Position {
        let mut position = Position::empty();
        for (color, number) in [(Color::White, white), (Color::Black, black)] {
            let home = Rank::First.relative_to(color);
            for (file, role) in File::ALL.into_iter().zip(back_rank(number)) {
                position.put(color, role, Square::new(file, home));
                let second = Rank::Second.relative_to(color);
                position.put(color, Role::Pawn, Square::new(file, second));
                if role == Role::Rook {
                    position.castling |= Bitboard::of(Square::new(file, home));
                }
            }
        }
        position.chess960 = true;
        position.refresh();
        position
    }

    /// The number of the first rank's pieces, if they stand as at the start of a Chess960 game
    /// with all castling rights.
    pub fn chess960_number(&self) -> Option<u16> {
        let both =
            |color| Wing::ALL.into_iter().all(|wing| self.castling_rook(color, wing).is_some());
        if !Color::ALL.into_iter().all(both) {
            return None;
        }
        (0..960).find(|&number| self.is_same(&Position::chess960_start(number)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn numbers_and_positions_belong_together() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..960 {
            let start = Position::chess960_start(number);
            assert_eq!(start.verify(), Ok(()), "{start}");
            assert_eq!(start.chess960_number(), Some(number));
            let again = Position::from_fen(&start.shredder_fen()).unwrap();
            assert_eq!(start, again);
            assert!(seen.insert(start.fen()));
        }
        assert_eq!(
            Position::chess960_start(959).epd(),
            "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq -"
        );
        assert_eq!(Position::startpos().chess960_number(), Some(518));
        let double = Position::double_chess960_start(0, 959);
        assert_eq!(double.fen(), "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
        assert_eq!(double.chess960_number(), None);
    }
}
