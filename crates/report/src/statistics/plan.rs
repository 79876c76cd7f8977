//! `dyno sprt plan`: what a test would cost and what it would tell.

use std::fmt;

use dyno_stats::{Expectation, Simulation, SprtForecast};
use serde::Serialize;

use super::SCHEMA;
use super::status::unit;
use crate::number::{fixed, grouped, share, signed};
use crate::row;
use crate::terminal::{LinePlot, Table, bold, dim, right};

/// What to expect at one strength.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedStrength {
    /// By formula.
    #[serde(flatten)]
    pub expected: Expectation,
    /// By dice, where that was asked for.
    pub simulated: Option<Simulation>,
}

/// A test before its first game.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    schema: u32,
    plan: SprtForecast,
    /// The hypotheses in logistic Elo.
    elo0: f64,
    elo1: f64,
    strengths: Vec<PlannedStrength>,
    /// The probability of passing over the true strength.
    curve: Vec<Expectation>,
}

impl PlanReport {
    /// The report on a plan at these strengths.
    pub fn new(plan: SprtForecast, strengths: Vec<PlannedStrength>) -> PlanReport {
        let (elo0, elo1) = plan.logistic_bounds();
        let width = elo1 - elo0;
        let curve = (0..=80)
            .map(|step| plan.expect(elo0 - width + f64::from(step) / 80.0 * 3.0 * width))
            .collect();
        PlanReport { schema: SCHEMA, plan, elo0, elo1, strengths, curve }
    }

    /// The plan.
    pub fn plan(&self) -> &SprtForecast {
        &self.plan
    }

    /// The pass probability over the true strength.
    pub fn curve(&self) -> &[Expectation] {
        &self.curve
    }

    /// The strengths looked at closely.
    pub fn strengths(&self) -> &[PlannedStrength] {
        &self.strengths
    }

    fn table(&self) -> Table {
        let simulated = self.strengths.iter().any(|s| s.simulated.is_some());
        let heads =
            ["True Elo", "Passes", "Games", "Simulated", "Games", "Half within", "95 % within"];
        let shown = if simulated { heads.len() } else { 3 };
        let mut table = Table::new(heads.into_iter().take(shown).map(right));
        for PlannedStrength { expected, simulated } in &self.strengths {
            let of = |text: &dyn Fn(&Simulation) -> String| simulated.as_ref().map(text);
            table.push(row![
                signed(expected.elo, 2),
                share(expected.pass),
                fixed(expected.games, 0),
                of(&|s| format!("{} ± {}", share(s.pass()), fixed(100.0 * s.pass_error(), 1))),
                of(&|s| fixed(s.games, 0)),
                of(&|s| grouped(s.median)),
                of(&|s| grouped(s.most)),
            ]);
        }
        table
    }

    fn write_test(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sprt = self.plan.sprt();
        let bounds = sprt.bounds();
        let unit = unit(sprt.model());
        let test = format!("H0: {} {unit} against H1: {} {unit}", bounds.elo0(), bounds.elo1());
        writeln!(f, "{}, α {}, β {}", bold(test), bounds.alpha(), bounds.beta())?;
        writeln!(
            f,
            "LLR from {} to {}; draws {} between equals, openings biased by {} Elo",
            fixed(bounds.lower(), 2),
            fixed(bounds.upper(), 2),
            share(self.plan.opening().draw_ratio),
            fixed(self.plan.opening().bias, 0),
        )?;
        if unit != "Elo" {
            writeln!(
                f,
                "In ordinary Elo, with such openings: H0 {}, H1 {}",
                signed(self.elo0, 2),
                signed(self.elo1, 2)
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_test(f)?;
        writeln!(f)?;
        write!(f, "{}", self.table())?;
        let runs = self.strengths.iter().filter_map(|s| s.simulated.as_ref()).map(|s| s.runs).min();
        if let Some(runs) = runs {
            let text =
                format!("Simulated: {} tests at each strength, played with dice.", grouped(runs));
            writeln!(f, "{}", dim(text))?;
        }
        writeln!(f)?;
        writeln!(f, "How often it passes:")?;
        let points = self.curve.iter().map(|e| (e.elo, e.pass));
        write!(
            f,
            "{}",
            LinePlot::new(points).size(60, 11).y_range(0.0, 1.0).percent().x("true Elo")
        )
    }
}
