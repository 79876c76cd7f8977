//! The log of searches, and playing it again.
//!
//! A log is a UCI script. Each search is preceded by the options that changed and the position,
//! and followed by a comment with its answer, so that a log can be piped into any engine, and
//! into Piston by `dyno engine --replay`, which compares the answers.

use crate::engine::{Engine, NAME, OutOfMemory};
use crate::options::Options;
use crate::search::{SearchResult, Signals, Silent, Task};
use crate::show;
use crate::time::Budget;
use dyno_chess::Position;
use dyno_uci::{Command, Go};
use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const ANSWER: &str = "# answer ";

/// A log being written.
#[derive(Clone)]
pub struct Log(Arc<Mutex<Inner>>);

struct Inner {
    out: Box<dyn Write + Send>,
    options: Option<Options>,
}

impl Log {
    /// Begins a log.
    pub fn new(out: impl Write + Send + 'static) -> Log {
        let log = Log(Arc::new(Mutex::new(Inner { out: Box::new(out), options: None })));
        log.line(&format!("# {NAME}: a log of searches; no random numbers are drawn (seed: none)"));
        log
    }

    fn with(&self, write: impl FnOnce(&mut Inner)) {
        write(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Writes a line, at once, so that a crash does not lose it.
    pub fn line(&self, text: &str) {
        self.with(|inner| {
            // A log that cannot be written must not disturb the game.
            let _ = writeln!(inner.out, "{text}").and_then(|()| inner.out.flush());
        });
    }

    /// A search begins.
    pub fn search(&mut self, options: &Options, position: &str, go: &Go) {
        let mut changed = Vec::new();
        self.with(|inner| {
            let known = inner.options.take().map(|known| known.settings()).unwrap_or_default();
            changed = options.settings().into_iter().filter(|s| !known.contains(s)).collect();
            inner.options = Some(options.clone());
        });
        for setting in changed {
            self.line(&setting);
        }
        self.line(position);
        self.line(&go.to_string());
    }

    /// The search has ended.
    pub fn answer(&mut self, root: &Position, answer: &SearchResult) {
        self.line(&format!("{ANSWER}{}", Answered::new(root, answer)));
    }
}

/// An answer as the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The best move in UCI's words, or `(none)`.
    pub best: String,
    /// `cp N` or `mate N`.
    pub score: String,
    /// The last iteration.
    pub depth: u32,
    /// Whether the last iteration was searched to its end.
    pub complete: bool,
    /// All nodes.
    pub nodes: u64,
    /// The best line.
    pub pv: String,
}

impl Answered {
    fn new(root: &Position, answer: &SearchResult) -> Answered {
        Answered {
            best: answer.best().map_or("(none)".to_owned(), |mv| root.uci(mv)),
            score: show::score(answer.value),
            depth: answer.depth.unsigned_abs(),
            complete: answer.complete,
            nodes: answer.nodes,
            pv: show::line(root, &answer.pv),
        }
    }

    fn parse(text: &str) -> Option<Answered> {
        let mut words = text.split_ascii_whitespace();
        let mut after = |name: &str| -> Option<&str> {
            if words.next()? == name { words.next() } else { None }
        };
        let best = after("bestmove")?.to_owned();
        let kind = after("score")?;
        let mut words = text.split_ascii_whitespace().skip(4);
        let score = format!("{kind} {}", words.next()?);
        let mut after = |name: &str| -> Option<&str> {
            if words.next()? == name { words.next() } else { None }
        };
        let depth = after("depth")?.parse().ok()?;
        let complete = match after("iteration")? {
            "complete" => true,
            "broken" => false,
            _ => return None,
        };
        let nodes = after("nodes")?.parse().ok()?;
        let pv = match words.next() {
            Some("pv") => words.collect::<Vec<_>>().join(" "),
            _ => String::new(),
        };
        Some(Answered { best, score, depth, complete, nodes, pv })
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "bestmove {} score {} depth {} iteration {} nodes {}",
            self.best,
            self.score,
            self.depth,
            if self.complete { "complete" } else { "broken" },
            self.nodes
        )?;
        if self.pv.is_empty() { Ok(()) } else { write!(f, " pv {}", self.pv) }
    }
}

/// One search of a log, played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The line of the log with its `go`.
    pub line: usize,
    /// The position, as a FEN.
    pub fen: String,
    /// What the log says; nothing when the engine did not live to answer.
    pub logged: Option<Answered>,
    /// What was found now.
    pub found: Answered,
    /// Whether the two can be expected to agree: one thread, and an answer in the log.
    pub comparable: bool,
}

impl Replayed {
    /// Whether the answers differ where they must not.
    pub fn differs(&self) -> bool {
        self.comparable && self.logged.as_ref().is_some_and(|logged| *logged != self.found)
    }
}

/// Why a log cannot be played again.
#[derive(Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The line of the log.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ReplayError {}

impl From<OutOfMemory> for ReplayError {
    fn from(error: OutOfMemory) -> Self {
        ReplayError { line: 0, what: error.to_string() }
    }
}

/// Plays a log again from its beginning and tells each search's outcome.
///
/// A search that the clock or the GUI ended is limited by what it came to: by its depth if its
/// last iteration was complete, else by its nodes. With one thread that is the very same search.
pub fn replay(text: &str, mut each: impl FnMut(Replayed)) -> Result<(), ReplayError> {
    let mut engine = Engine::new()?;
    let mut root = Position::startpos();
    let mut earlier = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let error = |what: String| ReplayError { line: index + 1, what };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match Command::parse(line).map_err(|e| error(e.to_string()))? {
            Command::SetOption { name, value } => {
                engine.set_option(name, value).map_err(|e| error(e.to_string()))?;
            }
            Command::NewGame => engine.new_game(),
            Command::Position { fen, moves } => {
                (root, earlier) = position(fen, moves).map_err(error)?;
            }
            Command::Go(go) => {
                let logged = lines[index + 1..]
                    .iter()
                    .take_while(|next| next.starts_with('#'))
                    .find_map(|next| Answered::parse(next.strip_prefix(ANSWER)?));
                let mut root = root;
                if engine.options().chess960 {
                    root.set_chess960(true);
                }
                let task = task(&engine, root, &earlier, &go, logged.as_ref());
                let answer = engine.search(&task, &Signals::default(), &mut Silent);
                each(Replayed {
                    line: index + 1,
                    fen: root.fen(),
                    comparable: engine.options().threads == 1
                        && logged.as_ref().is_some_and(|l| l.complete || go.mate.is_none()),
                    logged,
                    found: Answered::new(&root, &answer),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

fn position(fen: Option<&str>, moves: &str) -> Result<(Position, Vec<u64>), String> {
    let start = fen.map_or(Ok(Position::startpos()), Position::from_fen);
    let mut now = start.map_err(|e| e.to_string())?;
    let mut earlier = Vec::new();
    for text in moves.split_ascii_whitespace() {
        let mv = now.parse_uci(text).map_err(|e| e.to_string())?;
        earlier.push(now.key());
        now = now.play(mv);
    }
    Ok((now, earlier))
}

fn task(
    engine: &Engine,
    root: Position,
    earlier: &[u64],
    go: &Go,
    logged: Option<&Answered>,
) -> Task {
    let options = engine.options();
    let moves = go.searchmoves.iter().filter_map(|text| root.parse_uci(text).ok()).collect();
    let (depth, nodes, budget) = match logged {
        Some(logged) if logged.complete => (Some(logged.depth), None, None),
        Some(logged) => (None, Some(logged.nodes), None),
        None => (go.depth, go.nodes, Budget::new(go, &root, options.overhead)),
    };
    Task {
        root,
        earlier: earlier.to_vec(),
        moves,
        lines: options.lines as usize,
        depth,
        nodes,
        budget,
        mate: go.mate,
        start: Instant::now(),
    }
}
