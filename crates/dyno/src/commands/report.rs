//! `dyno report`: any report again, from a saved result.

use crate::exit::Exit;
use crate::stdout;
use anyhow::{Context as _, ensure};
use dyno_formats::open_text;
use dyno_report::export::EXPORTERS;
use dyno_report::saved::SavedResult;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  dyno suite wac --report-json wac.json          a run, saved
  dyno report wac.json --html wac.html           its page, made afterwards
  dyno report match.json --markdown - --csv standings.csv
  dyno report card.json --junit card.xml

Results of check, perft --suite, perft --engine, suite, mate, mate prove, puzzles run, match, bench
and regress can be read. Which of them has which report: docs/report.md.

Exit codes: 0 the reports were written, 2 bad usage or input.";

/// Make reports again from a saved result
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The result, as --json and --report-json write it, plain or compressed; - for standard input
    #[arg(value_name = "FILE.json")]
    file: PathBuf,

    /// Write a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write rows; `-` is standard output, here as for all formats
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Args {
    fn wanted(&self, format: &str) -> Option<&Path> {
        match format {
            "html" => self.html.as_deref(),
            "csv" => self.csv.as_deref(),
            "junit" => self.junit.as_deref(),
            "markdown" => self.markdown.as_deref(),
            _ => None,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let wanted: Vec<_> = EXPORTERS
        .into_iter()
        .filter_map(|exporter| Some((exporter, args.wanted(exporter.name())?)))
        .collect();
    ensure!(!wanted.is_empty(), "nothing to write: give --html, --csv, --junit or --markdown");
    let name = args.file.display().to_string();
    let saved = SavedResult::read(&open_text(&args.file)?.into_text()?).context(name.clone())?;
    for (exporter, path) in wanted {
        let report = exporter.export(&saved).with_context(|| {
            let has: Vec<&str> = EXPORTERS
                .iter()
                .filter(|other| other.export(&saved).is_some())
                .map(|other| other.name())
                .collect();
            format!(
                "{name}: a result of dyno {} has no {} report, only {}",
                saved.kind(),
                exporter.name(),
                has.join(", ")
            )
        })?;
        if path.as_os_str() == "-" {
            stdout::write_all(report.as_bytes())?;
        } else {
            std::fs::write(path, report)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(Exit::Passed)
}
