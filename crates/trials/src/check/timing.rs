//! Time: kept, used, and never overstepped. All of it by the engine's own time, which leaves out
//! what a busy machine has kept it waiting, and repeated before it is said.

use super::games::{Clocks, Pace, play};
use super::needs::Need;
use super::outcome::{Finding, Findings, NOTHING_JUDGED};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, search};
use super::{CheckOutcome, Checked, clock_use};
use std::time::Duration;

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

pub(super) fn movetime(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    if let Some(finding) = session.probe(Need::Movetime)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    let warm = session.warm_search()?;
    let exact = session.engine()?.capabilities().exact_movetime;
    let limits: &[u64] = if exact { &[50, 200, 1000] } else { &[1000] };
    let (mut most_over, mut most_unused) = (0.0f64, 0.0f64);
    let mut slow = None;
    for &limit in limits {
        slow = session.too_slow_for(limit)?;
        if slow.is_some() {
            continue;
        }
        for fen in SEARCHED.iter().take(3) {
            let position = format!("position fen {fen}");
            let go = format!("go movetime {limit}");
            let found = middle_of_three(session, &position, &go)?;
            findings.judge();
            let over = ms(found.late);
            let unused = limit as f64 - ms(found.elapsed);
            most_over = most_over.max(over);
            most_unused = most_unused.max(unused);
            if over > SLACK {
                findings.push(overstepped(&found, limit, &warm));
            } else if exact && is_unused(&found, limit) && plays_on(fen) {
                findings.push(left_unused(&found, limit));
            }
        }
    }
    let text = match most_over > 0.0 {
        true => format!("at most {most_over:.1} ms over a movetime"),
        false => "never over a movetime".to_owned(),
    };
    let reason = slow.unwrap_or_else(|| NOTHING_JUDGED.to_owned());
    Ok(findings.outcome_or_skip(text, reason).figure("most over", most_over.max(0.0), "ms").figure(
        "most unused",
        most_unused.max(0.0),
        "ms",
    ))
}

/// What a look at the clock every few thousand nodes may cost.
const SLACK: f64 = 60.0;

/// Whether there is something to think about for a while.
fn plays_on(fen: &str) -> bool {
    fen.split_whitespace().next().is_some_and(|board| board.len() > 30)
}

fn overstepped(found: &Search, limit: u64, warm: &Script) -> Finding {
    let over = ms(found.late);
    let seen = format!("{over:.0} ms over a movetime of {limit}");
    let finding = if over > 1000.0 { Finding::fail(seen) } else { Finding::warn(seen) };
    finding
        .expected(format!("a bestmove within {limit} ms and a few more"))
        .cause("the clock is looked at too rarely, or movetime is taken for a hint")
        .root("oversteps movetime")
        .shown_by(warm.clone().and(found.script()), |replay| {
            let over = ms(replay.late()?);
            (over > SLACK).then(|| format!("{over:.0} ms over"))
        })
        .perhaps_chance()
}

/// One search in time, or else the middle one of three: what overran by chance does so once.
fn middle_of_three(session: &mut Session<'_>, position: &str, go: &str) -> Result<Search, Stop> {
    let mut found = Vec::new();
    while found.len() < 3 {
        let engine = session.engine()?;
        engine.new_game()?;
        let search = search(engine, position, go, Duration::from_secs(8))?;
        // A second and more is not the machine's doing; the finding is tried again anyway.
        let is_hopeless = search.late > Duration::from_secs(1);
        if is_hopeless || (found.is_empty() && ms(search.late) < SLACK) {
            return Ok(search);
        }
        found.push(search);
    }
    found.sort_by_key(|search| search.late);
    Ok(found.swap_remove(1))
}

fn left_unused(found: &Search, limit: u64) -> Finding {
    Finding::warn(format!("movetime {limit}: only {:.0} ms are used", ms(found.elapsed)))
        .expected("the time that was given is used")
        .cause("a margin is taken off that leaves nothing, or movetime is split as if it were the time of a whole game")
        .root("movetime unused")
        .of(found, move |search| {
            is_unused(search, limit).then(|| format!("{:.0} ms", ms(search.elapsed)))
        })
        .every_time()
}

/// Whether most of a movetime is left. An engine keeps a margin, and may begin no iteration that it
/// could not end.
fn is_unused(found: &Search, limit: u64) -> bool {
    // A busy machine stretches a short search, but not up to the limit.
    let (used, limit) = (ms(found.own_time()), limit as f64);
    used < limit / 3.0 && limit - used > 60.0 && ms(found.elapsed) < 0.85 * limit
}

/// Searches again until it is good enough, but no more than so often; the quickest.
fn best_of(
    session: &mut Session<'_>,
    position: &str,
    go: &str,
    tries: u32,
    good: impl Fn(&Search) -> bool,
) -> Result<Search, Stop> {
    let mut best: Option<Search> = None;
    for _ in 0..tries {
        let engine = session.engine()?;
        engine.new_game()?;
        let found = search(engine, position, go, Duration::from_secs(8))?;
        let is_good = good(&found);
        if best.as_ref().is_none_or(|best| (found.late, found.elapsed) < (best.late, best.elapsed))
        {
            best = Some(found);
        }
        // A second and more is not the machine's doing; the finding is tried again anyway.
        let is_hopeless = best.as_ref().is_some_and(|best| best.late > Duration::from_secs(1));
        if is_good || is_hopeless {
            break;
        }
    }
    best.ok_or(Stop::OutOfTime)
}

/// What the pipe and the timer of a system may cost.
const LATE: Duration = Duration::from_millis(15);

/// A clock: what is left to White and to Black, the rest of `go`, and what it is called.
struct Clock {
    name: &'static str,
    left: [u64; 2],
    rest: &'static str,
}

const fn clock(name: &'static str, white: u64, black: u64, rest: &'static str) -> Clock {
    Clock { name, left: [white, black], rest }
}

/// The clocks that are tried, each with White and with Black to move. Unequal ones show an engine
/// that looks at its opponent's.
const CLOCKS: [Clock; 12] = [
    clock("little for White, much for Black", 400, 90_000, ""),
    clock("little for Black, much for White", 90_000, 400, ""),
    clock("400 ms each, but only Black has an increment", 400, 400, " winc 0 binc 5000"),
    clock("400 ms each, but only White has an increment", 400, 400, " winc 5000 binc 0"),
    clock("100 ms each", 100, 100, ""),
    clock("100 ms each, and 3 s to be earned", 100, 100, " winc 3000 binc 3000"),
    clock("50 ms each", 50, 50, ""),
    clock("1 s for one move", 1000, 1000, " movestogo 1"),
    clock("2 s for 10 moves", 2000, 2000, " movestogo 10"),
    clock("2 s for 40 moves", 2000, 2000, " movestogo 40"),
    clock("2 s each and 50 ms a move", 2000, 2000, " winc 50 binc 50"),
    clock("3 s each", 3000, 3000, ""),
];

/// Middlegames with White and with Black to move.
pub(super) const WHITE: &str = SEARCHED[3];
pub(super) const BLACK: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 b - - 0 9";

pub(super) fn clocks(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("clocks");
    // The longest of them all.
    if let Some(why) = session.too_slow_for(3000)? {
        return Ok(CheckOutcome::skip(why));
    }
    clock_use::plenty(session, &findings)?;
    clock_use::whose(session, &findings)?;
    clock_use::promised(session, &findings)?;
    clock_use::overhead(session, &findings)?;
    let seen = look_at_clocks(session, &findings)?;
    Ok(findings.outcome("all kept, for both colours").evidence(seen))
}

fn look_at_clocks(session: &mut Session<'_>, findings: &Findings) -> Result<Vec<String>, Stop> {
    let warm = session.warm_search()?;
    let mut seen = Vec::new();
    for clock in &CLOCKS {
        for (side, fen) in [WHITE, BLACK].into_iter().enumerate() {
            let own = clock.left[side];
            let has_increment = clock.rest.contains("5000")
                && clock.rest.contains(["winc 5000", "binc 5000"][side]);
            // With plenty on the clock or to come, nothing can go wrong quickly.
            if own > 10_000 || has_increment || session.time_is_up() {
                continue;
            }
            if session.too_slow_for(own)?.is_some() {
                continue;
            }
            let position = format!("position fen {fen}");
            let [white, black] = clock.left;
            let go = format!("go wtime {white} btime {black}{}", clock.rest);
            let limit = Duration::from_millis(own);
            let found = best_of(session, &position, &go, 3, |found| found.elapsed <= limit / 2)?;
            findings.judge();
            let used = ms(found.elapsed);
            let name = ["White", "Black"][side];
            seen.push(format!("{}, {name} to move: {used:.0} ms", clock.name));
            let one_move = clock.rest.contains("movestogo 1") && !clock.rest.contains("10");
            if found.overran || found.late > LATE {
                findings.push(lost_on_time(&found, clock, side, &warm));
            } else if one_move && clock_use::keeps_no_margin(&found).is_some() {
                findings.push(clock_use::no_margin(&found));
            } else if used > 0.6 * own as f64 && own > 500 && !one_move {
                findings.push(
                    Finding::warn(format!(
                        "{}, {name} to move: {used:.0} ms are spent on one move",
                        clock.name
                    ))
                    .expected("something is left for the moves to come")
                    .cause("the time is not divided by the moves to come")
                    .root("greedy clock")
                    .of(&found, move |search| {
                        let used = ms(search.elapsed);
                        (used > 0.6 * own as f64).then(|| format!("{used:.0} ms"))
                    })
                    .every_time(),
                );
            }
        }
    }
    Ok(seen)
}

fn lost_on_time(found: &Search, clock: &Clock, side: usize, warm: &Script) -> Finding {
    let (own, other) = (clock.left[side], clock.left[1 - side]);
    let name = ["White", "Black"][side];
    let used = ms(found.elapsed);
    let cause = if other > 10 * own || clock.rest.contains("5000") {
        "the opponent's clock or increment is read instead of the own one"
    } else if clock.rest.contains("3000") {
        "the increment is spent before it is earned: cap the time for a move by what is on the clock"
    } else {
        "no margin is kept, the increment is spent before it is earned, or movestogo is ignored"
    };
    let seen = format!(
        "loses on time ({}, {name} to move): takes {used:.0} ms with {own} ms on its clock",
        clock.name
    );
    // No game should come to this.
    let finding = if own < 100 { Finding::warn(seen) } else { Finding::fail(seen) };
    finding
        .expected(format!("a bestmove well within {own} ms"))
        .cause(cause)
        .root("loses on time")
        .shown_by(warm.clone().and(found.script()), |replay| {
            let late = replay.late()?;
            (late > LATE).then(|| format!("{:.0} ms too late", ms(late)))
        })
        .every_time()
}

pub(super) fn nodes(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    if let Some(finding) = session.probe(Need::Nodes)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    let speed = session.reach()?.speed.unwrap_or(10_000.0);
    let mut most_beyond = 0;
    for limit in [1_000u64, 20_000, 100_000] {
        // What takes longer than half a second is out of a slow engine's reach.
        if limit as f64 > speed / 2.0 && findings.judged() > 0 {
            break;
        }
        for fen in SEARCHED.iter().take(3) {
            let engine = session.engine()?;
            engine.new_game()?;
            let position = format!("position fen {fen}");
            let go = format!("go nodes {limit}");
            let found = search(engine, &position, &go, Duration::from_secs(6))?;
            let Some(nodes) = found.nodes().filter(|_| !found.overran) else { continue };
            findings.judge();
            most_beyond = most_beyond.max(nodes.saturating_sub(limit));
            if let Some(seen) = beyond(nodes, limit) {
                let grave = nodes > 3 * limit && nodes - limit > 50_000;
                let seen = format!("go nodes {limit} {seen}");
                let finding = if grave { Finding::fail(seen) } else { Finding::warn(seen) };
                findings.push(
                    finding
                        .expected(format!("an end at about {limit} nodes"))
                        .cause("nodes are compared only after an iteration: compare where the clock is looked at")
                        .root("ignores nodes")
                        .of(&found, move |search| beyond(search.nodes()?, limit)),
                );
            }
        }
    }
    Ok(findings
        .outcome_or_skip(
            format!("node limits are kept; at most {most_beyond} nodes beyond"),
            "the engine does not tell its nodes",
        )
        .figure("most beyond", most_beyond as f64, "nodes"))
}

/// How far a search has gone beyond its node limit, if far.
fn beyond(nodes: u64, limit: u64) -> Option<String> {
    let more = nodes.saturating_sub(limit);
    (more > 10_000 && nodes as f64 > 1.2 * limit as f64)
        .then(|| format!("is not kept: {nodes} nodes"))
}

pub(super) fn fast_games(session: &mut Session<'_>) -> Checked {
    let games = session.profile().choose(4, 20, 100);
    let findings = session.findings("moves");
    // A second and a hundredth a move is enough for a game of a hundred short searches.
    if let Some(why) = session.too_slow_for(200)? {
        return Ok(CheckOutcome::skip(why));
    }
    let clocks = Clocks { base_ms: 1000, increment_ms: 10 };
    let played = play(session, &findings, games, &Pace::Clock(clocks))?;
    let text = format!("no loss on time at 1+0.01 in {played} games");
    Ok(findings.outcome_or_skip(text, "the games ended at once").figure(
        "games",
        f64::from(played),
        "",
    ))
}
