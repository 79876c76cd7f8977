//! Without `poll`: one thread per pipe and bounded channels, so that a flood still meets
//! back-pressure.

use super::child_pipes::{Arrival, ChildPipes, WriteError};
use super::stderr_tail::StderrTail;
use crate::line_buffer::LineBuffer;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const CHUNK: usize = 4 * 1024;
const CHUNKS_IN_FLIGHT: usize = 8;

/// Bytes with their time of arrival; an empty chunk is the end.
struct Chunk {
    bytes: Vec<u8>,
    stamp: Instant,
}

/// Our ends of the child's pipes, each served by a thread.
pub(crate) struct ThreadPipes {
    input: Option<SyncSender<Vec<u8>>>,
    output: Receiver<Chunk>,
    /// What has come on standard error, filled by its own thread: an engine that floods it must
    /// not have to wait until its output is read.
    errors: Arc<Mutex<StderrTail>>,
    /// A chunk of which the line buffer could take only a part.
    rest: Option<Chunk>,
}

impl ThreadPipes {
    pub(crate) fn new(
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
        errors: Option<impl Read + Send + 'static>,
    ) -> io::Result<Self> {
        let tail = Arc::default();
        if let Some(errors) = errors {
            keep_tail(errors, Arc::clone(&tail));
        }
        Ok(Self { input: Some(writer(input)), output: reader(output), errors: tail, rest: None })
    }

    fn take_errors(&mut self, stderr: &mut StderrTail) {
        let mut arrived = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = arrived.take_fresh() {
            stderr.push(&bytes);
        }
    }

    fn put(&mut self, mut chunk: Chunk, lines: &mut LineBuffer) -> Arrival {
        if chunk.bytes.is_empty() {
            lines.close();
            return Arrival::Closed;
        }
        if let Some(spare) = lines.spare() {
            let count = spare.len().min(chunk.bytes.len());
            spare[..count].copy_from_slice(&chunk.bytes[..count]);
            // Each pipe has a thread that does nothing but wait for it.
            lines.commit(count, chunk.stamp, Duration::ZERO);
            chunk.bytes.drain(..count);
        }
        self.rest = (!chunk.bytes.is_empty()).then_some(chunk);
        Arrival::Bytes
    }
}

impl ChildPipes for ThreadPipes {
    fn write(
        &mut self,
        bytes: &[u8],
        _lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Instant,
    ) -> Result<(), WriteError> {
        let mut bytes = bytes.to_vec();
        loop {
            let Some(input) = &self.input else { return Err(WriteError::Closed) };
            match input.try_send(bytes) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(WriteError::Closed),
                Err(TrySendError::Full(again)) => bytes = again,
            }
            self.take_errors(stderr);
            if Instant::now() >= deadline {
                return Err(WriteError::Timeout);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn read(
        &mut self,
        lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Option<Instant>,
    ) -> io::Result<Arrival> {
        self.take_errors(stderr);
        if let Some(chunk) = self.rest.take() {
            return Ok(self.put(chunk, lines));
        }
        let far = Instant::now() + Duration::from_secs(3600);
        let left = deadline.unwrap_or(far).saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(chunk) => Ok(self.put(chunk, lines)),
            Err(RecvTimeoutError::Timeout) => Ok(Arrival::Timeout),
            Err(RecvTimeoutError::Disconnected) => {
                lines.close();
                Ok(Arrival::Closed)
            }
        }
    }

    fn close_input(&mut self) {
        self.input = None;
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> Receiver<Chunk> {
    let (send, receive) = sync_channel(CHUNKS_IN_FLIGHT);
    thread::spawn(move || {
        let mut buffer = [0u8; CHUNK];
        loop {
            let count = read_some(&mut pipe, &mut buffer);
            let chunk = Chunk { bytes: buffer[..count].to_vec(), stamp: Instant::now() };
            if send.send(chunk).is_err() || count == 0 {
                return;
            }
        }
    });
    receive
}

fn keep_tail(mut pipe: impl Read + Send + 'static, tail: Arc<Mutex<StderrTail>>) {
    thread::spawn(move || {
        let mut buffer = [0u8; CHUNK];
        loop {
            let count = read_some(&mut pipe, &mut buffer);
            if count == 0 {
                return;
            }
            tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
        }
    });
}

/// What has come, or nothing at the end; a signal is not the end.
fn read_some(pipe: &mut impl Read, buffer: &mut [u8]) -> usize {
    loop {
        match pipe.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.unwrap_or(0),
        }
    }
}

fn writer(mut pipe: impl Write + Send + 'static) -> SyncSender<Vec<u8>> {
    let (send, receive) = sync_channel::<Vec<u8>>(CHUNKS_IN_FLIGHT);
    thread::spawn(move || {
        for bytes in receive {
            if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                return;
            }
        }
    });
    send
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn echo_through_threads() {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut pipes = ThreadPipes::new(
            child.stdin.take().unwrap(),
            child.stdout.take().unwrap(),
            None::<io::Empty>,
        )
        .unwrap();
        let (mut lines, mut stderr) = (LineBuffer::new(), StderrTail::default());
        let deadline = Instant::now() + Duration::from_secs(20);
        pipes.write(b"isready\n", &mut lines, &mut stderr, deadline).unwrap();
        while lines.take_line().is_none() {
            let arrival = pipes.read(&mut lines, &mut stderr, Some(deadline)).unwrap();
            assert_eq!(arrival, Arrival::Bytes);
        }
        pipes.close_input();
        let end = pipes.read(&mut lines, &mut stderr, Some(deadline)).unwrap();
        assert_eq!(end, Arrival::Closed);
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_flood_of_errors_does_not_hold_the_engine_up() {
        let flood = "yes oops | head -c 2000000 >&2; echo done; read -r line || true";
        let mut child = Command::new("sh")
            .args(["-c", flood])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipes = ThreadPipes::new(
            child.stdin.take().unwrap(),
            child.stdout.take().unwrap(),
            child.stderr.take(),
        )
        .unwrap();
        let (mut lines, mut stderr) = (LineBuffer::new(), StderrTail::default());
        let deadline = Instant::now() + Duration::from_secs(60);
        let arrival = pipes.read(&mut lines, &mut stderr, Some(deadline)).unwrap();
        assert_eq!(arrival, Arrival::Bytes);
        assert!(lines.take_line().is_some());
        pipes.take_errors(&mut stderr);
        assert!(stderr.text().contains("oops"));
        pipes.close_input();
        assert!(child.wait().unwrap().success());
    }
}
