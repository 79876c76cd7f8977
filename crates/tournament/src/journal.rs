//! The journal: every finished game, one JSON line each, in an append-only file.
//!
//! It is the truth about a match. PGN, standings and the games still owed all follow from it, so
//! nothing can disagree after a crash: a line is either there with its newline, or the game is
//! played again.

use super::plan::{Machine, Output, Plan};
use super::record::GameRecord;
use dyno_driver::EngineIdentity;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The version of the format; readers refuse others.
pub const SCHEMA: u32 = 1;

/// What later versions do otherwise in the middle of a match would not fit its first half.
pub const GENERATION: u32 = 1;

/// Data reach the disk itself at least this often; the operating system has them at once.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A plan with hundreds of engines and options fits many times over.
const LONGEST_HEADER: u64 = 64 << 20;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: not a journal of a match: {reason}", .path.display())]
    NotAJournal { path: PathBuf, reason: String },
    #[error("{}: written by another version of Dyno (schema {found}, this one reads {SCHEMA})", .path.display())]
    Schema { path: PathBuf, found: u32 },
    #[error("{}: in use by another match", .path.display())]
    Locked { path: PathBuf },
    #[error("{}: its first line was changed after it was written, and would not say what was played; start a new match instead", .path.display())]
    Edited { path: PathBuf },
}

/// The first line: what the match is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    #[serde(rename = "dyno-match")]
    pub schema: u32,
    pub version: String,
    /// Milliseconds since 1970.
    pub created: u64,
    /// The name of the match. Journals of version 0.1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub plan: Plan,
    pub engines: Vec<EngineIdentity>,
    /// A checksum of the book of openings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<String>,
    /// Where this match's games begin in the PGN file, and in the file of last positions.
    pub pgn_start: u64,
    pub epd_start: u64,
    /// The form of schedule and files: 0 up to version 0.2, then counted up with each change of it.
    #[serde(default)]
    pub generation: u32,
    /// Compress the journal and put it with the other finished ones in the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archive: bool,
    /// Where the match was started, for the relative paths of its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<Home>,
}

/// The folder a match was started in, and where its journal was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    pub folder: String,
    pub journal: String,
}

impl Home {
    /// The present folder, with a journal there; `None` where paths are no text.
    pub fn here(journal: &Path) -> Option<Self> {
        let folder = std::env::current_dir().ok()?.canonicalize().ok()?;
        // The file itself may not be there yet.
        let place = folder.join(journal).parent()?.canonicalize().ok()?.join(journal.file_name()?);
        let text = |path: PathBuf| path.to_str().map(str::to_owned);
        Some(Self { folder: text(folder)?, journal: text(place)? })
    }
}

impl Header {
    /// The name of the match, or one that follows from its beginning.
    pub fn run_id(&self) -> String {
        self.run.clone().unwrap_or_else(|| format!("{:011x}-{:016x}", self.created, self.plan.seed))
    }

    /// The folder that the plan's paths are relative to, when that is not the present one.
    /// A journal that was moved or copied has been taken to a new home.
    pub fn away_from(&self, journal: &Path) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        let here = Home::here(journal)?;
        (here.journal == home.journal && here.folder != home.folder)
            .then(|| PathBuf::from(&home.folder))
    }
}

/// What was changed when the match was resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// Where this match's games begin in the files of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<(u64, u64)>,
    /// Workers that get no more games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
}

impl Changes {
    /// What this plan and these beginnings change.
    pub fn to(header: &Header, plan: &Plan, starts: (u64, u64)) -> Self {
        let old = &header.plan;
        let rounds = plan.tournament.rounds;
        Self {
            rounds: (rounds != old.tournament.rounds).then_some(rounds),
            machine: (plan.machine != old.machine).then(|| plan.machine.clone()),
            output: (plan.output != old.output).then(|| plan.output.clone()),
            starts: (starts != (header.pgn_start, header.epd_start)).then_some(starts),
            exclude: (excluded(plan) != excluded(old)).then(|| excluded(plan).to_vec()),
        }
    }

    fn apply(self, header: &mut Header) {
        let plan = &mut header.plan;
        plan.tournament.rounds = self.rounds.unwrap_or(plan.tournament.rounds);
        if let Some(machine) = self.machine {
            plan.machine = machine;
        }
        if let Some(output) = self.output {
            plan.output = output;
        }
        if let Some(starts) = self.starts {
            (header.pgn_start, header.epd_start) = starts;
        }
        if let (Some(exclude), Some(cluster)) = (self.exclude, &mut header.plan.cluster) {
            cluster.exclude = exclude;
        }
    }
}

fn excluded(plan: &Plan) -> &[String] {
    plan.cluster.as_ref().map_or(&[], |cluster| &cluster.exclude)
}

/// A line after the first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    Game(Box<GameRecord>),
    Changed(Box<Changes>),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum EntryRef<'a> {
    Game(&'a GameRecord),
    Changed(&'a Changes),
}

/// A journal open for writing. The lock on the file keeps a second match away from it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
    synced: Instant,
    dirty: bool,
}

impl Journal {
    /// Creates the file and writes the first line.
    pub fn create(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let fault = io_fault(path);
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(fault)?;
        let mut journal = Self::over(path, file)?;
        journal.write_with(header, seal)?;
        journal.sync()?;
        Ok(journal)
    }

    fn over(path: &Path, file: File) -> Result<Self, JournalError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
            // Where files cannot be locked, a match goes on without.
            _ => Ok(Self {
                path: path.to_owned(),
                file,
                line: Vec::with_capacity(16 * 1024),
                synced: Instant::now(),
                dirty: false,
            }),
        }
    }

    /// Opens an existing journal to go on with it; from here on it is ours alone.
    pub fn reopen(path: &Path) -> Result<(Self, Header), JournalError> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io_fault(path))?;
        let journal = Self::over(path, file)?;
        let mut line = Vec::new();
        let mut reader = BufReader::new(&journal.file);
        reader.read_until(b'\n', &mut line).map_err(io_fault(path))?;
        let mut header = read_header(path, &line)?;
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(io_fault(path))? == 0 {
                break;
            }
            if line.starts_with(b"{\"changed\"")
                && let Ok(Entry::Changed(changes)) = serde_json::from_slice(&line)
            {
                changes.apply(&mut header);
            }
        }
        drop(reader);
        Ok((journal, header))
    }

    /// Hands every game to `game`, cuts off a last line torn by a crash, and gets ready to add
    /// more. Lines that cannot be read are returned with the reason: their games are owed again.
    pub fn replay(
        &mut self,
        mut game: impl FnMut(Box<GameRecord>),
    ) -> Result<Vec<(u64, String)>, JournalError> {
        let fault = io_fault(&self.path);
        let mut damaged = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(&fault)?;
        let input = BufReader::with_capacity(64 * 1024, &self.file);
        let (_, whole) = read(&self.path, input, &mut game, &mut damaged)?;
        self.file.set_len(whole).map_err(&fault)?;
        self.file.seek(SeekFrom::End(0)).map_err(&fault)?;
        Ok(damaged)
    }

    /// Reads a journal, compressed or not, without going on with it.
    pub fn read(
        path: &Path,
        game: impl FnMut(Box<GameRecord>),
    ) -> Result<(Header, Vec<(u64, String)>), JournalError> {
        let opened = dyno_formats::open(path).map_err(|e| io_fault(path)(io::Error::other(e)))?;
        Self::read_from(path, opened.reader, game)
    }

    /// The first line of a journal, compressed or not.
    pub fn header_of(path: &Path) -> Result<Header, JournalError> {
        let fault = io_fault(path);
        let opened = dyno_formats::open(path).map_err(|e| fault(io::Error::other(e)))?;
        let mut line = Vec::new();
        let mut reader = opened.reader.take(LONGEST_HEADER);
        reader.read_until(b'\n', &mut line).map_err(fault)?;
        read_header(path, &line)
    }

    /// Reads a journal that is already open; `path` is for the messages.
    pub fn read_from(
        path: &Path,
        input: impl BufRead,
        mut game: impl FnMut(Box<GameRecord>),
    ) -> Result<(Header, Vec<(u64, String)>), JournalError> {
        let mut damaged = Vec::new();
        let (header, _) = read(path, input, &mut game, &mut damaged)?;
        Ok((header, damaged))
    }

    /// Sets games aside, to be played again: the journal goes on without them, and the one with them
    /// stays beside it. Says where, and how many games were set aside.
    pub fn set_aside(
        path: &Path,
        unwanted: impl Fn(&GameRecord) -> bool,
    ) -> Result<(PathBuf, u64), JournalError> {
        let fault = io_fault(path);
        // The lock keeps other writers out meanwhile.
        let (journal, _) = Self::reopen(path)?;
        let fresh = path.with_extension("journal.new");
        let mut rest = BufWriter::new(File::create(&fresh).map_err(&fault)?);
        let mut count = 0;
        (&journal.file).seek(SeekFrom::Start(0)).map_err(&fault)?;
        for line in BufReader::new(&journal.file).split(b'\n') {
            let line = line.map_err(&fault)?;
            match serde_json::from_slice(&line) {
                Ok(Entry::Game(record)) if unwanted(&record) => count += 1,
                _ => rest.write_all(&line).and_then(|()| rest.write_all(b"\n")).map_err(&fault)?,
            }
        }
        rest.into_inner().map_err(|e| fault(e.into_error()))?.sync_all().map_err(&fault)?;
        let aside = |n: u32| path.with_extension(format!("before-replay-{n}.journal"));
        let aside = (1..).map(aside).find(|p| !p.exists()).unwrap_or_default();
        // The old one gets a second name, or a copy where files cannot have two: there is a journal at
        // every moment.
        if std::fs::hard_link(path, &aside).is_err() {
            std::fs::copy(path, &aside).map_err(&fault)?;
        }
        std::fs::rename(&fresh, path).map_err(&fault)?;
        Ok((aside, count))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a game. When this returns, the end of this process cannot lose it any more.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        self.write(&EntryRef::Game(record))?;
        if self.synced.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// Notes what a resume has changed.
    pub fn change(&mut self, changes: &Changes) -> Result<(), JournalError> {
        if *changes == Changes::default() {
            return Ok(());
        }
        self.write(&EntryRef::Changed(changes))?;
        self.sync()
    }

    /// Makes sure that a power cut cannot lose what was added. Called while nothing else is to do.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        if std::mem::take(&mut self.dirty) {
            self.file.sync_data().map_err(io_fault(&self.path))?;
        }
        self.synced = Instant::now();
        Ok(())
    }

    /// Syncs if it is due.
    pub fn tick(&mut self) -> Result<(), JournalError> {
        if self.dirty && self.synced.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// One line, one write: a crash leaves it whole, torn at the very end, or not there.
    fn write(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        self.write_with(value, |_| {})
    }

    fn write_with(
        &mut self,
        value: &impl Serialize,
        finish: impl Fn(&mut Vec<u8>),
    ) -> Result<(), JournalError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value).map_err(|e| JournalError::Io {
            path: self.path.clone(),
            source: io::Error::other(e),
        })?;
        finish(&mut self.line);
        self.line.push(b'\n');
        self.dirty = true;
        self.file.write_all(&self.line).map_err(io_fault(&self.path))
    }
}

fn io_fault(path: &Path) -> impl Fn(io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io { path: path.clone(), source }
}

/// Reads all lines; says where the last whole one ends.
fn read(
    path: &Path,
    mut reader: impl BufRead,
    game: &mut dyn FnMut(Box<GameRecord>),
    damaged: &mut Vec<(u64, String)>,
) -> Result<(Header, u64), JournalError> {
    let fault = io_fault(path);
    let not_a_journal =
        |reason: String| JournalError::NotAJournal { path: path.to_owned(), reason };
    let mut line = Vec::new();
    let mut header: Option<Header> = None;
    let (mut number, mut end, mut whole) = (0, 0, 0);
    loop {
        line.clear();
        let count = reader.read_until(b'\n', &mut line).map_err(&fault)? as u64;
        if count == 0 || line.last() != Some(&b'\n') {
            break;
        }
        (number, end) = (number + 1, end + count);
        match &header {
            None => header = Some(read_header(path, &line)?),
            Some(_) => match serde_json::from_slice::<Entry>(&line) {
                Ok(Entry::Game(record)) => game(record),
                Ok(Entry::Changed(changes)) => {
                    if let Some(header) = &mut header {
                        changes.apply(header);
                    }
                }
                Err(error) => damaged.push((number, error.to_string())),
            },
        }
        whole = end;
    }
    let header = header.ok_or_else(|| not_a_journal("it has no whole first line".into()))?;
    Ok((header, whole))
}

const SEAL: &[u8] = b",\"check\":\"";

/// Puts a checksum of the line at its end, into the object that it is.
fn seal(line: &mut Vec<u8>) {
    if line.pop() == Some(b'}') {
        let sum = fnv1a(line);
        line.extend_from_slice(SEAL);
        line.extend_from_slice(format!("{sum:016x}\"}}").as_bytes());
    }
}

/// Whether a first line is as it was written. Those of version 0.1 have no checksum.
fn is_sealed(line: &[u8]) -> bool {
    match line.windows(SEAL.len()).rposition(|window| window == SEAL) {
        None => true,
        Some(at) => {
            let sum = format!("{:016x}\"}}", fnv1a(&line[..at]));
            line[at + SEAL.len()..].trim_ascii_end() == sum.as_bytes()
        }
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn read_header(path: &Path, line: &[u8]) -> Result<Header, JournalError> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "dyno-match")]
        schema: u32,
    }
    let not_a_journal = |e: serde_json::Error| JournalError::NotAJournal {
        path: path.to_owned(),
        reason: e.to_string(),
    };
    let Version { schema } = serde_json::from_slice(line).map_err(not_a_journal)?;
    if schema != SCHEMA {
        return Err(JournalError::Schema { path: path.to_owned(), found: schema });
    }
    if !is_sealed(line) {
        return Err(JournalError::Edited { path: path.to_owned() });
    }
    let mut header: Header = serde_json::from_slice(line).map_err(not_a_journal)?;
    header.plan.begun_earlier = header.generation == 0;
    Ok(header)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::assignment::OptionOverrides;
    use crate::record::{MoveRecord, Start};
    use crate::result::{End, GameResult};
    use crate::slot::Slot;
    use dyno_chess::Color;
    use dyno_driver::Score;

    fn header() -> Header {
        Header {
            schema: SCHEMA,
            version: "0".into(),
            created: 1,
            run: Some("r".into()),
            plan: Plan::default(),
            engines: vec![EngineIdentity::default()],
            book: None,
            pgn_start: 7,
            epd_start: 0,
            generation: GENERATION,
            archive: false,
            home: None,
        }
    }

    fn record(number: u64) -> GameRecord {
        let slot = Slot {
            number,
            white: 0,
            black: 1,
            round: 1,
            encounter: 0,
            index: number as u32,
            opening: number / 2,
            partner: Some(number ^ 1),
        };
        let mv = MoveRecord {
            uci: "e2e4".into(),
            score: Some(Score::Cp(12)),
            nanos: 1_234_567,
            left: Some(5),
            ..MoveRecord::default()
        };
        GameRecord {
            slot,
            result: GameResult::loss(Color::White, End::IllegalMove { text: "e2e5".into() }),
            started: 2,
            lasted: 3,
            start: Start { opening: 4, fen: None, moves: vec!["d2d4".into()] },
            options: OptionOverrides {
                white: vec![("Margin".into(), "5".into())],
                ..OptionOverrides::default()
            },
            moves: vec![mv],
            faults: Vec::new(),
            worker: None,
        }
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("dyno-journal-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn what_was_written_is_read_back_at_any_cut() {
        let path = scratch("cut");
        let mut journal = Journal::create(&path, &header()).unwrap();
        for number in 0..3 {
            journal.append(&record(number)).unwrap();
        }
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        let ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
        for cut in ends[0]..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut games = Vec::new();
            let (mut journal, found) = Journal::reopen(&path).unwrap();
            let damaged = journal.replay(|g| games.push(*g)).unwrap();
            let whole = ends.iter().filter(|e| **e <= cut).count() - 1;
            assert_eq!(games, (0..whole as u64).map(record).collect::<Vec<_>>());
            assert_eq!(found, header());
            assert!(damaged.is_empty());
            journal.append(&record(9)).unwrap();
            drop(journal);
            let mut last = None;
            let (_, damaged) = Journal::read(&path, |g| last = Some(*g)).unwrap();
            assert_eq!((last, damaged.len()), (Some(record(9)), 0));
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn games_set_aside_are_kept_elsewhere() {
        let path = scratch("aside.journal");
        let mut journal = Journal::create(&path, &header()).unwrap();
        for number in 0..4 {
            journal.append(&record(number)).unwrap();
        }
        let busy = Journal::set_aside(&path, |_| true);
        assert!(matches!(busy, Err(JournalError::Locked { .. })));
        drop(journal);
        let (aside, count) = Journal::set_aside(&path, |game| game.slot.number % 2 == 1).unwrap();
        let numbers = |path: &Path| {
            let mut numbers = Vec::new();
            let (found, damaged) =
                Journal::read(path, |game| numbers.push(game.slot.number)).unwrap();
            assert_eq!((found, damaged.len()), (header(), 0));
            numbers
        };
        assert_eq!((count, numbers(&path), numbers(&aside)), (2, vec![0, 2], vec![0, 1, 2, 3]));
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(&aside).unwrap();
    }

    #[test]
    fn home_is_where_the_match_began() {
        let path = scratch("home");
        let here = Home::here(&path).unwrap();
        let header = |folder: &str, journal: &str| Header {
            home: Some(Home { folder: folder.to_owned(), journal: journal.to_owned() }),
            ..header()
        };
        assert_eq!(header(&here.folder, &here.journal).away_from(&path), None);
        let elsewhere = header("/elsewhere", &here.journal).away_from(&path);
        assert_eq!(elsewhere, Some("/elsewhere".into()));
        assert_eq!(header("/elsewhere", "/moved.journal").away_from(&path), None);
    }

    #[test]
    fn bad_files_are_refused_and_bad_lines_reported() {
        let path = scratch("bad");
        let resume = || Journal::reopen(&path);
        std::fs::write(&path, "").unwrap();
        assert!(matches!(resume(), Err(JournalError::NotAJournal { .. })));
        std::fs::write(&path, "[Event \"x\"]\n").unwrap();
        assert!(matches!(resume(), Err(JournalError::NotAJournal { .. })));
        std::fs::write(&path, "{\"dyno-match\":99}\n").unwrap();
        assert!(matches!(resume(), Err(JournalError::Schema { found: 99, .. })));
        std::fs::remove_file(&path).unwrap();
        let mut journal = Journal::create(&path, &header()).unwrap();
        let line = std::fs::read_to_string(&path).unwrap();
        assert!(
            is_sealed(line.as_bytes())
                && !is_sealed(line.replace("\"seed\":0", "\"seed\":1").as_bytes())
        );
        let changes = Changes { rounds: Some(9), starts: Some((3, 4)), ..Changes::default() };
        journal.change(&changes).unwrap();
        journal.file.write_all(b"garbage\n").unwrap();
        journal.append(&record(1)).unwrap();
        assert!(matches!(resume(), Err(JournalError::Locked { .. })));
        drop(journal);
        let mut count = 0;
        let (header, damaged) = Journal::read(&path, |_| count += 1).unwrap();
        assert_eq!((count, damaged.len(), damaged[0].0), (1, 1, 3));
        assert_eq!(header.plan.tournament.rounds, 9);
        assert_eq!((header.pgn_start, header.epd_start), (3, 4));
        assert_eq!(Journal::reopen(&path).unwrap().1.plan.tournament.rounds, 9);
        std::fs::remove_file(&path).unwrap();
    }
}
