//! Where the results of a suite go: files, standard output, the screen.

use super::Args;
use crate::commands::outputs::{CsvFile, HtmlFile, Opened, Out, Screen, Wanted};
use anyhow::Context;
use dyno_report::suite::{csv, html, json, terminal};
use dyno_trials::suite::{Event, PositionResult, Resume, SuiteResult};
use std::io;
use std::sync::Arc;

/// All listeners of a run.
pub struct Outputs {
    screen: Screen,
    quiet: bool,
    limit: String,
    csv_file: Option<CsvFile>,
    csv: Option<csv::Writer<Out>>,
    json: Vec<json::Writer<Out>>,
    html: Option<HtmlFile>,
    /// All misses for the page, the first ones for the screen.
    misses: Vec<PositionResult>,
    top_misses: usize,
    miss_count: u64,
}

impl Outputs {
    pub fn open(args: &Args) -> anyhow::Result<Self> {
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
            quiet: args.quiet,
            limit: super::limit_text(args),
            csv_file: opened.csv,
            csv: None,
            json: json.context("cannot write the JSON report")?,
            html: opened.html,
            misses: Vec::new(),
            top_misses: args.top_misses,
            miss_count: 0,
        })
    }

    /// Whether somebody watches.
    pub fn shows_progress(&self) -> bool {
        self.screen.shows_progress()
    }

    /// The rows already in the report, read once the engines are known.
    pub fn resume(&self) -> anyhow::Result<Option<Resume>> {
        let Some(CsvFile::File(file)) = &self.csv_file else { return Ok(None) };
        let (file, limit) = (file.again()?, self.limit.clone());
        Ok(Some(Resume(Arc::new(move |engines: &[String]| {
            let rows = file.resume(|file| csv::read(file, engines, &limit));
            rows.map(Option::unwrap_or_default).map_err(|error| format!("{error:#}"))
        }))))
    }

    /// Takes note of an event.
    pub fn listen(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { engines, total } => {
                self.screen.begin(engines.iter().map(|e| e.name.clone()).collect(), *total);
                self.start_csv();
            }
            Event::Warning(text) => self.screen.say(&format!("warning: {text}")),
            Event::Defect(defect) => self.screen.say(&terminal::defect_line(defect)),
            Event::Position { result, earlier } => self.take(result, *earlier),
        }
    }

    fn start_csv(&mut self) {
        let Some((out, heads)) = self.csv_file.take().map(CsvFile::writer) else { return };
        match csv::Writer::new(out, self.screen.engines(), &self.limit, heads) {
            Ok(writer) => self.csv = Some(writer),
            Err(error) => self.fail(error),
        }
    }

    fn take(&mut self, result: &PositionResult, earlier: bool) {
        self.screen.count(result.correct);
        if terminal::is_miss(result) {
            self.miss_count += 1;
            if self.html.is_some() || self.misses.len() < self.top_misses {
                self.misses.push(result.clone());
            }
        }
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
    pub fn finish(mut self, result: &SuiteResult) -> anyhow::Result<()> {
        self.screen.end_progress();
        for json in std::mem::take(&mut self.json) {
            json.finish(result).context("cannot write the JSON report")?;
        }
        if let Some(page) = self.html.take() {
            page.write(&html::page(result, &self.misses))?;
        }
        // Where nothing was run, the error that follows says why; there is nothing to sum up.
        let nothing = result.engines.iter().all(|e| e.totals.run == 0) && !result.interrupted;
        if !self.screen.is_read()? || nothing {
            return Ok(());
        }
        let shown = self.misses.len().min(self.top_misses);
        let misses = match self.quiet {
            true => String::new(),
            false => {
                terminal::misses(&self.misses[..shown], self.miss_count, self.screen.engines())
            }
        };
        self.screen.sum_up(&format!("{misses}{}", terminal::summary(result)));
        Ok(())
    }
}
