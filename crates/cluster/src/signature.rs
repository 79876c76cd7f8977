//! Whether an engine is the same program everywhere, and how fast it runs there.

use super::terms::is_timed;
use dyno_driver::{
    Engine, EngineError, EngineSpec, Go, Interrupt, SearchControl, SearchEnd, Settings,
};
use dyno_tournament::Plan;
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
/// Speed is the best of this many stretches, the one that was disturbed least. Each is long enough
/// to show a machine that is held back by being stopped several times a second.
const STRETCHES: u32 = 2;
const STRETCH: Duration = Duration::from_secs(2);
/// Fewer nodes say nothing about speed.
const FEWEST_NODES: u64 = 10_000;
/// A search has had the processor for at least this share of its time, whatever the system counts.
const LEAST_SHARE: f64 = 0.02;

/// What a fixed amount of search shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Nodes and moves of all positions, as one word; absent where the engine cannot be told to
    /// search this many nodes.
    pub signature: Option<String>,
    pub nps: Option<u64>,
}

/// Searches the positions with a fresh process: again and again where the speed matters, which it
/// does only to matches with clocks.
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
    let threads = spec.option("Threads").and_then(|text| text.parse().ok()).unwrap_or(1);
    let began = Instant::now();
    let (nodes, time, text) = search(&mut engine, threads)?;
    let signature = text.map(|text| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned());
    let mut nps = speed(nodes, time);
    let (mut stretches, mut sum) = (0, (nodes, time));
    while is_timed && stretches < STRETCHES && began.elapsed() < PATIENCE {
        if sum.1 >= STRETCH {
            // The first search alone was no stretch.
            nps = if stretches == 0 { speed(sum.0, sum.1) } else { nps.max(speed(sum.0, sum.1)) };
            (stretches, sum) = (stretches + 1, (0, Duration::ZERO));
            continue;
        }
        let (nodes, time, _) = search(&mut engine, threads)?;
        sum = (sum.0 + nodes, sum.1 + time);
    }
    engine.quit();
    Ok(Measured { signature, nps })
}

fn speed(nodes: u64, time: Duration) -> Option<u64> {
    (nodes >= FEWEST_NODES).then(|| (nodes as f64 / time.as_secs_f64()) as u64)
}

/// The time of a search without what its threads waited, in all, for a processor that others had:
/// games that are played beside it do not make a machine slower.
fn undisturbed(elapsed: Duration, waited: Duration, threads: u32) -> Duration {
    elapsed.saturating_sub(waited / threads.max(1)).max(elapsed.mul_f64(LEAST_SHARE))
}

/// Nodes, time, and what the engine found; without the last if it took too long.
fn search(
    engine: &mut Engine,
    threads: u32,
) -> Result<(u64, Duration, Option<String>), EngineError> {
    let (mut nodes, mut time, mut text) = (0, Duration::ZERO, Some(String::new()));
    for position in POSITIONS {
        engine.prepare()?;
        // What it waited before does not count.
        engine.run_delay();
        let mut seen = 0;
        let found = engine.go_watched(position, &Go::nodes(NODES), Some(PATIENCE), |info, _| {
            seen = seen.max(info.nodes.unwrap_or(0));
            SearchControl::Continue
        })?;
        nodes += seen;
        time += undisturbed(found.elapsed, engine.run_delay(), threads);
        match (&mut text, found.end) {
            (Some(text), SearchEnd::Finished) => text.push_str(&format!("{seen} {} ", found.best)),
            _ => text = None,
        }
    }
    Ok((nodes, time, text))
}

/// How one engine is measured: by [`measure`] or by [`reference`].
pub type Measurement = fn(&EngineSpec, &Settings, bool) -> Result<Measured, EngineError>;

/// Measures the engines of a plan; those that are the same are asked once. An error comes with the
/// name of its engine.
pub fn of_engines(
    plan: &Plan,
    interrupt: &Interrupt,
    measurement: Measurement,
) -> Result<Vec<Measured>, Box<(String, EngineError)>> {
    let settings = Settings {
        handshake: Duration::from_millis(plan.machine.startup_ms),
        ready: Duration::from_millis(plan.machine.ready_ms),
        interrupt: Some(interrupt.clone()),
        ..Settings::default()
    };
    let mut known: Vec<(EngineSpec, Measured)> = Vec::new();
    let mut all = Vec::new();
    for entry in &plan.engines {
        let mut spec = entry.spec_for(plan.variant);
        spec.name = None;
        let measured = match known.iter().find(|(other, _)| *other == spec) {
            Some((_, measured)) => measured.clone(),
            None => measurement(&spec, &settings, is_timed(plan))
                .map_err(|error| Box::new((entry.name().to_owned(), error)))?,
        };
        known.push((spec, measured.clone()));
        all.push(measured);
    }
    Ok(all)
}

/// The signature of an engine that has one: the same from two processes.
pub fn reference(
    spec: &EngineSpec,
    settings: &Settings,
    is_timed: bool,
) -> Result<Measured, EngineError> {
    let (first, again) = (measure(spec, settings, is_timed)?, measure(spec, settings, false)?);
    let signature = first.signature.filter(|one| again.signature.as_ref() == Some(one));
    Ok(Measured { signature, nps: first.nps })
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

    #[test]
    fn a_machine_with_other_games_is_no_slower() {
        let ms = Duration::from_millis;
        assert_eq!(undisturbed(ms(100), ms(0), 1), ms(100));
        assert_eq!(undisturbed(ms(100), ms(60), 1), ms(40));
        assert_eq!(undisturbed(ms(100), ms(240), 4), ms(40), "four threads waited at once");
        assert_eq!(undisturbed(ms(100), ms(500), 1), ms(2), "more threads than it says");
        assert_eq!(undisturbed(ms(100), ms(0), 0), ms(100));
    }
}
