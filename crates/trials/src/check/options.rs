//! Option declarations, and what happens when the options are set.

use super::needs::{Need, stop};
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::replay::Replay;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, listen, search, until_ready};
use super::{CheckOutcome, Checked};
use dyno_driver::EngineError;
use dyno_uci::{EngineOption, OptionKind};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

pub(super) fn declarations(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("options");
    let engine = session.engine()?;
    let faults: Vec<String> = engine
        .findings()
        .examples()
        .iter()
        .filter(|finding| finding.line.trim_start().starts_with("option"))
        .map(|finding| format!("{}: {}", finding.deviation, finding.line))
        .collect();
    let options = engine.options().len();
    let has_hash = engine.option("Hash").is_some();
    findings.judge_many(options + faults.len());
    let mut finding = match faults.first() {
        Some(first) => Finding::fail(first.clone())
            .expected(
                "option name N type T default D, with min and max for a spin, var for a combo",
            )
            .cause("hand-written lines: print them from the table that checks the values")
            .evidence(faults.iter().skip(1).cloned()),
        None if !has_hash => Finding::warn("no option Hash: matches cannot be made fair")
            .expected("option name Hash type spin default D min A max B")
            .cause("the table has a fixed size, or there is none"),
        None => {
            let text = format!("{}, all well-formed", counted(options));
            return Ok(findings.outcome(text).figure("options", options as f64, ""));
        }
    };
    finding.reproduce = session.typed(&Script::new());
    findings.push(finding);
    findings.judge();
    Ok(findings.outcome("").figure("options", options as f64, ""))
}

pub(super) fn values(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("values");
    let mut engine = session.fresh()?;
    let options = engine.options().to_vec();
    if options.is_empty() {
        return Ok(CheckOutcome::skip("the engine declares no options"));
    }
    'options: for option in &options {
        for (value, legal) in trials(option) {
            if session.time_is_up() {
                break 'options;
            }
            let line = match &value {
                Some(value) => format!("setoption name {} value {value}", option.name),
                None => format!("setoption name {}", option.name),
            };
            engine.send_line(&line)?;
            let Err(stop) = until_ready(&mut engine, 15 * SECOND) else {
                findings.judge();
                continue;
            };
            findings.judge();
            findings.push(broken_by(&line, &stop.failure()?, legal).seen_in(Some(engine.mark())));
            engine = session.fresh()?;
            break;
        }
        // Back to what it was, so that one option's extreme does not spoil the next one's test; a
        // choice may even change how the engine speaks.
        if matches!(option.kind, OptionKind::Combo { .. }) {
            engine = session.fresh()?;
        } else if let Some(value) = option.default_text().filter(|_| !makes_files(option)) {
            engine.send_line(&format!("setoption name {} value {value}", option.name))?;
            until_ready(&mut engine, 15 * SECOND)?;
        }
    }
    let found = search(&mut engine, "position startpos", "go depth 1", 20 * SECOND)?;
    if let Some(bad) = found.illegal_answer() {
        findings.push(
            Finding::fail(format!("after all options were set and set back: {bad}"))
                .expected("a legal move")
                .of(&found, |search| search.illegal_answer()),
        );
    }
    Ok(findings.outcome(format!("{} set to their extremes and to rubbish", counted(options.len()))))
}

/// What an option value has done to the engine.
fn broken_by(line: &str, error: &EngineError, legal: bool) -> Finding {
    let seen = format!("after `{line}`: {error}");
    // No rule says what to do with a value outside the declaration.
    let finding = if legal { Finding::fail(seen) } else { Finding::warn(seen) };
    let name = line.split(" value ").next().unwrap_or(line).to_owned();
    finding
        .expected(match legal {
            true => "a declared value is taken, and isready answered",
            false => "a value outside the declaration is ignored",
        })
        .cause("the value is used as it comes: parse it, clamp it to the declared range, ignore what cannot be read")
        .root(format!("ends {name}"))
        .shown_by(Script::new().ask(line), is_down)
}

fn is_down(replay: &Replay) -> Option<String> {
    replay.exited().map(str::to_owned).or_else(|| replay.silent().map(|what| format!("no {what}")))
}

/// Options that change between searches, and even during one.
pub(super) fn changes(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("changes");
    let lines: Vec<String> = session.engine()?.options().iter().flat_map(changing).collect();
    if lines.is_empty() {
        return Ok(CheckOutcome::skip("the engine declares no option to change"));
    }
    let depth = session.depth_within(30)?.unwrap_or(1);
    let go = format!("go depth {depth}");
    let mut engine = session.fresh()?;
    for (number, line) in lines.iter().enumerate() {
        let position = format!("position fen {}", SEARCHED[number % SEARCHED.len()]);
        engine.send_line(line)?;
        until_ready(&mut engine, 10 * SECOND)?;
        let found = search(&mut engine, &position, &go, 5 * SECOND)?;
        findings.judge();
        if let Some(bad) = found.illegal_answer() {
            let script = Script::new().ask(line).search(&position, &go);
            findings.push(
                Finding::fail(format!("after `{line}`: {bad}"))
                    .expected("a legal move, whatever the options")
                    .cause(
                        "something that the option resizes or replaces is still used by the search",
                    )
                    .root(format!("illegal after {line}"))
                    .shown_by(script, |replay| replay.last_search()?.illegal_answer())
                    .seen_in(found.mark.clone()),
            );
        }
    }
    in_any_case(session, &findings)?;
    during_a_search(session, &findings, &lines)?;
    Ok(findings.outcome("options are changed between searches and during one"))
}

/// The names of options are the same in capital and small letters. MultiPV shows whether it was
/// understood.
fn in_any_case(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    if session.engine()?.option("MultiPV").is_none() {
        return Ok(());
    }
    let position = format!("position fen {}", SEARCHED[3]);
    let shows_two = |session: &Session<'_>, line: &str| -> Result<bool, Stop> {
        let mut engine = session.fresh()?;
        engine.send_line(line)?;
        until_ready(&mut engine, 5 * SECOND)?;
        Ok(two_lines(&search(&mut engine, &position, "go depth 2", 5 * SECOND)?))
    };
    let small = "setoption name multipv value 2";
    if session.time_is_up() || shows_two(session, small)? {
        return Ok(());
    }
    findings.judge();
    if !shows_two(session, "setoption name MultiPV value 2")? {
        return Ok(());
    }
    let script = Script::new().ask(small).search(&position, "go depth 2");
    findings.push(
        Finding::warn(format!("`{small}` is not understood, `MultiPV` is"))
            .expected("the names of options are the same in capital and small letters")
            .cause("names are compared letter by letter: compare them without regard to case")
            .root("case of options")
            .shown_by(script, |replay| {
                (!two_lines(&replay.last_search()?)).then(|| "one line".to_owned())
            }),
    );
    Ok(())
}

fn two_lines(found: &Search) -> bool {
    found.thoughts.iter().any(|t| t.multipv == 2)
}

/// The values that an option is changed to, and back; nothing that makes files or other games.
fn changing(option: &EngineOption) -> Vec<String> {
    let set = |value: i64| format!("setoption name {} value {value}", option.name);
    match (&option.kind, option.name.to_ascii_lowercase().as_str()) {
        (OptionKind::Spin { min, max, .. }, "hash") => {
            [8, 32, 1, 16].map(|mb: i64| set(mb.clamp(*min, *max))).to_vec()
        }
        (OptionKind::Spin { max, .. }, "threads") if *max > 1 => vec![set(2), set(1)],
        (OptionKind::Spin { max, .. }, "multipv") if *max > 2 => vec![set(3), set(1)],
        (OptionKind::Button, name) if name.contains("clear") => {
            vec![format!("setoption name {}", option.name)]
        }
        _ => Vec::new(),
    }
}

/// No GUI should do this, but an engine that dies of it takes the game with it.
fn during_a_search(
    session: &mut Session<'_>,
    findings: &Findings,
    lines: &[String],
) -> Result<(), Stop> {
    if session.broken(Need::Stop)?.is_some() || session.broken(Need::Infinite)?.is_some() {
        return Ok(());
    }
    for line in lines.iter().filter(|line| !line.contains("Threads")).take(3) {
        let mut engine = session.fresh()?;
        engine.send_line("position startpos\ngo infinite")?;
        listen(&mut engine, Duration::from_millis(60))?;
        engine.send_line(line)?;
        let listened = listen(&mut engine, Duration::from_millis(60));
        findings.judge();
        let Err(stopped) = listened.and_then(|_| stop(&mut engine)) else { continue };
        let error = stopped.failure()?;
        let script = Script::new()
            .send("position startpos")
            .send("go infinite")
            .pause(60)
            .send(line.as_str())
            .pause(60)
            .send("stop")
            .best_move();
        findings.push(
            Finding::warn(format!("`{line}` during a search: {error}"))
                .expected("the option is set when the search has ended, or ignored")
                .cause("the table is freed while the search uses it, or the setting waits for the search and blocks the input")
                .root("options during a search")
                .shown_by(script, is_down),
        );
    }
    Ok(())
}

fn counted(options: usize) -> String {
    if options == 1 { "1 option".to_owned() } else { format!("{options} options") }
}

/// Options that make the engine write files. An examination must not leave its
/// logs, nor a file called `<empty>`, in the user's folder.
fn makes_files(option: &EngineOption) -> bool {
    let name = option.name.to_ascii_lowercase();
    let is_of_files = matches!(option.kind, OptionKind::String { .. } | OptionKind::Check { .. });
    is_of_files && ["log", "dump", "trace", "record", "learn"].iter().any(|w| name.contains(w))
}

/// The values to try, each with whether the engine has declared it legal.
fn trials(option: &EngineOption) -> Vec<(Option<String>, bool)> {
    let name = option.name.to_ascii_lowercase();
    let legal = |text: String| (Some(text), true);
    let rubbish = |text: &str| (Some(text.to_owned()), false);
    match &option.kind {
        OptionKind::Check { .. } if makes_files(option) => {
            vec![rubbish("maybe"), legal("false".into())]
        }
        OptionKind::String { .. } if makes_files(option) => Vec::new(),
        // What takes memory or processors in proportion is not driven to its end here.
        OptionKind::Spin { min, max, .. } => {
            let most = match name.as_str() {
                n if n.contains("hash") || n.contains("cache") || n.contains("memory") => {
                    (*max).min(64)
                }
                n if n.contains("thread") || n.contains("cores") || n.contains("cpu") => {
                    (*max).min(4)
                }
                _ => *max,
            };
            vec![
                legal(min.to_string()),
                legal(most.max(*min).to_string()),
                rubbish("abc"),
                rubbish("99999999999999999999"),
                rubbish("-1"),
            ]
        }
        OptionKind::Check { .. } => {
            vec![legal("true".into()), legal("false".into()), rubbish("maybe")]
        }
        OptionKind::Combo { choices, .. } => choices
            .iter()
            .take(8)
            .map(|choice| legal(choice.clone()))
            .chain([rubbish("no-such-choice")])
            .collect(),
        OptionKind::Button => vec![(None, true)],
        // A file that is not there is the user's fault, not the engine's: only the empty text.
        OptionKind::String { .. } => vec![legal("<empty>".into())],
    }
}
