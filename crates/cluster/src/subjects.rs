//! The names of everything on the server.
//!
//! A worker's own name stands where permissions can tell it apart: it may write under it and
//! nowhere else.

/// Pairs that wait for a worker: `dyno.work.RUN.PAIR`.
pub const WORK: &str = "dyno-work";
/// Results that wait for their coordinator: `dyno.result.WORKER.RUN.PAIR.ISSUE`.
pub const RESULTS: &str = "dyno-results";
/// The matches at hand, a key each.
pub const MATCHES: &str = "dyno-matches";
/// The workers, a key each, as they last told of themselves.
pub const WORKERS: &str = "dyno-workers";
/// Engines, nets and books by their BLAKE3 hash.
pub const FILES: &str = "dyno-files";
/// Matches begin, change or end; workers look again.
pub const NEWS: &str = "dyno.news";

pub fn work(run: &str, pair: u64) -> String {
    format!("dyno.work.{run}.{pair}")
}

pub fn work_of(run: &str) -> String {
    format!("dyno.work.{run}.>")
}

pub fn result(worker: &str, run: &str, pair: u64, issue: u32) -> String {
    format!("dyno.result.{worker}.{run}.{pair}.{issue}")
}

pub fn results_of(run: &str) -> String {
    format!("dyno.result.*.{run}.>")
}

/// What a worker tells while it plays.
pub fn event(worker: &str, run: &str) -> String {
    format!("dyno.event.{worker}.{run}")
}

pub fn events_of(run: &str) -> String {
    format!("dyno.event.*.{run}")
}

/// The stream of a bucket of keys and values.
pub fn kv_stream(bucket: &str) -> String {
    format!("KV_{bucket}")
}

pub fn kv(bucket: &str, key: &str) -> String {
    format!("$KV.{bucket}.{key}")
}

/// The part of a subject after this many dots.
pub fn part(subject: &str, index: usize) -> Option<&str> {
    subject.split('.').nth(index)
}

/// A name that can stand in a subject and in a file name.
pub fn safe(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().map(safe).take(60).collect();
    if name.is_empty() { "worker".to_owned() } else { name }
}
