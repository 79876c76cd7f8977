//! Search consistency: the same question, the same answer.

use super::CheckOutcome;
use super::engine::TestedEngine;
use super::positions::{MATES, SEARCHED};
use super::session::Session;
use super::transcript::{search, until_ready};
use dyno_chess::Position;
use dyno_driver::EngineError;
use dyno_uci::Score;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn determinism(session: &mut Session<'_>) -> Checked {
    let mut depth = session.profile().choose(9, 11, 13);
    let mut differing = Vec::new();
    let mut asked = Vec::new();
    let mut compared = 0;
    for fen in SEARCHED {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {fen}");
        let go = format!("go depth {depth}");
        let mut answers = Vec::new();
        for _ in 0..2 {
            let engine = session.engine()?;
            engine.new_game()?;
            until_ready(engine, Duration::from_secs(10))?;
            let found = search(engine, &text, &go, Duration::from_secs(3))?;
            if found.overran {
                depth = 5.min(depth);
                break;
            }
            answers.push((found.best.clone(), found.score(), found.nodes()));
        }
        let [a, b] = &answers[..] else { continue };
        compared += 1;
        if a != b {
            let shown = |(best, score, nodes): &(String, Option<Score>, Option<u64>)| {
                format!("{best}, {}, {} nodes", told(*score), nodes.unwrap_or(0))
            };
            differing.push(format!("{}; then {}: {fen}", shown(a), shown(b)));
            if asked.is_empty() {
                let once = ["ucinewgame".to_owned(), "isready".to_owned(), text, go];
                asked = once.iter().chain(&once).cloned().collect();
            }
        }
    }
    Ok(if compared == 0 {
        CheckOutcome::skip(format!("no search to depth {depth} ended in time"))
    } else if differing.is_empty() {
        CheckOutcome::pass(format!(
            "the same move, score and node count twice in {compared} positions, at depth {depth} after ucinewgame"
        ))
    } else {
        CheckOutcome::warn(format!(
            "{} of {compared} positions are searched differently after ucinewgame: something is not cleared, or is random",
            differing.len()
        ))
        .evidence(differing)
    }
    .reproduce(asked))
}

/// A score in the words of the protocol.
fn told(score: Option<Score>) -> String {
    match score {
        Some(Score::Cp(cp)) => format!("cp {cp}"),
        Some(Score::Mate(moves)) => format!("mate {moves}"),
        None => "no score".to_owned(),
    }
}

/// The static evaluation in centipawns, if the engine prints one on `eval`; whether for White or
/// for the side to move is for the engine to choose.
fn static_eval(engine: &mut TestedEngine, position: &str) -> Result<Option<f64>, EngineError> {
    engine.send_line(&format!("{position}\neval"))?;
    let lines = until_ready(engine, Duration::from_secs(3))?;
    // The last such line is the verdict; the ones before are its parts.
    Ok(lines.iter().rev().find_map(|line| eval_in(line)))
}

/// `Final evaluation  +0.24 (white side)`, `Full eval: 24`, `Evaluation: 24 cp`.
fn eval_in(line: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let about =
        ["final eval", "total eval", "full eval", "static eval", "evaluation:", "eval:", "score:"];
    if !about.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let word = lower
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | ')' | '='))
        .find(|word| word.parse::<f64>().is_ok())?;
    let value: f64 = word.parse().ok()?;
    // Pawns have a decimal point, centipawns have none.
    Some(if word.contains('.') { 100.0 * value } else { value })
}

pub(super) fn path_independence(session: &mut Session<'_>) -> Checked {
    // Equal half-move clocks, too: many evaluations look at them.
    let pairs = [
        ("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6", "e2e4 e7e5 f1c4 g8f6 g1f3 b8c6"),
        ("d2d4 d7d5 c2c4 e7e6 b1c3 g8f6", "c2c4 e7e6 d2d4 d7d5 b1c3 g8f6"),
        ("g1f3 g8f6 b1c3 b8c6 d2d3 d7d6", "b1c3 b8c6 g1f3 g8f6 d2d3 d7d6"),
        ("g1f3 g8f6 f3g1 f6g8 e2e3 e7e6", "e2e3 e7e6"),
    ];
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut by_eval = true;
    for (one, other) in pairs {
        let lines = [one, other].map(|moves| format!("position startpos moves {moves}"));
        let engine = session.engine()?;
        let evals = [static_eval(engine, &lines[0])?, static_eval(engine, &lines[1])?];
        let (a, b) = match evals {
            [Some(a), Some(b)] => (format!("cp {a:.0}"), format!("cp {b:.0}")),
            _ => {
                by_eval = false;
                let mut answers = Vec::new();
                for line in &lines {
                    engine.new_game()?;
                    until_ready(engine, Duration::from_secs(10))?;
                    let found = search(engine, line, "go depth 5", PATIENCE)?;
                    answers.push(format!("{} {}", found.best, told(found.score())));
                }
                (answers[0].clone(), answers[1].clone())
            }
        };
        if a != b {
            wrong.push(format!("{a} after {one}, {b} after {other}"));
            let question = if by_eval { "eval" } else { "go depth 5" };
            asked = vec![lines[0].clone(), question.into(), lines[1].clone(), question.into()];
        }
    }
    let means = if by_eval { "the static evaluation" } else { "a search with cleared tables" };
    Ok(if wrong.is_empty() {
        CheckOutcome::pass(format!("{means} does not depend on the order of moves"))
    } else if by_eval {
        CheckOutcome::fail(format!("{means} depends on the order of moves")).evidence(wrong)
    } else {
        // The repetition history may legitimately differ between the two paths.
        CheckOutcome::warn(format!("{means} depends on the order of moves")).evidence(wrong)
    }
    .reproduce(asked))
}

pub(super) fn mirror(session: &mut Session<'_>) -> Checked {
    let has_eval = static_eval(session.engine()?, "position startpos")?.is_some();
    let question = if has_eval { "eval" } else { "go depth 1" };
    let mut pairs = Vec::new();
    for fen in SEARCHED {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let lines = [position, position.mirrored()].map(|p| format!("position fen {}", p.fen()));
        let engine = session.engine()?;
        let mut ask = |line: &str| match has_eval {
            true => static_eval(engine, line),
            false => shallow(engine, line),
        };
        if let (Some(a), Some(b)) = (ask(&lines[0])?, ask(&lines[1])?) {
            pairs.push((a, b, lines));
        }
    }
    if pairs.is_empty() {
        return Ok(CheckOutcome::skip("the engine tells no evaluation"));
    }
    // Searches tell their score for the side to move; `eval` is for White in most engines.
    let off = |sign: f64| pairs.iter().map(|(a, b, _)| (a - sign * b).abs()).sum::<f64>();
    let sign = if has_eval && off(-1.0) < off(1.0) { -1.0 } else { 1.0 };
    let off: Vec<f64> = pairs.iter().map(|(a, b, _)| a - sign * b).collect();
    if !has_eval {
        return Ok(judge_searches(&pairs, &off));
    }
    // Rounding may leave a hundredth.
    let wrong: Vec<_> = pairs.iter().zip(&off).filter(|(_, off)| off.abs() > 1.5).collect();
    let worst = off.iter().map(|off| off.abs()).fold(0.0, f64::max);
    let count = pairs.len();
    let outcome = if wrong.is_empty() {
        CheckOutcome::pass(format!("{count} evaluations are the same with colours exchanged"))
    } else {
        let text = format!(
            "{} of {count} evaluations differ with colours exchanged, by up to {worst:.0} centipawns",
            wrong.len()
        );
        if worst > 5.0 { CheckOutcome::fail(text) } else { CheckOutcome::warn(text) }
    };
    let first = wrong.first().map(|(pair, _)| commands(pair, question));
    let shown = wrong.iter().map(|(pair, _)| exchanged(pair));
    Ok(outcome.evidence(shown).reproduce(first.into_iter().flatten()))
}

/// Two scores, and the positions they are of: one with colours exchanged of the other.
type Pair = (f64, f64, [String; 2]);

/// Searches order moves differently for the two colours, and so prune differently; only a leaning
/// to one colour in most positions is the evaluation's.
fn judge_searches(pairs: &[Pair], off: &[f64]) -> CheckOutcome {
    let for_white = pairs.iter().zip(off).map(
        |((_, _, lines), off)| {
            if lines[0].contains(" w ") { *off } else { -off }
        },
    );
    let leanings: Vec<f64> = for_white.collect();
    let count = leanings.len();
    let mean = leanings.iter().sum::<f64>() / count as f64;
    let leaning = leanings.iter().filter(|off| off.abs() > 30.0 && **off * mean > 0.0).count();
    if 4 * leaning < 3 * count {
        return CheckOutcome::pass(format!(
            "no `eval`, but searches of depth 1 lean to neither colour in {count} positions"
        ));
    }
    let favoured = if mean > 0.0 { "White" } else { "Black" };
    CheckOutcome::warn(format!(
        "searches of depth 1 favour {favoured} in {leaning} of {count} positions, by {:.0} \
         centipawns on average (there is no `eval` to be sure)",
        mean.abs() / 2.0
    ))
    .evidence(pairs.iter().map(exchanged))
    .reproduce(pairs.first().map(|pair| commands(pair, "go depth 1")).into_iter().flatten())
}

fn exchanged((a, b, lines): &Pair) -> String {
    let fen = lines[0].trim_start_matches("position fen ");
    format!("cp {a:.0}, with colours exchanged cp {b:.0}: {fen}")
}

fn commands((_, _, lines): &Pair, question: &str) -> [String; 4] {
    [lines[0].clone(), question.to_owned(), lines[1].clone(), question.to_owned()]
}

/// The score of the shallowest search: the nearest to an evaluation that every engine tells.
fn shallow(engine: &mut TestedEngine, position: &str) -> Result<Option<f64>, EngineError> {
    engine.new_game()?;
    until_ready(engine, Duration::from_secs(10))?;
    let found = search(engine, position, "go depth 1", PATIENCE)?;
    let mut scores = found.thoughts.iter().filter(|t| t.depth == Some(1) && t.exact);
    Ok(match scores.find_map(|t| t.score) {
        Some(Score::Cp(cp)) => Some(f64::from(cp)),
        _ => None,
    })
}

pub(super) fn depth_scores(session: &mut Session<'_>) -> Checked {
    // Quiet positions, where nothing should change much from depth to depth.
    let quiet = [SEARCHED[0], SEARCHED[5], SEARCHED[6], SEARCHED[7]];
    let mut jumps = Vec::new();
    let mut asked = Vec::new();
    for fen in quiet {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, "go depth 9", PATIENCE)?;
        let mut by_depth: Vec<(u32, i32)> = Vec::new();
        for thought in found.thoughts.iter().filter(|t| t.exact && t.multipv == 1) {
            if let (Some(depth), Some(Score::Cp(score))) = (thought.depth, thought.score) {
                by_depth.retain(|(known, _)| *known != depth);
                by_depth.push((depth, score));
            }
        }
        for pair in by_depth.windows(2) {
            if pair[0].0 >= 2 && (pair[0].1 - pair[1].1).abs() > 250 {
                jumps.push(format!(
                    "{} at depth {}, {} at depth {}: {fen}",
                    pair[0].1, pair[0].0, pair[1].1, pair[1].0
                ));
                if asked.is_empty() {
                    asked.clone_from(&found.asked);
                }
            }
        }
    }
    Ok(if jumps.is_empty() {
        CheckOutcome::pass("scores of quiet positions stay within 2.5 pawns from depth to depth")
    } else {
        CheckOutcome::warn(format!("{} jumps of more than 2.5 pawns between depths of quiet positions: a lost sign shows so", jumps.len()))
            .evidence(jumps)
    }
    .reproduce(asked))
}

pub(super) fn mate_kept(session: &mut Session<'_>) -> Checked {
    let mut lost = Vec::new();
    let mut asked = Vec::new();
    let mut seen = 0;
    for (moves, fen) in MATES {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, "go depth 10", Duration::from_secs(2))?;
        let mut mate: Option<(u32, i32)> = None;
        for thought in
            found.thoughts.iter().filter(|t| t.exact && t.multipv == 1 && !t.pv.is_empty())
        {
            match (thought.depth, thought.score) {
                (Some(depth), Some(Score::Mate(n))) if n > 0 => {
                    if mate.is_none() {
                        seen += 1;
                    }
                    mate = Some((depth, n));
                }
                (Some(depth), Some(score)) => {
                    if let Some((at, n)) = mate
                        && depth > at
                    {
                        lost.push(format!("mate in {n} at depth {at}, {} at depth {depth} (mate in {moves}): {fen}", told(Some(score))));
                        if asked.is_empty() {
                            asked.clone_from(&found.asked);
                        }
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(if !lost.is_empty() {
        CheckOutcome::fail(format!(
            "{} mates are found and lost again at a greater depth",
            lost.len()
        ))
        .evidence(lost)
    } else if seen == 0 {
        CheckOutcome::warn("no mate was announced in positions with a mate in one to three")
    } else {
        CheckOutcome::pass(format!("{seen} mates found, none lost at a greater depth"))
    }
    .reproduce(asked))
}

#[cfg(test)]
mod tests {
    use super::eval_in;

    #[test]
    fn evaluations_of_real_engines() {
        for (line, cp) in [
            (
                "Final evaluation       +0.24 (white side) [with scaled NNUE, hybrid, ...]",
                Some(24.0),
            ),
            ("Full eval: 24", Some(24.0)),
            ("Total evaluation: -1.50 (white side)", Some(-150.0)),
            ("Incremental mg: 25", None),
            ("Final evaluation: none (in check)", None),
        ] {
            assert_eq!(eval_in(line), cp, "{line}");
        }
    }
}
