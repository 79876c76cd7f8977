//! What each fuzz target does with a text, shared by the targets themselves and by the test that
//! runs the corpus (crates/tournament/tests/fuzz_corpus.rs), so that they cannot drift apart.
//!
//! A function must not panic, whatever the text.

use dyno_chess::{Color, Position, STARTPOS};
use dyno_formats::epd::EpdReader;
use dyno_formats::lichess::Columns;
use dyno_formats::pgn::PgnReader;
use dyno_tournament::Journal;
use dyno_uci::{Command, EngineMessage, EngineOption, Info};
use std::path::Path;

/// A fuzz target: its name, which is that of its corpus, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("csv", csv),
    ("epd", epd),
    ("fen", fen),
    ("info", info),
    ("journal", journal),
    ("pgn", pgn),
    ("san", san),
    ("uci", uci),
    ("xboard", xboard),
];

/// Runs a target by its name.
pub fn run(name: &str, data: &[u8]) {
    for (target, body) in TARGETS {
        if *target == name {
            body(data);
        }
    }
}

/// Whatever loads is sound and survives being written and read again.
fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(position) = Position::from_fen(&text) {
        assert_eq!(position.verify(), Ok(()));
        let again = Position::from_fen(&position.fen()).expect("a FEN of ours");
        assert!(again.is_same(&position));
    }
}

/// A position, from a FEN on the first line if there are two, and the rest.
fn position_and_rest(text: &str) -> Option<(Position, &str)> {
    let (fen, rest) = text.split_once('\n').unwrap_or((STARTPOS, text));
    Some((Position::from_fen(fen).ok()?, rest))
}

/// A move in SAN that is read is legal and reads back.
fn san(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((position, san)) = position_and_rest(&text) else { return };
    if let Ok(mv) = position.parse_san(san) {
        assert!(position.is_legal(mv));
        assert_eq!(position.parse_san(&position.san(mv)), Ok(mv));
    }
}

/// A move in UCI notation that is read is legal and reads back; so do commands.
fn uci(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((position, uci)) = position_and_rest(&text) else { return };
    if let Ok(mv) = position.parse_uci(uci) {
        assert!(position.is_legal(mv));
        assert_eq!(position.parse_uci(&position.uci_as(mv, true)), Ok(mv));
    }
    for line in text.lines() {
        let _ = Command::parse(line);
    }
}

/// What an engine says: every line is read as each kind of message.
fn info(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        let mut found = |_| {};
        let info = Info::parse(line, &mut found);
        let _ = (info.pv_moves().count(), info.is_about_search());
        let _ = EngineMessage::parse(line, &mut found);
        if let Some(option) = EngineOption::parse(line, &mut found) {
            let default = option.default_text().unwrap_or_default();
            let _ = option.check(&default);
        }
    }
}

/// EPD: whatever is read answers every question about its operations.
fn epd(data: &[u8]) {
    for record in EpdReader::new(data).flatten() {
        assert_eq!(record.position.verify(), Ok(()));
        let _ = (record.label(), record.id(), record.has_solution());
        for mv in record.best_moves().moves.into_iter().chain(record.avoid_moves().moves) {
            assert!(record.position.is_legal(mv));
        }
        let _ = (record.line(), record.points(), record.mate(), record.evaluation());
        for operation in record.operations() {
            let _ = (operation.text(), operation.operands().count());
        }
    }
}

/// PGN: the moves of whatever is read are legal, one after the other.
fn pgn(data: &[u8]) {
    for game in PgnReader::new(data).flatten() {
        assert!(game.positions().all(|position| position.verify().is_ok()));
        let _ = game.end();
    }
}

/// The lichess puzzle database.
fn csv(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some(Ok((columns, _))) = text.lines().next().map(Columns::of_first_line) else { return };
    for row in text.lines().filter_map(|line| columns.row(line).ok()) {
        let _ = (row.themes().count(), row.theme_text());
    }
}

/// A journal of a match, whole or damaged.
fn journal(data: &[u8]) {
    let _ = Journal::read_from(Path::new("fuzzed"), data, drop);
}

/// What an XBoard engine says.
fn xboard(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((position, rest)) = position_and_rest(&text) else { return };
    for line in rest.lines() {
        for color in [Color::White, Color::Black] {
            dyno_driver::read_xboard_line(&position, color, line);
        }
    }
}
