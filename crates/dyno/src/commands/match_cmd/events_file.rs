//! What happens in a match, moves aside, one JSON line each.

use dyno_tournament::{Envelope, Listener, OutputError};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

pub struct EventsFile(BufWriter<File>);

impl EventsFile {
    pub fn create(path: &Path) -> std::io::Result<Self> {
        File::create(path).map(BufWriter::new).map(Self)
    }
}

impl Listener for EventsFile {
    /// A full disk must not stop the match: the journal is what counts.
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        let _ = serde_json::to_writer(&mut self.0, envelope);
        let _ = self.0.write_all(b"\n").and_then(|()| self.0.flush());
        Ok(())
    }
}
