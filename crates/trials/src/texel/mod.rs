//! Evaluation weights from labelled positions: the engine's static evaluation is asked over UCI,
//! its slope for each parameter measured by finite differences, and the parameters fitted to the
//! results of the games.

mod evaluate;
mod positions;

pub use positions::{LabelledPositions, read_positions};

use dyno_driver::{Engine, EngineError, EngineSpec, Interrupt, RunHeader, Settings};
use dyno_formats::OpenError;
use dyno_stats::{FittedStep, Labelled, Slope};
use dyno_tournament::tune::Parameter;
use evaluate::Evaluator;
use positions::LabelledPosition;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// What the header of such a run calls it.
pub const KIND: &str = "tune texel";

/// What to fit.
#[derive(Clone, Debug)]
pub struct TexelPlan {
    /// The engine whose evaluation it is.
    pub engine: EngineSpec,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    /// The parameters, spin options of the engine.
    pub parameters: Vec<Parameter>,
    /// How often the slopes are measured anew, because the evaluation is not linear.
    pub rounds: u32,
}

/// Why nothing was fitted.
#[derive(Debug, thiserror::Error)]
pub enum TexelError {
    /// The positions cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine cannot be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine has no `eval`.
    #[error(
        "{engine} does not answer the command \"eval\" with its static evaluation, which a fit \
         needs{}. Tune by games instead: dyno tune",
        last_words(.said)
    )]
    NoEval {
        /// Its name.
        engine: String,
        /// The last thing it said.
        said: String,
    },
    /// Too little to go by.
    #[error(
        "{source_name}: {found} usable positions with results; a fit needs at least {needed}{hint}"
    )]
    TooFew {
        /// The file.
        source_name: String,
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
        /// What was wrong with the first line left out.
        hint: String,
    },
}

fn last_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said {said:?}") }
}

/// A parameter and what became of it, in steps of its option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedParameter {
    /// Its option.
    pub name: String,
    /// Where it started.
    pub start: i64,
    /// What fits best.
    pub value: i64,
    /// One standard error of that.
    pub error: f64,
    /// Training positions whose evaluation it changes.
    pub positions: u64,
    /// Whether the best value may lie beyond the range.
    pub at_bound: bool,
}

/// The loss, on the positions that were fitted and on those held out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// On the positions that were fitted.
    pub fitted: f64,
    /// On the others.
    pub held_out: f64,
}

/// What came of a fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TexelResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The positions.
    pub source: String,
    /// How many were fitted.
    pub fitted: u64,
    /// How many were held out.
    pub held_out: u64,
    /// Lines and games without a usable position or result.
    pub skipped: u64,
    /// The steepness of the expected score at the start and at the end.
    pub k: (f64, f64),
    /// The loss at the start, with the steepness that fits best there.
    pub before: Loss,
    /// The loss at the end.
    pub after: Loss,
    /// How often the slopes were measured.
    pub rounds: u32,
    /// The parameters.
    pub parameters: Vec<FittedParameter>,
    /// What was tuned, with ranges.
    pub tuned: Vec<Parameter>,
    /// The user stopped it.
    pub interrupted: bool,
}

impl TexelResult {
    /// Whether positions that the fit has not seen agree that the values are better.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.after.held_out < self.before.held_out
    }

    /// The options that the fit recommends.
    pub fn recommended(&self) -> impl Iterator<Item = (&str, i64)> {
        self.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.value))
    }
}

/// Fewer positions than this say nothing.
const FEWEST: usize = 100;

/// Gains of the loss below this share end the rounds.
const ENOUGH: f64 = 1e-4;

/// What happens on the way.
#[derive(Clone, Copy, Debug)]
pub enum TexelEvent {
    /// How many evaluations are to come in all, at most.
    Started {
        /// How many.
        evaluations: u64,
    },
    /// Some more are done.
    Evaluated {
        /// How many.
        evaluations: u64,
    },
    /// A round is over, with this loss on the fitted positions.
    Round {
        /// Which, from 1.
        number: u32,
        /// The loss.
        loss: f64,
    },
}

/// Fits the parameters. An error means that nothing was fitted.
pub fn fit(
    plan: &TexelPlan,
    positions: &LabelledPositions,
    listen: &mut dyn FnMut(TexelEvent),
) -> Result<TexelResult, TexelError> {
    let began = Instant::now();
    let names: Vec<&str> = plan.parameters.iter().map(|p| p.name.as_str()).collect();
    let recorded = json!({
        "positions": positions.source,
        "parameters": names,
        "rounds": plan.rounds,
    });
    let (training, held_out) = (positions.fitted(), positions.held_out());
    if training.len() < FEWEST || held_out.is_empty() {
        return Err(TexelError::TooFew {
            source_name: positions.source.clone(),
            found: training.len() + held_out.len(),
            needed: FEWEST + FEWEST / 4,
            hint: positions.first_fault.as_ref().map_or(String::new(), |f| format!(" ({f})")),
        });
    }
    let engine = Engine::start(&plan.engine, &plan.settings)?;
    let evaluator = Evaluator::new(engine, plan.settings.ready)?;
    let engine = evaluator.record();
    let per_round = (2 * plan.parameters.len() + 1) * training.len() + held_out.len();
    let all = (per_round * plan.rounds as usize + training.len() + held_out.len()) as u64;
    listen(TexelEvent::Started { evaluations: all });
    let fitted = training.len() as u64;
    let held_out_count = held_out.len() as u64;
    let mut fitter = Fitter { plan, evaluator, training, held_out, listen };
    let done = fitter.run()?;
    let mut header = RunHeader::begin(KIND, recorded).engines(vec![engine]);
    header.seconds = began.elapsed().as_secs_f64();
    Ok(TexelResult {
        header,
        source: positions.source.clone(),
        fitted,
        held_out: held_out_count,
        skipped: positions.skipped,
        k: (done.before.k, done.best.k),
        before: done.before.loss,
        after: done.best.loss,
        rounds: done.rounds,
        parameters: fitter.parameters(&done),
        tuned: plan.parameters.clone(),
        interrupted: done.interrupted,
    })
}

/// Values of the parameters, in steps of their options, and how well they explain the results.
#[derive(Clone)]
struct Values {
    values: Vec<i64>,
    k: f64,
    loss: Loss,
}

/// What the slopes told about a parameter.
#[derive(Clone, Copy)]
struct Evidence {
    error: f64,
    positions: u64,
}

/// What came of the rounds.
struct Done {
    before: Values,
    best: Values,
    evidence: Vec<Evidence>,
    rounds: u32,
    interrupted: bool,
}

/// The rounds of a fit.
struct Fitter<'a> {
    plan: &'a TexelPlan,
    evaluator: Evaluator,
    training: Vec<&'a LabelledPosition>,
    held_out: Vec<&'a LabelledPosition>,
    listen: &'a mut dyn FnMut(TexelEvent),
}

impl Fitter<'_> {
    /// Rounds until another one gains nothing. Interrupted, it keeps those that were done.
    fn run(&mut self) -> Result<Done, TexelError> {
        let (mut data, before) = self.judge(self.start())?;
        let mut done = Done {
            best: before.clone(),
            before,
            evidence: Vec::new(),
            rounds: 0,
            interrupted: false,
        };
        let mut now = done.best.values.clone();
        while done.rounds < self.plan.rounds {
            let (next, judged, evidence) = match self.round(&data, &now) {
                Err(TexelError::Engine(EngineError::Interrupted)) if done.rounds > 0 => {
                    done.interrupted = true;
                    break;
                }
                round => round?,
            };
            done.rounds += 1;
            (self.listen)(TexelEvent::Round { number: done.rounds, loss: judged.loss.fitted });
            let gained = done.best.loss.fitted - judged.loss.fitted;
            let enough = ENOUGH * done.best.loss.fitted;
            (data, now, done.evidence) = (next, judged.values.clone(), evidence);
            if gained > 0.0 {
                done.best = judged;
            }
            if gained < enough {
                break;
            }
        }
        Ok(done)
    }

    fn start(&self) -> Vec<i64> {
        self.plan.parameters.iter().map(|p| p.option_steps(p.start)).collect()
    }

    /// Sets the values, and sees how well they explain the results.
    fn judge(&mut self, values: Vec<i64>) -> Result<(Labelled, Values), TexelError> {
        for (parameter, value) in self.plan.parameters.iter().zip(&values) {
            self.evaluator.set(&parameter.name, *value)?;
        }
        let data = self.evaluator.labelled(&self.training, self.listen)?;
        let k = data.best_k();
        let held_out = self.evaluator.labelled(&self.held_out, self.listen)?.loss(k);
        let loss = Loss { fitted: data.loss(k), held_out };
        Ok((data, Values { values, k, loss }))
    }

    /// Measures the slopes where the values are `now`, and goes where they lead.
    fn round(
        &mut self,
        data: &Labelled,
        now: &[i64],
    ) -> Result<(Labelled, Values, Vec<Evidence>), TexelError> {
        let slopes = self.slopes(now)?;
        let interrupt = self.plan.settings.interrupt.as_ref();
        let stop = || interrupt.is_some_and(Interrupt::requested);
        let steps = fit_with_k(data, &slopes, &stop).ok_or(EngineError::Interrupted)?;
        let wanted = self.plan.parameters.iter().zip(now).zip(&steps);
        let values = wanted.map(|((parameter, now), step)| {
            parameter.option_steps((*now as f64 + step.change) / parameter.scale)
        });
        let (data, judged) = self.judge(values.collect())?;
        let evidence = slopes.iter().zip(&steps).map(|(slope, step)| Evidence {
            error: step.error,
            positions: slope.per_position.iter().filter(|slope| **slope != 0.0).count() as u64,
        });
        Ok((data, judged, evidence.collect()))
    }

    /// How each evaluation changes with each parameter, between a little below and a little above.
    fn slopes(&mut self, values: &[i64]) -> Result<Vec<Slope>, TexelError> {
        let start = self.start();
        let mut slopes = Vec::new();
        for (i, parameter) in self.plan.parameters.iter().enumerate() {
            let (low, high) = range(parameter);
            // A tenth of the range: evaluations are whole centipawns, and less would measure their
            // rounding.
            let reach = ((high - low) / 10).max(1);
            let (below, above) = ((values[i] - reach).max(low), (values[i] + reach).min(high));
            let mut at = |value: i64| -> Result<Vec<f64>, TexelError> {
                self.evaluator.set(&parameter.name, value)?;
                Ok(self.evaluator.labelled(&self.training, self.listen)?.evals)
            };
            let (down, up) = (at(below)?, at(above)?);
            self.evaluator.set(&parameter.name, values[i])?;
            let width = (above - below) as f64;
            slopes.push(Slope {
                per_position: up.iter().zip(&down).map(|(u, d)| ((u - d) / width) as f32).collect(),
                moved: (values[i] - start[i]) as f64,
                bounds: ((low - values[i]) as f64, (high - values[i]) as f64),
                spread: (high - low) as f64 / 2.0,
            });
        }
        Ok(slopes)
    }

    fn parameters(&self, done: &Done) -> Vec<FittedParameter> {
        let values = done.before.values.iter().zip(&done.best.values).zip(&done.evidence);
        let fitted = self.plan.parameters.iter().zip(values);
        let fitted = fitted.map(|(parameter, ((start, value), evidence))| {
            let (low, high) = range(parameter);
            FittedParameter {
                name: parameter.name.clone(),
                start: *start,
                value: *value,
                error: evidence.error,
                positions: evidence.positions,
                at_bound: evidence.positions > 0 && (*value == low || *value == high),
            }
        });
        fitted.collect()
    }
}

/// The range of a parameter in steps of its option.
fn range(parameter: &Parameter) -> (i64, i64) {
    (parameter.option_steps(parameter.min), parameter.option_steps(parameter.max))
}

/// Steepness and parameters together: each changes what is best for the other. `None` when `stop`
/// asked for the end.
fn fit_with_k(
    data: &Labelled,
    slopes: &[Slope],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<FittedStep>> {
    let mut k = data.best_k();
    let mut steps = data.fit(slopes, k, stop)?;
    for _ in 0..8 {
        let mut moved = data.clone();
        for (slope, step) in slopes.iter().zip(&steps) {
            for (eval, slope) in moved.evals.iter_mut().zip(&slope.per_position) {
                *eval += step.change * f64::from(*slope);
            }
        }
        let next = moved.best_k();
        let settled = (next - k).abs() < 1e-4;
        k = next;
        if settled {
            break;
        }
        steps = data.fit(slopes, k, stop)?;
    }
    Some(steps)
}
