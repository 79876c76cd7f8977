//! Legality: perft where the engine has it, and legal answers everywhere.

use super::CheckOutcome;
use super::limits::illegal_in;
use super::positions::{CHESS960, ENDED, ONLY, SEARCHED, SPECIAL, random_positions};
use super::probe;
use super::session::Session;
use super::transcript::{Search, search, until_ready};
use crate::perft_bisect::{self, AskError, BisectJob};
use dyno_chess::{Position, diagnose, perft};
use dyno_driver::EngineError;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

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
    // What the FEN says, and not what the position before had.
    ("rights of one side each", "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"),
    ("rooks at home without rights", "r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1"),
    ("en passant of the FEN", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
    ("en passant not in the FEN", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3"),
];

pub(super) fn perft_counts(session: &mut Session<'_>) -> Checked {
    let most = session.profile().choose(100_000, 1_000_000, 10_000_000);
    let mut jobs = Vec::new();
    let variant = session.engine()?.option("UCI_Chess960").is_some();
    let chess960 = CHESS960.iter().map(|fen| ("Chess960", *fen)).filter(|_| variant);
    for (name, fen) in PERFT.iter().copied().chain(chess960) {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let mut depth = 1;
        while depth < 6 && perft::perft(&position, depth + 1) <= most {
            depth += 1;
        }
        jobs.push(BisectJob { name: name.into(), position, depth });
    }
    let result = match perft_bisect::run(session.engine()?, &jobs, |_| {}) {
        Ok(result) => result,
        Err(AskError::NoPerft { why }) => {
            session.perft = Some(None);
            return Ok(probe::by_searchmoves(session, PERFT)?.unwrap_or_else(|besides| {
                CheckOutcome::skip(format!("the engine has no perft: {why}, {besides}"))
            }));
        }
        Err(AskError::Engine(error)) => return Err(error),
        // Slow is not wrong.
        Err(slow @ AskError::TooSlow { .. }) => return Ok(CheckOutcome::skip(slow.to_string())),
        Err(error @ AskError::NoAnswer { .. }) => return Ok(CheckOutcome::fail(error.to_string())),
    };
    session.perft = Some(Some(result.dialect.clone()));
    let compared = || result.comparisons.iter().filter(|c| c.skipped.is_none());
    let nodes: u64 = compared().map(|c| c.expected).sum();
    let mut outcome = match result.comparisons.iter().find_map(|c| c.fault.as_ref()) {
        None if compared().count() == 0 => {
            let why = result.comparisons.iter().find_map(|c| c.skipped.clone());
            return Ok(CheckOutcome::skip(why.unwrap_or_default()));
        }
        None => {
            let count = compared().count();
            CheckOutcome::pass(format!("{count} positions, {nodes} leaves, every count right"))
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
            CheckOutcome::fail(format!(
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

pub(super) fn special_positions(session: &mut Session<'_>) -> Checked {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
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
    for (name, position) in &positions {
        let fen = position.fen();
        let least = session.engine()?.least_search();
        let deeper = if capabilities.depth_limit { "go depth 4" } else { "go movetime 150" };
        for go in [least, deeper] {
            // A slow engine is asked for the move alone.
            if go == deeper && session.time_is_up() {
                continue;
            }
            let text = format!("position fen {fen}");
            session.said = vec![text.clone(), go.into()];
            let found = search(session.engine()?, &text, go, Duration::from_secs(10))?;
            let bad_pv = found.thoughts.iter().find_map(|t| illegal_in(position, &t.pv));
            if position.parse_uci(&found.best).is_err() {
                wrong.push(format!("{name}: {} in {fen}", illegal_answer(position, &found.best)));
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
    session.said.clear();
    Ok(if wrong.is_empty() {
        CheckOutcome::pass(format!("{} special positions, every answer legal", positions.len()))
    } else {
        CheckOutcome::fail(format!("{} illegal answers in special positions", wrong.len()))
            .evidence(wrong)
    }
    .reproduce(asked))
}

/// What engines say that see no move.
fn is_no_move(best: &str) -> bool {
    matches!(best, "(none)" | "0000" | "none" | "NULL" | "a1a1")
}

/// What is wrong with an answer that is no legal move, by the rule it breaks.
fn illegal_answer(position: &Position, best: &str) -> String {
    let moves = position.legal_moves();
    match (is_no_move(best), &moves[..]) {
        (true, [only]) => {
            let why = diagnose::missing(position, *only);
            format!("bestmove {best} though {} is legal ({why})", position.uci(*only))
        }
        (true, [first, ..]) => {
            let why = diagnose::missing(position, *first);
            format!("bestmove {best} though there are {} legal moves (perhaps {why})", moves.len())
        }
        _ => format!("bestmove {best} is not legal ({})", diagnose::surplus(position, best, &[])),
    }
}

pub(super) fn ended_games(session: &mut Session<'_>) -> Checked {
    let (mut troubles, mut asked) = (Vec::new(), Vec::new());
    let (mut broken, mut silent, mut done) = (None, 0, 0);
    let mut engine = session.fresh()?;
    for (name, text, end) in ended_positions() {
        // An engine that is silent in one such position is so in most.
        if session.time_is_up() || silent >= 3 {
            break;
        }
        done += 1;
        let failure = match search(&mut engine, &text, "go depth 3", Duration::from_secs(3)) {
            Ok(found) => match judge_ended(&text, &end, &found) {
                None => continue,
                Some((failure, plain)) => {
                    silent += u32::from(found.overran);
                    if plain && broken.is_none() {
                        broken = Some(troubles.len());
                        asked.clone_from(&found.asked);
                    }
                    failure
                }
            },
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(error) => {
                silent += 1;
                engine = session.fresh()?;
                error.to_string()
            }
        };
        let fen = end.fen();
        troubles.push(format!("{name} ({fen}): {failure}"));
        if asked.is_empty() {
            asked = vec![text, "go depth 3".to_owned()];
        }
    }
    // The protocol does not say what to answer; only a made-up move is plainly wrong.
    Ok(match (broken, troubles.first()) {
        (_, None) => CheckOutcome::pass(format!(
            "bestmove (none) or 0000 where the game is over, {done} times"
        )),
        (Some(first), _) => CheckOutcome::fail(troubles[first].clone()),
        (None, Some(first)) => CheckOutcome::warn(first.clone()),
    }
    .evidence(troubles)
    .reproduce(asked))
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

/// A move seen from the other side of the board.
fn mirrored_word(word: &str) -> String {
    let other = |c: char| c.to_digit(10).and_then(|rank| char::from_digit(9 - rank, 10));
    word.chars().map(|c| other(c).unwrap_or(c)).collect()
}

/// What is wrong with an answer to an ended game, and whether it is plainly so.
fn judge_ended(text: &str, end: &Position, found: &Search) -> Option<(String, bool)> {
    match found.best.as_str() {
        _ if found.overran => Some(("bestmove only after stop".to_owned(), false)),
        best if is_no_move(best) => None,
        best => {
            let why = diagnose::surplus(end, best, &[]);
            let or = match text.split_once(" moves ") {
                Some((_, moves)) => format!(", or {moves} is not carried out rightly"),
                None => String::new(),
            };
            Some((format!("bestmove {best} although the game is over: {why}{or}"), true))
        }
    }
}

pub(super) fn random_games(session: &mut Session<'_>) -> Checked {
    let count = session.profile().choose(2000, 5000, 20_000);
    let positions = random_positions(SEARCHED, count, session.plan.seed);
    legal_everywhere(session, &positions, "positions of random games")
}

pub(super) fn chess960(session: &mut Session<'_>) -> Checked {
    if session.engine()?.option("UCI_Chess960").is_none() {
        return Ok(CheckOutcome::skip("the engine does not declare the option UCI_Chess960"));
    }
    let count = session.profile().choose(300, 2000, 10_000);
    let mut positions = random_positions(CHESS960, count, session.plan.seed);
    for position in &mut positions {
        position.set_chess960(true);
    }
    let engine = session.engine()?;
    engine.send_line("setoption name UCI_Chess960 value true")?;
    let outcome = legal_everywhere(session, &positions, "Chess960 positions");
    let engine = session.engine()?;
    engine.send_line("setoption name UCI_Chess960 value false")?;
    until_ready(engine, Duration::from_secs(5))?;
    outcome
}

fn legal_everywhere(session: &mut Session<'_>, positions: &[Position], what: &str) -> Checked {
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut done = 0;
    for position in positions {
        if session.time_is_up() {
            break;
        }
        done += 1;
        let fen = if position.is_chess960() { position.shredder_fen() } else { position.fen() };
        let text = format!("position fen {fen}");
        let go = session.engine()?.least_search();
        session.said = vec![text.clone(), go.into()];
        let found = search(session.engine()?, &text, go, Duration::from_secs(5))?;
        let ponder = found.ponder.as_ref().filter(|_| found.best.len() >= 4);
        let line: Vec<String> = [found.best.clone()].into_iter().chain(ponder.cloned()).collect();
        if let Some(bad) = illegal_in(position, &line) {
            let why = match bad == found.best {
                true => illegal_answer(position, &bad),
                false => format!("the ponder move {bad} is not legal"),
            };
            wrong.push(format!("{why} in {fen}"));
            if asked.is_empty() {
                asked = found.asked;
            }
        }
    }
    session.said.clear();
    Ok(if wrong.is_empty() {
        CheckOutcome::pass(format!("{done} {what}, every bestmove and ponder move legal"))
    } else {
        CheckOutcome::fail(format!("{} illegal answers in {done} {what}", wrong.len()))
            .evidence(wrong)
    }
    .figure("positions", f64::from(done), "")
    .reproduce(asked))
}
