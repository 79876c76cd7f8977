//! Flags with several settings of their own.

use super::request::{LogChoice, LogLevel};
use super::words::{Flag, Result, Setting, Settings, fail, number, set};
use dyno_stats::Model;
use dyno_tournament::{
    BookFormat, DrawRule, Notation, Order, Output, PgnOutput, Plan, Policy, ResignRule, SprtPlan,
    Style,
};

const SPRT: Settings<SprtPlan> = &[
    ("elo0", |sprt, s| set(&mut sprt.elo0, s.number())),
    ("elo1", |sprt, s| set(&mut sprt.elo1, s.number())),
    ("alpha", |sprt, s| set(&mut sprt.alpha, s.number())),
    ("beta", |sprt, s| set(&mut sprt.beta, s.number())),
    ("model", |sprt, s| set(&mut sprt.model, s.choice(MODELS))),
];

const MODELS: &[(&str, Model)] = &[
    ("normalized", Model::Normalized),
    ("logistic", Model::Logistic),
    ("bayesian", Model::BayesElo),
    ("bayeselo", Model::BayesElo),
];

pub fn sprt(flag: &Flag) -> Result<SprtPlan> {
    let mut plan = SprtPlan::default();
    flag.read_settings(&mut plan, SPRT)?;
    Ok(plan)
}

pub const OPENINGS: Settings<Plan> = &[
    ("file", |plan, s| set(&mut plan.openings.file, Ok(Some(s.value.into())))),
    ("format", |plan, s| set(&mut plan.openings.format, s.choice(BOOK_FORMATS).map(Some))),
    ("order", |plan, s| set(&mut plan.openings.order, s.choice(ORDERS))),
    ("plies", |plan, s| set(&mut plan.openings.plies, s.number().map(Some))),
    ("start", |plan, s| {
        let start = s.number::<u64>().map(|number| number.max(1));
        set(&mut plan.openings.start, start.map(Some))
    }),
    ("policy", |plan, s| set(&mut plan.openings.policy, s.choice(POLICIES))),
    ("srand", |plan, s| set(&mut plan.seed, s.number())),
];

const BOOK_FORMATS: &[(&str, BookFormat)] = &[
    ("epd", BookFormat::Epd),
    ("pgn", BookFormat::Pgn),
    ("polyglot", BookFormat::Polyglot),
    ("bin", BookFormat::Polyglot),
];

const ORDERS: &[(&str, Order)] = &[("sequential", Order::Sequential), ("random", Order::Random)];

const POLICIES: &[(&str, Policy)] = &[
    ("default", Policy::Default),
    ("encounter", Policy::Encounter),
    ("round", Policy::Round),
    ("keep", Policy::Keep),
];

const DRAW: Settings<DrawRule> = &[
    ("movenumber", |rule, s| set(&mut rule.movenumber, s.number())),
    ("movecount", |rule, s| set(&mut rule.movecount, at_least_one(s))),
    ("score", |rule, s| set(&mut rule.score, s.number())),
];

pub fn draw(flag: &Flag) -> Result<DrawRule> {
    let mut rule = DrawRule { movenumber: 0, movecount: 1, score: 0 };
    flag.read_settings(&mut rule, DRAW)?;
    Ok(rule)
}

const RESIGN: Settings<ResignRule> = &[
    ("movecount", |rule, s| set(&mut rule.movecount, at_least_one(s))),
    ("score", |rule, s| set(&mut rule.score, s.number().map(i32::saturating_abs))),
    ("twosided", |rule, s| set(&mut rule.twosided, s.flag_value())),
];

pub fn resign(flag: &Flag) -> Result<ResignRule> {
    let mut rule = ResignRule { movecount: 1, score: 0, twosided: false };
    flag.read_settings(&mut rule, RESIGN)?;
    match flag.settings().any(|setting| setting.name == "score") {
        true => Ok(rule),
        false => fail("-resign: score=CENTIPAWNS is missing"),
    }
}

fn at_least_one(setting: Setting<'_>) -> Result<u32> {
    match setting.number()? {
        0 => fail(format!("-{} {} must be 1 at least", setting.flag, setting.name)),
        count => Ok(count),
    }
}

const PGN: Settings<PgnOutput> = &[
    ("file", |pgn, s| set(&mut pgn.file, Ok(s.value.into()))),
    ("min", |pgn, s| set(&mut pgn.min, s.flag_value())),
    ("fi", |pgn, s| set(&mut pgn.finished, s.flag_value())),
    ("append", |pgn, s| set(&mut pgn.overwrite, s.flag_value().map(|append| !append))),
    ("notation", |pgn, s| set(&mut pgn.notation, s.choice(NOTATIONS))),
    ("nodes", |pgn, s| set(&mut pgn.nodes, s.flag_value())),
    ("seldepth", |pgn, s| set(&mut pgn.seldepth, s.flag_value())),
    ("nps", |pgn, s| set(&mut pgn.nps, s.flag_value())),
    ("hashfull", |pgn, s| set(&mut pgn.hashfull, s.flag_value())),
    ("tbhits", |pgn, s| set(&mut pgn.tbhits, s.flag_value())),
    ("timeleft", |pgn, s| set(&mut pgn.timeleft, s.flag_value())),
    ("latency", |pgn, s| set(&mut pgn.latency, s.flag_value())),
    ("pv", |pgn, s| set(&mut pgn.pv, s.flag_value())),
    // OpenBench always asks for it: lines of engines are not copied into the PGN.
    ("match_line", |_, _| Ok(())),
];

const NOTATIONS: &[(&str, Notation)] =
    &[("san", Notation::San), ("lan", Notation::Lan), ("uci", Notation::Uci)];

pub fn pgnout(flag: &Flag) -> Result<PgnOutput> {
    let mut pgn = PgnOutput::default();
    flag.with_file(PGN).read_settings(&mut pgn, PGN)?;
    if pgn.file.as_os_str().is_empty() { fail("-pgnout: the file is missing") } else { Ok(pgn) }
}

pub const EPD: Settings<Output> = &[
    ("file", |output, s| set(&mut output.epd, Ok(Some(s.value.into())))),
    ("append", |output, s| set(&mut output.epd_overwrite, s.flag_value().map(|append| !append))),
];

pub fn epdout(flag: &Flag, output: &mut Output) -> Result<()> {
    flag.with_file(EPD).read_settings(output, EPD)?;
    if output.epd.is_none() { fail("-epdout: the file is missing") } else { Ok(()) }
}

pub const OUTPUT: Settings<Output> =
    &[("format", |output, s| set(&mut output.style, s.choice(STYLES)))];

const STYLES: &[(&str, Style)] =
    &[("cutechess", Style::Cutechess), ("fastchess", Style::Fastchess)];

pub const REPORT: Settings<Output> =
    &[("penta", |output, s| set(&mut output.no_penta, s.flag_value().map(|penta| !penta)))];

pub const CRC32: Settings<Output> = &[("pgn", |output, s| set(&mut output.crc32, s.flag_value()))];

const LOG: Settings<LogChoice> = &[
    ("file", |log, s| set(&mut log.file, Ok(s.value.into()))),
    ("level", |log, s| set(&mut log.level, s.choice(LOG_LEVELS))),
    ("engine", |log, s| set(&mut log.engine, s.flag_value())),
    ("append", |log, s| set(&mut log.append, s.flag_value())),
    // Every line is written at once.
    ("realtime", |_, s| s.flag_value().map(drop)),
    ("compress", |_, s| match s.flag_value()? {
        true => fail("-log compress: logs are plain text; compress the file afterwards"),
        false => Ok(()),
    }),
];

const LOG_LEVELS: &[(&str, LogLevel)] = &[
    ("trace", LogLevel::Trace),
    ("info", LogLevel::Info),
    ("warn", LogLevel::Warn),
    ("err", LogLevel::Error),
    ("fatal", LogLevel::Error),
];

pub fn log(flag: &Flag) -> Result<LogChoice> {
    let mut log = LogChoice::default();
    flag.with_file(LOG).read_settings(&mut log, LOG)?;
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
