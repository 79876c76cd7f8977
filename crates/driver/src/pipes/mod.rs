//! The pipes to and from a child: `poll` on Unix, a thread per pipe elsewhere.

mod child_pipes;
#[cfg(unix)]
mod poll_pipes;
mod stderr_tail;
#[cfg(any(not(unix), test))]
mod thread_pipes;

pub(crate) use child_pipes::{Arrival, ChildPipes, WriteError};
#[cfg(unix)]
pub(crate) use poll_pipes::PollPipes as SystemPipes;
pub use stderr_tail::is_crash_report;
pub(crate) use stderr_tail::{StderrTail, last_words};
#[cfg(not(unix))]
pub(crate) use thread_pipes::ThreadPipes as SystemPipes;
