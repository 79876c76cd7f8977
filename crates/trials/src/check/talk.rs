//! Plain conversation with an engine, every line kept: the checks want to see all that is said.

use dyno_driver::{Engine, EngineError};
use dyno_uci::{Bound, Deviation, Info, Score};
use std::time::{Duration, Instant};

/// A line of thought with the time since `go`.
#[derive(Clone, Debug)]
pub(super) struct Thought {
    pub at: Duration,
    pub line: String,
    pub depth: Option<u32>,
    pub multipv: u32,
    pub score: Option<Score>,
    pub exact: bool,
    pub nodes: Option<u64>,
    pub time_ms: Option<u64>,
    pub pv: Vec<String>,
    pub deviations: Vec<Deviation>,
}

impl Thought {
    fn read(line: &str, at: Duration) -> Thought {
        let mut deviations = Vec::new();
        let info = Info::parse(line, &mut |deviation| deviations.push(deviation));
        Thought {
            at,
            depth: info.depth,
            multipv: info.multipv.unwrap_or(1),
            score: info.score,
            exact: info.bound == Bound::Exact,
            nodes: info.nodes,
            time_ms: info.time_ms,
            pv: info.pv_moves().map(str::to_owned).collect(),
            line: line.to_owned(),
            deviations,
        }
    }
}

/// A search, from `go` to `bestmove`.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub asked: Vec<String>,
    pub thoughts: Vec<Thought>,
    pub best: String,
    pub ponder: Option<String>,
    pub elapsed: Duration,
    /// It had to be stopped.
    pub overran: bool,
}

impl Search {
    /// The last exact score of the best line.
    pub fn score(&self) -> Option<Score> {
        self.last(|t| t.score).flatten()
    }

    /// The nodes last told.
    pub fn nodes(&self) -> Option<u64> {
        self.thoughts.iter().rev().find_map(|t| t.nodes)
    }

    fn last<T>(&self, get: impl Fn(&Thought) -> T) -> Option<T> {
        let mut lines = self.thoughts.iter().rev();
        lines.find(|t| t.multipv == 1 && t.exact && !t.pv.is_empty()).map(get)
    }
}

/// Sends a position and a search and waits for its end; after `patience` it is stopped.
pub(super) fn search(
    engine: &mut Engine,
    position: &str,
    go: &str,
    patience: Duration,
) -> Result<Search, EngineError> {
    let began = engine.send_line(&format!("{position}\n{go}"))?;
    let asked = vec![position.to_owned(), go.to_owned()];
    finish(engine, Search { asked, ..Search::default() }, began, patience)
}

/// Waits for the end of a search that has begun.
pub(super) fn finish(
    engine: &mut Engine,
    mut search: Search,
    began: Instant,
    patience: Duration,
) -> Result<Search, EngineError> {
    let mut deadline = began + patience;
    loop {
        match engine.read_line(Some(deadline))? {
            Some((line, at)) => {
                let at = at.saturating_duration_since(began);
                if let Some(rest) = line.trim().strip_prefix("bestmove") {
                    let mut words = rest.split_whitespace();
                    search.best = words.next().unwrap_or_default().to_owned();
                    search.ponder = words.nth(1).map(str::to_owned);
                    search.elapsed = at;
                    return Ok(search);
                }
                if line.trim_start().starts_with("info") && search.thoughts.len() < 20_000 {
                    let line = line.to_owned();
                    search.thoughts.push(Thought::read(&line, at));
                }
            }
            None if search.overran => {
                return Err(EngineError::Hung {
                    engine: engine.name().to_owned(),
                    after: began.elapsed(),
                });
            }
            None => {
                search.overran = true;
                engine.send_line("stop")?;
                deadline = Instant::now() + Duration::from_secs(3);
            }
        }
    }
}

/// Everything said until the deadline.
pub(super) fn listen(engine: &mut Engine, span: Duration) -> Result<Vec<String>, EngineError> {
    let deadline = Instant::now() + span;
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if lines.len() < 20_000 {
            lines.push(line.to_owned());
        }
    }
    Ok(lines)
}

/// Everything said up to `readyok`, which must come in time.
pub(super) fn until_ready(
    engine: &mut Engine,
    patience: Duration,
) -> Result<Vec<String>, EngineError> {
    engine.send_line("isready")?;
    let deadline = Instant::now() + patience;
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if line.trim() == "readyok" {
            return Ok(lines);
        }
        if lines.len() < 20_000 {
            lines.push(line.to_owned());
        }
    }
    Err(EngineError::NotReady {
        engine: engine.name().to_owned(),
        asked: "isready",
        after: patience,
    })
}
