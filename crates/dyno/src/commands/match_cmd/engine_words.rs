//! The settings of `-engine` and `-each`.

use super::words::{DialectError, Result, Setting, fail, hint, set};
use dyno_driver::{EngineSpec, Protocol, engine_names, named_engine, split_command_line};
use dyno_tournament::{EngineEntry, Restart, TimeControl, seconds};

/// A setting of an engine, with its line in the help.
pub struct EngineSetting {
    pub name: &'static str,
    /// What follows the name, `=` included.
    pub value: &'static str,
    /// Empty for other spellings and for what has no effect.
    pub about: &'static str,
    apply: fn(&mut EngineEntry, Setting<'_>) -> Result<()>,
}

const fn row(
    name: &'static str,
    value: &'static str,
    about: &'static str,
    apply: fn(&mut EngineEntry, Setting<'_>) -> Result<()>,
) -> EngineSetting {
    EngineSetting { name, value, about, apply }
}

/// What an engine can be told: a new setting is a line here. A name that ends in a dot is followed
/// by another name.
pub const ENGINE_SETTINGS: &[EngineSetting] = &[
    row("cmd", "=PROGRAM", "A path, a name, a command line, or builtin", |e, s| {
        command(&mut e.spec, s.value)
    }),
    row("cmd.", "PLATFORM=PROGRAM", "Its program for workers on x86_64-windows, …", |e, s| {
        e.platforms.insert(platform(s)?.to_owned(), s.value.into());
        Ok(())
    }),
    row("name", "=NAME", "How it is called; the program's name otherwise", |e, s| {
        set(&mut e.spec.name, Ok(Some(s.value.to_owned())))
    }),
    // Read before all others, see `entry`.
    row(
        "conf",
        "=NAME",
        "Take it from engines.toml or engines.json (-engines lists them)",
        |_, _| Ok(()),
    ),
    row("dir", "=DIR", "Its working directory", |e, s| {
        set(&mut e.spec.dir, Ok(Some(s.value.into())))
    }),
    row("arg", "=ARG", "An argument; once for each", |e, s| {
        e.spec.args.push(s.value.to_owned());
        Ok(())
    }),
    row("args", "=\"ARG ARG\"", "All arguments", |e, s| {
        e.spec.args.extend(split_command_line(s.value).map_err(as_fault)?);
        Ok(())
    }),
    row("proto", "=uci|xboard|auto", "Its protocol [auto]", protocol),
    row("protocol", "", "", protocol),
    row("jail", "=true", "Run it without network, other processes and files of others", |e, s| {
        set(&mut e.spec.jail, s.flag_value())
    }),
    row("stderr", "=FILE", "Where its standard error goes", |e, s| {
        set(&mut e.spec.stderr, Ok(Some(s.value.into())))
    }),
    row("env.", "NAME=VALUE", "A variable of its environment", |e, s| {
        e.spec.env.push((name_after_dot(s)?.to_owned(), s.value.to_owned()));
        Ok(())
    }),
    row("option.", "NAME=VALUE", "A UCI option; hash=64 and threads=2 for short", |e, s| {
        e.spec.set_option(name_after_dot(s)?, s.value);
        Ok(())
    }),
    row("tc", "=40/2:30+0.5", "Moves/minutes:seconds+increment, or inf", |e, s| {
        set(&mut e.limits.tc, time_control(s))
    }),
    row("st", "=SECONDS", "A fixed time a move", |e, s| {
        set(&mut e.limits.st, move_time(s).map(Some))
    }),
    row("depth", "=N", "A limit in plies, alone or beside a clock", depth),
    row("plies", "", "", depth),
    row("nodes", "=N", "A limit in nodes, alone or beside a clock", |e, s| {
        set(&mut e.limits.nodes, s.number().map(Some))
    }),
    row("timemargin", "=MS", "How much later is still in time [0; with st 100]", |e, s| {
        set(&mut e.limits.timemargin, s.number().map(Some))
    }),
    row("patience", "=SECONDS", "The longest move without a clock [60]", |e, s| {
        set(&mut e.limits.patience, s.number().map(Some))
    }),
    row("tscale", "=FACTOR", "Multiplies timeouts (start, ready, patience)", |e, s| {
        set(&mut e.limits.tscale, s.number().map(Some))
    }),
    row("ponder", "", "Think in the opponent's time", |e, s| set(&mut e.ponder, s.flag_value())),
    row("restart", "=on|off|auto", "A new process for every game [auto]", |e, s| {
        set(&mut e.restart, s.choice(RESTARTS))
    }),
    row("whitepov", "", "Its scores are White's", |e, s| set(&mut e.whitepov, s.flag_value())),
    row("initstr", "=LINE", "Sent once it has started; \\n separates lines", |e, s| {
        e.spec.init.extend(s.value.split("\\n").map(str::to_owned));
        Ok(())
    }),
    row("debug", "", "Send it `debug on` (UCI)", |e, s| {
        if s.flag_value()? {
            e.spec.init.push("debug on".to_owned());
        }
        Ok(())
    }),
    row("book", "=FILE", "A Polyglot book for this engine", |e, s| {
        set(&mut e.book, Ok(Some(s.value.into())))
    }),
    row("bookdepth", "=N", "The moves taken from it", |e, s| {
        set(&mut e.bookdepth, s.number().map(Some))
    }),
    // cutechess-cli only checks moves of engines it does not trust; Dyno trusts none.
    row("trust", "", "", |_, _| Ok(())),
];

const RESTARTS: &[(&str, Restart)] = &[
    ("auto", Restart::Auto),
    ("on", Restart::On),
    ("off", Restart::Off),
    ("true", Restart::On),
    ("false", Restart::Off),
];

const PROTOCOLS: &[(&str, Protocol)] =
    &[("uci", Protocol::Uci), ("xboard", Protocol::Xboard), ("auto", Protocol::Auto)];

fn protocol(engine: &mut EngineEntry, setting: Setting<'_>) -> Result<()> {
    set(&mut engine.spec.protocol, setting.choice(PROTOCOLS))
}

fn depth(engine: &mut EngineEntry, setting: Setting<'_>) -> Result<()> {
    set(&mut engine.limits.depth, setting.number().map(Some))
}

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
/// then its own. What a file of engines says under the name of `conf=` comes before both.
pub fn entry<'a>(
    mut engine: EngineEntry,
    settings: impl Iterator<Item = Setting<'a>>,
) -> Result<EngineEntry> {
    let (named, settings): (Vec<_>, Vec<_>) = settings.partition(|s| s.name == "conf");
    if let Some(named) = named.last() {
        engine.spec = configured(named.value)?;
    }
    for setting in settings {
        apply(&mut engine, setting)?;
    }
    Ok(engine)
}

fn apply(engine: &mut EngineEntry, setting: Setting<'_>) -> Result<()> {
    let Setting { name, value, .. } = setting;
    let is_meant = |row: &&EngineSetting| match row.name.ends_with('.') {
        true => name.starts_with(row.name),
        false => name == row.name,
    };
    if let Some(row) = ENGINE_SETTINGS.iter().find(is_meant) {
        return (row.apply)(engine, setting);
    }
    if let Some((_, option)) = SHORTHANDS.iter().find(|s| s.0.eq_ignore_ascii_case(name)) {
        engine.spec.set_option(option, value);
        return Ok(());
    }
    let names = ENGINE_SETTINGS.iter().map(|row| row.name);
    let fault = setting.unknown::<()>(names.chain(SHORTHANDS.iter().map(|s| s.0)));
    let fault = fault.err().map(|e| e.0).unwrap_or_default();
    fail(format!("{fault} (a UCI option is written option.{name}={value})"))
}

/// What follows the dot of `env.` and `option.`.
fn name_after_dot(setting: Setting<'_>) -> Result<&str> {
    match setting.name.split_once('.') {
        Some((_, name)) if !name.is_empty() => Ok(name),
        _ => fail(format!("-{}: write {}NAME=VALUE", setting.flag, setting.name)),
    }
}

/// The platform after the dot of `cmd.`: a name that no machine has would be sent in vain.
fn platform(setting: Setting<'_>) -> Result<&str> {
    const SYSTEMS: [&str; 6] = ["linux", "windows", "macos", "freebsd", "openbsd", "netbsd"];
    let name = name_after_dot(setting)?;
    match name.rsplit_once('-') {
        Some((processor, system)) if !processor.is_empty() && SYSTEMS.contains(&system) => Ok(name),
        _ => fail(format!(
            "-{} {}: a platform is PROCESSOR-SYSTEM, such as x86_64-windows or aarch64-linux",
            setting.flag, setting.name
        )),
    }
}

fn time_control(setting: Setting<'_>) -> Result<Option<TimeControl>> {
    match setting.value {
        "inf" | "infinite" => Ok(None),
        text => match text.parse() {
            Ok(tc) => Ok(Some(tc)),
            Err(error) => fail(format!("-{} tc: {error}", setting.flag)),
        },
    }
}

fn move_time(setting: Setting<'_>) -> Result<f64> {
    match seconds(setting.value) {
        Some(time) => Ok(time.as_secs_f64()),
        None => {
            let Setting { flag, value, .. } = setting;
            fail(format!("-{flag} st: not a number of seconds: {value:?}"))
        }
    }
}

/// A program's path may hold blanks; a command line is split only when no such file exists.
fn command(spec: &mut EngineSpec, value: &str) -> Result<()> {
    let command: EngineSpec = value.parse().map_err(as_fault)?;
    spec.program = command.program;
    spec.args.extend(command.args);
    Ok(())
}

/// An engine known by name from engines.json or engines.toml.
fn configured(name: &str) -> Result<EngineSpec> {
    let known = named_engine(name, &[]).map_err(|e| DialectError(format!("conf={name}: {e}")))?;
    known.map_or_else(
        || {
            let names = engine_names().unwrap_or_default();
            let hint = hint(name, names.iter().map(String::as_str), "");
            fail(format!(
                "conf={name}: no engine of that name in engines.toml or engines.json{hint}"
            ))
        },
        Ok,
    )
}

fn as_fault(error: impl std::fmt::Display) -> DialectError {
    DialectError(error.to_string())
}
