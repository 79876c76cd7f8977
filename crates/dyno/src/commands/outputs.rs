//! What runs over many positions have in common: where their results go, and what is seen of them
//! meanwhile.

use crate::interrupt;
use anyhow::Context;
use dyno_report::terminal::{Progress, eprintln, println};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a report goes.
pub type Out = Box<dyn Write>;

/// The reports that were asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub report: Option<&'a Path>,
    pub report_json: Option<&'a Path>,
    pub report_html: Option<&'a Path>,
    pub json: bool,
    pub resume: bool,
    pub quiet: bool,
}

/// The reports, opened before any engine is started: nobody wants to learn after an hour that one
/// cannot be written.
pub struct Opened {
    pub csv: Option<CsvFile>,
    pub json: Vec<Out>,
    pub html: Option<HtmlFile>,
    pub screen: Screen,
}

impl Opened {
    pub fn open(wanted: Wanted<'_>) -> anyhow::Result<Self> {
        let on_screen = io::stdout().is_terminal();
        let csv_to_stdout = match wanted.report {
            Some(path) => path.as_os_str() == "-",
            None => !on_screen && !wanted.json,
        };
        anyhow::ensure!(
            !(csv_to_stdout && wanted.json),
            "--json and --report - both want standard output"
        );
        anyhow::ensure!(!(wanted.resume && csv_to_stdout), "--resume needs --report FILE");
        let csv = match wanted.report {
            Some(path) if !csv_to_stdout => Some(CsvFile::open(path, wanted.resume)?),
            _ => csv_to_stdout.then_some(CsvFile::Stdout),
        };
        let mut json: Vec<Out> = Vec::new();
        if wanted.json {
            json.push(Box::new(BufWriter::new(io::stdout())));
        }
        if let Some(path) = wanted.report_json {
            json.push(Box::new(BufWriter::new(create(path)?)));
        }
        let html = match wanted.report_html {
            Some(path) => Some(HtmlFile { file: create(path)?, path: path.to_owned() }),
            None => None,
        };
        let stdout_taken = csv_to_stdout || wanted.json;
        let shows_table = on_screen && !stdout_taken && wanted.report.is_none() && !wanted.quiet;
        let screen = Screen {
            quiet: wanted.quiet,
            shows_table,
            stdout_taken,
            progress: None,
            engines: Vec::new(),
            correct: 0,
            scored: 0,
            failure: None,
        };
        Ok(Self { csv, json, html, screen })
    }
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

/// The page, which is written in the end.
pub struct HtmlFile {
    file: File,
    path: PathBuf,
}

impl HtmlFile {
    pub fn write(mut self, page: &str) -> anyhow::Result<()> {
        let path = self.path.display();
        self.file.write_all(page.as_bytes()).with_context(|| format!("cannot write {path}"))
    }
}

/// The CSV report before its writer is made, which needs the engines' names.
pub enum CsvFile {
    Stdout,
    File(CsvOnDisk),
}

impl CsvFile {
    fn open(path: &Path, resume: bool) -> anyhow::Result<Self> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(!resume)
            .open(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self::File(CsvOnDisk { path: path.to_owned(), file, resumed: Arc::default() }))
    }

    /// Where to write rows, and whether the column heads are still missing.
    pub fn writer(self) -> (Out, bool) {
        match self {
            Self::Stdout => (Box::new(io::stdout()), true),
            Self::File(csv) => (Box::new(csv.file), !csv.resumed.load(Ordering::SeqCst)),
        }
    }
}

/// A CSV report that may hold rows of an earlier run.
pub struct CsvOnDisk {
    path: PathBuf,
    file: File,
    resumed: Arc<AtomicBool>,
}

impl CsvOnDisk {
    /// The same open file, to read it while the other waits to be written to.
    pub fn again(&self) -> io::Result<Self> {
        let (path, resumed) = (self.path.clone(), self.resumed.clone());
        Ok(Self { path, file: self.file.try_clone()?, resumed })
    }

    /// Reads the rows that are there, if any, and cuts the file after the last whole one.
    pub fn resume<R, E: std::error::Error + Send + Sync + 'static>(
        &self,
        read: impl FnOnce(&File) -> Result<(R, u64), E>,
    ) -> anyhow::Result<Option<R>> {
        if self.file.metadata()?.len() == 0 {
            return Ok(None);
        }
        let whose = || format!("cannot resume from --report {}", self.path.display());
        let (rows, whole) = read(&self.file).with_context(whose)?;
        self.file.set_len(whole)?;
        (&self.file).seek(SeekFrom::End(0))?;
        self.resumed.store(true, Ordering::SeqCst);
        Ok(Some(rows))
    }
}

/// What a run shows while it goes on, and how it came out.
pub struct Screen {
    quiet: bool,
    shows_table: bool,
    stdout_taken: bool,
    progress: Option<Progress>,
    engines: Vec<String>,
    correct: u64,
    scored: u64,
    /// A report that could not be written; the run ends and says so.
    failure: Option<io::Error>,
}

impl Screen {
    /// Whether somebody watches.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    pub fn engines(&self) -> &[String] {
        &self.engines
    }

    pub fn begin(&mut self, engines: Vec<String>, total: Option<u64>) {
        self.engines = engines;
        self.progress = Some(Progress::new("positions", total, self.quiet));
    }

    /// One position more: right, wrong or not to be judged.
    pub fn count(&mut self, correct: Option<bool>) {
        self.scored += u64::from(correct.is_some());
        self.correct += u64::from(correct == Some(true));
    }

    /// Shows a position that is done: its line in the table, or else what went wrong with it.
    pub fn show(
        &self,
        engine: usize,
        running: impl FnOnce(u64, u64) -> String,
        line: impl FnOnce(Option<&str>) -> String,
        trouble: Option<String>,
    ) {
        let Some(progress) = &self.progress else { return };
        progress.advance();
        progress.note(running(self.correct, self.scored));
        if self.shows_table {
            let engine = self.engines.get(engine).filter(|_| self.engines.len() > 1);
            progress.print(line(engine.map(String::as_str)));
        } else if let Some(trouble) = trouble {
            progress.line(trouble);
        }
    }

    pub fn say(&self, text: &str) {
        match &self.progress {
            Some(progress) => progress.line(text),
            None => eprintln!("{text}"),
        }
    }

    /// A report cannot be written: the run ends, and says so in the end.
    pub fn fail(&mut self, error: io::Error) {
        if self.failure.is_none() {
            self.failure = Some(error);
            interrupt::request();
        }
    }

    pub fn end_progress(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
    }

    /// Whether there is somebody left to read the summary; an error where a report was lost.
    pub fn is_read(&mut self) -> anyhow::Result<bool> {
        match self.failure.take() {
            // Whoever reads our output has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Some(error) => Err(error).context("cannot write the report"),
            None => Ok(true),
        }
    }

    /// The summary, where it does not stand among the results.
    pub fn sum_up(&self, text: &str) {
        if self.stdout_taken {
            eprintln!("{}", text.trim_end());
        } else {
            println!("{}", text.trim_end());
        }
    }
}
