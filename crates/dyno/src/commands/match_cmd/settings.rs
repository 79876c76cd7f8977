//! Flags with several settings of their own.

use super::request::{LogChoice, LogLevel};
use super::words::{Flag, Result, Setting, fail, number};
use dyno_stats::Model;
use dyno_tournament::{
    BookFormat, DrawRule, Notation, Order, PgnOutput, Plan, Policy, ResignRule, SprtPlan,
};

pub fn sprt(flag: &Flag) -> Result<SprtPlan> {
    let mut plan = SprtPlan::default();
    for setting in flag.settings() {
        match setting.name {
            "elo0" => plan.elo0 = setting.number()?,
            "elo1" => plan.elo1 = setting.number()?,
            "alpha" => plan.alpha = setting.number()?,
            "beta" => plan.beta = setting.number()?,
            "model" => {
                plan.model = setting.choice(&[
                    ("normalized", Model::Normalized),
                    ("logistic", Model::Logistic),
                    ("bayesian", Model::BayesElo),
                    ("bayeselo", Model::BayesElo),
                ])?;
            }
            _ => return setting.unknown(&["elo0", "elo1", "alpha", "beta", "model"]),
        }
    }
    Ok(plan)
}

pub fn openings(flag: &Flag, plan: &mut Plan) -> Result<()> {
    let openings = &mut plan.openings;
    for setting in flag.settings() {
        match setting.name {
            "file" => openings.file = Some(setting.value.into()),
            "format" => {
                openings.format = Some(setting.choice(&[
                    ("epd", BookFormat::Epd),
                    ("pgn", BookFormat::Pgn),
                    ("polyglot", BookFormat::Polyglot),
                    ("bin", BookFormat::Polyglot),
                ])?);
            }
            "order" => {
                openings.order = setting
                    .choice(&[("sequential", Order::Sequential), ("random", Order::Random)])?;
            }
            "plies" => openings.plies = Some(setting.number()?),
            "start" => openings.start = Some(setting.number::<u64>()?.max(1)),
            "policy" => {
                openings.policy = setting.choice(&[
                    ("default", Policy::Default),
                    ("encounter", Policy::Encounter),
                    ("round", Policy::Round),
                    ("keep", Policy::Keep),
                ])?;
            }
            "srand" => plan.seed = setting.number()?,
            _ => return setting.unknown(&["file", "format", "order", "plies", "start", "policy"]),
        }
    }
    Ok(())
}

pub fn draw(flag: &Flag) -> Result<DrawRule> {
    let mut rule = DrawRule { movenumber: 0, movecount: 1, score: 0 };
    for setting in flag.settings() {
        match setting.name {
            "movenumber" => rule.movenumber = setting.number()?,
            "movecount" => rule.movecount = at_least_one(setting)?,
            "score" => rule.score = setting.number()?,
            _ => return setting.unknown(&["movenumber", "movecount", "score"]),
        }
    }
    Ok(rule)
}

pub fn resign(flag: &Flag) -> Result<ResignRule> {
    let mut rule = ResignRule { movecount: 1, score: 0, twosided: false };
    let mut given = false;
    for setting in flag.settings() {
        match setting.name {
            "movecount" => rule.movecount = at_least_one(setting)?,
            "score" => (rule.score, given) = (setting.number::<i32>()?.saturating_abs(), true),
            "twosided" => rule.twosided = setting.flag_value()?,
            _ => return setting.unknown(&["movecount", "score", "twosided"]),
        }
    }
    if given { Ok(rule) } else { fail("-resign: score=CENTIPAWNS is missing") }
}

fn at_least_one(setting: Setting<'_>) -> Result<u32> {
    match setting.number()? {
        0 => fail(format!("-{} {} must be 1 at least", setting.flag, setting.name)),
        count => Ok(count),
    }
}

pub fn pgnout(flag: &Flag) -> Result<PgnOutput> {
    let mut pgn = PgnOutput::default();
    for (i, setting) in flag.settings().enumerate() {
        match setting.name {
            "file" => pgn.file = setting.value.into(),
            "min" => pgn.min = setting.flag_value()?,
            "fi" => pgn.finished = setting.flag_value()?,
            "append" => pgn.overwrite = !setting.flag_value()?,
            "notation" => {
                let choices =
                    [("san", Notation::San), ("lan", Notation::Lan), ("uci", Notation::Uci)];
                pgn.notation = setting.choice(&choices)?;
            }
            "nodes" => pgn.nodes = setting.flag_value()?,
            "seldepth" => pgn.seldepth = setting.flag_value()?,
            "nps" => pgn.nps = setting.flag_value()?,
            "hashfull" => pgn.hashfull = setting.flag_value()?,
            "tbhits" => pgn.tbhits = setting.flag_value()?,
            "timeleft" => pgn.timeleft = setting.flag_value()?,
            "latency" => pgn.latency = setting.flag_value()?,
            "pv" => pgn.pv = setting.flag_value()?,
            // OpenBench always asks for it: lines of engines are not copied into the PGN.
            "match_line" => {}
            _ if i == 0 => pgn.file = flag.words[0].clone().into(),
            _ => {
                return setting.unknown(&[
                    "file", "min", "fi", "append", "notation", "nodes", "seldepth", "nps",
                    "hashfull", "tbhits", "timeleft", "latency", "pv",
                ]);
            }
        }
    }
    if pgn.file.as_os_str().is_empty() { fail("-pgnout: the file is missing") } else { Ok(pgn) }
}

pub fn log(flag: &Flag) -> Result<LogChoice> {
    let mut log = LogChoice::default();
    for (i, setting) in flag.settings().enumerate() {
        match setting.name {
            "file" => log.file = setting.value.into(),
            "level" => {
                log.level = setting.choice(&[
                    ("trace", LogLevel::Trace),
                    ("info", LogLevel::Info),
                    ("warn", LogLevel::Warn),
                    ("err", LogLevel::Error),
                    ("fatal", LogLevel::Error),
                ])?;
            }
            "engine" => log.engine = setting.flag_value()?,
            "append" => log.append = setting.flag_value()?,
            // Every line is written at once.
            "realtime" => drop(setting.flag_value()?),
            "compress" if setting.flag_value()? => {
                return fail("-log compress: logs are plain text; compress the file afterwards");
            }
            "compress" => {}
            _ if i == 0 => log.file = flag.words[0].clone().into(),
            _ => {
                return setting
                    .unknown(&["file", "level", "engine", "append", "realtime", "compress"]);
            }
        }
    }
    if log.file.as_os_str().is_empty() { fail("-log: file=FILE is missing") } else { Ok(log) }
}

/// Games at once; as in fastchess, a number below 0 means that many processors are left free.
pub fn concurrency(wanted: i64) -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as i64);
    let games = if wanted >= 0 { wanted } else { (cores + wanted).max(1) };
    u32::try_from(games).unwrap_or(u32::MAX)
}

/// Processors as `0,2-5`.
pub fn cpu_list(text: &str) -> Result<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) =
            (number::<usize>("-use-affinity", first)?, number("-use-affinity", last)?);
        if first > last || last > 4096 {
            return fail(format!("-use-affinity: bad range {part:?}"));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}
