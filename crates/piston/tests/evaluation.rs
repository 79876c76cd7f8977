//! The evaluation is the same for both sides and from both wings, and goes by its weights.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::{Color, Position};
use dyno_piston::bench::POSITIONS;
use dyno_piston::eval::{Cache, evaluate, trace};

/// All positions two half-moves from the bench's, some thousands.
fn positions() -> impl Iterator<Item = Position> {
    POSITIONS.iter().flat_map(|fen| {
        let root = Position::from_fen(fen).unwrap();
        let one: Vec<Position> = root.legal_moves().into_iter().map(|mv| root.play(mv)).collect();
        one.into_iter().flat_map(|next| {
            next.legal_moves().into_iter().step_by(5).map(|mv| next.play(mv)).collect::<Vec<_>>()
        })
    })
}

#[test]
fn mirrored_positions_have_the_same_evaluation() {
    let mut cache = Cache::default();
    for pos in positions() {
        let here = evaluate(&pos, &mut cache);
        assert_eq!(here, evaluate(&pos.mirrored(), &mut cache), "{pos}");
    }
}

#[test]
fn the_pawn_cache_changes_nothing() {
    let mut cache = Cache::default();
    for pos in positions().step_by(7) {
        let here = evaluate(&pos, &mut cache);
        assert_eq!(here, evaluate(&pos, &mut Cache::default()), "{pos}");
    }
}

#[test]
fn the_tuner_sees_what_is_played() {
    let mut cache = Cache::default();
    for pos in positions().step_by(3) {
        let Some((counts, phase, scale)) = trace(&pos) else { continue };
        let worth = counts.worth();
        let (middlegame, endgame) = (worth.middlegame(), worth.endgame());
        let white = (middlegame * phase * 64 + endgame * (24 - phase) * scale) / (24 * 64);
        let here = if pos.side_to_move() == Color::White { white } else { -white };
        assert_eq!(evaluate(&pos, &mut cache), here, "{pos}");
    }
}

#[test]
fn more_is_better_and_dead_draws_are_draws() {
    let eval = |fen: &str| evaluate(&Position::from_fen(fen).unwrap(), &mut Cache::default());
    assert!(eval("4k3/8/8/8/8/8/8/QK6 w - - 0 1") > 1000);
    assert!(eval("4k3/8/8/8/8/8/8/QK6 b - - 0 1") < -1000);
    assert_eq!(eval("4k3/8/8/8/8/8/8/1KNN4 w - - 0 1"), 0);
    assert_eq!(eval("k7/8/8/8/7P/8/8/1K2B3 w - - 0 1").signum(), 1);
    // The bishop does not guard the corner where the king sits.
    assert!(eval("7k/8/8/7P/8/8/8/1K2B2B w - - 0 1") > 100);
    assert!(eval("7k/8/8/7P/8/8/8/1K1B4 w - - 0 1").abs() < 100);
}
