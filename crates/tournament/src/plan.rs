//! A match as data: what a command line or a TOML file asks for, checked once.

use super::time_control::TimeControl;
use super::tune::Tuning;
use dyno_driver::EngineSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that decides how a match is played and written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    pub event: String,
    pub site: String,
    pub variant: Variant,
    /// Decides the order of the openings and every other random choice.
    pub seed: u64,
    pub tournament: Tournament,
    pub openings: Openings,
    pub adjudication: Adjudication,
    /// Principal variations with a mate score must end with that mate.
    #[serde(skip_serializing_if = "is_false")]
    pub check_mate_pvs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtPlan>,
    pub machine: Machine,
    pub output: Output,
    #[serde(rename = "engine")]
    pub engines: Vec<EngineEntry>,
    /// Parameters that are tuned by these games; the two engines are then the same program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tune: Option<Tuning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<Carried>,
    /// The match was begun by version 0.2 or earlier: it keeps their order of gauntlets and their
    /// tags, so that what is played and written on fits what is there.
    #[serde(skip)]
    pub begun_earlier: bool,
    /// How the games are spread over other machines; without it they are played here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterPlan>,
}

/// Results of a pairing that another tool brought: they count, and as many games of that pairing,
/// from the first, are not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// Indices of the engines, the lower one first.
    pub first: usize,
    pub second: usize,
    /// From the first one's point of view.
    pub tally: dyno_stats::Tally,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            event: "Dyno match".into(),
            site: "?".into(),
            variant: Variant::Standard,
            seed: 0,
            tournament: Tournament::default(),
            openings: Openings::default(),
            adjudication: Adjudication::default(),
            check_mate_pvs: false,
            sprt: None,
            machine: Machine::default(),
            output: Output::default(),
            engines: Vec::new(),
            tune: None,
            carried: Vec::new(),
            begun_earlier: false,
            cluster: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    #[default]
    Standard,
    /// Chess960, by its name in the dialect.
    FischeRandom,
}

/// An engine that takes part, and its terms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineEntry {
    #[serde(flatten)]
    pub spec: EngineSpec,
    pub restart: Restart,
    #[serde(skip_serializing_if = "is_false")]
    pub ponder: bool,
    /// The engine states scores from White's point of view, not the mover's.
    #[serde(skip_serializing_if = "is_false")]
    pub whitepov: bool,
    /// A Polyglot book this engine plays its first moves from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<PathBuf>,
    /// Moves (not plies) taken from that book at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookdepth: Option<u32>,
    /// Its programs for other platforms, by names such as `x86_64-windows`, for workers there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub platforms: BTreeMap<String, PathBuf>,
    #[serde(flatten)]
    pub limits: Limits,
}

impl EngineEntry {
    /// An engine under the name that the match calls it by.
    pub fn new(name: &str, spec: &EngineSpec, limits: Limits) -> Self {
        let spec = EngineSpec { name: Some(name.to_owned()), ..spec.clone() };
        Self { spec, limits, ..Self::default() }
    }

    /// The name in this match; [`Plan::name_engines`] gives every engine one of its own.
    pub fn name(&self) -> &str {
        self.spec.name.as_deref().unwrap_or_default()
    }

    /// The engine as it is started: with what the variant demands.
    pub fn spec_for(&self, variant: Variant) -> EngineSpec {
        let mut spec = self.spec.clone();
        if variant == Variant::FischeRandom {
            spec.set_option("UCI_Chess960", "true");
        }
        spec
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Whether an engine gets a new process for each game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// Only when the protocol cannot do without.
    #[default]
    Auto,
    On,
    Off,
}

/// How long and how far an engine may think about a move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    /// Seconds a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub st: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds beyond the limit that are still in time: by default none beyond a clock, and
    /// [`DEFAULT_ST_MARGIN`] beyond `st`, which an engine is told to use up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timemargin: Option<u64>,
    /// The factor on the time an engine has to start, to get ready, and to move without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tscale: Option<f64>,
    /// Seconds after which a move without a clock (`depth`, `nodes`) counts as a stall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<f64>,
}

/// Milliseconds a move of `st` seconds may take longer, unless the user says otherwise.
pub const DEFAULT_ST_MARGIN: u64 = 100;

/// Seconds an engine without a clock may take for one move, unless the user says otherwise.
pub const DEFAULT_PATIENCE: f64 = 60.0;

/// Who plays whom, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tournament {
    pub format: Format,
    /// Games of an encounter: of one pairing in one round.
    pub games: u32,
    pub rounds: u32,
    /// Games in a row with the same opening: 2 makes pairs.
    pub repeat: u32,
    /// Engines, from the first, that a gauntlet sends against all the others, or that a knockout
    /// keeps apart.
    pub seeds: u32,
    /// Colours change from game to game of an encounter.
    pub swap: bool,
    /// The first game of each encounter is played with colours reversed.
    pub reverse: bool,
    /// Milliseconds between two games of one slot.
    pub wait_ms: u64,
}

impl Default for Tournament {
    fn default() -> Self {
        Self {
            format: Format::RoundRobin,
            games: 2,
            rounds: 1,
            repeat: 2,
            seeds: 1,
            swap: true,
            reverse: false,
            wait_ms: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    #[default]
    RoundRobin,
    Gauntlet,
    Knockout,
    Pyramid,
    Swiss,
}

/// Where games begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Openings {
    /// The built-in balanced set when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// From the file's name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<BookFormat>,
    pub order: Order,
    /// Plies of each opening that are played; all of them when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The first opening used, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    pub policy: Policy,
    /// Take away castling rights and en-passant squares that a position cannot have, instead of
    /// skipping the opening.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repair: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookFormat {
    Epd,
    Pgn,
    Polyglot,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    #[default]
    Sequential,
    Random,
}

/// When the next opening's turn comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// For each new pairing, and after `repeat` games.
    #[default]
    Default,
    /// For each new pairing only.
    Encounter,
    /// For each new round only.
    Round,
    /// Never: all games begin with the same.
    Keep,
}

/// Ends of games that neither side has to play out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    /// A draw after this many full moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maxmoves: Option<u32>,
    /// Folders with Syzygy tables, separated as in `PATH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tb: Option<String>,
    /// Positions with at most this many pieces are looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tbpieces: Option<u32>,
    pub tbignore50: bool,
    pub tbadjudicate: TbResults,
}

/// A draw once both engines saw nearly nothing in it for `movecount` moves each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    pub movenumber: u32,
    pub movecount: u32,
    /// Centipawns.
    pub score: i32,
}

/// A loss once an engine saw itself lost for `movecount` moves in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    pub movecount: u32,
    /// Centipawns.
    pub score: i32,
    /// The winner must have agreed as long.
    pub twosided: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TbResults {
    #[default]
    Both,
    WinLoss,
    Draw,
}

/// A match on many machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterPlan {
    /// The server, as `nats://host:4222`, or an invitation of `dyno cluster up`.
    pub server: String,
    /// Time limits are multiplied by how much slower a worker is than the reference.
    pub scale: bool,
    /// Nodes a second of the first engine on the machine that the time control is meant for; this
    /// one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<u64>,
    /// The part of the boards that this match gets among matches of its priority.
    pub share: f64,
    /// Matches of a higher priority are served first.
    pub priority: i32,
    /// Which games keep their moves in the journal.
    pub keep: KeepMoves,
    /// Workers that get no games of this match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// An open server on another machine will do.
    #[serde(skip_serializing_if = "is_false")]
    pub insecure: bool,
}

impl Default for ClusterPlan {
    fn default() -> Self {
        Self {
            server: String::new(),
            scale: true,
            reference_nps: None,
            share: 1.0,
            priority: 0,
            keep: KeepMoves::All,
            exclude: Vec::new(),
            insecure: false,
        }
    }
}

/// Which games keep their moves once they have been checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepMoves {
    #[default]
    All,
    /// Only games with a fault.
    Faults,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SprtPlan {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub model: dyno_stats::Model,
}

impl Default for SprtPlan {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: dyno_stats::Model::default() }
    }
}

/// How the machine is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Machine {
    /// Games at once.
    pub concurrency: u32,
    /// Pins the engines of each game to a processor.
    pub affinity: bool,
    /// The processors to use; all when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// A crash is a loss and the match goes on; otherwise it stops the match.
    pub recover: bool,
    /// Milliseconds an engine has to start and say `uciok`.
    pub startup_ms: u64,
    /// Milliseconds an engine has to answer `isready`.
    pub ready_ms: u64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            concurrency: 1,
            affinity: false,
            cpus: Vec::new(),
            recover: true,
            startup_ms: 10_000,
            ready_ms: 30_000,
        }
    }
}

/// What is written while the match runs and after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<PgnOutput>,
    /// The last position of each game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epd: Option<PathBuf>,
    /// Replaces that file instead of adding to it.
    #[serde(skip_serializing_if = "is_false")]
    pub epd_overwrite: bool,
    /// The games being played, rewritten after every move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub livepgn: Option<PathBuf>,
    /// Games between two rating reports; 0 shows them only at the end.
    pub ratinginterval: u32,
    /// Games between two score lines; 0 shows them only at the end.
    pub scoreinterval: u32,
    /// Games between two tallies of how games ended; 0 shows them only at the end.
    pub outcomeinterval: u32,
    pub style: Style,
    /// Another program reads along: no advice, no tables, warnings in fastchess' words.
    #[serde(skip_serializing_if = "is_false")]
    pub test_env: bool,
    /// Leave the pairs out of the figures.
    #[serde(skip_serializing_if = "is_false")]
    pub no_penta: bool,
    /// Say the checksum of the PGN file at the end.
    #[serde(skip_serializing_if = "is_false")]
    pub crc32: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            pgn: None,
            epd: None,
            epd_overwrite: false,
            livepgn: None,
            ratinginterval: 0,
            scoreinterval: 1,
            outcomeinterval: 0,
            style: Style::Cutechess,
            test_env: false,
            no_penta: false,
            crc32: false,
        }
    }
}

/// The PGN file and what each move's comment holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PgnOutput {
    pub file: PathBuf,
    /// Tags of the roster and moves alone.
    #[serde(skip_serializing_if = "is_false")]
    pub min: bool,
    /// Only games that came to a result.
    #[serde(skip_serializing_if = "is_false")]
    pub finished: bool,
    /// Replaces the file instead of adding to it.
    #[serde(skip_serializing_if = "is_false")]
    pub overwrite: bool,
    pub notation: Notation,
    #[serde(skip_serializing_if = "is_false")]
    pub nodes: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub seldepth: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub nps: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub hashfull: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub tbhits: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub timeleft: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub latency: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub pv: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    #[default]
    San,
    Lan,
    Uci,
}

/// Whose lines the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    #[default]
    Cutechess,
    Fastchess,
}

impl Plan {
    /// The most threads any engine was given.
    pub fn threads(&self) -> usize {
        let of = |engine: &EngineEntry| engine.spec.option("Threads")?.trim().parse().ok();
        self.engines.iter().filter_map(of).max().unwrap_or(1)
    }
}
