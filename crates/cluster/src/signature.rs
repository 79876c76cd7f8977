//! Whether an engine is the same program everywhere, and how fast it runs there.

use dyno_driver::{Engine, EngineError, EngineSpec, Go, SearchControl, SearchEnd, Settings};
use std::time::{Duration, Instant};

/// Positions of all phases.
const POSITIONS: [&str; 4] = [
    "startpos",
    "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
];
/// Nodes for each of them.
const NODES: u64 = 25_000;
/// The longest that one of them may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Speed is measured for at least this long, and this often: the best of several short runs is the
/// one that was disturbed least.
const MEASURED: Duration = Duration::from_millis(600);
const ROUNDS: u32 = 3;
/// Fewer nodes say nothing about speed.
const FEWEST_NODES: u64 = 10_000;

/// What a fixed amount of search shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Nodes and moves of all positions, as one word; absent where the engine cannot be told to
    /// search this many nodes.
    pub signature: Option<String>,
    pub nps: Option<u64>,
}

/// Searches the positions with a fresh process: repeatedly where the speed matters, which it does
/// only to matches with clocks.
pub fn measure(
    spec: &EngineSpec,
    settings: &Settings,
    is_timed: bool,
) -> Result<Measured, EngineError> {
    let mut engine = Engine::start(spec, settings)?;
    if !engine.capabilities().node_limit {
        engine.quit();
        return Ok(Measured::default());
    }
    let began = Instant::now();
    let mut measured = Measured::default();
    for round in 0.. {
        let enough =
            if is_timed { round >= ROUNDS && began.elapsed() >= MEASURED } else { round > 0 };
        if enough || began.elapsed() > PATIENCE {
            break;
        }
        let (nodes, time, text) = search(&mut engine)?;
        if round == 0 {
            measured.signature = text.map(|t| blake3::hash(t.as_bytes()).to_hex()[..16].to_owned());
        }
        let nps = (nodes >= FEWEST_NODES).then(|| (nodes as f64 / time.as_secs_f64()) as u64);
        measured.nps = measured.nps.max(nps);
    }
    engine.quit();
    Ok(measured)
}

/// Nodes, time, and what the engine found; without the last if it took too long.
fn search(engine: &mut Engine) -> Result<(u64, Duration, Option<String>), EngineError> {
    let (mut nodes, mut time, mut text) = (0, Duration::ZERO, Some(String::new()));
    for position in POSITIONS {
        engine.prepare()?;
        let mut seen = 0;
        let found = engine.go_watched(position, &Go::nodes(NODES), Some(PATIENCE), |info, _| {
            seen = seen.max(info.nodes.unwrap_or(0));
            SearchControl::Continue
        })?;
        nodes += seen;
        time += found.elapsed;
        match (&mut text, found.end) {
            (Some(text), SearchEnd::Finished) => text.push_str(&format!("{seen} {} ", found.best)),
            _ => text = None,
        }
    }
    Ok((nodes, time, text))
}

/// The signature of an engine that has one: the same from two processes.
pub fn reference(
    spec: &EngineSpec,
    settings: &Settings,
    is_timed: bool,
) -> Result<Measured, EngineError> {
    let (first, second) = (measure(spec, settings, is_timed)?, measure(spec, settings, is_timed)?);
    let signature = first.signature.filter(|one| second.signature.as_ref() == Some(one));
    Ok(Measured { signature, nps: first.nps.max(second.nps) })
}

/// By how much the time limits are multiplied on a machine of these speeds: the mean over the
/// engines, as a ratio.
pub fn time_factor(reference: &[Option<u64>], here: &[Option<u64>]) -> f64 {
    let ratio =
        |(then, now): (&Option<u64>, &Option<u64>)| Some((*then)? as f64 / (*now)?.max(1) as f64);
    let ratios: Vec<f64> = reference.iter().zip(here).filter_map(ratio).collect();
    if ratios.is_empty() {
        return 1.0;
    }
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_speed_is_twice_the_time() {
        let factor = |reference: &[Option<u64>], here: &[Option<u64>]| time_factor(reference, here);
        assert_eq!(factor(&[Some(1000)], &[Some(500)]), 2.0);
        assert!((factor(&[Some(1000), Some(400)], &[Some(500), Some(200)]) - 2.0).abs() < 1e-9);
        assert_eq!(factor(&[Some(1000), None], &[None, Some(7)]), 1.0);
        assert_eq!(factor(&[], &[]), 1.0);
    }
}
