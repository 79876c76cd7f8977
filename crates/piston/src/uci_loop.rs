//! The conversation with a GUI: one thread reads, another searches.

use crate::engine::{Engine, NAME, OutOfMemory};
use crate::eval::Cache;
use crate::options::Options;
use crate::replay::Log;
use crate::search::{Listener, Report, SearchResult, Signals, Task};
use crate::time::Budget;
use crate::{bench, perft, show};
use dyno_chess::{Move, Position};
use dyno_uci::{Command, CommandError, Go};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// When the input ends during a search with a limit of its own, the search gets this long.
const GRACE: Duration = Duration::from_secs(5);
/// Perft and bench get longer: scripts that ask for them say `quit` in the same breath.
const COUNT_GRACE: Duration = Duration::from_secs(60);
/// Search threads recurse deeply, in debug builds with large frames.
const STACK: usize = 32 << 20;
/// How often a finished search looks whether it may answer.
const NAP: Duration = Duration::from_millis(1);

/// The way out, shared by the threads; every line is sent at once.
#[derive(Clone)]
struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    fn line(&self, text: &str) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // This fails when the GUI has gone; the end of input will follow.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    fn remark(&self, text: &str) {
        self.line(&format!("info string {text}"));
    }
}

/// Where the game stands.
#[derive(Clone)]
struct Setup {
    /// Where it began, as a FEN, and the moves since.
    start: String,
    moves: Vec<String>,
    now: Position,
    /// The keys of the positions before.
    earlier: Vec<u64>,
}

impl Setup {
    fn new(start: Position) -> Setup {
        Setup { start: start.fen(), moves: Vec::new(), now: start, earlier: Vec::new() }
    }

    fn play(&mut self, mv: Move) {
        self.moves.push(self.now.uci(mv));
        self.earlier.push(self.now.key());
        self.now = self.now.play(mv);
    }

    fn command(&self) -> String {
        let moves = if self.moves.is_empty() { "" } else { " moves " };
        format!("position fen {}{moves}{}", self.start, self.moves.join(" "))
    }
}

/// What the search thread is to do.
enum Job {
    Search(Task, Waiting),
    Perft(Position, u32),
    Bench(u32),
}

/// Whether the answer has to wait for the GUI's word.
struct Waiting {
    infinite: bool,
}

/// A job under way.
struct Running {
    thread: JoinHandle<Engine>,
    signals: Arc<Signals>,
    /// Whether it has ended, but for its last line.
    over: Arc<AtomicBool>,
    /// Whether it ends without being told to.
    limited: bool,
    /// It is a perft or the bench.
    counting: bool,
}

/// Talks UCI until `quit` or the end of the input. `tunable` offers the numbers of search and
/// evaluation as options.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    log: Option<Log>,
    tunable: bool,
) -> Result<(), UciError> {
    let mut engine = Engine::new()?;
    if tunable {
        engine.make_tunable();
    }
    let mut session = Session {
        out: Output(Arc::new(Mutex::new(Box::new(output)))),
        options: engine.options().clone(),
        engine: Some(engine),
        eval_cache: Cache::default(),
        running: None,
        setup: Setup::new(Position::startpos()),
        deferred: Vec::new(),
        log,
    };
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            session.end_of_input();
            return Ok(());
        }
        let line = String::from_utf8_lossy(&bytes);
        if session.obey(line.trim()) == Flow::Quit {
            return Ok(());
        }
    }
}

/// Why the conversation could not go on.
#[derive(Debug)]
pub enum UciError {
    /// The input could not be read.
    Input(io::Error),
    /// There was no memory to begin with.
    Memory(OutOfMemory),
}

impl std::fmt::Display for UciError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UciError::Input(error) => write!(f, "cannot read commands: {error}"),
            UciError::Memory(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UciError {}

impl From<io::Error> for UciError {
    fn from(error: io::Error) -> Self {
        UciError::Input(error)
    }
}

impl From<OutOfMemory> for UciError {
    fn from(error: OutOfMemory) -> Self {
        UciError::Memory(error)
    }
}

#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Quit,
}

struct Session {
    out: Output,
    /// With the search thread while one runs.
    engine: Option<Engine>,
    /// For the command `eval`.
    eval_cache: Cache,
    options: Options,
    running: Option<Running>,
    setup: Setup,
    /// Commands that have to wait for the end of the search.
    deferred: Vec<String>,
    log: Option<Log>,
}

impl Session {
    fn obey(&mut self, line: &str) -> Flow {
        self.settle();
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None => return Flow::On,
            Some("d") => self.out.line(&show::board(&self.setup.now)),
            Some("eval") => self.out.line(&show::evaluation(&self.setup.now, &mut self.eval_cache)),
            Some("bench") => match words.next().map_or(Ok(bench::DEPTH), str::parse) {
                Ok(depth) => self.start(Job::Bench(depth), true),
                Err(_) => self.out.remark("bench takes a depth"),
            },
            Some(_) => match Command::parse(line) {
                Ok(Command::Quit) => {
                    self.make_way();
                    return Flow::Quit;
                }
                Ok(command) => self.command(command, line),
                Err(error) => self.misunderstood(line, &error),
            },
        }
        Flow::On
    }

    fn command(&mut self, command: Command<'_>, line: &str) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::SetOption { .. } | Command::NewGame if self.running.is_some() => {
                self.out.remark(&format!("after this search: {line}"));
                self.deferred.push(line.to_owned());
            }
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::NewGame => {
                if let Some(engine) = &mut self.engine {
                    engine.new_game();
                }
                if let Some(log) = &mut self.log {
                    log.line("ucinewgame");
                }
            }
            Command::Position { fen, moves } => self.set_position(fen, moves),
            Command::Go(go) => self.go(&go),
            Command::Stop => self.signal(|signals| signals.stop.store(true, Relaxed)),
            Command::PonderHit => self.signal(|signals| signals.pondering.store(false, Relaxed)),
            Command::Debug(_) | Command::Register(_) | Command::Quit => {}
        }
    }

    /// A line that is not a command: reported, with unknown words of `go` left out.
    fn misunderstood(&mut self, line: &str, error: &CommandError) {
        self.out.remark(&error.to_string());
        if let CommandError::UnknownWord { command: "go", word } = error {
            let rest: Vec<&str> = line.split_ascii_whitespace().filter(|w| w != word).collect();
            self.obey(&rest.join(" "));
        }
    }

    fn introduce(&self) {
        self.out.line(&format!("id name {NAME}"));
        self.out.line(concat!("id author ", env!("CARGO_PKG_AUTHORS")));
        self.out.line("");
        for option in self.options.declarations() {
            self.out.line(&option);
        }
        self.out.line("uciok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let Some(engine) = &mut self.engine else { return };
        match engine.set_option(name, value) {
            Ok(None) => {}
            Ok(Some(remark)) => self.out.remark(&remark),
            Err(error) => self.out.remark(&error.to_string()),
        }
        self.options = engine.options().clone();
        if self.options.tunable {
            self.eval_cache = Cache::default();
        }
        if name.eq_ignore_ascii_case("clear hash")
            && let Some(log) = &mut self.log
        {
            log.line("setoption name Clear Hash");
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &str) {
        let start = match fen.map(Position::from_fen) {
            None => Position::startpos(),
            Some(Ok(start)) => start,
            Some(Err(error)) => {
                self.out.remark(&format!("position unchanged, bad FEN: {error}"));
                return;
            }
        };
        let mut setup = Setup::new(start);
        for text in moves.split_ascii_whitespace() {
            match setup.now.parse_uci(text) {
                Ok(mv) => setup.play(mv),
                Err(error) => {
                    self.out.remark(&format!("position as before {text}: {error}"));
                    break;
                }
            }
        }
        self.setup = setup;
    }

    fn go(&mut self, go: &Go) {
        // A new question ends the old one, which is answered first.
        self.make_way();
        let mut root = self.setup.now;
        if self.options.chess960 {
            root.set_chess960(true);
        }
        if let Some(depth) = go.perft {
            self.start(Job::Perft(root, depth), true);
            return;
        }
        let mut moves = Vec::new();
        for text in &go.searchmoves {
            match root.parse_uci(text) {
                Ok(mv) => moves.push(mv),
                Err(error) => self.out.remark(&format!("searchmoves without {text}: {error}")),
            }
        }
        let task = Task {
            root,
            earlier: self.setup.earlier.clone(),
            moves,
            lines: self.options.lines as usize,
            depth: go.depth,
            nodes: go.nodes,
            budget: Budget::new(go, &root, self.options.overhead),
            mate: go.mate,
            start: Instant::now(),
        };
        if let Some(log) = &mut self.log {
            log.search(&self.options, &self.setup.command(), go);
        }
        let limited = (task.depth.is_some()
            || task.nodes.is_some()
            || go.movetime.is_some()
            || go.mate.is_some())
            && !go.infinite
            && !go.ponder;
        let pondering = go.ponder;
        self.start_with(Job::Search(task, Waiting { infinite: go.infinite }), limited, pondering);
    }

    fn start(&mut self, job: Job, limited: bool) {
        self.make_way();
        self.start_with(job, limited, false);
    }

    fn start_with(&mut self, job: Job, limited: bool, pondering: bool) {
        let Some(mut engine) = self.engine.take() else { return };
        let signals = Arc::new(Signals::default());
        signals.pondering.store(pondering, Relaxed);
        let (out, log, steering) = (self.out.clone(), self.log.clone(), signals.clone());
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        let counting = !matches!(job, Job::Search(..));
        let work = move || {
            let last = match job {
                Job::Search(task, waiting) => {
                    search(&mut engine, &task, &waiting, &steering, &out, log)
                }
                Job::Perft(pos, depth) => count_moves(&pos, depth, &steering, &out),
                Job::Bench(depth) => run_bench(depth, &steering, &out),
            };
            // From the last line on the GUI may ask for anything that needs the engine.
            ended.store(true, Relaxed);
            out.line(&last);
            engine
        };
        match std::thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(thread) => self.running = Some(Running { thread, signals, over, limited, counting }),
            Err(error) => {
                self.out.remark(&format!("cannot start a search thread: {error}"));
                self.engine = Engine::new().ok();
            }
        }
    }

    fn signal(&self, send: impl Fn(&Signals)) {
        if let Some(running) = &self.running {
            send(&running.signals);
        }
    }

    /// Takes the engine back from a search that has ended, and obeys what waited for that.
    fn settle(&mut self) {
        let has_ended =
            |running: &Running| running.over.load(Relaxed) || running.thread.is_finished();
        if self.running.as_ref().is_some_and(has_ended) {
            self.join();
        }
    }

    fn join(&mut self) {
        let Some(running) = self.running.take() else { return };
        match running.thread.join() {
            Ok(engine) => self.engine = Some(engine),
            Err(_) => {
                self.out.remark("the search ended by an internal error; starting afresh");
                self.engine = Engine::new().ok();
                for setting in self.options.settings() {
                    self.obey(&setting);
                }
            }
        }
        for line in std::mem::take(&mut self.deferred) {
            self.obey(&line);
        }
    }

    /// Ends the running search, giving it some time to end by itself.
    fn finish(&mut self, grace: Duration) {
        let Some(running) = &self.running else { return };
        let patience = Instant::now() + if running.limited { grace } else { Duration::ZERO };
        while !running.thread.is_finished() && Instant::now() < patience {
            std::thread::sleep(NAP);
        }
        running.signals.stop.store(true, Relaxed);
        self.join();
    }

    /// Ends the running search for the next command's sake; a count may come to its end.
    fn make_way(&mut self) {
        self.finish(if self.is_counting() { COUNT_GRACE } else { Duration::ZERO });
    }

    fn end_of_input(&mut self) {
        self.finish(if self.is_counting() { COUNT_GRACE } else { GRACE });
    }

    fn is_counting(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.counting)
    }
}

/// Sends what the search tells as `info` lines.
struct Teller<'a> {
    out: &'a Output,
    root: Position,
}

impl Listener for Teller<'_> {
    fn report(&mut self, report: &Report<'_>) {
        self.out.line(&show::info(&self.root, report));
    }

    fn current(&mut self, depth: i32, mv: Move, number: usize) {
        let mv = self.root.uci(mv);
        self.out.line(&format!("info depth {depth} currmove {mv} currmovenumber {number}"));
    }

    fn remark(&mut self, text: &str) {
        self.out.remark(text);
    }
}

fn search(
    engine: &mut Engine,
    task: &Task,
    waiting: &Waiting,
    signals: &Signals,
    out: &Output,
    log: Option<Log>,
) -> String {
    let answer = engine.search(task, signals, &mut Teller { out, root: task.root });
    // Neither an infinite search nor one on the opponent's time may answer before it is told to.
    while (waiting.infinite || signals.pondering.load(Relaxed)) && !signals.stop.load(Relaxed) {
        std::thread::sleep(NAP);
    }
    if let Some(mut log) = log {
        log.answer(&task.root, &answer);
    }
    best_move(&task.root, &answer)
}

/// The `bestmove` line.
pub(crate) fn best_move(root: &Position, answer: &SearchResult) -> String {
    let Some(best) = answer.best() else { return "bestmove (none)".to_owned() };
    let mut text = format!("bestmove {}", root.uci(best));
    if let Some(&reply) = answer.pv.get(1) {
        text.push_str(" ponder ");
        text.push_str(&root.play(best).uci(reply));
    }
    text
}

fn count_moves(pos: &Position, depth: u32, signals: &Signals, out: &Output) -> String {
    let mut total = 0;
    for mv in pos.legal_moves() {
        let Some(count) = perft::count(&pos.play(mv), depth.saturating_sub(1), &signals.stop)
        else {
            return "info string perft was stopped".to_owned();
        };
        total += count;
        out.line(&format!("{}: {count}", pos.uci(mv)));
    }
    if depth == 0 {
        total = 1;
    }
    format!("\nNodes searched: {total}\n")
}

fn run_bench(depth: u32, signals: &Signals, out: &Output) -> String {
    let each = |number: usize, fen: &str, nodes: u64| {
        out.line(&format!("Position: {number}/{} ({fen}) {nodes}", bench::POSITIONS.len()));
    };
    match bench::run(depth, signals, each) {
        Some(_) if signals.stop.load(Relaxed) => "info string the bench was stopped".to_owned(),
        Some(signature) => signature.to_string(),
        None => "info string not enough memory for the bench's table".to_owned(),
    }
}
