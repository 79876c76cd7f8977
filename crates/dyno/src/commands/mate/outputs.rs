//! Where the results of a run over mates go: files, standard output, the screen.

use super::RunArgs;
use crate::commands::outputs::{CsvFile, HtmlFile, Opened, Out, Screen, Wanted};
use anyhow::Context;
use dyno_report::mate::csv::Rows;
use dyno_report::mate::{self as reports, csv, html, json, terminal};
use dyno_trials::mate::{Event, MateResult, MateRun};
use std::io;

/// All listeners of a run.
pub struct Outputs {
    screen: Screen,
    top_misses: usize,
    limit: String,
    csv_file: Option<CsvFile>,
    csv: Option<csv::Writer<Out>>,
    json: Vec<json::Writer<Out>>,
    html: Option<HtmlFile>,
}

impl Outputs {
    pub fn open(args: &RunArgs) -> anyhow::Result<Self> {
        let opened = Opened::open(Wanted {
            report: args.report.as_deref(),
            report_json: args.report_json.as_deref(),
            report_html: args.report_html.as_deref(),
            json: args.json,
            resume: args.resume,
            quiet: args.quiet,
        })?;
        let json: io::Result<Vec<_>> = opened.json.into_iter().map(json::Writer::new).collect();
        Ok(Self {
            screen: opened.screen,
            top_misses: if args.quiet { 0 } else { args.top_misses },
            limit: reports::limit(&super::limit(args)),
            csv_file: opened.csv,
            csv: None,
            json: json.context("cannot write the JSON report")?,
            html: opened.html,
        })
    }

    /// The rows already in the report.
    pub fn earlier(&self) -> anyhow::Result<Rows> {
        let Some(CsvFile::File(file)) = &self.csv_file else { return Ok(Rows::new()) };
        Ok(file.resume(|file| csv::read(file, &self.limit))?.unwrap_or_default())
    }

    /// Takes note of an event.
    pub fn listen(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { engines, total } => {
                let names = engines.iter().map(|engine| engine.name.clone()).collect();
                self.screen.begin(names, Some(*total));
                self.start_csv();
            }
            Event::Warning(text) => self.screen.say(&format!("warning: {text}")),
            // Faults of the suite are listed in the end, with the others.
            Event::Skipped(_) => {}
            Event::Judged { result, earlier } => self.take(result, *earlier),
        }
    }

    fn start_csv(&mut self) {
        let Some((out, heads)) = self.csv_file.take().map(CsvFile::writer) else { return };
        match csv::Writer::new(out, self.screen.engines(), &self.limit, heads) {
            Ok(writer) => self.csv = Some(writer),
            Err(error) => self.fail(error),
        }
    }

    fn take(&mut self, result: &MateResult, earlier: bool) {
        self.screen.count(result.correct);
        let mut written = Ok(());
        if let Some(csv) = self.csv.as_mut().filter(|_| !earlier) {
            written = csv.write(result);
        }
        for json in &mut self.json {
            written = written.and_then(|()| json.write(result));
        }
        if let Err(error) = written {
            self.fail(error);
        }
        let trouble = (!result.trouble.is_empty())
            .then(|| format!("{} (line {}): {}", result.id, result.line_no, result.trouble));
        let line = |engine: Option<&str>| terminal::position_line(result, engine);
        self.screen.show(result.engine, terminal::running, line, trouble);
    }

    /// A report that cannot be written ends the run; what is done stays in the other reports.
    fn fail(&mut self, error: io::Error) {
        self.screen.fail(error);
        self.csv = None;
        self.json.clear();
    }

    /// Writes what can only be written in the end, and shows the summary.
    pub fn finish(mut self, run: &MateRun) -> anyhow::Result<()> {
        self.screen.end_progress();
        for json in std::mem::take(&mut self.json) {
            json.finish(run).context("cannot write the JSON report")?;
        }
        if let Some(page) = self.html.take() {
            page.write(&html::page(run))?;
        }
        if self.screen.is_read()? {
            let misses = terminal::miss_list(run, self.top_misses);
            self.screen.sum_up(&format!("{misses}{}", terminal::summary(run)));
        }
        Ok(())
    }
}
