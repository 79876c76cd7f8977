//! Cases as data, the other direction of reading, and malformed texts.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

mod common;

use common::{RICH, Random};
use dyno_chess::{MoveTextError, Position};
use proptest::prelude::*;
use std::io::Write as _;
use std::process::{Command, Stdio};

fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split_once(" => ").unwrap_or_else(|| panic!("no => in {line}")))
}

#[test]
fn fens_are_read_or_refused_as_listed() {
    for (fen, expected) in cases(include_str!("data/fens.txt")) {
        let read = Position::from_fen(fen).map(|position| position.fen());
        let strict = Position::from_fen_strict(fen).map(|position| position.fen());
        if let Some(written) = expected.strip_prefix("ok") {
            let written = if written.is_empty() { fen } else { written.trim() };
            assert_eq!(read.as_deref(), Ok(written));
            assert_eq!(strict.as_deref(), Ok(written));
        } else if let Some(message) = expected.strip_prefix("strict: ") {
            assert!(read.is_ok(), "{fen}: {read:?}");
            assert_eq!(strict.unwrap_err().to_string(), message, "{fen}");
        } else {
            assert_eq!(read.unwrap_err().to_string(), expected, "{fen}");
            assert!(strict.is_err());
        }
    }
}

#[test]
fn san_is_read_or_refused_as_listed() {
    for (case, expected) in cases(include_str!("data/san.txt")) {
        let (fen, text) = case.split_once(" | ").unwrap();
        let position = Position::from_fen(fen).unwrap();
        let read = match position.parse_san(text) {
            Ok(mv) => position.uci(mv),
            Err(MoveTextError::Syntax { .. }) => "syntax".into(),
            Err(MoveTextError::Illegal { .. }) => "illegal".into(),
            Err(MoveTextError::Ambiguous { .. }) => "ambiguous".into(),
            Err(other) => other.to_string(),
        };
        assert_eq!(read, expected, "{case}");
    }
}

/// FEN, SAN and Polyglot keys of random games as python-chess has them.
#[test]
fn python_chess_agrees() {
    const SCRIPT: &str = "
import sys, chess, chess.polyglot
for number, line in enumerate(sys.stdin, 1):
    fen, key, moves = line.rstrip('\\n').split('|')
    board = chess.Board(fen, chess960=True)
    assert board.is_valid(), (number, fen)
    assert board.fen(en_passant='legal') == fen, (number, fen, board.fen())
    assert '%016x' % chess.polyglot.zobrist_hash(board) == key, (number, fen)
    theirs = ' '.join(sorted(board.san(m) for m in board.legal_moves))
    assert theirs == moves, (number, fen, theirs, moves)
print('agreed on', number)
";
    let child = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let available = Command::new("python3")
        .args(["-c", "import chess"])
        .output()
        .is_ok_and(|o| o.status.success());
    let (Ok(mut child), true) = (child, available) else {
        eprintln!("skipped: no python3 with python-chess");
        return;
    };
    let mut random = Random::new(5);
    let mut lines = String::new();
    for game in 0..40u16 {
        let number = random.below(960) as u16;
        let mut position =
            if game % 2 == 0 { Position::startpos() } else { Position::chess960_start(number) };
        for _ in 0..60 {
            let mut moves: Vec<String> =
                position.legal_moves().into_iter().map(|mv| position.san(mv)).collect();
            moves.sort();
            let key = position.polyglot_key();
            lines += &format!("{}|{key:016x}|{}\n", position.fen(), moves.join(" "));
            let Some(mv) = random.pick(&position) else { break };
            position = position.play(mv);
        }
    }
    // A child that stops early says why on its standard error.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Text near a FEN or a move: the right letters in a wrong order, and anything at all.
fn near() -> impl Strategy<Value = String> {
    prop_oneof!["[KQRBNPkqrbnp1-9/ wb\\-a-hHA]{0,90}", "[a-hKQRBNPx1-8=+#O0\\-]{0,9}", ".{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_text_breaks_the_readers(text in near(), pick in 0..RICH.len()) {
        if let Ok(position) = Position::from_fen(&text) {
            prop_assert_eq!(position.verify(), Ok(()));
        }
        let position = Position::from_fen(RICH[pick]).unwrap();
        for mv in [position.parse_san(&text), position.parse_uci(&text)].into_iter().flatten() {
            prop_assert!(position.is_legal(mv));
        }
    }

    #[test]
    fn a_damaged_fen_is_refused_or_sound(pick in 0..RICH.len(), at in 0usize..60, with in any::<char>()) {
        let mut letters: Vec<char> = RICH[pick].chars().collect();
        let at = at % letters.len();
        letters[at] = with;
        if let Ok(position) = Position::from_fen(&letters.into_iter().collect::<String>()) {
            prop_assert_eq!(position.verify(), Ok(()));
            let again = Position::from_fen(&position.fen()).unwrap();
            prop_assert!(again.is_same(&position));
        }
    }

    #[test]
    fn very_long_text_is_refused(letter in any::<char>(), length in 1000usize..20000) {
        let text: String = std::iter::repeat_n(letter, length).collect();
        let position = Position::startpos();
        prop_assert!(position.parse_san(&text).is_err() && position.parse_uci(&text).is_err());
        prop_assert!(Position::from_fen(&text).is_err());
    }
}
