//! Unix: one `poll` for all pipes, then one `read`, without any thread.

use super::child_pipes::{Arrival, ChildPipes, WriteError};
use super::stderr_tail::StderrTail;
use crate::line_buffer::LineBuffer;
use crate::run_delay::{own_run_delay, waited_since};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// In a wait this short the time to wake up does not matter, and is not asked for.
const SHORT_WAIT: Duration = Duration::from_micros(100);

/// Our ends of the child's pipes; `None` once closed.
#[derive(Debug)]
pub(crate) struct PollPipes {
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    errors: Option<OwnedFd>,
}

/// The pipes that `poll` found ready.
#[derive(Default)]
struct Ready {
    input: bool,
    output: bool,
    errors: bool,
}

impl PollPipes {
    pub(crate) fn new(
        input: ChildStdin,
        output: ChildStdout,
        errors: Option<ChildStderr>,
    ) -> io::Result<Self> {
        let input = OwnedFd::from(input);
        let output = OwnedFd::from(output);
        // A write must fail rather than wait when the engine does not read, and a read when it has
        // said nothing. These are our ends of the pipes: the engine's are as it expects them.
        for end in [&input, &output] {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { input: Some(input), output: Some(output), errors: errors.map(Into::into) })
    }

    /// Waits until a pipe is ready; `None` at the deadline.
    fn wait(
        &self,
        for_input: bool,
        for_output: bool,
        deadline: Option<Instant>,
    ) -> io::Result<Option<Ready>> {
        let input = self.input.as_ref().filter(|_| for_input);
        let output = self.output.as_ref().filter(|_| for_output);
        let errors = self.errors.as_ref();
        // Missing pipes are filled with one that is waited for anyway, or left off at the end:
        // each costs the system something, for every move.
        let Some(filler) = output.or(input) else { return Ok(Some(Ready::default())) };
        let watched = |pipe: Option<&'_ OwnedFd>, flags| match pipe {
            Some(_) => flags,
            None => PollFlags::empty(),
        };
        let mut fds = [
            PollFd::new(output.unwrap_or(filler), watched(output, PollFlags::IN)),
            PollFd::new(errors.unwrap_or(filler), watched(errors, PollFlags::IN)),
            PollFd::new(input.unwrap_or(filler), watched(input, PollFlags::OUT)),
        ];
        let count = if input.is_some() { 3 } else { 1 + usize::from(errors.is_some()) };
        loop {
            let timeout = deadline.map(|d| timespec(d.saturating_duration_since(Instant::now())));
            match poll(&mut fds[..count], timeout.as_ref()) {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    let is = |i: usize| !fds[i].revents().is_empty();
                    return Ok(Some(Ready {
                        output: output.is_some() && is(0),
                        errors: errors.is_some() && is(1),
                        input: input.is_some() && is(2),
                    }));
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes what is there. This thread has needed `wake_up` to get to it.
    fn take_output(
        &mut self,
        lines: &mut LineBuffer,
        now: Instant,
        wake_up: Duration,
    ) -> io::Result<Arrival> {
        let (Some(output), Some(spare)) = (&self.output, lines.spare()) else {
            return Ok(Arrival::Closed);
        };
        match rustix::io::read(output, spare) {
            Ok(0) => {
                self.output = None;
                lines.close();
                Ok(Arrival::Closed)
            }
            Ok(count) => {
                lines.commit(count, now.checked_sub(wake_up).unwrap_or(now), wake_up);
                Ok(Arrival::Bytes)
            }
            Err(Errno::INTR) => Ok(Arrival::Bytes),
            Err(Errno::AGAIN) => Ok(Arrival::Timeout),
            Err(error) => Err(error.into()),
        }
    }

    fn take_errors(&mut self, stderr: &mut StderrTail) {
        let mut bytes = [0u8; 4096];
        let Some(errors) = &self.errors else { return };
        match rustix::io::read(errors, &mut bytes) {
            Ok(0) => self.errors = None,
            Ok(count) => stderr.push(&bytes[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.errors = None,
        }
    }
}

impl ChildPipes for PollPipes {
    fn write(
        &mut self,
        mut bytes: &[u8],
        lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Instant,
    ) -> Result<(), WriteError> {
        while !bytes.is_empty() {
            let Some(input) = &self.input else { return Err(WriteError::Closed) };
            match rustix::io::write(input, bytes) {
                Ok(count) => {
                    bytes = &bytes[count..];
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(Errno::PIPE) => return Err(WriteError::Closed),
                Err(error) => return Err(WriteError::Io(error.into())),
            }
            let has_spare = self.output.is_some() && lines.spare().is_some();
            let ready = self.wait(true, has_spare, Some(deadline)).map_err(WriteError::Io)?;
            let Some(ready) = ready else { return Err(WriteError::Timeout) };
            if ready.errors {
                self.take_errors(stderr);
            }
            if ready.output {
                self.take_output(lines, Instant::now(), Duration::ZERO).map_err(WriteError::Io)?;
            }
            // An engine that talks without end must not keep us here past the deadline.
            if !ready.input && Instant::now() >= deadline {
                return Err(WriteError::Timeout);
            }
        }
        Ok(())
    }

    fn read(
        &mut self,
        lines: &mut LineBuffer,
        stderr: &mut StderrTail,
        deadline: Option<Instant>,
    ) -> io::Result<Arrival> {
        if self.output.is_none() {
            return Ok(Arrival::Closed);
        }
        let (began, delay) = (Instant::now(), own_run_delay());
        let Some(ready) = self.wait(false, true, deadline)? else {
            return Ok(Arrival::Timeout);
        };
        let now = Instant::now();
        let waited = now.saturating_duration_since(began);
        let wake_up = match waited > SHORT_WAIT {
            true => waited_since(delay, waited),
            false => Duration::ZERO,
        };
        if ready.errors {
            self.take_errors(stderr);
        }
        match ready.output.then(|| self.take_output(lines, now, wake_up)).transpose()? {
            // Nothing after all: the caller looks again.
            None | Some(Arrival::Timeout) => Ok(Arrival::Bytes),
            Some(arrival) => Ok(arrival),
        }
    }

    /// One call instead of two: this is asked before every move.
    fn read_now(&mut self, lines: &mut LineBuffer, _: &mut StderrTail) -> io::Result<Arrival> {
        self.take_output(lines, Instant::now(), Duration::ZERO)
    }

    fn close_input(&mut self) {
        self.input = None;
    }
}

fn timespec(left: Duration) -> Timespec {
    Timespec {
        tv_sec: left.as_secs().min(i32::MAX as u64) as i64,
        tv_nsec: left.subsec_nanos().into(),
    }
}
