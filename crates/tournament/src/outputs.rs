//! The files that derive from the journal: PGN and last positions.

use super::error::OutputError;
use super::event::{Envelope, MatchEvent};
use super::journal::Header;
use super::listener::Listener;
use super::pgn;
use super::plan::{Output, Plan, Variant};
use super::record::GameRecord;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The result files of a match.
#[derive(Debug)]
pub struct Outputs {
    plan: Plan,
    pgn: Option<Target>,
    epd: Option<Target>,
}

/// A file, and where this match's part of it begins.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    file: File,
    start: u64,
    /// While a journal is replayed: how far the file holds what this match wrote.
    checked: Option<u64>,
    /// The file that holds more than this match wrote.
    moved_from: Option<PathBuf>,
}

impl Outputs {
    /// Opens the files at their ends, as other tools add to them too.
    pub fn open(plan: &Plan) -> Result<Self, OutputError> {
        let pgn = plan.output.pgn.as_ref();
        Ok(Self {
            plan: plan.clone(),
            pgn: pgn.map(|p| Target::open(&p.file, p.overwrite)).transpose()?,
            epd: {
                let overwrite = plan.output.epd_overwrite;
                plan.output.epd.as_ref().map(|p| Target::open(p, overwrite)).transpose()?
            },
        })
    }

    /// Opens the files of a match that is resumed, to be checked against its journal. Files that it
    /// did not write so far are opened as those of a new match, and get all its games.
    pub fn reopen(plan: &Plan, journal: &Header) -> Result<Self, OutputError> {
        let (output, old) = (&plan.output, &journal.plan.output);
        let open = |file: &Path, old: Option<&PathBuf>, start, overwrite| match old {
            Some(old) if old == file => Target::reopen(file, start),
            _ => Target::open(file, overwrite),
        };
        let old_pgn = old.pgn.as_ref().map(|pgn| &pgn.file);
        let pgn = output.pgn.as_ref();
        let pgn =
            pgn.map(|p| open(&p.file, old_pgn, journal.pgn_start, p.overwrite)).transpose()?;
        let epd = output.epd.as_ref();
        let epd = epd
            .map(|p| open(p, old.epd.as_ref(), journal.epd_start, output.epd_overwrite))
            .transpose()?;
        Ok(Self { plan: plan.clone(), pgn, epd })
    }

    /// Writes down which files these are.
    pub fn name_files(&self, output: &mut Output) {
        if let (Some(target), Some(pgn)) = (&self.pgn, &mut output.pgn) {
            pgn.file.clone_from(&target.path);
        }
        if let (Some(target), Some(epd)) = (&self.epd, &mut output.epd) {
            epd.clone_from(&target.path);
        }
    }

    /// Where this match's games begin in the PGN and in the last positions.
    pub fn starts(&self) -> (u64, u64) {
        let start = |t: &Option<Target>| t.as_ref().map_or(0, |t| t.start);
        (start(&self.pgn), start(&self.epd))
    }

    /// A game of the journal: the files hold it, or get it now.
    pub fn replay(&mut self, record: &GameRecord) -> Result<(), OutputError> {
        self.each(record, Target::replay)
    }

    /// All games of the journal have been replayed. Says which files hold other than what this match
    /// wrote, and where it is written instead: nothing of others is touched.
    pub fn end_replay(&mut self) -> Result<Vec<(PathBuf, PathBuf)>, OutputError> {
        let mut moved = Vec::new();
        for target in [&mut self.pgn, &mut self.epd].into_iter().flatten() {
            target.end_replay()?;
            moved.extend(target.moved_from.clone().map(|from| (from, target.path.clone())));
        }
        Ok(moved)
    }

    /// Adds a game.
    fn add(&mut self, record: &GameRecord) -> Result<(), OutputError> {
        self.each(record, Target::write)
    }

    fn each(
        &mut self,
        record: &GameRecord,
        write: impl Fn(&mut Target, &str) -> Result<(), OutputError>,
    ) -> Result<(), OutputError> {
        let plan = &self.plan;
        if let (Some(target), Some(output)) = (&mut self.pgn, &plan.output.pgn) {
            match pgn::text(record, plan, output) {
                Ok(text) => write(target, &text)?,
                Err(error) => return Err(target.fault(io::Error::other(error))),
            }
        }
        if let Some(target) = &mut self.epd
            && let Ok(game) = record.replay(plan.variant == Variant::FischeRandom)
        {
            write(target, &format!("{}\n", game.position().fen()))?;
        }
        Ok(())
    }

    /// Makes sure that the files are on the disk.
    fn sync(&mut self) -> Result<(), OutputError> {
        for target in [&self.pgn, &self.epd].into_iter().flatten() {
            target.file.sync_data().map_err(|e| target.fault(e))?;
        }
        Ok(())
    }
}

impl Listener for Outputs {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        match &envelope.event {
            MatchEvent::GameFinished { game, .. } => self.add(game),
            _ => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), OutputError> {
        self.sync()
    }
}

impl Target {
    fn open(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let fault = |source| OutputError { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(overwrite)
            .open(path)
            .map_err(fault)?;
        let start = file.seek(SeekFrom::End(0)).map_err(fault)?;
        Ok(Self { path: path.to_owned(), file, start, checked: None, moved_from: None })
    }

    fn reopen(path: &Path, start: u64) -> Result<Self, OutputError> {
        let fault = |source| OutputError { path: path.to_owned(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fault)?;
        let length = file.metadata().map_err(fault)?.len();
        // A file that was emptied or removed is written anew.
        let start = if length < start { length } else { start };
        Ok(Self { path: path.to_owned(), file, start, checked: Some(start), moved_from: None })
    }

    /// Compares what the file holds with what this match wrote; the rest of a write that a crash
    /// cut short is completed.
    fn replay(&mut self, text: &str) -> Result<(), OutputError> {
        let Some(at) = self.checked else { return self.write(text) };
        let there = self.read_at(at, text.len())?;
        if there == text.as_bytes() {
            self.checked = Some(at + text.len() as u64);
            return Ok(());
        }
        if there.len() < text.len() && text.as_bytes().starts_with(&there) {
            self.file.set_len(at).map_err(|e| self.fault(e))?;
            self.begin_writing()?;
        } else {
            self.move_aside(at)?;
        }
        self.write(text)
    }

    fn end_replay(&mut self) -> Result<(), OutputError> {
        let Some(at) = self.checked else { return Ok(()) };
        let length = self.file.metadata().map_err(|e| self.fault(e))?.len();
        if length > at { self.move_aside(at) } else { self.begin_writing() }
    }

    fn begin_writing(&mut self) -> Result<(), OutputError> {
        self.checked = None;
        self.file.seek(SeekFrom::End(0)).map_err(|e| self.fault(e))?;
        Ok(())
    }

    /// Others have written here since. This match goes on in a file of its own, beside it.
    fn move_aside(&mut self, own_end: u64) -> Result<(), OutputError> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let ending = self.path.extension().map(|e| format!(".{}", e.to_string_lossy()));
        let ending = ending.unwrap_or_default();
        let mut count = 1;
        let (path, mut file) = loop {
            let number = if count == 1 { String::new() } else { format!("-{count}") };
            let path = self.path.with_file_name(format!("{stem}.resumed{number}{ending}"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => break (path, file),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => count += 1,
                Err(source) => return Err(OutputError { path, source }),
            }
        };
        let fault = |e| OutputError { path: path.clone(), source: e };
        self.file.seek(SeekFrom::Start(self.start)).map_err(|e| self.fault(e))?;
        let own = own_end.saturating_sub(self.start);
        io::copy(&mut (&mut self.file).take(own), &mut file).map_err(fault)?;
        self.moved_from = Some(std::mem::replace(&mut self.path, path));
        (self.file, self.start, self.checked) = (file, 0, None);
        Ok(())
    }

    fn read_at(&mut self, at: u64, length: usize) -> Result<Vec<u8>, OutputError> {
        let mut bytes = Vec::with_capacity(length);
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| (&mut self.file).take(length as u64).read_to_end(&mut bytes))
            .map_err(|e| self.fault(e))?;
        Ok(bytes)
    }

    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.file.write_all(text.as_bytes()).map_err(|e| self.fault(e))
    }

    fn fault(&self, source: io::Error) -> OutputError {
        OutputError { path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// What the file holds when a match that wrote `a` and `b` after `head` is resumed and writes
    /// `c`; and the file beside it, if there is one.
    fn resumed(name: &str, content: &str) -> (String, Option<String>) {
        let folder =
            std::env::temp_dir().join(format!("dyno-outputs-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("all.pgn");
        std::fs::write(&path, content).unwrap();
        let mut target = Target::reopen(&path, 5).unwrap();
        for text in ["aaaa", "bbbb"] {
            target.replay(text).unwrap();
        }
        target.end_replay().unwrap();
        target.write("cccc").unwrap();
        let beside = std::fs::read_to_string(folder.join("all.resumed.pgn")).ok();
        let held = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        (held, beside)
    }

    #[test]
    fn a_resume_touches_nothing_but_its_own() {
        let whole = "head.aaaabbbbcccc".to_owned();
        for (name, content) in
            [("same", "head.aaaabbbb"), ("torn", "head.aaaabb"), ("less", "head.")]
        {
            assert_eq!(resumed(name, content), (whole.clone(), None), "{name}");
        }
        let foreign = "head.aaaabbbbother games".to_owned();
        assert_eq!(resumed("more", &foreign), (foreign.clone(), Some("aaaabbbbcccc".into())));
        let edited = "head.aaaaxxxx".to_owned();
        assert_eq!(resumed("edited", &edited), (edited.clone(), Some("aaaabbbbcccc".into())));
        assert_eq!(resumed("emptied", ""), ("aaaabbbbcccc".into(), None));
    }
}
