//! Asking an engine for perft: which command it knows, and what it answers.

use super::dialect::{self, Line};
use super::patience::{Patience, Silence};
use dyno_chess::{Move, Position};
use dyno_driver::{Engine, EngineError, Interrupt};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The commands tried, in this order; the depth follows.
const COMMANDS: [&str; 4] = ["go perft", "perft", "divide", "go divide"];

/// Ways to ask for the count below each move, tried where a command above prints only a total: what
/// stands before the depth, and after it.
const DIVIDING: [(&str, &str); 8] = [
    ("perft", "div"),
    ("perft", "divide"),
    ("go perft", "div"),
    ("go perft", "divide"),
    ("perft divide", ""),
    ("perft div", ""),
    ("splitperft", ""),
    ("perftdiv", ""),
];

/// An engine that has been idle for this long and has answered `isready`, has no more to say.
const QUIET: Duration = Duration::from_millis(100);

/// The same where `readyok` came after the count: what was asked before is done by then.
const READY_LAST: Duration = Duration::from_millis(30);

/// An engine that was ready only after its count this many times in a row does one thing after the
/// other: its `readyok` ends an answer. One that counts in a thread of its own would have been ready
/// earlier at least once.
const IN_TURN: u32 = 20;

/// How long a list that is still too short may pause, where no total will tell its end.
const LONG_PAUSE: Duration = Duration::from_secs(3);

/// An engine that has been idle for this long will not answer.
const STUCK: Duration = Duration::from_secs(10);

/// How an engine is asked for perft, and what it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// The command, for example `go perft`.
    pub command: String,
    /// What follows the depth, for example `div`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
    /// Whether the count below each move is printed, not only the total.
    pub divides: bool,
    /// Whether the total is printed last and is the sum over the moves: then the end of an answer
    /// is known as soon as it comes.
    pub sums_up: bool,
}

impl Dialect {
    /// The line that asks for a depth.
    #[must_use]
    pub fn line(&self, depth: impl std::fmt::Display) -> String {
        format!("{} {depth} {}", self.command, self.suffix).trim_end().to_owned()
    }
}

/// An engine's answer to one perft command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerftAnswer {
    /// The moves as written, with the counts below them.
    pub moves: Vec<(String, u64)>,
    /// The count of the whole: as printed, or else the sum over the moves.
    pub total: Option<u64>,
}

impl PerftAnswer {
    /// What the lines of an answer say; nothing where there is no count in them.
    pub(super) fn read(lines: &[String]) -> Option<PerftAnswer> {
        let mut answer = PerftAnswer::default();
        for line in lines {
            match dialect::read(line) {
                Line::Divide { mv, count } => answer.moves.push((mv, count)),
                Line::Total(total) => answer.total = Some(total),
                Line::Search | Line::Refused | Line::Other => {}
            }
        }
        let sum = (!answer.moves.is_empty()).then(|| answer.sum());
        answer.total = answer.total.or(sum);
        answer.total.is_some().then_some(answer)
    }

    fn sum(&self) -> u64 {
        self.moves.iter().map(|(_, count)| *count).fold(0, u64::saturating_add)
    }

    fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.total.is_none()
    }

    /// Moves have come, and a total that is their sum.
    fn is_complete(&self) -> bool {
        !self.moves.is_empty() && self.total == Some(self.sum())
    }
}

/// Why an engine could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// None of the known commands is answered with counts.
    #[error("the engine has no perft command (tried {}): {why}", COMMANDS.join(", "))]
    NoPerft {
        /// What it did instead.
        why: String,
    },
    /// A known command is suddenly not answered.
    #[error("`{command}` is not answered after `{position}`, though the engine does nothing else")]
    NoAnswer {
        /// The command.
        command: String,
        /// The `position` command.
        position: String,
        /// The engine says that it refuses something of it.
        refused: bool,
    },
    /// The engine still counts.
    #[error("not compared: `{command}` takes more than {} s of processor time; try a smaller depth",
        .after.as_secs())]
    TooSlow {
        /// The command.
        command: String,
        /// How much processor time it was given.
        after: Duration,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl AskError {
    /// Whether the engine broke down over the question: it crashed, or went silent.
    pub(super) fn is_breakdown(&self) -> bool {
        match self {
            AskError::NoAnswer { .. } => true,
            AskError::Engine(error) => error.is_fatal(),
            AskError::NoPerft { .. } | AskError::TooSlow { .. } => false,
        }
    }
}

/// Finds out which command the engine knows. An engine that takes `go perft` for a search is
/// stopped; every wait is bounded.
pub fn find_dialect(engine: &mut Engine) -> Result<Dialect, AskError> {
    let mut why = String::from("no counts came");
    let (mut total_only, mut own) = (None, None);
    let started = Instant::now();
    for command in COMMANDS {
        // An engine that takes each for a search of its own is not asked on and on.
        if started.elapsed() > Duration::from_secs(8) {
            break;
        }
        let dialect = Dialect {
            command: command.into(),
            suffix: String::new(),
            divides: false,
            sums_up: false,
        };
        match try_dialect(engine, dialect)? {
            Tried::Divides(dialect) => return Ok(dialect),
            Tried::Total(dialect) => total_only = total_only.or(Some(dialect)),
            Tried::CountsItsOwn => own = Some(command),
            Tried::Fails(reason) => why = reason.unwrap_or(why),
        }
    }
    let Some(plain) = total_only else {
        let own = own.map(|command| format!("`{command}` counts the same in every position"));
        return Err(AskError::NoPerft { why: own.unwrap_or(why) });
    };
    for (command, suffix) in DIVIDING {
        let dialect = Dialect { command: command.into(), suffix: suffix.into(), ..plain.clone() };
        if let Tried::Divides(dialect) = try_dialect(engine, dialect)? {
            return Ok(dialect);
        }
    }
    Ok(plain)
}

/// What came of a command.
enum Tried {
    Divides(Dialect),
    Total(Dialect),
    /// Counts of another position than the one that is set up.
    CountsItsOwn,
    /// No count; why, if there is more to say.
    Fails(Option<String>),
}

/// A position with far fewer moves than the start position.
const OTHER: &str = "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

fn try_dialect(engine: &mut Engine, dialect: Dialect) -> Result<Tried, AskError> {
    let began = Instant::now();
    let command = dialect.line(2);
    let mut ask = |position, legal| {
        let patience = Duration::from_secs(3);
        let question =
            Question { position, command: command.clone(), patience, legal, sums_up: false };
        question.put_to(engine, &mut Turns::default())
    };
    let reply = ask("position startpos", 20);
    // Some take the position as an argument, and count one of their own without it.
    if let Ok(PerftReply::Counts(answer)) = &reply
        && let Ok(PerftReply::Counts(elsewhere)) = ask(OTHER, 6)
        && elsewhere.total == answer.total
    {
        return Ok(Tried::CountsItsOwn);
    }
    Ok(match reply {
        Ok(PerftReply::Counts(answer)) if !answer.moves.is_empty() => {
            let sums_up = answer.total == Some(answer.sum());
            Tried::Divides(Dialect { divides: true, sums_up, ..dialect })
        }
        // A bare echo of the depth is not a count: the start position has 400 at depth 2.
        Ok(PerftReply::Counts(answer)) if answer.total.is_none_or(|total| total < 10) => {
            Tried::Fails(None)
        }
        Ok(PerftReply::Counts(_)) => Tried::Total(dialect),
        Ok(PerftReply::Search) => {
            Tried::Fails(Some(format!("`{command}` starts an ordinary search")))
        }
        Ok(PerftReply::Unfinished) => {
            Tried::Fails(Some(format!("`{command}` goes on for seconds")))
        }
        Ok(PerftReply::Nothing | PerftReply::Refused) => Tried::Fails(None),
        Err(EngineError::Interrupted) => return Err(EngineError::Interrupted.into()),
        Err(error) => {
            let after = began.elapsed().as_millis();
            engine.restart()?;
            Tried::Fails(Some(format!("`{command}` brings it down after {after} ms: {error}")))
        }
    })
}

/// What came back.
enum PerftReply {
    Counts(PerftAnswer),
    Search,
    Nothing,
    /// The engine says that the command, or a move before it, is wrong.
    Refused,
    /// The engine was still at work when its time was up, and has been started anew.
    Unfinished,
}

/// One command, and what is known of its answer beforehand.
struct Question<'a> {
    position: &'a str,
    command: String,
    patience: Duration,
    /// The number of legal moves.
    legal: usize,
    /// Whether the answer ends with a total that is the sum over its moves.
    sums_up: bool,
}

/// In which order an engine answers a count and an `isready` after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turns {
    /// How many times the count came first; it never came last.
    InTurn(u32),
    /// It was ready before it had counted.
    Aside,
}

impl Default for Turns {
    fn default() -> Self {
        Turns::InTurn(0)
    }
}

impl Turns {
    fn are_sure(self) -> bool {
        matches!(self, Turns::InTurn(times) if times >= IN_TURN)
    }

    fn note(&mut self, ready_last: bool) {
        *self = match *self {
            Turns::InTurn(times) if ready_last => Turns::InTurn(times.saturating_add(1)),
            _ => Turns::Aside,
        };
    }
}

/// How far an answer has come.
#[derive(Default)]
struct Heard {
    answer: PerftAnswer,
    /// `readyok` has come, and whether it was the last thing that came.
    ready: bool,
    ready_last: bool,
    /// The total came before the moves.
    total_first: bool,
    /// The engine said that something of the question is wrong.
    refused: bool,
}

impl Heard {
    /// What it is when nothing more comes.
    fn reply(&mut self) -> PerftReply {
        match std::mem::take(&mut self.answer) {
            _ if self.refused => PerftReply::Refused,
            answer if answer.is_empty() => PerftReply::Nothing,
            answer => PerftReply::Counts(answer),
        }
    }

    /// How long an idle engine has to be silent until it is sure that no more will come. An engine
    /// that counts in a thread of its own is `ready` from the start, so a pause between two moves
    /// says nothing: on a busy machine any of them may take a while.
    fn silence(&self, question: &Question<'_>) -> Duration {
        let too_short = self.answer.moves.len() < question.legal;
        match self.answer.total {
            _ if !self.ready => STUCK,
            // One thing after the other: what prints no moves before its total prints none.
            Some(_) if self.ready_last && self.answer.moves.is_empty() => 3 * QUIET,
            Some(total) if self.total_first && too_short && self.answer.sum() < total => LONG_PAUSE,
            Some(_) if self.ready_last => READY_LAST,
            Some(_) => QUIET,
            None if self.refused => QUIET,
            None if question.sums_up => STUCK,
            None if !self.answer.moves.is_empty() && too_short => LONG_PAUSE,
            None => 8 * QUIET,
        }
    }
}

impl Question<'_> {
    fn put_to(&self, engine: &mut Engine, turns: &mut Turns) -> Result<PerftReply, EngineError> {
        // The `readyok` of an answer that was complete before it came is ignored by the next one,
        // which is why `readyok` alone never ends an answer.
        engine.send_line(&format!("{}\n{}\nisready", self.position, self.command))?;
        let mut patience = Patience::new(engine, self.patience);
        let mut heard = Heard::default();
        let reply = loop {
            if heard.ready_last && turns.are_sure() {
                return Ok(heard.reply());
            }
            let enough = heard.silence(self);
            let Some((line, _)) = engine.read_line(Some(Instant::now() + enough.min(QUIET)))?
            else {
                match patience.look(engine) {
                    Silence::AtWork => continue,
                    Silence::Spent => break PerftReply::Unfinished,
                    Silence::Idle(span) if span < enough => continue,
                    Silence::Idle(_) => {
                        if !heard.answer.is_empty() {
                            turns.note(heard.ready_last);
                        }
                        break heard.reply();
                    }
                }
            };
            let answer = &mut heard.answer;
            let read = dialect::read(line);
            heard.ready_last &= matches!(read, Line::Other);
            match read {
                Line::Divide { mv, count } => answer.moves.push((mv, count)),
                Line::Total(total) => {
                    heard.total_first = answer.moves.is_empty();
                    answer.total = Some(total);
                }
                Line::Search if answer.is_empty() => break PerftReply::Search,
                Line::Refused => heard.refused |= answer.moves.is_empty(),
                Line::Search => {}
                Line::Other if line.trim() == "readyok" => {
                    (heard.ready, heard.ready_last) = (true, true);
                }
                Line::Other => {}
            }
            if self.sums_up && answer.is_complete() {
                return Ok(PerftReply::Counts(heard.answer));
            }
            patience.heard();
        };
        match reply {
            PerftReply::Unfinished => engine.restart()?,
            PerftReply::Search | PerftReply::Nothing | PerftReply::Refused => {
                engine.send_line("stop")?;
                settle(engine)?;
            }
            PerftReply::Counts(_) if heard.ready_last => {}
            PerftReply::Counts(_) => settle(engine)?,
        }
        Ok(reply)
    }
}

/// Waits until the engine has nothing more to say, so that the next answer is its own.
pub fn settle(engine: &mut Engine) -> Result<(), EngineError> {
    engine.is_ready(Duration::from_secs(5))?;
    let limit = Instant::now() + Duration::from_secs(2);
    while Instant::now() < limit {
        let until = Instant::now() + Duration::from_millis(30);
        if engine.read_line(Some(until))?.is_none() {
            break;
        }
    }
    Ok(())
}

/// An engine that is asked for one count after another.
pub(super) struct Asker<'a> {
    pub engine: &'a mut Engine,
    pub dialect: &'a Dialect,
    /// What `UCI_Chess960` was last set to.
    chess960: bool,
    turns: Turns,
}

impl<'a> Asker<'a> {
    pub fn new(engine: &'a mut Engine, dialect: &'a Dialect) -> Self {
        // An answer that is known to be complete is not read up to its `readyok`, so that one says
        // nothing about the next.
        let turns = if dialect.sums_up { Turns::Aside } else { Turns::default() };
        Self { engine, dialect, chess960: false, turns }
    }

    /// A fresh process, after one that broke down.
    pub fn revive(&mut self) -> Result<(), AskError> {
        self.chess960 = false;
        Ok(self.engine.restart()?)
    }

    /// Asks cheaply whether the user wants to stop.
    pub fn stopper(&self) -> impl Fn() -> bool + Sync + use<> {
        let interrupt = self.engine.interrupt().cloned();
        move || interrupt.as_ref().is_some_and(Interrupt::requested)
    }

    /// Tells the engine which rules of castling apply; false where it does not know them.
    pub fn set_variant(&mut self, position: &Position) -> Result<bool, AskError> {
        let chess960 = position.is_chess960();
        if chess960 && self.engine.option("UCI_Chess960").is_none() {
            return Ok(false);
        }
        if chess960 != self.chess960 {
            self.engine.set_option("UCI_Chess960", if chess960 { "true" } else { "false" })?;
            self.chess960 = chess960;
        }
        Ok(true)
    }

    /// Asks for the counts after `moves` from `start`; `legal` moves with `expected` leaves are
    /// right.
    pub fn counts(
        &mut self,
        start: &Position,
        moves: &[Move],
        depth: u32,
        (legal, expected): (usize, u64),
    ) -> Result<PerftAnswer, AskError> {
        self.set_variant(start)?;
        let (position, _) = position_command(start, moves);
        self.counts_at(&position, depth, (legal, expected))
    }

    /// The same after a `position` command.
    pub fn counts_at(
        &mut self,
        position: &str,
        depth: u32,
        (legal, expected): (usize, u64),
    ) -> Result<PerftAnswer, AskError> {
        // Slow engines count some thousand positions a second.
        let patience = Duration::from_secs(10) + Duration::from_millis(expected / 3);
        let command = self.dialect.line(depth);
        // A total alone is not followed by moves.
        let legal = if self.dialect.divides { legal } else { 0 };
        // Without a legal move some engines print nothing, not even a total.
        let sums_up = self.dialect.sums_up && expected > 0;
        let question = Question { position, command: command.clone(), patience, legal, sums_up };
        match question.put_to(self.engine, &mut self.turns)? {
            PerftReply::Counts(mut answer) => {
                if answer.total.is_none() {
                    answer.total = Some(answer.sum());
                }
                Ok(answer)
            }
            PerftReply::Nothing if expected == 0 => {
                Ok(PerftAnswer { moves: Vec::new(), total: Some(0) })
            }
            PerftReply::Unfinished => {
                self.chess960 = false;
                Err(AskError::TooSlow { command, after: patience })
            }
            reply @ (PerftReply::Nothing | PerftReply::Search | PerftReply::Refused) => {
                let refused = matches!(reply, PerftReply::Refused);
                Err(AskError::NoAnswer { command, position: position.into(), refused })
            }
        }
    }
}

/// The `position` command for some moves from a position, and where they lead.
pub fn position_command(start: &Position, moves: &[Move]) -> (String, Position) {
    let mut text = format!("position fen {}", start.fen());
    let mut position = *start;
    for (index, mv) in moves.iter().enumerate() {
        text.push_str(if index == 0 { " moves " } else { " " });
        text.push_str(&position.uci(*mv));
        position = position.play(*mv);
    }
    (text, position)
}
