//! Every published vector within its tolerance.
//!
//! `tests/vectors.json` holds values computed with the reference implementations of fishtest
//! (LLRcalc, stat_util, sprt, sprt.js), Ordo and BayesElo, and figures published by fishtest,
//! OpenBench and fastchess users. Results are ordered worst first.
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_stats::*;
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

fn cases(section: &str) -> Vec<Value> {
    let cases = vectors()[section].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{section}");
    cases
}

fn results(value: &Value) -> Results {
    let counts: Vec<u64> = value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    match counts.len() {
        3 => Results::Trinomial(counts.try_into().unwrap()),
        _ => Results::Pentanomial(counts.try_into().unwrap()),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn model(value: &Value) -> Model {
    match value.as_str().unwrap().to_lowercase().as_str() {
        "logistic" => Model::Logistic,
        "normalized" => Model::Normalized,
        other => panic!("unknown model {other}"),
    }
}

fn sprt(case: &Value) -> Sprt {
    let alpha = case["alpha"].as_f64().unwrap_or(0.05);
    let beta = case["beta"].as_f64().unwrap_or(0.05);
    let bounds = Bounds::new(number(&case["elo0"]), number(&case["elo1"]), alpha, beta).unwrap();
    Sprt::new(bounds, model(&case["model"]))
}

#[track_caller]
fn close(got: f64, want: &Value, tolerance: f64, case: &Value) {
    let want = number(want);
    assert!((got - want).abs() <= tolerance, "got {got}, want {want} ± {tolerance} in {case}");
}

#[test]
fn elo_of_a_fixed_number_of_games() {
    for case in cases("elo_fixed") {
        let e = Estimate::of(&results(&case["results"]));
        for (got, name) in [
            (e.score, "score"),
            (e.elo, "elo"),
            (e.elo_error, "elo95"),
            (e.los, "los"),
            (e.nelo, "nelo"),
            (e.nelo_error, "nelo95"),
            (e.games, "games"),
            (e.variance_per_game, "var_per_game"),
        ] {
            close(got, &case[name], 1e-6, &case);
        }
    }
}

#[test]
fn log_likelihood_ratio() {
    for case in cases("llr") {
        close(sprt(&case).llr(&results(&case["results"])), &case["llr"], 1e-6, &case);
    }
}

/// The approximations in the vectors are not used, but they check the exact form: it lies within
/// a few percent of them wherever there are enough games, and parts from the naive one on ten.
#[test]
fn approximate_ratios_agree_with_many_games() {
    for case in cases("llr") {
        let (sample, llr) = (results(&case["results"]), number(&case["llr"]));
        let (n, mean, variance) = moments(&sample);
        let bounds = [number(&case["elo0"]), number(&case["elo1"])];
        let per_game = if sample.counts().len() == 5 { 2.0 } else { 1.0 };
        let t_unit = 800.0 / std::f64::consts::LN_10;
        let [s0, s1] = bounds.map(|elo| match model(&case["model"]) {
            Model::Logistic => score_of_elo(elo),
            _ => 0.5 + elo / t_unit * (per_game * variance).sqrt(),
        });
        let naive = n * (s1 - s0) * (2.0 * mean - s0 - s1) / variance / 2.0;
        close(naive, &case["llr_alt2_score_space"], 1e-6 * naive.abs().max(1.0), &case);
        if let Some(want) = case.get("llr_alt") {
            let around = |s: f64| variance + (mean - s).powi(2);
            close(n / 2.0 * (around(s0) / around(s1)).ln(), want, 1e-6, &case);
        } else {
            let t = (mean - 0.5) / (per_game * variance).sqrt();
            let [d0, d1] = bounds.map(|elo| 1.0 + (t - elo / t_unit).powi(2));
            let want = &case["llr_normalized_alt"];
            close(n * per_game / 2.0 * (d0 / d1).ln(), want, 1e-6, &case);
        }
        if n > 1000.0 {
            assert!((naive / llr - 1.0).abs() < 0.01, "{case}");
        }
    }
}

fn moments(results: &Results) -> (f64, f64, f64) {
    let n: Vec<f64> =
        results.counts().iter().map(|&n| if n == 0 { 1e-3 } else { n as f64 }).collect();
    let total: f64 = n.iter().sum();
    let last = (n.len() - 1) as f64;
    let mean = n.iter().enumerate().map(|(i, n)| n * i as f64 / last).sum::<f64>() / total;
    let square = |i: usize| (i as f64 / last - mean).powi(2);
    (total, mean, n.iter().enumerate().map(|(i, n)| n * square(i)).sum::<f64>() / total)
}

#[test]
fn bounds_of_the_test() {
    for case in cases("sprt_bounds") {
        let bounds = Bounds::new(0.0, 5.0, number(&case["alpha"]), number(&case["beta"])).unwrap();
        close(bounds.lower(), &case["lower"], 1e-12, &case);
        close(bounds.upper(), &case["upper"], 1e-12, &case);
    }
}

#[test]
fn elo_adjusted_for_the_stopping_rule() {
    for case in cases("sprt_elo") {
        let (sprt, results) = (sprt(&case), results(&case["results"]));
        let adjusted = AdjustedElo::of(&sprt, &results);
        close(sprt.llr(&results), &case["llr"], 1e-6, &case);
        close(adjusted.elo, &case["elo"], 1e-4, &case);
        close(adjusted.elo_low, &case["ci95"][0], 1e-4, &case);
        close(adjusted.elo_high, &case["ci95"][1], 1e-4, &case);
        close(adjusted.los, &case["los"], 1e-4, &case);
    }
}

#[test]
fn the_bayeselo_model() {
    for case in cases("bayeselo") {
        let point = BayesElo { elo: number(&case["elo"]), draw_elo: number(&case["drawelo"]) };
        for (i, p) in point.probabilities().into_iter().enumerate() {
            close(p, &case["p_LDW"][i], 1e-9, &case);
        }
        close(point.logistic_elo(), &case["logistic_elo"], 1e-6, &case);
    }
    for case in cases("llr_bayeselo_trinomial") {
        let bounds =
            Bounds::new(number(&case["belo0"]), number(&case["belo1"]), 0.05, 0.05).unwrap();
        let llr = Sprt::new(bounds, Model::BayesElo).llr(&results(&case["results"]));
        close(llr, &case["llr"], 1e-6, &case);
    }
}

#[test]
fn overshoot_of_a_running_test() {
    for case in cases("sprt_overshoot") {
        let mut run = sprt(&case).start();
        let mut state = case["seed"].as_u64().unwrap();
        let p: Vec<f64> = case["p"].as_array().unwrap().iter().map(number).collect();
        let batch = case["batch_pairs"].as_u64().unwrap();
        let mut counts = [0u64; 5];
        while run.verdict() == SprtVerdict::Continue {
            for _ in 0..batch {
                state = (1_664_525 * state + 1_013_904_223) % (1 << 32);
                let u = state as f64 / (1u64 << 32) as f64;
                let mut sum = 0.0;
                let category = p.iter().position(|p| {
                    sum += p;
                    u < sum
                });
                counts[category.unwrap_or(4)] += 1;
            }
            run.update(&Results::Pentanomial(counts));
        }
        assert_eq!(counts.iter().sum::<u64>(), case["stopped_after_pairs"].as_u64().unwrap());
        assert_eq!(Results::Pentanomial(counts), results(&case["counts"]));
        let verdict =
            if case["state"] == "accepted" { SprtVerdict::AcceptH1 } else { SprtVerdict::AcceptH0 };
        assert_eq!(run.verdict(), verdict, "{case}");
        close(run.llr(), &case["llr"], 1e-6, &case);
        close(run.overshoot().0, &case["o0"], 1e-6, &case);
        close(run.overshoot().1, &case["o1"], 1e-6, &case);
        close(run.sprt().bounds().lower(), &case["lower"], 1e-9, &case);
        close(run.sprt().bounds().upper(), &case["upper"], 1e-9, &case);
    }
}

#[test]
fn expected_length_of_a_test() {
    for case in cases("sprt_expected") {
        let opening =
            Opening { draw_ratio: number(&case["draw_ratio"]), bias: number(&case["rms_bias"]) };
        let plan = SprtForecast::new(sprt(&case), opening).unwrap();
        close(plan.variance(), &case["variance"], 1e-9, &case);
        close(plan.scores().0, &case["score0"], 1e-9, &case);
        close(plan.scores().1, &case["score1"], 1e-9, &case);
        let expected = plan.expect(number(&case["true_logistic_elo"]));
        close(expected.pass, &case["pass_probability"], 1e-6, &case);
        close(expected.games / number(&case["expected_games"]), &1.0.into(), 1e-6, &case);
    }
}

#[test]
fn workers_that_disagree() {
    for case in cases("worker_chi2") {
        let tasks = case["tasks"].as_object().unwrap();
        let pairs = tasks.iter().map(|(name, counts)| match results(counts) {
            Results::Pentanomial(pairs) => (name.as_str(), pairs),
            Results::Trinomial(_) => panic!("{case}"),
        });
        let test = Homogeneity::test(pairs).unwrap();
        close(test.chi2, &case["chi2"], 1e-6, &case);
        assert_eq!(test.degrees as u64, case["dof"].as_u64().unwrap());
        close(test.p, &case["p"], 1e-6, &case);
        close(test.z95, &case["z95"], 1e-6, &case);
        close(test.z99, &case["z99"], 1e-6, &case);
        for source in &test.sources {
            close(source.residual, &case["residual"][&source.name], 1e-6, &case);
        }
    }
}

#[test]
fn steps_of_spsa() {
    for case in cases("spsa_step") {
        let spsa = Spsa {
            iterations: number(&case["num_iter"]),
            alpha: number(&case["alpha"]),
            gamma: number(&case["gamma"]),
            stability: number(&case["A"]),
            c_end: number(&case["c_end"]),
            r_end: number(&case["r_end"]),
        };
        let step = spsa.step(number(&case["iter"]));
        close(step.c, &case["c"], 1e-9, &case);
        close(step.rate, &case["R"], 1e-9, &case);
        let value = step.moved(
            number(&case["theta"]),
            number(&case["result"]),
            number(&case["flip"]) > 0.0,
        );
        close(value, &case["theta_new"], 1e-9, &case);
    }
}

/// Published figures are rounded, and one comes from a program that approximates.
#[test]
fn figures_that_others_published() {
    for case in cases("published_cross_checks") {
        let published = &case["published"];
        let Some(counts) = case.get("results").or(case.get("ldw")) else { continue };
        let results = results(counts);
        let e = Estimate::of(&results);
        if case.get("elo0").is_some() {
            let (test, llr) = (sprt(&case), sprt(&case).llr(&results));
            let approximated = case["source"].as_str().unwrap().contains("PR #783");
            let want = published.get("llr").unwrap_or(&case["llr"]);
            let digits = want.to_string().split('.').nth(1).map_or(0, str::len);
            let tolerance =
                if approximated { 1e-3 } else { 0.5 * 0.1f64.powi(digits.min(5) as i32) };
            close(llr, want, tolerance * 1.001, &case);
            if let Some(ci) = published.get("ci") {
                let adjusted = AdjustedElo::of(&test, &results);
                close(adjusted.elo, &published["elo"], 1e-4, &case);
                close(adjusted.elo_low, &ci[0], 1e-4, &case);
                close(adjusted.elo_high, &ci[1], 1e-4, &case);
                close(adjusted.los, &published["los"], 1e-4, &case);
                continue;
            }
            if let Some(bounds) = published.get("bounds") {
                close(test.bounds().lower(), &bounds[0], 0.0051, &case);
                close(test.bounds().upper(), &bounds[1], 0.0051, &case);
            }
        }
        for (got, name) in
            [(e.elo, "elo"), (e.elo_error, "elo95"), (e.nelo, "nelo"), (e.nelo_error, "nelo95")]
        {
            if let Some(want) = published.get(name) {
                close(got, want, 0.0051, &case);
            }
        }
        if let (Some(want), Some(wld)) = (published.get("elo95_trinomial"), case.get("wld")) {
            let [w, l, d] = [0, 1, 2].map(|i| wld[i].as_u64().unwrap());
            let games = Estimate::of(&Results::Trinomial([l, d, w]));
            close(games.elo_error, want, 0.0051, &case);
        }
        if let Some(want) = published.get("los") {
            close(e.los, want, 5.1e-5, &case);
        }
    }
}

#[test]
fn rating_list() {
    let list = &vectors()["rating_list"];
    let names = ["A", "B", "C", "D"];
    let player = |value: &Value| names.iter().position(|name| value == name).unwrap();
    let encounters: Vec<Encounter> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| Encounter {
            white: player(&row[0]),
            black: player(&row[1]),
            wins: row[2].as_u64().unwrap(),
            draws: row[3].as_u64().unwrap(),
            losses: row[4].as_u64().unwrap(),
        })
        .collect();
    for want in list["fits"].as_array().unwrap() {
        let model = match want["model"].as_str().unwrap() {
            "logistic_halfdraw" => RatingModel::Logistic,
            "rao_kupper" => RatingModel::RaoKupper,
            _ => RatingModel::Davidson,
        };
        let options = RatingOptions { model, no_white_advantage: false };
        let fit = fit_ratings(4, &encounters, options, |_| {}).unwrap();
        // The reference takes a draw for half a win and half a loss also where it asks how far
        // results scatter; they scatter less, and so do Ordo's simulated ones.
        let is_logistic = model == RatingModel::Logistic;
        let narrower = if is_logistic { 0.7494 } else { 1.0 };
        let err95 = |value: &Value| Value::from(narrower * value.as_f64().unwrap());
        for (i, name) in names.iter().enumerate() {
            close(fit.players[i].strength, &want["ratings"][name], 1e-2, want);
            close(fit.players[i].strength_error, &err95(&want["err95"][name]), 2e-2, want);
            for j in (0..4).filter(|&j| j != i && !is_logistic) {
                close(fit.los(i, j), &want["los"][i][j], 1e-5, want);
            }
        }
        close(fit.white_advantage, &want["white_adv"], 1e-2, want);
        let error = fit.white_advantage_error.unwrap();
        close(error, &err95(&want["white_adv_err95"]), 2e-2, want);
        close(fit.log_likelihood, &want["loglik"], 1e-4, want);
        assert!(fit.held_by_prior.is_empty());
        if let Some(rate) = want.get("equal_draw_rate") {
            close(fit.equal_draw_rate.unwrap(), rate, 1e-5, want);
            close(fit.draw_parameter.unwrap().0, &want["ln_nu"], 1e-5, want);
        }
        if let Some(draw_elo) = want.get("draw_elo") {
            close(fit.draw_parameter.unwrap().0, draw_elo, 1e-2, want);
            close(fit.draw_parameter.unwrap().1, &want["draw_elo_err95"], 2e-2, want);
            // BayesElo prints scaled ratings, to a decimal.
            for (i, delta) in list["bayeselo"]["deltas"].as_array().unwrap().iter().enumerate() {
                close(fit.players[i].rating - fit.players[i + 1].rating, delta, 0.11, want);
            }
        }
        if is_logistic {
            // Ordo's scale is 202 Elo for 76 %; its errors are simulated.
            for (i, name) in names.iter().enumerate() {
                let Rated { strength, strength_error, .. } = fit.players[i];
                close(strength * 1.00882, &list["ordo"]["ratings"][name], 2e-2, want);
                close(strength_error * 1.00882, &list["ordo"]["err"][name], 0.35, want);
            }
        }
    }
}
