//! Hash and position from outside: what the engine prints of its position after moves must be what
//! it prints of the same position set up directly.

use super::CheckOutcome;
use super::engine::TestedEngine;
use super::positions::SEARCHED;
use super::session::Session;
use super::transcript::until_ready;
use dyno_chess::{Move, Position, SplitMix64};
use dyno_driver::EngineError;
use std::collections::HashMap;
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

/// What `d` shows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    fen: Option<String>,
    key: Option<String>,
}

/// What engines call the command that shows their position.
const COMMANDS: [&str; 6] = ["d", "display", "print", "printboard", "board", "show"];

/// The command by which this engine shows its position, if it has one.
fn display(session: &mut Session<'_>) -> Result<Option<&'static str>, EngineError> {
    if let Some(known) = session.display {
        return Ok(known);
    }
    let mut found = None;
    for command in COMMANDS {
        let shown = show(session.engine()?, command, "position startpos")?;
        if shown.key.is_some() || (shown.fen.is_some() && found.is_none()) {
            found = Some(command);
        }
        if shown.key.is_some() {
            break;
        }
    }
    session.display = Some(found);
    Ok(found)
}

/// Asks for the position as the engine sees it.
fn show(engine: &mut TestedEngine, command: &str, position: &str) -> Result<Shown, EngineError> {
    engine.send_line(&format!("{position}\n{command}"))?;
    let mut shown = Shown::default();
    for line in until_ready(engine, Duration::from_secs(3))? {
        if shown.fen.is_none() && line.matches('/').count() == 7 {
            shown.fen = fen_in(&line);
        } else if shown.key.is_none() {
            shown.key = key_in(&line);
        }
    }
    Ok(shown)
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
    // Keys of parts of the position, and what is no key at all.
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

const NO_KEY: &str = "the engine prints no key on `d` or the like";

pub(super) fn by_moves(session: &mut Session<'_>) -> Checked {
    let rounds = session.profile().choose(150, 1000, 5000);
    let mut random = SplitMix64::new(session.plan.seed);
    let Some(command) = display(session)? else {
        return Ok(CheckOutcome::skip("the engine prints neither FEN nor key on `d` or the like"));
    };
    let first = show(session.engine()?, command, "position startpos")?;
    let mut fens = Vec::new();
    let mut keys = Vec::new();
    let mut asked = Vec::new();
    let mut done = 0;
    for round in 0..rounds {
        if session.time_is_up() {
            break;
        }
        done += 1;
        let engine = session.engine()?;
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (words, end) = random_line(&start, &mut random);
        let long = format!("position fen {} moves {}", start.fen(), words.join(" "));
        let short = format!("position fen {}", end.fen());
        let by_moves = show(engine, command, &long)?;
        let direct = show(engine, command, &short)?;
        let mut note = |list: &mut Vec<String>, text: String| {
            list.push(text);
            if asked.is_empty() {
                asked = vec![long.clone(), command.into(), short.clone(), command.into()];
            }
        };
        if by_moves.key != direct.key {
            note(
                &mut keys,
                format!("{:?} by moves, {:?} directly: {}", by_moves.key, direct.key, end.fen()),
            );
        }
        // How en passant is written is a matter of taste; what it means is not.
        let same = |fen: &str| Position::from_fen(fen).is_ok_and(|p| p.is_same(&end));
        if let Some(fen) = by_moves.fen.as_deref().filter(|fen| !same(fen)) {
            note(
                &mut fens,
                format!("{} instead of {}", without_clocks(fen), without_clocks(&end.fen())),
            );
        }
    }
    Ok(if !fens.is_empty() {
        CheckOutcome::fail(format!("{} of {done} positions after moves are wrong", fens.len())).evidence(fens)
    } else if !keys.is_empty() {
        let count = keys.len();
        CheckOutcome::fail(format!("{count} of {done} keys after moves differ from the key of the same position set up directly: the incremental hash drifts"))
            .evidence(keys)
    } else if first.key.is_none() {
        CheckOutcome::pass(format!("{done} positions after moves are right; no key is printed"))
    } else {
        CheckOutcome::pass(format!("{done} positions: FEN and key after moves are those of the position itself"))
    }
    .reproduce(asked))
}

pub(super) fn transpositions(session: &mut Session<'_>) -> Checked {
    let pairs = [
        ("e2e4 e7e5 g1f3", "g1f3 e7e5 e2e4"),
        ("d2d4 g8f6 c2c4 e7e6", "c2c4 e7e6 d2d4 g8f6"),
        ("g1f3 g8f6 f3g1 f6g8 e2e3 e7e6", "e2e3 e7e6"),
        ("b1c3 b8c6 d2d3 d7d6 c1e3 c8e6", "d2d3 d7d6 c1e3 c8e6 b1c3 b8c6"),
        ("e2e3 e7e6 f1e2 f8e7 g1f3 g8f6 e1g1 e8g8", "g1f3 g8f6 e2e3 e7e6 f1e2 f8e7 e1g1 e8g8"),
    ];
    let Some(command) = display(session)? else { return Ok(CheckOutcome::skip(NO_KEY)) };
    let engine = session.engine()?;
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    for (one, other) in pairs {
        let lines = [one, other].map(|moves| format!("position startpos moves {moves}"));
        let (a, b) = (show(engine, command, &lines[0])?, show(engine, command, &lines[1])?);
        if a.key.is_none() {
            return Ok(CheckOutcome::skip(NO_KEY));
        }
        if a.key != b.key {
            wrong.push(format!("{:?} after {one}, {:?} after {other}", a.key, b.key));
            asked = vec![lines[0].clone(), command.into(), lines[1].clone(), command.into()];
        }
    }
    Ok(if wrong.is_empty() {
        CheckOutcome::pass(format!("{} transpositions share their keys", pairs.len()))
    } else {
        CheckOutcome::fail(format!("{} transpositions have different keys", wrong.len()))
            .evidence(wrong)
    }
    .reproduce(asked))
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
    let Some(command) = display(session)? else { return Ok(CheckOutcome::skip(NO_KEY)) };
    let engine = session.engine()?;
    if show(engine, command, "position startpos")?.key.is_none() {
        return Ok(CheckOutcome::skip(NO_KEY));
    }
    for (what, one, other) in SEEN {
        let lines = [one, other].map(|fen| format!("position fen {fen}"));
        let (a, b) = (show(engine, command, &lines[0])?, show(engine, command, &lines[1])?);
        if let (Some(a), Some(b)) = (a.key, b.key)
            && a == b
        {
            return Ok(CheckOutcome::fail(format!("the key does not see {what}"))
                .evidence([format!("{a} for both {one} and {other}")])
                .reproduce([lines[0].as_str(), command, lines[1].as_str(), command]));
        }
    }
    let mut seen: HashMap<String, Position> = HashMap::new();
    let mut done = 0;
    for round in 0..rounds {
        if session.time_is_up() {
            break;
        }
        done += 1;
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (_, end) = random_line(&start, &mut random);
        let text = format!("position fen {}", end.fen());
        let Some(key) = show(session.engine()?, command, &text)?.key else { continue };
        match seen.get(&key) {
            Some(other) if !other.is_same(&end) => {
                let first = format!("position fen {}", other.fen());
                return Ok(CheckOutcome::fail(format!(
                    "two different positions share the key {key}"
                ))
                .evidence([other.fen(), end.fen()])
                .reproduce([first.as_str(), command, text.as_str(), command]));
            }
            _ => _ = seen.insert(key, end),
        }
    }
    Ok(CheckOutcome::pass(format!(
        "{done} positions, {} keys; rights, en passant and side to move are seen",
        seen.len()
    )))
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
