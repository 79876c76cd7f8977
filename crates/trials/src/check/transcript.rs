//! Plain conversation with an engine, every line kept: the checks want to see all that is said.

use super::engine::TestedEngine;
use dyno_driver::{EngineError, SearchControl, SearchEnd};
use dyno_uci::{Bound, Command, Deviation, Info, Score};
use std::time::{Duration, Instant};

/// Lines that are kept of one answer; an engine that floods is not remembered for ever.
const MOST_LINES: usize = 20_000;

/// A line of thought with the time since `go`.
#[derive(Clone, Debug)]
pub(super) struct InfoLine {
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

impl InfoLine {
    fn read(line: &str, at: Duration) -> InfoLine {
        let mut deviations = Vec::new();
        let info = Info::parse(line, &mut |deviation| deviations.push(deviation));
        InfoLine { deviations, ..InfoLine::of(&info, line.to_owned(), at) }
    }

    fn of(info: &Info<'_>, line: String, at: Duration) -> InfoLine {
        InfoLine {
            at,
            depth: info.depth,
            multipv: info.multipv.unwrap_or(1),
            score: info.score,
            exact: info.bound == Bound::Exact,
            nodes: info.nodes,
            time_ms: info.time_ms,
            pv: info.pv_moves().map(str::to_owned).collect(),
            line,
            deviations: Vec::new(),
        }
    }
}

/// A search, from `go` to `bestmove`.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub asked: Vec<String>,
    pub thoughts: Vec<InfoLine>,
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

    fn last<T>(&self, get: impl Fn(&InfoLine) -> T) -> Option<T> {
        let mut lines = self.thoughts.iter().rev();
        lines.find(|t| t.multipv == 1 && t.exact && !t.pv.is_empty()).map(get)
    }
}

/// Sends a position and a search and waits for its end; after `patience` it is stopped.
pub(super) fn search(
    engine: &mut TestedEngine,
    position: &str,
    go: &str,
    patience: Duration,
) -> Result<Search, EngineError> {
    if !engine.capabilities().uci_commands {
        return search_xboard(engine, position, go, patience);
    }
    let began = engine.send_line(&format!("{position}\n{go}"))?;
    let asked = vec![position.to_owned(), go.to_owned()];
    finish(engine, Search { asked, ..Search::default() }, began, patience)
}

/// The same in XBoard's words, which the driver knows.
fn search_xboard(
    engine: &mut TestedEngine,
    position: &str,
    go: &str,
    patience: Duration,
) -> Result<Search, EngineError> {
    let limit = match Command::parse(go) {
        Ok(Command::Go(limit)) => limit,
        _ => return Ok(Search::default()),
    };
    settle_xboard(engine)?;
    let patience = engine.patience(patience);
    let mut thoughts = Vec::new();
    let root = position.trim_start_matches("position ");
    let found = engine.go_watched(root, &limit, Some(patience), |info, at| {
        if thoughts.len() < MOST_LINES {
            let pv: Vec<&str> = info.pv_moves().collect();
            let line = format!("depth {:?} pv {}", info.depth.unwrap_or(0), pv.join(" "));
            thoughts.push(InfoLine::of(info, line, at));
        }
        SearchControl::Continue
    })?;
    Ok(Search {
        asked: vec![position.to_owned(), go.to_owned()],
        thoughts,
        best: found.best,
        ponder: found.ponder,
        elapsed: found.elapsed,
        overran: found.end == SearchEnd::Overran,
    })
}

/// The word that the last game is over may come after its last move: it must not be taken for the
/// answer to the next question.
fn settle_xboard(engine: &mut TestedEngine) -> Result<(), EngineError> {
    engine.new_game()?;
    engine.is_ready(Duration::from_secs(5))?;
    for _ in 0..20 {
        let quiet = Instant::now() + Duration::from_millis(10);
        if engine.read_line(Some(quiet))?.is_none() {
            break;
        }
    }
    Ok(())
}

/// Waits for the end of a search that has begun.
pub(super) fn finish(
    engine: &mut TestedEngine,
    mut search: Search,
    began: Instant,
    patience: Duration,
) -> Result<Search, EngineError> {
    let mut deadline = began + engine.patience(patience);
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
                if line.trim_start().starts_with("info") && search.thoughts.len() < MOST_LINES {
                    let line = line.to_owned();
                    search.thoughts.push(InfoLine::read(&line, at));
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
                deadline = Instant::now() + engine.patience(Duration::from_secs(3));
            }
        }
    }
}

/// Everything said until the deadline.
pub(super) fn listen(
    engine: &mut TestedEngine,
    span: Duration,
) -> Result<Vec<String>, EngineError> {
    let deadline = Instant::now() + span;
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if lines.len() < MOST_LINES {
            lines.push(line.to_owned());
        }
    }
    Ok(lines)
}

/// Everything said up to `readyok`, which must come in time.
pub(super) fn until_ready(
    engine: &mut TestedEngine,
    patience: Duration,
) -> Result<Vec<String>, EngineError> {
    if !engine.capabilities().uci_commands {
        return engine.is_ready(patience).map(|()| Vec::new());
    }
    let patience = engine.patience(patience);
    engine.send_line("isready")?;
    let deadline = Instant::now() + patience;
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if line.trim() == "readyok" {
            return Ok(lines);
        }
        if lines.len() < MOST_LINES {
            lines.push(line.to_owned());
        }
    }
    Err(EngineError::NotReady {
        engine: engine.name().to_owned(),
        asked: "isready",
        after: patience,
    })
}
