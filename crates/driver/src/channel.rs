//! Lines to and from one engine process: sent whole, received with a deadline, all on record.

use crate::error::{EngineError, Phase};
use crate::inbox::{Inbox, LONGEST_LINE, Line};
use crate::pipes::{Arrival, ChildPipes, Pipes, StderrTail, WriteFault};
use crate::process::{Activity, Exit, Process, Usage};
use crate::program::find_program;
use crate::settings::{Interrupt, Settings};
use crate::spec::{EngineSpec, Program};
use crate::transcript::{HEARD, SENT, STDERR, Transcript};
use dyno_uci::{Deviation, Findings};
use memchr::memchr_iter;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often a wait looks up to see whether the user wants to stop or the process has ended.
const SLICE: Duration = Duration::from_millis(50);
/// A process whose output has ended gets this long to end as well.
const END_AFTER_OUTPUT: Duration = Duration::from_millis(500);

/// The conversation with one process, below any protocol.
pub(crate) struct Channel {
    pub(crate) name: String,
    pub(crate) phase: Phase,
    pub(crate) findings: Findings,
    /// The line last read; what [`Channel::read_line`] says is here.
    pub(crate) line: String,
    /// When that line arrived.
    pub(crate) stamp: Instant,
    process: Process,
    pipes: ChildPipes,
    inbox: Inbox,
    stderr: StderrTail,
    transcript: Transcript,
    outgoing: String,
    patience: Duration,
    interrupt: Option<Interrupt>,
}

impl Channel {
    /// Starts the program of the specification.
    pub(crate) fn open(spec: &EngineSpec, settings: &Settings) -> Result<Self, EngineError> {
        let name = spec.label();
        let mut command = command(spec, &name)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(match &spec.stderr {
            Some(path) => File::options()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|source| surroundings(&name, path.clone(), source))?
                .into(),
            None => Stdio::piped(),
        });
        let program = PathBuf::from(command.get_program());
        let failed = |source| EngineError::Spawn { engine: name.clone(), program, source };
        let mut process = Process::spawn(command).map_err(failed.clone())?;
        if !settings.cpus.is_empty() {
            process.set_affinity(&settings.cpus);
        }
        let child = process.child_mut();
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::Error::other("no pipes")));
        };
        let pipes = ChildPipes::new(input, output, child.stderr.take()).map_err(failed)?;
        let label = settings.label.clone().unwrap_or_else(|| name.clone());
        Ok(Self {
            name,
            phase: Phase::Starting,
            findings: Findings::default(),
            line: String::new(),
            stamp: Instant::now(),
            process,
            pipes,
            inbox: Inbox::new(),
            stderr: StderrTail::default(),
            transcript: Transcript::new(settings.log.clone(), label),
            outgoing: String::new(),
            patience: settings.ready,
            interrupt: settings.interrupt.clone(),
        })
    }

    /// Sends one or more lines in a single write and says when it began.
    pub(crate) fn send(&mut self, text: &str) -> Result<Instant, EngineError> {
        self.send_composed(|outgoing| outgoing.push_str(text))
    }

    /// Sends the lines that `compose` adds to the text, without the last ending. What is written
    /// for every move is so put together only once, where it is sent from.
    pub(crate) fn send_composed(
        &mut self,
        compose: impl FnOnce(&mut String),
    ) -> Result<Instant, EngineError> {
        self.outgoing.clear();
        compose(&mut self.outgoing);
        self.outgoing.push('\n');
        let bytes = self.outgoing.as_bytes();
        let began = Instant::now();
        let deadline = began + self.patience;
        let sent = self.pipes.write(bytes, &mut self.inbox, &mut self.stderr, deadline);
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            self.transcript.record(SENT, began, &bytes[start..end]);
            start = end + 1;
        }
        match sent {
            Ok(()) => Ok(began),
            Err(WriteFault::Timeout) => Err(EngineError::NotReading {
                engine: self.name.clone(),
                phase: self.phase,
                after: self.patience,
            }),
            Err(WriteFault::Closed) => Err(self.gone()),
            Err(WriteFault::Io(source)) => Err(self.pipe_error(source)),
        }
    }

    /// Reads the next line into `self.line`; false at the deadline.
    pub(crate) fn read_line(&mut self, deadline: Option<Instant>) -> Result<bool, EngineError> {
        loop {
            if self.take_buffered() {
                return Ok(true);
            }
            if self.inbox.is_closed() {
                return Err(self.gone());
            }
            if self.interrupt.as_ref().is_some_and(Interrupt::requested) {
                return Err(EngineError::Interrupted);
            }
            let now = Instant::now();
            // Also when output is always ready: an endless talker must not outlast the deadline.
            if deadline.is_some_and(|d| now >= d) {
                return Ok(false);
            }
            self.wait(deadline, now)?;
        }
    }

    /// Takes a line that has already arrived, without any system call.
    pub(crate) fn take_buffered(&mut self) -> bool {
        let Some(line) = self.inbox.take_line() else { return false };
        self.stamp = self.inbox.stamp();
        self.accept(line);
        true
    }

    /// Takes in what has arrived by now, without waiting; says whether there was anything.
    pub(crate) fn read_available(&mut self) -> Result<bool, EngineError> {
        let arrival = self.pipes.read_now(&mut self.inbox, &mut self.stderr);
        Ok(arrival.map_err(|source| self.pipe_error(source))? == Arrival::Bytes)
    }

    /// Waits for output, a slice at a time.
    fn wait(&mut self, deadline: Option<Instant>, now: Instant) -> Result<(), EngineError> {
        self.transcript.flush();
        let slice = now + SLICE;
        let until = deadline.map_or(slice, |d| d.min(slice));
        let arrival = self.take_in(until)?;
        // A process may end while something it started keeps the pipe open. What it said before
        // is in the pipe by then, so one more look suffices.
        if arrival == Arrival::Timeout
            && self.process.has_ended()
            && self.take_in(Instant::now())? == Arrival::Timeout
        {
            self.inbox.close();
        }
        Ok(())
    }

    fn take_in(&mut self, until: Instant) -> Result<Arrival, EngineError> {
        let arrival = self.pipes.read(&mut self.inbox, &mut self.stderr, Some(until));
        self.note_stderr();
        arrival.map_err(|source| self.pipe_error(source))
    }

    fn note_stderr(&mut self) {
        if let Some(fresh) = self.stderr.take_fresh() {
            for line in fresh.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                self.transcript.record(STDERR, Instant::now(), line);
            }
        }
    }

    /// Makes text of a received line and reports what is wrong with its bytes.
    fn accept(&mut self, line: Line) {
        let bytes = self.inbox.text(line);
        self.transcript.record(HEARD, self.stamp, bytes);
        self.line.clear();
        match std::str::from_utf8(bytes) {
            Ok(text) => self.line.push_str(text),
            Err(_) => {
                self.line.push_str(&String::from_utf8_lossy(bytes));
                self.findings.push(Deviation::NotUtf8, &self.line);
            }
        }
        // Looked at as a whole, which is quicker than stopping at the first.
        let odd = |b: &u8| (*b < b' ') & (*b != b'\t');
        if self.line.as_bytes().iter().fold(false, |any, b| any | odd(b)) {
            self.findings.push(Deviation::ControlBytes, &self.line);
        }
        if line.cut {
            self.findings.push(Deviation::LineTooLong { kept: LONGEST_LINE }, &self.line);
        }
        if line.unfinished {
            self.findings.push(Deviation::UnfinishedLine, &self.line);
        }
    }

    /// Why there is no more output.
    fn gone(&mut self) -> EngineError {
        let engine = self.name.clone();
        match self.process.wait_for_end(END_AFTER_OUTPUT) {
            Some(exit) => {
                self.drain_stderr();
                let stderr = self.stderr.text();
                let last = stderr.lines().rev().find(|l| !l.trim().is_empty());
                let stderr = last.map(|l| format!("; its last words on stderr: {l}"));
                EngineError::Exited {
                    engine,
                    phase: self.phase,
                    exit,
                    stderr: stderr.unwrap_or_default(),
                }
            }
            None => EngineError::ClosedOutput { engine, phase: self.phase },
        }
    }

    fn drain_stderr(&mut self) {
        // After the end of the process everything it wrote is in the pipe.
        let soon = Instant::now() + Duration::from_millis(20);
        while Instant::now() < soon
            && matches!(
                self.pipes.read(&mut self.inbox, &mut self.stderr, Some(soon)),
                Ok(Arrival::Bytes)
            )
        {
            // Output that nobody will read any more must not stand in the way.
            while self.inbox.take_line().is_some() {}
        }
        self.note_stderr();
    }

    /// Closes the input and takes in output, unread, until the process ends or patience does.
    pub(crate) fn drain_until_end(&mut self, patience: Duration) -> Option<Exit> {
        self.pipes.close_input();
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline && !self.inbox.is_closed() {
            if self.wait(Some(deadline), Instant::now()).is_err() {
                break;
            }
            while self.take_buffered() {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        self.process.wait_for_end(left)
    }

    pub(crate) fn terminate(&mut self) {
        self.process.terminate();
    }

    pub(crate) fn kill(&mut self) -> Exit {
        self.process.kill()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub(crate) fn usage(&mut self) -> Usage {
        self.process.usage()
    }

    pub(crate) fn activity(&self) -> Option<Activity> {
        self.process.activity()
    }

    pub(crate) fn set_affinity(&self, cpus: &[usize]) -> bool {
        self.process.set_affinity(cpus)
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.text()
    }

    pub(crate) fn tail(&self) -> String {
        self.transcript.tail()
    }

    pub(crate) fn report(&mut self, deviation: Deviation) {
        self.findings.push(deviation, &self.line);
    }

    fn pipe_error(&self, source: std::io::Error) -> EngineError {
        EngineError::Pipe { engine: self.name.clone(), phase: self.phase, source }
    }
}

fn surroundings(engine: &str, path: PathBuf, source: std::io::Error) -> EngineError {
    EngineError::Surroundings { engine: engine.to_owned(), path, source }
}

/// The command of a specification, its program looked up and its folder checked.
fn command(spec: &EngineSpec, name: &str) -> Result<Command, EngineError> {
    let mut command = match &spec.program {
        Program::Builtin => {
            let me = std::env::current_exe()
                .map_err(|source| surroundings(name, PathBuf::from("dyno"), source))?;
            let mut command = Command::new(me);
            command.arg("engine");
            command
        }
        Program::Path(path) => {
            // A relative path is meant from where Dyno runs, or else from the engine's folder.
            let in_dir = || spec.dir.as_ref().and_then(|dir| find_program(&dir.join(path)));
            let file = find_program(path).or_else(in_dir).ok_or_else(|| EngineError::NotFound {
                engine: name.to_owned(),
                program: path.clone(),
                hint: hint_for(path),
            })?;
            Command::new(file)
        }
    };
    command.args(&spec.args).envs(spec.env.iter().map(|(k, v)| (k, v)));
    if let Some(dir) = &spec.dir {
        std::fs::read_dir(dir).map_err(|source| surroundings(name, dir.clone(), source))?;
        command.current_dir(dir);
    }
    Ok(command)
}

fn hint_for(path: &std::path::Path) -> &'static str {
    match path.metadata() {
        Ok(meta) if meta.is_dir() => ": it is a folder",
        Ok(_) => ": the file is there but not executable (chmod +x?)",
        Err(_) if path.components().count() > 1 => ": no such file",
        Err(_) => ": not on the PATH (a program in this folder is written ./NAME)",
    }
}
