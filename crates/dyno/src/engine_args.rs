//! Which engine, with which options: the same arguments for every command that runs one.

use crate::exit::{Coded, Exit};
use crate::interrupt;
use anyhow::Context;
use clap::Args;
use dyno_driver::{EngineError, EngineSpec, Interrupt, Log, Protocol, Settings, named_engine};
use std::path::PathBuf;
use std::time::Duration;

/// The engine and how to run it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// The engine: `builtin`, a path, a quoted command line with arguments, or a name from
    /// engines.toml or engines.json
    #[arg(long = "engine", value_name = "ENGINE")]
    pub engines: Vec<String>,

    /// Set an engine option; repeat for more
    #[arg(long = "engine-option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,

    /// Set the engine's Threads option [default: 1, where the engine has the option]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,

    /// Set the engine's Hash option, in MB
    #[arg(long, value_name = "MB")]
    pub hash: Option<u32>,

    /// What the engine speaks: uci, xboard, or auto to find out
    #[arg(long, value_name = "PROTOCOL", default_value = "auto")]
    pub protocol: Protocol,

    /// Run the engine in this folder
    #[arg(long = "engine-dir", value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Add a variable to the engine's environment; repeat for more
    #[arg(long = "engine-env", value_name = "NAME=VALUE")]
    pub env: Vec<String>,

    /// Run the engine in a jail: no network, no other processes, no files but its own (Linux)
    #[arg(long)]
    pub jail: bool,

    /// Look up engine names in this file (engines.toml or cutechess' engines.json)
    #[arg(long = "engines-file", value_name = "FILE")]
    pub engines_file: Vec<PathBuf>,

    /// How long the engine may take to answer `uci`
    #[arg(long = "startup-timeout", value_name = "SECONDS", default_value_t = 5.0)]
    pub startup_timeout: f64,

    /// Write everything said to and by the engine, with milliseconds, to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

impl EngineArgs {
    /// All engines named, the built-in one when none is.
    pub fn specs(&self) -> anyhow::Result<Vec<EngineSpec>> {
        if self.engines.is_empty() {
            return Ok(vec![self.spec_of("builtin")?]);
        }
        self.engines.iter().map(|engine| self.spec_of(engine)).collect()
    }

    /// The engine, for commands that examine one.
    pub fn spec(&self) -> anyhow::Result<EngineSpec> {
        match self.engines.as_slice() {
            [] => self.spec_of("builtin"),
            [engine] => self.spec_of(engine),
            _ => anyhow::bail!("this command takes one --engine"),
        }
    }

    /// Engines from files come first: a name that the user gave wins.
    fn spec_of(&self, engine: &str) -> anyhow::Result<EngineSpec> {
        let named = match engine {
            "builtin" => None,
            name => named_engine(name, &self.engines_file)?,
        };
        let spec = match named {
            Some(spec) => spec,
            None => engine.parse().context("--engine")?,
        };
        self.adjust(spec)
    }

    /// The engine with everything that was asked for beside its name.
    pub fn adjust(&self, mut spec: EngineSpec) -> anyhow::Result<EngineSpec> {
        if self.protocol != Protocol::Auto {
            spec.protocol = self.protocol;
        }
        if let Some(dir) = &self.dir {
            spec.dir = Some(dir.clone());
        }
        if self.jail {
            crate::jail::require()?;
            spec.jail = true;
        }
        for variable in &self.env {
            spec.env.push(name_and_value("--engine-env", variable)?);
        }
        for option in &self.options {
            spec.options.push(name_and_value("--engine-option", option)?);
        }
        let shorthands = [("Threads", self.threads), ("Hash", self.hash)];
        for (name, value) in shorthands {
            if let Some(value) = value {
                spec.options.push((name.to_owned(), value.to_string()));
            }
        }
        Ok(spec)
    }

    /// Patience, transcript and Ctrl-C, as the driver wants them.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        let handshake = Duration::try_from_secs_f64(self.startup_timeout)
            .context("--startup-timeout wants a number of seconds")?;
        let log = match &self.log {
            Some(path) => Some(
                Log::create(path).with_context(|| format!("cannot write {}", path.display()))?,
            ),
            None => None,
        };
        let interrupt = Some(Interrupt::new(interrupt::counter(), 1));
        Ok(Settings { handshake, log, interrupt, ..Settings::default() })
    }
}

fn name_and_value(flag: &str, text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => anyhow::bail!("{flag} wants NAME=VALUE, not {text:?}"),
    }
}

/// The error with the exit code that fits: a bad option is bad usage, the rest is the engine's
/// fault.
pub fn engine_error(error: EngineError) -> anyhow::Error {
    let exit = match &error {
        EngineError::BadOption { .. } | EngineError::Unsupported { .. } => Exit::Usage,
        EngineError::Interrupted => Exit::Interrupted,
        _ => Exit::Engine,
    };
    Coded { exit, message: error.to_string() }.into()
}
