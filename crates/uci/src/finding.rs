//! Deviations from the protocol: what was wrong, and the raw line that shows it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One way in which a line, or its place in the conversation, departs from the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Deviation {
    /// The first word is not one of the protocol's.
    NotAMessage,
    /// A field without its value.
    MissingValue {
        /// The field.
        field: String,
    },
    /// Not a number where one belongs.
    BadNumber {
        /// The field.
        field: String,
        /// Its value as written.
        value: String,
    },
    /// A number with stray punctuation, such as `nps 1771333,`.
    SloppyNumber {
        /// The field.
        field: String,
        /// Its value as written.
        value: String,
    },
    /// A negative number where only counts make sense.
    NegativeNumber {
        /// The field.
        field: String,
        /// Its value as written.
        value: String,
    },
    /// A word in an `info` line that is not a field of the protocol.
    UnknownField {
        /// The field.
        field: String,
    },
    /// A field given twice in one line.
    RepeatedField {
        /// The field.
        field: String,
    },
    /// A score that is neither `cp N` nor `mate N`.
    BadScore {
        /// What stands in its place.
        value: String,
    },
    /// An `option` line without a name, or with a type the protocol does not know.
    BadOption {
        /// What is wrong with it.
        reason: String,
    },
    /// An option whose default is outside its own range or choices.
    BadDefault {
        /// The option's name.
        option: String,
        /// The default.
        value: String,
    },
    /// An option declared twice.
    RepeatedOption {
        /// The option's name.
        option: String,
    },
    /// `bestmove` without a move.
    EmptyBestMove,
    /// Words after the move and its ponder move.
    TrailingWords {
        /// Those words.
        words: String,
    },
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// NUL or other control bytes in a line.
    ControlBytes,
    /// A line longer than the reader keeps.
    LineTooLong {
        /// How many bytes were kept.
        kept: usize,
    },
    /// Output before `uci` was sent that is not a plain banner.
    SpokeFirst,
    /// `uciok` unprompted, or sent again.
    UnexpectedUciOk,
    /// `readyok` without an `isready`.
    UnexpectedReadyOk,
    /// `bestmove` without a running search: sent twice, or unprompted.
    UnexpectedBestMove {
        /// The move.
        text: String,
    },
    /// `info` with a score or principal variation while no search runs.
    InfoOutsideSearch,
    /// No `id name` before `uciok`.
    NoName,
    /// The search went on past its deadline and had to be stopped.
    LateBestMove {
        /// Milliseconds since the search began.
        ms: u64,
    },
    /// `stop` was sent and no `bestmove` came.
    IgnoredStop,
    /// `quit` was sent and the process went on.
    IgnoredQuit,
    /// The engine left its output open with an unfinished last line.
    UnfinishedLine,
    /// A command the engine said it does not know (XBoard's `Error`).
    Refused {
        /// What it said.
        text: String,
    },
}

impl Deviation {
    /// A short stable name, the same as in JSON.
    #[must_use]
    pub fn code(&self) -> &'static str {
        use Deviation as D;
        match self {
            D::NotAMessage => "not-a-message",
            D::MissingValue { .. } => "missing-value",
            D::BadNumber { .. } => "bad-number",
            D::SloppyNumber { .. } => "sloppy-number",
            D::NegativeNumber { .. } => "negative-number",
            D::UnknownField { .. } => "unknown-field",
            D::RepeatedField { .. } => "repeated-field",
            D::BadScore { .. } => "bad-score",
            D::BadOption { .. } => "bad-option",
            D::BadDefault { .. } => "bad-default",
            D::RepeatedOption { .. } => "repeated-option",
            D::EmptyBestMove => "empty-best-move",
            D::TrailingWords { .. } => "trailing-words",
            D::NotUtf8 => "not-utf8",
            D::ControlBytes => "control-bytes",
            D::LineTooLong { .. } => "line-too-long",
            D::SpokeFirst => "spoke-first",
            D::UnexpectedUciOk => "unexpected-uci-ok",
            D::UnexpectedReadyOk => "unexpected-ready-ok",
            D::UnexpectedBestMove { .. } => "unexpected-best-move",
            D::InfoOutsideSearch => "info-outside-search",
            D::NoName => "no-name",
            D::LateBestMove { .. } => "late-best-move",
            D::IgnoredStop => "ignored-stop",
            D::IgnoredQuit => "ignored-quit",
            D::UnfinishedLine => "unfinished-line",
            D::Refused { .. } => "refused",
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Deviation as D;
        match self {
            D::NotAMessage => f.write_str("not a message of the protocol"),
            D::MissingValue { field } => write!(f, "{field} without a value"),
            D::BadNumber { field, value } => write!(f, "{field} is not a number: {value:?}"),
            D::SloppyNumber { field, value } => {
                write!(f, "{field} with stray punctuation: {value:?}")
            }
            D::NegativeNumber { field, value } => write!(f, "{field} is negative: {value:?}"),
            D::UnknownField { field } => write!(f, "unknown field {field:?}"),
            D::RepeatedField { field } => write!(f, "{field} given twice"),
            D::BadScore { value } => write!(f, "score is neither cp nor mate: {value:?}"),
            D::BadOption { reason } => write!(f, "bad option line: {reason}"),
            D::BadDefault { option, value } => {
                write!(f, "option {option}: default {value:?} is outside its own range")
            }
            D::RepeatedOption { option } => write!(f, "option {option} declared twice"),
            D::EmptyBestMove => f.write_str("bestmove without a move"),
            D::TrailingWords { words } => write!(f, "trailing words: {words:?}"),
            D::NotUtf8 => f.write_str("bytes that are not UTF-8"),
            D::ControlBytes => f.write_str("control bytes in a line"),
            D::LineTooLong { kept } => {
                write!(f, "line too long, only its first {kept} bytes were read")
            }
            D::SpokeFirst => f.write_str("protocol output before uci was sent"),
            D::UnexpectedUciOk => f.write_str("unprompted uciok"),
            D::UnexpectedReadyOk => f.write_str("unprompted readyok"),
            D::UnexpectedBestMove { text } => {
                write!(f, "bestmove {text} while no search was running")
            }
            D::InfoOutsideSearch => f.write_str("info about a search while none was running"),
            D::NoName => f.write_str("no id name before uciok"),
            D::LateBestMove { ms } => write!(f, "still searching at its deadline after {ms} ms"),
            D::IgnoredStop => f.write_str("no bestmove after stop"),
            D::IgnoredQuit => f.write_str("still running after quit"),
            D::UnfinishedLine => f.write_str("output ended in the middle of a line"),
            D::Refused { text } => write!(f, "the engine refused a command: {text}"),
        }
    }
}

/// A deviation with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was wrong.
    #[serde(flatten)]
    pub deviation: Deviation,
    /// The raw line (its beginning, when it is very long).
    pub line: String,
}

/// All findings about one engine: every one counted, the first few of each kind kept.
///
/// An engine that errs in every line must not fill our memory, so both the number of examples
/// and their length are bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    examples: Vec<Finding>,
    counts: Vec<(String, u64)>,
}

impl Findings {
    const EXAMPLES_PER_CODE: u64 = 5;
    const LONGEST_LINE: usize = 400;

    /// Counts the deviation and keeps it while it is among the first of its kind.
    pub fn push(&mut self, deviation: Deviation, line: &str) {
        let code = deviation.code();
        let count = match self.counts.iter_mut().find(|(c, _)| c == code) {
            Some((_, count)) => count,
            None => {
                self.counts.push((code.to_owned(), 0));
                let last = self.counts.len() - 1;
                &mut self.counts[last].1
            }
        };
        *count += 1;
        if *count <= Self::EXAMPLES_PER_CODE {
            let line = shortened(line, Self::LONGEST_LINE).to_owned();
            self.examples.push(Finding { deviation, line });
        }
    }

    /// The kept examples, in order of arrival.
    #[must_use]
    pub fn examples(&self) -> &[Finding] {
        &self.examples
    }

    /// How often each kind was seen, in order of first appearance.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(code, count)| (code.as_str(), *count))
    }

    /// All deviations seen.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Whether the engine kept to the protocol.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds what another process of the same engine did.
    pub fn absorb(&mut self, other: &Findings) {
        for (code, count) in &other.counts {
            match self.counts.iter_mut().find(|(c, _)| c == code) {
                Some((_, mine)) => *mine += count,
                None => self.counts.push((code.clone(), *count)),
            }
        }
        for example in &other.examples {
            let code = example.deviation.code();
            let kept = self.examples.iter().filter(|e| e.deviation.code() == code).count() as u64;
            if kept < Self::EXAMPLES_PER_CODE {
                self.examples.push(example.clone());
            }
        }
    }
}

fn shortened(line: &str, longest: usize) -> &str {
    let mut end = line.len().min(longest);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_all_and_keeps_few() {
        let mut findings = Findings::default();
        for _ in 0..1000 {
            findings.push(Deviation::NotAMessage, &"é".repeat(1000));
        }
        findings.push(Deviation::NoName, "");
        assert_eq!(findings.total(), 1001);
        assert_eq!(findings.examples().len(), 6);
        assert!(findings.examples()[0].line.len() <= 400);
        let mut sum = Findings::default();
        sum.absorb(&findings);
        sum.absorb(&findings);
        assert_eq!(sum.total(), 2002);
        assert_eq!(sum.examples().len(), 7);
    }
}
