//! Search consistency: the same question, the same answer.

use super::Outcome;
use super::lab::Lab;
use super::positions::{MATES, SEARCHED};
use super::talk::{search, until_ready};
use dyno_chess::Position;
use dyno_driver::{Engine, EngineError};
use dyno_uci::Score;
use std::time::Duration;

type Checked = Result<Outcome, EngineError>;

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn determinism(lab: &mut Lab<'_>) -> Checked {
    let depth = lab.profile().choose(9, 11, 13);
    let go = format!("go depth {depth}");
    let mut differing = Vec::new();
    let mut asked = Vec::new();
    for fen in SEARCHED.iter().take(lab.profile().choose(5, 8, 8)) {
        let text = format!("position fen {fen}");
        let mut answers = Vec::new();
        for _ in 0..2 {
            let engine = lab.engine()?;
            engine.new_game()?;
            until_ready(engine, Duration::from_secs(10))?;
            let found = search(engine, &text, &go, PATIENCE)?;
            if found.overran {
                continue;
            }
            answers.push((found.best.clone(), found.score(), found.nodes()));
        }
        if let [a, b] = &answers[..]
            && a != b
        {
            differing.push(format!(
                "{} {:?} {:?} nodes, then {} {:?} {:?} nodes: {fen}",
                a.0, a.1, a.2, b.0, b.1, b.2
            ));
            if asked.is_empty() {
                asked = vec!["ucinewgame".into(), text, go.clone(), "ucinewgame".into()];
            }
        }
    }
    Ok(if differing.is_empty() {
        Outcome::pass(format!("the same move, score and node count at depth {depth} after ucinewgame"))
    } else {
        Outcome::warn(format!(
            "{} positions are searched differently after ucinewgame: something is not cleared, or is random",
            differing.len()
        ))
        .evidence(differing)
    }
    .reproduce(asked))
}

/// The static evaluation for White, in centipawns, if the engine prints one on `eval`.
fn static_eval(engine: &mut Engine, position: &str) -> Result<Option<f64>, EngineError> {
    engine.send_line(&format!("{position}\neval"))?;
    let lines = until_ready(engine, Duration::from_secs(3))?;
    // The last such line is the verdict; the ones before are its parts.
    Ok(lines.iter().rev().find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let about = ["final evaluation", "total evaluation", "evaluation:", "static eval", "eval:"];
        about.iter().any(|word| lower.contains(word)).then(|| {
            lower
                .split(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | ')'))
                .find_map(|word| word.parse::<f64>().ok())
        })?
    }))
}

pub(super) fn path_independence(lab: &mut Lab<'_>) -> Checked {
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
        let engine = lab.engine()?;
        let evals = [static_eval(engine, &lines[0])?, static_eval(engine, &lines[1])?];
        let (a, b) = match evals {
            [Some(a), Some(b)] => (format!("{a:+.2}"), format!("{b:+.2}")),
            _ => {
                by_eval = false;
                let mut answers = Vec::new();
                for line in &lines {
                    engine.new_game()?;
                    until_ready(engine, Duration::from_secs(10))?;
                    let found = search(engine, line, "go depth 5", PATIENCE)?;
                    answers.push(format!("{} {:?}", found.best, found.score()));
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
        Outcome::pass(format!("{means} does not depend on the order of moves"))
    } else if by_eval {
        Outcome::fail(format!("{means} depends on the order of moves")).evidence(wrong)
    } else {
        // The repetition history may legitimately differ between the two paths.
        Outcome::warn(format!("{means} depends on the order of moves")).evidence(wrong)
    }
    .reproduce(asked))
}

pub(super) fn mirror(lab: &mut Lab<'_>) -> Checked {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut compared = 0;
    for fen in SEARCHED {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let lines = [position, position.mirrored()].map(|p| format!("position fen {}", p.fen()));
        let engine = lab.engine()?;
        let evals = [static_eval(engine, &lines[0])?, static_eval(engine, &lines[1])?];
        let [Some(a), Some(b)] = evals else { continue };
        compared += 1;
        // Rounding to hundredths may leave one.
        if (a + b).abs() > 0.015 {
            wrong.push(format!("{a:+.2} for White, {b:+.2} with colours exchanged: {fen}"));
            if asked.is_empty() {
                asked = vec![lines[0].clone(), "eval".into(), lines[1].clone(), "eval".into()];
            }
        }
    }
    if compared == 0 {
        return Ok(Outcome::skip("the engine prints no evaluation on `eval`"));
    }
    Ok(if wrong.is_empty() {
        Outcome::pass(format!("{compared} positions evaluate the same with colours exchanged"))
    } else {
        Outcome::fail(format!("{} of {compared} evaluations are not symmetric", wrong.len()))
            .evidence(wrong)
    }
    .reproduce(asked))
}

pub(super) fn depth_scores(lab: &mut Lab<'_>) -> Checked {
    // Quiet positions, where nothing should change much from depth to depth.
    let quiet = [SEARCHED[0], SEARCHED[5], SEARCHED[6], SEARCHED[7]];
    let mut jumps = Vec::new();
    let mut asked = Vec::new();
    for fen in quiet {
        let engine = lab.engine()?;
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
        Outcome::pass("scores of quiet positions stay within 2.5 pawns from depth to depth")
    } else {
        Outcome::warn(format!("{} jumps of more than 2.5 pawns between depths of quiet positions: a lost sign shows so", jumps.len()))
            .evidence(jumps)
    }
    .reproduce(asked))
}

pub(super) fn mate_kept(lab: &mut Lab<'_>) -> Checked {
    let mut lost = Vec::new();
    let mut asked = Vec::new();
    let mut seen = 0;
    for (moves, fen) in MATES {
        let engine = lab.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, "go depth 10", Duration::from_secs(5))?;
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
                        lost.push(format!("mate in {n} at depth {at}, {score:?} at depth {depth} (mate in {moves}): {fen}"));
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
        Outcome::fail(format!("{} mates are found and lost again at a greater depth", lost.len()))
            .evidence(lost)
    } else if seen == 0 {
        Outcome::warn("no mate was announced in positions with a mate in one to three")
    } else {
        Outcome::pass(format!("{seen} mates found, none lost at a greater depth"))
    }
    .reproduce(asked))
}
