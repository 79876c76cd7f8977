//! What the user sees while a match runs, and the log of it.

use super::request::{LogLevel, Request};
use crate::stdout;
use anyhow::Context;
use dyno_report::tournament as report;
use dyno_tournament::{
    Envelope, GameRecord, Listener, MatchEvent, OutputError, Plan, Scoreboard, Style, Summary,
};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};

/// Prints what happens, and logs it.
pub struct Terminal {
    plan: Plan,
    /// Standard output carries JSON, or nothing is wanted there.
    quiet: bool,
    log: Option<(BufWriter<File>, LogLevel)>,
}

impl Terminal {
    pub fn new(request: &Request, plan: &Plan) -> anyhow::Result<Self> {
        let log = match &request.log {
            // The transcript of the engines has the file to itself.
            Some(log) if !(log.engine || log.level == LogLevel::Trace) => {
                let file = File::create(&log.file)
                    .with_context(|| format!("cannot write {}", log.file.display()))?;
                Some((BufWriter::new(file), log.level))
            }
            _ => None,
        };
        let quiet = request.quiet || request.reports.json;
        Ok(Self { plan: plan.clone(), quiet, log })
    }

    /// Something the user should know that is not a result.
    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    pub fn note(&mut self, text: &str) {
        self.log_line(LogLevel::Warn, text);
        if !self.quiet {
            eprintln!("note: {text}");
        }
    }

    fn game_finished(&mut self, game: &GameRecord, line: &str, score: &Scoreboard) {
        self.log_line(LogLevel::Info, line);
        for fault in &game.faults {
            let name = &score.engines[fault.engine].name;
            let line = format!("{name}: {}: {}", fault.kind.label(), fault.detail);
            self.log_line(LogLevel::Error, &line);
        }
        self.print(&format!("{line}\n{}", self.intervals(score)));
    }

    /// Score, rating and outcome lines, as often as the plan wants them.
    fn intervals(&self, score: &Scoreboard) -> String {
        let output = &self.plan.output;
        let due = |interval: u32| interval > 0 && score.games.is_multiple_of(interval.into());
        let mut text = String::new();
        if due(output.scoreinterval) && score.duel().is_some() {
            text += &report::score_lines(score, false);
        }
        if due(output.ratinginterval) {
            text += &self.rating(score);
        } else if let Some(sprt) = &score.sprt
            && due(output.scoreinterval)
        {
            text += &format!("{}\n", report::sprt_line(sprt));
        }
        if due(output.outcomeinterval) {
            text += &format!("Finished games by outcome:\n{}", report::outcomes(&score.ends));
        }
        text
    }

    fn rating(&self, score: &Scoreboard) -> String {
        let Some(tally) = score.duel() else {
            return format!("{}\n", report::standings_table(score));
        };
        match self.plan.output.style {
            Style::Fastchess => report::fastchess_block(&self.plan, tally, score.sprt.as_ref()),
            Style::Cutechess => {
                let sprt = score.sprt.as_ref().map(|s| report::sprt_line(s) + "\n");
                format!("{}\n{}", report::elo_line(tally), sprt.unwrap_or_default())
            }
        }
    }

    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    fn warn(&mut self, message: &str) {
        self.log_line(LogLevel::Warn, message);
        if !self.quiet {
            eprintln!("warning: {message}");
        }
    }

    fn print(&self, text: &str) {
        if !self.quiet {
            // Nobody may be reading any more; the match goes on.
            let _ = stdout::write_all(text.as_bytes());
        }
    }

    fn log_line(&mut self, level: LogLevel, line: &str) {
        if let Some((file, least)) = &mut self.log
            && level >= *least
        {
            let _ = writeln!(file, "[{level:?}] {line}").and_then(|()| file.flush());
        }
    }
}

impl Listener for Terminal {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        match &envelope.event {
            MatchEvent::MatchStarted { done, journal, .. } => {
                if let Some(path) = journal {
                    self.log_line(LogLevel::Info, &format!("journal: {path}"));
                }
                if *done > 0 {
                    self.print(&format!("Resuming after {done} games\n"));
                }
            }
            MatchEvent::GameStarted { slot, white_name, black_name, total, .. } => {
                let line = report::started(slot, *total, white_name, black_name);
                self.log_line(LogLevel::Info, &line);
                self.print(&format!("{line}\n"));
            }
            MatchEvent::GameFinished { game, white_name, black_name, score } => {
                let line = report::finished(game, white_name, black_name);
                self.game_finished(game, &line, score);
            }
            MatchEvent::Warning { advice } => self.warn(&advice.message),
            MatchEvent::WindingDown { running } => {
                self.note(&format!("finishing {running} running games; once more stops now"));
            }
            MatchEvent::MoveMade(_)
            | MatchEvent::GameAbandoned { .. }
            | MatchEvent::MatchEnded { .. } => {}
        }
        Ok(())
    }
}

/// The end: the last score and the report of the whole match.
pub fn print_result(summary: &Summary) -> anyhow::Result<()> {
    let score = summary.scoreboard();
    let mut text = match score.duel() {
        Some(_) => report::score_lines(&score, true),
        None => format!("{}\n", report::standings_table(&score)),
    };
    let plan = &summary.header.plan;
    if plan.output.style == Style::Fastchess
        && let Some(duel) = summary.duel()
    {
        text += &report::fastchess_block(plan, &duel.tally, summary.sprt.as_ref());
    }
    text += &report::final_report(summary);
    if !std::io::stdout().is_terminal() {
        text = dyno_report::terminal::plain(&text);
    }
    stdout::write_all(text.as_bytes())
}
