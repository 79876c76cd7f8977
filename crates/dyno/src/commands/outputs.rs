//! Where the results of runs over many positions go, and what is seen of them meanwhile.

use super::live_rows::RowsLive;
use super::position_args::TestArgs;
use crate::{history, interrupt};
use anyhow::Context;
use dyno_report::positions::csv::{self, Rows};
use dyno_report::positions::{PositionRow, json};
use dyno_report::terminal::{Progress, eprintln, println};
use dyno_trials::position_test::TestEvent;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a report goes.
type Out = Box<dyn Write>;

/// Where the results of a position test go: files, standard output, the screen.
pub struct Outputs<R: PositionRow> {
    screen: Screen,
    limit: String,
    csv_file: Option<CsvFile>,
    csv: Option<csv::Writer<R, Out>>,
    json: Vec<json::Writer<Out>>,
    html: Option<HtmlFile>,
    /// What the history keeps.
    kept: Option<Kept>,
    /// What the page shows.
    on_page: Vec<R>,
    /// The first misses, for the screen.
    misses: Vec<R>,
    most_misses: usize,
    miss_count: u64,
    seen: u64,
    live: RowsLive,
}

impl<R: PositionRow> Outputs<R> {
    /// Opens the reports before any engine is started: an hour's work must not end in a file that
    /// cannot be written. `limit` is what the rows of the CSV report were made with.
    pub fn open(args: &TestArgs, limit: String) -> anyhow::Result<Self> {
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
            Some(path) if !csv_to_stdout => Some(CsvFile::open(path, args.resume)?),
            _ => csv_to_stdout.then_some(CsvFile::Stdout),
        };
        let mut json: Vec<Out> = Vec::new();
        if args.json {
            json.push(Box::new(BufWriter::new(io::stdout())));
        }
        if let Some(path) = &args.report_json {
            json.push(Box::new(BufWriter::new(create(path)?)));
        }
        let json: io::Result<Vec<_>> = json.into_iter().map(json::Writer::new).collect();
        let html = match &args.report_html {
            Some(path) => Some(HtmlFile { file: create(path)?, path: path.clone() }),
            None => None,
        };
        let stdout_taken = csv_to_stdout || args.json;
        let shows_table = on_screen && !stdout_taken && args.report.is_none() && !args.quiet;
        Ok(Self {
            screen: Screen::new(args.quiet, shows_table, stdout_taken),
            limit,
            csv_file,
            csv: None,
            json: json.context("cannot write the JSON report")?,
            html,
            kept: Kept::open(),
            on_page: Vec::new(),
            misses: Vec::new(),
            most_misses: if args.quiet { 0 } else { args.top_misses },
            miss_count: 0,
            seen: 0,
            live: RowsLive::new(R::COMMAND, R::COLUMNS),
        })
    }

    /// Whether a progress bar is shown, for which the positions are to be counted first.
    pub fn shows_progress(&self) -> bool {
        self.screen.shows_progress()
    }

    /// The rows already in the report that is resumed.
    pub fn earlier(&self) -> anyhow::Result<Rows<R>> {
        let Some(CsvFile::File(file)) = &self.csv_file else { return Ok(Rows::new()) };
        Ok(file.resume(|file| csv::read(file, &self.limit))?.unwrap_or_default())
    }

    /// Takes note of an event; `defect_line` is what is said at once of a line that is not a position.
    pub fn listen<D>(
        &mut self,
        event: &TestEvent<'_, R, D>,
        defect_line: impl Fn(&D) -> Option<String>,
    ) {
        match event {
            TestEvent::Started { engines, total } => {
                self.screen.begin(engines.iter().map(|e| e.name.clone()).collect(), *total);
                self.live.begin(self.screen.engines(), *total);
                self.start_csv();
            }
            TestEvent::Warning(text) => {
                self.live.remark(text);
                self.screen.say(&format!("warning: {text}"));
            }
            TestEvent::Defect(defect) => {
                if let Some(line) = defect_line(defect) {
                    self.live.remark(&line);
                    self.screen.say(&line);
                }
            }
            TestEvent::Position { result, earlier } => self.take(result, *earlier),
        }
    }

    fn start_csv(&mut self) {
        let Some((out, heads)) = self.csv_file.take().map(CsvFile::writer) else { return };
        match csv::Writer::new(out, self.screen.engines(), &self.limit, heads) {
            Ok(writer) => self.csv = Some(writer),
            Err(error) => self.fail(error),
        }
    }

    fn take(&mut self, result: &R, earlier: bool) {
        self.seen += 1;
        self.screen.count(result.correct());
        self.live.row(result.correct(), || {
            let engine = self.screen.engines().get(result.engine());
            result.cells(engine.map_or("", String::as_str), &self.limit)
        });
        if result.is_miss() {
            self.miss_count += 1;
            if self.misses.len() < self.most_misses {
                self.misses.push(result.clone());
            }
        }
        if self.html.is_some() && result.is_on_page() {
            self.on_page.push(result.clone());
        }
        if let Some(kept) = &mut self.kept {
            kept.write(result);
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
        let (_, line_no, _) = result.key();
        let trouble = (!result.trouble().is_empty())
            .then(|| format!("{} (line {line_no}): {}", result.id(), result.trouble()));
        self.screen.show(result.engine(), R::running, |engine| result.line(engine), trouble);
    }

    /// A report that cannot be written ends the run; what is done stays in the other reports.
    fn fail(&mut self, error: io::Error) {
        self.screen.fail(error);
        self.csv = None;
        self.json.clear();
    }

    /// Writes what can only be written at the end, and shows the summary.
    pub fn finish(mut self, run: &R::Run, interrupted: bool) -> anyhow::Result<()> {
        self.screen.end_progress();
        for json in std::mem::take(&mut self.json) {
            json.finish(run).context("cannot write the JSON report")?;
        }
        if let Some(kept) = self.kept.take() {
            kept.finish(run);
        }
        if let Some(page) = self.html.take() {
            page.write(&R::page(run, &self.on_page))?;
        }
        // Where nothing was run, the error that follows says why; there is nothing to sum up.
        let nothing = self.seen == 0 && !interrupted;
        if !self.screen.is_read()? || nothing {
            return Ok(());
        }
        let misses = R::miss_list(&self.misses, self.miss_count, self.screen.engines());
        self.screen.sum_up(&format!("{misses}{}", R::summary(run)));
        Ok(())
    }
}

/// The run as the history keeps it: the same JSON as the report, in memory.
struct Kept {
    json: json::Writer<Buffer>,
    buffer: Buffer,
    rows: usize,
}

/// This many answers are kept: memory must not grow with the file.
const MOST_KEPT: usize = 20_000;

/// A text that its writer and its reader share.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn open() -> Option<Self> {
        let buffer = Buffer::default();
        let json = json::Writer::new(buffer.clone()).ok()?;
        history::is_on().then_some(Self { json, buffer, rows: 0 })
    }

    fn write(&mut self, result: &impl serde::Serialize) {
        self.rows += 1;
        if self.rows <= MOST_KEPT {
            let _ = self.json.write(result);
        }
    }

    fn finish(self, run: &impl serde::Serialize) {
        if self.rows > 0 && self.json.finish(run).is_ok() {
            history::keep_text(String::from_utf8_lossy(&self.buffer.0.borrow()).into_owned());
        }
    }
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

/// The page, which is written at the end.
struct HtmlFile {
    file: File,
    path: PathBuf,
}

impl HtmlFile {
    fn write(mut self, page: &str) -> anyhow::Result<()> {
        let path = self.path.display();
        self.file.write_all(page.as_bytes()).with_context(|| format!("cannot write {path}"))
    }
}

/// The CSV report before its writer is made, which needs the engines' names.
enum CsvFile {
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
    fn writer(self) -> (Out, bool) {
        match self {
            Self::Stdout => (Box::new(io::stdout()), true),
            Self::File(csv) => (Box::new(csv.file), !csv.resumed.load(Ordering::SeqCst)),
        }
    }
}

/// A CSV report that may hold rows of an earlier run.
struct CsvOnDisk {
    path: PathBuf,
    file: File,
    resumed: Arc<AtomicBool>,
}

impl CsvOnDisk {
    /// Reads the rows that are there, if any, and cuts the file after the last whole one.
    fn resume<R, E: std::error::Error + Send + Sync + 'static>(
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
struct Screen {
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
    fn new(quiet: bool, shows_table: bool, stdout_taken: bool) -> Self {
        Self {
            quiet,
            shows_table,
            stdout_taken,
            progress: None,
            engines: Vec::new(),
            correct: 0,
            scored: 0,
            failure: None,
        }
    }

    /// Whether a progress bar is shown.
    fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    fn engines(&self) -> &[String] {
        &self.engines
    }

    fn begin(&mut self, engines: Vec<String>, total: Option<u64>) {
        self.engines = engines;
        self.progress = Some(Progress::new("positions", total, self.quiet));
    }

    /// One position more: right, wrong or not to be judged.
    fn count(&mut self, correct: Option<bool>) {
        self.scored += u64::from(correct.is_some());
        self.correct += u64::from(correct == Some(true));
    }

    /// Shows a position that is done: its line in the table, or else what went wrong with it.
    fn show(
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

    fn say(&self, text: &str) {
        match &self.progress {
            Some(progress) => progress.line(text),
            None => eprintln!("{text}"),
        }
    }

    /// A report cannot be written: the run ends, and says so at its end.
    fn fail(&mut self, error: io::Error) {
        if self.failure.is_none() {
            self.failure = Some(error);
            interrupt::request();
        }
    }

    fn end_progress(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
    }

    /// Whether the summary still has a reader; an error where a report was lost.
    fn is_read(&mut self) -> anyhow::Result<bool> {
        match self.failure.take() {
            // The reader of our output has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Some(error) => Err(error).context("cannot write the report"),
            None => Ok(true),
        }
    }

    /// The summary, where it does not stand among the results.
    fn sum_up(&self, text: &str) {
        if self.stdout_taken {
            eprintln!("{}", text.trim_end());
        } else {
            println!("{}", text.trim_end());
        }
    }
}
