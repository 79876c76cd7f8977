//! What shows only after a while, or only with more of something: many searches in one process,
//! long games, several threads.

use super::needs::{Need, stop};
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{listen, search};
use super::{CheckOutcome, Checked};
use dyno_chess::{Position, SplitMix64};
use dyno_uci::OptionKind;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Hundreds of searches in one process: what is counted, cached or allocated once for each of
/// them comes to its end.
pub(super) fn many_searches(session: &mut Session<'_>) -> Checked {
    let most = session.profile().choose(600, 3000, 20_000);
    let findings = session.findings("searches");
    let go = session.least_search()?;
    let patience = session.patience_for_move(3 * SECOND)?;
    let mut engine = session.fresh()?;
    for round in 0..most {
        if session.time_is_up() {
            break;
        }
        let position = format!("position fen {}", SEARCHED[round % SEARCHED.len()]);
        let answer = search(&mut engine, &position, &go, patience);
        // That a position takes long when it is first searched says nothing about their number.
        if round < SEARCHED.len() && matches!(&answer, Ok(found) if found.overran) {
            continue;
        }
        findings.judge();
        let is_slow = answer.as_ref().is_ok_and(|found| found.overran);
        let (seen, mark) = match answer {
            Ok(found) if found.overran => {
                (format!("search {} does not end", round + 1), found.mark.clone())
            }
            Ok(found) => match found.illegal_answer() {
                Some(bad) => (format!("search {}: {bad}", round + 1), found.mark.clone()),
                None => continue,
            },
            Err(stop) => {
                let error = stop.failure()?;
                (format!("search {} of one process: {error}", round + 1), Some(engine.mark()))
            }
        };
        // The same search as often shows it, where it is the number that matters.
        let once = Script::of_search(&format!("position fen {}", SEARCHED[0]), &go);
        let finding = Finding::fail(seen)
                .expected("the hundredth search ends like the first")
                .cause("something that grows or is counted with every search: a history, an age of the table, a list of threads")
                .root(super::MANY_SEARCHES)
                .shown_by(Script::new().repeat(round + 1, once), |replay| {
                    let overran = replay.searches().iter().any(|search| search.overran);
                    replay
                        .exited()
                        .map(str::to_owned)
                        .or_else(|| replay.silent().map(|what| format!("no {what}")))
                        .or_else(|| overran.then(|| "no bestmove".to_owned()))
                        .or_else(|| replay.searches().iter().find_map(|s| s.illegal_answer()))
                })
                .seen_in(mark);
        // Slow once was the machine's doing.
        findings.push(if is_slow { finding.every_time() } else { finding });
        break;
    }
    Ok(findings.outcome("in one process, each like the first"))
}

/// Positions at the end of long games.
pub(super) fn long_games(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("games");
    let go = session.least_search()?;
    let patience = session.patience_for_move(5 * SECOND)?;
    let mut engine = session.fresh()?;
    let game = long_game(session.plan.seed, 2000);
    for plies in [100, 300, 500, 700, 1000, 1500, 2000] {
        let Some(words) = game.get(..plies) else { break };
        let position = format!("position startpos moves {}", words.join(" "));
        let answer = search(&mut engine, &position, &go, patience);
        findings.judge();
        let seen = match answer {
            Ok(found) if found.overran => Some("the search does not end".to_owned()),
            Ok(found) => found.illegal_answer(),
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        let Some(seen) = seen else { continue };
        // The longest games of tournaments have some 600 half-moves.
        let seen = format!("after {plies} half-moves ({} characters): {seen}", position.len());
        let finding = if plies <= 700 { Finding::fail(seen) } else { Finding::warn(seen) };
        findings.push(
            finding
                .expected("the same as after the first move")
                .cause("a fixed buffer for the line or for the moves of the game: read lines of any length, and let the list of positions grow")
                .root("long games")
                .shown_by(Script::of_search(&position, &go), |replay| {
                    replay
                        .exited()
                        .map(str::to_owned)
                        .or_else(|| replay.silent().map(|what| format!("no {what}")))
                        .or_else(|| replay.last_search()?.illegal_answer())
                }),
        );
        break;
    }
    Ok(findings.outcome("games of up to 2000 half-moves are taken"))
}

/// A legal game that does not end: no mate, no stalemate, and a capture or pawn's move whenever
/// fifty moves are near.
fn long_game(seed: u64, plies: usize) -> Vec<String> {
    let mut random = SplitMix64::new(seed ^ 0x10_9A3E);
    let (mut here, mut words) = (Position::startpos(), Vec::new());
    while words.len() < plies {
        let moves = here.legal_moves();
        let lives = |next: &Position| next.has_legal_move() && next.outcome().is_none();
        let late = here.halfmove_clock() > 80;
        let mut choices: Vec<_> =
            moves.iter().copied().filter(|mv| lives(&here.play(*mv))).collect();
        // Captures and pawn moves are few: they are kept for when they are needed.
        let resets = |mv: &dyno_chess::Move| here.play(*mv).halfmove_clock() == 0;
        let wanted: Vec<_> = choices.iter().copied().filter(|mv| resets(mv) == late).collect();
        if !wanted.is_empty() {
            choices = wanted;
        }
        let Some(mv) = choices.get(random.below(choices.len().max(1))) else { break };
        words.push(here.uci(*mv));
        here = here.play(*mv);
    }
    words
}

/// Several threads: legal moves, an end when told, and nothing left behind when set back to one.
pub(super) fn threads(session: &mut Session<'_>) -> Checked {
    let option = session.engine()?.option("Threads").map(|option| option.kind.clone());
    let most = match option {
        Some(OptionKind::Spin { max, .. }) if max > 1 => max,
        _ => return Ok(CheckOutcome::skip("the engine has no option Threads beyond 1")),
    };
    let findings = session.findings("searches");
    let depth = session.depth_within(20)?.unwrap_or(1);
    let patience = session.patience_for_move(5 * SECOND)?;
    for threads in [2, 4.min(most), 1] {
        let set = format!("setoption name Threads value {threads}");
        let mut engine = session.fresh()?;
        engine.send_line(&set)?;
        engine.is_ready(10 * SECOND)?;
        for (number, fen) in SEARCHED.iter().enumerate() {
            if session.time_is_up() && number > 2 {
                break;
            }
            let position = format!("position fen {fen}");
            let go = [format!("go depth {depth}"), "go movetime 30".to_owned()][number % 2].clone();
            let found = search(&mut engine, &position, &go, patience)?;
            findings.judge();
            let overran = found.overran.then(|| "the search does not end".to_owned());
            if let Some(bad) = overran.or_else(|| found.illegal_answer()) {
                let script = Script::new().ask(&set).search(&position, &go);
                findings.push(
                    Finding::fail(format!("with {threads} threads, `{go}`: {bad}"))
                        .expected("a legal move, as with one thread")
                        .cause("the threads share something that each should have for itself, or the first does not wait for the others")
                        .root("threads")
                        .shown_by(script, |replay| {
                            let last = replay.last_search()?;
                            last.overran
                                .then(|| "no bestmove".to_owned())
                                .or_else(|| last.illegal_answer())
                        })
                        .seen_in(found.mark.clone()),
                );
                return Ok(findings.outcome(""));
            }
        }
        stopped_often(session, &findings, &mut engine, &set)?;
    }
    Ok(findings.outcome("legal moves with 2 and more threads, and on stop"))
}

fn stopped_often(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut super::engine::TestedEngine,
    set: &str,
) -> Result<(), Stop> {
    if session.broken(Need::Stop)?.is_some() || session.broken(Need::Infinite)?.is_some() {
        return Ok(());
    }
    for wait in [0, 5, 20, 0, 5, 20] {
        engine.send_line("position startpos\ngo infinite")?;
        if wait > 0 {
            listen(engine, Duration::from_millis(wait))?;
        }
        findings.judge();
        if let Err(stopped) = stop(engine) {
            let error = stopped.failure()?;
            let script = Script::new()
                .ask(set)
                .send("position startpos")
                .send("go infinite")
                .pause(wait)
                .send("stop")
                .best_move();
            findings.push(
                Finding::fail(format!("after `{set}`, go infinite and stop: {error}"))
                    .expected("a bestmove as soon as possible")
                    .cause("a helper thread that misses the stop, or is waited for without an end")
                    .root("threads")
                    .shown_by(script, |replay| {
                        let down = replay.exited().map(str::to_owned);
                        down.or_else(|| replay.silent().map(|what| format!("no {what}")))
                    })
                    .seen_in(Some(engine.mark())),
            );
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_game_is_legal_and_long() {
        let words = long_game(1, 2000);
        assert_eq!(words.len(), 2000);
        let mut here = Position::startpos();
        for word in &words {
            here = here.play(here.parse_uci(word).unwrap_or_else(|e| panic!("{word}: {e}")));
            assert!(here.halfmove_clock() <= 100 && here.has_legal_move());
        }
    }
}
