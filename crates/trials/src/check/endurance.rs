//! What shows only after a while, or only with more of something: many searches in one process,
//! long games, several threads.

use super::engine::TestedEngine;
use super::games::{illegal_pv, wrong_line};
use super::needs::{Need, stop};
use super::outcome::{Finding, Findings};
use super::positions::{MATES, SEARCHED};
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::stopping::STOP_LOST;
use super::transcript::{Search, listen, search};
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
    // The longest games of tournaments have some 600 half-moves.
    let long = long_game(session.plan.seed, 2000, true);
    take_game(session, &findings, &long, &[100, 300, 500, 700, 1000, 1500, 2000], 700)?;
    // What only counts since the last capture or pawn move has no end in such a game, either; 150
    // half-moves without one are a draw without a claim.
    let quiet = long_game(session.plan.seed, 1000, false);
    take_game(session, &findings, &quiet, &[110, 145, 250, 500, 1000], 150)?;
    Ok(findings.outcome("games of up to 2000 half-moves are taken"))
}

/// Searches after these numbers of half-moves of a game, of which one of up to `real` may be
/// played.
fn take_game(
    session: &mut Session<'_>,
    findings: &Findings,
    game: &[String],
    lengths: &[usize],
    real: usize,
) -> Result<(), Stop> {
    let go = session.least_search()?;
    let patience = session.patience_for_move(3 * SECOND)?;
    let mut engine = session.fresh()?;
    for &plies in lengths {
        let Some(words) = game.get(..plies) else { break };
        let position = format!("position startpos moves {}", words.join(" "));
        let answer = search(&mut engine, &position, &go, patience);
        findings.judge();
        let is_slow = answer.as_ref().is_ok_and(|found| found.overran);
        let seen = match answer {
            Ok(found) if found.overran => Some("the search does not end".to_owned()),
            Ok(found) => found.illegal_answer(),
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        let Some(seen) = seen else { continue };
        let seen = format!("after {plies} half-moves ({} characters): {seen}", position.len());
        let finding = if plies <= real { Finding::fail(seen) } else { Finding::warn(seen) };
        let finding = finding
            .expected("the same as after the first move")
            .cause("a fixed buffer for the line or for the positions of the game: read lines of any length, and let the list of positions grow")
            .root("long games")
            .shown_by(Script::of_search(&position, &go), |replay| {
                replay
                    .exited()
                    .map(str::to_owned)
                    .or_else(|| replay.silent().map(|what| format!("no {what}")))
                    .or_else(|| replay.last_search()?.illegal_answer())
            });
        // Slow once was the machine's doing.
        findings.push(if is_slow { finding.perhaps_chance() } else { finding });
        break;
    }
    Ok(())
}

/// A legal game that does not end: no mate, no stalemate, and a capture or pawn's move whenever
/// fifty moves are near, or else never.
fn long_game(seed: u64, plies: usize, resets_clock: bool) -> Vec<String> {
    let mut random = SplitMix64::new(seed ^ 0x10_9A3E);
    let (mut here, mut words) = (Position::startpos(), Vec::new());
    while words.len() < plies {
        let moves = here.legal_moves();
        let can_wait = |next: &Position| {
            next.legal_moves().iter().any(|mv| next.play(*mv).halfmove_clock() > 0)
        };
        let lives = |next: &Position| next.outcome().is_none() && (resets_clock || can_wait(next));
        let late = resets_clock && here.halfmove_clock() > 80;
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

/// Where there is little to look at, a search comes to depths that no array may have room for.
const SHALLOW: [&str; 4] = [
    "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    "8/8/8/1k1p1p2/1p1P1P2/1P1K4/8/8 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/8/8/3k4/8/8/4K2R w K - 0 1",
];

/// Deep searches with long lines.
pub(super) fn deep_searches(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let go = format!("go movetime {}", session.profile().choose(600, 3000, 20_000));
    for fen in SHALLOW {
        if session.time_is_up() {
            break;
        }
        let position = format!("position fen {fen}");
        let mut engine = session.fresh()?;
        let answer = search(&mut engine, &position, &go, 25 * SECOND);
        findings.judge();
        let seen = match answer {
            Ok(found) => {
                if let Some(bad) = illegal_pv(&found) {
                    findings.push(wrong_line(&found, bad));
                }
                found.illegal_answer()
            }
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        let Some(seen) = seen else { continue };
        findings.push(
            Finding::fail(format!("`{go}`, where there is little to look at: {seen}"))
                .expected("a legal move, however deep the search")
                .cause("an array by depth or ply, or a buffer for the line, that a deep search writes beyond")
                .root("deep searches")
                .board_of(fen)
                .shown_by(Script::of_search(&position, &go), move |replay| {
                    let silent = replay.silent().map(|what| format!("no {what}"));
                    let down = replay.exited().map(str::to_owned).or(silent);
                    down.or_else(|| replay.last_search()?.illegal_answer())
                }),
        );
    }
    Ok(findings.outcome("every one ends, with legal lines"))
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
        if !stopped_often(session, &findings, &mut engine, &set)? {
            return Ok(findings.outcome(""));
        }
        if threads > 1 {
            plays_well(session, &findings, &mut engine, &set)?;
        }
    }
    Ok(findings.outcome("legal moves with 2 and more threads, and on stop"))
}

/// How often a mate is asked for: what several threads do is not the same each time.
const AGAIN: usize = 4;

/// A mate in one that is played with one thread is played with several.
fn plays_well(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    set: &str,
) -> Result<(), Stop> {
    let depth = session.depth_within(50)?.unwrap_or(3).clamp(3, 6);
    let go = format!("go depth {depth}");
    for (_, fen) in MATES.iter().filter(|(moves, _)| *moves == 1) {
        let position = format!("position fen {fen}");
        let alone = search(session.engine()?, &position, &go, 5 * SECOND)?;
        if misses_mate(&alone).is_some() {
            continue;
        }
        for _ in 0..AGAIN {
            if session.time_is_up() {
                return Ok(());
            }
            let found = search(engine, &position, &go, 5 * SECOND)?;
            findings.judge();
            let Some(seen) = misses_mate(&found) else { continue };
            let again = Script::of_search(&position, &go);
            findings.push(
                Finding::fail(format!("after `{set}`, `{go}`: {seen}"))
                    .expected(format!("bestmove {}, as with one thread", alone.best))
                    .cause("the move of a thread that has hardly begun, or of another search, is taken: vote among the threads by depth and score, or play the first one's")
                    .board_of(fen)
                    .root("threads play worse")
                    .shown_by(Script::new().ask(set).repeat(5 * AGAIN, again), |replay| {
                        replay.searches().iter().find_map(misses_mate)
                    }),
            );
            return Ok(());
        }
    }
    Ok(())
}

/// A search that has not chosen a mate in one.
fn misses_mate(found: &Search) -> Option<String> {
    let position = found.position()?;
    let mates = |mv| position.play(mv).is_checkmate();
    let played = position.parse_uci(&found.best).is_ok_and(mates);
    let best = &found.best;
    (!played && !found.overran).then(|| format!("bestmove {best}, though there is a mate in one"))
}

/// Stops searches soon after they began; whether each ended, so that the engine can be asked more.
fn stopped_often(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    set: &str,
) -> Result<bool, Stop> {
    if session.broken(Need::Stop)?.is_some() || session.broken(Need::Infinite)?.is_some() {
        return Ok(true);
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
            let finding = Finding::fail(format!("after `{set}`, go infinite and stop: {error}"))
                .expected("a bestmove as soon as possible")
                .cause("a helper thread that misses the stop, or is waited for without an end")
                .root("threads")
                .shown_by(script, |replay| {
                    let down = replay.exited().map(str::to_owned);
                    down.or_else(|| replay.silent().map(|what| format!("no {what}")))
                })
                .seen_in(Some(engine.mark()));
            // One thread may lose it as well.
            findings.push(if wait == 0 { finding.root(STOP_LOST) } else { finding });
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock_after(words: &[String]) -> u32 {
        let play = |here: Position, word: &String| {
            here.play(here.parse_uci(word).unwrap_or_else(|e| panic!("{word}: {e}")))
        };
        words.iter().fold(Position::startpos(), play).halfmove_clock()
    }

    #[test]
    fn the_long_game_is_legal_and_long() {
        let words = long_game(1, 2000, true);
        assert_eq!(words.len(), 2000);
        assert_eq!(clock_after(&long_game(1, 1000, false)), 1000);
        let mut here = Position::startpos();
        for word in &words {
            here = here.play(here.parse_uci(word).unwrap_or_else(|e| panic!("{word}: {e}")));
            assert!(here.halfmove_clock() <= 100 && here.has_legal_move());
        }
    }
}
