//! The tuning at a prompt.

use super::value;
use crate::number;
use crate::row;
use crate::terminal::{Table, bold, left, right};
use dyno_stats::SprtVerdict;
use dyno_tournament::tune::{Diagnosis, Forecast, Parameter, Proof, TuneResult, Tuning};

/// What these games can show, before the first of them; with advice where that is little.
#[must_use]
pub fn forecast(tuning: &Tuning, forecast: &Forecast) -> String {
    let mut lines = vec![format!(
        "{} of {}, {}; all games together can tell {} Elo between the two sides \
         of a parameter from nothing",
        number::plural(tuning.iterations(), "iteration", "iterations"),
        number::plural(tuning.pairs_per_iteration, "pair", "pairs"),
        number::plural(tuning.parameters.len() as u64, "parameter", "parameters"),
        number::fixed(forecast.visible_elo, 1),
    )];
    if tuning.pairs < forecast.pairs_for_typical {
        lines.push(format!(
            "These are few games: a parameter whose sides differ by 3 Elo needs about {} pairs to \
             show at all.",
            number::grouped(forecast.pairs_for_typical)
        ));
    }
    if tuning.parameters.len() > forecast.parameters {
        lines.push(format!(
            "These are many parameters: {} pairs carry about {}; with more, their noise costs more \
             than they gain. Tune fewer, or play more.",
            number::grouped(tuning.pairs),
            forecast.parameters
        ));
    }
    lines.join("\n")
}

/// The parameters with where they went and what that is worth.
#[must_use]
pub fn summary(result: &TuneResult) -> String {
    let mut text = table(&result.tuning.parameters, &result.parameters).to_string();
    if result.interrupted {
        let (applied, all) = (result.applied, result.tuning.iterations());
        text += &format!(
            "\nInterrupted after {} of {} iterations.\n",
            number::grouped(applied),
            number::grouped(all)
        );
    }
    if let Some(proof) = &result.proof {
        text += &format!("\n{}\n", bold(verdict(proof)));
    }
    text
}

fn table(parameters: &[Parameter], found: &[Diagnosis]) -> Table {
    let heads = [
        left("parameter"),
        right("start"),
        right("last"),
        right("mean of last half"),
        right("chance ±"),
        right("z"),
        left(""),
    ];
    let mut table = Table::new(heads);
    for (parameter, found) in parameters.iter().zip(found) {
        let range = parameter.max - parameter.min;
        table.push(row![
            found.name.as_str(),
            value(found.start, range),
            value(found.last, range),
            value(found.late_mean, range),
            value(found.walk, range),
            number::signed(found.z, 1),
            found.signal.label(),
        ]);
    }
    table
}

/// The proof in one sentence.
#[must_use]
pub fn verdict(proof: &Proof) -> String {
    let said = match proof.sprt.verdict {
        SprtVerdict::AcceptH1 => "PROVED: the tuned values are stronger",
        SprtVerdict::AcceptH0 => "NOT PROVED: the tuned values are no stronger",
        SprtVerdict::Continue => "UNDECIDED: the test did not come to an end",
    };
    format!(
        "{said}: {} ± {} Elo after {} games, LLR {} ({}, {})",
        number::signed(proof.estimate.elo, 1),
        number::fixed(proof.estimate.elo_error, 1),
        number::grouped(proof.tally.games()),
        number::fixed(proof.sprt.llr, 2),
        number::fixed(proof.sprt.lower, 2),
        number::fixed(proof.sprt.upper, 2),
    )
}
