//! The machine's own speed, measured beside the engine's: a fixed piece of work of Dyno's, timed by
//! the processor's clock. Two benches of different days can then be told apart from two different
//! days of the machine.

use crate::cpu_time::thread_cpu_time;
use dyno_chess::{Position, perft};

/// The position and depth that are counted, some four million leaves, and how often.
const FEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const DEPTH: u32 = 4;

const TIMES: u32 = 3;

/// Does the work and says how many milliseconds of processor time it took.
pub(super) fn measure() -> Option<f64> {
    let position = Position::from_fen(FEN).ok()?;
    let began = thread_cpu_time();
    for _ in 0..TIMES {
        std::hint::black_box(perft::perft(std::hint::black_box(&position), DEPTH));
    }
    Some((thread_cpu_time() - began).as_secs_f64() * 1e3)
}

/// What exactly the work is: another build of Dyno counts at another speed.
pub(crate) fn identity() -> Option<String> {
    let own = std::env::current_exe().ok()?;
    let hash = dyno_driver::file_hash(&own)?;
    Some(format!("{TIMES} perft {DEPTH} of kiwipete by dyno {} {hash}", env!("CARGO_PKG_VERSION")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_work_takes_time_and_has_a_name() {
        assert!(super::measure().is_some_and(|ms| ms > 0.0));
        assert_eq!(super::identity(), super::identity());
        assert!(super::identity().is_some());
    }
}
