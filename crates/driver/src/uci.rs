//! The UCI side of a conversation.

use crate::channel::Channel;
use crate::engine::{Heard, Identity};
use crate::error::{EngineError, Phase};
use dyno_uci::{Deviation, EngineMessage, EngineOption, Go};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// UCI needs no memory: every command says all there is to know.
#[derive(Debug)]
pub(crate) struct Uci;

impl Uci {
    /// Sends `uci` and listens until `uciok`.
    pub(crate) fn handshake(
        channel: &mut Channel,
        patience: Duration,
        gives_up: impl Fn(&str) -> bool,
    ) -> Result<(Identity, Vec<EngineOption>), EngineError> {
        channel.phase = Phase::Handshake;
        let deadline = channel.send("uci")? + patience;
        let mut identity = Identity::default();
        let mut options: Vec<EngineOption> = Vec::new();
        let mut heard = Vec::new();
        while channel.read_line(Some(deadline))? {
            let Channel { line, findings, .. } = channel;
            let mut found = Vec::new();
            match EngineMessage::parse(line, &mut |d| found.push(d)) {
                EngineMessage::UciOk => {
                    found.into_iter().for_each(|d| findings.push(d, line));
                    if identity.name.is_none() {
                        findings.push(Deviation::NoName, line);
                    }
                    return Ok((identity, options));
                }
                EngineMessage::IdName(name) => identity.name = Some(name.to_owned()),
                EngineMessage::IdAuthor(author) => identity.author = Some(author.to_owned()),
                EngineMessage::Option(option) => {
                    if options.iter().any(|o| o.is_named(&option.name)) {
                        found.push(Deviation::RepeatedOption { option: option.name.clone() });
                    }
                    // A flood of options must not fill our memory.
                    if options.len() < 10_000 {
                        options.push(option);
                    }
                }
                EngineMessage::Other(text) => {
                    if gives_up(text) {
                        break;
                    }
                    if heard.len() < 3 && !text.trim().is_empty() {
                        heard.push(text.chars().take(80).collect::<String>());
                    }
                }
                _ => {}
            }
            found.into_iter().for_each(|d| findings.push(d, line));
        }
        Err(EngineError::NoHandshake {
            engine: channel.name.clone(),
            asked: "uci",
            wanted: "uciok",
            after: patience,
            heard: match heard.is_empty() {
                true => "; it said nothing".to_owned(),
                false => format!("; it said: {}", heard.join(" / ")),
            },
        })
    }

    pub(crate) fn set_option(
        channel: &mut Channel,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), EngineError> {
        match value {
            Some(value) => channel.send(&format!("setoption name {name} value {value}"))?,
            None => channel.send(&format!("setoption name {name}"))?,
        };
        Ok(())
    }

    /// Sends position and `go` in one write.
    pub(crate) fn go(
        channel: &mut Channel,
        position: &str,
        go: &Go,
    ) -> Result<Instant, EngineError> {
        channel.send_composed(|command| {
            command.push_str("position ");
            command.push_str(position);
            // Writing into a string cannot fail.
            let _ = write!(command, "\n{go}");
        })
    }

    /// What the line just read means, before its details are looked at.
    pub(crate) fn hear(channel: &mut Channel) -> Heard {
        match channel.line.split_ascii_whitespace().next() {
            Some("info") => Heard::Info,
            Some("bestmove") => Heard::Best,
            Some("readyok") => Heard::Ready,
            Some("uciok") => {
                channel.found(Deviation::UnexpectedUciOk);
                Heard::Nothing
            }
            Some("id" | "option" | "copyprotection" | "registration") | None => Heard::Nothing,
            Some(_) => {
                channel.found(Deviation::NotAMessage);
                Heard::Nothing
            }
        }
    }
}
