//! Fitting the weights to the results: gradient descent on the error of the expected score.

use dyno_chess::Position;
use dyno_piston::eval::terms::{COUNT, DANGER, TERMS};
use dyno_piston::eval::{DANGER_LIMIT, DANGER_SCALE, WEIGHTS, trace};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::ops::Range;

/// How much of the target is the game's result, the rest being the search's score.
const RESULT_SHARE: f64 = 0.25;
/// How strongly weights are held where they began: the fewer positions, the more they are in the
/// grip of chance.
const HOLD: f64 = 5e-3;
const RATE: f64 = 1.0;
const DANGER_RATE: f64 = 0.5;
/// What a centipawn means: 100 of them are worth an expected score of 63 %.
const STEEPNESS: f64 = 2.1;

/// A position as the tuner sees it.
struct Sample {
    /// Where its counts are among all counts.
    terms: Range<usize>,
    /// Where the counts of the danger to each side's king are.
    danger: [Range<usize>; 2],
    /// The shares of middlegame and endgame.
    middlegame: f64,
    endgame: f64,
    result: f64,
    /// The score as it was read; then what the weights should make the position worth, 0 to 1.
    target: f64,
}

struct Data {
    samples: Vec<Sample>,
    counts: Vec<(u16, i16)>,
}

type Pair = [f64; 2];
/// White's and Black's.
const SIGNS: [f64; 2] = [1.0, -1.0];

/// Fits and writes.
pub fn fit(out: &str, epochs: usize, files: &[&str]) -> io::Result<()> {
    let mut say = io::stdout();
    let mut data = Data { samples: Vec::new(), counts: Vec::new() };
    for file in files {
        load(file, &mut data)?;
    }
    let start: Vec<Pair> =
        WEIGHTS.iter().map(|w| [f64::from(w.middlegame()), f64::from(w.endgame())]).collect();
    // The scores may be another engine's, whose centipawns are not ours.
    let scores: Vec<f64> = data.samples.iter().map(|s| s.target).collect();
    let theirs = steepness(&data, &scores);
    for sample in &mut data.samples {
        let by_score = expected(sample.target, theirs);
        sample.target = RESULT_SHARE * sample.result + (1.0 - RESULT_SHARE) * by_score;
    }
    writeln!(say, "{} positions, steepness of the scores {theirs:.2}", data.samples.len())?;
    let hold = HOLD / data.samples.len().max(1) as f64;
    let mut weights = start.clone();
    let mut momentum = vec![[0.0; 2]; COUNT];
    let mut square = vec![[0.0; 2]; COUNT];
    for epoch in 1..=epochs {
        let (error, slope) = slope(&data, &weights);
        if epoch % 50 == 1 || epoch == epochs {
            writeln!(say, "epoch {epoch}: error {error:.6}")?;
        }
        let rate = RATE * if epoch * 4 > epochs * 3 { 0.2 } else { 1.0 };
        for i in 0..COUNT {
            // The danger acts by its square: a step too far and it is out, with nothing to learn.
            let rate = if i < DANGER { rate } else { DANGER_RATE * rate };
            for part in 0..2 {
                let g = slope[i][part] + hold * (weights[i][part] - start[i][part]);
                momentum[i][part] = 0.9 * momentum[i][part] + 0.1 * g;
                square[i][part] = 0.999 * square[i][part] + 0.001 * g * g;
                let m = momentum[i][part] / (1.0 - 0.9f64.powi(epoch as i32));
                let s = square[i][part] / (1.0 - 0.999f64.powi(epoch as i32));
                weights[i][part] -= rate * m / (s.sqrt() + 1e-9);
            }
        }
    }
    std::fs::write(out, source(&weights))
}

fn load(file: &str, data: &mut Data) -> io::Result<()> {
    let bad = |line: &str| io::Error::other(format!("{file}: not `fen;result;score`: {line}"));
    for line in BufReader::new(File::open(file)?).lines() {
        let line = line?;
        let mut parts = line.split(';');
        let mut next = || parts.next().ok_or_else(|| bad(&line));
        let position = Position::from_fen(next()?).map_err(|_| bad(&line))?;
        let result = next()?.parse().map_err(|_| bad(&line))?;
        let score = next()?.parse().map_err(|_| bad(&line))?;
        let Some((counts, phase, scale)) = trace(&position) else { continue };
        let mut keep = |counts: &[i16], first: usize| {
            let start = data.counts.len();
            let used = counts.iter().enumerate().filter(|(_, n)| **n != 0);
            data.counts.extend(used.map(|(i, n)| ((first + i) as u16, *n)));
            start..data.counts.len()
        };
        let terms = keep(&counts.terms, 0);
        let danger = [keep(&counts.danger[0], DANGER), keep(&counts.danger[1], DANGER)];
        let phase = f64::from(phase) / 24.0;
        data.samples.push(Sample {
            terms,
            danger,
            middlegame: phase,
            endgame: (1.0 - phase) * f64::from(scale) / 64.0,
            result,
            target: score,
        });
    }
    Ok(())
}

fn expected(score: f64, steepness: f64) -> f64 {
    1.0 / (1.0 + (-steepness * score / 400.0).exp())
}

/// What the weights make a position worth, and the danger to each king.
fn evaluate(data: &Data, sample: &Sample, weights: &[Pair]) -> (f64, [f64; 2]) {
    let sum = |range: &Range<usize>| {
        data.counts[range.clone()].iter().fold([0.0; 2], |[middlegame, endgame], &(i, n)| {
            let [m, e] = weights[usize::from(i)];
            [middlegame + f64::from(n) * m, endgame + f64::from(n) * e]
        })
    };
    let [mut middlegame, mut endgame] = sum(&sample.terms);
    let mut dangers = [0.0; 2];
    for (danger, (range, sign)) in dangers.iter_mut().zip(sample.danger.iter().zip(SIGNS)) {
        let [m, e] = sum(range);
        *danger = m.clamp(0.0, f64::from(DANGER_LIMIT));
        middlegame -= sign * *danger * *danger / f64::from(DANGER_SCALE);
        endgame -= sign * e;
    }
    (middlegame * sample.middlegame + endgame * sample.endgame, dangers)
}

/// The steepness of the expected score at which the given scores fit the results best.
fn steepness(data: &Data, evals: &[f64]) -> f64 {
    let error = |k: f64| -> f64 {
        data.samples.iter().zip(evals).map(|(s, e)| (s.result - expected(*e, k)).powi(2)).sum()
    };
    let mut best = (f64::MAX, 2.0);
    for step in 20..400 {
        let k = f64::from(step) / 100.0;
        let now = error(k);
        if now < best.0 {
            best = (now, k);
        }
    }
    best.1
}

/// The mean error and its slope for each weight.
fn slope(data: &Data, weights: &[Pair]) -> (f64, Vec<Pair>) {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = data.samples.len().div_ceil(threads).max(1);
    let parts = std::thread::scope(|scope| {
        let work = |part| scope.spawn(move || slope_of(data, part, weights));
        let running: Vec<_> = data.samples.chunks(share).map(work).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
    });
    let count = data.samples.len().max(1) as f64;
    let mut total = 0.0;
    let mut slope = vec![[0.0; 2]; COUNT];
    for (error, part) in parts {
        total += error / count;
        for (sum, [m, e]) in slope.iter_mut().zip(part) {
            *sum = [sum[0] + 2.0 * m / count, sum[1] + 2.0 * e / count];
        }
    }
    (total, slope)
}

/// The sum of the squared errors of some samples, and of half their slopes.
fn slope_of(data: &Data, samples: &[Sample], weights: &[Pair]) -> (f64, Vec<Pair>) {
    let mut slope = vec![[0.0; 2]; COUNT];
    let mut total = 0.0;
    for sample in samples {
        let (value, dangers) = evaluate(data, sample, weights);
        let e = expected(value, STEEPNESS);
        let error = e - sample.target;
        total += error * error;
        let g = error * e * (1.0 - e) * STEEPNESS / 400.0;
        let mut blame = |range: &Range<usize>, [m, e]: Pair| {
            for &(i, n) in &data.counts[range.clone()] {
                slope[usize::from(i)][0] += g * f64::from(n) * m;
                slope[usize::from(i)][1] += g * f64::from(n) * e;
            }
        };
        let (middlegame, endgame) = (sample.middlegame, sample.endgame);
        blame(&sample.terms, [middlegame, endgame]);
        for (range, (danger, sign)) in sample.danger.iter().zip(dangers.into_iter().zip(SIGNS)) {
            let steep = 2.0 * danger / f64::from(DANGER_SCALE);
            blame(range, [-sign * steep * middlegame, -sign * endgame]);
        }
    }
    (total, slope)
}

/// The weights as the source of their module.
fn source(weights: &[Pair]) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, tuned on games of its own (see docs/engine.md); written by the\n\
         //! tuner, `cargo run --profile fast -p dyno-piston --bin tune`.\n\n\
         use super::packed::Packed;\nuse super::terms::COUNT;\n\n\
         const fn w(middlegame: i32, endgame: i32) -> Packed {\n    \
         Packed::new(middlegame, endgame)\n}\n\n\
         /// One weight for each place in [`super::terms`].\n#[rustfmt::skip]\n\
         pub static WEIGHTS: [Packed; COUNT] = [\n",
    );
    for term in TERMS {
        let _ = writeln!(text, "    // {}", term.name);
        let width = 8;
        for row in weights[term.first..term.first + term.len].chunks(width) {
            let cells: Vec<String> = row
                .iter()
                .map(|[m, e]| format!("w({}, {}),", m.round() as i32, e.round() as i32))
                .collect();
            let _ = writeln!(text, "    {}", cells.join(" "));
        }
    }
    text.push_str("];\n");
    text
}
