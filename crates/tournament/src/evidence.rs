//! What is kept when an engine fails, so that its author can see it happen.

use super::record::GameRecord;
use std::fs;
use std::path::{Path, PathBuf};

/// An engine that fails in every game must not fill the disk.
const MOST_FILES: u32 = 100;

/// The folder where evidence goes; made when it is first needed.
#[derive(Debug)]
pub struct Evidence {
    folder: Option<PathBuf>,
    files: u32,
}

impl Evidence {
    /// Evidence beside the journal; none without one.
    pub fn beside(journal: Option<&Path>) -> Self {
        Self { folder: journal.map(|path| path.with_extension("faults")), files: 0 }
    }

    /// Moves the transcripts of a game's faults into files of their own. A path that came with the
    /// record is another machine's word, and not followed.
    pub fn keep(&mut self, record: &mut GameRecord, name: &dyn Fn(usize) -> String) {
        let number = record.slot.number;
        for fault in &mut record.faults {
            let text = fault.transcript.take();
            fault.evidence = text.and_then(|text| self.write(number, &name(fault.engine), &text));
        }
    }

    /// A disk that refuses costs the evidence, not the match.
    fn write(&mut self, number: u64, engine: &str, text: &str) -> Option<String> {
        let folder = self.folder.as_ref()?;
        if self.files >= MOST_FILES {
            return None;
        }
        self.files += 1;
        let safe: String =
            engine.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(40).collect();
        let path = folder.join(format!("game-{}-{safe}.txt", number + 1));
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).ok()?;
        Some(path.display().to_string())
    }
}
