//! A stream cut into blocks of whole lines, so that many can be worked on at once.

use super::PuzzleError;
use std::io::{self, BufRead};

/// About how much text a block holds.
const SIZE: usize = 1 << 16;

/// No row is longer; a line that is gets cut, and its parts are no rows.
const LONGEST: usize = 1 << 20;

/// Whole lines.
pub(super) struct Block {
    /// The number of the first line in its file, counted from 1.
    pub(super) first_line: u64,
    pub(super) bytes: Vec<u8>,
}

/// The blocks of a stream. An error ends it.
pub(super) struct Blocks<R> {
    input: R,
    name: String,
    line: u64,
    failed: bool,
    /// The start of a line that the last block ended in.
    rest: Vec<u8>,
}

impl<R: BufRead> Blocks<R> {
    pub(super) fn new(input: R, name: &str) -> Blocks<R> {
        Blocks { input, name: name.to_owned(), line: 1, failed: false, rest: Vec::new() }
    }

    /// The first line with anything on it, without its end and without a byte-order mark.
    pub(super) fn first_line(&mut self) -> Result<Option<String>, PuzzleError> {
        loop {
            let mut bytes = Vec::new();
            let read =
                io::Read::take(&mut self.input, LONGEST as u64).read_until(b'\n', &mut bytes);
            if read.map_err(|error| self.failure(error))? == 0 {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
            self.line += 1;
        }
    }

    /// Hands a line back, to be the first of the next block.
    pub(super) fn unread(&mut self, line: &str) {
        self.rest = [line.as_bytes(), b"\n"].concat();
    }

    /// The line just read is done with.
    pub(super) fn skip_line(&mut self) {
        self.line += 1;
    }

    fn failure(&self, error: io::Error) -> PuzzleError {
        PuzzleError::Read { name: self.name.clone(), error }
    }

    /// Reads until there is a whole line and enough text, or nothing more.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        while bytes.len() < SIZE || (!bytes.contains(&b'\n') && bytes.len() < LONGEST) {
            let chunk = match self.input.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let taken = chunk.len().min(SIZE);
            bytes.extend_from_slice(&chunk[..taken]);
            self.input.consume(taken);
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Blocks<R> {
    type Item = Result<Block, PuzzleError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.rest);
        if let Err(error) = self.fill(&mut bytes) {
            self.failed = true;
            return Some(Err(self.failure(error)));
        }
        if bytes.is_empty() {
            return None;
        }
        let at_end = bytes.len() < SIZE;
        if let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n').filter(|_| !at_end) {
            self.rest = bytes.split_off(last + 1);
        }
        let first_line = self.line;
        self.line += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        Some(Ok(Block { first_line, bytes }))
    }
}
