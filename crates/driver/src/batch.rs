//! A program run once for its output, such as `engine bench`.

use crate::channel::Channel;
use crate::error::EngineError;
use crate::process::Exit;
use crate::settings::Settings;
use crate::spec::EngineSpec;
use std::time::{Duration, Instant};

/// A finished run.
#[derive(Clone, Debug)]
pub struct BatchRun {
    /// How it ended; `None` when it was killed at the timeout.
    pub exit: Option<Exit>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    pub elapsed: Duration,
}

/// Runs the program of the specification with more arguments and passes every line of its output
/// to `on_line`. An engine that does not know the arguments and reads commands instead is told to
/// quit.
pub fn run_to_end(
    spec: &EngineSpec,
    arguments: &[String],
    settings: &Settings,
    timeout: Duration,
    mut on_line: impl FnMut(&str),
) -> Result<BatchRun, EngineError> {
    let mut spec = spec.clone();
    spec.args.extend(arguments.iter().cloned());
    let began = Instant::now();
    let mut channel = Channel::open(&spec, settings)?;
    // A program that has ended already cannot be told anything, and need not be.
    let _ = channel.send("quit");
    let deadline = Some(began + timeout);
    let exit = loop {
        match channel.read_line(deadline) {
            Ok(true) => on_line(&channel.line),
            Ok(false) => {
                channel.kill();
                break None;
            }
            Err(EngineError::Exited { exit, .. }) => break Some(exit),
            Err(EngineError::ClosedOutput { .. }) => break Some(channel.kill()),
            Err(error) => return Err(error),
        }
    };
    Ok(BatchRun { exit, stderr: channel.stderr(), elapsed: began.elapsed() })
}
