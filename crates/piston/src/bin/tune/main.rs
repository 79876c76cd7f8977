//! The tuner of the evaluation's weights: plays games with itself, may ask a stronger engine what
//! their positions are worth, then fits the weights to results and scores.
//!
//! ```text
//! tune games OUT COUNT [NODES [SEED [EPD]]]   play games, append their quiet positions to OUT
//! tune judge OUT ENGINE DEPTH FILE...         write the positions anew, with an engine's scores
//! tune fit WEIGHTS EPOCHS FILE...             fit to the positions, write a new weights.rs
//! ```

mod fit;
mod games;
mod judge;

use std::io::{self, Write as _};
use std::process::ExitCode;

const USAGE: &str = "\
usage: tune games OUT COUNT [NODES [SEED [OPENINGS.epd]]]
       tune judge OUT ENGINE DEPTH FILE...
       tune fit WEIGHTS.rs EPOCHS FILE...

games  play COUNT games of Piston with itself at NODES nodes a move (4000), from the positions of
       an EPD file or random openings, of the given SEED (1), and append their quiet positions with result and score to OUT
judge  write the positions of the FILEs to OUT, each with the score that the UCI program ENGINE
       gives it at DEPTH
fit    fit the weights to the positions of the FILEs and write them as a new weights.rs";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["games", out, count, rest @ ..] => games(out, count, rest),
        ["judge", out, engine, depth, files @ ..] if !files.is_empty() => number(depth)
            .and_then(|depth| judge::judge(out, engine, depth, files).map_err(|e| e.to_string())),
        ["fit", weights, epochs, files @ ..] if !files.is_empty() => {
            number(epochs).and_then(|epochs| {
                fit::fit(weights, epochs as usize, files).map_err(|e| e.to_string())
            })
        }
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn games(out: &str, count: &str, rest: &[&str]) -> Result<(), String> {
    let nodes = rest.first().map_or(Ok(4000), |text| number(text))?;
    let seed = rest.get(1).map_or(Ok(1), |text| number(text))?;
    let openings = rest.get(2).map_or(Ok(Vec::new()), |file| {
        games::openings(file).map_err(|error| format!("{file}: {error}"))
    })?;
    games::play(out, number(count)?, nodes, seed, &openings)
        .map_err(|error| format!("{out}: {error}"))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}\n{USAGE}"))
}
