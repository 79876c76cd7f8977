//! A plan is checked once, before anything is started.

use super::plan::{BookFormat, Carried, EngineEntry, Format, KeepMoves, Plan};
use super::tune::ParameterError;
use dyno_driver::EngineSpec;
use dyno_stats::{Bounds, BoundsError};
use std::collections::HashSet;

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Tuning(ParameterError),
    #[error("a tuning is played by two entries of one engine, without an SPRT")]
    TuningEngines,
    #[error("a match needs two engines at least: add {}", if *.0 == 0 { "two times -engine cmd=…" } else { "one more -engine cmd=…" })]
    TooFewEngines(usize),
    #[error("engine {0}: no command: add cmd=PROGRAM (or cmd=builtin)")]
    NoCommand(String),
    #[error(
        "{0} has no limit on its thinking: add tc=10+0.1, st=1, depth=8 or nodes=50000 to -each or to its -engine"
    )]
    NoLimit(String),
    #[error("{0} has both tc and st: a clock and a fixed time a move exclude each other")]
    TwoClocks(String),
    #[error("{engine}: {what} must be greater than 0")]
    Zero { engine: String, what: &'static str },
    #[error("-{0} must be 1 at least")]
    NotPositive(&'static str),
    #[error("-sprt: {0}")]
    Sprt(BoundsError),
    #[error("-sprt compares two engines, but there are {0}")]
    SprtEngines(usize),
    #[error("-sprt needs a fixed number of pairs: it cannot be combined with -tournament knockout")]
    SprtKnockout,
    #[error(
        "carried results must be of two engines of the plan, the earlier one first, with no more pairs than games, and not of a knockout or Swiss tournament"
    )]
    Carried,
    #[error("option {0:?}: write option.NAME=VALUE")]
    Option(String),
    #[error("engine {engine}: ponder and {limit} exclude each other")]
    Ponder { engine: String, limit: &'static str },
    #[error("{0} speaks XBoard, which knows no limit by nodes: give it tc, st or depth")]
    XboardNodes(String),
    #[error("openings start={start} is beyond the {length} openings of the book")]
    Start { start: u64, length: usize },
    #[error(
        "-openings format=polyglot cannot be used with -variant fischerandom: such books begin at the usual start position"
    )]
    PolyglotChess960,
    #[error(
        "--keep leaves moves out of the journal, from which -{0} is made: leave out one of them, or keep all"
    )]
    MovesNotKept(&'static str),
}

impl Plan {
    /// Whether the plan can be carried out as far as that is known without running an engine.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.engines.len() < 2 {
            return Err(PlanError::TooFewEngines(self.engines.len()));
        }
        self.engines.iter().try_for_each(check_engine)?;
        for (value, name) in [
            (self.tournament.games, "games"),
            (self.tournament.rounds, "rounds"),
            (self.tournament.repeat, "repeat"),
            (self.machine.concurrency, "concurrency"),
        ] {
            if value == 0 {
                return Err(PlanError::NotPositive(name));
            }
        }
        if let Some(tuning) = &self.tune {
            tuning.check().map_err(PlanError::Tuning)?;
            if self.engines.len() != 2 || self.sprt.is_some() {
                return Err(PlanError::TuningEngines);
            }
        }
        if let Some(sprt) = &self.sprt {
            Bounds::new(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta).map_err(PlanError::Sprt)?;
            if self.engines.len() != 2 {
                return Err(PlanError::SprtEngines(self.engines.len()));
            }
            if self.tournament.format == Format::Knockout {
                return Err(PlanError::SprtKnockout);
            }
        }
        self.carried.iter().try_for_each(|carried| self.check_carried(carried))?;
        let chess960 = self.variant == super::plan::Variant::FischeRandom;
        if chess960 && self.openings.format == Some(BookFormat::Polyglot) {
            return Err(PlanError::PolyglotChess960);
        }
        self.check_moves_kept()
    }

    /// A game without its moves is not a game in a file of games.
    fn check_moves_kept(&self) -> Result<(), PlanError> {
        let keep = self.cluster.as_ref().map_or(KeepMoves::All, |cluster| cluster.keep);
        let files = [(self.output.pgn.is_some(), "pgnout"), (self.output.epd.is_some(), "epdout")];
        match files.into_iter().find(|(is_wanted, _)| *is_wanted && keep != KeepMoves::All) {
            Some((_, flag)) => Err(PlanError::MovesNotKept(flag)),
            None => Ok(()),
        }
    }

    fn check_carried(&self, carried: &Carried) -> Result<(), PlanError> {
        let pairing = carried.first < carried.second && carried.second < self.engines.len();
        let tally = &carried.tally;
        let fits = pairing
            && !matches!(self.tournament.format, Format::Knockout | Format::Swiss)
            && 2 * tally.pair_count() <= tally.games();
        if fits { Ok(()) } else { Err(PlanError::Carried) }
    }

    /// Gives every engine a name of its own: the program's where none was given, with a number
    /// where two are alike. Says which were renamed.
    pub fn name_engines(&mut self) -> Vec<(String, String)> {
        let mut taken = HashSet::new();
        let mut renamed = Vec::new();
        for entry in &mut self.engines {
            entry.spec.name.take_if(|name| name.is_empty());
            let wanted = entry.spec.label();
            let mut name = wanted.clone();
            let mut count = 2;
            while !taken.insert(name.clone()) {
                name = format!("{wanted}#{count}");
                count += 1;
            }
            if name != wanted {
                renamed.push((wanted, name.clone()));
            }
            entry.spec.name = Some(name);
        }
        renamed
    }

    /// Whether the first two engines are one and the same program with the same settings.
    pub fn is_self_play(&self) -> bool {
        let [a, b] = self.engines.as_slice() else { return false };
        let program = |e: &EngineEntry| EngineSpec { name: None, stderr: None, ..e.spec.clone() };
        program(a) == program(b) && a.limits == b.limits
    }
}

fn check_engine(entry: &EngineEntry) -> Result<(), PlanError> {
    let name = || entry.spec.label();
    if entry.spec.program.is_empty() {
        return Err(PlanError::NoCommand(name()));
    }
    let limits = &entry.limits;
    if limits.tc.is_some() && limits.st.is_some() {
        return Err(PlanError::TwoClocks(name()));
    }
    let limited = limits.tc.is_some()
        || limits.st.is_some()
        || limits.depth.is_some()
        || limits.nodes.is_some();
    if !limited {
        return Err(PlanError::NoLimit(name()));
    }
    let positive = |value: Option<f64>, what| match value {
        Some(value) if !(value > 0.0 && value <= 1e8) => {
            Err(PlanError::Zero { engine: name(), what })
        }
        _ => Ok(()),
    };
    positive(limits.st, "st")?;
    positive(limits.tscale, "tscale")?;
    positive(limits.patience, "patience")?;
    positive(limits.depth.map(f64::from), "depth")?;
    positive(limits.nodes.map(|n| n as f64).map(|n| n.min(1e8)), "nodes")?;
    if entry.ponder && limits.tc.is_none() {
        let limit = if limits.st.is_some() { "st" } else { "a match without clocks" };
        return Err(PlanError::Ponder { engine: name(), limit });
    }
    match entry.spec.options.iter().find(|(name, _)| name.is_empty()) {
        Some((_, value)) => Err(PlanError::Option(format!("={value}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::plan::{ClusterPlan, Limits, SprtPlan};
    use dyno_driver::Program;

    fn plan() -> Plan {
        let limits = Limits { tc: Some("10+0.1".parse().unwrap()), ..Limits::default() };
        let spec = EngineSpec::program("./bin/engine.exe");
        let engine = EngineEntry { spec, limits, ..EngineEntry::default() };
        Plan { engines: vec![engine.clone(), engine], ..Plan::default() }
    }

    #[test]
    fn names_are_found_and_made_different() {
        let mut plan = plan();
        let renamed = plan.name_engines();
        assert_eq!(plan.engines[0].name(), "engine");
        assert_eq!(renamed, [("engine".to_owned(), "engine#2".to_owned())]);
        assert!(plan.is_self_play() && plan.check().is_ok());
    }

    #[test]
    fn faults_are_named() {
        let faulty = |change: fn(&mut Plan)| {
            let mut plan = plan();
            change(&mut plan);
            plan.check().unwrap_err().to_string()
        };
        for (message, fault) in [
            ("one more -engine", faulty(|p| drop(p.engines.pop()))),
            ("no command", faulty(|p| p.engines[0].spec.program = Program::default())),
            ("no limit", faulty(|p| p.engines[1].limits.tc = None)),
            (
                "--keep leaves moves out of the journal",
                faulty(|p| {
                    p.output.epd = Some("last.epd".into());
                    let keep = KeepMoves::Faults;
                    p.cluster = Some(ClusterPlan { keep, ..ClusterPlan::default() });
                }),
            ),
            ("exclude", faulty(|p| p.engines[1].limits.st = Some(1.0))),
            (
                "st must be",
                faulty(|p| {
                    p.engines[1].limits = Limits { st: Some(f64::NAN), ..Limits::default() }
                }),
            ),
            ("-games must", faulty(|p| p.tournament.games = 0)),
            ("elo0", faulty(|p| p.sprt = Some(SprtPlan { elo0: 9.0, ..SprtPlan::default() }))),
        ] {
            assert!(fault.contains(message), "{fault}");
        }
    }
}
