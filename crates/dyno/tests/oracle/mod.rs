//! The referee's referee: replays a PGN by another library's rules and says whether every result
//! and termination is right. It shares no code with what wrote the file.

#![allow(clippy::unwrap_used, reason = "a game that cannot be read must not pass")]

use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, fen::Fen};

/// A game as the PGN tells it.
#[derive(Debug, Default)]
pub struct Told {
    tags: Vec<(String, String)>,
    pub moves: Vec<String>,
    pub last_comment: String,
}

impl Told {
    pub fn tag(&self, name: &str) -> &str {
        self.tags.iter().find(|t| t.0 == name).map_or("", |t| t.1.as_str())
    }
}

/// A reader of PGN that shares nothing with ours.
pub fn games(pgn: &str) -> Vec<Told> {
    let mut games: Vec<Told> = Vec::new();
    let mut in_tags = false;
    let mut comment: Option<String> = None;
    for line in pgn.lines() {
        if comment.is_none() && line.starts_with('[') {
            if !in_tags {
                games.push(Told::default());
            }
            in_tags = true;
            let (name, value) = line[1..line.len() - 1].split_once(' ').unwrap();
            let value = value.trim_matches('"').to_owned();
            games.last_mut().unwrap().tags.push((name.to_owned(), value));
            continue;
        }
        in_tags = false;
        for word in line.split_ascii_whitespace() {
            let game = games.last_mut().unwrap();
            let opens = word.starts_with('{');
            if opens || comment.is_some() {
                let text = comment.get_or_insert_default();
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(word.trim_start_matches('{').trim_end_matches('}'));
                if word.ends_with('}') {
                    game.last_comment = comment.take().unwrap();
                }
            } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                game.moves.push(word.to_owned());
            }
        }
    }
    games
}

/// A game replayed: the last position, and the rule that has ended it.
struct Replayed {
    position: Chess,
    rule: Option<&'static str>,
}

fn replay(game: &Told) -> Replayed {
    let mode = match game.tag("Variant") {
        "fischerandom" => CastlingMode::Chess960,
        _ => CastlingMode::Standard,
    };
    let mut position: Chess = match game.tag("FEN") {
        "" => Chess::default(),
        fen => fen.parse::<Fen>().unwrap().into_position(mode).unwrap(),
    };
    let mut seen = vec![key(&position)];
    for san in &game.moves {
        assert!(ending(&position, &seen).is_none(), "moves after the end: {game:?}");
        let mv = san.parse::<SanPlus>().unwrap().san.to_move(&position);
        let mv = mv.unwrap_or_else(|e| panic!("{san}: {e} in {game:?}"));
        position = position.play(mv).unwrap();
        seen.push(key(&position));
    }
    Replayed { rule: ending(&position, &seen), position }
}

/// What makes a position the same: pieces, side to move, castling rights, a real en passant.
fn key(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.rsplitn(3, ' ').nth(2).unwrap().to_owned()
}

fn ending(position: &Chess, seen: &[String]) -> Option<&'static str> {
    let last = seen.last().unwrap();
    if position.is_checkmate() {
        Some("mates")
    } else if position.is_stalemate() {
        Some("stalemate")
    } else if position.is_insufficient_material() {
        Some("insufficient mating material")
    } else if seen.iter().filter(|s| *s == last).count() >= 3 {
        Some("3-fold repetition")
    } else if position.halfmoves() >= 100 {
        Some("fifty moves rule")
    } else {
        None
    }
}

/// Checks one game: the result fits the rule and the words, or the engine named by the words lost.
fn check(game: &Told) {
    let Replayed { position, rule } = replay(game);
    let (result, words) = (game.tag("Result"), game.last_comment.as_str());
    let mover_loses = if position.turn() == Color::White { "0-1" } else { "1-0" };
    let by_engines = ["resigns", "Draw by agreement"].iter().any(|w| words.contains(w));
    match (game.tag("Termination"), rule) {
        ("normal", Some(rule)) => {
            assert!(words.contains(rule), "{rule}: {game:?}");
            let wanted = if rule == "mates" { mover_loses } else { "1/2-1/2" };
            assert_eq!(result, wanted, "{game:?}");
        }
        ("normal", None) => assert!(by_engines, "{game:?}"),
        ("adjudication", None) => assert!(words.contains("by adjudication"), "{game:?}"),
        ("time forfeit" | "illegal move" | "abandoned" | "stalled connection", None) => {
            assert_eq!(result, mover_loses, "{game:?}");
        }
        ("rules infraction", None) => assert!(words.contains("false claim"), "{game:?}"),
        other => panic!("{other:?}: {game:?}"),
    }
}

/// Checks every game; says how many there are.
pub fn check_results(pgn: &str) -> usize {
    let games = games(pgn);
    games.iter().for_each(check);
    games.len()
}
