//! What `dyno check` makes of the bugs.

use crate::Mutation;
use dyno_driver::{EngineError, EngineSpec, Settings};
use dyno_trials::check::{self, CheckPlan, Profile, Verdict};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Whether the engine shows the commands that help a check to look inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// With `go perft`, `d` and `eval`.
    Full,
    /// UCI alone.
    Bare,
}

/// What an examination found wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exam {
    /// The checks that failed.
    pub failed: BTreeSet<String>,
    /// The checks that warned.
    pub warned: BTreeSet<String>,
    /// How long it took, in seconds.
    pub seconds: u32,
}

/// Examines an engine with the quick profile, with all checks or only those named.
pub fn examine(engine: &Path, surface: Surface, only: &[String]) -> Result<Exam, EngineError> {
    let mut spec = EngineSpec::program(engine);
    if surface == Surface::Bare {
        spec.args.push("--bare".into());
    }
    let plan = CheckPlan {
        engine: spec,
        settings: Settings::default(),
        profile: Profile::Quick,
        only: only.to_vec(),
        skip: Vec::new(),
        seed: 1,
        concurrency: 1,
        games: Some(2),
        slowness: 1.0,
    };
    let card = check::run(&plan, |_| {})?;
    let with = |verdict: Verdict| {
        let of = card.checks.iter().filter(move |check| check.outcome.verdict == verdict);
        of.map(|check| check.id.clone()).collect()
    };
    Ok(Exam {
        failed: with(Verdict::Fail),
        warned: with(Verdict::Warn),
        seconds: card.header.seconds as u32,
    })
}

/// How a bug fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// Nothing was found wrong that is not wrong with the sound engine, too.
    Missed,
    /// Something was found wrong, but by checks that do not name the bug.
    Found,
    /// A check that names the bug found it.
    Named,
}

impl Judgement {
    /// Judges an examination by what the sound engine's says.
    pub fn of(mutation: &Mutation, exam: &Exam, sound: &Exam) -> Judgement {
        let alarms = |exam: &Exam| -> BTreeSet<String> {
            exam.failed.union(&exam.warned).cloned().collect()
        };
        let new: BTreeSet<String> = alarms(exam).difference(&alarms(sound)).cloned().collect();
        if mutation.named_by.iter().any(|id| new.contains(id)) {
            Judgement::Named
        } else if exam.failed.difference(&sound.failed).next().is_some() {
            // A warning of another check may come from anything.
            Judgement::Found
        } else {
            Judgement::Missed
        }
    }

    fn word(self) -> &'static str {
        match self {
            Judgement::Missed => "missed",
            Judgement::Found => "found",
            Judgement::Named => "named",
        }
    }
}

/// The examinations of one bug.
pub type Exams = Vec<(Surface, Judgement, Exam)>;

/// All bugs with what became of them.
#[derive(Debug, Default)]
pub struct Score {
    rows: Vec<(Mutation, Exams)>,
}

impl Score {
    /// Adds a bug with its examinations.
    pub fn add(&mut self, mutation: Mutation, exams: Exams) {
        self.rows.push((mutation, exams));
        self.rows.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    }

    /// How many bugs were found at least, and named, on a surface, of how many.
    pub fn count(&self, surface: Surface) -> (usize, usize, usize) {
        let all = self.rows.iter().flat_map(|(_, exams)| exams);
        let judged: Vec<Judgement> =
            all.filter(|(one, _, _)| *one == surface).map(|(_, judgement, _)| *judgement).collect();
        let at_least = |least| judged.iter().filter(|judgement| **judgement >= least).count();
        (at_least(Judgement::Found), at_least(Judgement::Named), judged.len())
    }

    /// The table of the guide.
    pub fn markdown(&self) -> String {
        let mut text = String::from("| | found | named rightly | bugs |\n|---|---|---|---|\n");
        for (surface, name) in
            [(Surface::Full, "with `go perft`, `d`, `eval`"), (Surface::Bare, "UCI alone")]
        {
            let (found, named, all) = self.count(surface);
            let share = |n: usize| 100 * n / all.max(1);
            let (in_found, in_named) = (share(found), share(named));
            let _ = writeln!(
                text,
                "| {name} | {found} ({in_found} %) | {named} ({in_named} %) | {all} |"
            );
        }
        text.push_str("\n| bug | with the commands | UCI alone | by |\n|---|---|---|---|\n");
        for (mutation, exams) in &self.rows {
            let on = |surface| exams.iter().find(|(one, _, _)| *one == surface);
            let word = |surface| on(surface).map_or("–", |(_, judgement, _)| judgement.word());
            let by: BTreeSet<&str> = exams
                .iter()
                .flat_map(|(_, _, exam)| exam.failed.iter().chain(&exam.warned))
                .map(String::as_str)
                .filter(|id| mutation.named_by.iter().any(|name| name == id))
                .collect();
            let by: Vec<String> = by.iter().map(|id| format!("`{id}`")).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                mutation.bug,
                word(Surface::Full),
                word(Surface::Bare),
                by.join(", ")
            );
        }
        text
    }
}
