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
mod faults;
mod xboard;

pub use engine::run;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// A habit or fault of the scripted engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Behaviour {
    // Habits: not wrong in themselves.
    /// Computes for this many milliseconds before answering (`think=2.3`).
    Think(f64),
    /// Sends this many `info` lines per move (`infos=20`).
    Infos(u32),
    /// Answers from a file of lines `position = move` (`book=FILE`).
    Book(PathBuf),
    /// Calls itself so (`name=X`).
    Name(String),
    /// Prints a banner before anything is asked.
    Banner,
    /// Ends its lines with CR LF.
    Crlf,
    /// Waits this many milliseconds before it reads its first command.
    SlowStart(u64),
    /// Reads castling rights by the files of the rooks alone, as some engines do in Chess960; a
    /// position with other rights is the start position to it.
    ShredderFenOnly,
    /// Speaks XBoard instead of UCI; of the other behaviours only the next five apply then.
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
    /// Sends lines outside the protocol in between.
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
    /// Stops reading its input.
    Deaf,
    /// Searches until `quit`, ignoring every limit and `stop`.
    IgnoreStop,
    /// Sends `info` lines without end and never a move.
    InfoForever,
    /// Sends lines without end, as fast as it can.
    FloodLines,
    /// Sends bytes without end, never a line ending.
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
    /// Sends one line of this many bytes, then its move.
    LongLine(usize),
    /// Answers this many milliseconds late, whatever the limits, unless stopped.
    Late(u64),
}

/// A behaviour, and when it applies: at every `go` or only at the given one, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// What it does.
    pub behaviour: Behaviour,
    /// At which `go`; `None` means at every one.
    pub at: Option<u32>,
}

/// A word the scripted engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBehaviour(pub String);

impl std::fmt::Display for UnknownBehaviour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown behaviour {:?}", self.0)
    }
}

impl std::error::Error for UnknownBehaviour {}

impl FromStr for Scripted {
    type Err = UnknownBehaviour;

    fn from_str(word: &str) -> Result<Self, UnknownBehaviour> {
        let unknown = || UnknownBehaviour(word.to_owned());
        let (text, at) = match word.rsplit_once('@') {
            Some((text, at)) => (text, Some(at.parse().map_err(|_| unknown())?)),
            None => (word, None),
        };
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let behaviour = match name {
            "think" => value.parse().ok().map(Behaviour::Think),
            "infos" => value.parse().ok().map(Behaviour::Infos),
            "book" => Some(Behaviour::Book(value.into())),
            "name" => Some(Behaviour::Name(value.to_owned())),
            "banner" => Some(Behaviour::Banner),
            "crlf" => Some(Behaviour::Crlf),
            "slow-start" => value.parse().ok().map(Behaviour::SlowStart),
            "shredder-fen-only" => Some(Behaviour::ShredderFenOnly),
            "xboard" => Some(Behaviour::Xboard),
            "resign" => Some(Behaviour::Resign),
            "offer-draw" => Some(Behaviour::OfferDraw),
            "accept-draw" => Some(Behaviour::AcceptDraw),
            "claim-win" => Some(Behaviour::ClaimWin),
            "claim-draw" => Some(Behaviour::ClaimDraw),
            "silent" => Some(Behaviour::Silent),
            "exit-at-start" => value.parse().ok().map(Behaviour::ExitAtStart),
            "no-readyok" => Some(Behaviour::NoReadyOk),
            "ignore-quit" => Some(Behaviour::IgnoreQuit),
            "unasked-bestmove" => Some(Behaviour::UnaskedBestMove),
            "chatter" => Some(Behaviour::Chatter),
            "sloppy" => Some(Behaviour::Sloppy),
            "spawn-child" => Some(Behaviour::SpawnChild),
            "stderr-flood" => Some(Behaviour::StderrFlood),
            "crash" => Some(Behaviour::Crash),
            "exit" => value.parse().ok().map(Behaviour::Exit),
            "hang" => Some(Behaviour::Hang),
            "deaf" => Some(Behaviour::Deaf),
            "ignore-stop" => Some(Behaviour::IgnoreStop),
            "info-forever" => Some(Behaviour::InfoForever),
            "flood-lines" => Some(Behaviour::FloodLines),
            "flood-bytes" => Some(Behaviour::FloodBytes),
            "close-stdout" => Some(Behaviour::CloseStdout),
            "illegal-move" => Some(Behaviour::IllegalMove),
            "null-move" => Some(Behaviour::NullMove),
            "none-move" => Some(Behaviour::NoneMove),
            "empty-move" => Some(Behaviour::EmptyMove),
            "capitals" => Some(Behaviour::Capitals),
            "garbage" => Some(Behaviour::Garbage),
            "twice" => Some(Behaviour::Twice),
            "long-line" => value.parse().ok().map(Behaviour::LongLine),
            "late" => value.parse().ok().map(Behaviour::Late),
            _ => None,
        };
        Ok(Self { behaviour: behaviour.ok_or_else(unknown)?, at })
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
        assert_eq!("crash@3".parse(), Ok(Scripted { behaviour: Behaviour::Crash, at: Some(3) }));
        assert_eq!(
            "think=2.3".parse(),
            Ok(Scripted { behaviour: Behaviour::Think(2.3), at: None })
        );
        assert_eq!("levitate".parse::<Scripted>(), Err(UnknownBehaviour("levitate".into())));
        assert!("crash@x".parse::<Scripted>().is_err() && "exit=x".parse::<Scripted>().is_err());
    }
}
