//! Which mates: files and built-in suites, read, filtered, shuffled, cut.

use crate::suggest::no_such_suite;
use dyno_formats::open_text;
use dyno_trials::mate::{self, Problem, SuiteFault};
use dyno_trials::suite::shuffle;
use dyno_trials::{Kind, builtins};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Problems, and lines that are none.
pub type Problems = Vec<Result<Problem, Box<SuiteFault>>>;

/// Which positions of the suites are wanted.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// Run at most so many positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Run the positions in random order
    #[arg(long)]
    randomize: bool,

    /// The random order to use [default: from the clock, and printed]
    #[arg(long, value_name = "N", requires = "randomize")]
    seed: Option<u64>,

    /// Only positions with this text in their id; repeat for more
    #[arg(long, value_name = "TEXT")]
    id: Vec<String>,
}

impl Selection {
    /// The random order, if one is wanted: as given, or from the clock.
    pub fn seed(&self) -> Option<u64> {
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        self.randomize.then(|| self.seed.unwrap_or_else(clock))
    }

    /// Reads the named suites, all built-in mates when none is named.
    #[allow(clippy::print_stderr, reason = "an unknown seed cannot be used again")]
    pub fn read(&self, names: &[String], seed: Option<u64>) -> anyhow::Result<Problems> {
        let mut problems = Problems::new();
        if names.is_empty() {
            for suite in builtins(Kind::Mate).filter(|suite| suite.name.starts_with("mate-in-")) {
                problems.extend(mate::read(suite.name, suite.name, suite.text.as_bytes()));
            }
        }
        for name in names {
            read_into(&mut problems, name)?;
        }
        if !self.id.is_empty() {
            let wanted: Vec<String> = self.id.iter().map(|id| id.to_lowercase()).collect();
            problems.retain(|problem| match problem {
                Ok(problem) => {
                    let id = problem.id.to_lowercase();
                    wanted.iter().any(|text| id.contains(text))
                }
                Err(_) => false,
            });
        }
        if let Some(seed) = seed {
            eprintln!("--seed {seed}");
            shuffle(&mut problems, seed);
        }
        if let Some(most) = self.limit {
            let mut left = most;
            problems.retain(|problem| {
                let wanted = left > 0 || problem.is_err();
                left -= u64::from(wanted && problem.is_ok());
                wanted
            });
        }
        if !problems.iter().any(Result::is_ok) {
            anyhow::bail!(nothing_usable(&problems, self));
        }
        Ok(problems)
    }
}

fn nothing_usable(problems: &Problems, selection: &Selection) -> String {
    match problems.iter().find_map(|problem| problem.as_ref().err()) {
        _ if !selection.id.is_empty() => "no position matches --id".to_owned(),
        Some(fault) => format!(
            "no usable position among {} lines; the first: {}:{}: {}",
            problems.len(),
            fault.suite,
            fault.line_no,
            fault.reason
        ),
        None => "no position in the suite".to_owned(),
    }
}

/// A file where there is one, a built-in suite otherwise.
fn read_into(problems: &mut Problems, name: &str) -> anyhow::Result<()> {
    let path = Path::new(name);
    if name == "-" || path.exists() {
        let opened = open_text(path)?;
        problems.extend(mate::read(name, &opened.name, opened.reader));
        return Ok(());
    }
    let Some(suite) = builtins(Kind::Mate).find(|suite| suite.is_named(name)) else {
        let names: Vec<&str> = builtins(Kind::Mate).map(|suite| suite.name).collect();
        anyhow::bail!(no_such_suite(name, &names));
    };
    problems.extend(mate::read(suite.name, suite.name, suite.text.as_bytes()));
    Ok(())
}
