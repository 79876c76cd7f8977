//! The answers about single moves agree with the list of all of them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{RICH, Random};
use dyno_chess::perft::{Options, Table, count};
use dyno_chess::{GenKind, Move, Position};

fn walk(seed: u64, games: usize, plies: usize, mut check: impl FnMut(&Position, &mut Random)) {
    let mut random = Random::new(seed);
    for fen in RICH {
        for _ in 0..games {
            let mut position = Position::from_fen(fen).unwrap();
            for _ in 0..plies {
                check(&position, &mut random);
                let Some(mv) = random.pick(&position) else { break };
                position = position.play(mv);
            }
        }
    }
}

#[test]
fn is_legal_says_yes_to_exactly_the_listed_moves() {
    walk(1, 1, 40, |position, _| {
        let listed = position.legal_moves();
        for bits in 0..=u16::MAX {
            let mv = Move::from_bits(bits);
            assert_eq!(
                position.is_legal(mv),
                listed.contains(&mv),
                "{mv:?} ({bits}) in {position}"
            );
        }
    });
}

#[test]
fn kinds_divide_the_moves() {
    walk(2, 20, 80, |position, _| {
        let mut all = position.legal_moves().to_vec();
        assert_eq!(position.has_legal_move(), !all.is_empty(), "{position}");
        let captures = position.generate(GenKind::Captures);
        let quiets = position.generate(GenKind::Quiets);
        for mv in &captures {
            assert!(position.is_capture(mv) || mv.promotion().is_some(), "{mv:?} in {position}");
        }
        for mv in &quiets {
            assert!(!position.is_capture(mv) && mv.promotion().is_none(), "{mv:?} in {position}");
        }
        let mut both: Vec<Move> = captures.into_iter().chain(quiets).collect();
        all.sort();
        both.sort();
        assert_eq!(all, both, "{position}");
        let mut evasions = position.generate(GenKind::Evasions).to_vec();
        evasions.sort();
        assert_eq!(evasions, if position.is_check() { all } else { Vec::new() }, "{position}");
    });
}

/// The fast count of the last two plies against playing every move.
#[test]
fn pairs_agree_with_playing_every_move() {
    walk(3, 40, 120, |position, _| {
        let moves = position.legal_moves();
        let replies = |mv| position.play(mv).legal_moves().len() as u64;
        let played: u64 = moves.into_iter().map(replies).sum();
        let counted = dyno_chess::perft::perft(position, 2);
        assert_eq!(counted, played, "{position}");
    });
}

/// What is remembered, of positions and of half positions, against counting anew.
#[test]
fn remembered_counts_agree_with_fresh_ones() {
    let table = Table::new(4).unwrap();
    let options = Options { table: Some(&table), ..Options::default() };
    walk(4, 1, 40, |position, _| {
        let remembered = count(position, 4, &options);
        assert_eq!(remembered, count(position, 4, &Options::default()), "{position}");
    });
}
