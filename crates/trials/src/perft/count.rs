//! One count, with what is to be said about it.

use super::{file::PerftFile, nps};
use dyno_chess::perft::{self, Options, OutOfMemory, Progress, Table};
use dyno_chess::{FenError, Position};
use dyno_driver::RunHeader;
use dyno_suites::{Kind, builtins};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// What to count.
#[derive(Clone, Debug)]
pub struct CountPlan {
    /// What the user calls the position.
    pub name: String,
    /// The position.
    pub position: Position,
    /// How deep.
    pub depth: u32,
    /// How many threads share the work.
    pub threads: usize,
    /// The size of the table in mebibytes; none counts without one.
    pub hash_mb: Option<usize>,
    /// Whether to say of what kind the leaves are; slow.
    pub detail: bool,
}

/// What happened while counting.
#[derive(Clone, Copy, Debug)]
pub enum CountEvent {
    /// Another part is done.
    Progress(Progress),
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum PerftError {
    /// A FEN that is not a position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A table that does not fit.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A count of the bench that differs from the published one.
    #[error("{position} at depth {depth} has {expected} leaves, and {found} were counted")]
    Miscounted {
        /// The position's name.
        position: &'static str,
        /// The depth.
        depth: u32,
        /// What was counted.
        found: u64,
        /// The published count.
        expected: u64,
    },
}

/// A count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// What the user calls the position.
    pub name: String,
    /// The position.
    pub fen: String,
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
    /// How deep it was counted.
    pub depth: u32,
    /// The threads that shared the work.
    pub threads: usize,
    /// The size of the table that was used, in bytes.
    pub hash_bytes: Option<usize>,
    /// The leaves; all of them when complete.
    pub nodes: u128,
    /// Whether the count came to its end.
    pub complete: bool,
    /// Leaves a second.
    pub nps: f64,
    /// The leaves below each move, sorted by the move's text.
    pub moves: Vec<Divided>,
    /// The kinds of the leaves of every depth, if wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<DetailRow>,
    /// The published count, where a built-in suite holds one.
    pub published: Option<Published>,
}

/// The leaves below a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divided {
    /// The move in UCI notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The leaves below it.
    pub nodes: u128,
    /// Whether they are all of them.
    pub complete: bool,
}

/// The kinds of the leaves of one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in dyno_chess::perft::Detail")]
pub struct DetailRow {
    pub depth: u32,
    pub nodes: u64,
    pub captures: u64,
    pub en_passants: u64,
    pub castles: u64,
    pub promotions: u64,
    pub checks: u64,
    pub discovered_checks: u64,
    pub double_checks: u64,
    pub mates: u64,
}

/// A count that others have published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The built-in suite that holds it.
    pub suite: String,
    /// The count.
    pub nodes: u128,
}

/// Counts. A count that is stopped returns what is known.
pub fn count(
    plan: &CountPlan,
    stop: &(dyn Fn() -> bool + Sync),
    sink: &(dyn Fn(CountEvent) + Sync),
) -> Result<CountResult, PerftError> {
    let mut header = RunHeader::begin(
        "perft",
        json!({
            "position": plan.name,
            "fen": plan.position.fen(),
            "depth": plan.depth,
            "threads": plan.threads,
            "hash_mb": plan.hash_mb,
            "detail": plan.detail,
        }),
    );
    let start = Instant::now();
    let table = match plan.hash_mb {
        Some(megabytes) => Some(perft::fitting_table(&plan.position, plan.depth, megabytes)?),
        None => None,
    };
    let progress = |progress| sink(CountEvent::Progress(progress));
    let options =
        Options { threads: plan.threads, table: table.as_ref(), stop, progress: &progress };
    let counted = perft::count(&plan.position, plan.depth, &options);
    let seconds = start.elapsed().as_secs_f64();
    header.seconds = seconds;
    let mut complete = counted.complete;
    let mut detail = Vec::new();
    if plan.detail && complete {
        let (rows, whole) = perft::detail(&plan.position, plan.depth, &options);
        complete = whole;
        detail = rows.into_iter().zip(1..).map(detail_row).collect();
    }
    let mut moves: Vec<Divided> = counted
        .moves
        .iter()
        .map(|found| Divided {
            mv: plan.position.uci(found.mv),
            nodes: found.nodes,
            complete: found.complete,
        })
        .collect();
    moves.sort_by(|a, b| a.mv.cmp(&b.mv));
    Ok(CountResult {
        header,
        name: plan.name.clone(),
        fen: plan.position.fen(),
        chess960: plan.position.is_chess960(),
        depth: plan.depth,
        threads: plan.threads,
        hash_bytes: table.as_ref().map(Table::bytes),
        nodes: counted.nodes,
        complete,
        nps: nps(counted.nodes, seconds),
        moves,
        detail,
        published: published(&plan.position, plan.depth),
    })
}

fn detail_row((row, depth): (perft::Detail, u32)) -> DetailRow {
    DetailRow {
        depth,
        nodes: row.nodes,
        captures: row.captures,
        en_passants: row.en_passants,
        castles: row.castles,
        promotions: row.promotions,
        checks: row.checks,
        discovered_checks: row.discovered_checks,
        double_checks: row.double_checks,
        mates: row.mates,
    }
}

/// The count that a built-in suite holds for a position.
fn published(position: &Position, depth: u32) -> Option<Published> {
    let key = position.shredder_fen();
    let four = |fen: &str| fen.split(' ').take(4).map(str::to_owned).collect::<Vec<_>>();
    builtins(Kind::Perft).find_map(|suite| {
        let file = PerftFile::read(suite.text);
        let line =
            file.lines.iter().find(|line| four(&line.position.shredder_fen()) == four(&key))?;
        let (_, nodes) = line.counts.iter().find(|(known, _)| *known == depth)?;
        Some(Published { suite: suite.name.to_owned(), nodes: *nodes })
    })
}
