//! Moves and positions survive being written and read.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{RICH, Random};
use dyno_chess::{MoveTextError, Position};
use std::collections::HashSet;

fn walk(seed: u64, games: usize, plies: usize, check: impl Fn(&Position)) {
    let mut random = Random::new(seed);
    for fen in RICH {
        for _ in 0..games {
            let mut position = Position::from_fen(fen).unwrap();
            for _ in 0..plies {
                check(&position);
                let Some(mv) = random.pick(&position) else { break };
                position = position.play(mv);
            }
        }
    }
}

#[test]
fn moves_read_back_in_every_notation() {
    walk(7, 8, 80, |position| {
        let mut seen = HashSet::new();
        for mv in &position.legal_moves() {
            let san = position.san(mv);
            assert!(seen.insert(san.clone()), "{san} twice in {position}");
            assert_eq!(position.parse_san(&san), Ok(mv), "{san} in {position}");
            let bare = san.trim_end_matches(['+', '#']);
            assert_eq!(position.parse_san(bare), Ok(mv), "{bare} in {position}");
            let uci = position.uci(mv);
            assert_eq!(position.parse_uci(&uci), Ok(mv), "{uci} in {position}");
            let upper = uci.to_uppercase();
            assert_eq!(position.parse_uci(&upper), Ok(mv), "{upper} in {position}");
            let rook = position.uci_as(mv, true);
            assert_eq!(position.parse_uci(&rook), Ok(mv), "{rook} in {position}");
            if !mv.is_castling() {
                let role = position.role_at(mv.from()).unwrap().upper_letter();
                let promotion =
                    mv.promotion().map_or(String::new(), |r| format!("={}", r.upper_letter()));
                let long = format!("{role}{}-{}{promotion}", mv.from(), mv.to());
                assert_eq!(position.parse_san(&long), Ok(mv), "{long} in {position}");
            }
        }
    });
}

/// Whatever is said of a destination without its origin is either the one move or refused.
#[test]
fn a_short_text_is_never_guessed() {
    walk(8, 4, 60, |position| {
        let moves = position.legal_moves();
        for mv in moves.iter().copied().filter(|mv| !mv.is_castling()) {
            let role = position.role_at(mv.from()).unwrap();
            let alike = moves.iter().filter(|other| {
                other.to() == mv.to()
                    && other.promotion() == mv.promotion()
                    && !other.is_castling()
                    && position.role_at(other.from()) == Some(role)
            });
            let promotion =
                mv.promotion().map_or(String::new(), |r| format!("={}", r.upper_letter()));
            let text = format!("{}{}{promotion}", role.upper_letter(), mv.to());
            match (alike.count(), position.parse_san(&text)) {
                (1, Ok(read)) => assert_eq!(read, mv, "{text} in {position}"),
                (n, Err(MoveTextError::Ambiguous { candidates, .. })) if n > 1 => {
                    assert_eq!(candidates.len(), n, "{text} in {position}");
                }
                (n, other) => panic!("{text} in {position}: {n} moves fit, {other:?}"),
            }
        }
    });
}

#[test]
fn checks_are_foreseen() {
    walk(10, 20, 100, |position| {
        for mv in &position.legal_moves() {
            assert_eq!(
                position.gives_check(mv),
                position.play(mv).is_check(),
                "{mv:?} in {position}"
            );
        }
    });
}

#[test]
fn positions_read_back() {
    walk(9, 8, 80, |position| {
        let again = Position::from_fen(&position.shredder_fen()).unwrap();
        assert_eq!(again.fen(), position.fen());
        assert_eq!(again.key(), again.key_from_scratch());
        assert_eq!(again.key(), position.key());
        assert_eq!(
            (again.pawn_key(), again.material_key()),
            (position.pawn_key(), position.material_key())
        );
        assert!(position.fen().starts_with(&position.epd()));
    });
}

#[test]
fn nonsense_is_refused() {
    let position = Position::from_fen(RICH[1]).unwrap();
    for text in
        ["", "x", "e", "O-O-O-O", "OO-", "é4", "Ké2", "e9", "i4", "Qq", "=Q", "a1a1a1a1a1", "--"]
    {
        let castling = text == "OO-";
        assert_eq!(position.parse_san(text).is_ok(), castling, "{text}");
        assert!(position.parse_uci(text).is_err(), "{text}");
    }
}
