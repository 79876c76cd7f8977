//! The workbench of the checks: an engine that is there when it is needed, whatever the check
//! before has done to it.

use super::engine::TestedEngine;
use super::{CheckOutcome, CheckPlan, CheckSpec, Group, Profile};
use dyno_driver::{EngineError, EngineIdentity, Protocol, Settings};
use std::time::{Duration, Instant};

/// An engine under examination.
pub(super) struct Session<'a> {
    pub plan: &'a CheckPlan,
    engine: Option<TestedEngine>,
    record: EngineIdentity,
    /// When the running check began.
    began: Instant,
    /// The handshake of the first start, for the checks of starting up.
    pub handshake: Duration,
    /// What the engine was asked last, to be shown when it fails.
    pub said: Vec<String>,
    /// Whether the engine has been seen to keep `searchmoves`.
    pub keeps_searchmoves: Option<bool>,
    /// How the engine is asked to show its position, once found out.
    pub display: Option<Option<&'static str>>,
    /// How the engine is asked for perft, once found out.
    pub perft: Option<Option<crate::perft_bisect::Dialect>>,
}

impl<'a> Session<'a> {
    pub fn open(plan: &'a CheckPlan) -> Result<Session<'a>, EngineError> {
        let began = Instant::now();
        let engine = TestedEngine::start(&plan.engine, &plan.settings, plan.slowness)?;
        let handshake = began.elapsed();
        let record = engine.record();
        Ok(Session {
            plan,
            engine: Some(engine),
            record,
            began: Instant::now(),
            handshake,
            said: Vec::new(),
            keeps_searchmoves: None,
            display: None,
            perft: None,
        })
    }

    pub fn record(&self) -> EngineIdentity {
        self.record.clone()
    }

    pub fn profile(&self) -> Profile {
        self.plan.profile
    }

    /// A new check begins, with its share of the time.
    pub fn begin(&mut self) {
        self.said.clear();
        self.began = Instant::now();
    }

    /// Whether the running check has used up its share: with a slow engine it looks at fewer
    /// samples, and says how many, rather than keep everybody waiting.
    pub fn time_is_up(&self) -> bool {
        let seconds = self.profile().choose(4.0, 60.0, 1200.0);
        self.began.elapsed().as_secs_f64() > seconds * self.plan.slowness.min(4.0)
    }

    /// Whether the clock means anything: not for an engine that something slows down.
    pub fn runs_at_speed(&self) -> bool {
        self.plan.slowness <= 1.0
    }

    /// The engine, started anew where the last one has ended.
    pub fn engine(&mut self) -> Result<&mut TestedEngine, EngineError> {
        if self.engine.is_none() {
            self.engine = Some(self.fresh()?);
        }
        match &mut self.engine {
            Some(engine) => Ok(engine),
            None => Err(EngineError::Interrupted),
        }
    }

    /// A process of its own for a check that may spoil it.
    pub fn fresh(&self) -> Result<TestedEngine, EngineError> {
        self.fresh_with(|_| {})
    }

    /// The same with other settings.
    pub fn fresh_with(
        &self,
        change: impl FnOnce(&mut Settings),
    ) -> Result<TestedEngine, EngineError> {
        let mut settings = self.plan.settings.clone();
        change(&mut settings);
        TestedEngine::start(&self.plan.engine, &settings, self.plan.slowness)
    }

    /// Why a check cannot be made of this engine, if it cannot.
    pub fn unfit(&self, check: &CheckSpec) -> Option<CheckOutcome> {
        if self.record.protocol == Protocol::Xboard && !check.fits_xboard() {
            return Some(CheckOutcome::skip("a rule of UCI: the engine speaks XBoard"));
        }
        // Tactics are given so many milliseconds each.
        let about_speed = matches!(check.group, Group::Time | Group::Speed | Group::Tactics);
        (about_speed && !self.runs_at_speed())
            .then(|| CheckOutcome::skip("something slows the engine down: its clock says nothing"))
    }

    /// Commands as the engine would be given them: XBoard has other words.
    pub fn in_its_words(&self, commands: Vec<String>) -> Vec<String> {
        if self.record.protocol != Protocol::Xboard {
            return commands;
        }
        let one = |line: &String| -> Vec<String> {
            let words: Vec<&str> = line.split_whitespace().collect();
            // Whole seconds are all that `st` knows; the driver asks for the move earlier.
            let seconds = |ms: &str| ms.parse::<u64>().unwrap_or(0).div_ceil(1000).max(1);
            match words[..] {
                ["uci"] => vec!["xboard".into(), "protover 2".into()],
                ["ucinewgame"] | ["position", "startpos"] => vec!["new".into()],
                ["isready"] => Vec::new(),
                ["position", "fen", ..] => {
                    vec!["force".into(), format!("setboard {}", words[2..].join(" "))]
                }
                ["go", "movetime", ms] => {
                    let in_time = ms.parse::<u64>().is_ok_and(|ms| ms % 1000 == 0);
                    let now = (!in_time).then(|| format!("? (after {ms} ms)"));
                    let go = [format!("st {}", seconds(ms)), "go".into()];
                    go.into_iter().chain(now).collect()
                }
                ["go", "depth", depth] => vec![format!("sd {depth}"), "go".into()],
                _ => vec![line.clone()],
            }
        };
        commands.iter().flat_map(one).collect()
    }

    /// The engine failed during a check: that is the check's finding, and the next check gets a
    /// new process.
    pub fn post_mortem(&mut self, error: EngineError) -> CheckOutcome {
        let mut evidence = Vec::new();
        if let Some(engine) = self.engine.take() {
            evidence.extend(engine.transcript_tail().lines().rev().take(8).map(str::to_owned));
            evidence.reverse();
            let stderr = engine.stderr();
            evidence.extend(stderr.lines().take(5).map(|line| format!("stderr: {line}")));
            engine.into_engine().kill();
        }
        let said = std::mem::take(&mut self.said);
        CheckOutcome::fail(error.to_string()).evidence(evidence).reproduce(said)
    }
}

/// How much of a processor other programs take at the moment, from 0 to 1: a short spin notices
/// every gap in its own time.
pub(super) fn stolen() -> f64 {
    let span = Duration::from_millis(40);
    let began = Instant::now();
    let (mut last, mut lost) = (began, Duration::ZERO);
    while last < began + span {
        let now = Instant::now();
        let gap = now - last;
        if gap > Duration::from_micros(300) {
            lost += gap;
        }
        last = now;
    }
    lost.as_secs_f64() / (last - began).as_secs_f64()
}
