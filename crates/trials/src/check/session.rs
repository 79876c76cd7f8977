//! The workbench of the checks: an engine that is there when it is needed, whatever the check
//! before has done to it, and what is known about it so far.

use super::budget::Budget;
use super::calibrate::Reach;
use super::engine::{Shared, TestedEngine};
use super::needs::Needs;
use super::outcome::Findings;
use super::script::Mark;
use super::stop::Stop;
use super::{CheckOutcome, CheckPlan, CheckSpec, Group, Profile, xboard_words};
use dyno_driver::{EngineError, EngineIdentity, Protocol, Settings};
use std::time::{Duration, Instant};

/// An engine under examination.
pub(super) struct Session<'a> {
    pub plan: &'a CheckPlan,
    engine: Option<TestedEngine>,
    record: EngineIdentity,
    pub budget: Budget,
    pub shared: Shared,
    /// What the running check has found so far.
    findings: Findings,
    /// The handshake of the first start, for the checks of starting up.
    pub handshake: Duration,
    /// How far the engine searches in which time, once measured.
    pub reach: Option<Reach>,
    /// What has been found out about the engine's obedience.
    pub needs: Needs,
    /// The causes that have been found, each with the check that has named it.
    pub roots: Vec<(String, String)>,
    /// What the engine was asked last, to be shown when it fails.
    pub said: Vec<String>,
    /// How the engine is asked to show its position, once found out.
    pub display: Option<Option<&'static str>>,
    /// How the engine is asked for perft, once found out.
    pub perft: Option<Option<crate::perft_bisect::Dialect>>,
}

impl<'a> Session<'a> {
    pub fn open(plan: &'a CheckPlan, shares: &[f64]) -> Result<Session<'a>, EngineError> {
        let began = Instant::now();
        let shared = Shared::default();
        let engine =
            TestedEngine::start(&plan.engine, &plan.settings, plan.slowness, shared.clone())?;
        let handshake = began.elapsed().saturating_sub(engine.waiting().since_start());
        let record = engine.record();
        Ok(Session {
            plan,
            engine: Some(engine),
            record,
            budget: Budget::new(plan, shares),
            shared,
            findings: Findings::default(),
            handshake,
            reach: None,
            needs: Needs::default(),
            roots: Vec::new(),
            said: Vec::new(),
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
    pub fn begin(&mut self, share: f64) {
        self.said.clear();
        self.findings = Findings::default();
        let (span, end) = self.budget.begin(share);
        self.shared.begin(Instant::now() + span, end, span);
    }

    /// What the running check collects its findings in; `noun` is what it judges.
    pub fn findings(&mut self, noun: &str) -> Findings {
        self.findings = Findings::new(noun);
        self.findings.clone()
    }

    /// What the running check has found so far.
    pub fn found_so_far(&self) -> Findings {
        self.findings.clone()
    }

    /// Whether the running check has used up its share: with a slow engine it looks at fewer
    /// samples, and says how many, rather than keep everybody waiting.
    pub fn time_is_up(&self) -> bool {
        self.shared.left().is_zero()
    }

    /// What is left of the running check's share.
    pub fn left(&self) -> Duration {
        self.shared.left()
    }

    /// Does something that other checks need as well, outside the time of the running one.
    pub fn aside<T>(
        &mut self,
        most: Duration,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let (began, deadline) = (Instant::now(), self.shared.deadline());
        self.shared.set_deadline(Some(began + most));
        let done = work(self);
        self.shared.set_deadline(deadline);
        self.shared.put_off(began.elapsed());
        done
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

    /// Ends the engine that is kept from check to check: the next one gets a new process.
    pub fn discard_engine(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.into_engine().kill();
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
        let (spec, began) = (&self.plan.engine, Instant::now());
        let started = TestedEngine::start(spec, &settings, self.plan.slowness, self.shared.clone());
        // Starting up is not what the check is about.
        self.shared.put_off(began.elapsed());
        started
    }

    /// The conversation that was the last to go on, with whatever process.
    pub fn latest(&self) -> Mark {
        self.shared.latest()
    }

    /// Why a check cannot be made of this engine, if it cannot.
    pub fn unfit(&mut self, check: &CheckSpec) -> Result<Option<CheckOutcome>, Stop> {
        if self.record.protocol == Protocol::Xboard && !check.fits_xboard() {
            let why = "a rule of UCI: the engine speaks XBoard";
            return Ok(Some(CheckOutcome::skip(why)));
        }
        let about_speed = matches!(check.group, Group::Time | Group::Speed);
        if about_speed && !self.runs_at_speed() {
            let why = "something slows the engine down: its clock says nothing";
            return Ok(Some(CheckOutcome::skip(why)));
        }
        if self.record.protocol == Protocol::Xboard {
            return Ok(None);
        }
        for need in check.needs {
            if let Some((id, why)) = self.broken(*need)?
                && id != check.id
            {
                return Ok(Some(CheckOutcome::because(id, why)));
            }
        }
        Ok(None)
    }

    /// Commands as the engine would be given them: XBoard has other words.
    pub fn in_its_words(&self, commands: Vec<String>) -> Vec<String> {
        if self.record.protocol != Protocol::Xboard {
            return commands;
        }
        xboard_words::translated(&commands)
    }
}
