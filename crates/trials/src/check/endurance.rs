//! What shows only after a while, or only with more of something: many searches in one process,
//! long games, several threads.

use super::Checked;
use super::games::{illegal_pv, wrong_line};
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::search;
use dyno_chess::{Position, SplitMix64};
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
