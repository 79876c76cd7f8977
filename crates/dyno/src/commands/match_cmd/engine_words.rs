//! The settings of `-engine` and `-each`.

use super::words::{DialectError, Result, Setting, fail, hint};
use dyno_driver::{EngineSpec, Program, engine_names, named_engine, split_command_line};
use dyno_tournament::{Contender, Limits, Protocol, Restart, seconds};

/// What an engine can be told, besides `option.NAME=VALUE`.
const KEYS: [&str; 27] = [
    "name",
    "cmd",
    "conf",
    "dir",
    "arg",
    "args",
    "proto",
    "protocol",
    "initstr",
    "stderr",
    "restart",
    "ponder",
    "whitepov",
    "book",
    "bookdepth",
    "tc",
    "st",
    "depth",
    "plies",
    "nodes",
    "timemargin",
    "tscale",
    "patience",
    "trust",
    "hash",
    "threads",
    "option.",
];

/// Shorthands for options that nearly every engine has.
const SHORTHANDS: [(&str, &str); 9] = [
    ("hash", "Hash"),
    ("threads", "Threads"),
    ("multipv", "MultiPV"),
    ("contempt", "Contempt"),
    ("ownbook", "OwnBook"),
    ("syzygypath", "SyzygyPath"),
    ("evalfile", "EvalFile"),
    ("skill", "Skill Level"),
    ("moveoverhead", "Move Overhead"),
];

/// An engine with settings, the last word on each counts: first those that all engines share,
/// then its own.
pub fn contender<'a>(
    mut engine: Contender,
    settings: impl Iterator<Item = Setting<'a>>,
) -> Result<Contender> {
    for setting in settings {
        apply(&mut engine, setting)?;
    }
    Ok(engine)
}

fn apply(engine: &mut Contender, setting: Setting<'_>) -> Result<()> {
    let value = setting.value;
    match setting.name {
        "name" => engine.name = value.to_owned(),
        "cmd" => command(engine, value)?,
        "conf" => *engine = configured(value, std::mem::take(engine))?,
        "dir" => engine.dir = Some(value.into()),
        "arg" => engine.args.push(value.to_owned()),
        "args" => engine.args.extend(split_command_line(value).map_err(as_fault)?),
        "proto" | "protocol" => {
            engine.protocol = setting.choice(&[
                ("uci", Protocol::Uci),
                ("xboard", Protocol::Xboard),
                ("auto", Protocol::Auto),
            ])?;
        }
        "initstr" => engine.init.extend(value.split("\\n").map(str::to_owned)),
        "stderr" => engine.stderr = Some(value.into()),
        "restart" => {
            let choices = [
                ("auto", Restart::Auto),
                ("on", Restart::On),
                ("off", Restart::Off),
                ("true", Restart::On),
                ("false", Restart::Off),
            ];
            engine.restart = setting.choice(&choices)?;
        }
        "ponder" => engine.ponder = setting.flag_value()?,
        "whitepov" => engine.whitepov = setting.flag_value()?,
        "book" => engine.book = Some(value.into()),
        "bookdepth" => engine.bookdepth = Some(setting.number()?),
        // cutechess-cli only checks moves of engines it does not trust; Dyno trusts none.
        "trust" => {}
        name => match name.strip_prefix("option.") {
            Some(option) => set_option(engine, option, value),
            None => match SHORTHANDS.iter().find(|s| s.0.eq_ignore_ascii_case(name)) {
                Some((_, option)) => set_option(engine, option, value),
                None if limit(&mut engine.limits, setting)? => {}
                None => {
                    let fault = setting.unknown::<()>(&KEYS).err();
                    let fault = fault.map(|e| e.0).unwrap_or_default();
                    return fail(format!(
                        "{fault} (a UCI option is written option.{name}={value})"
                    ));
                }
            },
        },
    }
    Ok(())
}

/// Limits on thinking; `false` when the setting is none.
fn limit(limits: &mut Limits, setting: Setting<'_>) -> Result<bool> {
    match setting.name {
        "tc" if matches!(setting.value, "inf" | "infinite") => limits.tc = None,
        "tc" => {
            let tc = setting.value.parse();
            limits.tc = Some(tc.map_err(|e| DialectError(format!("-{} tc: {e}", setting.flag)))?);
        }
        "st" => match seconds(setting.value) {
            Some(time) => limits.st = Some(time.as_secs_f64()),
            None => {
                return fail(format!(
                    "-{} st: not a number of seconds: {:?}",
                    setting.flag, setting.value
                ));
            }
        },
        "depth" | "plies" => limits.depth = Some(setting.number()?),
        "nodes" => limits.nodes = Some(setting.number()?),
        "timemargin" => limits.timemargin = Some(setting.number()?),
        "tscale" => limits.tscale = Some(setting.number()?),
        "patience" => limits.patience = Some(setting.number()?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// A program's path may hold blanks; a command line is split only when no such file exists.
fn command(engine: &mut Contender, value: &str) -> Result<()> {
    let spec: EngineSpec = value.parse().map_err(as_fault)?;
    take_over(engine, &spec);
    Ok(())
}

fn take_over(engine: &mut Contender, spec: &EngineSpec) {
    engine.cmd = match &spec.program {
        Program::Builtin => "builtin".to_owned(),
        Program::Path(path) => path.display().to_string(),
    };
    engine.args.extend(spec.args.iter().cloned());
}

/// An engine known by name from engines.json or engines.toml.
fn configured(name: &str, given: Contender) -> Result<Contender> {
    let spec = named_engine(name, &[]).map_err(|e| DialectError(format!("conf={name}: {e}")))?;
    let Some(spec) = spec else {
        let known = engine_names().unwrap_or_default();
        let hint = hint(name, known.iter().map(String::as_str), "");
        return fail(format!(
            "conf={name}: no engine of that name in engines.toml or engines.json{hint}"
        ));
    };
    let mut engine = given;
    take_over(&mut engine, &spec);
    if engine.name.is_empty() {
        engine.name = spec.name.clone().unwrap_or_default();
    }
    engine.dir = engine.dir.or(spec.dir);
    engine.stderr = engine.stderr.or(spec.stderr);
    engine.init.extend(spec.init);
    engine.protocol = match spec.protocol {
        dyno_driver::Protocol::Auto => engine.protocol,
        dyno_driver::Protocol::Uci => Protocol::Uci,
        dyno_driver::Protocol::Xboard => Protocol::Xboard,
    };
    for (option, value) in spec.options {
        set_option(&mut engine, &option, &value);
    }
    Ok(engine)
}

/// The last word on an option counts.
fn set_option(engine: &mut Contender, name: &str, value: &str) {
    let same =
        |text: &String| text.split_once('=').is_some_and(|(n, _)| n.eq_ignore_ascii_case(name));
    engine.options.retain(|option| !same(option));
    engine.options.push(format!("{name}={value}"));
}

fn as_fault(error: impl std::fmt::Display) -> DialectError {
    DialectError(error.to_string())
}
