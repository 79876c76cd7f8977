//! The whole examination of one engine: many small checks, each with a verdict, evidence and a way
//! to see it again.

mod catalogue;
mod consistency;
mod draws;
mod engine;
mod identity;
mod legality;
mod limits;
mod options;
mod positions;
mod probe;
mod protocol;
mod session;
mod speed;
mod stability;
mod startup;
mod tactics;
mod timing;
mod transcript;

pub use catalogue::{CATALOGUE, CheckSpec, Group, Guide, find_check};

pub use crate::Verdict;
use dyno_driver::{EngineError, EngineIdentity, EngineSpec, RunHeader, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use session::Session;
use std::time::Instant;

/// How thorough the examination is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Under two minutes.
    #[default]
    Quick,
    /// Some ten minutes.
    Standard,
    /// As long as it takes to be sure.
    Thorough,
}

impl Profile {
    /// One of three values.
    pub fn choose<T>(self, quick: T, standard: T, thorough: T) -> T {
        match self {
            Profile::Quick => quick,
            Profile::Standard => standard,
            Profile::Thorough => thorough,
        }
    }
}

/// What to examine, and how.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// The engine.
    pub engine: EngineSpec,
    /// Patience, transcript, the user's wish to stop.
    pub settings: Settings,
    /// How thorough.
    pub profile: Profile,
    /// Only checks whose id or group starts with one of these; all when empty.
    pub only: Vec<String>,
    /// No checks whose id or group starts with one of these.
    pub skip: Vec<String>,
    /// Decides everything random.
    pub seed: u64,
    /// Games at a time in self-play.
    pub concurrency: usize,
    /// Games of self-play; the profile's number when not given.
    pub games: Option<u32>,
    /// How many times slower than usual the engine runs, for example under valgrind: every
    /// patience is multiplied by it, and what depends on speed is not judged when it is above 1.
    pub slowness: f64,
}

impl CheckPlan {
    fn wants(&self, check: &CheckSpec) -> bool {
        let named = |names: &[String]| names.iter().any(|name| check.is_named(name));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }

    fn recorded(&self) -> Value {
        json!({
            "profile": self.profile,
            "only": self.only,
            "skip": self.skip,
            "concurrency": self.concurrency,
            "games": self.games,
            "slowness": self.slowness,
        })
    }
}

/// A number worth showing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it counts.
    pub name: String,
    /// How much.
    pub value: f64,
    /// In what.
    pub unit: String,
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The finding in one line.
    pub summary: String,
    /// What was seen, a line each.
    pub evidence: Vec<String>,
    /// What to send to the engine to see it again.
    pub reproduce: Vec<String>,
    /// Numbers.
    pub figures: Vec<Figure>,
}

impl CheckOutcome {
    fn new(verdict: Verdict, summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome {
            verdict,
            summary: summary.into(),
            evidence: Vec::new(),
            reproduce: Vec::new(),
            figures: Vec::new(),
        }
    }

    fn pass(summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Pass, summary)
    }

    fn warn(summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Warn, summary)
    }

    fn fail(summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Fail, summary)
    }

    fn skip(reason: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Skip, reason)
    }

    fn evidence(mut self, lines: impl IntoIterator<Item = String>) -> CheckOutcome {
        self.evidence.extend(lines.into_iter().take(20));
        self
    }

    fn reproduce<S: Into<String>>(mut self, lines: impl IntoIterator<Item = S>) -> CheckOutcome {
        self.reproduce.extend(lines.into_iter().map(Into::into));
        self
    }

    fn figure(mut self, name: &str, value: f64, unit: &str) -> CheckOutcome {
        self.figures.push(Figure { name: name.into(), value, unit: unit.into() });
        self
    }
}

/// One check, done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The check's stable name, under which the guide explains it.
    pub id: String,
    /// The group it belongs to.
    pub group: String,
    /// The rule in a few words.
    pub title: String,
    /// What was found.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
    /// How long it took.
    pub seconds: f64,
}

/// The report card.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportCard {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// Who was examined.
    pub engine: EngineIdentity,
    /// How thoroughly.
    pub profile: Profile,
    /// The checks, in order.
    pub checks: Vec<CheckResult>,
    /// Whether the user broke it off.
    pub interrupted: bool,
}

impl ReportCard {
    /// How many checks came out so.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.checks.iter().filter(|check| check.outcome.verdict == verdict).count()
    }
}

/// What happens during the examination.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// The engine runs; so many checks are to come.
    Started { engine: &'a EngineIdentity, checks: usize },
    /// A check begins.
    Begun(&'a CheckSpec),
    /// A check is done.
    Done(&'a CheckResult),
}

/// The share of a processor from which on a broken time limit may be the machine's fault.
const BUSY: f64 = 0.1;

fn found_wrong(outcome: &CheckOutcome) -> bool {
    matches!(outcome.verdict, Verdict::Fail | Verdict::Warn)
}

/// Examines the engine. An error means that it could not even be started.
pub fn run(
    plan: &CheckPlan,
    mut listen: impl FnMut(CheckEvent<'_>),
) -> Result<ReportCard, EngineError> {
    let began = Instant::now();
    let mut session = Session::open(plan)?;
    let checks: Vec<&CheckSpec> = CATALOGUE.iter().filter(|check| plan.wants(check)).collect();
    let engine = session.record();
    listen(CheckEvent::Started { engine: &engine, checks: checks.len() });
    let mut card = ReportCard {
        header: RunHeader::begin("check", plan.recorded())
            .seed(Some(plan.seed))
            .engines(vec![engine.clone()]),
        engine,
        profile: plan.profile,
        checks: Vec::new(),
        interrupted: false,
    };
    for check in checks {
        listen(CheckEvent::Begun(check));
        let started = Instant::now();
        session.begin();
        // Node limits are no matter of the clock.
        let by_clock =
            matches!(check.group, Group::Time | Group::Tactics) && check.id != "time.nodes";
        let quiet_before = !by_clock || session::stolen() < BUSY;
        let mut outcome = match session.unfit(check).map_or_else(|| (check.run)(&mut session), Ok) {
            Ok(outcome) => outcome,
            Err(EngineError::Interrupted) => {
                card.interrupted = true;
                break;
            }
            Err(error) => session.post_mortem(error),
        };
        if by_clock && found_wrong(&outcome) && (!quiet_before || session::stolen() >= BUSY) {
            outcome.verdict = Verdict::Warn;
            outcome.summary +=
                " (but other programs keep the machine busy: try again when it is idle)";
        }
        outcome.reproduce = session.in_its_words(outcome.reproduce);
        let result = CheckResult {
            id: check.id.into(),
            group: check.group.name().into(),
            title: check.title.into(),
            outcome,
            seconds: started.elapsed().as_secs_f64(),
        };
        listen(CheckEvent::Done(&result));
        card.checks.push(result);
    }
    card.header.seconds = began.elapsed().as_secs_f64();
    Ok(card)
}
