//! Legality: perft where the engine has it, and legal answers everywhere.

use super::engine::TestedEngine;
use super::limits::illegal_in;
use super::outcome::{Finding, Findings};
use super::positions::{CHESS960, ENDED, ONLY, SEARCHED, SPECIAL, mirrored_word, random_positions};
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, is_no_move, is_over, search, until_ready};
use super::watchdog::Watchdog;
use super::{CheckOutcome, Checked, Stop};
use crate::perft_bisect::{
    self, AskError, BisectEvent, BisectJob, BisectOptions, RuleBreak, RuleFinding,
};
use dyno_chess::{Position, Square, diagnose, perft};
use dyno_driver::{EngineError, Settings};
use std::time::Duration;

/// Positions that between them need every rule.
pub(super) const PERFT: &[(&str, &str)] = &[
    ("start position", dyno_chess::STARTPOS),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    ("position 4 mirrored", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1"),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    ("promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    ("promotions out of check", "r3k3/1P6/8/8/8/8/8/K7 w - - 0 1"),
    ("promotions that block", "K4r2/2P1P3/8/8/8/8/8/4k3 w - - 0 1"),
    ("rook taken in its corner", "4k3/8/8/8/8/8/6b1/4K2R b K - 0 1"),
    ("double check", "4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1"),
    ("king there and back", "7k/7p/7P/8/8/8/7P/4K2R w K - 0 1"),
    ("rook crosses an attacked square", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1"),
    ("in check with castling rights", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1"),
    ("pawn on the third rank", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1"),
    ("two pawns may take en passant", "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1"),
    ("en passant on the a-file", "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1"),
    ("en passant on the h-file", "4k3/8/8/6Pp/8/8/8/4K3 w - h6 0 1"),
    // What the FEN says, and not what the position before had.
    ("rights of one side each", "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"),
    ("rooks at home without rights", "r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1"),
    ("en passant of the FEN", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
    ("en passant not in the FEN", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3"),
];

pub(super) fn perft_counts(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let jobs = perft_jobs(session)?;
    // The bisection has a deadline of its own; the check has no time to spare.
    let user = session.plan.settings.interrupt.clone();
    let watchdog = Watchdog::start(user, session.shared.deadline());
    let heeds = |settings: &mut Settings| settings.interrupt = Some(watchdog.interrupt());
    let mut engine = match session.fresh_with(heeds) {
        Err(stop) if stop.is_interrupt() && watchdog.has_bitten() => return Err(Stop::OutOfTime),
        started => started?,
    };
    let options = BisectOptions {
        survives: true,
        shrink_for: Some(session.left() / 8),
        ..BisectOptions::default()
    };
    let (mut nodes, mut told, mut skipped) = (0, 0, None);
    // What is found is kept at once: the time may be up before the bisection is.
    let compared = perft_bisect::bisect(&mut engine, &jobs, options, |event| match event {
        BisectEvent::Dialect(_) => {}
        BisectEvent::Compared { comparison, rules } => {
            if comparison.skipped.is_some() {
                skipped.clone_from(&comparison.skipped);
            } else {
                findings.judge();
                nodes += comparison.expected;
            }
            rules[told..].iter().for_each(|rule| findings.push(broken_rule(rule)));
            told = rules.len();
        }
    });
    match compared {
        Ok(_) => {}
        Err(AskError::NoPerft { why }) => {
            let instead = "legality.illegal-moves and legality.forgotten-moves ask without it";
            return Ok(CheckOutcome::skip(format!("the engine has no perft ({why}): {instead}")));
        }
        Err(AskError::Engine(EngineError::Interrupted)) if watchdog.has_bitten() => {
            return Err(Stop::OutOfTime);
        }
        Err(AskError::Engine(error)) => return Err(error.into()),
        // Slow or silent is not wrong.
        Err(error @ (AskError::TooSlow { .. } | AskError::NoAnswer { .. })) => {
            skipped = Some(error.to_string());
        }
    }
    Ok(findings
        .outcome_or_skip(
            format!("{nodes} leaves, every count right"),
            skipped.unwrap_or_else(|| "nothing was counted".to_owned()),
        )
        .figure("leaves", nodes as f64, ""))
}

fn perft_jobs(session: &mut Session<'_>) -> Result<Vec<BisectJob>, Stop> {
    let most = session.profile().choose(100_000, 1_000_000, 10_000_000);
    let variant = session.engine()?.option("UCI_Chess960").is_some();
    let chess960 = CHESS960.iter().map(|fen| ("Chess960", *fen)).filter(|_| variant);
    let mut jobs = Vec::new();
    for (name, fen) in PERFT.iter().copied().chain(chess960) {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut depth = 1;
        while depth < 6 && perft::perft(&position, depth + 1) <= most {
            depth += 1;
        }
        jobs.push(BisectJob { name: name.into(), position, depth });
    }
    Ok(jobs)
}

/// A rule that the counts show to be broken, at the smallest position that shows it.
fn broken_rule(found: &RuleFinding) -> Finding {
    let (command, setup) = match found.reproduce.split_last() {
        Some((command, setup)) => (command.clone(), setup),
        None => (String::new(), &[][..]),
    };
    let script = setup.iter().fold(Script::new(), Script::send);
    // The count may come from a thread of its own.
    let script = script.send(command.as_str()).pause(500).ready();
    let start = Position::from_fen(&found.smallest_fen).ok();
    let board = start.and_then(|start| {
        found
            .smallest_moves
            .iter()
            .try_fold(start, |here, word| here.parse_uci(word).ok().map(|mv| here.play(mv)))
    });
    let fen = board.map_or_else(|| found.smallest_fen.clone(), |board| board.fen());
    let (mv, why) = (found.mv.as_deref().unwrap_or("a move"), &found.rule.why);
    let (seen, expected) = match found.rule.how {
        RuleBreak::Surplus => (format!("{mv} is generated in {fen}: {why}"), "only legal moves"),
        RuleBreak::Missing => (format!("{mv} is missing in {fen}: {why}"), "every legal move"),
        RuleBreak::Count => (format!("`{command}` in {fen}: {why}"), "the right count"),
        RuleBreak::Breakdown => (format!("`{command}` in {fen}: {why}"), "a count"),
    };
    let (how, depth) = (found.rule.how, found.depth);
    let finding = Finding::fail(seen)
        .expected(expected)
        .cause(why.clone())
        .root(format!("rule {}", found.rule.kind))
        .shown_by(script, move |replay| match how {
            RuleBreak::Breakdown => {
                let silent = replay.silent().map(|what| format!("no {what}"));
                replay.exited().map(str::to_owned).or(silent)
            }
            _ => perft_bisect::wrong_answer(replay.answers(&command).first()?, &board?, depth),
        });
    match &board {
        Some(board) => finding.board(board),
        None => finding,
    }
}

pub(super) fn special_positions(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    let only = ONLY.iter().filter_map(|(name, fen)| Some((*name, Position::from_fen(fen).ok()?)));
    let only = only.flat_map(|(name, position)| [(name, position), (name, position.mirrored())]);
    let special =
        SPECIAL.iter().filter_map(|(name, fen)| Some((*name, Position::from_fen(fen).ok()?)));
    // An XBoard engine may claim a draw instead of moving, and not every one can be told of an
    // en-passant square.
    let capabilities = session.engine()?.capabilities();
    let goes_on = |p: &Position| p.outcome().is_none() && p.halfmove_clock() < 99;
    let special = special.filter(|(_, position)| !capabilities.game_claims || goes_on(position));
    let only =
        only.filter(|(_, position)| capabilities.any_position || position.en_passant().is_none());
    let positions: Vec<(&str, Position)> = special.chain(only).collect();
    let least = session.least_search()?;
    let deeper = match least.as_str() {
        "go depth 1" => "go depth 4",
        "go movetime 30" => "go movetime 150",
        _ => "go wtime 3000 btime 3000",
    };
    for (name, position) in &positions {
        for go in [least.as_str(), deeper] {
            // A slow engine is asked for the move alone.
            if go == deeper && session.time_is_up() {
                continue;
            }
            let text = format!("position fen {}", position.fen());
            let found = search(session.engine()?, &text, go, Duration::from_secs(10))?;
            findings.judge();
            if let Some(finding) = illegal(position, &found, name) {
                findings.push(finding);
            }
        }
    }
    Ok(findings.outcome("every answer and every PV is legal"))
}

/// The finding, where the best move or a line of a search is not legal.
fn illegal(position: &Position, found: &Search, what: &str) -> Option<Finding> {
    let seen = illegal_answer(position, found)?;
    let board = *position;
    let mut finding = Finding::fail(format!("{seen} ({what})"))
        .expected("legal moves, in small letters")
        .board(position)
        .of(found, move |search| illegal_answer(&board, search));
    // What is not a move of the position at all has no rule.
    if position.parse_uci(&found.best).is_err() && !is_no_move(&found.best) {
        let rule = diagnose::surplus(position, &found.best, &[]);
        finding = finding.cause(format!("the move generator breaks a rule: {rule}")).rule(&rule);
    } else if is_no_move(&found.best)
        && let [only] = position.legal_moves()[..]
    {
        let rule = diagnose::missing(position, only);
        finding = finding.cause(format!("the move generator: {rule}")).rule(&rule);
    }
    Some(finding)
}

/// What is wrong with a search: its move, the case of its letters, a line.
fn illegal_answer(position: &Position, found: &Search) -> Option<String> {
    let best = found.best.as_str();
    let fen = position.fen();
    if position.parse_uci(best).is_err() {
        let moves = position.legal_moves();
        if is_no_move(best) && is_over(position) {
            return None;
        }
        return Some(match (is_no_move(best), &moves[..]) {
            (true, [only]) => {
                let why = diagnose::missing(position, *only);
                let word = position.uci(*only);
                format!("bestmove {best} though {word} is legal in {fen}: {why}")
            }
            (true, _) => {
                format!("bestmove {best} though there are {} legal moves in {fen}", moves.len())
            }
            _ => {
                let why = diagnose::surplus(position, best, &[]);
                format!("bestmove {best} is not legal in {fen}: {why}")
            }
        });
    }
    if best.chars().any(|c| c.is_ascii_uppercase()) {
        return Some(format!("bestmove {best} should be in small letters, in {fen}"));
    }
    let in_line = found.thoughts.iter().find_map(|t| Some((illegal_in(position, &t.pv)?, t)));
    in_line.map(|(bad, thought)| format!("illegal {bad} in a line, in {fen}: {}", thought.line))
}

/// Where there is no move, there is nothing to search: what takes long hangs.
const FOR_A_MOVE: &str = "go depth 1";

pub(super) fn ended_games(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("ended games");
    let (mut silent, mut survives) = (0, false);
    let mut engine = session.fresh()?;
    match stale_move(&mut engine) {
        Ok(None) => {}
        Ok(Some(finding)) => {
            findings.judge();
            findings.push(finding);
            return Ok(findings.outcome(""));
        }
        // What hangs or crashes does so below, too, where it is told.
        Err(stop) => {
            stop.failure()?;
            engine = session.fresh()?;
        }
    }
    for (name, text, end) in ended_positions() {
        // An engine that is silent in one such position is so in most.
        if session.time_is_up() || silent >= 3 {
            break;
        }
        findings.judge();
        match search(&mut engine, &text, FOR_A_MOVE, Duration::from_secs(3)) {
            Ok(found) => {
                silent += u32::from(found.overran);
                survives = true;
                if let Some(finding) = goes_on(name, &text, &end, &found) {
                    findings.push(finding);
                }
            }
            Err(stop) => {
                let error = stop.failure()?;
                silent += 1;
                engine = session.fresh()?;
                let script = Script::of_search(&text, FOR_A_MOVE);
                let (cause, root) = match survives {
                    true => {
                        (format!("a rule is broken, and what follows breaks down: {name}"), name)
                    }
                    false => {
                        ("the first move of an empty list is used".to_owned(), "no legal move")
                    }
                };
                findings.push(
                    Finding::fail(format!("{error}, where the game is over ({name})"))
                        .expected("bestmove (none) or 0000")
                        .cause(cause)
                        .board(&end)
                        .root(root)
                        .shown_by(script, |replay| {
                            let silent = replay.silent().map(|what| format!("no {what}"));
                            replay.exited().map(str::to_owned).or(silent)
                        }),
                );
            }
        }
    }
    Ok(findings.outcome("bestmove (none) or 0000 where the game is over"))
}

/// The move of the last search, sent again where there is none.
fn stale_move(engine: &mut TestedEngine) -> Result<Option<Finding>, Stop> {
    let go = FOR_A_MOVE;
    for (position, text, end) in ended_positions().into_iter().take(4) {
        let before = search(engine, "position startpos", go, Duration::from_secs(3))?;
        let found = search(engine, &text, go, Duration::from_secs(3))?;
        let is_stale = |found: &Search, before: &Search| {
            (found.best == before.best && !is_no_move(&found.best))
                .then(|| format!("bestmove {}, the move of the search before", found.best))
        };
        let Some(seen) = is_stale(&found, &before) else { continue };
        let script = Script::of_search("position startpos", go).search(&text, go);
        return Ok(Some(
            Finding::fail(format!("{seen}, where the game is over ({position})"))
                .expected("bestmove (none) or 0000")
                .cause(
                    "the best move is a global that a search without a legal move leaves as it was",
                )
                .board(&end)
                .root("stale move")
                .shown_by(script, move |replay| {
                    let all = replay.searches();
                    let [.., before, found] = &all[..] else { return None };
                    is_stale(found, before)
                }),
        ));
    }
    Ok(None)
}

/// The finding, where a move is played in a game that is over, or none comes.
fn goes_on(name: &str, text: &str, end: &Position, found: &Search) -> Option<Finding> {
    let board = *end;
    if found.overran {
        // The protocol does not say what to answer; only a made-up move is plainly wrong.
        let seen = format!("no bestmove before stop where the game is over ({name})");
        return Some(
            Finding::warn(seen)
                .expected("bestmove (none) or 0000")
                .board(end)
                .root("no legal move")
                .of(found, |search| search.overran.then(|| "no bestmove".to_owned())),
        );
    }
    let Some(seen) = made_up(&board, found) else {
        let word = |search: &Search| {
            (!is_no_move(&search.best)).then(|| format!("bestmove {}", search.best))
        };
        let seen = format!("{} where the game is over ({name})", word(found)?);
        return Some(
            Finding::warn(seen)
                .expected("bestmove (none) or 0000")
                .cause("there is no move to print, and the empty one is not known as such where moves are printed")
                .board(end)
                .root("prints an empty move")
                .of(found, word),
        );
    };
    let rule = diagnose::surplus(end, &found.best, &[]);
    let or = match text.split_once(" moves ") {
        Some((_, moves)) => format!(", or {moves} is not carried out rightly"),
        None => String::new(),
    };
    Some(
        Finding::fail(format!("{seen}: {rule}{or} ({name})"))
            .expected("bestmove (none) or 0000")
            .cause(format!("the move generator breaks a rule: {rule}{or}"))
            .board(end)
            .rule(&rule)
            .of(found, move |search| made_up(&board, search)),
    )
}

/// A move, or what looks like one, where there is none. Other words are a matter of taste.
fn made_up(end: &Position, found: &Search) -> Option<String> {
    let best = &found.best;
    let is_square = |text: Option<&str>| text.is_some_and(|text| text.parse::<Square>().is_ok());
    let looks_like_move =
        matches!(best.len(), 4 | 5) && is_square(best.get(..2)) && is_square(best.get(2..4));
    (looks_like_move && !is_no_move(best))
        .then(|| format!("bestmove {best} although the game is over, in {}", end.fen()))
}

/// The ended games as `position` commands, with the board at their end, for both colours.
fn ended_positions() -> Vec<(&'static str, String, Position)> {
    let mut all = Vec::new();
    for (name, fen, moves) in ENDED {
        let Ok(start) = Position::from_fen(fen) else { continue };
        for (start, is_mirrored) in [(start, false), (start.mirrored(), true)] {
            let mut text = format!("position fen {}", start.fen());
            let mut end = start;
            for (number, word) in moves.split_whitespace().enumerate() {
                let word = if is_mirrored { mirrored_word(word) } else { word.to_owned() };
                text += &format!("{} {word}", if number == 0 { " moves" } else { "" });
                end = end.parse_uci(&word).map_or(end, |mv| end.play(mv));
            }
            all.push((*name, text, end));
        }
    }
    all
}

pub(super) fn random_games(session: &mut Session<'_>) -> Checked {
    let count = session.profile().choose(2000, 5000, 20_000);
    let positions = random_positions(SEARCHED, count, session.plan.seed);
    let findings = session.findings("positions of random games");
    legal_everywhere(session, &findings, &positions)?;
    Ok(findings.outcome("every best move is legal"))
}

fn legal_everywhere(
    session: &mut Session<'_>,
    findings: &Findings,
    positions: &[Position],
) -> Result<(), Stop> {
    let go = session.least_search()?;
    for position in positions {
        if session.time_is_up() {
            break;
        }
        let fen = if position.is_chess960() { position.shredder_fen() } else { position.fen() };
        let text = format!("position fen {fen}");
        let found = search(session.engine()?, &text, &go, Duration::from_secs(5))?;
        findings.judge();
        if let Some(finding) = illegal(position, &found, "a position of a random game") {
            findings.push(finding);
        }
    }
    Ok(())
}

pub(super) fn ponder_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("ponder moves");
    let depth = session.depth_within(30)?.unwrap_or(2).clamp(2, 4);
    for position in random_positions(SEARCHED, 300, session.plan.seed ^ 9) {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {}", position.fen());
        let go = format!("go depth {depth}");
        let found = search(session.engine()?, &text, &go, Duration::from_secs(5))?;
        if found.ponder.is_none() || position.parse_uci(&found.best).is_err() {
            continue;
        }
        findings.judge();
        let Some(seen) = found.illegal_ponder() else { continue };
        findings.push(
            Finding::fail(seen)
                .expected("a legal answer to the best move, or no ponder move")
                .cause("the ponder move is not the second of the line that the best move begins")
                .board(&position)
                .root("ponder move")
                .of(&found, Search::illegal_ponder),
        );
    }
    Ok(findings.outcome_or_skip("every one is legal", "the engine names no move to ponder on"))
}

pub(super) fn chess960(session: &mut Session<'_>) -> Checked {
    if session.engine()?.option("UCI_Chess960").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option UCI_Chess960"));
    }
    let findings = session.findings("Chess960 positions");
    castled_960(session, &findings)?;
    let count = session.profile().choose(300, 2000, 10_000);
    let mut positions = random_positions(CHESS960, count, session.plan.seed);
    for position in &mut positions {
        position.set_chess960(true);
    }
    session.engine()?.send_line(ON_960)?;
    let result = legal_960(session, &findings, &positions);
    let engine = session.engine()?;
    engine.send_line(OFF_960)?;
    until_ready(engine, Duration::from_secs(5))?;
    result?;
    Ok(findings.outcome("every answer is legal, castling is understood inside moves"))
}

const ON_960: &str = "setoption name UCI_Chess960 value true";
const OFF_960: &str = "setoption name UCI_Chess960 value false";

fn legal_960(
    session: &mut Session<'_>,
    findings: &Findings,
    positions: &[Position],
) -> Result<(), Stop> {
    for position in positions {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {}", position.shredder_fen());
        let go = "go depth 1";
        let found = search(session.engine()?, &text, go, Duration::from_secs(5))?;
        findings.judge();
        let board = *position;
        if let Some(seen) = illegal_answer(position, &found) {
            let script = Script::new().send(ON_960).search(&text, go);
            findings.push(
                Finding::fail(seen)
                    .expected("a legal move")
                    .board(position)
                    .root("chess960")
                    .shown_by(script, move |replay| illegal_answer(&board, &replay.last_search()?)),
            );
        }
    }
    Ok(())
}

/// Castling as king takes rook inside `moves`.
const CASTLED_960: &[(&str, &str)] = &[
    // Castling mates: there is nothing left to play.
    ("5k2/2N4R/p6N/8/8/8/8/4K2R w H - 0 1", "e1h1"),
    ("3k4/R5N1/1N5p/8/8/8/8/R3K3 w A - 0 1", "e1a1"),
    ("5k2/2N4R/p6N/8/8/8/8/1K4R1 w G - 0 1", "b1g1"),
    ("5k2/2N4R/p6N/8/8/8/8/5K1R w H - 0 1", "f1h1"),
];

fn castled_960(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    for (fen, castling) in CASTLED_960 {
        if session.time_is_up() {
            break;
        }
        let Ok(start) = Position::from_fen(fen) else { continue };
        let Ok(mv) = start.parse_uci(castling) else { continue };
        let end = start.play(mv);
        let text = format!("position fen {fen} moves {castling}");
        let mut engine = session.fresh()?;
        engine.send_line(ON_960)?;
        let found = match search(&mut engine, &text, "go depth 1", Duration::from_secs(3)) {
            Ok(found) => found,
            Err(stop) => {
                drop(stop.failure()?);
                continue;
            }
        };
        findings.judge();
        let Some(seen) = made_up(&end, &found) else { continue };
        let script = Script::new().send(ON_960).search(&text, "go depth 1");
        findings.push(
            Finding::fail(format!("{castling} in moves is not carried out: {seen}"))
                .expected("bestmove (none) or 0000: castling has given mate")
                .cause(
                    "with UCI_Chess960, king takes rook is castling; the text is read as a \
                        king's step, or refused",
                )
                .board(&end)
                .root("chess960 castling in moves")
                .shown_by(script, move |replay| made_up(&end, &replay.last_search()?)),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_mates_in_chess960() {
        for (fen, castling) in CASTLED_960 {
            let start = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let mv = start.parse_uci(castling).unwrap_or_else(|e| panic!("{e}"));
            assert!(mv.is_castling(), "{fen}");
            assert!(!start.play(mv).has_legal_move(), "{fen}");
        }
    }
}
