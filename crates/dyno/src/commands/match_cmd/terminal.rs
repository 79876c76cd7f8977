//! What the user sees while a match runs, and the log of it.

use super::crc32;
use super::request::{LogLevel, Request};
use crate::stdout;
use anyhow::Context;
use dyno_report::terminal::{Progress, clean};
use dyno_report::tournament as report;
use dyno_tournament::{
    Advice, Envelope, Fault, FaultKind, GameRecord, Listener, MatchEvent, OutputError, Plan,
    Scoreboard, Style, Summary,
};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

/// Prints what happens, and logs it.
pub struct Terminal {
    plan: Plan,
    /// Standard output carries JSON, or nothing is wanted there.
    quiet: bool,
    log: Option<(BufWriter<File>, LogLevel)>,
    /// Complete pairs when fastchess' block was last printed.
    pairs_shown: u64,
    status: Arc<Progress>,
    began: Instant,
    /// Games of this run, in which `began` counts.
    played: u64,
    total: Option<u64>,
}

impl Terminal {
    pub fn new(request: &Request, plan: &Plan) -> anyhow::Result<Self> {
        let log = match &request.log {
            // The transcript of the engines has the file to itself.
            Some(log) if !(log.engine || log.level == LogLevel::Trace) => {
                let file = File::options()
                    .write(true)
                    .create(true)
                    .append(log.append)
                    .truncate(!log.append)
                    .open(&log.file)
                    .with_context(|| format!("cannot write {}", log.file.display()))?;
                Some((BufWriter::new(file), log.level))
            }
            _ => None,
        };
        let quiet = request.quiet || request.reports.json;
        let status = Arc::new(Progress::status_line(quiet || plan.output.test_env));
        let (began, plan) = (Instant::now(), plan.clone());
        Ok(Self { plan, quiet, log, pairs_shown: 0, status, began, played: 0, total: None })
    }

    /// The line below those that scroll; what else is printed has to go above it.
    pub fn status(&self) -> Arc<Progress> {
        Arc::clone(&self.status)
    }

    /// Something the user should know that is not a result.
    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    pub fn note(&mut self, text: &str) {
        self.log_line(LogLevel::Warn, text);
        if !(self.quiet || self.plan.output.test_env) {
            self.status.suspend(|| eprintln!("note: {text}"));
        }
    }

    fn game_finished(&mut self, game: &GameRecord, line: &str, score: &Scoreboard) {
        self.log_line(LogLevel::Info, line);
        for fault in &game.faults {
            let name = &score.engines[fault.engine].name;
            let line = format!("{name}: {}: {}", fault.kind.label(), fault.detail);
            self.log_line(LogLevel::Error, &line);
        }
        let mut text = format!("{line}\n");
        if self.plan.output.style == Style::Fastchess {
            text += &fastchess_warnings(game, score);
        }
        text += &self.intervals(score);
        self.print(&text);
        self.played += 1;
        let elapsed = self.began.elapsed();
        self.status.note(report::status_line(score, self.total, self.played, elapsed));
    }

    /// Score, rating and outcome lines, as often as the plan wants them.
    fn intervals(&mut self, score: &Scoreboard) -> String {
        let rating_due = self.rating_due(score);
        let output = &self.plan.output;
        let due = |interval: u32| interval > 0 && score.games.is_multiple_of(interval.into());
        let mut text = String::new();
        if due(output.scoreinterval) && score.duel().is_some() {
            text += &report::score_lines(score, false);
        }
        if rating_due {
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

    /// fastchess counts complete pairs, and shows its block only where one was completed.
    fn rating_due(&mut self, score: &Scoreboard) -> bool {
        let output = &self.plan.output;
        let interval = u64::from(output.ratinginterval);
        let pairs = score.duel().map_or(0, |tally| tally.pair_count());
        let by_pairs = output.style == Style::Fastchess
            && !output.no_penta
            && score.duel().is_some()
            && self.plan.tournament.repeat > 1;
        if interval == 0 || !by_pairs {
            return interval > 0 && score.games.is_multiple_of(interval);
        }
        let completed = pairs > std::mem::replace(&mut self.pairs_shown, pairs);
        completed && pairs.is_multiple_of(interval)
    }

    fn rating(&self, score: &Scoreboard) -> String {
        let Some(tally) = score.duel() else {
            return format!("{}\n", report::standings_table(score));
        };
        match self.plan.output.style {
            Style::Fastchess => {
                report::fastchess_block(&self.plan, tally, &score.paired, score.sprt.as_ref())
            }
            Style::Cutechess => {
                let sprt = score.sprt.as_ref().map(|s| report::sprt_line(s) + "\n");
                format!("{}\n{}", report::elo_line(tally), sprt.unwrap_or_default())
            }
        }
    }

    #[allow(clippy::print_stderr, reason = "the command talks to the user")]
    fn warn(&mut self, message: &str) {
        self.log_line(LogLevel::Warn, message);
        if !(self.quiet || self.plan.output.test_env) {
            self.status.suspend(|| eprintln!("warning: {}", clean(message)));
        }
    }

    fn print(&self, text: &str) {
        if !self.quiet {
            // The reader may be gone; the match goes on.
            let _ = self.status.suspend(|| stdout::write_all(for_reader(text).as_bytes()));
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
            MatchEvent::MatchStarted { done, journal, total, .. } => {
                (self.began, self.total) = (Instant::now(), *total);
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
            MatchEvent::Warning { advice } => {
                self.warn(&advice.message);
                if self.plan.output.style == Style::Fastchess
                    && let Some((engine, option)) = unknown_option(advice)
                {
                    self.print(&format!("Warning; {engine} doesn't have option {option}\n"));
                }
            }
            MatchEvent::WindingDown { running } => {
                self.note(&format!("finishing {running} running games; once more stops now"));
            }
            MatchEvent::MoveMade(_) | MatchEvent::GameAbandoned { .. } => {}
            MatchEvent::MatchEnded { .. } => self.status.finish(),
        }
        Ok(())
    }
}

/// The end: the last score and the report of the whole match.
pub fn print_result(summary: &Summary) -> anyhow::Result<()> {
    let output = &summary.header.plan.output;
    if output.crc32
        && let Some(pgn) = &output.pgn
        && let Ok(sum) = crc32::of_file(&pgn.file)
    {
        let line = format!("File {} has CRC32: {sum:#x}\n", pgn.file.display());
        stdout::write_all(line.as_bytes())?;
    }
    if output.test_env {
        return stdout::write_all(b"Finished match\n");
    }
    let score = summary.scoreboard();
    let mut text = match score.duel() {
        Some(_) => report::score_lines(&score, true),
        None => format!("{}\n", report::standings_table(&score)),
    };
    let plan = &summary.header.plan;
    if plan.output.style == Style::Fastchess
        && let Some(duel) = summary.duel()
    {
        text += &report::fastchess_block(plan, &duel.tally, &summary.paired, summary.sprt.as_ref());
    }
    text += &report::final_report(summary);
    stdout::write_all(for_reader(&text).as_bytes())
}

/// What a program that reads along is given: no colours, ASCII alone, and no blank line, at which
/// some of them stop reading. A terminal gets the text as it is.
fn for_reader(text: &str) -> Cow<'_, str> {
    if std::io::stdout().is_terminal() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for line in dyno_report::terminal::plain(text).lines().filter(|line| !line.trim().is_empty()) {
        for letter in line.chars() {
            match letter {
                ' '..='~' => plain.push(letter),
                'µ' | 'μ' => plain.push('u'),
                '±' => plain.push_str("+/-"),
                '–' | '—' | '−' | '─' => plain.push('-'),
                '×' => plain.push('x'),
                '…' => plain.push_str("..."),
                '\u{a0}' | '\u{2009}' | '\u{202f}' | '\t' => plain.push(' '),
                '‘' | '’' => plain.push('\''),
                '“' | '”' => plain.push('"'),
                _ => plain.push('?'),
            }
        }
        plain.push('\n');
    }
    Cow::Owned(plain)
}

/// What fastchess would say about a game, in the words that its users look for.
fn fastchess_warnings(game: &GameRecord, score: &Scoreboard) -> String {
    let warning = |fault: &Fault| {
        let name = &score.engines[fault.engine].name;
        let detail = &fault.detail;
        let first = detail.split(' ').next().unwrap_or_default();
        match fault.kind {
            FaultKind::IllegalMove => {
                Some(format!("Warning; Illegal move {first} played by {name}"))
            }
            FaultKind::BadPv => Some(match detail.split_once(" in \"") {
                Some((words, _)) if words.contains("PV") => match words.split_once(": ") {
                    Some((words, mv)) => format!("Warning; {words} - move {mv} from {name}"),
                    None => format!("Warning; {words} - from {name}"),
                },
                _ => format!("Warning; Illegal PV move - move {first} from {name}"),
            }),
            FaultKind::Crash | FaultKind::Hang => {
                Some(format!("Warning; Engine {name} is not responsive"))
            }
            _ => None,
        }
    };
    game.faults.iter().filter_map(warning).map(|line| line + "\n").collect()
}

/// The engine and the option of a warning about one that is not there.
fn unknown_option(advice: &Advice) -> Option<(&str, &str)> {
    if advice.code != "unknown-option" {
        return None;
    }
    let (engine, rest) = advice.message.split_once(" has no option \"")?;
    Some((engine, rest.split('"').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_get_ascii_without_blank_lines() {
        assert_eq!(for_reader("a ± 2 µs\n\n  \n\u{1b}[1mb\u{1b}[0m – c\n"), "a +/- 2 us\nb - c\n");
    }
}
