//! fastchess' own file: settings, engines and results so far, as it writes them to `config.json`.

use super::words::{DialectError, Result, fail};
use dyno_driver::{EngineSpec, Protocol, split_command_line};
use dyno_stats::{Model, Tally};
use dyno_tournament::{
    BookFormat, Carried, DrawRule, EngineEntry, Format, Limits, Notation, Order, PgnOutput, Plan,
    ResignRule, Restart, SprtPlan, Stage, Style, Variant,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reads the file, if it is one of fastchess'; `None` for anything else, such as a journal.
pub fn read(path: &Path) -> Result<Option<Plan>> {
    let fault =
        |e: &dyn std::fmt::Display| DialectError(format!("-config {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| fault(&e))?;
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(None) };
    if value.get("engines").is_none() || value.get("dyno-match").is_some() {
        return Ok(None);
    }
    let config: Config = serde_json::from_str(&text).map_err(|e| fault(&e))?;
    config.plan().map(Some).map_err(|e| fault(&e))
}

/// The file. What it lacks, older versions of fastchess did not have; what is not here has no
/// counterpart.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    resign: Rule,
    draw: Rule,
    maxmoves: Rule,
    tb_adjudication: Tables,
    opening: Opening,
    pgn: Pgn,
    epd: File,
    sprt: Sprt,
    output: Choice,
    seed: u64,
    variant: Choice,
    r#type: Choice,
    gauntlet_seeds: Option<u32>,
    ratinginterval: Option<u32>,
    scoreinterval: Option<u32>,
    wait: u64,
    games: Option<u32>,
    rounds: Option<u32>,
    concurrency: Option<u32>,
    noswap: bool,
    reverse: bool,
    affinity: bool,
    affinity_cpus: Vec<usize>,
    engines: Vec<Engine>,
    stats: BTreeMap<String, Stats>,
}

/// Adjudication of draws, wins and length.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Rule {
    enabled: bool,
    move_number: u32,
    move_count: u32,
    score: i32,
    twosided: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tables {
    enabled: bool,
    syzygy_dirs: String,
    max_pieces: u32,
    ignore_50_move_rule: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Opening {
    file: String,
    format: Choice,
    order: Choice,
    plies: Option<i64>,
    start: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Pgn {
    event_name: Option<String>,
    site: Option<String>,
    file: String,
    notation: Choice,
    append_file: Option<bool>,
    track_nodes: bool,
    track_seldepth: bool,
    track_nps: bool,
    track_hashfull: bool,
    track_tbhits: bool,
    track_timeleft: bool,
    track_latency: bool,
    track_pv: bool,
    min: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    file: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sprt {
    enabled: bool,
    alpha: f64,
    beta: f64,
    elo0: f64,
    elo1: f64,
    model: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Engine {
    name: String,
    dir: String,
    cmd: String,
    args: String,
    restart: bool,
    options: Options,
    limit: Limit,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Limit {
    tc: Clock,
    nodes: u64,
    plies: u32,
}

/// All in milliseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Clock {
    increment: u64,
    fixed_time: u64,
    time: u64,
    moves: u32,
    timemargin: u64,
}

/// Options are pairs in some versions and an object in others.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Options {
    Pairs(Vec<(String, String)>),
    Named(BTreeMap<String, String>),
}

impl Default for Options {
    fn default() -> Self {
        Options::Pairs(Vec::new())
    }
}

/// One of several possibilities: by its number in some versions, by its name in others.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Choice {
    #[default]
    Absent,
    Number(usize),
    Name(String),
}

impl Choice {
    /// The value meant, of those in fastchess' order; `None` for an absent or other one.
    fn of<T: Copy>(&self, choices: &[(&str, T)]) -> Option<T> {
        match self {
            Choice::Absent => None,
            Choice::Number(number) => choices.get(*number).map(|c| c.1),
            Choice::Name(name) => {
                choices.iter().find(|c| c.0.eq_ignore_ascii_case(name)).map(|c| c.1)
            }
        }
    }
}

/// Results of one engine against another.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
#[allow(non_snake_case, reason = "the names are the file's")]
struct Stats {
    wins: u64,
    losses: u64,
    draws: u64,
    penta_WW: u64,
    penta_WD: u64,
    penta_WL: u64,
    penta_DD: u64,
    penta_LD: u64,
    penta_LL: u64,
}

impl Stats {
    /// The games that count. Where there are pairs these are the complete ones: what is known of
    /// half a pair is not which half it was, so it is played again.
    fn tally(&self) -> Tally {
        let even = self.penta_WL + self.penta_DD;
        let pairs = [self.penta_LL, self.penta_LD, even, self.penta_WD, self.penta_WW];
        if pairs == [0; 5] {
            let Stats { wins, losses, draws, .. } = *self;
            return Tally { wins, losses, draws, pairs };
        }
        Tally {
            wins: 2 * self.penta_WW + self.penta_WD + self.penta_WL,
            losses: 2 * self.penta_LL + self.penta_LD + self.penta_WL,
            draws: 2 * self.penta_DD + self.penta_WD + self.penta_LD,
            pairs,
        }
    }
}

impl Config {
    fn plan(&self) -> Result<Plan> {
        let mut plan = Plan::default();
        self.set_schedule(&mut plan);
        self.set_openings_and_ends(&mut plan);
        self.set_output(&mut plan);
        plan.engines = self.engines.iter().map(Engine::entry).collect::<Result<_>>()?;
        if self.sprt.enabled {
            plan.sprt = Some(self.sprt.plan()?);
        }
        plan.carried = self.carried();
        Ok(plan)
    }

    fn set_schedule(&self, plan: &mut Plan) {
        let tournament = &mut plan.tournament;
        let formats = [("RoundRobin", Format::RoundRobin), ("Gauntlet", Format::Gauntlet)];
        tournament.format = self.r#type.of(&formats).unwrap_or_default();
        tournament.games = self.games.unwrap_or(2);
        tournament.rounds = self.rounds.unwrap_or(2);
        // All games of a round have one opening there.
        tournament.repeat = tournament.games;
        tournament.seeds = self.gauntlet_seeds.unwrap_or(1);
        (tournament.swap, tournament.reverse) = (!self.noswap, self.reverse);
        tournament.wait_ms = self.wait;
        plan.seed = self.seed;
        let variants = [("Standard", Variant::Standard), ("Frc", Variant::FischeRandom)];
        plan.variant = self.variant.of(&variants).unwrap_or_default();
        plan.machine.concurrency = self.concurrency.unwrap_or(1).max(1);
        plan.machine.affinity = self.affinity;
        plan.machine.cpus.clone_from(&self.affinity_cpus);
    }

    fn set_openings_and_ends(&self, plan: &mut Plan) {
        let openings = &mut plan.openings;
        openings.file = path(&self.opening.file);
        openings.format =
            self.opening.format.of(&[("Epd", BookFormat::Epd), ("Pgn", BookFormat::Pgn)]);
        let orders = [("Random", Order::Random), ("Sequential", Order::Sequential)];
        openings.order = self.opening.order.of(&orders).unwrap_or(Order::Random);
        openings.plies = self.opening.plies.and_then(|plies| u32::try_from(plies).ok());
        openings.start = self.opening.start.map(|start| start.max(1));
        let ends = &mut plan.adjudication;
        ends.draw = self.draw.enabled.then_some(DrawRule {
            movenumber: self.draw.move_number,
            movecount: self.draw.move_count.max(1),
            score: self.draw.score,
        });
        ends.resign = self.resign.enabled.then_some(ResignRule {
            movecount: self.resign.move_count.max(1),
            score: self.resign.score,
            twosided: self.resign.twosided,
        });
        ends.maxmoves = self.maxmoves.enabled.then_some(self.maxmoves.move_count.max(1));
        let tables = &self.tb_adjudication;
        if tables.enabled {
            ends.tb = Some(tables.syzygy_dirs.clone());
            ends.tbpieces = (tables.max_pieces > 0).then_some(tables.max_pieces);
            ends.tbignore50 = tables.ignore_50_move_rule;
        }
    }

    fn set_output(&self, plan: &mut Plan) {
        let pgn = &self.pgn;
        let notations = [("San", Notation::San), ("Lan", Notation::Lan), ("Uci", Notation::Uci)];
        plan.output.pgn = path(&pgn.file).map(|file| PgnOutput {
            file,
            min: pgn.min,
            overwrite: pgn.append_file == Some(false),
            notation: pgn.notation.of(&notations).unwrap_or_default(),
            nodes: pgn.track_nodes,
            seldepth: pgn.track_seldepth,
            nps: pgn.track_nps,
            hashfull: pgn.track_hashfull,
            tbhits: pgn.track_tbhits,
            timeleft: pgn.track_timeleft,
            latency: pgn.track_latency,
            pv: pgn.track_pv,
            ..PgnOutput::default()
        });
        plan.output.epd = path(&self.epd.file);
        plan.event = pgn.event_name.clone().unwrap_or(std::mem::take(&mut plan.event));
        plan.site = pgn.site.clone().unwrap_or(std::mem::take(&mut plan.site));
        let styles = [("Fastchess", Style::Fastchess), ("Cutechess", Style::Cutechess)];
        plan.output.style = self.output.of(&styles).unwrap_or(Style::Fastchess);
        plan.output.ratinginterval = self.ratinginterval.unwrap_or(10);
        plan.output.scoreinterval = self.scoreinterval.unwrap_or(1);
    }

    /// The results so far, by pairing. fastchess may keep them under either order of the names.
    fn carried(&self) -> Vec<Carried> {
        let mut carried = Vec::new();
        for (first, a) in self.engines.iter().enumerate() {
            for (second, b) in self.engines.iter().enumerate().skip(first + 1) {
                let of = |x: &Engine, y: &Engine| {
                    let stats = self.stats.get(&format!("{} vs {}", x.name, y.name));
                    stats.copied().unwrap_or_default().tally()
                };
                let mut tally = of(a, b);
                tally.absorb(&of(b, a).mirrored());
                if tally.games() > 0 {
                    carried.push(Carried { first, second, tally });
                }
            }
        }
        carried
    }
}

impl Sprt {
    fn plan(&self) -> Result<SprtPlan> {
        let model = match self.model.as_str() {
            "" | "normalized" => Model::Normalized,
            "logistic" => Model::Logistic,
            "bayesian" => Model::BayesElo,
            other => return fail(format!("sprt.model: unknown model {other:?}")),
        };
        let Sprt { elo0, elo1, alpha, beta, .. } = *self;
        Ok(SprtPlan { elo0, elo1, alpha, beta, model })
    }
}

impl Engine {
    fn entry(&self) -> Result<EngineEntry> {
        let args = split_command_line(&self.args)
            .map_err(|e| DialectError(format!("{}: {e}", self.name)))?;
        let options = match &self.options {
            Options::Pairs(pairs) => pairs.clone(),
            Options::Named(named) => named.clone().into_iter().collect(),
        };
        let spec = EngineSpec {
            name: Some(self.name.clone()),
            args,
            dir: path(&self.dir),
            protocol: Protocol::Uci,
            options,
            ..EngineSpec::program(&self.cmd)
        };
        let restart = if self.restart { Restart::On } else { Restart::Auto };
        Ok(EngineEntry { spec, restart, limits: self.limit.limits(), ..EngineEntry::default() })
    }
}

impl Limit {
    fn limits(&self) -> Limits {
        let ms = Duration::from_millis;
        let tc = &self.tc;
        let clock = Stage { moves: tc.moves, time: ms(tc.time), increment: ms(tc.increment) };
        Limits {
            tc: (tc.time > 0 || tc.increment > 0).then(|| clock.into()),
            st: (tc.fixed_time > 0).then(|| ms(tc.fixed_time).as_secs_f64()),
            depth: (self.plies > 0).then_some(self.plies),
            nodes: (self.nodes > 0).then_some(self.nodes),
            timemargin: (tc.timemargin > 0).then_some(tc.timemargin),
            ..Limits::default()
        }
    }
}

fn path(text: &str) -> Option<PathBuf> {
    (!text.is_empty()).then(|| text.into())
}
