//! How fast we count, with a peer measured in the same run.

use super::{NAMED, Named, PerftError};
use dyno_chess::{Position, perft};
use dyno_driver::RunHeader;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What happened while measuring.
#[derive(Clone, Copy, Debug)]
pub enum BenchEvent<'a> {
    /// A position was measured in every round.
    Measured(&'a BenchRow),
}

/// One position measured: the best round of each program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchRow {
    /// The position's name.
    pub name: String,
    /// The depth.
    pub depth: u32,
    /// The leaves.
    pub nodes: u64,
    /// Our time in seconds.
    pub dyno_seconds: f64,
    /// cozy-chess's time in seconds.
    pub cozy_seconds: f64,
}

/// All positions measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// What the peer was built with.
    pub peer: String,
    /// How often each was measured; the best counts.
    pub rounds: usize,
    /// One row a position.
    pub rows: Vec<BenchRow>,
    /// All leaves by all time.
    pub dyno_nps: f64,
    /// The same of cozy-chess.
    pub cozy_nps: f64,
    /// How many times as fast we are, over all positions together.
    pub ratio: f64,
    /// Whether all positions were measured.
    pub complete: bool,
}

/// What the peer was built with.
const PEER: &str = if cfg!(feature = "cozy-pext") {
    "cozy-chess 0.3 with pext"
} else {
    "cozy-chess 0.3 without pext"
};

/// Measures single-threaded, bulk-counted perft without a table on the six named positions, turn
/// by turn with cozy-chess.
pub fn bench(
    rounds: usize,
    stop: &dyn Fn() -> bool,
    sink: &mut dyn FnMut(BenchEvent),
) -> Result<BenchResult, PerftError> {
    let rounds = rounds.max(1);
    let mut header = RunHeader::begin("perft bench", json!({ "rounds": rounds }));
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut complete = true;
    for named in &NAMED {
        match measure(named, rounds, stop)? {
            Some(row) => {
                sink(BenchEvent::Measured(&row));
                rows.push(row);
            }
            None => {
                complete = false;
                break;
            }
        }
    }
    let sum = |of: fn(&BenchRow) -> f64| rows.iter().map(of).sum::<f64>().max(f64::MIN_POSITIVE);
    let nodes = sum(|row| row.nodes as f64);
    let (dyno, cozy) = (sum(|row| row.dyno_seconds), sum(|row| row.cozy_seconds));
    header.seconds = start.elapsed().as_secs_f64();
    Ok(BenchResult {
        header,
        peer: PEER.to_owned(),
        rounds,
        rows,
        dyno_nps: nodes / dyno,
        cozy_nps: nodes / cozy,
        ratio: cozy / dyno,
        complete,
    })
}

fn measure(
    named: &'static Named,
    rounds: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Option<BenchRow>, PerftError> {
    let position = Position::from_fen(named.fen)?;
    let wrong = |program, found| PerftError::WrongPeer {
        program,
        position: named.name,
        depth: named.depth,
        found,
        expected: named.nodes,
    };
    let peer: cozy_chess::Board = named.fen.parse().map_err(|_| wrong("cozy-chess", 0))?;
    let (mut dyno_seconds, mut cozy_seconds) = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        let start = cpu_time();
        let found = perft::perft(&position, named.depth);
        dyno_seconds = dyno_seconds.min((cpu_time() - start).as_secs_f64());
        if found != named.nodes {
            return Err(wrong("dyno", found));
        }
        if stop() {
            return Ok(None);
        }
        let start = cpu_time();
        let found = cozy(&peer, named.depth);
        cozy_seconds = cozy_seconds.min((cpu_time() - start).as_secs_f64());
        if found != named.nodes {
            return Err(wrong("cozy-chess", found));
        }
        if stop() {
            return Ok(None);
        }
    }
    let (name, depth, nodes) = (named.name.to_owned(), named.depth, named.nodes);
    Ok(Some(BenchRow { name, depth, nodes, dyno_seconds, cozy_seconds }))
}

/// Bulk-counted perft as cozy-chess's own example does it.
fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth <= 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += cozy(&next, depth - 1);
            }
        }
        false
    });
    nodes
}

/// The time this thread has run: what others do on the machine matters less.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
