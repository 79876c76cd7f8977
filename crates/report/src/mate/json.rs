//! The whole run as one JSON object: the positions as they come, the sums in the end.

use dyno_trials::mate::{MateResult, MateRun};
use std::io::{self, Write};

/// Writes the object piece by piece, so that what is done is on its way to the file.
pub struct Writer<W: Write> {
    out: W,
    rows: u64,
}

impl<W: Write> Writer<W> {
    /// Opens the object.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"{\"positions\":[")?;
        Ok(Self { out, rows: 0 })
    }

    /// Adds a position.
    pub fn write(&mut self, result: &MateResult) -> io::Result<()> {
        self.out.write_all(if self.rows == 0 { b"\n" } else { b",\n" })?;
        self.rows += 1;
        serde_json::to_writer(&mut self.out, result).map_err(io::Error::other)
    }

    /// Closes the object with everything else.
    pub fn finish(mut self, run: &MateRun) -> io::Result<()> {
        let sums = serde_json::to_string_pretty(run).map_err(io::Error::other)?;
        writeln!(self.out, "\n],{}", sums.trim_start().trim_start_matches('{'))?;
        self.out.flush()
    }
}
