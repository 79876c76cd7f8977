//! What a GUI says: read by engines, written by drivers.

use crate::tokens::Tokens;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A command to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`: the handshake.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `setoption name … value …`.
    SetOption {
        /// The option's name.
        name: &'a str,
        /// Its value; buttons have none.
        value: Option<&'a str>,
    },
    /// `register`, with what follows.
    Register(&'a str),
    /// `ucinewgame`.
    NewGame,
    /// `position`, with the moves that lead from its root.
    Position {
        /// The root; `None` is the start position.
        fen: Option<&'a str>,
        /// The moves, as one run of words.
        moves: &'a str,
    },
    /// `go`, with its limits.
    Go(Go),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
}

/// The limits of a search. Absent means unlimited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Go {
    /// Search these moves only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub searchmoves: Vec<String>,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Milliseconds on White's clock; some GUIs let it go below zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wtime: Option<i64>,
    /// Milliseconds on Black's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub btime: Option<i64>,
    /// White's increment in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winc: Option<i64>,
    /// Black's increment in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binc: Option<i64>,
    /// Moves to the next time control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movestogo: Option<u32>,
    /// The depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Look for a mate in this number of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<u32>,
    /// The exact time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Count leaf nodes at this depth. Not part of the protocol, but widely supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perft: Option<u32>,
}

impl Go {
    /// A search to this depth.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// A search of this number of nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search of this number of milliseconds.
    #[must_use]
    pub fn movetime(ms: u64) -> Self {
        Self { movetime: Some(ms), ..Self::default() }
    }

    /// A search until `stop`.
    #[must_use]
    pub fn infinite() -> Self {
        Self { infinite: true, ..Self::default() }
    }
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No word of it is a command.
    #[error("unknown command: {0:?}")]
    Unknown(String),
    /// A word is missing.
    #[error("{command}: {what} is missing")]
    Missing {
        /// The command.
        command: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// A value cannot be read.
    #[error("{command} {field}: not a number: {value:?}")]
    BadNumber {
        /// The command.
        command: &'static str,
        /// The field.
        field: String,
        /// Its value as written.
        value: String,
    },
    /// A word that does not belong there.
    #[error("{command}: unknown word {word:?}")]
    UnknownWord {
        /// The command.
        command: &'static str,
        /// That word.
        word: String,
    },
}

impl<'a> Command<'a> {
    /// Reads a command; words before the first known one are skipped, as the protocol asks.
    pub fn parse(line: &'a str) -> Result<Self, CommandError> {
        let mut tokens = Tokens::new(line);
        while let Some(word) = tokens.next() {
            return Ok(match word {
                "uci" => Command::Uci,
                "debug" => match tokens.next() {
                    Some("on") => Command::Debug(true),
                    Some("off") => Command::Debug(false),
                    _ => return Err(missing("debug", "on or off")),
                },
                "isready" => Command::IsReady,
                "setoption" => set_option(&mut tokens)?,
                "register" => Command::Register(tokens.rest()),
                "ucinewgame" => Command::NewGame,
                "position" => position(&mut tokens)?,
                "go" => Command::Go(go(&mut tokens)?),
                "stop" => Command::Stop,
                "ponderhit" => Command::PonderHit,
                "quit" => Command::Quit,
                _ => continue,
            });
        }
        Err(CommandError::Unknown(line.trim().to_owned()))
    }
}

fn missing(command: &'static str, what: &'static str) -> CommandError {
    CommandError::Missing { command, what }
}

fn set_option<'a>(tokens: &mut Tokens<'a>) -> Result<Command<'a>, CommandError> {
    if tokens.next() != Some("name") {
        return Err(missing("setoption", "name"));
    }
    let name = tokens.run_until(|w| w == "value");
    if name.is_empty() {
        return Err(missing("setoption", "the option's name"));
    }
    let value = tokens.next().map(|_| tokens.rest());
    Ok(Command::SetOption { name, value })
}

fn position<'a>(tokens: &mut Tokens<'a>) -> Result<Command<'a>, CommandError> {
    let fen = match tokens.next() {
        Some("startpos") => None,
        Some("fen") => {
            let fen = tokens.run_until(|w| w == "moves");
            if fen.is_empty() {
                return Err(missing("position", "the FEN"));
            }
            Some(fen)
        }
        Some(word) => {
            return Err(CommandError::UnknownWord { command: "position", word: word.to_owned() });
        }
        None => return Err(missing("position", "startpos or fen")),
    };
    let moves = match tokens.next() {
        Some("moves") => tokens.rest(),
        Some(word) => {
            return Err(CommandError::UnknownWord { command: "position", word: word.to_owned() });
        }
        None => "",
    };
    Ok(Command::Position { fen, moves })
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(tokens: &mut Tokens<'_>) -> Result<Go, CommandError> {
    let mut go = Go::default();
    while let Some(word) = tokens.next() {
        match word {
            "searchmoves" => {
                let moves = tokens.run_until(|w| GO_WORDS.contains(&w));
                go.searchmoves = moves.split_ascii_whitespace().map(str::to_owned).collect();
            }
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "wtime" => go.wtime = Some(number(word, tokens)?),
            "btime" => go.btime = Some(number(word, tokens)?),
            "winc" => go.winc = Some(number(word, tokens)?),
            "binc" => go.binc = Some(number(word, tokens)?),
            "movestogo" => go.movestogo = Some(number(word, tokens)?),
            "depth" => go.depth = Some(number(word, tokens)?),
            "nodes" => go.nodes = Some(number(word, tokens)?),
            "mate" => go.mate = Some(number(word, tokens)?),
            "movetime" => go.movetime = Some(number(word, tokens)?),
            "perft" => go.perft = Some(number(word, tokens)?),
            _ => {
                return Err(CommandError::UnknownWord { command: "go", word: word.to_owned() });
            }
        }
    }
    Ok(go)
}

fn number<T: std::str::FromStr>(field: &str, tokens: &mut Tokens<'_>) -> Result<T, CommandError> {
    let value = tokens.next().ok_or(missing("go", "a number"))?;
    value.parse().map_err(|_| CommandError::BadNumber {
        command: "go",
        field: field.to_owned(),
        value: value.to_owned(),
    })
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        write_field(f, " wtime ", self.wtime)?;
        write_field(f, " btime ", self.btime)?;
        write_field(f, " winc ", self.winc)?;
        write_field(f, " binc ", self.binc)?;
        write_field(f, " movestogo ", self.movestogo)?;
        write_field(f, " depth ", self.depth)?;
        write_field(f, " nodes ", self.nodes)?;
        write_field(f, " mate ", self.mate)?;
        write_field(f, " movetime ", self.movetime)?;
        write_field(f, " perft ", self.perft)?;
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if !self.searchmoves.is_empty() {
            write!(f, " searchmoves {}", self.searchmoves.join(" "))?;
        }
        Ok(())
    }
}

fn write_field(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<impl fmt::Display>,
) -> fmt::Result {
    match value {
        Some(value) => f.write_str(name).and_then(|()| value.fmt(f)),
        None => Ok(()),
    }
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Debug(on) => f.write_str(if *on { "debug on" } else { "debug off" }),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Register(rest) => write!(f, "register {rest}"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::Position { fen, moves } => {
                match fen {
                    Some(fen) => write!(f, "position fen {fen}")?,
                    None => f.write_str("position startpos")?,
                }
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {moves}") }
            }
            Command::Go(go) => go.fmt(f),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn round_trips() {
        for line in [
            "uci",
            "debug on",
            "isready",
            "setoption name Clear Hash",
            "setoption name Skill Level value 20",
            "setoption name SyzygyPath value C:\\my tables",
            "register later",
            "ucinewgame",
            "position startpos",
            "position startpos moves e2e4 e7e5",
            "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1 moves a1a2",
            "go",
            "go ponder wtime -5 btime 60000 winc 100 binc 100 movestogo 40",
            "go depth 6 nodes 1000 mate 3 movetime 50",
            "go infinite searchmoves e2e4 d2d4",
            "go perft 5",
            "stop",
            "ponderhit",
            "quit",
        ] {
            assert_eq!(Command::parse(line).unwrap().to_string(), line);
        }
    }

    #[test]
    fn tolerant_and_strict_where_it_matters() {
        assert_eq!(Command::parse("joho  debug   on"), Ok(Command::Debug(true)));
        assert_eq!(
            Command::parse("go searchmoves e2e4 depth 3").unwrap(),
            Command::Go(Go { searchmoves: vec!["e2e4".into()], depth: Some(3), ..Go::default() })
        );
        for (line, message) in [
            ("", "unknown command: \"\""),
            ("hello", "unknown command: \"hello\""),
            ("position", "position: startpos or fen is missing"),
            ("position fen moves e2e4", "position: the FEN is missing"),
            ("position e2e4", "position: unknown word \"e2e4\""),
            ("go depth x", "go depth: not a number: \"x\""),
            ("go depth", "go: a number is missing"),
            ("go fast", "go: unknown word \"fast\""),
            ("setoption Hash", "setoption: name is missing"),
        ] {
            assert_eq!(Command::parse(line).unwrap_err().to_string(), message, "{line}");
        }
    }
}
