//! `dyno puzzles convert`: the lichess puzzle database as EPD.

use super::{puzzle_error, source_name};
use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_driver::{Interrupt, Settings};
use dyno_report::puzzles::convert_summary;
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::puzzles::{
    ConvertEvent, ConvertPlan, ConvertResult, PuzzleError, RatingRange, RejectedRow, Selection,
    convert,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  dyno puzzles convert lichess_db_puzzle.csv.zst -o mates/        mate_in_1.epd, mate_in_2.epd, …
  dyno puzzles convert lichess_db_puzzle.csv -o hard.epd --rating 2200.. --themes mateIn3,mateIn4
  dyno puzzles convert puzzles.csv -o forks.epd --all --themes fork --limit 500
  dyno puzzles convert puzzles.csv -o m1.epd --themes mateIn1 --stockfish stockfish
  zstdcat lichess_db_puzzle.csv.zst | dyno puzzles convert - -o - --limit 10

The row's position is the one before the opponent's move: that move is played, the next is bm, and
the whole solution is pv. The mate depth is counted on the line, whatever the themes say.

Exit codes: 0 done, 2 bad usage or not a puzzle file, 3 the engine of --stockfish could not be run,
130 interrupted with everything written so far kept.";

/// Turn the lichess puzzle database into EPD
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The database: CSV, plain or compressed (.zst, .gz, .zip); `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// Where to write: a file, `-` for standard output, or a directory (one that is there, or a
    /// name that ends in /), which gets mate_in_1.epd, mate_in_2.epd and so on
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,

    /// Only puzzles with one of these themes (separated by commas); repeat to ask for more at once
    #[arg(long, value_name = "THEMES")]
    themes: Vec<String>,

    /// Only puzzles with such a rating: 1500..2000, 1500.. or ..2000
    #[arg(long, value_name = "FROM..TO")]
    rating: Option<RatingRange>,

    /// Write at most this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Also puzzles that do not end in mate
    #[arg(long)]
    all: bool,

    /// Find the moves of mates in one with this engine's MultiPV rather than by ourselves
    #[arg(long, value_name = "PATH")]
    stockfish: Option<String>,

    /// Write all first moves of longer mates too, found by our solver
    #[arg(long)]
    all_keys: bool,

    /// Take away castling rights without their rook and impossible en-passant squares, instead of
    /// rejecting the row
    #[arg(long)]
    repair: bool,

    /// List the rows that could not be used, with the reason, as CSV
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Work with this many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,

    /// Print what was done as JSON on standard output
    #[arg(long)]
    json: bool,

    /// No progress and no summary
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let plan = plan(args)?;
    let to_stdout = args.output.as_os_str() == "-";
    anyhow::ensure!(!(args.json && to_stdout), "--json and -o - both want standard output");
    let opened = dyno_formats::open(&args.input)?;
    let mut outputs = Outputs::open(args)?;
    let source = source_name(&args.input);
    let saving = interrupt::hold();
    let result = convert(&plan, &source, opened, &mut |event| outputs.listen(&event));
    let finished = outputs.finish(result.is_ok());
    drop(saving);
    let result = match result {
        // The reader of our output has seen enough.
        Err(error) if is_broken_pipe(&error) => return Ok(Exit::Passed),
        other => other.map_err(puzzle_error)?,
    };
    let stale = finished.with_context(|| format!("cannot write {}", args.output.display()))?;
    if !stale.is_empty() && !args.quiet {
        eprintln!("removed from an earlier conversion: {}", stale.join(", "));
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&result)?);
    } else if !args.quiet {
        let text = convert_summary(&result);
        if to_stdout { eprintln!("{}", text.trim_end()) } else { println!("{}", text.trim_end()) }
    }
    verdict(&result)
}

fn verdict(result: &ConvertResult) -> anyhow::Result<Exit> {
    if result.interrupted {
        return Ok(Exit::Interrupted);
    }
    anyhow::ensure!(result.rows > 0, "{}: no puzzle in it", result.source);
    anyhow::ensure!(
        result.rejected < result.rows,
        "{}: none of its {} rows is a puzzle (see --rejects)",
        result.source,
        result.rows
    );
    Ok(Exit::Passed)
}

fn is_broken_pipe(error: &PuzzleError) -> bool {
    matches!(
        error,
        PuzzleError::Write { error, .. } if error.kind() == io::ErrorKind::BrokenPipe
    )
}

fn plan(args: &Args) -> anyhow::Result<ConvertPlan> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let stockfish = args
        .stockfish
        .as_deref()
        .map(|engine| engine.parse().context("--stockfish"))
        .transpose()?;
    let interrupt = Some(Interrupt::new(interrupt::counter(), 1));
    Ok(ConvertPlan {
        selection: Selection { themes: super::theme_lists(&args.themes), rating: args.rating },
        all: args.all,
        limit: args.limit,
        stockfish,
        all_keys: args.all_keys,
        repair: args.repair,
        workers: args.concurrency.map_or_else(cores, usize::from),
        settings: Settings { interrupt, ..Settings::default() },
    })
}

/// Where positions and rejects go.
struct Outputs {
    target: Target,
    rejects: Option<BufWriter<File>>,
    progress: Option<Progress>,
    quiet: bool,
}

enum Target {
    One(BufWriter<Box<dyn Write>>),
    Folder { path: PathBuf, files: BTreeMap<u32, BufWriter<File>> },
}

impl Outputs {
    fn open(args: &Args) -> anyhow::Result<Outputs> {
        let path = &args.output;
        let target = if path.as_os_str() == "-" {
            Target::One(BufWriter::new(Box::new(io::stdout())))
        } else if path.is_dir()
            || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
        {
            std::fs::create_dir_all(path)
                .with_context(|| format!("cannot make {}", path.display()))?;
            Target::Folder { path: path.clone(), files: BTreeMap::new() }
        } else {
            Target::One(BufWriter::with_capacity(1 << 16, Box::new(create(path)?)))
        };
        let rejects = match &args.rejects {
            None => None,
            Some(path) => {
                let mut file = BufWriter::new(create(path)?);
                file.write_all(b"line,reason,detail,row\n")?;
                Some(file)
            }
        };
        Ok(Outputs { target, rejects, progress: None, quiet: args.quiet })
    }

    fn listen(&mut self, event: &ConvertEvent<'_>) -> io::Result<()> {
        match event {
            ConvertEvent::Position { mate_in, text } => match &mut self.target {
                Target::One(file) => file.write_all(text.as_bytes()),
                Target::Folder { path, files } => {
                    if !files.contains_key(mate_in) {
                        let file = File::create(path.join(file_name(*mate_in)))?;
                        files.insert(*mate_in, BufWriter::with_capacity(1 << 16, file));
                    }
                    files.get_mut(mate_in).map_or(Ok(()), |file| file.write_all(text.as_bytes()))
                }
            },
            ConvertEvent::Rejected(row) => match &mut self.rejects {
                Some(file) => write_reject(file, row),
                None => Ok(()),
            },
            ConvertEvent::Progress { so_far, read } => {
                let quiet = self.quiet;
                let bar = self
                    .progress
                    .get_or_insert_with(|| Progress::new("bytes", read.total(), quiet));
                bar.set(read.read());
                bar.note(format!("{} rows, {} written", so_far.rows, so_far.written));
                Ok(())
            }
        }
    }

    /// Writes what is left. Of a folder that has been `renewed` the files of an earlier conversion
    /// that this one did not write again are removed: they would pass for part of it. Their names.
    fn finish(self, renewed: bool) -> io::Result<Vec<String>> {
        if let Some(progress) = self.progress {
            progress.finish();
        }
        if let Some(mut file) = self.rejects {
            file.flush()?;
        }
        match self.target {
            Target::One(mut file) => file.flush().map(|()| Vec::new()),
            Target::Folder { path, mut files } => {
                files.values_mut().try_for_each(BufWriter::flush)?;
                if renewed { remove_stale(&path, &files) } else { Ok(Vec::new()) }
            }
        }
    }
}

/// Removes the files that a conversion could have written and this one has not.
fn remove_stale(
    folder: &Path,
    written: &BTreeMap<u32, BufWriter<File>>,
) -> io::Result<Vec<String>> {
    let mut removed = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_ours = mate_depth(&name).is_some_and(|depth| !written.contains_key(&depth));
        if is_ours && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
            removed.push(name);
        }
    }
    removed.sort();
    Ok(removed)
}

/// The mate depth of a file that [`file_name`] names.
fn mate_depth(name: &str) -> Option<u32> {
    let number = name.strip_prefix("mate_in_").and_then(|rest| rest.strip_suffix(".epd"));
    let depth = number.map_or(Some(0), |number| number.parse().ok())?;
    (file_name(depth) == name).then_some(depth)
}

fn file_name(mate_in: u32) -> String {
    match mate_in {
        0 => "no_mate.epd".to_owned(),
        moves => format!("mate_in_{moves}.epd"),
    }
}

fn write_reject(file: &mut impl Write, row: &RejectedRow) -> io::Result<()> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let detail = quoted(&row.reject.to_string());
    writeln!(file, "{},{},{detail},{}", row.line, row.reject.reason(), quoted(&row.text))
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}
