//! PGN as the standard has it and as real files have it.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_chess::Position;
use dyno_formats::pgn::{GameResult, HeaderReader, PgnGame, PgnReader, Reason};
use proptest::prelude::*;
use std::io::BufReader;
use std::path::PathBuf;

fn games(text: &str) -> Vec<PgnGame> {
    PgnReader::new(text.as_bytes()).map(|game| game.unwrap_or_else(|e| panic!("{e}"))).collect()
}

/// The moves of a game's own line in SAN.
fn sans(game: &PgnGame) -> Vec<String> {
    game.positions().zip(game.moves()).map(|(position, mv)| position.san(mv)).collect()
}

#[test]
fn movetext_in_all_its_forms() {
    for text in [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1.e4 e5 2.Nf3 Nc6 1-0",
        "1. e4 1... e5 2. Nf3 2... Nc6 1-0",
        "e4 e5 Nf3 Nc6 1-0",
        "1. e4! e5?! 2. Nf3!? $14 Nc6 $1 1-0",
        "1. e4 {a (comment) 1-0 [x] ; y} e5 {} 2. Nf3 Nc6 1-0",
        "1. e4 ; a comment { with a brace\ne5 2. Nf3 Nc6 1-0",
        "1. e4 e5\n% escaped { line\n2. Nf3 Nc6 1-0",
        "1. e4 (1. d4 d5 (1... Nf6 {x} 2. c4) 2. c4 *) e5 2. Nf3 Nc6 1-0",
        "1. e2e4 e7-e5 2. Ng1-f3 b8c6 1-0",
        "1. e4 {over\ntwo lines} e5 2. Nf3 Nc6 1-0",
        "1. e4 e5 2. Nf3 ± Nc6 += 1-0",
        "\u{feff}1. e4 e5\r\n2. Nf3 Nc6\r\n1-0\r\n",
        "1. e4 e5 2. Nf3(2. d4)Nc6{x}1-0",
        "1. e4 <1> e5 2. Nf3 Nc6 1-0",
    ] {
        let games = games(text);
        assert_eq!(games.len(), 1, "{text}");
        assert_eq!(sans(&games[0]), ["e4", "e5", "Nf3", "Nc6"], "{text}");
        assert_eq!(games[0].result, GameResult::WhiteWins, "{text}");
        assert_eq!(games[0].warnings, [], "{text}");
    }
}

#[test]
fn annotations_stay_with_their_moves() {
    let text = "{start} 1. e4 $1 {one} {two} (1. d4 {v} d5! (1... f5)) (1. c4) e5 *";
    let game = &games(text)[0];
    assert_eq!(game.line.comments, ["start"]);
    let first = &game.line.moves[0];
    assert_eq!(
        (&first.nags[..], &first.comments[..]),
        (&[1][..], &["one".into(), "two".into()][..])
    );
    assert_eq!(first.variations.len(), 2);
    assert_eq!(first.variations[0].moves[1].nags, [1]);
    assert_eq!(first.variations[0].moves[1].variations[0].moves.len(), 1);
    assert_eq!(game.line.moves.len(), 2);
}

#[test]
fn special_moves() {
    let text = "[FEN \"r1b1k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1\"]\n\n\
        1. exd6 e.p. 0-0 2. bxc8(Q) Rfxc8 3. O-O *";
    let game = &games(text)[0];
    assert_eq!(sans(game).len(), 3 + 2, "{:?}", sans(game));
}

#[test]
fn tags_in_all_their_forms() {
    let text = "[Event \"a \\\"b\\\" \\\\ c\"]\n  [Site \"has \"stray\" quotes\"]\n[White \"x\"][Black \"y\"]\n\
        [Date 2024.01.02]\n[Round \"3\"\n[Broken\n[Annotator \"C:\\\"]\n\n1. e4 *";
    let games = games(text);
    assert_eq!(games.len(), 1);
    let tags = &games[0].tags;
    assert_eq!(tags.get("Event"), Some("a \"b\" \\ c"));
    assert_eq!(tags.get("Site"), Some("has \"stray\" quotes"));
    assert_eq!((tags.get("White"), tags.get("black")), (Some("x"), Some("y")));
    assert_eq!((tags.get("Date"), tags.get("Round")), (Some("2024.01.02"), Some("3")));
    assert_eq!(tags.get("Annotator"), Some("C:\\"));
    assert!(matches!(games[0].warnings[0].reason, Reason::Tag { .. }));
    assert_eq!(games[0].warnings[0].line, 6);
}

#[test]
fn games_are_told_apart() {
    // Without moves, without a result, without tags, on one line, after a comment.
    let text = "[Event \"1\"]\n[Result \"0-1\"]\n\n[Event \"2\"]\n\n1. e4\n\n[Event \"3\"]\n\n1. d4 1-0 \
        1. c4 1/2-1/2\n{between}\n\n[Event \"5\"] 1. Nf3\n";
    let games = games(text);
    let seen: Vec<_> = games.iter().map(|g| (g.number, g.line.moves.len(), g.result)).collect();
    use GameResult::*;
    assert_eq!(
        seen,
        [(1, 0, BlackWins), (2, 1, Unknown), (3, 1, WhiteWins), (4, 1, Draw), (5, 1, Unknown)]
    );
    assert_eq!(games[4].first_line, 13);
    let headers: Vec<_> = HeaderReader::new(text.as_bytes()).map(|h| h.unwrap()).collect();
    let seen: Vec<_> = headers.iter().map(|h| (h.number, h.first_line, h.result)).collect();
    let expected: Vec<_> = games.iter().map(|g| (g.number, g.first_line, g.result)).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_bad_game_is_an_error_and_reading_goes_on() {
    let text = "[Event \"1\"]\n\n1. e4 e5\n2. Ke3 {x} Nc6 1-0\n\n[Event \"2\"]\n[FEN \"9 w - -\"]\n\n1. e4 *\n\n\
        [Event \"3\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"4\"]\n\n1. e4 {open\n\n\
        [Event \"5\"]\n\n1. e4 f5 2. Qh5+ -- *\n\n[Event \"6\"]\n\n1. d4 *\n";
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for game in PgnReader::new(text.as_bytes()) {
        match game {
            Ok(game) => good.push(game.number),
            Err(error) => bad.push(error.to_string()),
        }
    }
    assert_eq!(good, [6]);
    let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(bad[0], format!("game 1, line 4: move 2.: \"Ke3\" is not legal in {start}"));
    assert_eq!(
        bad[1],
        "game 2, line 7: the FEN tag \"9 w - -\": the board has 1 ranks instead of 8"
    );
    assert_eq!(bad[2], "game 3, line 11: the variant \"Atomic\" is not chess or Chess960");
    assert_eq!(bad[3], "game 4, line 20: a comment opened on line 18 is not closed");
    assert_eq!(
        bad[4],
        "game 5, line 22: move 2...: \"--\" passes the turn, which a side in check cannot"
    );
}

#[test]
fn null_moves_pass_the_turn() {
    for null in ["--", "Z0", "@@@@", "0000"] {
        let game = &games(&format!("1. e4 {null} 2. Nf3 (2. d4 {null} 3. d5) e5 1-0"))[0];
        assert_eq!(game.line.moves.len(), 4, "{null}");
        assert_eq!(game.line.moves[1].mv, None);
        assert_eq!(game.line.moves[2].variations[0].moves.len(), 3);
        // What can be played from the start ends there; the positions do not.
        assert_eq!((game.moves().count(), game.positions().count()), (1, 5));
        let end = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3";
        assert_eq!(game.end().fen(), end);
        assert_eq!(games(&game.to_string())[0].line, game.line);
    }
    assert_eq!(sans(&games("1. e4 - e5 *")[0]), ["e4", "e5"]);
}

#[test]
fn castling_as_the_kings_move() {
    let opening = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5";
    for castling in ["e1-g1 e8-g8", "Ke1-g1 Ke8-g8", "Ke1g1 Ke8g8", "e1g1 e8g8", "0-0 O-O"] {
        let game = &games(&format!("{opening} 4. {castling} *"))[0];
        assert_eq!(sans(game)[6..], ["O-O", "O-O"], "{castling}");
    }
    let long = "[FEN \"r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1\"]\n\n1. e1-c1 Kf8 *";
    assert_eq!(sans(&games(long)[0])[0], "O-O-O");
}

#[test]
fn german_letters_where_the_game_keeps_to_them() {
    let german = "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd6 6. Te1 *";
    let english = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "Qd6", "Re1"];
    assert_eq!(sans(&games(german)[0]), english);
    let long =
        "1. e2-e4 e7-e5 2. Sg1-f3 Sb8-c6 3. Lf1-b5 a7-a6 4. Lb5xc6 d7xc6 5. O-O Dd8-d6 6. Tf1-e1 *";
    assert_eq!(sans(&games(long)[0]), english);
    let promotion = "[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=D+ Kg7 2. Dg8+ *";
    assert_eq!(sans(&games(promotion)[0]), ["a8=Q+", "Kg7", "Qg8+"]);
    for mixed in ["1. Sf3 Nf6 *", "1. Nf3 Sf6 *"] {
        let error = PgnReader::new(mixed.as_bytes()).next().unwrap().unwrap_err();
        assert!(matches!(error.problem.reason, Reason::Move { .. }), "{mixed}");
    }
}

/// A comment may quote a tag, at the start of a line too; one that is never closed ends where the
/// next game begins.
#[test]
fn a_tag_inside_a_comment() {
    for comment in [
        "see\n[Event \"x\"] there",
        "\n[Event \"x\"]\n",
        "as in\n\n[Event \"x\"]\n[Site \"y\"]\n\n1. e4 1-0\n",
    ] {
        let text =
            format!("[Event \"1\"]\n\n1. e4 {{{comment}}} e5 1-0\n\n[Event \"2\"]\n\n1. d4 *\n");
        let games = games(&text);
        assert_eq!(games.len(), 2, "{text}");
        assert_eq!(sans(&games[0]), ["e4", "e5"], "{text}");
        let headers: Vec<_> = HeaderReader::new(text.as_bytes()).map(|h| h.unwrap()).collect();
        let events: Vec<_> = headers.iter().map(|h| h.tags.get("Event").unwrap()).collect();
        assert_eq!(events, ["1", "2"], "{text}");
    }
    let open = "[Event \"1\"]\n\n1. e4 {never closed\n\n[Event \"2\"]\n\n1. d4 {closed} d5 *\n";
    let read: Vec<_> = PgnReader::new(open.as_bytes()).collect();
    assert!(read[0].is_err() && read[1].as_ref().is_ok_and(|game| sans(game).len() == 2));
    assert_eq!(HeaderReader::new(open.as_bytes()).count(), 2);
}

#[test]
fn an_error_keeps_the_game_up_to_it() {
    let error = PgnReader::new(&b"1. e4 e5 2. Ke3 Nc6 1-0"[..]).next().unwrap().unwrap_err();
    let partial = error.partial.unwrap();
    assert_eq!((partial.line.moves.len(), partial.result), (2, GameResult::WhiteWins));
}

/// A result inside a variation ends neither a good game nor one that is being left out.
#[test]
fn a_result_in_a_variation_after_a_fault() {
    let file = "[White \"A\"]\n\n1. e4 Ke4 (1... e5 2. Qh5 1-0) 2. Nf3 {no move of ours} 0-1\n\n\
                [White \"B\"]\n\n1. d4 1/2-1/2\n";
    let mut reader = PgnReader::new(file.as_bytes());
    let error = reader.next().unwrap().unwrap_err();
    let partial = error.partial.unwrap();
    assert_eq!((partial.line.moves.len(), partial.result), (1, GameResult::BlackWins));
    assert!(partial.line.moves[0].comments.is_empty(), "{:?}", partial.line);
    let next = reader.next().unwrap().unwrap();
    assert_eq!((next.number, next.tags.get("White")), (2, Some("B")));
    assert!(reader.next().is_none());
    let headers: Vec<_> = HeaderReader::new(file.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(headers.len(), 2, "both readers agree");
}

/// What no game holds is an error of that game, and memory stays bounded.
#[test]
fn annotations_without_end() {
    let glyphs = format!("1. e4 {}", "$1 ".repeat(200_000));
    let comments = format!("1. e4 {}", "{a} ".repeat(200_000));
    let text = format!("1. e4 {}", format!("{{{}}}\n", "a".repeat(500_000)).repeat(40));
    for (movetext, wanted) in [
        (glyphs, "more than 100000 comments and glyphs"),
        (comments, "more than 100000 comments and glyphs"),
        (text, "more than 16777216 bytes of comments"),
    ] {
        let file = format!("[White \"A\"]\n\n{movetext} e5 1-0\n\n[White \"B\"]\n\n1. d4 1-0\n");
        let mut reader = PgnReader::new(file.as_bytes());
        let error = reader.next().unwrap().unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        let kept = error.partial.unwrap();
        assert!(kept.line.moves[0].comments.len() + kept.line.moves[0].nags.len() <= 100_000);
        assert_eq!(kept.result, GameResult::WhiteWins);
        assert_eq!(reader.next().unwrap().unwrap().number, 2);
    }
    let tags = "[?\n".repeat(5_000) + "[White \"A\"]\n\n1. e4 1-0\n";
    let game = PgnReader::new(tags.as_bytes()).next().unwrap().unwrap();
    assert_eq!((game.warnings.len(), game.tags.get("White")), (1_000, Some("A")));
}

#[test]
fn a_broken_variation_leaves_the_game_whole() {
    let game = &games("1. e4 (1. e5 {x} d5 (1... d6)) e5 ) 2. Nf3 *")[0];
    assert_eq!(sans(game), ["e4", "e5", "Nf3"]);
    assert_eq!(game.warnings.len(), 2);
}

#[test]
fn chess960_castles_by_the_tags() {
    let text = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1\"]\n\n\
        1. O-O O-O-O *";
    let game = &games(text)[0];
    assert!(game.start.is_chess960());
    assert!(game.moves().all(|mv| mv.is_castling()));
    assert_eq!(games(&game.to_string())[0].line, game.line);
}

#[test]
fn the_written_form_is_the_standards() {
    let mut game = PgnGame::new(Position::startpos());
    game.tags.set("White", "A \"B\" \\");
    game.tags.set("TimeControl", "10+0.1");
    for text in ["e4", "e5", "Nf3"] {
        let mv = game.end().parse_san(text).unwrap();
        game.push(mv).comments.push("+0.31/12 0.1s".into());
    }
    game.result = GameResult::Draw;
    let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
        [White \"A \\\"B\\\" \\\\\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n[TimeControl \"10+0.1\"]\n\n\
        1. e4 {+0.31/12 0.1s} 1... e5 {+0.31/12 0.1s} 2. Nf3 {+0.31/12 0.1s} 1/2-1/2\n\n";
    assert_eq!(game.to_string(), expected);
    assert!(PgnGame::new(game.end()).tags.get("FEN").is_some());
}

#[test]
fn long_games_are_wrapped() {
    let mut game = PgnGame::new(Position::startpos());
    for round in 0..200 {
        let text = ["Nf3", "Nf6", "Ng1", "Ng8"][round % 4];
        let mv = game.end().parse_san(text).unwrap();
        game.push(mv).comments.push("a %comment that } goes on".into());
    }
    let text = game.to_string();
    assert!(text.lines().all(|line| line.len() < 90 && !line.starts_with('%')));
    let read = &games(&text)[0];
    assert_eq!(sans(read), sans(&game));
    assert_eq!(read.line.moves[7].comments, ["a %comment that ) goes on"]);
    assert_eq!(read.to_string(), text);
}

fn shared(path: &str) -> Option<PathBuf> {
    let path =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

#[test]
fn real_games_end_in_mate() {
    for (path, count) in [("mate_in_2.pgn", 166), ("mate_in_3.pgn", 375), ("mate_in_4.pgn", 373)] {
        let Some(path) = shared(&format!("open/mates/{path}")) else { return };
        let open = || BufReader::new(std::fs::File::open(&path).unwrap());
        let games: Vec<_> =
            PgnReader::new(open()).map(|g| g.unwrap_or_else(|e| panic!("{e}"))).collect();
        assert_eq!(games.len(), count);
        for game in &games {
            let end = game.end();
            assert!(end.is_check() && !end.has_legal_move(), "game {}", game.number);
            let again = PgnReader::new(game.to_string().as_bytes()).next().unwrap().unwrap();
            assert_eq!((again.start, &again.line), (game.start, &game.line));
        }
        assert_eq!(HeaderReader::new(open()).count(), count);
    }
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        exercise(&bytes);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "([ -~\n]|1\\. e4 |\\[Event \"|\\{|\\}|\\(|\\)|1-0|½|\\$){0,40}") {
        exercise(text.as_bytes());
    }
}

/// Reads everything, and what was read is written and read again.
fn exercise(bytes: &[u8]) {
    for game in PgnReader::new(bytes).take(100).flatten() {
        let text = game.to_string();
        let again = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(sans(&again), sans(&game), "{text}");
        assert_eq!(again.to_string(), text);
    }
    HeaderReader::new(bytes).take(100).for_each(drop);
}
