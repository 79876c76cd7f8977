//! The arguments that every command over positions shares, and what they mean.

use crate::engine_args::{EngineArgs, engine_error};
use crate::suggest::no_such_suite;
use anyhow::Context as _;
use dyno_report::terminal::eprintln;
use dyno_trials::position_test::{Selection, Source, TestError, TestPlan};
use dyno_trials::{Kind, builtins};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which positions are wanted.
#[derive(Debug, clap::Args)]
pub struct SelectionArgs {
    /// Run at most this many positions
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

impl SelectionArgs {
    /// The selection. A seed that is not given comes from the clock.
    pub fn selection(&self) -> Selection {
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Selection {
            ids: self.id.clone(),
            themes: Vec::new(),
            most: self.limit,
            seed: self.randomize.then(|| self.seed.unwrap_or_else(clock)),
        }
    }
}

/// How positions are put to engines, and where the results go.
#[derive(Debug, clap::Args)]
pub struct TestArgs {
    /// Give up on a position after this many seconds [default: 2 × movetime + 5 s; for nodes 10 s
    /// and a second for every 1,000; for a depth 10 minutes; 10 s where the limit follows from a
    /// mate]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,

    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Run this many positions at once, each on an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Stop a search when the solution has stood for this many iterations
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    early_stop: Option<u32>,

    /// Exit with 1 when the score is below this: points where the suite has points, right answers
    /// (for mates the shortest) otherwise
    #[arg(long, value_name = "PERCENT")]
    min_score: Option<f64>,

    /// List this many misses at the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top_misses: usize,

    /// Write the positions as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    pub report_json: Option<PathBuf>,

    /// Write a page with the totals and every miss as a board
    #[arg(long, value_name = "FILE")]
    pub report_html: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    pub json: bool,

    /// Go on from the positions already in --report
    #[arg(long, requires = "report")]
    pub resume: bool,

    /// No progress and no table, only the result
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

impl TestArgs {
    /// The plan, as far as it does not depend on what is judged.
    pub fn plan<R>(&self, sources: Vec<Source>) -> anyhow::Result<TestPlan<R>> {
        if let Some(bar) = self.min_score.filter(|bar| !(0.0..=100.0).contains(bar)) {
            anyhow::bail!("--min-score wants a number from 0 to 100, not {bar}");
        }
        let timeout = self.timeout.map(Duration::try_from_secs_f64).transpose();
        Ok(TestPlan {
            selection: self.selection.selection(),
            concurrency: self.concurrency.into(),
            timeout: timeout.context("--timeout wants a number of seconds")?,
            early_stop: self.early_stop,
            ..TestPlan::new(sources, self.engine.specs()?, self.engine.settings()?)
        })
    }

    /// Whether a bar was set at all.
    pub fn has_bar(&self) -> bool {
        self.min_score.is_some()
    }

    /// Whether every engine reaches the bar; says which does not.
    pub fn meets_bar<'a>(&self, scores: impl Iterator<Item = (&'a str, Option<f64>)>) -> bool {
        let Some(bar) = self.min_score else { return true };
        let mut met = true;
        for (engine, score) in scores {
            if score.is_none_or(|score| score < bar) {
                let score =
                    score.map_or("nothing scored".to_owned(), |s| format!("score {s:.2} %"));
                eprintln!("{engine}: {score}, below --min-score {bar}");
                met = false;
            }
        }
        met
    }
}

/// A file where there is one, a built-in suite of that kind otherwise.
pub fn source(kind: Kind, name: &str) -> anyhow::Result<Source> {
    let path = Path::new(name);
    // A folder of a suite's name does not hide the suite.
    let is_file = name == "-" || (path.exists() && !path.is_dir());
    let builtin = builtins(kind).find(|suite| suite.is_named(name)).filter(|_| !is_file);
    if let Some(suite) = builtin {
        return Ok(Source::Builtin { name: suite.name, text: suite.text });
    }
    if is_file || path.is_dir() {
        return Ok(Source::File(path.to_owned()));
    }
    let names: Vec<&str> = builtins(kind).map(|suite| suite.name).collect();
    anyhow::bail!(no_such_suite(name, &names))
}

/// The error with the exit code that fits.
pub fn test_error(error: TestError) -> anyhow::Error {
    match error {
        TestError::Engine(error) => engine_error(error),
        other => anyhow::Error::new(other),
    }
}
