//! Which moves give check, asked of many moves of one position.

use dyno_chess::{Bitboard, Move, Position, Role, Square, attacks};

/// What must be known of the enemy's king to tell checks without playing moves.
pub struct Checks {
    king: Square,
    /// From where a piece of each role gives check.
    from: [Bitboard; 6],
    /// Own pieces whose leaving may uncover a check.
    screens: Bitboard,
}

impl Checks {
    /// Looks at the king of the side not to move.
    pub fn new(pos: &Position) -> Checks {
        let us = pos.side_to_move();
        let king = pos.king(!us);
        let occupied = pos.occupied();
        let diagonal = attacks::bishop(king, occupied);
        let straight = attacks::rook(king, occupied);
        let from = [
            attacks::pawn(!us, king),
            attacks::knight(king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ];
        let queens = pos.pieces(us, Role::Queen);
        let beyond = |sees: fn(Square, Bitboard) -> Bitboard, near: Bitboard, role: Role| {
            let open = occupied - (near & pos.by_color(us));
            (sees(king, open) - near) & (pos.pieces(us, role) | queens)
        };
        let snipers = beyond(attacks::bishop, diagonal, Role::Bishop)
            | beyond(attacks::rook, straight, Role::Rook);
        let screens = snipers
            .into_iter()
            .fold(Bitboard::EMPTY, |set, sniper| set | attacks::between(king, sniper));
        Checks { king, from, screens: screens & pos.by_color(us) }
    }

    /// Whether the move, legal in the position, gives check.
    #[inline]
    pub fn given_by(&self, pos: &Position, mv: Move) -> bool {
        if !mv.is_normal() {
            return pos.play(mv).is_check();
        }
        let (from, to) = (mv.from(), mv.to());
        let Some(role) = pos.role_at(from) else { return false };
        self.from[role.index()].contains(to)
            || (self.screens.contains(from) && !attacks::line(from, self.king).contains(to))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn agrees_with_playing_the_move() {
        for fen in crate::bench::POSITIONS {
            let pos = Position::from_fen(fen).unwrap();
            for mv in pos.legal_moves() {
                let next = pos.play(mv);
                for reply in next.legal_moves() {
                    let told = Checks::new(&next).given_by(&next, reply);
                    assert_eq!(told, next.play(reply).is_check(), "{next} {reply:?}");
                }
            }
        }
    }
}
