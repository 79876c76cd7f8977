//! Whatever is written is read back the same.
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::{Move, Position};
use dyno_formats::epd::{EpdLine, EpdRecord};
use dyno_formats::pgn::{GameResult, PgnGame, PgnLine, PgnMove, PgnReader};
use proptest::prelude::*;

/// Plays moves chosen by these numbers; ends where there is none.
fn play(start: Position, choices: &[u8]) -> Vec<(Position, Move)> {
    let mut position = start;
    let mut played = Vec::new();
    for &choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        played.push((position, mv));
        position = position.play(mv);
    }
    played
}

/// A standard start or one of Chess960's.
fn starts() -> impl Strategy<Value = Position> {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
        "4k3/P6P/8/2pP4/8/8/p6p/4K3 w - c6 0 30",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 12",
    ];
    prop::sample::select(fens.to_vec()).prop_map(|fen| Position::from_fen(fen).unwrap())
}

/// Text as writers leave it: one space between words, no braces.
fn comment() -> impl Strategy<Value = String> {
    "[!-z|~é%\\[\"]{1,12}( [!-z|~%\\[]{1,30}){0,8}"
}

#[derive(Clone, Debug)]
struct Decoration {
    choice: u8,
    nags: Vec<u8>,
    comments: Vec<String>,
    variation: Vec<u8>,
    passes: bool,
}

fn decoration() -> impl Strategy<Value = Decoration> {
    let nags = prop::collection::vec(any::<u8>(), 0..3);
    let comments = prop::collection::vec(comment(), 0..2);
    let variation = prop::collection::vec(any::<u8>(), 0..3);
    (any::<u8>(), nags, comments, variation, prop::bool::weighted(0.05)).prop_map(
        |(choice, nags, comments, variation, passes)| Decoration {
            choice,
            nags,
            comments,
            variation,
            passes,
        },
    )
}

fn game(start: Position, moves: &[Decoration]) -> PgnGame {
    let mut game = PgnGame::new(start);
    let mut position = start;
    for decoration in moves {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[usize::from(decoration.choice) % legal.len()];
        let line = play(position, &decoration.variation);
        let line: Vec<PgnMove> = line.into_iter().map(|(_, mv)| PgnMove::new(mv)).collect();
        let mut played = PgnMove {
            mv: (!decoration.passes).then_some(mv),
            nags: decoration.nags.clone(),
            comments: decoration.comments.clone(),
            variations: Vec::new(),
        };
        if !line.is_empty() {
            played.variations.push(PgnLine { comments: Vec::new(), moves: line });
        }
        let Some(next) = played.after(&position) else { continue };
        position = next;
        game.line.moves.push(played);
    }
    game
}

proptest! {
    #[test]
    fn a_game(
        start in starts(),
        moves in prop::collection::vec(decoration(), 0..40),
        before in prop::collection::vec(comment(), 0..2),
        event in "[ -~é]{0,40}",
        note in "[ -~é\\\\\"\\]]{0,40}",
        result in prop::sample::select(vec![
            GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown,
        ]),
    ) {
        let mut game = game(start, &moves);
        game.line.comments = before;
        game.result = result;
        game.tags.set("Event", &event);
        game.tags.set("Note", &note);
        let text = game.to_string();
        prop_assert!(text.lines().all(|line| !line.starts_with('%')), "{}", text);
        // A second game behind it: nothing of one leaks into the other.
        let both = format!("{text}{text}");
        let read: Vec<PgnGame> = PgnReader::new(both.as_bytes()).map(|g| g.unwrap()).collect();
        prop_assert_eq!(read.len(), 2, "{}", text);
        for again in read {
            prop_assert_eq!(&again.line, &game.line, "{}", text);
            prop_assert_eq!(again.start, game.start);
            prop_assert_eq!(again.result, result);
            for (name, value) in game.tags.iter() {
                prop_assert_eq!(again.tags.get(name), Some(value), "{}", text);
            }
            prop_assert_eq!(again.warnings, vec![]);
        }
    }

    #[test]
    fn a_position(
        start in starts(),
        choices in prop::collection::vec(any::<u8>(), 0..30),
        best in prop::collection::vec(any::<u8>(), 1..4),
        number in any::<i64>(),
        id in "[ -~éß\\\\\";#]{1,40}",
        note in "\\PC{0,60}",
    ) {
        let played = play(start, &choices);
        let position = played.last().map_or(start, |(position, _)| *position);
        let moves = position.legal_moves();
        prop_assume!(!moves.is_empty());
        let mut bm: Vec<Move> = Vec::new();
        for choice in best {
            let mv = moves[usize::from(choice) % moves.len()];
            if !bm.contains(&mv) {
                bm.push(mv);
            }
        }
        let line: Vec<Move> = play(position, &choices).into_iter().map(|(_, mv)| mv).collect();
        let text = EpdLine::new(&position)
            .moves("bm", &bm)
            .line("pv", &line)
            .number("acn", number)
            .string("id", &id)
            .string("c0", &note)
            .clocks()
            .to_string();
        let record = EpdRecord::parse(1, &text).unwrap().unwrap();
        prop_assert_eq!(record.position.fen(), position.fen(), "{}", text);
        prop_assert_eq!(record.best_moves().moves, bm, "{}", text);
        prop_assert_eq!(record.best_moves().defects, vec![], "{}", text);
        prop_assert_eq!(record.line().moves, line, "{}", text);
        prop_assert_eq!(record.text("acn").unwrap(), number.to_string());
        prop_assert_eq!(record.text("id").unwrap(), id, "{}", text);
        prop_assert_eq!(record.text("c0").unwrap(), note, "{}", text);
        prop_assert_eq!(record.to_string(), text);
    }
}
