//! The lines between Dyno and an engine: the last of them always, all of them on request.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A transcript file, shared by all engines of a run.
#[derive(Clone, Debug)]
pub struct Log {
    file: Arc<Mutex<BufWriter<File>>>,
    start: Instant,
    form: Form,
}

/// How a line of the transcript begins.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Milliseconds with their fractions, the engine, the direction.
    Columns,
    /// As cutechess-cli's `-debug` has it, which programs that read along know.
    Debug,
}

impl Log {
    /// Creates the file, or empties it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = Arc::new(Mutex::new(BufWriter::new(File::create(path)?)));
        Ok(Self { file, start: Instant::now(), form: Form::Columns })
    }

    /// Writes to standard error, in the manner of cutechess-cli's `-debug`: `1234 <name: text`.
    pub fn to_stderr() -> io::Result<Self> {
        let file = Arc::new(Mutex::new(BufWriter::new(stderr_file()?)));
        Ok(Self { file, start: Instant::now(), form: Form::Debug })
    }

    fn write(&self, label: &str, direction: u8, at: Instant, text: &[u8]) {
        let ms = at.saturating_duration_since(self.start).as_secs_f64() * 1e3;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not stop the run: the transcript is then incomplete.
        let direction = direction as char;
        let _ = match self.form {
            Form::Columns => write!(file, "{ms:12.3} {label} {direction} "),
            Form::Debug => write!(file, "{ms:.0} {}{label}: ", debug_sign(direction)),
        };
        let _ = file.write_all(text);
        let _ = file.write_all(b"\n");
    }

    fn flush(&self) {
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }
}

/// The form knows no third sign: standard error is something the engine says.
fn debug_sign(direction: char) -> char {
    if direction == '!' { '<' } else { direction }
}

/// Standard error as a file of its own, which shares its place with it.
#[cfg(unix)]
fn stderr_file() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn stderr_file() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stderr().as_handle().try_clone_to_owned()?.into())
}

/// To the engine, from the engine, from its standard error.
pub(crate) const SENT: u8 = b'>';
pub(crate) const HEARD: u8 = b'<';
pub(crate) const STDERR: u8 = b'!';

/// The conversation with one engine.
#[derive(Debug)]
pub(crate) struct Transcript {
    log: Option<Log>,
    label: String,
    start: Instant,
    tail: Vec<u8>,
    dirty: bool,
}

/// The tail is kept as records: nanoseconds, direction, length, bytes. Formatting them is left to
/// the rare reader, because recording happens for every line of every engine.
const HEADER: usize = 8 + 1 + 2;
const TAIL_BYTES: usize = 16 * 1024;
const MAX_TEXT: usize = 1024;

impl Transcript {
    pub(crate) fn new(log: Option<Log>, label: String) -> Self {
        let tail = Vec::with_capacity(2 * TAIL_BYTES);
        Self { log, label, start: Instant::now(), tail, dirty: false }
    }

    pub(crate) fn record(&mut self, direction: u8, at: Instant, text: &[u8]) {
        if let Some(log) = &self.log {
            log.write(&self.label, direction, at, text);
            self.dirty = true;
        }
        let kept = &text[..text.len().min(MAX_TEXT)];
        if self.tail.len() + HEADER + kept.len() > 2 * TAIL_BYTES {
            self.drop_older_half();
        }
        let nanos = at.saturating_duration_since(self.start).as_nanos() as u64;
        self.tail.extend_from_slice(&nanos.to_le_bytes());
        self.tail.push(direction);
        self.tail.extend_from_slice(&(kept.len() as u16).to_le_bytes());
        self.tail.extend_from_slice(kept);
    }

    /// Flushed before every wait, so that a transcript is complete when Dyno is killed.
    pub(crate) fn flush(&mut self) {
        if std::mem::take(&mut self.dirty)
            && let Some(log) = &self.log
        {
            log.flush();
        }
    }

    fn drop_older_half(&mut self) {
        let mut cut = 0;
        while cut < TAIL_BYTES
            && let Some((_, _, text)) = record_at(&self.tail, cut)
        {
            cut += HEADER + text.len();
        }
        self.tail.drain(..cut);
    }

    /// The last lines with milliseconds and direction, oldest first.
    pub(crate) fn tail(&self) -> String {
        let mut out = String::new();
        let mut at = 0;
        while let Some((nanos, direction, text)) = record_at(&self.tail, at) {
            let text = String::from_utf8_lossy(text);
            let ms = nanos as f64 / 1e6;
            out.push_str(&format!("{ms:12.3} {} {text}\n", direction as char));
            at += HEADER + text_len(&self.tail, at);
        }
        out
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.flush();
    }
}

fn text_len(tail: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([tail[at + 9], tail[at + 10]]))
}

fn record_at(tail: &[u8], at: usize) -> Option<(u64, u8, &[u8])> {
    let nanos = u64::from_le_bytes(tail.get(at..at + 8)?.try_into().ok()?);
    let length = text_len(tail, at);
    Some((nanos, tail[at + 8], &tail[at + HEADER..at + HEADER + length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded_and_readable() {
        let mut transcript = Transcript::new(None, "x".into());
        for i in 0..10_000 {
            transcript.record(HEARD, Instant::now(), format!("line {i}").as_bytes());
        }
        transcript.record(SENT, Instant::now(), &[b'z'; 5000]);
        let tail = transcript.tail();
        assert!(transcript.tail.len() <= 2 * TAIL_BYTES);
        assert!(tail.contains("< line 9999\n") && !tail.contains("< line 1\n"), "{tail}");
        assert!(tail.lines().last().is_some_and(|l| l.contains("> zzz")));
    }
}
