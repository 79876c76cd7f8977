//! Warnings that say what to do: the common mistakes of testing.

use super::plan::{Plan, Variant};
use super::record::FaultKind;
use super::standings::Standings;
use dyno_driver::Engine;
use dyno_stats::{Estimate, SprtVerdict};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A warning with advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// For machines; never changes.
    pub code: Cow<'static, str>,
    pub message: String,
}

fn advice(code: &'static str, message: impl Into<String>) -> Advice {
    Advice { code: code.into(), message: message.into() }
}

/// What can be said before the first game.
pub fn before(plan: &Plan, openings: usize, cores: usize) -> Vec<Advice> {
    let mut all = Vec::new();
    if plan.openings.file.is_none() {
        let set = match plan.variant {
            Variant::Standard => "balanced openings",
            Variant::FischeRandom => "Chess960 start positions",
        };
        all.push(advice(
            "no-openings",
            format!("no openings given: the {openings} built-in {set} are used; for long tests bring a book with -openings file=book.epd"),
        ));
    }
    let total = plan.schedule().total().unwrap_or(0);
    let wanted = total / u64::from(plan.tournament.repeat.max(1));
    if wanted > openings as u64 && openings > 0 {
        let times = wanted.div_ceil(openings as u64);
        all.push(advice(
            "few-openings",
            format!("{openings} openings for {wanted} pairs: each will be used up to {times} times; engines that always play alike will repeat whole games"),
        ));
    }
    all.extend(unequal(plan, "Hash"));
    all.extend(unequal(plan, "Threads"));
    all.extend(unequal_limits(plan));
    let threads = plan.threads();
    let concurrency = plan.machine.concurrency as usize;
    if concurrency * threads > cores {
        let fit = (cores / threads.max(1)).max(1);
        let why = if threads > 1 { format!(" with {threads} threads each") } else { String::new() };
        all.push(advice(
            "overcommitted",
            format!("{concurrency} games at once{why} on {cores} processors: engines will wait for each other and may lose on time; -concurrency {fit} fits"),
        ));
    }
    if total > 0
        && plan.sprt.is_none()
        && plan.engines.len() == 2
        && total < 1000
        && !plan.is_self_play()
    {
        // The usual spread of a game between engines of like strength, half of them drawn.
        let deviation = (0.0625 / total as f64).sqrt();
        let error = 1.96 * deviation * 1600.0 / std::f64::consts::LN_10;
        all.push(advice(
            "few-games",
            format!("{total} games tell differences of about {error:.0} Elo and more apart, no smaller ones; use more games, or -sprt elo0=0 elo1=5 to play as many as needed"),
        ));
    }
    if plan.sprt.is_some() && plan.tournament.repeat < 2 {
        all.push(advice(
            "sprt-unpaired",
            "the SPRT counts single games: with -repeat it would count pairs and need fewer",
        ));
    }
    all
}

fn unequal(plan: &Plan, name: &'static str) -> Option<Advice> {
    let values: Vec<Option<&str>> = plan.engines.iter().map(|e| e.spec.option(name)).collect();
    if values.windows(2).all(|w| w[0] == w[1]) {
        return None;
    }
    let listed: Vec<String> = plan
        .engines
        .iter()
        .zip(&values)
        .map(|(e, v)| format!("{} {}", e.name(), v.unwrap_or("its default")))
        .collect();
    Some(advice(
        if name == "Hash" { "unequal-hash" } else { "unequal-threads" },
        format!(
            "the engines have different {name} ({}): for a fair comparison put option.{name}=… into -each",
            listed.join(", ")
        ),
    ))
}

fn unequal_limits(plan: &Plan) -> Option<Advice> {
    let first = &plan.engines.first()?.limits;
    let same = plan.engines.iter().all(|e| &e.limits == first);
    (!same).then(|| {
        advice(
            "unequal-limits",
            "the engines play under different limits: the result compares the limits as well",
        )
    })
}

/// What an engine's own options give reason to say.
pub fn of_engine(engine: &Engine, plan: &Plan, index: usize) -> Vec<Advice> {
    let entry = &plan.engines[index];
    let mut all: Vec<Advice> =
        engine.warnings().iter().map(|w| advice("unknown-option", w.to_string())).collect();
    let on_by_default = |name: &str| {
        engine.option(name).and_then(|o| o.default_text()).is_some_and(|d| d == "true")
            && entry.spec.option(name).is_none()
    };
    if on_by_default("OwnBook") {
        all.push(advice(
            "own-book",
            format!("{} plays from its own opening book: add option.OwnBook=false to compare the engines rather than their books", entry.name()),
        ));
    }
    if plan.variant == Variant::FischeRandom && engine.option("UCI_Chess960").is_none() {
        all.push(advice(
            "no-chess960",
            format!(
                "{} does not say that it can play Chess960 (no option UCI_Chess960)",
                entry.name()
            ),
        ));
    }
    all
}

/// What can be said after the last game.
pub fn after(plan: &Plan, standings: &Standings) -> Vec<Advice> {
    let mut all = Vec::new();
    let losses: Vec<u64> = standings.engines.iter().map(|e| e.fault(FaultKind::TimeLoss)).collect();
    let total: u64 = losses.iter().sum();
    if total > 0 {
        let both = losses.iter().filter(|n| **n > 0).count() > 1;
        let concurrency = plan.machine.concurrency;
        let hint = match (both, concurrency) {
            (true, 2..) => format!("on several sides: the machine is probably overloaded; try -concurrency {} or timemargin=50", concurrency / 2),
            (true, _) => "on several sides: the machine is probably overloaded; close other programs or add timemargin=50".to_owned(),
            (false, _) => "on one side only: look at that engine's time management, or leave it a margin (its Move Overhead option, or timemargin=50)".to_owned(),
        };
        let noun = if total == 1 { "time loss" } else { "time losses" };
        all.push(advice("time-losses", format!("{total} {noun} {hint}")));
    }
    for stats in &standings.engines {
        if let Some(mean) = stats.latency.mean()
            && mean > 20_000.0
        {
            all.push(advice(
                "latency",
                format!("{}: moves take {:.0} ms longer than it believes: the machine is overloaded, or its clock is wrong", stats.name, mean / 1000.0),
            ));
        }
    }
    all.extend(too_few_games(plan, standings));
    all
}

fn too_few_games(plan: &Plan, standings: &Standings) -> Option<Advice> {
    let decided = standings.sprt.as_ref().is_some_and(|s| s.verdict() != SprtVerdict::Continue);
    if plan.engines.len() != 2 || plan.is_self_play() || decided || standings.games < 2 {
        return None;
    }
    let tally = standings.tally();
    let estimate = Estimate::of(&tally.best());
    // Significant, or known to be next to nothing.
    if estimate.elo.abs() > estimate.elo_error || estimate.elo_error < 1.0 {
        return None;
    }
    let (claimed, words) = match estimate.elo.abs() {
        elo if elo < 1.0 => (1.0, "telling even one Elo from zero"),
        elo => (elo, "telling it from zero"),
    };
    let needed = estimate.games_to_separate(claimed)?;
    Some(advice(
        "not-significant",
        format!(
            "the difference of {:+.1} ± {:.1} Elo is not significant: {words} would take about {} games",
            // Adding zero takes the sign off a negative one.
            (10.0 * estimate.elo).round() / 10.0 + 0.0,
            estimate.elo_error,
            rounded(needed)
        ),
    ))
}

/// Two significant figures: more would pretend knowledge.
fn rounded(value: f64) -> String {
    let unit = 10f64.powf((value.max(1.0).log10().floor() - 1.0).max(0.0));
    format!("{:.0}", (value / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::plan::{EngineEntry, Limits};
    use dyno_driver::EngineSpec;

    fn plan() -> Plan {
        let limits = Limits { tc: Some("1+0.1".parse().unwrap()), ..Limits::default() };
        let engine = |name: &str, hash: &str| {
            let mut spec = EngineSpec::program(name);
            spec.set_option("Hash", hash);
            spec.set_option("threads", "2");
            EngineEntry::new(name, &spec, limits.clone())
        };
        Plan { engines: vec![engine("a", "64"), engine("b", "16")], ..Plan::default() }
    }

    #[test]
    fn the_common_mistakes_are_named() {
        let mut plan = plan();
        plan.tournament.games = 100;
        plan.machine.concurrency = 4;
        let advice = before(&plan, 48, 4);
        let codes: Vec<&str> = advice.iter().map(|a| a.code.as_ref()).collect();
        assert_eq!(
            codes,
            ["no-openings", "few-openings", "unequal-hash", "overcommitted", "few-games"]
        );
        plan.openings.file = Some("book.epd".into());
        plan.engines[1].spec.set_option("hash", "64");
        plan.machine.concurrency = 2;
        plan.tournament.games = 5000;
        assert_eq!(before(&plan, 50_000, 4), []);
    }
}
