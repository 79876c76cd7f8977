//! What is kept when an engine fails, so that its author can see it happen.

use super::engine_slot::EngineSlot;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// An engine that fails in every game must not fill the disk.
const MOST_FILES: u32 = 100;

/// The folder where evidence goes; made when it is first needed.
pub struct Evidence {
    folder: Option<PathBuf>,
    files: AtomicU32,
}

impl Evidence {
    /// Evidence beside the journal; none without one.
    pub fn beside(journal: Option<&Path>) -> Self {
        let folder = journal.map(|path| path.with_extension("faults"));
        Self { folder, files: AtomicU32::new(0) }
    }

    /// Writes the scene, the last of the conversation and of standard error; says where.
    pub fn keep(
        &self,
        number: u64,
        engine: &str,
        scene: &str,
        slot: &mut EngineSlot,
    ) -> Option<String> {
        let folder = self.folder.as_ref()?;
        if self.files.fetch_add(1, Ordering::Relaxed) >= MOST_FILES {
            return None;
        }
        let (tail, stderr) = match slot.engine() {
            Ok(engine) => (engine.transcript_tail(), engine.stderr()),
            Err(_) => Default::default(),
        };
        let text = format!(
            "{scene}\nThe end of the conversation (milliseconds, > to and < from the engine):\n{tail}\n\
             The end of its standard error:\n{stderr}\n"
        );
        let safe: String =
            engine.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(40).collect();
        let path = folder.join(format!("game-{}-{safe}.txt", number + 1));
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).ok()?;
        Some(path.display().to_string())
    }
}
