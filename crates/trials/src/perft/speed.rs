//! How fast we count.

use super::{NAMED, Named, PerftError};
use crate::cpu_time::thread_cpu_time;
use dyno_chess::{Position, perft};
use dyno_driver::RunHeader;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// How to repeat the published comparison with other move generators in one run.
pub const PEER_RECIPE: &str = "RUSTFLAGS=\"-C target-cpu=native\" cargo bench -p dyno-trials --bench perft --features cozy-pext";

/// What happened while measuring.
#[derive(Clone, Copy, Debug)]
pub enum SpeedEvent<'a> {
    /// A position was measured in every round.
    Measured(&'a SpeedRow),
}

/// One position measured: its best round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpeedRow {
    /// The position's name.
    pub name: String,
    /// The depth.
    pub depth: u32,
    /// The leaves.
    pub nodes: u64,
    /// The processor time in seconds.
    pub dyno_seconds: f64,
}

/// All positions measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpeedResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// How many times each position was measured; the best counts.
    pub rounds: usize,
    /// One row a position.
    pub rows: Vec<SpeedRow>,
    /// All leaves divided by all time.
    pub dyno_nps: f64,
    /// Whether all positions were measured.
    pub complete: bool,
}

/// Measures single-threaded, bulk-counted perft without a table on the six named positions.
pub fn measure_speed(
    rounds: usize,
    stop: &dyn Fn() -> bool,
    sink: &mut dyn FnMut(SpeedEvent),
) -> Result<SpeedResult, PerftError> {
    let rounds = rounds.max(1);
    let mut header = RunHeader::begin("perft bench", json!({ "rounds": rounds }));
    let start = Instant::now();
    let mut rows = Vec::new();
    for named in &NAMED {
        let Some(row) = measure(named, rounds, stop)? else { break };
        sink(SpeedEvent::Measured(&row));
        rows.push(row);
    }
    let nodes: f64 = rows.iter().map(|row| row.nodes as f64).sum();
    let seconds: f64 = rows.iter().map(|row| row.dyno_seconds).sum();
    header.seconds = start.elapsed().as_secs_f64();
    Ok(SpeedResult {
        header,
        rounds,
        complete: rows.len() == NAMED.len(),
        rows,
        dyno_nps: nodes / seconds.max(f64::MIN_POSITIVE),
    })
}

fn measure(
    named: &'static Named,
    rounds: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Option<SpeedRow>, PerftError> {
    let Named { name, depth, nodes, .. } = *named;
    let position = Position::from_fen(named.fen)?;
    let mut dyno_seconds = f64::MAX;
    for _ in 0..rounds {
        let start = thread_cpu_time();
        let found = perft::perft(&position, depth);
        dyno_seconds = dyno_seconds.min((thread_cpu_time() - start).as_secs_f64());
        if found != nodes {
            return Err(PerftError::Miscounted { position: name, depth, found, expected: nodes });
        }
        if stop() {
            return Ok(None);
        }
    }
    Ok(Some(SpeedRow { name: name.to_owned(), depth, nodes, dyno_seconds }))
}
