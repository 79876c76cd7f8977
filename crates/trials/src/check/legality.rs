//! Legality: perft where the engine has it, and legal answers everywhere.

use super::Outcome;
use super::lab::Lab;
use super::limits::illegal_in;
use super::positions::{CHESS960, ENDED, SEARCHED, SPECIAL, random_positions};
use super::talk::{search, until_ready};
use crate::hunt::{self, AskError, Job};
use dyno_chess::{Position, perft};
use dyno_driver::EngineError;
use std::time::Duration;

type Checked = Result<Outcome, EngineError>;

/// Positions that between them need every rule.
const PERFT: &[(&str, &str)] = &[
    ("start position", dyno_chess::STARTPOS),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    ("position 4 mirrored", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1"),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    ("promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    ("rook taken in its corner", "4k3/8/8/8/8/8/6b1/4K2R b K - 0 1"),
    ("double check", "4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1"),
    ("king there and back", "7k/7p/7P/8/8/8/7P/4K2R w K - 0 1"),
    ("rook crosses an attacked square", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1"),
    ("in check with castling rights", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1"),
    ("pawn on the third rank", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1"),
];

pub(super) fn perft_counts(lab: &mut Lab<'_>) -> Checked {
    let most = lab.profile().choose(100_000, 1_000_000, 10_000_000);
    let mut jobs = Vec::new();
    let variant = lab.engine()?.option("UCI_Chess960").is_some();
    let chess960 = CHESS960.iter().map(|fen| ("Chess960", *fen)).filter(|_| variant);
    for (name, fen) in PERFT.iter().copied().chain(chess960) {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut depth = 1;
        while depth < 6 && perft::perft(&position, depth + 1) <= most {
            depth += 1;
        }
        jobs.push(Job { name: name.into(), position, depth });
    }
    let result = match hunt::run(lab.engine()?, &jobs, |_| {}) {
        Ok(result) => result,
        Err(AskError::NoPerft { why }) => {
            lab.perft = Some(None);
            return Ok(Outcome::skip(format!("the engine has no perft: {why}")));
        }
        Err(AskError::Engine(error)) => return Err(error),
        Err(error @ AskError::NoAnswer { .. }) => return Ok(Outcome::fail(error.to_string())),
    };
    lab.perft = Some(Some(result.dialect.clone()));
    let nodes: u64 = result.comparisons.iter().map(|c| c.expected).sum();
    let mut outcome = match result.comparisons.iter().find_map(|c| c.fault.as_ref()) {
        None => {
            Outcome::pass(format!("{} positions, {nodes} leaves, every count right", jobs.len()))
                .reproduce([
                    "position startpos".to_owned(),
                    format!("{} 4", result.dialect.command),
                ])
        }
        Some(fault) => {
            let wrong = fault.surplus.first().map(|w| format!("{} is generated: {}", w.mv, w.why));
            let missing = fault.missing.first().map(|w| format!("{} is missing: {}", w.mv, w.why));
            let count = fault.count.map(|(depth, expected, found)| {
                format!(
                    "perft {depth} is {found} instead of {expected} though every move list is right"
                )
            });
            let what = wrong.or(missing).or(count).unwrap_or_default();
            Outcome::fail(format!(
                "{} of {} positions are counted wrongly; {what}",
                result.faults(),
                jobs.len()
            ))
            .reproduce(fault.reproduce.clone())
        }
    };
    for comparison in &result.comparisons {
        if let Some(fault) = &comparison.fault {
            for wrong in fault.missing.iter().chain(&fault.surplus) {
                outcome.evidence.push(format!(
                    "{}: {} {} [{}]",
                    comparison.name, wrong.mv, wrong.why, fault.fen
                ));
            }
        }
    }
    outcome.evidence.truncate(20);
    Ok(outcome.figure("leaves", nodes as f64, ""))
}

pub(super) fn special_positions(lab: &mut Lab<'_>) -> Checked {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    for (name, fen) in SPECIAL {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let least = lab.engine()?.least_search();
        let deeper = if lab.engine()?.speaks_xboard() { "go movetime 150" } else { "go depth 4" };
        for go in [least, deeper] {
            let text = format!("position fen {fen}");
            lab.said = vec![text.clone(), go.into()];
            let found = search(lab.engine()?, &text, go, Duration::from_secs(10))?;
            let bad_pv = found.thoughts.iter().find_map(|t| illegal_in(&position, &t.pv));
            if position.parse_uci(&found.best).is_err() {
                wrong.push(format!("{name}: bestmove {} is not legal in {fen}", found.best));
            } else if found.best.chars().any(|c| c.is_ascii_uppercase()) {
                wrong.push(format!(
                    "{name}: bestmove {} should be in small letters, in {fen}",
                    found.best
                ));
            } else if let Some(bad) = bad_pv {
                wrong.push(format!("{name}: illegal {bad} in a principal variation in {fen}"));
            } else {
                continue;
            }
            if asked.is_empty() {
                asked = found.asked;
            }
        }
    }
    lab.said.clear();
    Ok(if wrong.is_empty() {
        Outcome::pass(format!("{} special positions, every answer legal", SPECIAL.len()))
    } else {
        Outcome::fail(format!("{} illegal answers in special positions", wrong.len()))
            .evidence(wrong)
    }
    .reproduce(asked))
}

pub(super) fn ended_games(lab: &mut Lab<'_>) -> Checked {
    let mut troubles = Vec::new();
    let mut broken = false;
    for (name, fen) in ENDED {
        let text = format!("position fen {fen}");
        lab.said = vec![text.clone(), "go depth 3".into()];
        let mut engine = lab.fresh()?;
        let failure = match search(&mut engine, &text, "go depth 3", Duration::from_secs(3)) {
            Ok(found) if found.overran => "bestmove only after stop".to_owned(),
            Ok(found)
                if matches!(found.best.as_str(), "(none)" | "0000" | "none" | "NULL" | "a1a1") =>
            {
                continue;
            }
            Ok(found) => {
                broken = true;
                format!("bestmove {} although there is no legal move", found.best)
            }
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(error) => error.to_string(),
        };
        troubles.push(format!("{name} ({fen}): {failure}"));
    }
    let how = [format!("position fen {}", ENDED[0].1), "go depth 3".to_owned()];
    lab.said.clear();
    // The protocol does not say what to answer; only a made-up move is plainly wrong.
    Ok(if troubles.is_empty() {
        Outcome::pass("bestmove (none) or 0000 where the game is over")
    } else if broken {
        Outcome::fail(troubles[0].clone()).evidence(troubles)
    } else {
        Outcome::warn(troubles[0].clone()).evidence(troubles)
    }
    .reproduce(how))
}

pub(super) fn random_games(lab: &mut Lab<'_>) -> Checked {
    let count = lab.profile().choose(2000, 5000, 20_000);
    let positions = random_positions(SEARCHED, count, lab.plan.seed);
    legal_everywhere(lab, &positions, "positions of random games")
}

pub(super) fn chess960(lab: &mut Lab<'_>) -> Checked {
    if lab.engine()?.option("UCI_Chess960").is_none() {
        return Ok(Outcome::skip("the engine does not declare the option UCI_Chess960"));
    }
    let count = lab.profile().choose(300, 2000, 10_000);
    let mut positions = random_positions(CHESS960, count, lab.plan.seed);
    for position in &mut positions {
        position.set_chess960(true);
    }
    let engine = lab.engine()?;
    engine.send_line("setoption name UCI_Chess960 value true")?;
    let outcome = legal_everywhere(lab, &positions, "Chess960 positions");
    let engine = lab.engine()?;
    engine.send_line("setoption name UCI_Chess960 value false")?;
    until_ready(engine, Duration::from_secs(5))?;
    outcome
}

fn legal_everywhere(lab: &mut Lab<'_>, positions: &[Position], what: &str) -> Checked {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut done = 0;
    for position in positions {
        if lab.time_is_up() {
            break;
        }
        done += 1;
        let fen = if position.is_chess960() { position.shredder_fen() } else { position.fen() };
        let text = format!("position fen {fen}");
        let go = lab.engine()?.least_search();
        lab.said = vec![text.clone(), go.into()];
        let found = search(lab.engine()?, &text, go, Duration::from_secs(5))?;
        let ponder = found.ponder.as_ref().filter(|_| found.best.len() >= 4);
        let line: Vec<String> = [found.best.clone()].into_iter().chain(ponder.cloned()).collect();
        if let Some(bad) = illegal_in(position, &line) {
            wrong.push(format!("{bad} is not legal in {fen}"));
            if asked.is_empty() {
                asked = found.asked;
            }
        }
    }
    lab.said.clear();
    Ok(if wrong.is_empty() {
        Outcome::pass(format!("{done} {what}, every bestmove and ponder move legal"))
    } else {
        Outcome::fail(format!("{} illegal answers in {done} {what}", wrong.len())).evidence(wrong)
    }
    .figure("positions", f64::from(done), "")
    .reproduce(asked))
}
