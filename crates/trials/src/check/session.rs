//! The workbench of the checks: an engine that is there when it is needed, whatever the check
//! before has done to it, and what is known about it so far.

use super::budget::Budget;
use super::calibrate::Reach;
use super::engine::{Shared, TestedEngine};
use super::identity::Display;
use super::needs::{Need, Needs};
use super::outcome::Findings;
use super::script::{Mark, Script};
use super::stop::Stop;
use super::transcript::{Search, finish};
use super::{CheckOutcome, CheckPlan, CheckSpec, Group, Profile, Root, xboard_words};
use dyno_chess::Position;
use dyno_driver::{EngineError, EngineIdentity, Protocol, Settings};
use dyno_uci::OptionKind;
use std::time::{Duration, Instant};

/// An engine under examination.
pub(super) struct Session<'a> {
    pub plan: &'a CheckPlan,
    /// How every process is started.
    settings: Settings,
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
    pub roots: Vec<Root>,
    /// Whether a process has searched once: what is loaded with the first search is loaded then.
    is_warm: bool,
    /// Whether that took so long that every fresh process is made to do it first.
    pub loads_late: bool,
    /// Whether `searchmoves` holds for every later search of a process.
    pub stays_restricted: bool,
    /// How the engine is asked to show its position, once found out.
    pub display: Option<Option<Display>>,
}

impl<'a> Session<'a> {
    /// Starts the engine; the time of the examination runs since `opened`.
    pub fn open(
        plan: &'a CheckPlan,
        shares: &[f64],
        opened: Instant,
    ) -> Result<Session<'a>, EngineError> {
        let began = Instant::now();
        let shared = Shared::default();
        let engine =
            TestedEngine::start(&plan.engine, &plan.settings, plan.slowness, shared.clone())?;
        let handshake = began.elapsed().saturating_sub(engine.waiting().since_start());
        let (settings, engine) = with_small_table(plan, engine, &shared);
        let record = engine.record();
        Ok(Session {
            plan,
            settings,
            engine: Some(engine),
            record,
            budget: Budget::new(plan, shares, opened),
            shared,
            findings: Findings::default(),
            handshake,
            reach: None,
            needs: Needs::default(),
            roots: Vec::new(),
            is_warm: false,
            loads_late: false,
            stays_restricted: false,
            display: None,
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
        self.findings = Findings::default();
        let (span, end) = self.budget.begin(share);
        self.shared.begin(Instant::now() + span, end, self.budget.end(), span);
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
        let shared = self.shared.clone();
        shared.aside(most, || work(self))
    }

    /// Whether the clock means anything: not for an engine that something slows down.
    pub fn runs_at_speed(&self) -> bool {
        self.plan.slowness <= 1.0
    }

    /// What came of a question, or nothing where the time ran out over it: the check then judges
    /// by what it has, and the engine, which is still busy, is replaced.
    pub fn in_time<T>(&mut self, asked: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match asked {
            Err(Stop::OutOfTime) => {
                self.discard_engine();
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// The engine, started anew where the last one has ended, or where it still looks only at the
    /// moves that an earlier check has asked for.
    pub fn engine(&mut self) -> Result<&mut TestedEngine, Stop> {
        let is_restricted = self.engine.as_ref().is_some_and(TestedEngine::is_restricted);
        if is_restricted && self.stays_restricted {
            self.discard_engine();
        }
        if self.engine.is_none() {
            self.engine = Some(self.fresh()?);
        }
        self.engine.as_mut().ok_or(Stop::OutOfTime)
    }

    /// Ends the engine that is kept from check to check: the next one gets a new process.
    pub fn discard_engine(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.into_engine().kill();
        }
    }

    /// A process of its own for a check that may spoil it.
    pub fn fresh(&self) -> Result<TestedEngine, Stop> {
        self.fresh_with(|_| {})
    }

    /// The same with other settings.
    pub fn fresh_with(&self, change: impl FnOnce(&mut Settings)) -> Result<TestedEngine, Stop> {
        if self.shared.is_over() {
            return Err(Stop::OutOfTime);
        }
        let mut settings = self.settings.clone();
        change(&mut settings);
        if let Some(end) = self.shared.hard_end() {
            let left = end.saturating_duration_since(Instant::now());
            settings.handshake = settings.handshake.min(left);
            settings.ready = settings.ready.min(left);
        }
        let most = settings.handshake + settings.ready + FIRST_SEARCH;
        // Starting up is not what the check is about.
        let started = self.shared.starting(most, || self.start(&settings));
        match started {
            // What has no more time to start is not to blame for it.
            Err(stop) if !stop.is_interrupt() && self.shared.is_over() => Err(Stop::OutOfTime),
            other => other,
        }
    }

    fn start(&self, settings: &Settings) -> Result<TestedEngine, Stop> {
        let (spec, slowness) = (&self.plan.engine, self.plan.slowness);
        let mut engine = TestedEngine::start(spec, settings, slowness, self.shared.clone())?;
        if self.loads_late {
            first_search(&mut engine)?;
        }
        Ok(engine)
    }

    /// One search that is not judged: some engines load their network only now. Where that takes
    /// long, it belongs to the start of every process.
    pub fn warm_up(&mut self) -> Result<(), Stop> {
        if self.is_warm || self.record.protocol == Protocol::Xboard {
            return Ok(());
        }
        self.is_warm = true;
        let loads_late = self.aside(2 * FIRST_SEARCH, |session| {
            let first = first_search(session.engine()?)?.own_time();
            if first < LATE {
                return Ok(false);
            }
            let again = first_search(session.engine()?)?;
            Ok(!again.overran && again.own_time() < first / 4)
        });
        match loads_late {
            Ok(loads_late) => self.loads_late = loads_late,
            Err(stop) if stop.is_interrupt() => return Err(stop),
            // The checks will tell.
            Err(_) => self.discard_engine(),
        }
        Ok(())
    }

    /// A search before one that is judged by its time: what is compiled or loaded with the first
    /// one is not what the finding is about.
    pub fn warm_search(&mut self) -> Result<Script, Stop> {
        let by_time = self.broken(Need::Movetime)?.is_none();
        let go = if by_time { "go movetime 200" } else { "go depth 1" };
        Ok(Script::of_search("position startpos", go))
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
        self.unmet(check)
    }

    /// Commands as the engine would be given them: XBoard has other words.
    pub fn in_its_words(&self, commands: Vec<String>) -> Vec<String> {
        if self.record.protocol != Protocol::Xboard {
            return commands;
        }
        xboard_words::translated(&commands)
    }
}

/// A table that is cleared in no time, in megabytes: one of a gigabyte would take the time of most
/// checks for itself.
const SMALL: i64 = 8;

/// The engine with a small table, where its own is large and it takes another one without harm.
fn with_small_table(
    plan: &CheckPlan,
    engine: TestedEngine,
    shared: &Shared,
) -> (Settings, TestedEngine) {
    let settings = plan.settings.clone();
    let is_large = match engine.option("Hash").map(|option| &option.kind) {
        Some(OptionKind::Spin { default, min, .. }) => *default > SMALL && *min <= SMALL,
        _ => false,
    };
    if !is_large || !engine.capabilities().uci_commands || plan.engine.option("Hash").is_some() {
        return (settings, engine);
    }
    let mut small = settings.clone();
    small.defaults.push(("Hash".to_owned(), SMALL.to_string()));
    let started = TestedEngine::start(&plan.engine, &small, plan.slowness, shared.clone());
    let Ok(mut other) = started else { return (settings, engine) };
    match first_search(&mut other) {
        Ok(found) if Position::startpos().parse_uci(&found.best).is_ok() => {
            engine.into_engine().kill();
            (small, other)
        }
        _ => {
            other.into_engine().kill();
            (settings, engine)
        }
    }
}

/// The search that a process is warmed up with.
pub(super) const WARM_UP: [&str; 2] = ["position startpos", "go depth 1"];
/// How long it may take, told to stop meanwhile.
const FIRST_SEARCH: Duration = Duration::from_secs(20);
/// When it is told to: an engine that ignores the depth stops then, one that loads goes on.
const TOLD_TO_STOP: Duration = Duration::from_secs(4);
/// A first search that takes longer may have loaded something.
const LATE: Duration = Duration::from_secs(1);

/// Searches once, with more patience than any check has.
fn first_search(engine: &mut TestedEngine) -> Result<Search, Stop> {
    let began = engine.send_line(&WARM_UP.join("\n"))?;
    match finish(engine, Search::default(), began, TOLD_TO_STOP) {
        Err(Stop::Engine(EngineError::Hung { .. })) => {
            finish(engine, Search { overran: true, ..Search::default() }, began, FIRST_SEARCH)
        }
        other => other,
    }
}
