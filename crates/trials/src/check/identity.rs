//! Hash and position from outside: what the engine prints of its position after moves must be what
//! it prints of the same position set up directly. Where it prints nothing, how it searches tells.

use super::engine::TestedEngine;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::until_ready;
use super::{CheckOutcome, Checked, table};
use dyno_chess::{CastlingStyle, EnPassantStyle, Move, Position, Role, SplitMix64, attacks};
use std::collections::HashMap;
use std::time::Duration;

/// What `d` shows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    fen: Option<String>,
    key: Option<String>,
}

/// What engines call the command that shows their position.
const COMMANDS: [&str; 6] = ["d", "display", "print", "printboard", "board", "show"];

/// How an engine shows its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Display {
    command: &'static str,
    /// What is printed as a FEN is one.
    tells_fen: bool,
    /// What is printed as a key depends on the position alone.
    tells_key: bool,
}

impl Display {
    /// What an answer shows, as far as it can be trusted.
    fn read(self, lines: &[String]) -> Shown {
        let Shown { fen, key } = read_shown(lines);
        Shown { fen: fen.filter(|_| self.tells_fen), key: key.filter(|_| self.tells_key) }
    }
}

/// How this engine shows its position, if it does.
pub(super) fn display(session: &mut Session<'_>) -> Result<Option<Display>, Stop> {
    if let Some(known) = session.display {
        return Ok(known);
    }
    let mut found: Option<Display> = None;
    for command in COMMANDS {
        let display = try_display(session.engine()?, command)?;
        if display.tells_key || (display.tells_fen && found.is_none()) {
            found = Some(display);
        }
        if display.tells_key {
            break;
        }
    }
    session.display = Some(found);
    Ok(found)
}

/// Whether a command shows the position: `Hash entries: 1048576` is a number, but no key.
fn try_display(engine: &mut TestedEngine, command: &'static str) -> Result<Display, Stop> {
    let all = Display { command, tells_fen: true, tells_key: true };
    let start = show(engine, all, "position startpos")?;
    let is_start = |fen: &String| {
        Position::from_fen(fen).is_ok_and(|shown| shown.is_same(&Position::startpos()))
    };
    let tells_fen = start.fen.as_ref().is_some_and(is_start);
    if start.key.is_none() {
        return Ok(Display { tells_fen, tells_key: false, ..all });
    }
    let other = show(engine, all, &format!("position fen {}", SEARCHED[1]))?;
    let again = show(engine, all, "position startpos")?;
    let tells_key = start.key == again.key && other.key.is_some() && start.key != other.key;
    Ok(Display { tells_fen, tells_key, ..all })
}

/// Asks for the position as the engine sees it.
fn show(engine: &mut TestedEngine, display: Display, position: &str) -> Result<Shown, Stop> {
    engine.send_line(&format!("{position}\n{}", display.command))?;
    Ok(display.read(&until_ready(engine, Duration::from_secs(3))?))
}

/// The FEN of a line like `Fen: rnbqkbnr/… w KQkq - 0 1`, with a name or without.
fn fen_in(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let start = words.iter().position(|word| word.matches('/').count() == 7)?;
    let board = words[start].rsplit([':', '=', '"']).find(|part| !part.is_empty())?;
    let fields: Vec<&str> = std::iter::once(board)
        .chain(words[start + 1..].iter().take(5).map(|word| word.trim_matches('"')))
        .collect();
    Some(fields.join(" "))
}

/// The key of a line like `Key: 8F8F01D4562F59FB` or `zobrist hash = 0x463b96181691fc9c`.
fn key_in(line: &str) -> Option<String> {
    let (name, value) = line.split_once([':', '='])?;
    let name = name.to_ascii_lowercase();
    let names_key = ["key", "hash", "zobrist"].iter().any(|word| name.contains(word));
    // Keys of parts of the position, and what is not a key at all.
    let other = ["pawn", "material", "full", "size", "mb", "move", "table"];
    if !names_key || other.iter().any(|word| name.contains(word)) {
        return None;
    }
    let word = value.split_whitespace().next()?.trim_end_matches(['.', ',']);
    let digits = word.trim_start_matches("0x");
    let is_number = digits.len() >= 4 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_number.then(|| word.to_owned())
}

/// A random line from a start, with the position it leads to.
fn random_line(start: &Position, random: &mut SplitMix64) -> (Vec<String>, Position) {
    let mut position = *start;
    let mut words = Vec::new();
    for _ in 0..random.below(24) + 1 {
        let moves = position.legal_moves();
        // Special moves are where incremental hashing goes wrong.
        let special: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|mv| !mv.is_normal() || position.is_capture(*mv))
            .collect();
        let choice =
            if !special.is_empty() && random.below(3) == 0 { &special[..] } else { &moves[..] };
        let Some(mv) = choice.get(random.below(choice.len())) else { break };
        words.push(position.uci(*mv));
        position = position.play(*mv);
    }
    (words, position)
}

fn without_clocks(fen: &str) -> String {
    fen.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

const NO_KEY: &str =
    "the engine prints no key on `d` or the like: hash.table and hash.mixed-up ask without one";

/// When an engine hashes the en-passant square. All three are legitimate; what counts is that it
/// is the same by moves and by FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Convention {
    /// After every double step.
    Always,
    /// Where a pawn stands beside, or only where it may take: the FEN says no more than that.
    WherePossible,
    /// By moves and by FEN in different ways: a square that no pawn can use tells nothing.
    Unclear,
}

/// Learns the engine's convention from a double step that no pawn can answer.
fn convention(engine: &mut TestedEngine, display: Display) -> Result<Convention, Stop> {
    let by_moves = show(engine, display, "position startpos moves e2e4")?;
    let bare = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let without = show(engine, display, &format!("position fen {bare} - 0 1"))?;
    let with = show(engine, display, &format!("position fen {bare} e3 0 1"))?;
    Ok(if by_moves.key == without.key {
        Convention::WherePossible
    } else if by_moves.key == with.key {
        Convention::Always
    } else {
        Convention::Unclear
    })
}

/// The position as a FEN that the engine should hash as it does after the moves.
fn direct(position: &Position, convention: Convention) -> String {
    let style = match convention {
        Convention::Always => EnPassantStyle::Always,
        Convention::WherePossible | Convention::Unclear => EnPassantStyle::Legal,
    };
    format!("position fen {}", position.fen_with(CastlingStyle::default(), style))
}

/// Whether the convention leaves open if the en-passant square is hashed: a pawn stands beside the
/// double step, but may not take.
fn is_disputed(position: &Position, convention: Convention) -> bool {
    let Some(square) = position.ep_square().filter(|_| position.en_passant().is_none()) else {
        return false;
    };
    let us = position.side_to_move();
    match convention {
        Convention::Always => false,
        Convention::WherePossible => {
            (attacks::pawn(!us, square) & position.pieces(us, Role::Pawn)).any()
        }
        Convention::Unclear => true,
    }
}

fn read_shown(lines: &[String]) -> Shown {
    let mut shown = Shown::default();
    for line in lines {
        if shown.fen.is_none() && line.matches('/').count() == 7 {
            shown.fen = fen_in(line);
        } else if shown.key.is_none() {
            shown.key = key_in(line);
        }
    }
    shown
}

fn told(key: Option<&str>) -> &str {
    key.unwrap_or("none")
}

pub(super) fn by_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions after moves");
    let Some(display) = display(session)? else {
        let judged = table::after_moves(session, &findings)?;
        let why = "the engine prints no position, and searches the same one differently";
        return Ok(match judged {
            true => findings.outcome("searched exactly as the same positions set up directly"),
            false => CheckOutcome::skip(why),
        });
    };
    let rounds = session.profile().choose(150, 1000, 5000);
    let mut random = SplitMix64::new(session.plan.seed);
    let convention = convention(session.engine()?, display)?;
    for round in 0..rounds {
        if session.time_is_up() {
            break;
        }
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (words, end) = random_line(&start, &mut random);
        let long = format!("position fen {} moves {}", start.fen(), words.join(" "));
        let short = direct(&end, convention);
        let engine = session.engine()?;
        let shown = [show(engine, display, &long)?, show(engine, display, &short)?];
        findings.judge();
        if let Some(seen) = differs(&end, convention, &shown) {
            findings.push(drift(seen, display, [&long, &short], (end, convention)));
        }
    }
    Ok(findings.outcome_or_skip("FEN and key are those of the position itself", NO_KEY))
}

/// How what is shown after moves differs from the position, or from it set up directly.
fn differs(
    end: &Position,
    convention: Convention,
    [by_moves, direct]: &[Shown; 2],
) -> Option<String> {
    // How en passant is written is a matter of taste; what it means is not.
    let same = |fen: &str| Position::from_fen(fen).is_ok_and(|p| p.is_same(end));
    if let Some(fen) = by_moves.fen.as_deref().filter(|fen| !same(fen)) {
        let right = without_clocks(&end.fen());
        return Some(format!(
            "the position after moves is {} instead of {right}",
            without_clocks(fen)
        ));
    }
    if by_moves.key == direct.key || is_disputed(end, convention) {
        return None;
    }
    let [a, b] = [&by_moves.key, &direct.key].map(|key| told(key.as_deref()).to_owned());
    Some(format!("key {a} after moves, {b} set up directly, of {}", end.fen()))
}

fn drift(
    seen: String,
    display: Display,
    [long, short]: [&str; 2],
    (end, convention): (Position, Convention),
) -> Finding {
    let is_board = seen.starts_with("the position");
    let script = Script::new().send(long).ask(display.command).send(short).ask(display.command);
    Finding::fail(seen)
        .expected("the same position and key, however it came about")
        .cause(if is_board {
            "a move is made wrongly: castling rights, the en-passant square or the promoted piece"
        } else {
            "the incremental key drifts: the old en-passant square, lost castling rights, the \
             captured or the promoted piece, or the castling rook is not updated in it"
        })
        .board(&end)
        .root(if is_board { "position after moves" } else { "keys after moves" })
        .shown_by(script, move |replay| {
            let answers = replay.answers(display.command);
            let shown = [display.read(answers.first()?), display.read(answers.get(1)?)];
            differs(&end, convention, &shown)
        })
}

/// Two ways to the same position, none of which ends in a double step.
const TRANSPOSED: [(&str, &str); 5] = [
    ("e2e4 e7e5 g1f3 b8c6 f1c4", "e2e4 e7e5 f1c4 b8c6 g1f3"),
    ("d2d4 g8f6 c2c4 e7e6 b1c3", "c2c4 e7e6 d2d4 g8f6 b1c3"),
    ("g1f3 g8f6 f3g1 f6g8 e2e3 e7e6", "e2e3 e7e6"),
    ("b1c3 b8c6 d2d3 d7d6 c1e3 c8e6", "d2d3 d7d6 c1e3 c8e6 b1c3 b8c6"),
    ("e2e3 e7e6 f1e2 f8e7 g1f3 g8f6 e1g1 e8g8", "g1f3 g8f6 e2e3 e7e6 f1e2 f8e7 e1g1 e8g8"),
];

pub(super) fn transpositions(session: &mut Session<'_>) -> Checked {
    let Some(display) = display(session)? else { return Ok(CheckOutcome::skip(NO_KEY)) };
    let findings = session.findings("transpositions");
    for (one, other) in TRANSPOSED {
        let lines = [one, other].map(|moves| format!("position startpos moves {moves}"));
        let engine = session.engine()?;
        let shown = [show(engine, display, &lines[0])?, show(engine, display, &lines[1])?];
        if shown[0].key.is_none() {
            return Ok(CheckOutcome::skip(NO_KEY));
        }
        findings.judge();
        let [a, b] = shown.map(|shown| shown.key);
        if a == b {
            continue;
        }
        let [a, b] = [a, b].map(|key| told(key.as_deref()).to_owned());
        let script =
            Script::new().send(&lines[0]).ask(display.command).send(&lines[1]).ask(display.command);
        findings.push(
            Finding::fail(format!("key {a} after {one}, {b} after {other}"))
                .expected("one key for one position")
                .cause("the old en-passant square stays in the key, or move counters are hashed")
                .root("keys after moves")
                .shown_by(script, move |replay| {
                    two_keys(&replay.answers(display.command), |a, b| a != b)
                }),
        );
    }
    Ok(findings.outcome("one key each"))
}

/// The two keys of two answers, where they stand to each other as asked.
fn two_keys(answers: &[Vec<String>], is_wrong: fn(&str, &str) -> bool) -> Option<String> {
    let keys = [read_shown(answers.first()?).key?, read_shown(answers.get(1)?).key?];
    is_wrong(&keys[0], &keys[1]).then(|| format!("keys {} and {}", keys[0], keys[1]))
}

/// What a key must see, with two positions that differ in nothing else.
const SEEN: &[(&str, &str, &str)] = &[
    ("White's king-side castling right", CASTLING, "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1"),
    ("White's queen-side castling right", CASTLING, "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1"),
    ("Black's king-side castling right", CASTLING, "r3k2r/8/8/8/8/8/8/R3K2R w KQq - 0 1"),
    ("Black's queen-side castling right", CASTLING, "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1"),
    ("castling rights at all", CASTLING, "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"),
    ("the side to move", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1"),
    (
        "the en-passant square",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
    ),
    (
        "the file of the en-passant square",
        "4k3/8/8/3pPp2/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 1",
    ),
    ("a piece's colour", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "4k3/8/8/8/3n4/8/8/4K3 w - - 0 1"),
];

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

pub(super) fn distinct(session: &mut Session<'_>) -> Checked {
    let rounds = session.profile().choose(300, 3000, 20_000);
    let mut random = SplitMix64::new(session.plan.seed ^ 77);
    let Some(display) = display(session)? else { return Ok(CheckOutcome::skip(NO_KEY)) };
    if show(session.engine()?, display, "position startpos")?.key.is_none() {
        return Ok(CheckOutcome::skip(NO_KEY));
    }
    let findings = session.findings("positions");
    let mut is_blind = false;
    for (what, one, other) in SEEN {
        let engine = session.engine()?;
        let lines = [one, other].map(|fen| format!("position fen {fen}"));
        let keys = [show(engine, display, &lines[0])?.key, show(engine, display, &lines[1])?.key];
        findings.judge();
        if keys[0].is_some() && keys[0] == keys[1] {
            is_blind = true;
            let seen =
                format!("the key does not see {what}: {} for both", told(keys[0].as_deref()));
            findings.push(same_key(seen, display, &lines).cause(format!("{what} is not hashed")));
        }
    }
    if !is_blind {
        no_collisions(session, &findings, display, rounds, &mut random)?;
    }
    Ok(findings.outcome("different keys; rights, en passant and side to move are seen"))
}

fn same_key(seen: String, display: Display, lines: &[String; 2]) -> Finding {
    let script =
        Script::new().send(&lines[0]).ask(display.command).send(&lines[1]).ask(display.command);
    Finding::fail(seen)
        .expected("two keys for two positions")
        .root("blind keys")
        .shown_by(script, move |replay| two_keys(&replay.answers(display.command), |a, b| a == b))
}

fn no_collisions(
    session: &mut Session<'_>,
    findings: &Findings,
    display: Display,
    rounds: usize,
    random: &mut SplitMix64,
) -> Result<(), Stop> {
    let mut seen: HashMap<String, Position> = HashMap::new();
    for round in 0..rounds {
        if session.time_is_up() {
            break;
        }
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (_, end) = random_line(&start, random);
        let text = format!("position fen {}", end.fen());
        let Some(key) = show(session.engine()?, display, &text)?.key else { continue };
        findings.judge();
        match seen.get(&key) {
            Some(other) if !other.is_same(&end) => {
                let lines = [format!("position fen {}", other.fen()), text];
                let seen = format!("{} and {} share the key {key}", other.fen(), end.fen());
                let cause = "random numbers that repeat, or too few bits";
                findings.push(same_key(seen, display, &lines).cause(cause));
                return Ok(());
            }
            _ => _ = seen.insert(key, end),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_fens_of_real_engines() {
        for (line, key) in [
            ("Key: 8F8F01D4562F59FB", Some("8F8F01D4562F59FB")),
            ("zobrist hash = 0x463b96181691fc9c", Some("0x463b96181691fc9c")),
            ("Hash key:   463b96181691fc9c.", Some("463b96181691fc9c")),
            ("Pawn key: 37FC40DA841E1692", None),
            ("Hash table: 128 MB", None),
            ("Key: ok", None),
            ("Checkers: e4", None),
        ] {
            assert_eq!(key_in(line).as_deref(), key, "{line}");
        }
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        for line in [format!("Fen: {fen}"), fen.to_owned(), format!("fen=\"{fen}\"")] {
            assert_eq!(fen_in(&line).as_deref(), Some(fen), "{line}");
        }
    }

    #[test]
    fn what_a_key_must_see_are_positions() {
        for (what, one, other) in SEEN {
            let [one, other] = [one, other].map(|fen| {
                Position::from_fen(fen).unwrap_or_else(|error| panic!("{what}: {error}"))
            });
            assert!(!one.is_same(&other), "{what}");
        }
    }
}
