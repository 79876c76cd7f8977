//! Which moves give check, asked of many moves of one position.

use dyno_chess::{Bitboard, GenKind, Move, MoveList, Position, Role, Square, attacks};

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

    /// Adds the quiet moves that give check, in the order in which they come among all quiet moves.
    pub fn quiets(&self, pos: &Position, moves: &mut MoveList) {
        let may_castle = (pos.castling_rooks() & pos.by_color(pos.side_to_move())).any();
        if self.screens.any() || may_castle {
            pos.generate_into(GenKind::Quiets, moves);
        } else {
            // Without anything to uncover, a check comes from where the piece arrives.
            let squares = self.from.into_iter().fold(Bitboard::EMPTY, |all, set| all | set);
            pos.quiets_to(squares, moves);
        }
        moves.retain(|mv| self.given_by(pos, mv));
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
                let mut quiets = MoveList::new();
                Checks::new(&next).quiets(&next, &mut quiets);
                let all = next.generate(GenKind::Quiets);
                let checking = all.iter().copied().filter(|&reply| next.gives_check(reply));
                assert_eq!(quiets.to_vec(), checking.collect::<Vec<_>>(), "{next}");
            }
        }
    }
}
