//! The files that derive from the journal: PGN and last positions.

use super::event::{Envelope, MatchEvent};
use super::listener::Listener;
use super::pgn;
use super::plan::{Plan, Variant};
use super::record::GameRecord;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why a result file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct OutputError {
    pub path: PathBuf,
    pub source: io::Error,
}

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
}

impl Outputs {
    /// Opens the files at their ends, as other tools add to them too.
    pub fn open(plan: &Plan) -> Result<Self, OutputError> {
        let pgn = plan.output.pgn.as_ref();
        Ok(Self {
            plan: plan.clone(),
            pgn: pgn.map(|p| Target::open(&p.file, p.overwrite)).transpose()?,
            epd: plan.output.epd.as_ref().map(|p| Target::open(p, false)).transpose()?,
        })
    }

    /// Where this match's games begin in the PGN and in the last positions.
    pub fn starts(&self) -> (u64, u64) {
        let start = |t: &Option<Target>| t.as_ref().map_or(0, |t| t.start);
        (start(&self.pgn), start(&self.epd))
    }

    /// Throws this match's part away, to be written again from the journal.
    pub fn rewind(&mut self, pgn_start: u64, epd_start: u64) -> Result<(), OutputError> {
        let targets = [(&mut self.pgn, pgn_start), (&mut self.epd, epd_start)];
        for (target, start) in targets {
            if let Some(target) = target {
                target.rewind(start)?;
            }
        }
        Ok(())
    }

    /// Adds a game.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), OutputError> {
        let plan = &self.plan;
        if let (Some(target), Some(output)) = (&mut self.pgn, &plan.output.pgn) {
            match pgn::text(record, plan, output) {
                Ok(text) => target.write(&text)?,
                Err(error) => return Err(target.fault(io::Error::other(error))),
            }
        }
        if let Some(target) = &mut self.epd
            && let Ok(game) = record.replay(plan.variant == Variant::FischeRandom)
        {
            target.write(&format!("{}\n", game.position().fen()))?;
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
        Ok(Self { path: path.to_owned(), file, start })
    }

    fn rewind(&mut self, start: u64) -> Result<(), OutputError> {
        let length = self.file.metadata().map_err(|e| self.fault(e))?.len();
        self.start = start.min(length);
        self.file.set_len(self.start).map_err(|e| self.fault(e))?;
        self.file.seek(SeekFrom::End(0)).map_err(|e| self.fault(e))?;
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.file.write_all(text.as_bytes()).map_err(|e| self.fault(e))
    }

    fn fault(&self, source: io::Error) -> OutputError {
        OutputError { path: self.path.clone(), source }
    }
}
