//! Time: kept, used, and never overstepped.

use super::positions::SEARCHED;
use super::session::Session;
use super::stability::{Pace, self_play};
use super::transcript::search;
use super::{CheckOutcome, Verdict};
use dyno_driver::EngineError;
use dyno_tournament::FaultKind;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn movetime(session: &mut Session<'_>) -> Checked {
    let mut worst_over = (f64::MIN, 0, "");
    let mut worst_under = (f64::MIN, 0, "");
    let exact = session.engine()?.capabilities().exact_movetime;
    let limits: &[u64] = if exact { &[50, 200, 500] } else { &[1000] };
    for &limit in limits {
        for fen in SEARCHED.iter().take(4) {
            let text = format!("position fen {fen}");
            let go = format!("go movetime {limit}");
            let found =
                search(session.engine()?, &text, &go, Duration::from_millis(2 * limit + 5000))?;
            let over = ms(found.elapsed) - limit as f64;
            if over > worst_over.0 {
                worst_over = (over, limit, fen);
            }
            if -over > worst_under.0 {
                worst_under = (-over, limit, fen);
            }
        }
    }
    let (over, limit, fen) = worst_over;
    let (under, under_limit, _) = worst_under;
    let how = [format!("position fen {fen}"), format!("go movetime {limit}")];
    let text = match over > 0.0 {
        true => format!("at most {over:.1} ms over a movetime"),
        false => "never over a movetime".to_owned(),
    };
    Ok(if over > 1000.0 {
        CheckOutcome::fail(format!("{over:.0} ms over a movetime of {limit}"))
    } else if over > 60.0 {
        CheckOutcome::warn(format!("{over:.0} ms over a movetime of {limit}"))
    } else if under > 0.5 * under_limit as f64 && exact {
        CheckOutcome::warn(format!(
            "{text}, but up to {under:.0} ms of {under_limit} are left unused"
        ))
    } else {
        CheckOutcome::pass(text)
    }
    .figure("most over", over.max(0.0), "ms")
    .figure("most unused", under.max(0.0), "ms")
    .reproduce(how))
}

pub(super) fn clock(session: &mut Session<'_>) -> Checked {
    let cases = [
        ("sudden death, 3 s", "go wtime 3000 btime 3000", 3000.0),
        ("2 s and 50 ms a move", "go wtime 2000 btime 2000 winc 50 binc 50", 2000.0),
        ("2 s for 10 moves", "go wtime 2000 btime 2000 movestogo 10", 2000.0),
        ("1 s for one move", "go wtime 1000 btime 1000 movestogo 1", 1000.0),
        ("100 ms left", "go wtime 100 btime 100", 100.0),
        ("20 ms left, 10 ms a move", "go wtime 20 btime 20 winc 10 binc 10", 20.0),
    ];
    let position = format!("position fen {}", SEARCHED[3]);
    let mut lost = Vec::new();
    let mut greedy = Vec::new();
    let mut seen = Vec::new();
    let mut asked = Vec::new();
    for (name, go, left) in cases {
        let engine = session.engine()?;
        engine.new_game()?;
        let found = search(engine, &position, go, Duration::from_secs(8))?;
        let used = ms(found.elapsed);
        seen.push(format!("{name}: {used:.0} ms"));
        // With next to nothing left, a hiccup of the machine looks like the engine's fault.
        if used > left && left <= 100.0 {
            if used > left + 25.0 {
                greedy.push(format!("{name}: took {used:.0} ms"));
            }
        } else if used > left {
            lost.push(format!("{name}: took {used:.0} ms"));
            asked = vec![position.clone(), go.into()];
        } else if used > 0.6 * left && left > 500.0 && !go.contains("movestogo 1") {
            greedy.push(format!("{name}: took {used:.0} ms for one move"));
        }
    }
    Ok(if !lost.is_empty() {
        CheckOutcome::fail(format!("would lose on time: {}", lost[0])).evidence(lost)
    } else if !greedy.is_empty() {
        CheckOutcome::warn(format!("careless with its clock: {}", greedy[0])).evidence(greedy)
    } else {
        CheckOutcome::pass(format!("{} kinds of clocks, all kept", cases.len())).evidence(seen)
    }
    .reproduce(asked))
}

pub(super) fn nodes(session: &mut Session<'_>) -> Checked {
    let mut worst = (0.0, 0u64, 0u64);
    let mut told = false;
    for limit in [1_000u64, 20_000, 100_000] {
        let go = format!("go nodes {limit}");
        for fen in SEARCHED.iter().take(3) {
            let engine = session.engine()?;
            engine.new_game()?;
            let text = format!("position fen {fen}");
            let found = search(engine, &text, &go, Duration::from_secs(6))?;
            if found.overran {
                let last = found.nodes().map(|n| format!(", {n} nodes on")).unwrap_or_default();
                return Ok(CheckOutcome::fail(format!(
                    "{go} is passed over: still searching after {:.0} s{last}",
                    found.elapsed.as_secs_f64()
                ))
                .reproduce([text, go]));
            }
            if let Some(nodes) = found.nodes() {
                told = true;
                let over = nodes as f64 / limit as f64;
                if over > worst.0 {
                    worst = (over, limit, nodes);
                }
            }
        }
    }
    let (over, limit, nodes) = worst;
    let how = [format!("position fen {}", SEARCHED[0]), format!("go nodes {limit}")];
    let beyond = nodes.saturating_sub(limit);
    Ok(if !told {
        CheckOutcome::skip("the engine does not tell its nodes")
    } else if over > 3.0 && beyond > 50_000 {
        CheckOutcome::fail(format!("go nodes {limit} is not kept: {nodes} nodes"))
    } else if over > 1.2 && beyond > 10_000 {
        CheckOutcome::warn(format!("go nodes {limit} is kept loosely: {nodes} nodes"))
    } else {
        CheckOutcome::pass(format!("node limits are kept; at most {beyond} nodes beyond {limit}"))
    }
    .figure("most beyond", beyond as f64, "nodes")
    .reproduce(how))
}

pub(super) fn fast_games(session: &mut Session<'_>) -> Checked {
    let games = session.profile().choose(4, 20, 100);
    let at_a_time = session.plan.concurrency;
    let (played, mut outcome) = self_play(session, games, Pace::Clock("1+0.01"), at_a_time)?;
    let Some(summary) = played else { return Ok(outcome) };
    let losses: u64 = summary.engines.iter().map(|e| e.fault(FaultKind::TimeLoss)).sum();
    if losses > 0 {
        outcome.verdict = Verdict::Fail;
        outcome.summary = format!("{losses} of {} games at 1+0.01 are lost on time", summary.games);
    } else {
        outcome.verdict = Verdict::Pass;
        outcome.summary = format!("{} games at 1+0.01 without a loss on time", summary.games);
    }
    Ok(outcome.figure("time losses", losses as f64, &format!("of {}", summary.games)))
}
