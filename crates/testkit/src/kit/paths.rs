//! Path independence and symmetry: what a position is worth does not depend on how it came about
//! or on which side is called White.

use super::walk::walk;
use super::{Board, Check, Effort, Evaluator, Finding, Problem};
use dyno_chess::{Move, Position, SplitMix64};

/// Positions reached by different move orders have equal hash and equal evaluation.
pub fn path_independence<B: Board>(
    evaluator: &mut dyn Evaluator<B>,
    effort: &Effort,
) -> Vec<Finding> {
    let mut random = SplitMix64::new(effort.seed);
    let mut findings = Vec::new();
    for round in 0..effort.walks as usize {
        let start = super::POSITIONS[round % super::POSITIONS.len()];
        let Some((one, other)) = transposition(start, &mut random) else { continue };
        let (Some(mut a), Some(mut b)) = (played::<B>(start, &one), played::<B>(start, &other))
        else {
            continue;
        };
        let mut report = |problem: Problem| {
            let check = Check::PathIndependence;
            findings.push(Finding { check, problem, fen: start.into(), moves: one.clone() });
        };
        if let (Some(x), Some(y)) = (a.hash(), b.hash())
            && x != y
        {
            report(Problem::HashDependsOnPath { other_moves: other.clone(), one: x, other: y });
        }
        let (x, y) = (evaluator.evaluate(&mut a), evaluator.evaluate(&mut b));
        if x != y {
            report(Problem::EvalDependsOnPath { other_moves: other, one: x, other: y });
        }
        if !findings.is_empty() {
            break;
        }
    }
    findings
}

/// Two different move orders from one position to another: a, b, c against c, b, a, with sometimes
/// a move there and back first, so that the paths differ in length too.
fn transposition(start: &str, random: &mut SplitMix64) -> Option<(Vec<String>, Vec<String>)> {
    let first = Position::from_fen(start).ok()?;
    for _ in 0..200 {
        let mut position = first;
        let mut line = Vec::new();
        for _ in 0..3 {
            let moves = position.legal_moves();
            let mv = *moves.get(random.below(moves.len()))?;
            line.push((position.uci(mv), mv));
            position = position.play(mv);
        }
        let [a, b, c] = &line[..] else { return None };
        let turned = [c, b, a];
        let Some(end) = follow(first, turned.iter().map(|(text, _)| text.as_str())) else {
            continue;
        };
        if end.is_same(&position) && a.0 != c.0 {
            let one = line.iter().map(|(text, _)| text.clone()).collect();
            let other = turned.iter().map(|(text, _)| text.clone()).collect();
            return Some(lengthened(&first, one, other, &position));
        }
    }
    None
}

/// Puts a tour there and back of one piece of each side before the first path, where one fits.
fn lengthened(
    first: &Position,
    one: Vec<String>,
    other: Vec<String>,
    end: &Position,
) -> (Vec<String>, Vec<String>) {
    let back = |position: &Position, mv: Move| {
        (mv.is_normal() && !position.is_capture(mv)).then(|| format!("{}{}", mv.to(), mv.from()))
    };
    for a in &first.legal_moves() {
        let after = first.play(a);
        for b in &after.legal_moves() {
            let (Some(back_a), Some(back_b)) = (back(first, a), back(&after, b)) else { continue };
            let tour = [first.uci(a), after.uci(b), back_a, back_b];
            let long: Vec<String> = tour.iter().chain(&one).cloned().collect();
            if follow(*first, long.iter().map(String::as_str)).is_some_and(|p| p.is_same(end)) {
                return (long, other);
            }
        }
    }
    (one, other)
}

fn follow<'a>(mut position: Position, words: impl Iterator<Item = &'a str>) -> Option<Position> {
    for word in words {
        position = position.play(position.parse_uci(word).ok()?);
    }
    Some(position)
}

fn played<B: Board>(start: &str, words: &[String]) -> Option<B> {
    let mut board = B::from_fen(start).ok()?;
    for word in words {
        let mv = board.legal_moves().into_iter().find(|mv| board.uci(mv) == *word)?;
        board.make(&mv);
    }
    Some(board)
}

/// A position and its mirror image, with colours exchanged, have the same evaluation for the side
/// to move.
pub fn mirror<B: Board>(evaluator: &mut dyn Evaluator<B>, effort: &Effort) -> Vec<Finding> {
    let mut findings = Vec::new();
    walk::<B>(effort, |step| {
        step.board.make(step.mv);
        let here = step.before.play(step.reference);
        let (Ok(mut plain), Ok(mut mirrored)) =
            (B::from_fen(&here.fen()), B::from_fen(&here.mirrored().fen()))
        else {
            return true;
        };
        let (score, other) = (evaluator.evaluate(&mut plain), evaluator.evaluate(&mut mirrored));
        if score != other && findings.is_empty() {
            let problem = Problem::EvalNotMirrored { score, mirrored: other };
            findings.push(Finding {
                check: Check::Mirror,
                problem,
                fen: here.fen(),
                moves: vec![],
            });
        }
        findings.is_empty()
    });
    findings
}
