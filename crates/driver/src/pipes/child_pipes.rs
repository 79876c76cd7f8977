//! What the driver needs from the three pipes of a child process.

use super::stderr_tail::StderrTail;
use crate::line_buffer::LineBuffer;
use std::io;
use std::time::Instant;

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
pub(crate) enum WriteError {
    /// The engine does not read.
    Timeout,
    /// The engine closed its input or is gone.
    Closed,
    #[cfg_attr(
        not(unix),
        allow(dead_code, reason = "a writer thread reports only that the pipe is closed")
    )]
    Io(io::Error),
}

/// The three pipes of a child process.
pub(crate) trait ChildPipes {
    /// Sends all bytes by the deadline. Output is taken in meanwhile, so that two full pipes
    /// cannot block each other.
    fn write(
        &mut self,
        bytes: &[u8],
        lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Instant,
    ) -> Result<(), WriteError>;

    /// Waits for output, until the deadline if there is one, and appends it to the line buffer,
    /// stamped with its time of arrival.
    fn read(
        &mut self,
        lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Option<Instant>,
    ) -> io::Result<Arrival>;

    /// Takes in the output that is there already, without waiting.
    fn read_now(&mut self, lines: &mut LineBuffer, stderr: &mut StderrTail) -> io::Result<Arrival> {
        self.read(lines, stderr, Some(Instant::now()))
    }

    /// Closes the engine's input: for most engines a sign to end.
    fn close_input(&mut self);
}
