//! Whatever loads is sound and survives being written and read again.
#![no_main]

use dyno_chess::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(position) = Position::from_fen(text) {
        assert_eq!(position.verify(), Ok(()));
        let again = Position::from_fen(&position.fen()).expect("a FEN of ours");
        assert!(again.is_same(&position));
    }
});
