//! `dyno sprt status`: where a test stands.

use std::fmt;

use dyno_stats::{AdjustedElo, Estimate, Model, Opening, Sprt, SprtForecast, SprtRun, SprtVerdict};
use serde::Serialize;

use super::{Games, SCHEMA};
use crate::number::{fixed, share, signed};
use crate::terminal::{bold, dim, llr_bar};

/// Where a test stands.
#[derive(Clone, Debug, Serialize)]
pub struct StatusReport {
    schema: u32,
    #[serde(flatten)]
    games: Games,
    test: Sprt,
    llr: f64,
    verdict: SprtVerdict,
    /// The bounds moved in by the overshoot seen so far; none without the order of the games.
    stopping_bounds: Option<(f64, f64)>,
    /// Games when the test stopped, if it did before the last.
    stopped_after: Option<u64>,
    estimate: Estimate,
    adjusted: AdjustedElo,
    /// The games that tests of this kind take if the strength is what it seems.
    expected_games: Option<f64>,
}

impl StatusReport {
    /// A test whose results are known only as they are now.
    pub fn of_counts(games: Games, test: Sprt) -> StatusReport {
        let llr = test.llr(&games.results);
        StatusReport::assemble(games, test, llr, test.verdict(llr))
    }

    /// A test followed from its beginning; `stopped_after` is the number of games at its end.
    pub fn of_run(games: Games, run: &SprtRun, stopped_after: Option<u64>) -> StatusReport {
        StatusReport {
            stopping_bounds: Some(run.stopping_bounds()),
            stopped_after,
            ..StatusReport::assemble(games, *run.sprt(), run.llr(), run.verdict())
        }
    }

    fn assemble(games: Games, test: Sprt, llr: f64, verdict: SprtVerdict) -> StatusReport {
        let estimate = Estimate::of(&games.results);
        StatusReport {
            schema: SCHEMA,
            llr,
            verdict,
            stopping_bounds: None,
            stopped_after: None,
            estimate,
            adjusted: AdjustedElo::of(&test, &games.results),
            expected_games: expected_games(&test, &estimate),
            games,
            test,
        }
    }

    /// How the test stands.
    pub fn verdict(&self) -> SprtVerdict {
        self.verdict
    }

    fn write_verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (h0, h1) = (self.test.bounds().elo0(), self.test.bounds().elo1());
        let unit = unit(self.test.model());
        let verdict = match self.verdict {
            SprtVerdict::AcceptH1 => {
                format!("H1 accepted: passed. The games fit {h1} {unit} far better than {h0}.")
            }
            SprtVerdict::AcceptH0 => {
                format!("H0 accepted: failed. The games fit {h0} {unit} far better than {h1}.")
            }
            SprtVerdict::Continue => "Undecided: play on.".to_owned(),
        };
        writeln!(f, "{}", bold(verdict))?;
        if let Some(games) = self.stopped_after {
            let text = format!(
                "The test ended after {} games; later ones do not count.",
                fixed(games as f64, 0)
            );
            writeln!(f, "{}", dim(text))?;
        }
        if self.verdict == SprtVerdict::Continue
            && let Some(games) = self.expected_games
        {
            writeln!(
                f,
                "Tests like this take about {} games if the strength is what it seems.",
                fixed(games, 0)
            )?;
        }
        Ok(())
    }
}

/// The expected length, with the spread that the results show.
fn expected_games(test: &Sprt, estimate: &Estimate) -> Option<f64> {
    let draw_ratio = 1.0 - 4.0 * estimate.variance_per_game;
    let plan = SprtForecast::new(*test, Opening { draw_ratio, bias: 0.0 }).ok()?;
    Some(plan.expect(estimate.elo).games).filter(|games| games.is_finite())
}

/// What the hypotheses are measured in.
pub(crate) fn unit(model: Model) -> &'static str {
    match model {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
        Model::BayesElo => "BayesElo",
    }
}

impl fmt::Display for StatusReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = self.test.bounds();
        writeln!(
            f,
            "Test       H0: {} against H1: {} {}, α {}, β {}",
            bounds.elo0(),
            bounds.elo1(),
            unit(self.test.model()),
            bounds.alpha(),
            bounds.beta(),
        )?;
        self.games.write_score(f)?;
        let bar = llr_bar(self.llr, bounds.lower(), bounds.upper(), 41);
        writeln!(f, "LLR        {}   {bar}", bold(signed(self.llr, 2)))?;
        if let Some((lower, upper)) = self.stopping_bounds {
            let text = format!(
                "           corrected for overshoot, it stops at {} and {}",
                fixed(lower, 3),
                fixed(upper, 3)
            );
            writeln!(f, "{}", dim(text))?;
        }
        let (e, a) = (&self.estimate, &self.adjusted);
        writeln!(
            f,
            "Elo        {} ± {}   {}",
            signed(e.elo, 2),
            fixed(e.elo_error, 2),
            dim("as if the number of games had been fixed")
        )?;
        writeln!(
            f,
            "SPRT Elo   {} [{}, {}]   {}",
            signed(a.elo, 2),
            signed(a.elo_low, 2),
            signed(a.elo_high, 2),
            dim("allowing for the rule that stops the test: quote this one")
        )?;
        writeln!(f, "nElo       {} ± {}", signed(e.nelo, 2), fixed(e.nelo_error, 2))?;
        writeln!(f, "LOS        {}", share(a.los))?;
        writeln!(f)?;
        self.write_verdict(f)?;
        self.games.write_remarks(f)
    }
}
