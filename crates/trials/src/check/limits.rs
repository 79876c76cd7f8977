//! Searches under every limit, and what is said during them.

use super::needs::Need;
use super::outcome::Finding;
use super::positions::{MATES, SEARCHED, STALEMATES};
use super::scores::cleared;
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, search, until_ready};
use super::{CheckOutcome, Checked};
use dyno_chess::Position;
use dyno_solver::{Budget, Solver};
use dyno_uci::{Deviation, Score};
use std::time::Duration;

pub(super) fn every_limit(session: &mut Session<'_>) -> Checked {
    let nodes = format!("go nodes {}", session.node_limit()?.min(1000));
    let limits = [
        "go nodes 1",
        &nodes,
        "go movetime 50",
        "go movetime 1",
        "go mate 1",
        "go wtime 1000 btime 1000",
        "go wtime 500 btime 500 winc 10 binc 10",
        "go wtime 1000 btime 1000 movestogo 5",
        "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
        "go depth 3 nodes 100000 movetime 2000",
    ];
    let findings = session.findings("kinds of limits");
    let nodes_ignored = session.broken(Need::Nodes)?.is_some();
    let movetime_ignored = session.broken(Need::Movetime)?.is_some();
    for (number, go) in limits.into_iter().enumerate() {
        // What does not end at all has a check of its own.
        let ignored = (nodes_ignored && go.starts_with("go nodes"))
            || (movetime_ignored && go.starts_with("go movetime"));
        if ignored {
            continue;
        }
        if session.time_is_up() && number > 4 {
            break;
        }
        let position = format!("position fen {}", SEARCHED[[3, 1, 5][number % 3]]);
        let engine = session.engine()?;
        let found = search(engine, &position, go, Duration::from_secs(4))?;
        let more = until_ready(engine, Duration::from_secs(5))?;
        findings.judge();
        // A search for a mate that is not there may never end.
        if found.overran && !go.starts_with("go mate") {
            let script = Script::of_search(&position, go);
            findings.push(
                Finding::fail(format!("`{go}` does not end by itself within 4 s"))
                    .expected("a bestmove when the limit is reached")
                    .cause("a word of go that is not read, so that the search has no limit")
                    .root(format!("endless {}", kind(go)))
                    .shown_by(script, |replay| {
                        replay.last_search()?.overran.then(|| "no bestmove".to_owned())
                    })
                    .perhaps_chance(),
            );
        } else if let Some(bad) = found.illegal_answer() {
            let finding = Finding::fail(format!("`{go}`: {bad}"))
                .expected("a legal move, however little there is to think with")
                .cause("no move is known before the first iteration ends")
                .root(NO_MOVE_YET)
                .of(&found, |search| search.illegal_answer());
            findings.push(finding);
        }
        if more.iter().any(|line| line.trim().starts_with("bestmove")) {
            let script = Script::of_search(&position, go).ready().pause(100);
            findings.push(
                Finding::fail(format!("`{go}` is answered twice"))
                    .expected("one bestmove for each go")
                    .cause("both the search and what ends it print the move")
                    .root("answers twice")
                    .shown_by(script, |replay| {
                        let count = replay.count("bestmove");
                        (count > 1).then(|| format!("{count} times bestmove"))
                    }),
            );
        }
    }
    Ok(findings.outcome("every kind of limit is answered once, with a legal move"))
}

/// What is wrong with a search that is ended before it has a move.
pub(super) const NO_MOVE_YET: &str = "no move before the first iteration ends";

/// The word that limits a search.
pub(super) fn kind(go: &str) -> &str {
    let mut words = go.split_whitespace().skip(1);
    words.next().unwrap_or_default()
}

fn parse(fen: &str) -> Option<Position> {
    Position::from_fen(fen).ok()
}

pub(super) fn info_lines(session: &mut Session<'_>) -> Checked {
    let Some(depth) = session.depth_within(200)? else {
        return Ok(CheckOutcome::skip("no search of depth 1 ends in time"));
    };
    let depth = depth.min(session.profile().choose(8, 10, 12));
    let findings = session.findings("info lines");
    for fen in SEARCHED {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let position = format!("position fen {fen}");
        let go = format!("go depth {depth}");
        let found = search(engine, &position, &go, Duration::from_secs(3))?;
        findings.judge_many(found.thoughts.len());
        for fault in InfoFault::ALL {
            if let Some(seen) = fault.seen_in(&found) {
                let finding =
                    if fault.is_grave() { Finding::fail(seen) } else { Finding::warn(seen) };
                let finding = finding
                    .expected(fault.expected())
                    .cause(fault.cause())
                    .root(format!("info {fault:?}"))
                    .of(&found, move |search| fault.seen_in(search));
                findings.push(finding);
            }
        }
    }
    Ok(findings.outcome_or_skip(
        "well-formed, depth rising, every PV legal to its end",
        "the engine sends no info lines",
    ))
}

/// What can be wrong with the info lines of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InfoFault {
    IllegalPv,
    Malformed,
    Falling,
    Sloppy,
    OtherMove,
    Hashfull,
    CurrentMove,
    SelectiveDepth,
}

impl InfoFault {
    const ALL: [InfoFault; 8] = [
        InfoFault::IllegalPv,
        InfoFault::Malformed,
        InfoFault::Falling,
        InfoFault::Sloppy,
        InfoFault::OtherMove,
        InfoFault::Hashfull,
        InfoFault::CurrentMove,
        InfoFault::SelectiveDepth,
    ];

    /// Whether it breaks the protocol.
    fn is_grave(self) -> bool {
        matches!(self, InfoFault::IllegalPv | InfoFault::Malformed)
    }

    fn expected(self) -> &'static str {
        match self {
            InfoFault::IllegalPv => "every move of a PV is legal where it stands",
            InfoFault::Malformed => "info lines as the protocol writes them",
            InfoFault::Falling => "depth, nodes and time that never fall within a search",
            InfoFault::Sloppy => "plain numbers and known fields",
            InfoFault::OtherMove => "the first move of the last PV",
            InfoFault::Hashfull => "hashfull from 0 to 1000: it is per mille",
            InfoFault::CurrentMove => "currmove is a legal move of the position that is searched",
            InfoFault::SelectiveDepth => "seldepth is the greatest depth that was reached",
        }
    }

    fn cause(self) -> &'static str {
        match self {
            InfoFault::IllegalPv => {
                "the PV is read from the table after it was overwritten, or a table move of another position is not checked for legality"
            }
            InfoFault::Malformed => "a field without its value, or values in another order",
            InfoFault::Falling => "counters reset between iterations, or a 32-bit overflow",
            InfoFault::Sloppy => "numbers printed with a locale or as signed",
            InfoFault::OtherMove => {
                "bestmove is taken from an iteration that was not finished, or from another table"
            }
            InfoFault::Hashfull => {
                "the count of used entries is not related to the size of the sample"
            }
            InfoFault::CurrentMove => {
                "the move is printed after it was made, or in another notation"
            }
            InfoFault::SelectiveDepth => {
                "seldepth is not counted in every node, or reset while it is still wanted"
            }
        }
    }

    /// What is seen of it in a search.
    fn seen_in(self, found: &Search) -> Option<String> {
        match self {
            InfoFault::IllegalPv => {
                let position = found.position()?;
                found.thoughts.iter().find_map(|t| {
                    let bad = illegal_in(&position, &t.pv)?;
                    Some(format!("illegal {bad} in the PV of: {}", t.line))
                })
            }
            InfoFault::Malformed | InfoFault::Sloppy => found.thoughts.iter().find_map(|t| {
                let is_it = |d: &&Deviation| is_sloppy(d) == (self == InfoFault::Sloppy);
                let deviation = t.deviations.iter().find(is_it)?;
                Some(format!("{deviation}: {}", t.line))
            }),
            InfoFault::Falling => falling(found),
            InfoFault::OtherMove => {
                let mut lines = found.thoughts.iter().rev();
                let last = lines.find(|t| t.multipv == 1 && !t.pv.is_empty())?;
                (last.exact && last.pv[0] != found.best).then(|| {
                    format!("bestmove {} is not the PV's {}: {}", found.best, last.pv[0], last.line)
                })
            }
            InfoFault::Hashfull => found.thoughts.iter().find_map(|t| {
                let told: i64 = field(&t.line, "hashfull")?.parse().ok()?;
                (!(0..=1000).contains(&told)).then(|| format!("hashfull {told}: {}", t.line))
            }),
            InfoFault::CurrentMove => {
                let position = found.position()?;
                found.thoughts.iter().find_map(|t| {
                    let word = field(&t.line, "currmove")?;
                    let is_legal = position.parse_uci(word).is_ok();
                    (!is_legal).then(|| format!("currmove {word} is not legal: {}", t.line))
                })
            }
            InfoFault::SelectiveDepth => always_too_shallow(found),
        }
    }
}

/// The word after another one, but not of a text.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.split(" string ").next()?;
    line.split_whitespace().skip_while(|word| *word != name).nth(1)
}

/// A selective depth that is less than the depth by more than one, told with every line of some
/// depth though there was much to look at. Once may be a line that the table has cut short.
fn always_too_shallow(found: &Search) -> Option<String> {
    if found.position()?.legal_moves().len() < 20 {
        return None;
    }
    let deep = found.thoughts.iter().filter(|t| t.depth.is_some_and(|depth| depth > 2));
    let told: Vec<(u32, u32, &str)> = deep
        .filter(|t| !matches!(t.score, Some(Score::Mate(_))))
        .filter_map(|t| {
            Some((t.depth?, field(&t.line, "seldepth")?.parse().ok()?, t.line.as_str()))
        })
        .collect();
    let (_, reached, line) = told.last()?;
    let is_always = told.iter().all(|(depth, reached, _)| reached + 1 < *depth);
    is_always.then(|| format!("seldepth {reached} is less than the depth: {line}"))
}

fn is_sloppy(deviation: &Deviation) -> bool {
    matches!(
        deviation,
        Deviation::SloppyNumber { .. }
            | Deviation::NegativeNumber { .. }
            | Deviation::UnknownField { .. }
            | Deviation::RepeatedField { .. }
    ) || is_empty_pv(deviation)
}

/// A root table cut-off leaves no line: harmless.
fn is_empty_pv(deviation: &Deviation) -> bool {
    matches!(deviation, Deviation::MissingValue { field } if *field == "pv")
}

/// The first line whose depth, nodes or time is less than one before it.
fn falling(found: &Search) -> Option<String> {
    let (mut depth, mut nodes, mut time) = (0, 0, 0);
    for t in &found.thoughts {
        let is_main = t.multipv == 1 && t.exact && !t.pv.is_empty();
        let fell = if is_main && t.depth.is_some_and(|d| d < depth) {
            Some("depth")
        } else if t.nodes.is_some_and(|n| n < nodes) {
            Some("nodes")
        } else if t.time_ms.is_some_and(|told| told < time) {
            Some("time")
        } else {
            None
        };
        if let Some(what) = fell {
            return Some(format!("{what} falls within a search: {}", t.line));
        }
        if is_main {
            depth = depth.max(t.depth.unwrap_or(0));
        }
        nodes = nodes.max(t.nodes.unwrap_or(0));
        time = time.max(t.time_ms.unwrap_or(0));
    }
    None
}

/// The time and the speed that the engine tells, against the clock on the wall.
pub(super) fn info_clock(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    for fen in [SEARCHED[3], SEARCHED[1], SEARCHED[7]] {
        let position = format!("position fen {fen}");
        let engine = session.engine()?;
        engine.new_game()?;
        let found = search(engine, &position, "go movetime 600", Duration::from_secs(3))?;
        let told = found.thoughts.iter().any(|t| t.time_ms.is_some() && t.at > LONG_ENOUGH);
        if told {
            findings.judge();
        }
        if let Some(finding) = clock_fault(&found) {
            findings.push(finding.every_time());
        }
    }
    Ok(findings.outcome_or_skip(
        "time and nps agree with the clock on the wall",
        "the engine tells no time in its info lines, or none late enough to judge",
    ))
}

/// Below this, the delay of a pipe is too much of the whole.
const LONG_ENOUGH: Duration = Duration::from_millis(250);

/// What is wrong with the times and speeds that a search has told.
fn clock_fault(found: &Search) -> Option<Finding> {
    if let Some(seen) = unflushed(found) {
        return Some(
            Finding::warn(seen)
                .expected("every info line when it is true")
                .cause("standard output is a pipe, and is flushed only with bestmove")
                .root("info not flushed")
                .of(found, unflushed),
        );
    }
    if let Some(seen) = wrong_time(found) {
        return Some(
            Finding::fail(seen)
                .expected("time in milliseconds since go")
                .cause("another unit (seconds, microseconds, clock ticks), CPU time of all threads, or a start that is not reset with every go")
                .root("info time")
                .of(found, wrong_time),
        );
    }
    // The speed of the last moment, or without the first, may well be twice the mean.
    let far = wrong_speed(found, 5.0).map(|seen| (Finding::fail(seen), 5.0));
    let (finding, factor) = far.or_else(|| Some((Finding::warn(wrong_speed(found, 2.0)?), 2.0)))?;
    Some(
        finding
            .expected("nps = nodes / time")
            .cause("another unit, or counters that are not reset with every go")
            .root("info speed")
            .of(found, move |search| wrong_speed(search, factor)),
    )
}

/// A pipe may keep lines together that were written this far apart.
const TOGETHER: Duration = Duration::from_millis(50);

/// Lines that all come with the move, though they tell of times long before.
fn unflushed(found: &Search) -> Option<String> {
    let first = found.thoughts.iter().find(|t| t.time_ms.is_some())?;
    let told = Duration::from_millis(first.time_ms?);
    let is_late = found.elapsed > LONG_ENOUGH && told < found.elapsed / 5;
    let is_together = found.thoughts.iter().all(|t| t.at + TOGETHER > found.elapsed);
    (is_late && is_together && found.thoughts.len() > 1 && found.waited < LONG_ENOUGH / 2)
        .then(|| format!("every info line comes with the bestmove, also this: {}", first.line))
}

/// A time that is not the wall's.
fn wrong_time(found: &Search) -> Option<String> {
    // The last line may have been kept back by a busy machine; then it is late, not wrong, so a
    // line is only judged against what was possible when it came. More than that is never.
    found.thoughts.iter().find_map(|t| {
        let (told, at) = (t.time_ms? as f64, t.at.as_secs_f64() * 1000.0);
        let is_early = t.at + TOGETHER < found.elapsed && found.waited < LONG_ENOUGH / 2;
        let is_late = t.at > LONG_ENOUGH && is_early;
        (told > 1.3 * at + 50.0 || (told < 0.2 * at && is_late))
            .then(|| format!("time {told:.0} is told {at:.0} ms after go: {}", t.line))
    })
}

/// A speed that is not nodes by time, by more than this factor.
fn wrong_speed(found: &Search, factor: f64) -> Option<String> {
    // Both are the engine's own figures; only a time of a few milliseconds is too coarse.
    found.thoughts.iter().find_map(|t| {
        let told = t.time_ms.filter(|told| *told >= 20)? as f64;
        let mut words = t.line.split_whitespace().skip_while(|word| *word != "nps");
        // Zero is what engines tell that have not counted yet.
        let nps: f64 = words.nth(1)?.parse().ok().filter(|nps| *nps > 0.0)?;
        let real = t.nodes? as f64 * 1000.0 / told;
        (nps > factor * real || nps * factor < real)
            .then(|| format!("nps {nps:.0} is told, but nodes by time is {real:.0}: {}", t.line))
    })
}

/// The first illegal move of a line.
pub(super) fn illegal_in(position: &Position, pv: &[String]) -> Option<String> {
    let mut here = *position;
    for text in pv {
        match here.parse_uci(text) {
            Ok(mv) => here = here.play(mv),
            Err(_) => return Some(text.clone()),
        }
    }
    None
}

pub(super) fn mate_scores(session: &mut Session<'_>) -> Checked {
    let Some(depth) = session.depth_within(150)? else {
        return Ok(CheckOutcome::skip("no search of depth 1 ends in time"));
    };
    let go = format!("go depth {}", depth.min(7));
    let findings = session.findings("mate scores");
    let (mut shown, mut otherwise, mut example) = (0, 0, None);
    // The stalemates first: a slow engine does not come to the end of the list.
    let mates = MATES.iter().map(|(_, fen)| fen);
    for fen in STALEMATES.iter().chain(mates).chain(SEARCHED) {
        if session.time_is_up() {
            break;
        }
        let Some(position) = parse(fen) else { continue };
        let asked = cleared(session, &format!("position fen {fen}"), &go);
        let Some(found) = session.in_time(asked)? else { break };
        for t in found.thoughts.iter().filter(|t| t.exact) {
            let Some(Score::Mate(moves)) = t.score else { continue };
            findings.judge();
            if let Some(plies) = mate_shown(&position, &t.pv).filter(|plies| *plies > 1) {
                shown += 1;
                otherwise += usize::from(mate_in(plies) != moves);
            }
        }
        if let Some(seen) = false_mate(&found) {
            let finding = Finding::fail(seen)
                .expected("score mate n only where mate can be forced in n moves; negative when being mated")
                .cause("the sign is lost, the distance is not corrected by the ply when it goes through the table, stalemate is taken for mate, or plies are printed: (plies + 1) / 2 is meant")
                .board(&position)
                .root("false mate")
                .of(&found, false_mate);
            findings.push(finding);
        } else if let Some(seen) = otherwise_mate(&found) {
            let finding = Finding::fail(seen)
                .expected("score mate n in moves, not half-moves")
                .cause("plies are printed: (plies + 1) / 2 is meant")
                .board(&position)
                .root("mate in half-moves")
                .of(&found, otherwise_mate);
            example = example.or(Some(finding));
        }
    }
    // A line may be cut short now and then; all of them are a matter of counting.
    if let Some(finding) = example.filter(|_| shown >= 2 && otherwise == shown) {
        findings.push(finding);
    }
    Ok(findings.outcome_or_skip(
        "none disproved",
        "no mate score was seen, though ten of the positions are mates in one to three",
    ))
}

/// A mate in this many half-moves as a score: for the side to move, or against it.
fn mate_in(plies: i32) -> i32 {
    if plies % 2 == 1 { (plies + 1) / 2 } else { -(plies / 2) }
}

/// A line that mates in another number of moves than its score says.
fn otherwise_mate(found: &Search) -> Option<String> {
    let position = found.position()?;
    found.thoughts.iter().filter(|t| t.exact).find_map(|t| {
        let Some(Score::Mate(moves)) = t.score else { return None };
        let said = mate_in(mate_shown(&position, &t.pv).filter(|plies| *plies > 1)?);
        (said != moves).then(|| format!("the line mates in {said}: {}", t.line))
    })
}

/// A mate score that can be disproved.
fn false_mate(found: &Search) -> Option<String> {
    let position = found.position()?;
    let mut solver = Solver::new(16);
    found.iterations().into_iter().find_map(|t| {
        let Some(Score::Mate(moves)) = t.score else { return None };
        let why = disproof(&mut solver, &position, moves)?;
        Some(format!("{why}: {}", t.line))
    })
}

/// In how many half-moves a line ends in mate, if it does.
fn mate_shown(position: &Position, pv: &[String]) -> Option<i32> {
    let mut here = *position;
    for text in pv {
        here = here.play(here.parse_uci(text).ok()?);
    }
    let mated = here.is_check() && !here.has_legal_move();
    mated.then_some(pv.len() as i32)
}

/// Why a claimed mate is not there, where that can be proved cheaply.
fn disproof(solver: &mut Solver, position: &Position, moves: i32) -> Option<String> {
    let budget = Budget::nodes(400_000);
    let most = moves.unsigned_abs();
    if moves > 0 && most <= 5 {
        let mates = solver.mates_within(position, most, &budget).ok()?;
        (!mates).then(|| format!("there is no mate in {most}"))
    } else if moves < 0 && most <= 4 {
        let mated = solver.mated_within(position, most, &budget).ok()?;
        (!mated).then(|| format!("the side to move is not mated in {most}"))
    } else {
        None
    }
}
