//! What the user sees and what files record while a match runs.

use super::request::{LogLevel, Request};
use crate::stdout;
use anyhow::Context;
use dyno_report::tournament as report;
use dyno_tournament::{Event, Plan, SprtSummary, Standings, Style, Summary};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};

/// Hears every event; prints, logs and records it.
pub struct Listener<'a> {
    plan: &'a Plan,
    quiet: bool,
    /// Standard output carries JSON, so that people's lines go nowhere.
    events: Option<BufWriter<File>>,
    log: Option<(BufWriter<File>, LogLevel)>,
    last_score: String,
}

impl<'a> Listener<'a> {
    pub fn new(request: &Request, plan: &'a Plan) -> anyhow::Result<Self> {
        let create = |path: &std::path::Path| {
            let file =
                File::create(path).with_context(|| format!("cannot write {}", path.display()));
            file.map(BufWriter::new)
        };
        let log = match &request.log {
            // The transcript of the engines has the file to itself.
            Some(log) if !(log.engine || log.level == LogLevel::Trace) => {
                Some((create(&log.file)?, log.level))
            }
            _ => None,
        };
        Ok(Self {
            plan,
            quiet: request.quiet || request.reports.json,
            events: request.events.as_deref().map(create).transpose()?,
            log,
            last_score: String::new(),
        })
    }

    /// Something the user should know that is no result.
    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    pub fn note(&mut self, text: &str) {
        self.log_line(LogLevel::Warn, text);
        if !self.quiet {
            eprintln!("note: {text}");
        }
    }

    pub fn hear(&mut self, event: &Event<'_>) {
        self.record(event);
        match event {
            Event::MatchStarted { done, journal, .. } => {
                if let Some(path) = journal {
                    self.log_line(LogLevel::Info, &format!("journal: {}", path.display()));
                }
                if *done > 0 {
                    self.print(&format!("Resuming after {done} games\n"));
                }
            }
            Event::GameStarted { slot, white_name, black_name, total } => {
                let line = report::started(slot, *total, white_name, black_name);
                self.say(LogLevel::Info, &line);
            }
            Event::GameFinished { game, white_name, black_name, standings, .. } => {
                let line = report::finished(game, white_name, black_name);
                let mut text = line.clone() + "\n";
                self.log_line(LogLevel::Info, &line);
                for fault in &game.faults {
                    let name = &standings.engines[fault.engine].name;
                    let line = format!("{name}: {}: {}", fault.kind.label(), fault.detail);
                    self.log_line(LogLevel::Error, &line);
                }
                text += &self.intervals(standings);
                self.print(&text);
            }
            Event::Warning { advice } => self.warn(&advice.message),
            Event::WindingDown { running } => {
                self.note(&format!("finishing {running} running games; once more stops now"));
            }
            Event::GameAbandoned { .. } | Event::MatchEnded { .. } => {}
        }
    }

    /// Score, rating and outcome lines, as often as the plan wants them.
    fn intervals(&mut self, standings: &Standings) -> String {
        let output = &self.plan.output;
        let due = |interval: u32| interval > 0 && standings.games.is_multiple_of(interval.into());
        let mut text = String::new();
        let duel = standings.engines.len() == 2;
        if due(output.scoreinterval) && duel {
            text += &report::score_lines(standings, false);
        }
        if due(output.ratinginterval) {
            text += &self.rating(standings);
        } else if let Some(sprt) = SprtSummary::of(standings)
            && due(output.scoreinterval)
        {
            text += &format!("{}\n", report::sprt_line(&sprt));
        }
        if due(output.outcomeinterval) {
            text += &format!("Finished games by outcome:\n{}", report::outcomes(&standings.ends));
        }
        if duel {
            self.last_score = report::score_lines(standings, true);
        } else {
            self.last_score = format!("{}\n", report::standings_table(standings));
        }
        text
    }

    fn rating(&self, standings: &Standings) -> String {
        if standings.engines.len() != 2 {
            return format!("{}\n", report::standings_table(standings));
        }
        let (tally, sprt) = (standings.tally(), SprtSummary::of(standings));
        match self.plan.output.style {
            Style::Fastchess => report::fastchess_block(self.plan, &tally, sprt.as_ref()),
            Style::Cutechess => {
                let sprt = sprt.map(|s| report::sprt_line(&s) + "\n").unwrap_or_default();
                format!("{}\n{sprt}", report::elo_line(&tally))
            }
        }
    }

    /// The end: the last score and the report of the whole match.
    pub fn close(&mut self, summary: &Summary) -> anyhow::Result<()> {
        let mut text = self.last_score.clone();
        if self.plan.output.style == Style::Fastchess
            && let Some(duel) = summary.duel()
        {
            text += &report::fastchess_block(self.plan, &duel.tally, summary.sprt.as_ref());
        }
        text += &report::final_report(summary);
        for part in
            [self.events.as_mut(), self.log.as_mut().map(|l| &mut l.0)].into_iter().flatten()
        {
            part.flush().context("cannot write the log")?;
        }
        if !std::io::stdout().is_terminal() {
            text = dyno_report::terminal::plain(&text);
        }
        if self.quiet { Ok(()) } else { stdout::write_all(text.as_bytes()) }
    }

    fn record(&mut self, event: &Event<'_>) {
        if let Some(file) = &mut self.events {
            // A full disk must not stop the match: the journal is what counts.
            let _ = serde_json::to_writer(&mut *file, event);
            let _ = file.write_all(b"\n").and_then(|()| file.flush());
        }
    }

    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    fn warn(&mut self, message: &str) {
        self.log_line(LogLevel::Warn, message);
        if !self.quiet {
            eprintln!("warning: {message}");
        }
    }

    fn say(&mut self, level: LogLevel, line: &str) {
        self.log_line(level, line);
        self.print(&format!("{line}\n"));
    }

    fn print(&self, text: &str) {
        if !self.quiet {
            // Whoever reads may have gone; the match goes on.
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
