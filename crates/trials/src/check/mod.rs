//! The whole examination of one engine: many small checks, each with a verdict, evidence and a way
//! to see it again.

mod budget;
mod caches;
mod calibrate;
mod catalogue;
mod clock_use;
mod confirm;
mod consistency;
mod deep_mates;
mod depths;
mod draws;
mod endurance;
mod engine;
mod every_move;
mod false_mates;
mod false_repeats;
mod full_table;
mod games;
mod hash_size;
mod identity;
mod legality;
mod limits;
mod limits_once;
mod listed;
mod mates;
mod mirror;
mod mix_ups;
mod needs;
mod odd_limits;
mod offers;
mod options;
mod outcome;
mod oversights;
mod overtime;
mod positions;
mod protocol;
mod replay;
mod root_moves;
mod scores;
mod script;
mod session;
mod setups;
mod spec;
mod speed;
mod stability;
mod startup;
mod stop;
mod stopping;
mod symmetry;
mod table;
mod tactics;
mod temptations;
mod threads;
mod timing;
mod transcript;
mod watchdog;
mod whole_lines;
mod xboard_words;
mod zugzwang;

pub use catalogue::{CATALOGUE, find_check};
pub use engine::Memory;
pub use outcome::{CheckOutcome, CheckResult, Confirmation, Figure, Finding, Judged, Proof};
pub use replay::{Ending, Replay, Said, Speaker};
pub use spec::{CheckSpec, Group, Guide};
pub use transcript::{InfoLine, Search};

pub use crate::Verdict;
use dyno_driver::{EngineError, EngineIdentity, EngineSpec, Protocol, RunHeader, Settings};
use outcome::{NOTHING_JUDGED, OUT_OF_TIME};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use session::Session;
use std::time::Instant;
use stop::Stop;

/// What every check returns.
type Checked = Result<CheckOutcome, Stop>;

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

    /// Whether a check is not made though nothing says that it should be skipped.
    fn leaves_out(&self, check: &CheckSpec) -> bool {
        !self.wants(check) && !self.skip.iter().any(|name| check.is_named(name))
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
    /// The engine runs; this many checks are to come.
    Started { engine: &'a EngineIdentity, checks: usize },
    /// A check begins.
    Begun(&'a CheckSpec),
    /// A check is done.
    Done(&'a CheckResult),
}

/// Examines the engine. An error means that it could not even be started.
pub fn run(
    plan: &CheckPlan,
    mut listen: impl FnMut(CheckEvent<'_>),
) -> Result<ReportCard, EngineError> {
    let began = Instant::now();
    let mut checks: Vec<&CheckSpec> = CATALOGUE.iter().filter(|check| plan.wants(check)).collect();
    checks.sort_by_key(|check| check.turn());
    let shares: Vec<f64> = checks.iter().map(|check| check.share).collect();
    let mut session = Session::open(plan, &shares, began)?;
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
        let Ok(outcome) = session.examine(check) else {
            card.interrupted = true;
            break;
        };
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
    let place = |result: &CheckResult| CATALOGUE.iter().position(|check| check.id == result.id);
    card.checks.sort_by_key(place);
    card.header.seconds = began.elapsed().as_secs_f64();
    Ok(card)
}

/// The cause of what shows only after many searches.
const MANY_SEARCHES: &str = "fails after many searches";

/// The user has broken it off.
struct Interrupted;

/// A cause that a finding has named.
struct Root {
    name: String,
    check: String,
    verdict: Verdict,
}

impl Root {
    /// Whether a check's finding is put down to it. A failure never is to a mere warning: it would
    /// vanish from the card.
    fn explains(&self, check: &str, finding: &Finding) -> bool {
        let is_named = |names: &[String]| names.contains(&self.name);
        self.check != check
            && self.verdict <= finding.verdict
            && (is_named(&finding.roots) || is_named(&finding.suffers_from))
    }
}

impl Session<'_> {
    /// Makes one check: its findings are shown again, and put down to their cause where another
    /// check has named it.
    fn examine(&mut self, check: &CheckSpec) -> Result<CheckOutcome, Interrupted> {
        if self.budget.is_spent() {
            return Ok(CheckOutcome::skip(OUT_OF_TIME));
        }
        self.begin(check.share);
        let mut outcome = match self.run_check(check) {
            Ok(outcome) => outcome,
            Err(stop) => self.broken_off(stop)?,
        };
        match self.confirm(&mut outcome) {
            Err(stop) if stop.is_interrupt() => return Err(Interrupted),
            _ => {}
        }
        self.attribute(check, &mut outcome);
        outcome.settle();
        if outcome.verdict == Verdict::Skip
            && outcome.summary == NOTHING_JUDGED
            && self.time_is_up()
        {
            OUT_OF_TIME.clone_into(&mut outcome.summary);
        }
        if outcome.findings.is_empty() {
            outcome.reproduce = self.in_its_words(outcome.reproduce);
        }
        Ok(outcome)
    }

    fn run_check(&mut self, check: &CheckSpec) -> Checked {
        if check.group != Group::Startup {
            self.warm_up()?;
        }
        match self.unfit(check)? {
            Some(unfit) => Ok(unfit),
            None => (check.run)(self),
        }
    }

    /// The outcome of a check that could not go on to its end.
    fn broken_off(&mut self, stop: Stop) -> Result<CheckOutcome, Interrupted> {
        let found = self.found_so_far();
        match stop.failure() {
            Ok(error) => {
                let finding = self.failure(&error);
                self.discard_engine();
                found.push(finding);
                Ok(found.outcome(""))
            }
            Err(Stop::OutOfTime) => {
                self.discard_engine();
                Ok(found.so_far())
            }
            Err(Stop::Engine(_)) => Err(Interrupted),
        }
    }

    /// Puts findings down to the check that has named their cause before.
    fn attribute(&mut self, check: &CheckSpec, outcome: &mut CheckOutcome) {
        for finding in &mut outcome.findings {
            // What a fresh process does not show came with the searches before, where these are
            // known to matter.
            let needs_more =
                matches!(finding.confirmation, Confirmation::WithHistory | Confirmation::NotShown);
            if needs_more {
                finding.roots.push(MANY_SEARCHES.to_owned());
                finding.roots.push(limits_once::KEPT.to_owned());
            }
            if check.group == Group::Consistency && finding.is_about_scores() {
                finding.suffers_from.push(scores::FOR_WHITE.to_owned());
                if finding.confirmation == Confirmation::WithHistory {
                    finding.suffers_from.push(consistency::NOT_CLEARED.to_owned());
                }
            }
            let known = self.roots.iter().find(|root| root.explains(check.id, finding));
            finding.because = known.map(|root| root.check.clone());
            let is_it = check.id == "stability.many-searches"
                && finding.confirmation != Confirmation::NotShown;
            if finding.stands() && (!needs_more || is_it) {
                let (check, verdict) = (check.id, finding.verdict);
                let named = finding.roots.iter().cloned();
                self.roots.extend(named.map(|name| Root {
                    name,
                    check: check.to_owned(),
                    verdict,
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_not_put_down_to_a_warning() {
        let root = |verdict| Root {
            name: "sign of scores".to_owned(),
            check: "search.depth-scores".to_owned(),
            verdict,
        };
        let fail = Finding::fail("a queen is not taken").root("sign of scores");
        let warn = Finding::warn("a queen is not taken").root("sign of scores");
        assert!(!root(Verdict::Warn).explains("tactics.captures", &fail));
        assert!(root(Verdict::Warn).explains("tactics.captures", &warn));
        assert!(root(Verdict::Fail).explains("tactics.captures", &fail));
        assert!(!root(Verdict::Fail).explains("search.depth-scores", &fail));
        let only_suffers = Finding::fail("an illegal move in a PV").suffers_from("sign of scores");
        assert!(root(Verdict::Fail).explains("stability.self-play", &only_suffers));
        // A crash in a check of scores is a crash.
        assert!(!Finding::fail("crashes").root("ends go depth").is_about_scores());
        assert!(Finding::fail("score cp 3").root("draw: repetition").is_about_scores());
        let other = Finding::fail("loses on time").root("loses on time");
        assert!(!root(Verdict::Fail).explains("time.clock", &other));
    }
}
