//! Lines of text from any bytes: the part that all text formats share.

use std::io::{self, BufRead};

/// No line of a chess file is longer; what is must be something else.
pub(crate) const LONGEST: usize = 1 << 20;

/// The lines of a stream, as text.
///
/// Takes `\n`, `\r\n` and lone `\r` as line ends, drops a byte-order mark and NUL bytes, and reads
/// a line that is not UTF-8 as Latin-1. Memory is bounded whatever the input.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    number: u64,
    /// The last line ended in `\r`, so a `\n` right after it belongs to that end.
    after_return: bool,
}

/// A line and its number, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of the line, counted from 1.
    pub number: u64,
    /// Its text, without the line end.
    pub text: String,
}

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The line is longer than any line of a chess file; reading goes on after it.
    #[error("the line is longer than {LONGEST} bytes")]
    TooLong,
    /// The stream failed; nothing more can be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

impl<R: BufRead> Lines<R> {
    /// The lines of a stream.
    pub fn new(input: R) -> Lines<R> {
        Lines { input, bytes: Vec::new(), number: 0, after_return: false }
    }

    /// The number of the line read last.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line's text, appended to `text`; `false` at the end of the stream.
    pub fn read_into(&mut self, text: &mut String) -> Result<bool, LineError> {
        self.bytes.clear();
        let mut started = false;
        let mut too_long = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(LineError::Io(error)),
            };
            let Some(&first) = chunk.first() else {
                self.after_return = false;
                if !started {
                    return Ok(false);
                }
                break;
            };
            if self.after_return {
                // Between the two there may be a NUL, as in UTF-16.
                self.after_return = first == 0;
                if matches!(first, 0 | b'\n') {
                    self.input.consume(1);
                    continue;
                }
            }
            started = true;
            let end = line_end(chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let used = part.len() + usize::from(end.is_some());
            self.after_return = end.is_some_and(|end| chunk[end] == b'\r');
            too_long |= self.bytes.len() + part.len() > LONGEST;
            if end.is_some() && self.bytes.is_empty() && !too_long {
                // The usual case: the whole line is in the buffer.
                self.number += 1;
                decode(part, self.number, text);
                self.input.consume(used);
                return Ok(true);
            }
            if !too_long {
                self.bytes.extend_from_slice(part);
            }
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if too_long {
            return Err(LineError::TooLong);
        }
        decode(&self.bytes, self.number, text);
        Ok(true)
    }
}

/// Where the line ends. Blocks without an end are skipped as a whole, which compiles to a few
/// vector instructions.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let (blocks, _) = bytes.as_chunks::<32>();
    let clear = blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |found, byte| found | is_end(byte)))
        .count();
    let start = clear * 32;
    bytes[start..].iter().position(is_end).map(|end| start + end)
}

fn decode(bytes: &[u8], number: u64, text: &mut String) {
    if bytes.contains(&0) {
        let kept: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        return decode(&kept, number, text);
    }
    let mut bytes = bytes;
    if number == 1 {
        // UTF-8's mark; those of UTF-16 too, whose NUL bytes are gone by now.
        for mark in [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"] {
            bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
        }
    }
    match std::str::from_utf8(bytes) {
        Ok(utf8) => text.push_str(utf8),
        Err(_) => text.extend(bytes.iter().map(|byte| char::from(*byte))),
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Line, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut text = String::new();
        match self.read_into(&mut text) {
            Ok(true) => Some(Ok(Line { number: self.number, text })),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn texts(bytes: &[u8]) -> Vec<String> {
        // A tiny buffer, so that every line end falls between two chunks somewhere.
        let input = io::BufReader::with_capacity(3, bytes);
        Lines::new(input).map(|line| line.unwrap().text).collect()
    }

    #[test]
    fn every_line_end_counts_once() {
        assert_eq!(texts(b"a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(texts(b"a\n\n\r\n\r\rb\n"), ["a", "", "", "", "", "b"]);
        assert_eq!(texts(b""), Vec::<String>::new());
    }

    #[test]
    fn marks_nuls_and_latin_1_are_taken() {
        assert_eq!(texts(b"\xef\xbb\xbfa\0b\n"), ["ab"]);
        assert_eq!(texts(b"\xff\xfea\0\r\0\n\0b\0"), ["a", "b"].to_vec());
        assert_eq!(texts(b"R\xe9ti\nR\xc3\xa9ti"), ["Réti", "Réti"]);
    }

    #[test]
    fn an_endless_line_is_refused_and_skipped() {
        let mut bytes = vec![b'x'; 2 * LONGEST];
        bytes.extend_from_slice(b"\nnext");
        let mut lines = Lines::new(&bytes[..]);
        assert!(matches!(lines.next(), Some(Err(LineError::TooLong))));
        assert_eq!(lines.next().unwrap().unwrap(), Line { number: 2, text: "next".into() });
    }
}
