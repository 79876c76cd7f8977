//! A running engine, in whichever protocol it speaks.

mod game;
mod search;

use crate::channel::Channel;
use crate::error::{EngineError, Phase};
use crate::identity::{self, EngineIdentity, Identity};
use crate::process::{Activity, Exit, Usage};
use crate::protocol::{Capabilities, EngineProtocol, LineKind, connect};
use crate::settings::{Interrupt, Settings};
use crate::spec::{EngineSpec, Protocol};
use dyno_uci::{Deviation, EngineOption, Findings, InfoBuf, OptionKind, nearest_name};
use std::time::{Duration, Instant};

/// Something a user should know that does not stop the run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineWarning {
    /// An option the engine does not declare; it was not set.
    #[error("{engine} has no option {option:?}{}", .nearest.as_ref().map(|n| format!(" (did you mean {n:?}?)")).unwrap_or_default())]
    UnknownOption { engine: String, option: String, nearest: Option<String> },
}

/// How long an engine may take to end once the user wants to stop.
const PARTING: Duration = Duration::from_millis(100);

/// A running engine.
///
/// Dropping it kills the process and everything it started; [`Engine::quit`] is the polite way.
pub struct Engine {
    spec: EngineSpec,
    settings: Settings,
    channel: Channel,
    protocol: Box<dyn EngineProtocol>,
    identity: Identity,
    options: Vec<EngineOption>,
    warnings: Vec<EngineWarning>,
    /// The options set so far, with the last value of each.
    set_options: Vec<(String, String)>,
    /// When the running search began.
    search: Option<Instant>,
    info: InfoBuf,
}

impl Engine {
    /// Starts the engine, shakes hands, sets its options and waits until it is ready.
    pub fn start(spec: &EngineSpec, settings: &Settings) -> Result<Self, EngineError> {
        let (channel, handshake) = connect(spec, settings)?;
        let mut engine = Self {
            spec: spec.clone(),
            settings: settings.clone(),
            channel,
            protocol: handshake.protocol,
            identity: handshake.identity,
            options: handshake.options,
            warnings: Vec::new(),
            set_options: Vec::new(),
            search: None,
            info: InfoBuf::default(),
        };
        engine.channel.phase = Phase::Options;
        for line in &spec.init {
            engine.channel.send(line)?;
        }
        engine.set_defaults()?;
        for (name, value) in &spec.options {
            engine.set_option(name, value)?;
        }
        engine.is_ready(settings.ready)?;
        Ok(engine)
    }

    /// Sets the run's defaults where the engine's own differ and the user did not ask otherwise.
    fn set_defaults(&mut self) -> Result<(), EngineError> {
        let asked =
            |name: &str| self.spec.options.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let differs = |name: &str, value: &str| {
            self.option(name).is_some_and(|o| o.default_text().is_some_and(|d| d != value))
        };
        let wanted: Vec<_> = self
            .settings
            .defaults
            .iter()
            .filter(|(name, value)| !asked(name) && differs(name, value))
            .cloned()
            .collect();
        wanted.iter().try_for_each(|(name, value)| self.set_option(name, value))
    }

    /// The user's request to stop, where one was given.
    #[must_use]
    pub fn interrupt(&self) -> Option<&Interrupt> {
        self.settings.interrupt.as_ref()
    }

    /// A fresh process of the same engine; the old one is killed.
    pub fn restart(&mut self) -> Result<(), EngineError> {
        let findings = std::mem::take(&mut self.channel.findings);
        self.channel.kill();
        *self = Self::start(&self.spec, &self.settings)?;
        self.channel.findings.absorb(&findings);
        Ok(())
    }

    /// Sets an option after checking it against what the engine declares. An unknown option is a
    /// warning and is not sent.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let Some(option) = self.options.iter().find(|o| o.is_named(name)) else {
            let nearest = nearest_name(name, self.options.iter().map(|o| o.name.as_str()));
            self.warnings.push(EngineWarning::UnknownOption {
                engine: self.channel.name.clone(),
                option: name.to_owned(),
                nearest: nearest.map(str::to_owned),
            });
            return Ok(());
        };
        let value = option
            .check(value)
            .map_err(|fault| EngineError::BadOption { engine: self.channel.name.clone(), fault })?;
        let name = option.name.clone();
        let value = (option.kind != OptionKind::Button).then_some(value);
        self.set_options.retain(|(set, _)| *set != name);
        self.set_options.push((name.clone(), value.clone().unwrap_or_default()));
        self.protocol.set_option(&mut self.channel, &name, value.as_deref())
    }

    /// Tells the engine that what follows is unrelated to what came before.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        let text = self.protocol.new_game();
        self.channel.send(&text).map(drop)
    }

    /// Asks whether the engine is ready and waits for the answer.
    pub fn is_ready(&mut self, timeout: Duration) -> Result<(), EngineError> {
        match self.protocol.ready_query() {
            Some(query) => self.ask_ready(&query, timeout),
            None => Ok(()),
        }
    }

    /// A new game and a wait until the engine is ready for it, in one write.
    pub fn prepare(&mut self) -> Result<(), EngineError> {
        let new_game = self.protocol.new_game();
        match self.protocol.ready_query() {
            Some(query) => self.ask_ready(&format!("{new_game}\n{query}"), self.settings.ready),
            None => self.channel.send(&new_game).map(drop),
        }
    }

    fn ask_ready(&mut self, query: &str, timeout: Duration) -> Result<(), EngineError> {
        self.channel.phase = Phase::Ready;
        let deadline = self.channel.send(query)? + timeout;
        while self.channel.read_line(Some(deadline))? {
            if self.handle_idle_line() == LineKind::Ready {
                self.channel.phase = Phase::Idle;
                return Ok(());
            }
        }
        let asked = self.protocol.ready_command();
        Err(EngineError::NotReady { engine: self.channel.name.clone(), asked, after: timeout })
    }

    /// Deals with a line that belongs to no running search.
    fn handle_idle_line(&mut self) -> LineKind {
        let kind = self.protocol.classify(&mut self.channel, false);
        if kind == LineKind::BestMove {
            let best = self.protocol.best_move(&self.channel.line, &mut |_| {});
            let text = best.text.to_owned();
            self.channel.report(Deviation::UnexpectedBestMove { text });
        }
        kind
    }

    /// Sends a raw line.
    pub fn send_line(&mut self, line: &str) -> Result<Instant, EngineError> {
        self.channel.phase = match self.channel.phase {
            Phase::Search => Phase::Search,
            _ if line.lines().any(|line| line.starts_with("go")) => Phase::Search,
            _ if line == "isready" => Phase::Ready,
            _ if line == "quit" => Phase::Quitting,
            _ => Phase::Command,
        };
        self.channel.send(line)
    }

    /// Reads a raw line with its time of arrival; `None` at the deadline.
    pub fn read_line(
        &mut self,
        deadline: Option<Instant>,
    ) -> Result<Option<(&str, Instant)>, EngineError> {
        let got = self.channel.read_line(deadline)?;
        if got {
            let word = self.channel.line.split_ascii_whitespace().next();
            let ends = match self.channel.phase {
                Phase::Search => word == Some("bestmove"),
                Phase::Ready | Phase::Command => word == Some("readyok"),
                _ => false,
            };
            if ends {
                self.channel.phase = Phase::Idle;
            }
        }
        Ok(got.then_some((self.channel.line.as_str(), self.channel.stamp)))
    }

    /// Ends the engine in order: `stop` if it searches, `quit`, a grace, terminate, kill.
    pub fn quit(mut self) -> Exit {
        self.shut_down()
    }

    fn shut_down(&mut self) -> Exit {
        self.channel.usage();
        let searching = self.search.take().is_some();
        self.channel.phase = Phase::Quitting;
        let farewell = match searching {
            true => format!("{}\nquit", self.protocol.stop_command()),
            false => "quit".to_owned(),
        };
        // After Ctrl-C the user does not wait for good manners.
        let interrupted = self.interrupt().is_some_and(Interrupt::requested);
        let patience = if interrupted { PARTING } else { self.settings.quit };
        if self.channel.send(&farewell).is_ok()
            && let Some(exit) = self.channel.drain_until_end(patience)
        {
            return exit;
        }
        if interrupted {
            return self.channel.kill();
        }
        self.channel.findings.push(Deviation::IgnoredQuit, "");
        self.channel.terminate();
        match self.channel.drain_until_end(self.settings.quit / 2) {
            Some(exit) => exit,
            None => self.channel.kill(),
        }
    }

    /// Closes the engine's input and waits for it to end by itself; says how it ended and whether
    /// it had to be killed.
    pub fn close_input(mut self, timeout: Duration) -> (Exit, bool) {
        match self.channel.drain_until_end(timeout) {
            Some(exit) => (exit, false),
            None => (self.channel.kill(), true),
        }
    }

    /// Kills the process and everything it started, at once.
    pub fn kill(mut self) -> Exit {
        self.channel.kill()
    }

    /// What the engine calls itself, or else what the user calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        match (&self.spec.name, &self.identity.name) {
            (Some(name), _) | (None, Some(name)) => name,
            (None, None) => &self.channel.name,
        }
    }

    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    #[must_use]
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// The identity for results. Reads the program's file for its checksum.
    #[must_use]
    pub fn record(&self) -> EngineIdentity {
        let path = identity::program_file(&self.spec);
        EngineIdentity {
            name: self.name().to_owned(),
            id: self.identity.name.clone(),
            author: self.identity.author.clone(),
            command: self.spec.to_string(),
            file_hash: path.as_deref().and_then(identity::file_hash),
            path: path.map(|path| path.display().to_string()),
            protocol: self.protocol(),
            options: self.set_options.clone(),
        }
    }

    /// The protocol it turned out to speak.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol.protocol()
    }

    /// What can be asked of it in that protocol.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.protocol.capabilities()
    }

    /// The options the engine declares.
    #[must_use]
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// A declared option, whatever the case of its name.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|o| o.is_named(name))
    }

    #[must_use]
    pub fn warnings(&self) -> &[EngineWarning] {
        &self.warnings
    }

    /// Every deviation from the protocol so far.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.channel.findings
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.channel.pid()
    }

    /// CPU time and peak memory of the process so far.
    pub fn usage(&mut self) -> Usage {
        self.channel.usage()
    }

    /// How long the thread that reads has waited for a processor after the last line had arrived.
    /// The time of arrival does not include it.
    #[must_use]
    pub fn wake_up_delay(&self) -> Duration {
        self.channel.wake_up
    }

    /// How long the engine's threads have waited for a processor since this was asked last; zero
    /// where the system does not say.
    pub fn run_delay(&mut self) -> Duration {
        self.channel.run_delay()
    }

    /// Whether the engine, with everything it started, is at work; `None` where the system does
    /// not say. It tells a slow engine from a hung one.
    #[must_use]
    pub fn activity(&self) -> Option<Activity> {
        self.channel.activity()
    }

    /// Pins the engine to some CPUs; says whether the system could.
    pub fn set_affinity(&self, cpus: &[usize]) -> bool {
        self.channel.set_affinity(cpus)
    }

    /// The end of what it wrote to standard error.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.channel.stderr()
    }

    /// The end of the conversation: milliseconds, `>` or `<`, line.
    #[must_use]
    pub fn transcript_tail(&self) -> String {
        self.channel.tail()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("name", &self.name()).field("pid", &self.pid()).finish()
    }
}
