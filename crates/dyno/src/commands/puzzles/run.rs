//! `dyno puzzles run`: an engine over puzzles, move by move.

use super::{puzzle_error, source_name, theme_lists};
use crate::engine_args::EngineArgs;
use crate::exit::Exit;
use crate::{history, interrupt, live};
use anyhow::Context;
use dyno_driver::Go;
use dyno_report::Verdict;
use dyno_report::html::{Cards, Column};
use dyno_report::puzzles::{attempt_line, csv, html, run_summary};
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::puzzles::{
    Attempt, PuzzleVerdict, RatingRange, RunEvent, RunPlan, RunResult, Selection,
    run as run_puzzles,
};
use dyno_web::{LiveTrial, TrialRow};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  dyno puzzles run lichess_db_puzzle.csv.zst --limit 1000                  Piston on 1,000 puzzles
  dyno puzzles run puzzles.csv --engine stockfish --nodes 10000 --concurrency 2
  dyno puzzles run puzzles.csv --engine ./engine --rating 1500..2000 --themes fork,pin --misses 20
  dyno puzzles run puzzles.csv --engine ./engine --limit 500 --min-score 70      for CI

The engine must find every move of its side; a move that mates at once is right as well.

Exit codes: 0 done (and at least --min-score), 1 below --min-score, 2 bad usage or not a puzzle
file, 3 the engine could not be run or crashed, 130 interrupted with what is done shown.";

/// Put puzzles to an engine, move by move
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The puzzles: a lichess CSV, plain or compressed (.zst, .gz, .zip); `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    #[command(flatten)]
    engine: EngineArgs,

    /// Search every move so deep
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search every move this many milliseconds [default: 100]
    #[arg(long, value_name = "MS", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search every move this many nodes
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Only puzzles with one of these themes (separated by commas); repeat to ask for more at once
    #[arg(long, value_name = "THEMES")]
    themes: Vec<String>,

    /// Only puzzles with such a rating: 1500..2000, 1500.. or ..2000
    #[arg(long, value_name = "FROM..TO")]
    rating: Option<RatingRange>,

    /// Run at most this many puzzles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Take away castling rights without their rook and impossible en-passant squares, instead of
    /// rejecting the row
    #[arg(long)]
    repair: bool,

    /// Run this many puzzles at once, each on an engine process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Exit with 1 when fewer puzzles than this are solved
    #[arg(long, value_name = "PERCENT")]
    min_score: Option<f64>,

    /// List this many failures at the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    misses: usize,

    /// Write the puzzles as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write everything, every puzzle included, as JSON
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,

    /// Write a page with the totals and the misses as boards
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    fn csv_to_stdout(&self) -> bool {
        self.report.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }
}

/// The history keeps this many puzzles of a run: memory must not grow with the file.
const MOST_KEPT: usize = 20_000;

/// What `--json` holds: the sums and every puzzle.
#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    puzzles: &'a [Attempt],
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(bar) = args.min_score.filter(|bar| !(0.0..=100.0).contains(bar)) {
        anyhow::bail!("--min-score wants a number from 0 to 100, not {bar}");
    }
    let plan = RunPlan {
        engine: args.engine.spec()?,
        settings: args.engine.settings()?,
        limit: limit(args),
        selection: Selection { themes: theme_lists(&args.themes), rating: args.rating },
        most: args.limit,
        repair: args.repair,
        concurrency: args.concurrency.into(),
    };
    let opened = dyno_formats::open(&args.input)?;
    let mut reports = Reports::open(args)?;
    let progress = Progress::new("puzzles", args.limit, args.quiet);
    let mut misses = Vec::new();
    let (mut tried, mut solved) = (0u64, 0u64);
    let source = source_name(&args.input);
    let live = LiveTrial::new("puzzles", &source, "puzzles");
    live.columns([
        Column::number("Rating"),
        Column::code("Wrong move"),
        Column::code("Solution"),
        Column::number("Time (ms)"),
    ]);
    let _told = live::publish(live.clone());
    let saving = interrupt::hold();
    let outcome = run_puzzles(&plan, &source, opened, &mut |event| match event {
        RunEvent::Started { engine } => {
            live.begin(&format!("{} on {source}", engine.name), args.limit);
        }
        RunEvent::Rejected { line, reject } => {
            progress.line(format!("{source}:{line}: {reject}"));
            live.remark(&format!("{source}:{line}: {reject}"));
        }
        RunEvent::Attempt(attempt) => {
            tried += 1;
            solved += u64::from(attempt.verdict == PuzzleVerdict::Solved);
            show_live(&live, attempt);
            progress.advance();
            progress.note(format!("{solved} of {tried} solved"));
            if attempt.verdict != PuzzleVerdict::Solved && misses.len() < args.misses {
                misses.push(attempt.clone());
            }
            reports.take(attempt);
        }
    });
    drop(saving);
    progress.finish();
    live.end();
    let (result, failure) = outcome.map_err(puzzle_error)?;
    reports.finish(&result)?;
    let listed: String = misses.iter().map(attempt_line).collect();
    let summary = format!("{listed}{}", run_summary(&result).trim_end());
    match (args.json, args.csv_to_stdout()) {
        (true, _) => {}
        (_, true) => eprintln!("{summary}"),
        _ => println!("{summary}"),
    }
    match failure {
        Some(error) => Err(puzzle_error(error)),
        None => verdict(args, &result),
    }
}

/// Where the results go beside the screen.
struct Reports {
    csv: Option<csv::Writer<Box<dyn Write>>>,
    json_files: Vec<Box<dyn Write>>,
    html: Option<File>,
    keeps_all: bool,
    attempts: Vec<Attempt>,
    misses: Vec<Attempt>,
    failure: Option<io::Error>,
}

impl Reports {
    /// Opens every file before the work: an hour of it must not end in one that cannot be written.
    fn open(args: &Args) -> anyhow::Result<Reports> {
        let create = |path: &PathBuf| {
            File::create(path).with_context(|| format!("cannot write {}", path.display()))
        };
        let csv_to_stdout = args.csv_to_stdout();
        anyhow::ensure!(
            !(csv_to_stdout && args.json),
            "--json and --report - both want standard output"
        );
        let csv: Option<Box<dyn Write>> = match &args.report {
            Some(_) if csv_to_stdout => Some(Box::new(io::stdout())),
            Some(path) => Some(Box::new(create(path)?)),
            None => None,
        };
        let mut json_files: Vec<Box<dyn Write>> = Vec::new();
        if args.json {
            json_files.push(Box::new(io::stdout()));
        }
        if let Some(path) = &args.report_json {
            json_files.push(Box::new(BufWriter::new(create(path)?)));
        }
        Ok(Reports {
            csv: csv.map(csv::Writer::new).transpose().context("cannot write the CSV report")?,
            keeps_all: !json_files.is_empty(),
            json_files,
            html: args.report_html.as_ref().map(create).transpose()?,
            attempts: Vec::new(),
            misses: Vec::new(),
            failure: None,
        })
    }

    fn take(&mut self, attempt: &Attempt) {
        if let Some(csv) = &mut self.csv
            && let Err(error) = csv.write(attempt)
        {
            // A report that cannot be written ends the run, with what is done in the others.
            self.failure = Some(error);
            self.csv = None;
            interrupt::request();
        }
        let missed = attempt.verdict != PuzzleVerdict::Solved;
        if self.html.is_some() && missed && self.misses.len() < Cards::MOST_BOARDS {
            self.misses.push(attempt.clone());
        }
        if self.keeps_all || history::is_on() && self.attempts.len() < MOST_KEPT {
            self.attempts.push(attempt.clone());
        }
    }

    /// Writes what can only be written at the end.
    fn finish(self, result: &RunResult) -> anyhow::Result<()> {
        let full = Report { result, puzzles: &self.attempts };
        for mut file in self.json_files {
            serde_json::to_writer_pretty(&mut file, &full)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(file))
                .and_then(|()| file.flush())
                .context("cannot write the JSON report")?;
        }
        let kept = self.attempts.len().min(MOST_KEPT);
        history::keep(&Report { result, puzzles: &self.attempts[..kept] });
        if let Some(mut file) = self.html {
            let page = html::page(result, &self.misses);
            file.write_all(page.as_bytes()).context("cannot write the HTML report")?;
        }
        match self.failure {
            // The reader of our output has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Some(error) => Err(error).context("cannot write the CSV report"),
            None => Ok(()),
        }
    }
}

fn show_live(live: &LiveTrial, attempt: &Attempt) {
    let (verdict, counts_as) = match attempt.verdict {
        PuzzleVerdict::Solved => (Verdict::Pass, "solved"),
        PuzzleVerdict::Failed => (Verdict::Fail, "missed"),
        PuzzleVerdict::Crashed => (Verdict::Fail, "crashed"),
    };
    let cells = vec![
        attempt.rating.map(|rating| rating.to_string()).unwrap_or_default(),
        attempt.wrong.clone().unwrap_or_else(|| attempt.trouble.clone()),
        attempt.solution.join(" "),
        attempt.time_ms.to_string(),
    ];
    live.done(TrialRow { name: attempt.id.clone(), verdict: Some(verdict), counts_as, cells });
}

#[allow(clippy::print_stderr, reason = "the reason of exit code 1")]
fn verdict(args: &Args, result: &RunResult) -> anyhow::Result<Exit> {
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    anyhow::ensure!(result.total.tried > 0, "{}: no puzzle to run", result.source);
    if result.crashes > 0 {
        return Ok(Exit::Engine);
    }
    let percent = 100.0 * result.total.solved as f64 / result.total.tried as f64;
    if let Some(bar) = args.min_score.filter(|bar| percent < *bar) {
        eprintln!("{percent:.2} % solved, below --min-score {bar}");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Passed)
}

fn limit(args: &Args) -> Go {
    match (args.depth, args.nodes) {
        (Some(depth), _) => Go::depth(depth),
        (_, Some(nodes)) => Go::nodes(nodes),
        _ => Go::movetime(args.movetime.unwrap_or(100)),
    }
}
