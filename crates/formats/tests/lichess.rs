//! Puzzle rows of every vintage.
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_formats::lichess::{Columns, RowError};
use proptest::prelude::*;

const ROW: &str = "00008,r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24,f2g3 e6e7,1800,77,95,8421,crushing long,https://lichess.org/x#48";

#[test]
fn nine_ten_and_eleven_columns() {
    for tail in ["", ",", ",Sicilian_Defense", ",Sicilian_Defense,2024-01-01", "\r", "\r\n"] {
        let line = format!("{ROW}{tail}");
        let (columns, is_header) = Columns::of_first_line(&line).unwrap();
        assert!(!is_header);
        let row = columns.row(&line).unwrap();
        assert_eq!((row.id.as_ref(), row.rating, row.deviation), ("00008", Some(1800), Some(77)));
        assert_eq!((row.popularity, row.plays), (Some(95), Some(8421)));
        assert_eq!(row.url, "https://lichess.org/x#48", "{tail:?}");
        assert_eq!(row.themes().count(), 2);
    }
}

#[test]
fn the_header_decides() {
    let header = "Themes,\"Moves\",Extra, fen ,PuzzleId,Rating";
    let (columns, is_header) = Columns::of_first_line(header).unwrap();
    assert!(is_header);
    let row = columns.row("a b,\"e2e4 \"\"e7e5\"\"\" x,,8/8 w,id,").unwrap();
    assert_eq!((row.fen.as_ref(), row.moves.as_ref()), ("8/8 w", "e2e4 \"e7e5\""));
    assert_eq!((row.id.as_ref(), row.rating), ("id", None));
    let missing = Columns::of_first_line("PuzzleId,FEN,Rating").unwrap_err();
    assert_eq!(missing, RowError::NoColumn { name: "Moves" });
}

#[test]
fn bad_rows_say_why() {
    let (columns, _) = Columns::of_first_line(ROW).unwrap();
    assert_eq!(columns.row("a,b").unwrap_err(), RowError::TooShort { found: 2, needed: 3 });
    assert_eq!(columns.row("a,\"b,c").unwrap_err(), RowError::OpenQuote);
}

/// pandas writes a column of whole numbers with gaps as floating point.
#[test]
fn numbers_with_a_point_and_numbers_that_are_none() {
    let (columns, _) = Columns::of_first_line(ROW).unwrap();
    let row = columns.row("a,b,c,1800.0,77.0,-95.0,6608.0,x").unwrap();
    assert_eq!((row.rating, row.deviation), (Some(1800), Some(77)));
    assert_eq!((row.popularity, row.plays), (Some(-95), Some(6608)));
    assert_eq!(row.ignored, None);
    for (numbers, told) in [
        ("hard,77,95,8421", "the rating is \"hard\", not a number"),
        ("1800,77,nan,8421", "the popularity is \"nan\", not a number"),
        ("1800.5,77,95,1e400", "the rating is \"1800.5\", not a number"),
    ] {
        let line = format!("a,b,c,{numbers},x");
        let row = columns.row(&line).unwrap();
        assert_eq!((row.id.as_ref(), row.moves.as_ref()), ("a", "c"));
        assert_eq!(row.ignored.unwrap().to_string(), told);
    }
    assert_eq!(columns.row("a,b,c,,,,,x").unwrap().ignored, None);
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "[ -~é,\"\r]{0,80}") {
        if let Ok((columns, _)) = Columns::of_first_line(&text) {
            let _ = columns.row(&text);
        }
    }

    #[test]
    fn fields_survive_quoting(id in "[ -~]{0,20}", moves in "[ -~]{0,20}") {
        let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let (columns, _) = Columns::of_first_line(ROW).unwrap();
        let line = format!("{},x,{}", quote(&id), quote(&moves));
        let row = columns.row(&line).unwrap();
        prop_assert_eq!((row.id.as_ref(), row.moves.as_ref()), (id.as_str(), moves.as_str()));
    }
}
