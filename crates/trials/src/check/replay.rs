//! A conversation held again with a fresh process, and what was said in it.

use super::engine::{Memory, TestedEngine};
use super::overtime::{Overtime, time_limit};
use super::script::{Awaited, Script, Step};
use super::stop::Stop;
use super::transcript::{InfoLine, Search, search};
use dyno_driver::EngineError;
use std::time::{Duration, Instant};

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Dyno, to the engine.
    Dyno,
    /// The engine.
    Engine,
    /// Neither: an awaited answer did not come in time.
    Silence,
}

/// One line with the time since the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// When.
    pub at: Duration,
    /// Who.
    pub by: Speaker,
    /// What.
    pub text: String,
}

/// How a conversation ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The engine still runs.
    #[default]
    Running,
    /// The process ended before all was said, in these words.
    Exited(String),
    /// The last answer that was awaited did not come.
    Silent(&'static str),
}

/// What was said when a script was carried out.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Every line, in order.
    pub lines: Vec<Said>,
    /// How it ended.
    pub ending: Ending,
    /// How long the engine was ready to run in all and did not, for lack of a processor.
    pub waited: Duration,
    /// How late the last move came, where that was watched.
    pub(super) watched: Option<Duration>,
    /// The engine's memory before the first step and after the last.
    pub memory: Option<(Memory, Memory)>,
}

/// Lines that are kept of one replay; an engine that floods is not remembered without end.
const MOST_LINES: usize = 50_000;

/// How long an answer is listened for that nothing asks for.
const STRAY: Duration = Duration::from_millis(200);

impl Replay {
    /// Carries out a script.
    pub(super) fn of(mut engine: TestedEngine, script: &Script) -> Result<Replay, Stop> {
        let began = Instant::now();
        let (waiting, memory) = (engine.waiting(), engine.memory());
        let mut replay = Replay::default();
        let result = match engine.capabilities().uci_commands {
            true => replay.carry_out(&mut engine, &script.steps, began).and_then(|()| {
                // What comes unasked after the last answer belongs to it; a crash shows now or
                // never.
                replay.pause(&mut engine, Duration::from_millis(60), began)
            }),
            false => replay.carry_out_xboard(&mut engine, script, began),
        };
        replay.waited = engine.waiting().since(&waiting);
        replay.memory = memory.zip(engine.memory());
        match result.map_err(Stop::failure) {
            Ok(()) => {}
            Err(Ok(EngineError::Hung { .. })) => replay.ending = Ending::Silent("bestmove"),
            Err(Ok(EngineError::NotReady { .. })) => replay.ending = Ending::Silent("readyok"),
            Err(Ok(EngineError::NotReading { .. })) => {
                replay.ending = Ending::Silent("that its input is read");
            }
            Err(Ok(error)) => replay.ending = Ending::Exited(error.to_string()),
            Err(Err(stop)) => return Err(stop),
        }
        if script.steps.contains(&Step::CloseInput) {
            replay.close(engine);
        } else {
            engine.into_engine().kill();
        }
        Ok(replay)
    }

    fn carry_out(
        &mut self,
        engine: &mut TestedEngine,
        steps: &[Step],
        began: Instant,
    ) -> Result<(), Stop> {
        for step in steps {
            match step {
                Step::Send(lines) => {
                    let sent = engine.send_line(&lines.join("\n"))?;
                    for line in lines {
                        self.say(sent - began, Speaker::Dyno, line);
                    }
                    self.ending = Ending::Running;
                }
                Step::Await(what, patience) => self.wait_for(engine, *what, *patience, began)?,
                Step::Pause(span) => self.pause(engine, *span, began)?,
                Step::Repeat(times, steps) => {
                    for _ in 0..*times {
                        self.carry_out(engine, steps, began)?;
                        // What was waited for in vain is what the repeating was for.
                        if matches!(self.ending, Ending::Silent(_)) {
                            return Ok(());
                        }
                    }
                }
                Step::CloseInput => {}
            }
        }
        Ok(())
    }

    fn wait_for(
        &mut self,
        engine: &mut TestedEngine,
        what: Awaited,
        patience: Duration,
        began: Instant,
    ) -> Result<(), Stop> {
        let is_owed = self.owes(what);
        let running = self.last_search().filter(|search| search.best.is_empty());
        let patience = if is_owed { patience } else { patience.min(STRAY) };
        let (end, cut) = engine.until(Instant::now(), patience)?;
        let limit = running.and_then(|s| time_limit(s.asked.first()?, s.asked.get(1)?));
        let went = self.lines.iter().rev().find(|said| said.text.starts_with("go"));
        let mut overtime = Overtime::new(began + went.map_or(Duration::ZERO, |go| go.at), limit);
        while let Some((line, at)) = overtime.read(engine, end)? {
            self.say(at.saturating_duration_since(began), Speaker::Engine, &line);
            if line.split_whitespace().next() == Some(what.word()) {
                self.watched = Some(overtime.late(at));
                return Ok(());
            }
        }
        if cut && is_owed {
            return Err(Stop::OutOfTime);
        }
        if is_owed {
            self.say(began.elapsed(), Speaker::Silence, what.word());
            self.ending = Ending::Silent(what.word());
        }
        Ok(())
    }

    /// Whether the engine has to answer: a search that has been answered owes nothing, only a stray
    /// answer may come.
    fn owes(&self, what: Awaited) -> bool {
        let is_open = |search: Search| search.best.is_empty();
        what != Awaited::BestMove || self.last_search().is_some_and(is_open)
    }

    fn pause(
        &mut self,
        engine: &mut TestedEngine,
        span: Duration,
        began: Instant,
    ) -> Result<(), Stop> {
        let end = Instant::now() + span;
        while let Some((line, at)) = engine.read_line(Some(end))? {
            let line = line.to_owned();
            self.say(at.saturating_duration_since(began), Speaker::Engine, &line);
        }
        Ok(())
    }

    /// XBoard has other words: only its searches are carried out again.
    fn carry_out_xboard(
        &mut self,
        engine: &mut TestedEngine,
        script: &Script,
        began: Instant,
    ) -> Result<(), Stop> {
        let mut position = "position startpos".to_owned();
        let lines = script.steps.iter().filter_map(|step| match step {
            Step::Send(lines) => Some(lines),
            _ => None,
        });
        for line in lines.flatten() {
            self.say(began.elapsed(), Speaker::Dyno, line);
            if line.starts_with("position") {
                position.clone_from(line);
            } else if line.starts_with("go") {
                let found = search(engine, &position, line, Duration::from_secs(10))?;
                let at = began.elapsed();
                for thought in found.thoughts {
                    self.say(at, Speaker::Engine, &format!("info {}", thought.line));
                }
                self.say(at, Speaker::Engine, &format!("bestmove {}", found.best));
            }
        }
        Ok(())
    }

    fn close(&mut self, engine: TestedEngine) {
        let patience = engine.patience(Duration::from_secs(3));
        let (exit, forced) = engine.into_engine().close_input(patience);
        self.ending =
            if forced { Ending::Silent("its end") } else { Ending::Exited(exit.to_string()) };
    }

    fn say(&mut self, at: Duration, by: Speaker, text: &str) {
        // Without its questions and answers a long conversation could not be judged.
        let is_kept = by != Speaker::Engine || text.trim_start().starts_with("bestmove");
        if is_kept || self.lines.len() < MOST_LINES {
            self.lines.push(Said { at, by, text: text.to_owned() });
        }
    }

    /// Every search of the conversation, in order, ended or not.
    #[must_use]
    pub fn searches(&self) -> Vec<Search> {
        searches(&self.lines, "position startpos")
    }

    /// The last search.
    #[must_use]
    pub fn last_search(&self) -> Option<Search> {
        let is = |said: &Said, word: &str| {
            said.by == Speaker::Dyno && said.text.split_whitespace().next() == Some(word)
        };
        let go = self.lines.iter().rposition(|said| is(said, "go"))?;
        let before = self.lines[..go].iter().rev().find(|said| is(said, "position"));
        let position = before.map_or("position startpos", |said| &said.text);
        searches(&self.lines[go..], position).pop()
    }

    /// How late the last move came after the time limit of its search.
    #[must_use]
    pub fn late(&self) -> Option<Duration> {
        let search = self.last_search()?;
        let limit = time_limit(search.asked.first()?, search.asked.get(1)?)?;
        match search.overran || search.best.is_empty() {
            true => Some(Duration::MAX),
            false => Some(self.watched.unwrap_or_else(|| search.elapsed.saturating_sub(limit))),
        }
    }

    /// What was said between each occurrence of a command and the `readyok` after it.
    #[must_use]
    pub fn answers(&self, command: &str) -> Vec<Vec<String>> {
        let mut answers: Vec<Vec<String>> = Vec::new();
        let mut open = false;
        for said in &self.lines {
            match said.by {
                Speaker::Dyno if said.text == command => {
                    answers.push(Vec::new());
                    open = true;
                }
                Speaker::Engine if said.text.trim() == "readyok" => open = false,
                Speaker::Engine if open => {
                    if let Some(answer) = answers.last_mut() {
                        answer.push(said.text.clone());
                    }
                }
                _ => {}
            }
        }
        answers
    }

    /// How many lines of the engine begin with this word.
    #[must_use]
    pub fn count(&self, word: &str) -> usize {
        let is_it = |said: &&Said| {
            said.by == Speaker::Engine && said.text.split_whitespace().next() == Some(word)
        };
        self.lines.iter().filter(is_it).count()
    }

    /// How it ended, where the process did so by itself.
    #[must_use]
    pub fn exited(&self) -> Option<&str> {
        match &self.ending {
            Ending::Exited(how) => Some(how),
            _ => None,
        }
    }

    /// The answer that was awaited last and did not come.
    #[must_use]
    pub fn silent(&self) -> Option<&'static str> {
        match self.ending {
            Ending::Silent(what) => Some(what),
            _ => None,
        }
    }
}

/// The searches of some lines, which begin at this position.
fn searches(lines: &[Said], position: &str) -> Vec<Search> {
    let mut searches: Vec<Search> = Vec::new();
    let mut position = position.to_owned();
    let mut began = None;
    for said in lines {
        match (said.by, said.text.split_whitespace().next()) {
            (Speaker::Dyno, Some("position")) => position.clone_from(&said.text),
            (Speaker::Dyno, Some("go")) => {
                began = Some(said.at);
                let asked = vec![position.clone(), said.text.clone()];
                searches.push(Search { asked, ..Search::default() });
            }
            (Speaker::Engine, Some("info")) => {
                if let (Some(search), Some(began)) = (searches.last_mut(), began) {
                    let at = said.at.saturating_sub(began);
                    search.thoughts.push(InfoLine::read(&said.text, at));
                }
            }
            (Speaker::Engine, Some("bestmove")) => {
                if let (Some(search), Some(began)) = (searches.last_mut(), began.take()) {
                    search.end(&said.text, said.at.saturating_sub(began));
                }
            }
            (Speaker::Silence, _) if began.is_some() => {
                if let Some(search) = searches.last_mut() {
                    search.overran = true;
                }
            }
            _ => {}
        }
    }
    searches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(by: Speaker, text: &str, ms: u64) -> Said {
        Said { at: Duration::from_millis(ms), by, text: text.to_owned() }
    }

    #[test]
    fn a_search_that_was_answered_owes_nothing() {
        let lines = vec![
            said(Speaker::Dyno, "position startpos", 0),
            said(Speaker::Dyno, "go movetime 30", 1),
            said(Speaker::Engine, "bestmove e2e4", 30),
            said(Speaker::Dyno, "stop", 31),
        ];
        let mut replay = Replay { lines, ..Replay::default() };
        assert!(!replay.owes(Awaited::BestMove));
        assert!(replay.owes(Awaited::ReadyOk));
        replay.lines.push(said(Speaker::Dyno, "go movetime 30", 40));
        assert!(replay.owes(Awaited::BestMove));
    }

    #[test]
    fn searches_and_answers_are_read_from_what_was_said() {
        let lines = vec![
            said(Speaker::Dyno, "position startpos moves e2e4", 0),
            said(Speaker::Dyno, "go depth 1", 1),
            said(Speaker::Engine, "info depth 1 score cp 3 nodes 20 pv e7e5", 4),
            said(Speaker::Engine, "bestmove e7e5 ponder g1f3", 5),
            said(Speaker::Dyno, "d", 6),
            said(Speaker::Engine, "Key: 1234", 7),
            said(Speaker::Engine, "readyok", 8),
            said(Speaker::Dyno, "go infinite", 9),
            said(Speaker::Silence, "bestmove", 99),
        ];
        let replay = Replay { lines, ..Replay::default() };
        let searches = replay.searches();
        assert_eq!(searches.len(), 2);
        assert_eq!(searches[0].asked[0], "position startpos moves e2e4");
        assert_eq!((searches[0].best.as_str(), searches[0].nodes()), ("e7e5", Some(20)));
        assert_eq!(searches[0].elapsed, Duration::from_millis(4));
        assert!(searches[1].overran && searches[1].best.is_empty());
        let last = replay.last_search().map(|search| search.asked);
        assert_eq!(last.as_ref(), Some(&searches[1].asked));
        assert_eq!(replay.answers("d"), [["Key: 1234"]]);
        assert_eq!(replay.count("bestmove"), 1);
    }
}
