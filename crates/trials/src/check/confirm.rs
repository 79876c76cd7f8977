//! Findings are shown again before they are said: in a fresh process, with nothing but the lines
//! that will be printed.

use super::needs::DEAF;
use super::outcome::{CheckOutcome, Confirmation, Finding, Proof};
use super::replay::{Ending, Replay};
use super::script::{Mark, Script, Step};
use super::session::{Session, WARM_UP};
use super::stop::Stop;
use super::{Protocol, Verdict};
use dyno_driver::{EngineError, Program, is_crash_report};
use std::time::Duration;

/// How often the lines are tried before they are said not to show it; less often where the engine
/// takes long to start.
const TRIES: u32 = 3;
const FEWER_TRIES: u32 = 2;
const LONG_START: Duration = Duration::from_millis(500);

impl Session<'_> {
    /// Shows every finding again; what does not show is no more than a warning.
    pub fn confirm(&mut self, outcome: &mut CheckOutcome) -> Result<(), Stop> {
        let (end, last) = self.budget.confirm_until();
        self.shared.confirm(end, last);
        for finding in &mut outcome.findings {
            if finding.confirmation == Confirmation::NotTried {
                self.confirm_finding(finding)?;
            }
        }
        // What a busy machine could cause and does not show again was its doing.
        outcome.findings.retain(|finding| {
            let is_chance = finding.proof.as_ref().is_some_and(|proof| proof.is_perhaps_chance);
            !(is_chance && finding.confirmation == Confirmation::NotShown)
        });
        Ok(())
    }

    /// Shows one finding again.
    pub fn confirm_finding(&mut self, finding: &mut Finding) -> Result<(), Stop> {
        let Some(proof) = finding.proof.clone() else { return Ok(()) };
        let (found, otherwise) = match self.shown(&proof) {
            // What was seen is still what was seen.
            Err(Stop::OutOfTime) => (None, Confirmation::NoTime),
            other => (other?, Confirmation::NotShown),
        };
        let (script, confirmation) = found.unwrap_or((proof.script, otherwise));
        let note = match confirmation {
            Confirmation::NotShown => {
                " (seen once, but it could not be shown again in a fresh process)"
            }
            Confirmation::NoTime => " (seen once: there was no time to show it again)",
            _ => "",
        };
        if !note.is_empty() {
            finding.verdict = Verdict::Warn;
            finding.seen += note;
        }
        finding.confirmation = confirmation;
        finding.reproduce = self.typed(&script);
        Ok(())
    }

    /// The lines that show it, if any do.
    fn shown(&mut self, proof: &Proof) -> Result<Option<(Script, Confirmation)>, Stop> {
        let is_slow = self.handshake > LONG_START && !proof.is_every_time;
        let tries = if is_slow { FEWER_TRIES } else { TRIES };
        if self.shows(proof, &proof.script, tries)? {
            return Ok(Some((proof.script.clone(), Confirmation::Fresh)));
        }
        let Some(mark) = &proof.seen_in else { return Ok(None) };
        if proof.is_every_time {
            return Ok(None);
        }
        let whole = with_history(mark, &proof.script);
        if !self.shows(proof, &whole, 1)? {
            return Ok(None);
        }
        let smallest = self.shrink(proof, whole)?;
        Ok(Some((smallest, Confirmation::WithHistory)))
    }

    fn shows(&self, proof: &Proof, script: &Script, tries: u32) -> Result<bool, Stop> {
        for number in 0..tries {
            let shows = match self.fresh().map(|engine| Replay::of(engine, script)) {
                Ok(Ok(replay)) => proof.shows(&replay).is_some(),
                // What has shown each time so far, has shown.
                Err(Stop::OutOfTime) | Ok(Err(Stop::OutOfTime))
                    if proof.is_every_time && number > 0 =>
                {
                    return Ok(true);
                }
                Ok(Err(stop)) => return Err(stop),
                Err(stop) if stop.is_interrupt() || matches!(stop, Stop::OutOfTime) => {
                    return Err(stop);
                }
                Err(_) => false,
            };
            if shows != proof.is_every_time {
                return Ok(shows);
            }
        }
        Ok(proof.is_every_time)
    }

    /// The fewest steps that still show it, as far as there is time to look for them: first the
    /// shortest end of the conversation, then without whatever it does not need.
    fn shrink(&self, proof: &Proof, whole: Script) -> Result<Script, Stop> {
        // Now every start counts: there may be hundreds.
        self.shared.freeze();
        let mut best = whole;
        let attempt = |best: &mut Script, exchanges: Vec<Vec<Step>>| -> Result<bool, Stop> {
            let script = Script { steps: exchanges.into_iter().flatten().collect() };
            match self.shows(proof, &script, 1) {
                Ok(true) => {
                    *best = script;
                    Ok(true)
                }
                Ok(false) | Err(Stop::OutOfTime) => Ok(false),
                Err(stop) => Err(stop),
            }
        };
        let in_time = || !self.shared.is_over();
        let (mut fails, mut shows) = (exchanges(&best).len(), 0);
        while fails > shows + 1 && in_time() {
            let all = exchanges(&best);
            let count = all.len();
            // The best so far begins at `shows`; a shorter end begins half way to what fails.
            let skip = (fails - shows) / 2;
            if skip == 0 || skip >= count {
                break;
            }
            if attempt(&mut best, all[skip..].to_vec())? {
                shows += skip;
            } else {
                fails = shows + skip;
            }
        }
        let mut size = exchanges(&best).len() / 2;
        while size >= 1 && in_time() {
            let mut at = 0;
            while in_time() {
                let all = exchanges(&best);
                // The last exchange is the finding itself.
                if at + size >= all.len() {
                    break;
                }
                let without = [&all[..at], &all[at + size..]].concat();
                if !attempt(&mut best, without)? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(best)
    }

    /// The program and the lines as a person would type them.
    pub fn typed(&self, script: &Script) -> Vec<String> {
        let mut spec = self.plan.engine.clone();
        if spec.program == Program::Builtin
            && let Ok(own) = std::env::current_exe()
        {
            spec.program = Program::Path(own);
            spec.args.insert(0, "engine".to_owned());
        }
        let mut lines = vec![format!("$ {spec}")];
        let record = self.record();
        if record.protocol == Protocol::Xboard {
            lines.extend(["xboard".to_owned(), "protover 2".to_owned()]);
            lines.extend(self.in_its_words(script.lines()));
            return lines;
        }
        lines.extend(["uci".to_owned(), "# wait for uciok".to_owned()]);
        lines.extend(self.plan.engine.init.iter().cloned());
        lines.extend(record.options.iter().map(|(name, value)| match value.as_str() {
            "" => format!("setoption name {name}"),
            value => format!("setoption name {name} value {value}"),
        }));
        lines.extend(["isready".to_owned(), "# wait for readyok".to_owned()]);
        if self.loads_late {
            let [position, go] = WARM_UP;
            lines.extend(Script::of_search(position, go).lines());
        }
        lines.extend(script.lines());
        lines
    }

    /// What an engine's failure during a check comes to: a finding with the lines that led to it.
    pub fn failure(&mut self, error: &EngineError) -> Finding {
        let mark = self.latest();
        let script = last_exchange(&mark.steps());
        let shape = shape(&script);
        let text = error.to_string();
        match error {
            EngineError::Hung { .. } => Finding::fail(text)
                .expected("a bestmove, at the latest after stop")
                .cause("a loop that never looks at the stop flag, or a lost wake-up between the input and the search thread")
                .root(format!("hangs {shape}"))
                .may_suffer_from(only_stop_ends(&shape).then_some(DEAF))
                .shown_by(script, |replay| replay.silent().map(str::to_owned)),
            EngineError::NotReady { .. } | EngineError::NotReading { .. } => Finding::fail(text)
                .expected("an answer to isready, as soon as the commands before it are carried out")
                .cause("a command that never returns, or input that is not read while one runs")
                .root(format!("is silent {shape}"))
                .shown_by(script, |replay| replay.silent().map(str::to_owned)),
            _ => Finding::fail(text)
                .expected("that the engine goes on running")
                .cause("the stack of the crash tells: run the lines below in a debugger or under a sanitizer")
                .root(format!("ends {shape}"))
                .roots(same_crash(error, &shape))
                .shown_by(script, |replay| match &replay.ending {
                    Ending::Exited(how) => Some(how.clone()),
                    _ => None,
                }),
        }
        .seen_in(Some(mark))
    }
}

/// Whether a search has no limit of its own: it hangs where `stop` is not read.
fn only_stop_ends(shape: &str) -> bool {
    matches!(shape, "go infinite" | "go ponder" | "go mate")
}

/// What tells that two crashes are one: the same report of a crash, or else the same signal, where
/// both came in a search.
fn same_crash(error: &EngineError, shape: &str) -> Option<String> {
    match error {
        EngineError::Exited { stderr, .. } if is_crash_report(stderr) => {
            Some(format!("ends saying {stderr}"))
        }
        EngineError::Exited { exit, .. } if shape.starts_with("go ") => {
            Some(format!("ends in a search: {exit}"))
        }
        _ => None,
    }
}

/// The conversation up to the finding, ended by the finding's own lines where it does not end so.
fn with_history(mark: &Mark, own: &Script) -> Script {
    let mut steps = mark.steps();
    let sent = |steps: &[Step]| -> Vec<String> {
        let lines = steps.iter().filter_map(|step| match step {
            Step::Send(lines) => Some(lines.clone()),
            _ => None,
        });
        lines.flatten().collect()
    };
    let lines = sent(&own.steps);
    if !sent(&steps).ends_with(&lines) {
        steps.extend(own.steps.iter().cloned());
    }
    if !matches!(steps.last(), Some(Step::Await(..) | Step::Pause(_) | Step::CloseInput)) {
        steps.extend(Script::new().ready().steps);
    }
    Script { steps }
}

/// A conversation in parts that make sense by themselves: each begins where the engine is idle.
fn exchanges(script: &Script) -> Vec<Vec<Step>> {
    let mut all: Vec<Vec<Step>> = Vec::new();
    let mut searching = false;
    for step in &script.steps {
        let begins = match step {
            Step::Send(lines) => {
                // What only goes on with a search asks for nothing by itself.
                let goes_on =
                    |line: &String| matches!(line.as_str(), "isready" | "stop" | "ponderhit");
                let begins = !searching && lines.first().is_some_and(|line| !goes_on(line));
                searching |= lines.iter().any(|line| line.starts_with("go"));
                begins && !follows_position(all.last())
            }
            Step::Await(super::script::Awaited::BestMove, _) => {
                searching = false;
                false
            }
            _ => false,
        };
        match all.last_mut() {
            Some(last) if !begins => last.push(step.clone()),
            _ => all.push(vec![step.clone()]),
        }
    }
    all
}

/// Whether the last part is no more than a `position`, to which the next line belongs.
fn follows_position(last: Option<&Vec<Step>>) -> bool {
    matches!(last.map(Vec::as_slice), Some([Step::Send(lines)])
        if lines.iter().all(|line| line.starts_with("position")))
}

/// The end of a conversation, from the last command that asked for something.
fn last_exchange(steps: &[Step]) -> Script {
    let parts = exchanges(&Script { steps: steps.to_vec() });
    let mut steps = parts.last().cloned().unwrap_or_default();
    if !matches!(steps.last(), Some(Step::Await(..) | Step::Pause(_))) {
        steps.extend(Script::new().ready().steps);
    }
    Script { steps }
}

/// What kind of command a script ends with: `go depth`, `setoption name Hash`.
fn shape(script: &Script) -> String {
    let lines: Vec<&String> = script
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Send(lines) => Some(lines),
            _ => None,
        })
        .flatten()
        .filter(|line| !matches!(line.as_str(), "isready" | "stop"))
        .collect();
    let Some(last) = lines.last() else { return "isready".to_owned() };
    let words: Vec<&str> = last.split_whitespace().collect();
    match words[..] {
        ["go", limit, ..] => format!("go {limit}"),
        ["setoption", "name", name, ..] => format!("setoption name {name}"),
        [first, ..] => first.to_owned(),
        [] => "an empty line".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hang_is_shown_with_its_search() {
        let script =
            Script::new().search("position startpos", "go depth 9").send("stop").best_move();
        let lines = last_exchange(&script.steps).lines();
        assert!(lines.iter().any(|line| line == "go depth 9"), "{lines:?}");
    }

    #[test]
    fn a_conversation_falls_into_exchanges() {
        let script = Script::new()
            .new_game()
            .search("position startpos", "go depth 1")
            .search("position startpos moves e2e4", "go depth 2")
            .send("setoption name Hash value 1")
            .ready();
        let parts = exchanges(&script);
        assert_eq!(parts.len(), 4, "{parts:?}");
        assert_eq!(last_exchange(&script.steps).lines()[0], "setoption name Hash value 1");
        assert_eq!(shape(&Script { steps: parts[2].clone() }), "go depth");
    }
}
