//! The machine's own speed, measured beside the engine's: a fixed piece of work of Dyno's, timed by
//! the processor's clock. Two benches of different days can then be told apart from two different
//! days of the machine.

use dyno_chess::{Position, perft};
use std::time::Instant;

/// The position and depth that are counted, some four million leaves, and how often.
const FEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const DEPTH: u32 = 4;

const TIMES: u32 = 3;

/// Does the work and says how many milliseconds of processor time it took.
pub(super) fn measure() -> Option<f64> {
    let position = Position::from_fen(FEN).ok()?;
    let (began, before) = (Instant::now(), thread_ms());
    for _ in 0..TIMES {
        std::hint::black_box(perft::perft(std::hint::black_box(&position), DEPTH));
    }
    match (before, thread_ms()) {
        (Some(before), Some(after)) => Some(after - before),
        _ => Some(began.elapsed().as_secs_f64() * 1e3),
    }
}

/// The processor time of this thread, where the system tells it.
fn thread_ms() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e6)
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
