//! A FEN, a line break, a move in UCI notation: whatever is read is legal and reads back.
#![no_main]

use dyno_chess::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (fen, uci) = text.split_once('\n').unwrap_or((dyno_chess::STARTPOS, text));
    let Ok(position) = Position::from_fen(fen) else { return };
    if let Ok(mv) = position.parse_uci(uci) {
        assert!(position.is_legal(mv));
        assert_eq!(position.parse_uci(&position.uci_as(mv, true)), Ok(mv));
    }
});
