//! The tuner of the evaluation's weights: plays games with itself, then fits the weights to their
//! results.
//!
//! ```text
//! tune games OUT COUNT [NODES [SEED]]     play games, append their quiet positions to OUT
//! tune fit WEIGHTS EPOCHS FILE...         fit to the positions, write a new weights.rs
//! ```

mod fit;
mod games;

use std::io::{self, Write as _};
use std::process::ExitCode;

const USAGE: &str = "\
usage: tune games OUT COUNT [NODES [SEED]]
       tune fit WEIGHTS.rs EPOCHS FILE...

games  play COUNT games of Piston with itself at NODES nodes a move (4000), from random openings
       of the given SEED (1), and append their quiet positions with result and score to OUT
fit    fit the weights to the positions of the FILEs and write them as a new weights.rs";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["games", out, count, rest @ ..] => games(out, count, rest),
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
    games::play(out, number(count)?, nodes, seed).map_err(|error| format!("{out}: {error}"))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}\n{USAGE}"))
}
