//! Splits received bytes into lines, within a fixed amount of memory.

use std::time::{Duration, Instant};

/// Far longer than any line of a protocol; the rest is dropped and reported.
pub(crate) const MAX_LINE: usize = 64 * 1024;
const INITIAL_SIZE: usize = 8 * 1024;
const MIN_READ: usize = 2 * 1024;

/// Received bytes, waiting to be taken line by line.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where the search for a line ending goes on.
    scanned: usize,
    /// When the newest bytes came. A line is complete only with its ending, so this is its time of
    /// arrival.
    stamp: Instant,
    /// How long after that the reader got a processor.
    wake_up: Duration,
    /// The rest of an overlong line is being thrown away.
    dropping: bool,
    closed: bool,
}

/// A line's place in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Only the beginning was kept.
    pub(crate) cut: bool,
    /// The output ended without a line ending.
    pub(crate) unfinished: bool,
}

impl LineBuffer {
    pub(crate) fn new() -> Self {
        Self {
            buffer: vec![0; INITIAL_SIZE],
            start: 0,
            end: 0,
            scanned: 0,
            stamp: Instant::now(),
            wake_up: Duration::ZERO,
            dropping: false,
            closed: false,
        }
    }

    /// Space for the next read; `None` while the buffer is full of lines not taken yet.
    pub(crate) fn spare(&mut self) -> Option<&mut [u8]> {
        if self.start == self.end {
            (self.start, self.end, self.scanned) = (0, 0, 0);
        }
        if self.buffer.len() - self.end < MIN_READ && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < MIN_READ && self.buffer.len() < MAX_LINE {
            self.buffer.resize((2 * self.buffer.len()).min(MAX_LINE), 0);
        }
        let spare = &mut self.buffer[self.end..];
        (!spare.is_empty()).then_some(spare)
    }

    /// Adds the bytes that were read into the spare space.
    pub(crate) fn commit(&mut self, count: usize, stamp: Instant, wake_up: Duration) {
        self.end += count;
        (self.stamp, self.wake_up) = (stamp, wake_up);
    }

    /// The output has ended: what is left is the last line.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn stamp(&self) -> Instant {
        self.stamp
    }

    pub(crate) fn wake_up(&self) -> Duration {
        self.wake_up
    }

    pub(crate) fn text(&self, line: Line) -> &[u8] {
        &self.buffer[line.start..line.end]
    }

    /// Takes the next whole line, without its ending.
    pub(crate) fn take_line(&mut self) -> Option<Line> {
        loop {
            let fresh = &self.buffer[self.scanned..self.end];
            let Some(offset) = memchr::memchr(b'\n', fresh) else {
                self.scanned = self.end;
                return self.take_unterminated();
            };
            let newline = self.scanned + offset;
            let line = self.line_to(newline);
            self.start = newline + 1;
            self.scanned = self.start;
            if !std::mem::take(&mut self.dropping) {
                return Some(line);
            }
        }
    }

    /// A line without an ending is taken only when it cannot grow or the output has ended.
    fn take_unterminated(&mut self) -> Option<Line> {
        let full = self.end - self.start >= MAX_LINE;
        if self.dropping {
            self.start = self.end;
            return None;
        }
        if self.start == self.end || !(full || self.closed) {
            return None;
        }
        let line = Line { cut: full, unfinished: !full, ..self.line_to(self.end) };
        self.start = self.end;
        self.dropping = full;
        Some(line)
    }

    fn line_to(&self, end: usize) -> Line {
        let carriage = end > self.start && self.buffer[end - 1] == b'\r';
        let end = if carriage { end - 1 } else { end };
        Line { start: self.start, end, cut: false, unfinished: false }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn feed(lines: &mut LineBuffer, mut bytes: &[u8]) -> Vec<(String, bool)> {
        let mut taken = Vec::new();
        while !bytes.is_empty() {
            let spare = lines.spare().unwrap();
            let count = spare.len().min(bytes.len());
            spare[..count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            lines.commit(count, Instant::now(), Duration::ZERO);
            taken.extend(drain(lines));
        }
        taken
    }

    fn drain(lines: &mut LineBuffer) -> Vec<(String, bool)> {
        std::iter::from_fn(|| {
            let line = lines.take_line()?;
            Some((String::from_utf8_lossy(lines.text(line)).into_owned(), line.cut))
        })
        .collect()
    }

    fn plain(lines: &[(String, bool)]) -> Vec<&str> {
        lines.iter().map(|(text, _)| text.as_str()).collect()
    }

    #[test]
    fn both_endings_and_split_reads() {
        let mut lines = LineBuffer::new();
        assert_eq!(plain(&feed(&mut lines, b"uciok\r\nread")), ["uciok"]);
        assert_eq!(plain(&feed(&mut lines, b"yok\n\nlast")), ["readyok", ""]);
        lines.close();
        assert_eq!(plain(&drain(&mut lines)), ["last"]);
        assert!(drain(&mut lines).is_empty());
    }

    #[test]
    fn endless_lines_are_cut_and_memory_is_bounded() {
        let mut lines = LineBuffer::new();
        let taken = feed(&mut lines, &vec![b'x'; 5_000_000]);
        assert_eq!(taken.len(), 1);
        assert!(taken[0].1 && taken[0].0.len() == MAX_LINE);
        assert_eq!(plain(&feed(&mut lines, b"tail of it\nuciok\n")), ["uciok"]);
        assert!(lines.buffer.len() <= MAX_LINE);
    }

    #[test]
    fn many_lines_survive_any_split() {
        let text: String = (0..5000).map(|i| format!("info depth {i} pv e2e4 e7e5\n")).collect();
        for size in [1, 7, 999, 4096] {
            let mut lines = LineBuffer::new();
            let mut all = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                all.extend(feed(&mut lines, chunk));
            }
            assert_eq!(plain(&all).join("\n") + "\n", text);
        }
    }
}
