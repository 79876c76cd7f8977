//! Random games, played side by side on the board under test and on the reference.

use super::{Board, Effort, POSITIONS};
use dyno_chess::{Move, Position, SplitMix64};

/// One step of a walk: the position before, the move, and the moves so far without it.
pub(super) struct Step<'a, B: Board> {
    pub board: &'a mut B,
    pub before: &'a Position,
    pub reference: Move,
    pub mv: &'a B::Move,
    pub start: &'a str,
    pub moves: &'a [String],
}

/// Walks random games and shows every step to `visit`, which makes the move itself and leaves it
/// made; it returns whether to go on with this game. Only moves that both sides know are played,
/// so a wrong generator does not stop the other checks.
pub(super) fn walk<B: Board>(effort: &Effort, mut visit: impl FnMut(Step<'_, B>) -> bool) {
    let mut random = SplitMix64::new(effort.seed);
    for round in 0..effort.walks as usize {
        let start = POSITIONS[round % POSITIONS.len()];
        let (Ok(mut board), Ok(mut position)) = (B::from_fen(start), Position::from_fen(start))
        else {
            continue;
        };
        let mut moves = Vec::new();
        for _ in 0..effort.plies {
            let known: Vec<(B::Move, Move)> = board
                .legal_moves()
                .into_iter()
                .filter_map(|mv| Some((mv.clone(), position.parse_uci(&board.uci(&mv)).ok()?)))
                .collect();
            let Some((mv, reference)) = choose(&known, &position, &mut random) else { break };
            let step =
                Step { board: &mut board, before: &position, reference, mv, start, moves: &moves };
            if !visit(step) {
                break;
            }
            moves.push(position.uci(reference));
            position = position.play(reference);
        }
    }
}

/// A random move, with a liking for the special ones, which are rare and where the bugs are.
fn choose<'a, M>(
    known: &'a [(M, Move)],
    position: &Position,
    random: &mut SplitMix64,
) -> Option<(&'a M, Move)> {
    let special: Vec<&(M, Move)> = known
        .iter()
        .filter(|(_, mv)| {
            !mv.is_normal()
                || position.is_capture(*mv)
                || position.castling_rooks().contains(mv.from())
                || position.play(*mv).en_passant().is_some()
        })
        .collect();
    if !special.is_empty() && random.below(3) == 0 {
        let (mv, reference) = special[random.below(special.len())];
        return Some((mv, *reference));
    }
    let (mv, reference) = known.get(random.below(known.len()))?;
    Some((mv, *reference))
}
