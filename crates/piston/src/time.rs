//! How long to think.

use dyno_chess::{Color, Position};
use dyno_uci::Go;

/// The time for one move, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// When to stop if all is calm; no new iteration begins after it.
    pub soft: u64,
    /// When to stop in any case.
    pub hard: u64,
    /// Whether the soft limit may be stretched or cut as the search goes.
    pub flexible: bool,
}

/// Clock searches reckon with at most this many moves to go.
const HORIZON: i64 = 40;

impl Budget {
    /// The budget that the limits and the clock leave for a move in the position, if they limit the
    /// time at all. `overhead` is what the way to the GUI costs, in milliseconds.
    pub fn new(go: &Go, root: &Position, overhead: u64) -> Option<Budget> {
        if let Some(ms) = go.movetime {
            // The answer has to be out when the time is up, not begun.
            let ms = if ms > 20 { ms - 2 } else { ms.max(1) };
            return Some(Budget { soft: ms, hard: ms, flexible: false });
        }
        let (time, increment) = match root.side_to_move() {
            Color::White => (go.wtime, go.winc),
            Color::Black => (go.btime, go.binc),
        };
        let time = time?.clamp(0, 1 << 40);
        let increment = increment.unwrap_or(0).clamp(0, 1 << 40);
        let overhead = overhead as i64;
        let moves = go.movestogo.map_or(HORIZON, |n| i64::from(n).clamp(1, HORIZON));
        // What may be spent at all, keeping a little for the way to the GUI at each move.
        let usable = (time - overhead).max(1);
        let whole = (time + increment * (moves - 1) - overhead * (moves + 1).min(12)).max(1);
        let share = match go.movestogo {
            Some(1) => whole * 8 / 10,
            Some(_) => whole / moves,
            // The way to the GUI is paid from the increment, or the clock would run down to where
            // a busy machine loses on time. What the increment does not cover is put aside, as far
            // as the clock allows, for a game longer than foreseen.
            None => {
                let gain = increment - overhead;
                let moves = moves_ahead(root.fullmove_number(), gain > 0);
                let aside = (-gain.min(0) * moves * 3).min(usable * 3 / 4);
                ((usable - aside) / moves + gain.max(0)).max(1)
            }
        };
        let cap = match go.movestogo {
            Some(1) => usable * 9 / 10,
            Some(n) => usable * 10 / (15 + 5 * i64::from(n.min(10))),
            None => usable / 4,
        };
        let hard = (share * 5).min(cap).max(1);
        let soft = share.min(hard);
        Some(Budget { soft: soft as u64, hard: hard as u64, flexible: true })
    }
}

/// For how many moves the clock should last. It is fewer as the game goes on: the moves in the
/// middle of a game matter as much as the first ones. A clock that no move refills must last longer.
fn moves_ahead(number: u32, refilled: bool) -> i64 {
    let (first, least) = if refilled { (21, 13) } else { (26, 18) };
    (first - i64::from(number) / 4).max(least)
}

/// What the search tells of its progress, to decide whether another iteration is worth starting.
pub struct Progress {
    /// For how many iterations the best move has been the same.
    pub stable: u32,
    /// How many centipawns the score has fallen since the last iteration.
    pub fallen: i32,
    /// The part of all nodes spent on the best move, in per cent.
    pub effort: u64,
}

impl Budget {
    /// The time after which no new iteration should begin, given how things go.
    pub fn stop_after(&self, progress: &Progress) -> u64 {
        if !self.flexible {
            return self.hard;
        }
        const CALM: [u64; 7] = [200, 140, 110, 95, 85, 80, 75];
        let calm = CALM[(progress.stable as usize).min(CALM.len() - 1)];
        let worry = u64::from((90 + progress.fallen.clamp(-10, 60)).unsigned_abs());
        let doubt = 155 - progress.effort.min(100) * 85 / 100;
        // Each in per cent.
        (self.soft * calm * worry / 100 * doubt / 10_000).clamp(1, self.hard)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn clock(time: i64, increment: i64, moves: Option<u32>) -> Budget {
        clock_at(1, time, increment, moves)
    }

    /// The budget at a move of the game.
    fn clock_at(number: u32, time: i64, increment: i64, moves: Option<u32>) -> Budget {
        let go = Go { wtime: Some(time), winc: Some(increment), movestogo: moves, ..Go::default() };
        let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}");
        Budget::new(&go, &Position::from_fen(&fen).unwrap(), 10).unwrap()
    }

    #[test]
    fn no_clock_no_budget() {
        assert_eq!(Budget::new(&Go::depth(5), &Position::startpos(), 10), None);
        let go = Go { btime: Some(1000), ..Go::default() };
        let root = Position::startpos();
        assert_eq!(Budget::new(&go, &root, 10), None);
        assert!(Budget::new(&go, &root.play_null(), 10).is_some());
    }

    #[test]
    fn the_whole_clock_is_never_spent() {
        for time in [-50, 0, 1, 5, 20, 60, 100, 1_000, 60_000, 7_200_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40)] {
                    let budget = clock(time, increment, moves);
                    assert!(budget.soft <= budget.hard, "{time} {increment} {moves:?}");
                    assert!(budget.hard as i64 <= (time - 10).max(1), "{time}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn a_whole_game_fits_the_clock() {
        // Spending the hard limit at every move, with 8 ms lost on the way each time.
        let (mut left, increment) = (1_000, 10);
        for _ in 0..300 {
            left -= clock(left, increment, None).hard as i64 + 8;
            assert!(left > 0);
            left += increment;
        }
    }

    #[test]
    fn a_long_game_fits_a_clock_of_any_kind() {
        // Spending half as much again as calm positions get, with 3 ms lost on the way each time.
        for (time, increment) in [(10_000, 0), (60_000, 0), (1_000, 10), (5_000, 50), (8_000, 80)] {
            let mut left = time;
            for number in 1..=130 {
                let budget = clock_at(number, left, increment, None);
                left -= (budget.soft * 3 / 2).min(budget.hard) as i64 + 3;
                assert!(left > 0, "{time}+{increment} at move {number}");
                left += increment;
            }
        }
    }

    #[test]
    fn worry_and_doubt_stretch_calm_cuts() {
        let budget = Budget { soft: 1000, hard: 5000, flexible: true };
        let calm = budget.stop_after(&Progress { stable: 9, fallen: -5, effort: 95 });
        let worried = budget.stop_after(&Progress { stable: 0, fallen: 60, effort: 20 });
        assert!(calm < 700 && worried > 2000, "{calm} {worried}");
        let fixed = Budget { soft: 98, hard: 98, flexible: false };
        assert_eq!(fixed.stop_after(&Progress { stable: 9, fallen: -5, effort: 95 }), 98);
    }
}
