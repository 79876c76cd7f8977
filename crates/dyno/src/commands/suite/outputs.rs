//! Where the results of a suite go: files, standard output, the screen.

use super::Args;
use crate::interrupt;
use anyhow::Context;
use dyno_report::suite::{csv, html, json, terminal};
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::suite::{Event, PositionResult, Resume, SuiteResult};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

type Out = Box<dyn Write>;

/// All listeners of a run.
pub struct Outputs {
    quiet: bool,
    shows_table: bool,
    stdout_taken: bool,
    progress: Option<Progress>,
    engines: Vec<String>,
    limit: String,
    csv_file: Option<CsvFile>,
    csv: Option<csv::Writer<Out>>,
    json: Vec<json::Writer<Out>>,
    html: Option<(File, PathBuf)>,
    /// All misses for the page, the first ones for the screen.
    misses: Vec<PositionResult>,
    top_misses: usize,
    miss_count: u64,
    correct: u64,
    scored: u64,
    /// A report that could not be written; the run ends and says so.
    failure: Option<io::Error>,
}

/// The CSV report before its writer is made, which needs the engines' names.
enum CsvFile {
    Stdout,
    File { path: PathBuf, file: Arc<Mutex<File>>, resumed: Arc<Mutex<bool>> },
}

impl Outputs {
    /// Opens every file before any engine is started: nobody wants to learn after an hour that
    /// the report cannot be written.
    pub fn open(args: &Args) -> anyhow::Result<Self> {
        let on_screen = io::stdout().is_terminal();
        let csv_to_stdout = match &args.report {
            Some(path) => path.as_os_str() == "-",
            None => !on_screen && !args.json,
        };
        anyhow::ensure!(
            !(csv_to_stdout && args.json),
            "--json and --report - both want standard output"
        );
        let csv_file = match &args.report {
            Some(path) if !csv_to_stdout => Some(open_csv(path, args.resume)?),
            _ => csv_to_stdout.then_some(CsvFile::Stdout),
        };
        anyhow::ensure!(!(args.resume && csv_to_stdout), "--resume needs --report FILE");
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
            progress: None,
            engines: Vec::new(),
            limit: super::limit_text(args),
            csv_file,
            csv: None,
            json,
            html,
            misses: Vec::new(),
            top_misses: args.top_misses,
            miss_count: 0,
            correct: 0,
            scored: 0,
            failure: None,
        })
    }

    /// Whether somebody watches.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// The rows already in the report; the file is cut after the last whole one.
    pub fn resume(&self) -> Option<Resume> {
        let Some(CsvFile::File { path, file, resumed }) = &self.csv_file else { return None };
        let (path, file, resumed) = (path.clone(), file.clone(), resumed.clone());
        let limit = self.limit.clone();
        Some(Resume(Arc::new(move |engines: &[String]| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let length = file.metadata().map_err(|e| e.to_string())?.len();
            if length == 0 {
                return Ok(Vec::new());
            }
            let (rows, whole) = csv::read(&*file, engines, &limit)
                .map_err(|e| format!("--report {}: {e}", path.display()))?;
            file.set_len(whole).map_err(|e| e.to_string())?;
            file.seek(SeekFrom::End(0)).map_err(|e| e.to_string())?;
            *resumed.lock().unwrap_or_else(PoisonError::into_inner) = true;
            Ok(rows)
        })))
    }

    /// Takes note of an event.
    pub fn listen(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { engines, total } => {
                self.engines = engines.iter().map(|e| e.name.clone()).collect();
                self.progress = Some(Progress::new("positions", *total, self.quiet));
                self.start_csv();
            }
            Event::Warning(text) => self.say(&format!("warning: {text}")),
            Event::Defect(defect) => self.say(&terminal::defect_line(defect)),
            Event::Position { result, earlier } => self.take(result, *earlier),
        }
    }

    fn start_csv(&mut self) {
        let (out, heads): (Out, bool) = match &self.csv_file {
            None => return,
            Some(CsvFile::Stdout) => (Box::new(io::stdout()), true),
            Some(CsvFile::File { file, resumed, .. }) => {
                let resumed = *resumed.lock().unwrap_or_else(PoisonError::into_inner);
                (Box::new(SharedFile(file.clone())), !resumed)
            }
        };
        match csv::Writer::new(out, &self.engines, &self.limit, heads) {
            Ok(writer) => self.csv = Some(writer),
            Err(error) => self.fail(error),
        }
    }

    fn take(&mut self, result: &PositionResult, earlier: bool) {
        self.scored += u64::from(result.correct.is_some());
        self.correct += u64::from(result.correct == Some(true));
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
        self.show(result);
    }

    fn show(&self, result: &PositionResult) {
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
            interrupt::request();
        }
        self.csv = None;
        self.json.clear();
    }

    /// Writes what can only be written in the end, and shows the summary.
    pub fn finish(mut self, result: &SuiteResult) -> anyhow::Result<()> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        for json in std::mem::take(&mut self.json) {
            json.finish(result).context("cannot write the JSON report")?;
        }
        if let Some((mut file, path)) = self.html.take() {
            file.write_all(html::page(result, &self.misses).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        match self.failure.take() {
            // Whoever reads our output has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Some(error) => return Err(error).context("cannot write the report"),
            None => {}
        }
        let shown = self.misses.len().min(self.top_misses);
        let misses = match self.quiet {
            true => String::new(),
            false => terminal::misses(&self.misses[..shown], self.miss_count, &self.engines),
        };
        if result.engines.iter().all(|e| e.totals.run == 0) && !result.interrupted {
            // The error that follows says why; there is nothing to sum up.
            return Ok(());
        }
        let text = format!("{misses}{}", terminal::summary(result));
        if self.stdout_taken {
            eprintln!("{}", text.trim_end());
        } else {
            println!("{}", text.trim_end());
        }
        Ok(())
    }
}

fn create(path: &std::path::Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

fn open_csv(path: &std::path::Path, resume: bool) -> anyhow::Result<CsvFile> {
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(!resume)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let file = Arc::new(Mutex::new(file));
    Ok(CsvFile::File { path: path.to_owned(), file, resumed: Arc::default() })
}

/// The report file, which resuming reads before rows are added.
struct SharedFile(Arc<Mutex<File>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
