//! Hash and position from outside: what the engine prints of its position after moves must be what
//! it prints of the same position set up directly.

use super::Outcome;
use super::lab::Lab;
use super::positions::{Random, SEARCHED};
use super::talk::until_ready;
use dyno_chess::{Move, Position};
use dyno_driver::{Engine, EngineError};
use std::collections::HashMap;
use std::time::Duration;

type Checked = Result<Outcome, EngineError>;

/// What `d` shows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    fen: Option<String>,
    key: Option<String>,
}

/// Asks for the position as the engine sees it.
fn show(engine: &mut Engine, position: &str) -> Result<Shown, EngineError> {
    engine.send_line(&format!("{position}\nd"))?;
    let mut shown = Shown::default();
    for line in until_ready(engine, Duration::from_secs(3))? {
        let Some((name, value)) = line.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim();
        if name == "fen" || name.ends_with(" fen") {
            shown.fen = Some(value.to_owned());
        } else if matches!(
            name.as_str(),
            "key" | "hash" | "zobrist" | "zobrist key" | "hash key" | "position key"
        ) {
            shown.key = value.split_whitespace().next().map(str::to_owned);
        }
    }
    Ok(shown)
}

/// A random line from a start, with the position it leads to.
fn random_line(start: &Position, random: &mut Random) -> (Vec<String>, Position) {
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

const NO_KEY: &str = "the engine prints no key on `d`";

pub(super) fn by_moves(lab: &mut Lab<'_>) -> Checked {
    let rounds = lab.profile().choose(150, 1000, 5000);
    let mut random = Random(lab.plan.seed);
    let engine = lab.engine()?;
    let first = show(engine, "position startpos")?;
    if first == Shown::default() {
        return Ok(Outcome::skip("the engine prints neither FEN nor key on `d`"));
    }
    let mut fens = Vec::new();
    let mut keys = Vec::new();
    let mut asked = Vec::new();
    for round in 0..rounds {
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (words, end) = random_line(&start, &mut random);
        let long = format!("position fen {} moves {}", start.fen(), words.join(" "));
        let short = format!("position fen {}", end.fen());
        let by_moves = show(engine, &long)?;
        let direct = show(engine, &short)?;
        let mut note = |list: &mut Vec<String>, text: String| {
            list.push(text);
            if asked.is_empty() {
                asked = vec![long.clone(), "d".into(), short.clone(), "d".into()];
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
        Outcome::fail(format!("{} of {rounds} positions after moves are wrong", fens.len())).evidence(fens)
    } else if !keys.is_empty() {
        let count = keys.len();
        Outcome::fail(format!("{count} of {rounds} keys after moves differ from the key of the same position set up directly: the incremental hash drifts"))
            .evidence(keys)
    } else if first.key.is_none() {
        Outcome::pass(format!("{rounds} positions after moves are right; no key is printed"))
    } else {
        Outcome::pass(format!("{rounds} positions: FEN and key after moves are those of the position itself"))
    }
    .reproduce(asked))
}

pub(super) fn transpositions(lab: &mut Lab<'_>) -> Checked {
    let pairs = [
        ("e2e4 e7e5 g1f3", "g1f3 e7e5 e2e4"),
        ("d2d4 g8f6 c2c4 e7e6", "c2c4 e7e6 d2d4 g8f6"),
        ("g1f3 g8f6 f3g1 f6g8 e2e3 e7e6", "e2e3 e7e6"),
        ("b1c3 b8c6 d2d3 d7d6 c1e3 c8e6", "d2d3 d7d6 c1e3 c8e6 b1c3 b8c6"),
        ("e2e3 e7e6 f1e2 f8e7 g1f3 g8f6 e1g1 e8g8", "g1f3 g8f6 e2e3 e7e6 f1e2 f8e7 e1g1 e8g8"),
    ];
    let engine = lab.engine()?;
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    for (one, other) in pairs {
        let lines = [one, other].map(|moves| format!("position startpos moves {moves}"));
        let (a, b) = (show(engine, &lines[0])?, show(engine, &lines[1])?);
        if a.key.is_none() {
            return Ok(Outcome::skip(NO_KEY));
        }
        if a.key != b.key {
            wrong.push(format!("{:?} after {one}, {:?} after {other}", a.key, b.key));
            asked = vec![lines[0].clone(), "d".into(), lines[1].clone(), "d".into()];
        }
    }
    Ok(if wrong.is_empty() {
        Outcome::pass(format!("{} transpositions share their keys", pairs.len()))
    } else {
        Outcome::fail(format!("{} transpositions have different keys", wrong.len())).evidence(wrong)
    }
    .reproduce(asked))
}

pub(super) fn distinct(lab: &mut Lab<'_>) -> Checked {
    let pairs = [
        (
            "castling rights",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1",
        ),
        (
            "castling rights",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
        ),
        (
            "the side to move",
            "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1",
        ),
        (
            "the en-passant square",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
        ),
    ];
    let rounds = lab.profile().choose(300, 3000, 20_000);
    let mut random = Random(lab.plan.seed ^ 77);
    let engine = lab.engine()?;
    if show(engine, "position startpos")?.key.is_none() {
        return Ok(Outcome::skip(NO_KEY));
    }
    for (what, one, other) in pairs {
        let lines = [one, other].map(|fen| format!("position fen {fen}"));
        let (a, b) = (show(engine, &lines[0])?, show(engine, &lines[1])?);
        if a.key == b.key {
            return Ok(Outcome::fail(format!("the key does not see {what}"))
                .evidence([format!("{:?} for both {one} and {other}", a.key)])
                .reproduce([lines[0].as_str(), "d", lines[1].as_str(), "d"]));
        }
    }
    let mut seen: HashMap<String, Position> = HashMap::new();
    for round in 0..rounds {
        let Ok(start) = Position::from_fen(SEARCHED[round % SEARCHED.len()]) else { continue };
        let (_, end) = random_line(&start, &mut random);
        let text = format!("position fen {}", end.fen());
        let Some(key) = show(engine, &text)?.key else { continue };
        match seen.get(&key) {
            Some(other) if !other.is_same(&end) => {
                return Ok(Outcome::fail(format!("two different positions share the key {key}"))
                    .evidence([other.fen(), end.fen()])
                    .reproduce([
                        format!("position fen {}", other.fen()),
                        "d".into(),
                        text,
                        "d".into(),
                    ]));
            }
            _ => _ = seen.insert(key, end),
        }
    }
    Ok(Outcome::pass(format!(
        "{} positions, {} keys; rights, en passant and side to move are seen",
        rounds,
        seen.len()
    )))
}
