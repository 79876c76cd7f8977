//! What a check finds: cases judged, findings with their proof, and the verdict that follows.

use super::Verdict;
use super::consistency::NOT_CLEARED;
use super::limits::NO_MOVE_YET;
use super::replay::Replay;
use super::script::{Mark, Script};
use super::transcript::{Search, is_no_move};
use dyno_chess::Position;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// How many cases a check has really judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// How many.
    pub count: usize,
    /// Of what: `positions`, `searches`.
    pub what: String,
}

/// How a finding was shown again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// It was not tried: what was seen needs no repetition.
    #[default]
    NotTried,
    /// By its own lines, in a fresh process.
    Fresh,
    /// In a fresh process too, but only after other commands, which belong to the lines.
    WithHistory,
    /// It could not be shown again.
    NotShown,
    /// There was no time to show it again.
    NoTime,
}

/// Says whether a conversation shows the finding, and what was seen.
pub(super) type Judge = Arc<dyn Fn(&Replay) -> Option<String> + Send + Sync>;

/// How a finding is shown again.
#[derive(Clone)]
pub struct Proof {
    pub(super) script: Script,
    /// The conversation in which it was seen.
    pub(super) seen_in: Option<Mark>,
    pub(super) judge: Judge,
    /// It must show each time: what a busy machine could cause once.
    pub(super) is_every_time: bool,
    /// Where it does not show again, it was the machine's doing.
    pub(super) is_perhaps_chance: bool,
}

impl Proof {
    /// What is seen of the finding in this conversation, if it shows.
    #[must_use]
    pub fn shows(&self, replay: &Replay) -> Option<String> {
        (self.judge)(replay)
    }
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Proof").field(&self.script).finish()
    }
}

impl PartialEq for Proof {
    fn eq(&self, other: &Proof) -> bool {
        self.script == other.script
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Fail or warn.
    pub verdict: Verdict,
    /// What was seen.
    pub seen: String,
    /// What should have been seen.
    #[serde(default)]
    pub expected: String,
    /// The likely cause, in terms of the engine's code.
    #[serde(default)]
    pub cause: String,
    /// The smallest position that shows it.
    #[serde(default)]
    pub fen: Option<String>,
    /// More of the same.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// The program and the lines to type to see it again.
    #[serde(default)]
    pub reproduce: Vec<String>,
    /// Whether they have been tried.
    #[serde(default)]
    pub confirmation: Confirmation,
    /// The check whose finding is the cause of this one.
    #[serde(default)]
    pub because: Option<String>,
    /// Names of the causes it may come from.
    #[serde(skip)]
    pub(super) roots: Vec<String>,
    /// Names of causes that it may come from and does not itself tell.
    #[serde(skip)]
    pub(super) suffers_from: Vec<String>,
    /// How it is shown again.
    #[serde(skip)]
    pub proof: Option<Proof>,
}

impl Finding {
    fn new(verdict: Verdict, seen: impl Into<String>) -> Finding {
        Finding {
            verdict,
            seen: seen.into(),
            expected: String::new(),
            cause: String::new(),
            fen: None,
            evidence: Vec::new(),
            reproduce: Vec::new(),
            confirmation: Confirmation::NotTried,
            because: None,
            roots: Vec::new(),
            suffers_from: Vec::new(),
            proof: None,
        }
    }

    /// The rule is broken.
    pub(super) fn fail(seen: impl Into<String>) -> Finding {
        Finding::new(Verdict::Fail, seen)
    }

    /// The rule is bent.
    pub(super) fn warn(seen: impl Into<String>) -> Finding {
        Finding::new(Verdict::Warn, seen)
    }

    pub(super) fn expected(mut self, text: impl Into<String>) -> Finding {
        self.expected = text.into();
        self
    }

    pub(super) fn cause(mut self, text: impl Into<String>) -> Finding {
        self.cause = text.into();
        self
    }

    pub(super) fn board(mut self, position: &Position) -> Finding {
        self.fen = Some(position.fen());
        self
    }

    pub(super) fn board_of(mut self, fen: &str) -> Finding {
        self.fen = Some(fen.to_owned());
        self
    }

    pub(super) fn evidence(mut self, lines: impl IntoIterator<Item = String>) -> Finding {
        self.evidence.extend(lines.into_iter().take(20));
        self
    }

    /// A cause that others may share: of two findings with the same one, the second is put down
    /// to the first.
    pub(super) fn root(mut self, name: impl Into<String>) -> Finding {
        self.roots.push(name.into());
        self
    }

    /// More such causes.
    pub(super) fn roots(mut self, names: impl IntoIterator<Item = String>) -> Finding {
        self.roots.extend(names);
        self
    }

    /// A cause that another finding names, where there is one: this one alone does not tell it.
    pub(super) fn suffers_from(self, name: impl Into<String>) -> Finding {
        self.may_suffer_from(Some(name))
    }

    /// The same, for a cause that may not come into question.
    pub(super) fn may_suffer_from(mut self, name: Option<impl Into<String>>) -> Finding {
        self.suffers_from.extend(name.map(Into::into));
        self
    }

    /// The rule of the move generator that is broken, by its name in `dyno_chess::diagnose`.
    pub(super) fn rule(self, diagnosis: &impl std::fmt::Debug) -> Finding {
        self.root(rule_name(diagnosis))
    }

    /// Only these lines show it, in a fresh process, and this says whether they do.
    pub(super) fn shown_by(
        mut self,
        script: Script,
        judge: impl Fn(&Replay) -> Option<String> + Send + Sync + 'static,
    ) -> Finding {
        let judge: Judge = Arc::new(judge);
        self.proof = Some(Proof {
            script,
            seen_in: None,
            judge,
            is_every_time: false,
            is_perhaps_chance: false,
        });
        self
    }

    /// The lines of this search show it; where they do not, the conversation before it may.
    pub(super) fn of(
        self,
        search: &Search,
        judge: impl Fn(&Search) -> Option<String> + Send + Sync + 'static,
    ) -> Finding {
        // A search to a depth that has ended by itself did not lack the time for a move.
        let by_depth = search.asked.get(1).is_some_and(|go| go.starts_with("go depth"));
        let was_short = search.overran || !by_depth;
        let has_none = was_short && is_no_move(&search.best) && search.illegal_answer().is_some();
        let mut finding =
            self.shown_by(search.script(), move |replay| judge(&replay.last_search()?));
        finding.suffers_from.extend(has_none.then(|| NO_MOVE_YET.to_owned()));
        finding.seen_in(search.mark.clone())
    }

    /// The conversation in which it was seen, for when its own lines do not show it.
    pub(super) fn seen_in(mut self, mark: Option<Mark>) -> Finding {
        if let Some(proof) = &mut self.proof {
            proof.seen_in = mark;
        }
        self
    }

    /// It must show each time it is tried: a busy machine could cause it once.
    pub(super) fn every_time(mut self) -> Finding {
        if let Some(proof) = &mut self.proof {
            proof.is_every_time = true;
            proof.is_perhaps_chance = true;
        }
        self
    }

    /// It must show again: a busy machine could cause it, if hardly twice.
    pub(super) fn perhaps_chance(mut self) -> Finding {
        if let Some(proof) = &mut self.proof {
            proof.is_perhaps_chance = true;
        }
        self
    }

    /// Whether it is about scores or the choice of a move; a crash, a hang or an illegal move is a
    /// fault of its own, whatever the scores are.
    pub(super) fn is_about_scores(&self) -> bool {
        let others =
            ["ends ", "hangs ", "is silent ", "rule ", "info IllegalPv", NO_MOVE_YET, NOT_CLEARED];
        let is_other = |root: &String| others.iter().any(|other| root.starts_with(other));
        !self.roots.iter().any(is_other)
    }

    /// Whether it stands as the engine's fault.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.because.is_none()
    }
}

/// The name of a broken rule, for the findings that share it.
pub(super) fn rule_name(diagnosis: &impl std::fmt::Debug) -> String {
    let name = format!("{diagnosis:?}");
    format!("rule {}", name.split([' ', '{', '(']).next().unwrap_or_default())
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The finding in one line.
    pub summary: String,
    /// How many cases were judged.
    #[serde(default)]
    pub judged: Option<Judged>,
    /// What is wrong, worst first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The check whose finding is the reason that this one could not be judged.
    #[serde(default)]
    pub because: Option<String>,
    /// What was seen, a line each.
    pub evidence: Vec<String>,
    /// What to send to the engine to see the first finding again.
    pub reproduce: Vec<String>,
    /// Numbers.
    pub figures: Vec<Figure>,
    /// What to say where every finding turns out to be none.
    #[serde(skip)]
    passed: String,
}

impl CheckOutcome {
    fn new(verdict: Verdict, summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome {
            verdict,
            summary: summary.into(),
            judged: None,
            findings: Vec::new(),
            because: None,
            evidence: Vec::new(),
            reproduce: Vec::new(),
            figures: Vec::new(),
            passed: String::new(),
        }
    }

    pub(super) fn pass(summary: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Pass, summary)
    }

    pub(super) fn skip(reason: impl Into<String>) -> CheckOutcome {
        CheckOutcome::new(Verdict::Skip, reason)
    }

    /// Not judged, because another check has found the cause.
    pub(super) fn because(id: &str, why: impl Into<String>) -> CheckOutcome {
        let mut outcome = CheckOutcome::skip(format!("because of {id}: {}", why.into()));
        outcome.because = Some(id.to_owned());
        outcome
    }

    /// One finding and nothing else.
    pub(super) fn of(finding: Finding) -> CheckOutcome {
        let mut outcome = CheckOutcome::new(finding.verdict, finding.seen.clone());
        outcome.findings.push(finding);
        outcome
    }

    pub(super) fn evidence(mut self, lines: impl IntoIterator<Item = String>) -> CheckOutcome {
        self.evidence.extend(lines.into_iter().take(20));
        self
    }

    pub(super) fn judged(mut self, count: usize, what: &str) -> CheckOutcome {
        self.judged = Some(Judged { count, what: what.to_owned() });
        self
    }

    pub(super) fn figure(mut self, name: &str, value: f64, unit: &str) -> CheckOutcome {
        self.figures.push(Figure { name: name.into(), value, unit: unit.into() });
        self
    }

    /// The verdict and the summary that follow from the findings, after they have been confirmed
    /// or put down to another check.
    pub(super) fn settle(&mut self) {
        if self.findings.is_empty() {
            if !self.passed.is_empty() && matches!(self.verdict, Verdict::Fail | Verdict::Warn) {
                (self.verdict, self.summary) = (Verdict::Pass, std::mem::take(&mut self.passed));
            }
            return;
        }
        self.findings.sort_by_key(|finding| (!finding.stands(), finding.verdict));
        let standing = self.findings.iter().filter(|finding| finding.stands()).count();
        let first = &self.findings[0];
        match &first.because {
            Some(id) => {
                self.verdict = Verdict::Skip;
                self.because = Some(id.clone());
                self.summary = format!("because of {id}: {}", first.seen);
            }
            None => {
                self.verdict = first.verdict;
                self.summary.clone_from(&first.seen);
                match standing {
                    0 | 1 => {}
                    2 => self.summary += " (and 1 more finding)",
                    _ => self.summary += &format!(" (and {} more findings)", standing - 1),
                }
            }
        }
        self.evidence.clone_from(&first.evidence);
        self.reproduce.clone_from(&first.reproduce);
    }
}

/// What a running check has judged and found. The session keeps a handle of it, so that nothing is
/// lost when the engine or the time ends before the check does.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings(Arc<Mutex<Gathered>>);

#[derive(Debug, Default)]
struct Gathered {
    noun: String,
    judged: usize,
    list: Vec<Finding>,
}

/// Why a check that judged nothing does not pass.
pub(super) const NOTHING_JUDGED: &str = "nothing could be judged";
pub(super) const OUT_OF_TIME: &str = "not examined: out of time";

/// Findings shown apart; what goes beyond is listed as evidence.
const SHOWN: usize = 4;

impl Findings {
    pub fn new(noun: &str) -> Findings {
        let findings = Findings::default();
        findings.lock().noun = noun.to_owned();
        findings
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more case has really been judged.
    pub fn judge(&self) {
        self.lock().judged += 1;
    }

    pub fn judge_many(&self, count: usize) {
        self.lock().judged += count;
    }

    pub fn judged(&self) -> usize {
        self.lock().judged
    }

    /// Adds a finding; one of a kind that is known becomes evidence of it.
    pub fn push(&self, finding: Finding) {
        let mut all = self.lock();
        let is_alike = |known: &&mut Finding| {
            !finding.roots.is_empty()
                && known.roots == finding.roots
                && known.suffers_from == finding.suffers_from
                && known.verdict == finding.verdict
        };
        if let Some(known) = all.list.iter_mut().find(is_alike) {
            if known.evidence.len() < 20 {
                known.evidence.push(finding.seen);
            }
            return;
        }
        let is_full = all.list.len() >= SHOWN;
        match all.list.last_mut() {
            Some(last) if is_full && last.verdict <= finding.verdict => {
                if last.evidence.len() < 20 {
                    last.evidence.push(finding.seen);
                }
            }
            _ => all.list.push(finding),
        }
    }

    /// The outcome: a pass with this text where nothing was found.
    pub fn outcome(&self, passed: impl Into<String>) -> CheckOutcome {
        self.outcome_or_skip(passed, NOTHING_JUDGED)
    }

    /// The same, with the reason in case that nothing could be judged.
    pub fn outcome_or_skip(
        &self,
        passed: impl Into<String>,
        reason: impl Into<String>,
    ) -> CheckOutcome {
        let passed: String = passed.into();
        let mut all = self.lock();
        let mut findings = std::mem::take(&mut all.list);
        findings.sort_by_key(|finding| finding.verdict);
        let outcome = match findings.first() {
            Some(first) => CheckOutcome::new(first.verdict, first.seen.clone()),
            None if all.judged == 0 => return CheckOutcome::skip(reason),
            None => CheckOutcome::pass(&passed),
        };
        let passed = match passed.is_empty() {
            true => format!("nothing wrong in {} {}", all.judged, all.noun),
            false => passed,
        };
        CheckOutcome { findings, passed, ..outcome }.judged(all.judged, &all.noun)
    }

    /// What there was time for.
    pub fn so_far(&self) -> CheckOutcome {
        let (judged, noun) = (self.judged(), self.lock().noun.clone());
        self.outcome_or_skip(
            format!("nothing wrong in the {judged} {noun} that there was time for"),
            OUT_OF_TIME,
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_judged_is_no_pass() {
        let findings = Findings::new("positions");
        assert_eq!(findings.outcome("fine").verdict, Verdict::Skip);
        findings.judge();
        assert_eq!(findings.outcome("fine").verdict, Verdict::Pass);
        findings.push(Finding::warn("loose"));
        findings.push(Finding::fail("broken"));
        let outcome = findings.outcome("fine");
        assert_eq!((outcome.verdict, outcome.summary.as_str()), (Verdict::Fail, "broken"));
    }

    #[test]
    fn one_cause_is_one_finding() {
        let findings = Findings::new("positions");
        findings.push(Finding::fail("a").root("rule X"));
        findings.push(Finding::fail("b").root("rule X"));
        findings.push(Finding::fail("c").root("rule Y"));
        let mut outcome = findings.outcome("fine");
        assert_eq!(outcome.findings.len(), 2);
        assert_eq!(outcome.findings[0].evidence, ["b"]);
        outcome.findings[0].because = Some("legality.perft".into());
        outcome.settle();
        assert_eq!((outcome.verdict, outcome.summary.as_str()), (Verdict::Fail, "c"));
        outcome.findings[0].because = Some("legality.perft".into());
        outcome.settle();
        assert_eq!(outcome.verdict, Verdict::Skip);
        assert!(outcome.summary.starts_with("because of legality.perft"));
    }
}
