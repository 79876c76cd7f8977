//! A scripted engine: a real UCI engine process that plays legal moves at once, and misbehaves in
//! exactly the way it is told to.
//!
//! Faults and habits are words on its command line, so that any tool can be tried against it:
//!
//! ```sh
//! scripted-engine crash@3          # aborts on its third `go`
//! scripted-engine think=2.3 infos=20
//! ```
//!
//! In tests, [`command`] gives the command line of the binary with the words wanted.

mod engine;
mod trouble;
mod xboard;

pub use engine::run;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// A habit or fault of the scripted engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Trick {
    // Habits: not wrong in themselves.
    /// Computes for so many milliseconds before answering (`think=2.3`).
    Think(f64),
    /// Sends so many `info` lines a move (`infos=20`).
    Infos(u32),
    /// Answers from a file of lines `position = move` (`book=FILE`).
    Book(PathBuf),
    /// Calls itself so (`name=X`).
    Name(String),
    /// Prints a banner before anything is asked.
    Banner,
    /// Ends its lines with CR LF.
    Crlf,
    /// Waits so many milliseconds before it reads its first command.
    SlowStart(u64),
    /// Speaks XBoard instead of UCI; of the other tricks it knows only the next five then.
    Xboard,
    /// Resigns instead of moving.
    Resign,
    /// Offers a draw after its move.
    OfferDraw,
    /// Accepts every draw it is offered.
    AcceptDraw,
    /// Claims to have won instead of moving.
    ClaimWin,
    /// Claims a draw before its move.
    ClaimDraw,

    // Faults from the start.
    /// Never answers anything.
    Silent,
    /// Ends at once with this code.
    ExitAtStart(i32),
    /// Answers everything but `isready`.
    NoReadyOk,
    /// Goes on after `quit` and after the end of its input.
    IgnoreQuit,
    /// Sends a `bestmove` after every `ucinewgame`.
    UnaskedBestMove,
    /// Sends words that are no protocol, in between.
    Chatter,
    /// Sends numbers with commas, negative times and unknown fields.
    Sloppy,
    /// Starts a process of its own that would run for a long time.
    SpawnChild,
    /// Fills its standard error.
    StderrFlood,

    // Faults on `go`.
    /// Aborts.
    Crash,
    /// Exits with this code.
    Exit(i32),
    /// Answers nothing any more, not even `stop` or `quit`, but reads on.
    Hang,
    /// Stops reading, for ever.
    Deaf,
    /// Searches until `quit`, ignoring every limit and `stop`.
    IgnoreStop,
    /// Sends `info` for ever and never a move.
    InfoForever,
    /// Sends lines for ever, as fast as it can.
    FloodLines,
    /// Sends bytes for ever, never a line ending.
    FloodBytes,
    /// Closes its standard output and runs on.
    CloseStdout,
    /// Answers with a move that is not legal.
    IllegalMove,
    /// Answers `0000`.
    NullMove,
    /// Answers `(none)`.
    NoneMove,
    /// Answers `bestmove` and nothing else.
    EmptyMove,
    /// Answers in capital letters.
    Capitals,
    /// Sends binary garbage, then its move.
    Garbage,
    /// Sends its move twice.
    Twice,
    /// Sends one line of so many bytes, then its move.
    LongLine(usize),
    /// Answers so many milliseconds late, whatever the limits, unless stopped.
    Late(u64),
}

/// A trick, and when it is done: at every `go` or only at the given one, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// What it does.
    pub trick: Trick,
    /// At which `go`; `None` means at every one.
    pub at: Option<u32>,
}

/// A word the scripted engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTrick(pub String);

impl std::fmt::Display for UnknownTrick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown trick {:?}", self.0)
    }
}

impl std::error::Error for UnknownTrick {}

impl FromStr for Scripted {
    type Err = UnknownTrick;

    fn from_str(word: &str) -> Result<Self, UnknownTrick> {
        let unknown = || UnknownTrick(word.to_owned());
        let (text, at) = match word.rsplit_once('@') {
            Some((text, at)) => (text, Some(at.parse().map_err(|_| unknown())?)),
            None => (word, None),
        };
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let trick = match name {
            "think" => value.parse().ok().map(Trick::Think),
            "infos" => value.parse().ok().map(Trick::Infos),
            "book" => Some(Trick::Book(value.into())),
            "name" => Some(Trick::Name(value.to_owned())),
            "banner" => Some(Trick::Banner),
            "crlf" => Some(Trick::Crlf),
            "slow-start" => value.parse().ok().map(Trick::SlowStart),
            "xboard" => Some(Trick::Xboard),
            "resign" => Some(Trick::Resign),
            "offer-draw" => Some(Trick::OfferDraw),
            "accept-draw" => Some(Trick::AcceptDraw),
            "claim-win" => Some(Trick::ClaimWin),
            "claim-draw" => Some(Trick::ClaimDraw),
            "silent" => Some(Trick::Silent),
            "exit-at-start" => value.parse().ok().map(Trick::ExitAtStart),
            "no-readyok" => Some(Trick::NoReadyOk),
            "ignore-quit" => Some(Trick::IgnoreQuit),
            "unasked-bestmove" => Some(Trick::UnaskedBestMove),
            "chatter" => Some(Trick::Chatter),
            "sloppy" => Some(Trick::Sloppy),
            "spawn-child" => Some(Trick::SpawnChild),
            "stderr-flood" => Some(Trick::StderrFlood),
            "crash" => Some(Trick::Crash),
            "exit" => value.parse().ok().map(Trick::Exit),
            "hang" => Some(Trick::Hang),
            "deaf" => Some(Trick::Deaf),
            "ignore-stop" => Some(Trick::IgnoreStop),
            "info-forever" => Some(Trick::InfoForever),
            "flood-lines" => Some(Trick::FloodLines),
            "flood-bytes" => Some(Trick::FloodBytes),
            "close-stdout" => Some(Trick::CloseStdout),
            "illegal-move" => Some(Trick::IllegalMove),
            "null-move" => Some(Trick::NullMove),
            "none-move" => Some(Trick::NoneMove),
            "empty-move" => Some(Trick::EmptyMove),
            "capitals" => Some(Trick::Capitals),
            "garbage" => Some(Trick::Garbage),
            "twice" => Some(Trick::Twice),
            "long-line" => value.parse().ok().map(Trick::LongLine),
            "late" => value.parse().ok().map(Trick::Late),
            _ => None,
        };
        Ok(Self { trick: trick.ok_or_else(unknown)?, at })
    }
}

/// The command line of the scripted engine with these words, for `--engine` and its like.
///
/// The binary is built on first use where it is not there yet.
///
/// # Panics
///
/// When the binary can be neither found nor built: a test cannot go on without it.
#[must_use]
pub fn command(words: &[&str]) -> String {
    crate::binary::command(binary(), words)
}

/// The path of the scripted engine's binary, built on first use where it is not there yet.
///
/// # Panics
///
/// When the binary can be neither found nor built.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| crate::binary::built("scripted-engine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!("crash@3".parse(), Ok(Scripted { trick: Trick::Crash, at: Some(3) }));
        assert_eq!("think=2.3".parse(), Ok(Scripted { trick: Trick::Think(2.3), at: None }));
        assert_eq!("levitate".parse::<Scripted>(), Err(UnknownTrick("levitate".into())));
        assert!("crash@x".parse::<Scripted>().is_err() && "exit=x".parse::<Scripted>().is_err());
    }
}
