//! Running commands tell how they stand in a folder of the project, so that `dyno serve`, another
//! process, can show them. Nothing listens on a port for it.
//!
//! A run has one file, replaced as a whole. Without a viewer it says little, and seldom; a viewer
//! touches the file `watched`.

use crate::games::Games;
use crate::live::{BoardView, Command, Live, Panel, RunHead};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// How often a run tells how it stands with a viewer and without.
const WATCHED: Duration = Duration::from_millis(500);
const UNWATCHED: Duration = Duration::from_secs(5);
/// How long after the last look a viewer counts as present.
const LOOK: Duration = Duration::from_secs(4);
/// A run that has been silent this long is gone.
const GONE: Duration = Duration::from_secs(20);
const MARKER: &str = "watched";

/// How a run stands.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Published {
    head: RunHead,
    version: u64,
    panels: Vec<Panel>,
    boards: Vec<BoardView>,
    is_over: bool,
    journal: Option<PathBuf>,
}

/// Tells how a run stands until it is dropped.
pub struct Publisher {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    /// Starts telling; nothing where the folder cannot be written, which costs nothing but the view.
    #[must_use]
    pub fn start(folder: PathBuf, live: Arc<dyn Live>) -> Option<Self> {
        fs::create_dir_all(&folder).ok()?;
        sweep(&folder);
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new().name("publish".into()).spawn(move || {
            RunFile { folder, live, written: None, version: 0 }.run(&stopped);
        });
        Some(Self { stop: Some(stop), thread: Some(thread.ok()?) })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The thread that writes a run's file.
struct RunFile {
    folder: PathBuf,
    live: Arc<dyn Live>,
    written: Option<Instant>,
    version: u64,
}

impl RunFile {
    fn run(&mut self, stopped: &mpsc::Receiver<()>) {
        while stopped.recv_timeout(WATCHED) == Err(RecvTimeoutError::Timeout) {
            let head = self.live.head();
            if head.id.is_empty() {
                continue;
            }
            self.obey(&head.id);
            let watched = is_watched(&self.folder);
            if watched || self.written.is_none_or(|at| at.elapsed() >= UNWATCHED) {
                self.write(head, watched);
            }
        }
        let head = self.live.head();
        if is_watched(&self.folder) && !head.id.is_empty() {
            self.write(head, true);
        } else {
            let _ = fs::remove_file(file(&self.folder, &head.id));
        }
    }

    fn obey(&self, id: &str) {
        let path = self.folder.join(format!("{id}.do"));
        if let Ok(text) = fs::read_to_string(&path) {
            let _ = fs::remove_file(&path);
            if let Ok(command) = serde_json::from_str(&text) {
                self.live.obey(command);
            }
        }
    }

    /// A disk that refuses costs only the view.
    fn write(&mut self, head: RunHead, whole: bool) {
        self.written = Some(Instant::now());
        self.version += 1;
        let path = file(&self.folder, &head.id);
        let published = Published {
            version: self.version,
            panels: if whole { self.live.panels() } else { Vec::new() },
            boards: if whole { self.live.boards() } else { Vec::new() },
            is_over: self.live.is_over(),
            journal: self.live.games().and_then(|games| games.journal()),
            head,
        };
        let fresh = path.with_extension("new");
        let text = serde_json::to_vec(&published).unwrap_or_default();
        let _ = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &path));
    }
}

/// Names come from addresses: only those that we give are files.
fn file(folder: &Path, id: &str) -> PathBuf {
    let safe: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    folder.join(format!("{safe}.json"))
}

fn age(path: &Path) -> Option<Duration> {
    let changed = fs::metadata(path).and_then(|meta| meta.modified()).ok()?;
    // A clock that was set back makes a file of the future, which is fresh.
    Some(SystemTime::now().duration_since(changed).unwrap_or_default())
}

fn is_watched(folder: &Path) -> bool {
    age(&folder.join(MARKER)).is_some_and(|age| age < LOOK)
}

fn look(folder: &Path) {
    let _ = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(MARKER), ""));
}

fn read(path: &Path) -> Option<Published> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Removes what commands that were killed have left.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if age(&path).is_some_and(|age| age > 3 * GONE) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The runs that go on, the latest first.
pub fn running(folder: &Path) -> Vec<RunHead> {
    look(folder);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut heads: Vec<RunHead> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| age(path).is_some_and(|age| age < GONE))
        .filter_map(|path| read(&path))
        .filter(|published| !published.is_over)
        .map(|published| published.head)
        .collect();
    heads.sort_by_key(|head| std::cmp::Reverse(head.started_ms));
    heads
}

/// A run of another process.
pub struct FolderRun {
    folder: PathBuf,
    path: PathBuf,
    latest: Mutex<Latest>,
    looked: Mutex<Option<Instant>>,
}

/// What a run said last.
struct Latest {
    changed: Option<SystemTime>,
    /// When that was seen, by a clock that stands still while the machine sleeps.
    seen: Instant,
    published: Published,
}

impl FolderRun {
    /// The run of that name; `None` where there is none.
    #[must_use]
    pub fn open(folder: &Path, id: &str) -> Option<Self> {
        let path = file(folder, id);
        let published = read(&path)?;
        (published.head.id == id).then(|| Self {
            folder: folder.to_owned(),
            path,
            latest: Mutex::new(Latest { changed: None, seen: Instant::now(), published }),
            looked: Mutex::default(),
        })
    }

    fn with<T>(&self, ask: impl FnOnce(&Published) -> T) -> T {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_none_or(|at| at.elapsed() > LOOK / 4) {
            *looked = Some(Instant::now());
            look(&self.folder);
        }
        drop(looked);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = fs::metadata(&self.path).and_then(|meta| meta.modified()).ok();
        if changed.is_some()
            && changed != latest.changed
            && let Some(published) = read(&self.path)
        {
            *latest = Latest { changed, seen: Instant::now(), published };
        }
        ask(&latest.published)
    }

    /// A run whose file is not there any more, or that has been silent while this machine was awake.
    fn is_gone(&self) -> bool {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        !self.path.exists() || latest.seen.elapsed() > GONE
    }
}

impl Live for FolderRun {
    fn head(&self) -> RunHead {
        self.with(|published| published.head.clone())
    }

    fn version(&self) -> u64 {
        // A file that says little must not wipe the page.
        self.with(|published| if published.panels.is_empty() { 0 } else { published.version })
    }

    fn panels(&self) -> Vec<Panel> {
        self.with(|published| published.panels.clone())
    }

    fn boards(&self) -> Vec<BoardView> {
        self.with(|published| published.boards.clone())
    }

    fn is_over(&self) -> bool {
        self.with(|published| published.is_over) || self.is_gone()
    }

    fn games(&self) -> Option<Arc<Games>> {
        let journal = self.with(|published| published.journal.clone())?;
        Games::open(&journal).map(Arc::new)
    }

    fn obey(&self, command: Command) -> Option<String> {
        let head = self.head();
        let path = self.path.with_extension("do");
        let text = serde_json::to_string(&command).ok()?;
        (head.can_obey && fs::write(path, text).is_ok()).then(|| "passed on".to_owned())
    }
}
