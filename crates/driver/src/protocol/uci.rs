//! UCI, the Universal Chess Interface.

use super::capabilities::Capabilities;
use super::engine_protocol::{EngineProtocol, Handshake, LineKind};
use crate::channel::Channel;
use crate::error::{EngineError, Phase};
use crate::identity::Identity;
use crate::spec::Protocol;
use dyno_uci::{BestMove, Deviation, EngineMessage, EngineOption, Go, Info};
use std::borrow::Cow;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A flood of options must not fill our memory.
const MAX_OPTIONS: usize = 10_000;

/// Sends `uci` and reads until `uciok`. `gives_up` recognises an engine that does not know UCI.
pub(super) fn handshake(
    channel: &mut Channel,
    timeout: Duration,
    gives_up: impl Fn(&str) -> bool,
) -> Result<Handshake, EngineError> {
    channel.phase = Phase::Handshake;
    let deadline = channel.send("uci")? + timeout;
    let mut identity = Identity::default();
    let mut options: Vec<EngineOption> = Vec::new();
    let mut other_lines = Vec::new();
    while channel.read_line(Some(deadline))? {
        let Channel { line, findings, .. } = channel;
        let mut deviations = Vec::new();
        match EngineMessage::parse(line, &mut |d| deviations.push(d)) {
            EngineMessage::UciOk => {
                deviations.into_iter().for_each(|d| findings.push(d, line));
                if identity.name.is_none() {
                    findings.push(Deviation::NoName, line);
                }
                return Ok(Handshake { protocol: Box::new(UciProtocol), identity, options });
            }
            EngineMessage::IdName(name) => identity.name = Some(name.to_owned()),
            EngineMessage::IdAuthor(author) => identity.author = Some(author.to_owned()),
            EngineMessage::Option(option) => {
                if options.iter().any(|o| o.is_named(&option.name)) {
                    deviations.push(Deviation::RepeatedOption { option: option.name.clone() });
                }
                if options.len() < MAX_OPTIONS {
                    options.push(option);
                }
            }
            EngineMessage::Other(text) => {
                if gives_up(text) {
                    break;
                }
                if other_lines.len() < 3 && !text.trim().is_empty() {
                    other_lines.push(text.chars().take(80).collect::<String>());
                }
            }
            _ => {}
        }
        deviations.into_iter().for_each(|d| findings.push(d, line));
    }
    Err(EngineError::NoHandshake {
        engine: channel.name.clone(),
        asked: "uci",
        wanted: "uciok",
        after: timeout,
        heard: match other_lines.is_empty() {
            true if answers_at_the_end(channel) => "; its answer came only when its input was \
                closed: it does not flush its output (flush after every line)"
                .to_owned(),
            true => "; it said nothing".to_owned(),
            false => format!("; it said: {}", other_lines.join(" / ")),
        },
    })
}

/// Whether the answer comes when the input ends: then it was in the engine's buffer all the time.
fn answers_at_the_end(channel: &mut Channel) -> bool {
    channel.close_input();
    let soon = Instant::now() + Duration::from_millis(500);
    while let Ok(true) = channel.read_line(Some(soon)) {
        if matches!(EngineMessage::parse(&channel.line, &mut |_| {}), EngineMessage::UciOk) {
            return true;
        }
    }
    false
}

/// Stateless: every UCI command says all there is to know.
struct UciProtocol;

impl EngineProtocol for UciProtocol {
    fn protocol(&self) -> Protocol {
        Protocol::Uci
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            uci_commands: true,
            node_limit: true,
            depth_limit: true,
            exact_movetime: true,
            any_position: true,
            game_claims: false,
            names_itself: true,
        }
    }

    fn set_option(
        &mut self,
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

    fn new_game(&mut self) -> Cow<'static, str> {
        "ucinewgame".into()
    }

    fn ready_command(&self) -> &'static str {
        "isready"
    }

    fn ready_query(&mut self) -> Option<Cow<'static, str>> {
        Some("isready".into())
    }

    fn start_search(
        &mut self,
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

    fn stop_command(&self) -> &'static str {
        "stop"
    }

    fn ponder_hit(&mut self, channel: &mut Channel) -> Result<Instant, EngineError> {
        channel.send("ponderhit")
    }

    fn classify(&mut self, channel: &mut Channel, searching: bool) -> LineKind {
        match channel.line.split_ascii_whitespace().next() {
            Some("info") => {
                if !searching && Info::parse(&channel.line, &mut |_| {}).is_about_search() {
                    channel.report(Deviation::InfoOutsideSearch);
                }
                LineKind::Info
            }
            Some("bestmove") => LineKind::BestMove,
            Some("readyok") => LineKind::Ready,
            Some("uciok") => {
                channel.report(Deviation::UnexpectedUciOk);
                LineKind::Other
            }
            Some("id" | "option" | "copyprotection" | "registration") | None => LineKind::Other,
            Some(_) => {
                channel.report(Deviation::NotAMessage);
                LineKind::Other
            }
        }
    }

    fn best_move<'a>(&'a self, line: &'a str, report: &mut dyn FnMut(Deviation)) -> BestMove<'a> {
        BestMove::parse(line, report)
    }

    fn info<'a>(&'a self, line: &'a str, report: &mut dyn FnMut(Deviation)) -> Info<'a> {
        Info::parse(line, report)
    }
}
