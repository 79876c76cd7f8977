//! Conversations as data: what is sent, what is waited for, and the same as lines to type.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The end of a search.
    BestMove,
    /// The answer to `isready`.
    ReadyOk,
}

impl Awaited {
    /// The word that the engine says.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Awaited::BestMove => "bestmove",
            Awaited::ReadyOk => "readyok",
        }
    }
}

/// One step of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Lines in one write.
    Send(Vec<String>),
    /// Waits for an answer, but no longer than this.
    Await(Awaited, Duration),
    /// Waits.
    Pause(Duration),
    /// Some steps, several times.
    Repeat(usize, Vec<Step>),
    /// Closes the engine's input.
    CloseInput,
}

/// How long an engine is waited for that has something to do.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What is said to a fresh process after the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub(super) steps: Vec<Step>,
}

impl Script {
    pub(super) fn new() -> Script {
        Script::default()
    }

    /// One search.
    pub(super) fn of_search(position: &str, go: &str) -> Script {
        Script::new().search(position, go)
    }

    pub(super) fn send(mut self, line: impl Into<String>) -> Script {
        self.steps.push(Step::Send(vec![line.into()]));
        self
    }

    /// Several lines in one write.
    pub(super) fn together(mut self, lines: &[&str]) -> Script {
        self.steps.push(Step::Send(lines.iter().map(|line| (*line).to_owned()).collect()));
        self
    }

    pub(super) fn pause(mut self, ms: u64) -> Script {
        self.steps.push(Step::Pause(Duration::from_millis(ms)));
        self
    }

    pub(super) fn wait_for(mut self, what: Awaited, patience: Duration) -> Script {
        self.steps.push(Step::Await(what, patience));
        self
    }

    pub(super) fn best_move(self) -> Script {
        self.wait_for(Awaited::BestMove, PATIENCE)
    }

    /// `isready`, and its answer.
    pub(super) fn ready(self) -> Script {
        self.send("isready").wait_for(Awaited::ReadyOk, PATIENCE)
    }

    pub(super) fn new_game(self) -> Script {
        self.send("ucinewgame").ready()
    }

    /// A command that is not answered in any agreed way, such as `d` or `eval`.
    pub(super) fn ask(self, command: &str) -> Script {
        self.send(command).ready()
    }

    pub(super) fn search(self, position: &str, go: &str) -> Script {
        self.send(position).send(go).best_move()
    }

    /// This, then another.
    pub(super) fn and(mut self, next: Script) -> Script {
        self.steps.extend(next.steps);
        self
    }

    /// The same again and again.
    pub(super) fn repeat(mut self, times: usize, script: Script) -> Script {
        self.steps.push(Step::Repeat(times, script.steps));
        self
    }

    pub(super) fn close_input(mut self) -> Script {
        self.steps.push(Step::CloseInput);
        self
    }

    /// The lines to type, with what is waited for as comments.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        lines(&self.steps)
    }
}

fn lines(steps: &[Step]) -> Vec<String> {
    let one = |step: &Step| match step {
        Step::Send(sent) if sent.len() > 1 && ends_early(sent) => {
            let note = format!("# the next {} lines in one write", sent.len());
            std::iter::once(note).chain(sent.iter().cloned()).collect()
        }
        Step::Send(sent) => sent.iter().flat_map(|line| noted(line)).collect(),
        Step::Await(what, _) => vec![format!("# wait for {}", what.word())],
        Step::Pause(span) => vec![format!("# wait {} ms", span.as_millis())],
        Step::Repeat(times, steps) => {
            let inner = lines(steps);
            let note = format!("# the next {} lines {times} times", inner.len());
            std::iter::once(note).chain(inner).collect()
        }
        Step::CloseInput => vec!["# close its input (Ctrl-D)".to_owned()],
    };
    steps.iter().flat_map(one).collect()
}

/// A line to type, after a note of what cannot be seen in it.
fn noted(line: &str) -> impl Iterator<Item = String> {
    let note = match line {
        "" => Some("# an empty line"),
        _ if line.trim().is_empty() => Some("# only blanks"),
        _ if line.contains('\t') => Some("# contains tabs"),
        _ if line.ends_with('\r') => Some("# with a carriage return at the end"),
        _ => None,
    };
    note.map(str::to_owned).into_iter().chain([line.to_owned()])
}

/// Whether lines follow a `go`, so that it matters that they arrive together.
fn ends_early(lines: &[String]) -> bool {
    lines.iter().rev().skip(1).any(|line| line.starts_with("go"))
}

/// All that was said to one process, shared with those who may have to say it again.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Arc<Mutex<Vec<Step>>>);

impl History {
    pub fn push(&self, step: Step) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    }

    /// The conversation up to now.
    pub fn mark(&self) -> Mark {
        let length = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        Mark { history: self.clone(), length }
    }
}

/// A conversation up to some point.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    history: History,
    length: usize,
}

impl Mark {
    pub fn steps(&self) -> Vec<Step> {
        let steps = self.history.0.lock().unwrap_or_else(PoisonError::into_inner);
        steps[..self.length.min(steps.len())].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reads_as_lines_to_type() {
        let script = Script::new()
            .search("position startpos", "go depth 1")
            .together(&["position startpos", "go infinite", "stop"])
            .best_move()
            .pause(20);
        assert_eq!(
            script.lines(),
            [
                "position startpos",
                "go depth 1",
                "# wait for bestmove",
                "# the next 3 lines in one write",
                "position startpos",
                "go infinite",
                "stop",
                "# wait for bestmove",
                "# wait 20 ms",
            ]
        );
    }
}
