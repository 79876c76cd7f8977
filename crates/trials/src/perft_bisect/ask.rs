//! Asking an engine for perft: which command it knows, and what it answers.

use super::dialect::{self, Line};
use super::patience::{Patience, Silence};
use dyno_chess::{Move, Position};
use dyno_driver::{Engine, EngineError};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The commands tried, in this order.
const COMMANDS: [&str; 4] = ["go perft", "perft", "divide", "go divide"];

/// An engine that has been idle for this long and has answered `isready`, has no more to say.
const QUIET: Duration = Duration::from_millis(100);

/// An engine that has been idle for this long will not answer.
const STUCK: Duration = Duration::from_secs(10);

/// How an engine is asked for perft, and what it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// The command, for example `go perft`.
    pub command: String,
    /// Whether the count below each move is printed, not only the total.
    pub divides: bool,
    /// Whether the total is printed last and is the sum over the moves: then the end of an answer
    /// is known as soon as it comes.
    pub sums_up: bool,
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
    fn sum(&self) -> u64 {
        self.moves.iter().map(|(_, count)| count).sum()
    }

    /// Moves have come, and a total that is their sum.
    fn is_complete(&self) -> bool {
        !self.moves.is_empty() && self.total == Some(self.sum())
    }

    /// How long an idle engine has to be silent until it is sure that no more will come. An engine
    /// that counts in a thread of its own is `ready` from the start, so a pause between two moves
    /// says nothing: on a busy machine any of them may take a while.
    fn silence_after(&self, ready: bool, sums_up: bool) -> Duration {
        match self.total {
            _ if !ready => STUCK,
            Some(_) => QUIET,
            None if sums_up => STUCK,
            None => 8 * QUIET,
        }
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

/// Finds out which command the engine knows. An engine that takes `go perft` for a search is
/// stopped; every wait is bounded.
pub fn find_dialect(engine: &mut Engine) -> Result<Dialect, AskError> {
    let mut why = String::from("no counts came");
    let mut total_only = None;
    for command in COMMANDS {
        let began = Instant::now();
        match ask(engine, "position startpos", command, 2, Duration::from_secs(3), false) {
            Ok(PerftReply::Counts(answer)) if !answer.moves.is_empty() => {
                let sums_up = answer.total == Some(answer.sum());
                return Ok(Dialect { command: command.into(), divides: true, sums_up });
            }
            // A bare echo of the depth is not a count: the start position has 400 at depth 2.
            Ok(PerftReply::Counts(answer)) if answer.total.is_none_or(|total| total < 10) => {}
            Ok(PerftReply::Counts(_)) => {
                let dialect = Dialect { command: command.into(), divides: false, sums_up: false };
                total_only = total_only.or(Some(dialect));
            }
            Ok(PerftReply::Search) => why = format!("`{command} 2` starts an ordinary search"),
            Ok(PerftReply::Unfinished) => why = format!("`{command} 2` goes on for seconds"),
            Ok(PerftReply::Nothing) => {}
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted.into()),
            Err(error) => {
                why = format!(
                    "`{command} 2` brings it down after {} ms: {error}",
                    began.elapsed().as_millis()
                );
                engine.restart()?;
            }
        }
    }
    total_only.ok_or(AskError::NoPerft { why })
}

/// What came back.
enum PerftReply {
    Counts(PerftAnswer),
    Search,
    Nothing,
    /// The engine was still at work when its time was up, and has been started anew.
    Unfinished,
}

fn ask(
    engine: &mut Engine,
    position: &str,
    command: &str,
    depth: u32,
    patience: Duration,
    sums_up: bool,
) -> Result<PerftReply, EngineError> {
    // The `readyok` of an answer that was complete before it came is ignored by the next one,
    // which is why `readyok` alone never ends an answer.
    engine.send_line(&format!("{position}\n{command} {depth}\nisready"))?;
    let mut patience = Patience::new(engine, patience);
    let mut answer = PerftAnswer::default();
    let mut ready = false;
    let heard = loop {
        let something = !answer.moves.is_empty() || answer.total.is_some();
        let Some((line, _)) = engine.read_line(Some(Instant::now() + QUIET))? else {
            match patience.look(engine) {
                Silence::AtWork => continue,
                Silence::Spent => break PerftReply::Unfinished,
                Silence::Idle(span) if span < answer.silence_after(ready, sums_up) => continue,
                Silence::Idle(_) if something => break PerftReply::Counts(answer),
                Silence::Idle(_) => break PerftReply::Nothing,
            }
        };
        match dialect::read(line) {
            Line::Divide { mv, count } => answer.moves.push((mv, count)),
            Line::Total(total) => {
                answer.total = Some(total);
                if sums_up && answer.is_complete() {
                    return Ok(PerftReply::Counts(answer));
                }
            }
            Line::Search if !something => break PerftReply::Search,
            Line::Refused if answer.moves.is_empty() => break PerftReply::Nothing,
            Line::Search | Line::Refused => {}
            Line::Other => ready |= line.trim() == "readyok",
        }
        patience.heard();
    };
    match heard {
        PerftReply::Unfinished => engine.restart()?,
        PerftReply::Search | PerftReply::Nothing => {
            engine.send_line("stop")?;
            settle(engine)?;
        }
        PerftReply::Counts(_) => settle(engine)?,
    }
    Ok(heard)
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

/// Asks for the counts below each move after `moves` from `fen`.
pub fn divide(
    engine: &mut Engine,
    dialect: &Dialect,
    start: &Position,
    moves: &[Move],
    depth: u32,
    expected: u64,
) -> Result<PerftAnswer, AskError> {
    let (position, end) = position_command(start, moves);
    if dialect.divides || depth < 2 {
        return one(engine, dialect, &position, depth, expected);
    }
    // An engine that prints totals only is asked once for each move.
    let mut answer = PerftAnswer::default();
    let mut longer = moves.to_vec();
    for mv in &end.legal_moves() {
        longer.push(mv);
        let below = dyno_chess::perft::perft(&end.play(mv), depth - 1);
        let count = total(engine, dialect, start, &longer, depth - 1, below)?;
        answer.moves.push((end.uci(mv), count.unwrap_or(0)));
        longer.pop();
    }
    answer.total = Some(total(engine, dialect, start, moves, depth, expected)?.unwrap_or(0));
    Ok(answer)
}

/// Asks for the count of the whole after `moves` from `start`.
pub fn total(
    engine: &mut Engine,
    dialect: &Dialect,
    start: &Position,
    moves: &[Move],
    depth: u32,
    expected: u64,
) -> Result<Option<u64>, AskError> {
    let (position, _) = position_command(start, moves);
    Ok(one(engine, dialect, &position, depth, expected)?.total)
}

fn one(
    engine: &mut Engine,
    dialect: &Dialect,
    position: &str,
    depth: u32,
    expected: u64,
) -> Result<PerftAnswer, AskError> {
    // Slow engines count some thousand positions a second.
    let patience = Duration::from_secs(10) + Duration::from_millis(expected / 3);
    let command = || format!("{} {depth}", dialect.command);
    // Without a legal move some engines print nothing, not even a total.
    let sums_up = dialect.sums_up && expected > 0;
    match ask(engine, position, &dialect.command, depth, patience, sums_up)? {
        PerftReply::Counts(mut answer) => {
            if answer.total.is_none() {
                answer.total = Some(answer.sum());
            }
            Ok(answer)
        }
        PerftReply::Nothing if expected == 0 => {
            Ok(PerftAnswer { moves: Vec::new(), total: Some(0) })
        }
        PerftReply::Unfinished => Err(AskError::TooSlow { command: command(), after: patience }),
        PerftReply::Nothing | PerftReply::Search => {
            Err(AskError::NoAnswer { command: command(), position: position.into() })
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
