//! Every line of the built-in suites is sound.

use dyno_formats::epd::EpdReader;
use dyno_trials::{BALANCED_OPENINGS, Kind, builtin_suite, builtins};

#[test]
fn every_line_is_sound() {
    for suite in builtins(Kind::Epd) {
        let mut count = 0;
        for record in EpdReader::new(suite.text.as_bytes()) {
            let record = record.unwrap_or_else(|e| panic!("{}: {e}", suite.name));
            let moves = record.best_moves();
            assert!(moves.defects.is_empty() && !moves.moves.is_empty(), "{}", record.raw);
            count += 1;
        }
        assert_eq!(count, suite.positions(), "{}", suite.name);
    }
    assert_eq!(builtin_suite("WAC").map(|s| s.positions()), Some(300));
    assert_eq!(builtin_suite("bratko-kopec").map(|s| s.positions()), Some(24));
}

#[test]
fn every_opening_is_reached_by_its_moves_and_even() {
    use dyno_formats::epd::Stated;
    let mut seen = std::collections::HashSet::new();
    for record in EpdReader::new(BALANCED_OPENINGS.text.as_bytes()) {
        let record = record.unwrap_or_else(|e| panic!("{e}"));
        let mut position = dyno_chess::Position::startpos();
        for word in record.text("c0").unwrap_or_default().split(' ') {
            if let Ok(mv) = position.parse_san(word) {
                position = position.play(mv);
            }
        }
        assert_eq!(position.epd(), record.position.epd(), "{}", record.raw);
        assert!(seen.insert(position.key()), "twice: {}", record.raw);
        let even = |stated| matches!(stated, Stated::Centipawns(cp) if cp.abs() <= 60);
        assert!(record.evaluation().is_some_and(even), "{}", record.raw);
    }
    assert_eq!((seen.len(), BALANCED_OPENINGS.positions()), (417, 417));
}

#[test]
fn every_count_is_sound() {
    for suite in builtins(Kind::Perft) {
        let file = dyno_trials::perft::PerftFile::read(suite.text);
        assert_eq!(file.defects, [], "{}", suite.name);
        assert_eq!(file.lines.len(), suite.positions(), "{}", suite.name);
    }
    let counts = |name| builtins(Kind::Perft).find(|s| s.is_named(name)).map(|s| s.positions());
    assert_eq!(counts("chess960"), Some(960));
}
