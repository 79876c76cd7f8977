//! The lines of a PGN file, with a look ahead.

use crate::lines::{LineError, Lines};
use std::collections::VecDeque;
use std::io::BufRead;

/// The lines of a file, with one that can be handed back.
#[derive(Debug)]
pub(super) struct Source<R> {
    lines: Lines<R>,
    text: String,
    number: u64,
    held: bool,
    failed: bool,
    /// Lines that were looked at before their turn.
    ahead: VecDeque<(Result<String, LineError>, u64)>,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(input: R) -> Source<R> {
        Source {
            lines: Lines::new(input),
            text: String::new(),
            number: 0,
            held: false,
            failed: false,
            ahead: VecDeque::new(),
        }
    }

    /// Moves to the next line, or stays if the last was handed back.
    pub(super) fn advance(&mut self) -> Result<bool, LineError> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.text.clear();
        if let Some((read, number)) = self.ahead.pop_front() {
            self.number = number;
            self.text = read?;
            return Ok(true);
        }
        if self.failed {
            return Ok(false);
        }
        let read = self.lines.read_into(&mut self.text);
        self.number = self.lines.number();
        self.failed = matches!(read, Err(LineError::Io(_)));
        read
    }

    /// Hands back what follows the first `used` bytes of the line.
    pub(super) fn hold_from(&mut self, used: usize) {
        self.text.drain(..used);
        self.held = true;
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the line is one that a reader must not look into.
    pub(super) fn is_escaped(&self) -> bool {
        self.text.starts_with('%')
    }

    /// Whether this line, inside an open comment, begins the next game: then the comment was never
    /// closed. A comment may quote a tag; it is closed before another one opens.
    pub(super) fn begins_game_in_comment(&mut self) -> bool {
        const FAR_ENOUGH: usize = 200;
        if !self.text.starts_with("[Event \"") {
            return false;
        }
        let brace = |text: &str| text.bytes().find(|byte| matches!(byte, b'{' | b'}'));
        if let Some(brace) = brace(&self.text) {
            return brace == b'{';
        }
        for at in 0..FAR_ENOUGH {
            if at == self.ahead.len() && !self.read_ahead() {
                break;
            }
            let Some((Ok(text), _)) = self.ahead.get(at) else { break };
            if let Some(brace) = brace(text) {
                return brace == b'{';
            }
        }
        true
    }

    /// Reads one more line before its turn; `false` at the end.
    fn read_ahead(&mut self) -> bool {
        if self.failed {
            return false;
        }
        let mut text = String::new();
        let read = self.lines.read_into(&mut text);
        self.failed = matches!(read, Err(LineError::Io(_)));
        match read {
            Ok(false) => return false,
            Ok(true) => self.ahead.push_back((Ok(text), self.lines.number())),
            Err(error) => self.ahead.push_back((Err(error), self.lines.number())),
        }
        true
    }
}
