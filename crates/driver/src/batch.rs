//! A program run once, for what it prints: `engine bench` and its like.

use crate::channel::Channel;
use crate::error::EngineError;
use crate::process::Exit;
use crate::settings::Settings;
use crate::spec::EngineSpec;
use std::time::{Duration, Instant};

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Batch {
    /// How it ended; `None` when its time was up and it was killed.
    pub exit: Option<Exit>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    pub elapsed: Duration,
}

/// Runs the program of the specification with more arguments and shows every line of its output
/// to `hear`. An engine that does not know the arguments and listens for commands instead is told
/// to quit.
pub fn run_to_end(
    spec: &EngineSpec,
    arguments: &[String],
    settings: &Settings,
    patience: Duration,
    mut hear: impl FnMut(&str),
) -> Result<Batch, EngineError> {
    let mut spec = spec.clone();
    spec.args.extend(arguments.iter().cloned());
    let began = Instant::now();
    let mut channel = Channel::open(&spec, settings)?;
    // A program that has ended already cannot be told anything, and need not be.
    let _ = channel.send("quit");
    let deadline = Some(began + patience);
    let exit = loop {
        match channel.read_line(deadline) {
            Ok(true) => hear(&channel.line),
            Ok(false) => {
                channel.kill();
                break None;
            }
            Err(EngineError::Exited { exit, .. }) => break Some(exit),
            Err(EngineError::ClosedOutput { .. }) => break Some(channel.kill()),
            Err(error) => return Err(error),
        }
    };
    Ok(Batch { exit, stderr: channel.stderr(), elapsed: began.elapsed() })
}
