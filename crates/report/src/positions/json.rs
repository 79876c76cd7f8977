//! The whole run as one JSON object: the answers as they come, the sums at the end.

use serde::Serialize;
use std::io::{self, Write};

/// Writes the object piece by piece, so that a long suite needs no memory.
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

    /// Adds an answer.
    pub fn write(&mut self, result: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.rows == 0 { b"\n" } else { b",\n" })?;
        self.rows += 1;
        serde_json::to_writer(&mut self.out, result).map_err(io::Error::other)
    }

    /// Closes the object with everything else.
    pub fn finish(mut self, run: &impl Serialize) -> io::Result<()> {
        let sums = serde_json::to_string_pretty(run).map_err(io::Error::other)?;
        writeln!(self.out, "\n],{}", sums.trim_start().trim_start_matches('{'))?;
        self.out.flush()
    }
}
