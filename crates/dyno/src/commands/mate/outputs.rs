//! Where the results of a run over mates go: files, standard output, the screen.

use super::RunArgs;
use crate::interrupt;
use anyhow::Context;
use dyno_report::mate::csv::Rows;
use dyno_report::mate::{self as reports, csv, html, json, terminal};
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::mate::{Event, MateResult, MateRun};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

type Out = Box<dyn Write>;

/// All listeners of a run.
pub struct Outputs {
    quiet: bool,
    shows_table: bool,
    stdout_taken: bool,
    top_misses: usize,
    progress: Option<Progress>,
    engines: Vec<String>,
    limit: String,
    csv_file: Option<CsvFile>,
    csv: Option<csv::Writer<Out>>,
    json: Vec<json::Writer<Out>>,
    html: Option<(File, PathBuf)>,
    correct: u64,
    scored: u64,
    /// A report that could not be written; the run ends and says so.
    failure: Option<io::Error>,
}

/// The CSV report before its writer is made, which needs the engines' names.
enum CsvFile {
    Stdout,
    File { file: File, resume: bool },
}

impl Outputs {
    /// Opens every file before any engine is started: nobody wants to learn after an hour that
    /// the report cannot be written.
    pub fn open(args: &RunArgs) -> anyhow::Result<Self> {
        let on_screen = io::stdout().is_terminal();
        let csv_to_stdout = match &args.report {
            Some(path) => path.as_os_str() == "-",
            None => !on_screen && !args.json,
        };
        anyhow::ensure!(
            !(csv_to_stdout && args.json),
            "--json and --report - both want standard output"
        );
        anyhow::ensure!(!(args.resume && csv_to_stdout), "--resume needs --report FILE");
        let csv_file = match &args.report {
            Some(path) if !csv_to_stdout => Some(open_csv(path, args.resume)?),
            _ => csv_to_stdout.then_some(CsvFile::Stdout),
        };
        let mut json = Vec::new();
        if args.json {
            json.push(json::Writer::new(Box::new(BufWriter::new(io::stdout())) as Out)?);
        }
        if let Some(path) = &args.report_json {
            let out: Out = Box::new(BufWriter::new(create(path)?));
            json.push(json::Writer::new(out).with_context(|| path.display().to_string())?);
        }
        let html = match &args.report_html {
            Some(path) => Some((create(path)?, path.clone())),
            None => None,
        };
        let stdout_taken = csv_to_stdout || args.json;
        Ok(Self {
            quiet: args.quiet,
            shows_table: on_screen && !stdout_taken && args.report.is_none() && !args.quiet,
            stdout_taken,
            top_misses: if args.quiet { 0 } else { args.top_misses },
            progress: None,
            engines: Vec::new(),
            limit: reports::limit(&super::limit(args)),
            csv_file,
            csv: None,
            json,
            html,
            correct: 0,
            scored: 0,
            failure: None,
        })
    }

    /// The rows already in the report; the file is cut after the last whole one.
    pub fn earlier(&mut self) -> anyhow::Result<Rows> {
        let Some(CsvFile::File { file, resume: resume @ true }) = &mut self.csv_file else {
            return Ok(Rows::new());
        };
        if file.metadata()?.len() == 0 {
            *resume = false;
            return Ok(Rows::new());
        }
        let (rows, whole) =
            csv::read(&*file, &self.limit).context("cannot resume from --report")?;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(rows)
    }

    /// Takes note of an event.
    pub fn listen(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { engines, total } => {
                self.engines = engines.iter().map(|engine| engine.name.clone()).collect();
                self.progress = Some(Progress::new("positions", Some(*total), self.quiet));
                self.start_csv();
            }
            Event::Warning(text) => self.say(&format!("warning: {text}")),
            // Faults of the suite are listed in the end, with the others.
            Event::Skipped(_) => {}
            Event::Judged { result, earlier } => self.take(result, *earlier),
        }
    }

    fn start_csv(&mut self) {
        let (out, heads): (Out, bool) = match self.csv_file.take() {
            None => return,
            Some(CsvFile::Stdout) => (Box::new(io::stdout()), true),
            Some(CsvFile::File { file, resume }) => (Box::new(file), !resume),
        };
        match csv::Writer::new(out, &self.engines, &self.limit, heads) {
            Ok(writer) => self.csv = Some(writer),
            Err(error) => self.fail(error),
        }
    }

    fn take(&mut self, result: &MateResult, earlier: bool) {
        self.scored += u64::from(result.correct.is_some());
        self.correct += u64::from(result.correct == Some(true));
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
        self.show(result);
    }

    fn show(&self, result: &MateResult) {
        let Some(progress) = &self.progress else { return };
        progress.advance();
        progress.note(terminal::running(self.correct, self.scored));
        if self.shows_table {
            let engine = self.engines.get(result.engine).filter(|_| self.engines.len() > 1);
            progress.print(terminal::position_line(result, engine.map(String::as_str)));
        } else if !result.trouble.is_empty() {
            progress.line(format!("{} (line {}): {}", result.id, result.line_no, result.trouble));
        }
    }

    fn say(&self, text: &str) {
        match &self.progress {
            Some(progress) => progress.line(text),
            None => eprintln!("{text}"),
        }
    }

    /// A report that cannot be written ends the run; what is done stays in the other reports.
    fn fail(&mut self, error: io::Error) {
        if self.failure.is_none() {
            self.failure = Some(error);
            interrupt::counter().fetch_add(1, Ordering::SeqCst);
        }
        self.csv = None;
        self.json.clear();
    }

    /// Writes what can only be written in the end, and shows the summary.
    pub fn finish(mut self, run: &MateRun) -> anyhow::Result<()> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        for json in std::mem::take(&mut self.json) {
            json.finish(run).context("cannot write the JSON report")?;
        }
        if let Some((mut file, path)) = self.html.take() {
            file.write_all(html::page(run).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        match self.failure.take() {
            // Whoever reads our output has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Some(error) => return Err(error).context("cannot write the report"),
            None => {}
        }
        let misses = terminal::miss_list(run, self.top_misses);
        let text = format!("{misses}{}", terminal::summary(run));
        if self.stdout_taken {
            eprintln!("{}", text.trim_end());
        } else {
            println!("{}", text.trim_end());
        }
        Ok(())
    }
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

fn open_csv(path: &Path, resume: bool) -> anyhow::Result<CsvFile> {
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(!resume)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(CsvFile::File { file, resume })
}
