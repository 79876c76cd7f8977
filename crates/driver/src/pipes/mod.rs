//! The pipes to and from a child: one small interface, `poll` on Unix, reader threads elsewhere.

use crate::inbox::Inbox;
use std::io;
use std::time::Instant;

#[cfg(any(not(unix), test))]
mod threads;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use threads::ThreadPipes as ChildPipes;
#[cfg(unix)]
pub(crate) use unix::PollPipes as ChildPipes;

/// What a wait for output ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Something came, be it only on standard error.
    Bytes,
    /// The output has ended.
    Closed,
    Timeout,
}

/// Why bytes could not be sent.
#[derive(Debug)]
pub(crate) enum WriteFault {
    /// The engine does not read.
    Timeout,
    /// The engine closed its input or is gone.
    Closed,
    #[cfg_attr(not(unix), allow(dead_code, reason = "a reader thread tells of the end only"))]
    Io(io::Error),
}

/// The three pipes of a child process.
pub(crate) trait Pipes {
    /// Sends all bytes by the deadline. Output is taken in meanwhile, so that two full pipes
    /// cannot block each other.
    fn write(
        &mut self,
        bytes: &[u8],
        inbox: &mut Inbox,
        stderr: &mut StderrTail,
        deadline: Instant,
    ) -> Result<(), WriteFault>;

    /// Waits for output until the deadline, for ever without one, and puts it into the inbox
    /// stamped with its time of arrival.
    fn read(
        &mut self,
        inbox: &mut Inbox,
        stderr: &mut StderrTail,
        deadline: Option<Instant>,
    ) -> io::Result<Arrival>;

    /// Takes in the output that is there already, without waiting.
    fn read_now(&mut self, inbox: &mut Inbox, stderr: &mut StderrTail) -> io::Result<Arrival> {
        self.read(inbox, stderr, Some(Instant::now()))
    }

    /// Closes the engine's input: for most engines a sign to end.
    fn close_input(&mut self);
}

/// The end of what an engine wrote to its standard error.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    tail: Vec<u8>,
    /// Arrived since somebody last looked.
    fresh: Vec<u8>,
}

impl StderrTail {
    const KEPT: usize = 4 * 1024;

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in [&mut self.tail, &mut self.fresh] {
            part.extend_from_slice(bytes);
            if part.len() > 2 * Self::KEPT {
                part.drain(..part.len() - Self::KEPT);
            }
        }
    }

    /// What came since the last call.
    pub(crate) fn take_fresh(&mut self) -> Option<Vec<u8>> {
        (!self.fresh.is_empty()).then(|| std::mem::take(&mut self.fresh))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.tail).trim_end().to_owned()
    }
}
