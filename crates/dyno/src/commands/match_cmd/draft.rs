//! A request while the command line is being read.

use super::engine_words::entry;
use super::fastchess;
use super::request::{JournalChoice, Request};
use super::words::{DialectError, Flag, Result, Settings, set};
use dyno_tournament::{ClusterPlan, DrawRule, EngineEntry, Order, Plan, Style};
use std::path::PathBuf;

/// What the flags have said so far. Some of it only makes sense once all of them were read.
#[derive(Default)]
pub struct Draft {
    pub request: Request,
    pub engines: Vec<Vec<String>>,
    pub each: Vec<String>,
    pub games: Option<u32>,
    pub rounds: Option<u32>,
    pub repeat: Option<u32>,
    pub ratinginterval: Option<u32>,
    pub seed_given: bool,
}

impl Draft {
    pub fn plan(&mut self) -> &mut Plan {
        &mut self.request.plan
    }

    pub fn cluster(&mut self) -> &mut ClusterPlan {
        self.plan().cluster.get_or_insert_default()
    }

    pub fn seed(&mut self, seed: u64) {
        self.plan().seed = seed;
        self.seed_given = true;
    }

    pub fn read_plan(&mut self, path: &str) -> Result<()> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| DialectError(format!("--plan {path}: {e}")))?;
        let plan = toml::from_str(&text).map_err(|e| DialectError(plan_fault(path, &text, &e)))?;
        self.request.plan = plan;
        Ok(())
    }

    /// fastchess keeps settings and results in one file; ours is the journal. Either can be named.
    pub fn config(&mut self, flag: &Flag) -> Result<()> {
        let mut config = Config { file: None, outname: None, discard: false, stats: true };
        flag.read_settings(&mut config, CONFIG)?;
        let Config { file, outname, discard, stats } = config;
        if let Some(outname) = outname {
            self.request.journal = JournalChoice::File(outname);
        }
        let Some(file) = file.filter(|_| !discard) else { return Ok(()) };
        let theirs = if file.is_file() { fastchess::read(&file)? } else { None };
        match theirs {
            None => self.request.resume = Some(Some(file)),
            Some(mut plan) => {
                if !stats {
                    plan.carried.clear();
                }
                self.request.plan = plan;
            }
        }
        Ok(())
    }

    /// fastchess' shorthand for a first look at two engines.
    pub fn quick(&mut self, flag: &Flag) -> Result<()> {
        flag.read_settings(self, QUICK)?;
        self.each.splice(0..0, ["tc=10+0.1".to_owned(), "hash=16".to_owned()]);
        self.rounds = self.rounds.or(Some(25_000));
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let plan = self.plan();
        plan.machine.concurrency = cores.saturating_sub(2).max(1);
        plan.openings.order = Order::Random;
        plan.adjudication.draw = Some(DrawRule { movenumber: 30, movecount: 8, score: 8 });
        Ok(())
    }

    /// A match that is resumed has its plan in the journal, with which the words are compared.
    fn resumed(mut self) -> Request {
        let tournament = &mut self.request.plan.tournament;
        tournament.games = self.games.unwrap_or(tournament.games);
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.repeat = self.repeat.unwrap_or(tournament.repeat);
        let output = &mut self.request.plan.output;
        output.ratinginterval = self.ratinginterval.unwrap_or(output.ratinginterval);
        self.request.engine_words = self.engines;
        self.request.each_words = self.each;
        self.request
    }

    pub fn finish(mut self) -> Result<Request> {
        let Request { help, version, list_engines, .. } = self.request;
        if help || version || list_engines {
            return Ok(self.request);
        }
        if self.request.resume.is_some() {
            return Ok(self.resumed());
        }
        let each = Flag { name: "each".into(), words: self.each.clone() };
        let mut engines = Vec::new();
        for words in &self.engines {
            let own = Flag { name: "engine".into(), words: words.clone() };
            engines.push(entry(EngineEntry::default(), each.settings().chain(own.settings()))?);
        }
        if engines.is_empty() {
            // The engines of a file, changed by what is said of each.
            for engine in &mut self.request.plan.engines {
                *engine = entry(std::mem::take(engine), each.settings())?;
            }
        } else {
            self.plan().engines = engines;
        }
        if !self.seed_given && self.request.plan.seed == 0 {
            self.plan().seed = fresh_seed();
            self.request.fresh_seed = true;
        }
        // Single games without pairs: every game has an opening of its own.
        if self.games == Some(1) {
            self.repeat = self.repeat.or(Some(1));
        }
        let tournament = &mut self.request.plan.tournament;
        tournament.games = self.games.unwrap_or(tournament.games);
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.repeat = self.repeat.unwrap_or(tournament.repeat);
        let output = &mut self.request.plan.output;
        let unsaid = output.ratinginterval == 0 && output.style == Style::Fastchess;
        let usual = if unsaid { 10 } else { output.ratinginterval };
        output.ratinginterval = self.ratinginterval.unwrap_or(usual);
        Ok(self.request)
    }
}

struct Config {
    file: Option<PathBuf>,
    outname: Option<PathBuf>,
    discard: bool,
    stats: bool,
}

const CONFIG: Settings<Config> = &[
    ("file", |config, s| set(&mut config.file, Ok(Some(s.value.into())))),
    ("outname", |config, s| set(&mut config.outname, Ok(Some(s.value.into())))),
    ("discard", |config, s| set(&mut config.discard, s.flag_value())),
    ("stats", |config, s| set(&mut config.stats, s.flag_value())),
];

const QUICK: Settings<Draft> = &[
    ("cmd", |draft, s| {
        draft.engines.push(vec![format!("cmd={}", s.value)]);
        Ok(())
    }),
    ("book", |draft, s| set(&mut draft.plan().openings.file, Ok(Some(s.value.into())))),
];

/// A seed that differs from run to run, short enough to be typed.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    1 + RandomState::new().build_hasher().finish() % 999_999_999
}

/// Folders as the system separates them; cutechess-cli wants semicolons everywhere.
pub fn folders(text: &str) -> String {
    if cfg!(windows) { text.to_owned() } else { text.replace(';', ":") }
}

/// One line with the place, where TOML's own error draws a picture.
fn plan_fault(path: &str, text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
    format!("--plan {path}:{line}: {}", error.message())
}
