//! Lines to and from one engine process: sent whole, received with a deadline, all recorded.

use crate::error::{EngineError, Phase};
use crate::jail::{self, Policy, ScratchFolder};
use crate::line_buffer::{Line, LineBuffer, MAX_LINE};
use crate::pipes::{Arrival, ChildPipes, StderrTail, SystemPipes, WriteError, last_words};
use crate::process::{Activity, ChildProcess, Exit, Usage};
use crate::program::find_program;
use crate::run_delay::RunDelays;
use crate::settings::{Interrupt, Settings};
use crate::spec::{EngineSpec, Program};
use crate::transcript::{HEARD, SENT, STDERR, Transcript};
use dyno_uci::{Deviation, Findings};
use memchr::memchr_iter;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often a wait checks whether the user wants to stop or the process has ended.
const WAIT_SLICE: Duration = Duration::from_millis(50);
/// How long a process may outlive its output before it counts as still running.
const EXIT_AFTER_OUTPUT: Duration = Duration::from_millis(500);

/// The conversation with one process, below any protocol.
pub(crate) struct Channel {
    pub(crate) name: String,
    pub(crate) phase: Phase,
    pub(crate) findings: Findings,
    /// The line last read.
    pub(crate) line: String,
    /// When that line arrived.
    pub(crate) stamp: Instant,
    /// How long after that this thread got a processor.
    pub(crate) wake_up: Duration,
    run_delays: RunDelays,
    process: ChildProcess,
    /// Outlives the process that writes to it.
    scratch: Option<ScratchFolder>,
    pipes: SystemPipes,
    lines: LineBuffer,
    stderr: StderrTail,
    transcript: Transcript,
    outgoing: String,
    /// How long the engine may take to read what it is sent.
    read_timeout: Duration,
    interrupt: Option<Interrupt>,
}

impl Channel {
    /// Starts the program of the specification.
    pub(crate) fn open(spec: &EngineSpec, settings: &Settings) -> Result<Self, EngineError> {
        let name = spec.label();
        let mut command = command(spec, &name)?;
        let mut scratch = None;
        if spec.jail {
            let (helper, folder) = jailed(&command, spec, &name)?;
            (command, scratch) = (helper, Some(folder));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(match &spec.stderr {
            Some(path) => File::options()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|source| environment_error(&name, path.clone(), source))?
                .into(),
            None => Stdio::piped(),
        });
        let program = PathBuf::from(command.get_program());
        let failed = |source| EngineError::Spawn { engine: name.clone(), program, source };
        let mut process = ChildProcess::spawn(command).map_err(failed.clone())?;
        if let Some(folder) = &mut scratch {
            let limited = folder.limit(process.pid());
            limited.map_err(|source| environment_error(&name, folder.path().into(), source))?;
        }
        if !settings.cpus.is_empty() {
            process.set_affinity(&settings.cpus);
        }
        let child = process.child_mut();
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::Error::other("no pipes")));
        };
        let pipes = SystemPipes::new(input, output, child.stderr.take()).map_err(failed)?;
        let label = settings.label.clone().unwrap_or_else(|| name.clone());
        Ok(Self {
            name,
            phase: Phase::Starting,
            findings: Findings::default(),
            line: String::new(),
            stamp: Instant::now(),
            wake_up: Duration::ZERO,
            run_delays: RunDelays::default(),
            process,
            scratch,
            pipes,
            lines: LineBuffer::new(),
            stderr: StderrTail::default(),
            transcript: Transcript::new(settings.log.clone(), label),
            outgoing: String::new(),
            read_timeout: settings.ready,
            interrupt: settings.interrupt.clone(),
        })
    }

    /// Sends one or more lines in a single write and says when it began.
    pub(crate) fn send(&mut self, text: &str) -> Result<Instant, EngineError> {
        self.send_composed(|outgoing| outgoing.push_str(text))
    }

    /// Sends the lines that `compose` appends, without the last line ending. The commands of every
    /// move are composed where they are sent from, without a copy.
    pub(crate) fn send_composed(
        &mut self,
        compose: impl FnOnce(&mut String),
    ) -> Result<Instant, EngineError> {
        self.outgoing.clear();
        compose(&mut self.outgoing);
        self.outgoing.push('\n');
        let bytes = self.outgoing.as_bytes();
        let began = Instant::now();
        let deadline = began + self.read_timeout;
        let sent = self.pipes.write(bytes, &mut self.lines, &mut self.stderr, deadline);
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            self.transcript.record(SENT, began, &bytes[start..end]);
            start = end + 1;
        }
        match sent {
            Ok(()) => Ok(began),
            Err(WriteError::Timeout) => Err(EngineError::NotReading {
                engine: self.name.clone(),
                phase: self.phase,
                after: self.read_timeout,
            }),
            Err(WriteError::Closed) => Err(self.output_ended()),
            Err(WriteError::Io(source)) => Err(self.pipe_error(source)),
        }
    }

    /// Reads the next line into `self.line`; false at the deadline.
    pub(crate) fn read_line(&mut self, deadline: Option<Instant>) -> Result<bool, EngineError> {
        loop {
            if self.take_buffered() {
                return Ok(true);
            }
            if self.lines.is_closed() {
                return Err(self.output_ended());
            }
            if self.interrupt.as_ref().is_some_and(Interrupt::requested) {
                return Err(EngineError::Interrupted);
            }
            let now = Instant::now();
            // Checked also while output keeps coming: an endless talker must not outlast it.
            if deadline.is_some_and(|d| now >= d) {
                return Ok(false);
            }
            self.wait(deadline, now)?;
        }
    }

    /// Takes a line that has already been received, without any system call.
    pub(crate) fn take_buffered(&mut self) -> bool {
        let Some(line) = self.lines.take_line() else { return false };
        (self.stamp, self.wake_up) = (self.lines.stamp(), self.lines.wake_up());
        self.decode(line);
        true
    }

    /// What the threads of the process have waited for a processor since this was asked last.
    pub(crate) fn run_delay(&mut self) -> Duration {
        self.run_delays.since_last(self.process.pid())
    }

    /// Receives what has arrived by now, without waiting; says whether there was anything.
    pub(crate) fn read_available(&mut self) -> Result<bool, EngineError> {
        let arrival = self.pipes.read_now(&mut self.lines, &mut self.stderr);
        Ok(arrival.map_err(|source| self.pipe_error(source))? == Arrival::Bytes)
    }

    /// Waits for output, a slice at a time.
    fn wait(&mut self, deadline: Option<Instant>, now: Instant) -> Result<(), EngineError> {
        self.transcript.flush();
        let slice = now + WAIT_SLICE;
        let until = deadline.map_or(slice, |d| d.min(slice));
        let arrival = self.receive(until)?;
        // A process may end while something it started keeps the pipe open. Its own output is in
        // the pipe by then, so one more read suffices.
        if arrival == Arrival::Timeout
            && self.process.has_ended()
            && self.receive(Instant::now())? == Arrival::Timeout
        {
            self.lines.close();
        }
        Ok(())
    }

    fn receive(&mut self, until: Instant) -> Result<Arrival, EngineError> {
        let arrival = self.pipes.read(&mut self.lines, &mut self.stderr, Some(until));
        self.record_stderr();
        arrival.map_err(|source| self.pipe_error(source))
    }

    fn record_stderr(&mut self) {
        if let Some(fresh) = self.stderr.take_fresh() {
            for line in fresh.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                self.transcript.record(STDERR, Instant::now(), line);
            }
        }
    }

    /// Decodes a received line and reports what is wrong with its bytes.
    fn decode(&mut self, line: Line) {
        let bytes = self.lines.text(line);
        self.transcript.record(HEARD, self.stamp, bytes);
        self.line.clear();
        match std::str::from_utf8(bytes) {
            Ok(text) => self.line.push_str(text),
            Err(_) => {
                self.line.push_str(&String::from_utf8_lossy(bytes));
                self.findings.push(Deviation::NotUtf8, &self.line);
            }
        }
        // Without an early exit, so that the compiler can vectorise it.
        let odd = |b: &u8| (*b < b' ') & (*b != b'\t');
        if self.line.as_bytes().iter().fold(false, |any, b| any | odd(b)) {
            self.findings.push(Deviation::ControlBytes, &self.line);
        }
        if line.cut {
            self.findings.push(Deviation::LineTooLong { kept: MAX_LINE }, &self.line);
        }
        if line.unfinished {
            self.findings.push(Deviation::UnfinishedLine, &self.line);
        }
    }

    /// Why there is no more output.
    fn output_ended(&mut self) -> EngineError {
        let engine = self.name.clone();
        match self.process.wait_for_end(EXIT_AFTER_OUTPUT) {
            Some(exit) => {
                self.drain_stderr();
                let last = last_words(&self.stderr.text());
                let killed = self.scratch.as_ref().and_then(ScratchFolder::verdict);
                let stderr = match killed {
                    Some(reason) => Some(format!("; {reason}")),
                    None => last.map(|l| format!("; its last words on stderr: {l}")),
                };
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
                self.pipes.read(&mut self.lines, &mut self.stderr, Some(soon)),
                Ok(Arrival::Bytes)
            )
        {
            // Unread output must not fill the buffer and block the read of stderr.
            while self.lines.take_line().is_some() {}
        }
        self.record_stderr();
    }

    /// Closes the input and discards output until the process ends; `None` after the timeout.
    pub(crate) fn drain_until_end(&mut self, timeout: Duration) -> Option<Exit> {
        self.pipes.close_input();
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline && !self.lines.is_closed() {
            if self.wait(Some(deadline), Instant::now()).is_err() {
                break;
            }
            while self.take_buffered() {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        self.process.wait_for_end(left)
    }

    /// Says that nothing more will be sent.
    pub(crate) fn close_input(&mut self) {
        self.pipes.close_input();
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

fn environment_error(engine: &str, path: PathBuf, source: std::io::Error) -> EngineError {
    EngineError::Environment { engine: engine.to_owned(), path, source }
}

/// The command of a specification, its program looked up and its folder checked.
fn command(spec: &EngineSpec, name: &str) -> Result<Command, EngineError> {
    let mut command = match &spec.program {
        Program::Builtin => {
            let mut command = Command::new(own_file(name)?);
            command.arg("engine");
            command
        }
        Program::Path(path) => {
            // Relative to Dyno's working directory, or else to the engine's.
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
        std::fs::read_dir(dir).map_err(|source| environment_error(name, dir.clone(), source))?;
        command.current_dir(dir);
    }
    Ok(command)
}

/// Dyno's own executable.
fn own_file(engine: &str) -> Result<PathBuf, EngineError> {
    let unknown = |source| environment_error(engine, PathBuf::from("dyno"), source);
    std::env::current_exe().map_err(unknown)
}

/// What an engine in the jail still sees of the environment; the rest is not for strangers.
const HARMLESS: [&str; 5] = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];

/// Starts the engine in the jail: Dyno again, which becomes the engine.
fn jailed(
    command: &Command,
    spec: &EngineSpec,
    name: &str,
) -> Result<(Command, ScratchFolder), EngineError> {
    let scratch = ScratchFolder::new()
        .map_err(|source| environment_error(name, std::env::temp_dir(), source))?;
    let program = command.get_program();
    let policy = Policy::of(spec, program.as_ref(), scratch.path());
    let mut helper = Command::new(own_file(name)?);
    helper.arg(jail::HELPER).arg(serde_json::json!(policy).to_string());
    helper.arg(program).args(command.get_args()).env_clear();
    helper.envs(HARMLESS.iter().filter_map(|key| Some((key, std::env::var_os(key)?))));
    helper.env("HOME", scratch.path()).env("TMPDIR", scratch.path());
    helper.current_dir(spec.dir.as_deref().unwrap_or(scratch.path()));
    Ok((helper, scratch))
}

fn hint_for(path: &std::path::Path) -> &'static str {
    match path.metadata() {
        Ok(meta) if meta.is_dir() => ": it is a folder",
        Ok(_) => ": the file is there but not executable (chmod +x?)",
        Err(_) if path.components().count() > 1 => ": no such file",
        Err(_) => ": not on the PATH (a program in this folder is written ./NAME)",
    }
}
