//! A command line in the dialect of cutechess-cli and fastchess becomes a plan.

use super::engine_words::contender;
use super::request::{JournalChoice, LogChoice, LogLevel, Request};
use super::words::{DialectError, Flag, Result, Setting, choose, fail, flags, hint};
use dyno_stats::Model;
use dyno_trials::tournament::{
    BookFormat, DrawRule, Format, Notation, Order, PgnOutput, Plan, Policy, ResignRule, SprtPlan,
    Style, TbResults, Variant,
};

/// Every flag that is understood, for the help and for finding the one that was meant.
pub const FLAGS: [&str; 68] = [
    "engine",
    "each",
    "games",
    "rounds",
    "repeat",
    "norepeat",
    "noswap",
    "reverse",
    "seeds",
    "tournament",
    "wait",
    "concurrency",
    "use-affinity",
    "force-concurrency",
    "sprt",
    "openings",
    "bookmode",
    "srand",
    "seed",
    "randomseed",
    "draw",
    "resign",
    "maxmoves",
    "tb",
    "tbpieces",
    "tbignore50",
    "tbadjudicate",
    "pgnout",
    "epdout",
    "livepgn",
    "livepgnout",
    "event",
    "site",
    "ratinginterval",
    "scoreinterval",
    "outcomeinterval",
    "autosaveinterval",
    "recover",
    "stop-on-fault",
    "variant",
    "log",
    "debug",
    "config",
    "tournamentfile",
    "output",
    "report",
    "show-latency",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "testEnv",
    "quick",
    "compliance",
    "plan",
    "print-plan",
    "resume",
    "journal",
    "no-journal",
    "events",
    "report-html",
    "report-json",
    "jsonout",
    "json",
    "quiet",
    "crc32",
    "strict",
    "help",
    "version",
];

/// Flags that stand alone.
const SWITCHES: [&str; 16] = [
    "norepeat",
    "noswap",
    "reverse",
    "tbignore50",
    "recover",
    "stop-on-fault",
    "force-concurrency",
    "testEnv",
    "strict",
    "randomseed",
    "print-plan",
    "no-journal",
    "json",
    "quiet",
    "show-latency",
    "version",
];

/// Reads the command line.
pub fn parse(words: &[String]) -> Result<Request> {
    let mut draft = Draft::default();
    for flag in flags(words)? {
        draft.apply(&flag)?;
    }
    draft.finish()
}

/// A request while it is being read.
#[derive(Default)]
struct Draft {
    request: Request,
    engines: Vec<Vec<String>>,
    each: Vec<String>,
    games: Option<u32>,
    rounds: Option<u32>,
    repeat: Option<u32>,
    ratinginterval: Option<u32>,
}

impl Draft {
    fn plan(&mut self) -> &mut Plan {
        &mut self.request.plan
    }

    fn apply(&mut self, flag: &Flag) -> Result<()> {
        if SWITCHES.contains(&flag.name.as_str()) {
            flag.nothing()?;
        }
        match flag.name.as_str() {
            "engine" => self.engines.push(flag.words.clone()),
            "each" => self.each.extend(flag.words.iter().cloned()),
            "plan" => self.read_plan(flag.one()?)?,
            "help" | "h" => self.request.help = true,
            "version" => self.request.version = true,
            "compliance" => {
                return fail(
                    "-compliance: to examine one engine use `dyno check --engine PROGRAM`",
                );
            }
            _ if self.schedule(flag)? || self.openings_and_ends(flag)? || self.machine(flag)? => {}
            _ if self.output(flag)? || self.run(flag)? => {}
            name => {
                let hint = hint(name, FLAGS.iter().copied(), "-");
                return fail(format!("unknown option -{name}{hint}"));
            }
        }
        Ok(())
    }

    fn read_plan(&mut self, path: &str) -> Result<()> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| DialectError(format!("--plan {path}: {e}")))?;
        let plan = toml::from_str(&text).map_err(|e| DialectError(plan_fault(path, &text, &e)))?;
        self.request.plan = plan;
        Ok(())
    }

    fn schedule(&mut self, flag: &Flag) -> Result<bool> {
        match flag.name.as_str() {
            "games" => self.games = Some(flag.number()?),
            "rounds" => self.rounds = Some(flag.number()?),
            "repeat" => {
                self.repeat = Some(match flag.optional()? {
                    Some(_) => flag.number()?,
                    None => 2,
                });
            }
            "norepeat" => self.repeat = Some(1),
            "noswap" => self.plan().tournament.swap = false,
            "reverse" => self.plan().tournament.reverse = true,
            "seeds" => self.plan().tournament.seeds = flag.number()?,
            "wait" => self.plan().tournament.wait_ms = flag.number()?,
            "tournament" => {
                self.plan().tournament.format = choose(
                    "-tournament",
                    flag.one()?,
                    &[
                        ("round-robin", Format::RoundRobin),
                        ("roundrobin", Format::RoundRobin),
                        ("gauntlet", Format::Gauntlet),
                        ("knockout", Format::Knockout),
                        ("pyramid", Format::Pyramid),
                    ],
                )?;
            }
            "sprt" => self.plan().sprt = Some(sprt(flag)?),
            "variant" => {
                let choices = [
                    ("standard", Variant::Standard),
                    ("fischerandom", Variant::FischeRandom),
                    ("chess960", Variant::FischeRandom),
                ];
                self.plan().variant = choose("-variant", flag.one()?, &choices)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn openings_and_ends(&mut self, flag: &Flag) -> Result<bool> {
        match flag.name.as_str() {
            "openings" => openings(flag, self.plan())?,
            // Books are always read into memory.
            "bookmode" => drop(flag.one()?),
            "srand" | "seed" => self.plan().seed = flag.number()?,
            "randomseed" => {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                self.plan().seed = now.map_or(1, |d| d.as_nanos() as u64);
            }
            "draw" => self.plan().adjudication.draw = Some(draw(flag)?),
            "resign" => self.plan().adjudication.resign = Some(resign(flag)?),
            "maxmoves" => self.plan().adjudication.maxmoves = Some(flag.number()?),
            "tb" => self.plan().adjudication.tb = Some(flag.text()?),
            "tbpieces" => self.plan().adjudication.tbpieces = Some(flag.number()?),
            "tbignore50" => self.plan().adjudication.tbignore50 = true,
            "tbadjudicate" => {
                let choices = [
                    ("BOTH", TbResults::Both),
                    ("WIN_LOSS", TbResults::WinLoss),
                    ("DRAW", TbResults::Draw),
                ];
                self.plan().adjudication.tbadjudicate =
                    choose("-tbadjudicate", flag.one()?, &choices)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn machine(&mut self, flag: &Flag) -> Result<bool> {
        match flag.name.as_str() {
            "concurrency" => self.plan().machine.concurrency = flag.number()?,
            "force-concurrency" | "testEnv" | "strict" => {}
            "use-affinity" => {
                self.plan().machine.affinity = true;
                if let Some(list) = flag.optional()? {
                    self.plan().machine.cpus = cpu_list(list)?;
                }
            }
            // What cutechess-cli does only when asked is the rule here: a crash costs one game.
            "recover" => self.plan().machine.recover = true,
            "stop-on-fault" => self.plan().machine.recover = false,
            "startup-ms" => self.plan().machine.startup_ms = flag.number()?,
            "ucinewgame-ms" | "ping-ms" => self.plan().machine.ready_ms = flag.number()?,
            "quick" => self.quick(flag)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn output(&mut self, flag: &Flag) -> Result<bool> {
        match flag.name.as_str() {
            "pgnout" => self.plan().output.pgn = Some(pgnout(flag)?),
            "epdout" => {
                let file = flag.words.iter().find(|w| !w.starts_with("append="));
                let one =
                    Flag { name: flag.name.clone(), words: file.cloned().into_iter().collect() };
                self.plan().output.epd = Some(one.file()?.into());
            }
            "livepgn" | "livepgnout" => self.plan().output.livepgn = Some(flag.file()?.into()),
            "event" => self.plan().event = flag.text()?,
            "site" => self.plan().site = flag.text()?,
            "ratinginterval" => self.ratinginterval = Some(flag.number()?),
            "scoreinterval" => self.plan().output.scoreinterval = flag.number()?,
            "outcomeinterval" => self.plan().output.outcomeinterval = flag.number()?,
            "output" => {
                for setting in flag.settings() {
                    let choices =
                        [("cutechess", Style::Cutechess), ("fastchess", Style::Fastchess)];
                    match setting.name {
                        "format" => self.plan().output.style = setting.choice(&choices)?,
                        _ => return setting.unknown(&["format"]),
                    }
                }
            }
            // The journal is written after every game, pairs and latency are always counted.
            "autosaveinterval" | "report" | "show-latency" | "crc32" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn run(&mut self, flag: &Flag) -> Result<bool> {
        let request = &mut self.request;
        match flag.name.as_str() {
            "print-plan" => request.print_plan = true,
            "resume" => request.resume = Some(flag.optional()?.map(Into::into)),
            "journal" | "tournamentfile" => {
                request.journal = JournalChoice::File(flag.file()?.into())
            }
            "no-journal" => request.journal = JournalChoice::Nowhere,
            "events" => request.events = Some(flag.file()?.into()),
            "report-html" => request.report_html = Some(flag.file()?.into()),
            "report-json" | "jsonout" => request.report_json = Some(flag.file()?.into()),
            "json" => request.json = true,
            "quiet" => request.quiet = true,
            "debug" => request.log = Some(LogChoice::to_stderr()),
            "log" => request.log = Some(log(flag)?),
            "config" => config(flag, request)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// fastchess' shorthand for a first look at two engines.
    fn quick(&mut self, flag: &Flag) -> Result<()> {
        for setting in flag.settings() {
            match setting.name {
                "cmd" => self.engines.push(vec![format!("cmd={}", setting.value)]),
                "book" => self.plan().openings.file = Some(setting.value.into()),
                _ => return setting.unknown(&["cmd", "book"]),
            }
        }
        self.each.splice(0..0, ["tc=10+0.1".to_owned(), "hash=16".to_owned()]);
        self.rounds = self.rounds.or(Some(25_000));
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let plan = self.plan();
        plan.machine.concurrency = cores.saturating_sub(2).max(1);
        plan.openings.order = Order::Random;
        plan.adjudication.draw = Some(DrawRule { movenumber: 30, movecount: 8, score: 8 });
        Ok(())
    }

    fn finish(mut self) -> Result<Request> {
        if self.request.help || self.request.version || self.request.resume.is_some() {
            return Ok(self.request);
        }
        let each = Flag { name: "each".into(), words: self.each.clone() };
        let mut engines = Vec::new();
        for words in &self.engines {
            let own = Flag { name: "engine".into(), words: words.clone() };
            engines.push(contender(each.settings().chain(own.settings()))?);
        }
        if !engines.is_empty() {
            self.plan().engines = engines;
        }
        let tournament = &mut self.request.plan.tournament;
        tournament.games = self.games.unwrap_or(tournament.games);
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.repeat = self.repeat.unwrap_or(tournament.repeat);
        let output = &mut self.request.plan.output;
        let usual = if output.style == Style::Fastchess { 10 } else { output.ratinginterval };
        output.ratinginterval = self.ratinginterval.unwrap_or(usual);
        Ok(self.request)
    }
}

fn sprt(flag: &Flag) -> Result<SprtPlan> {
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

fn openings(flag: &Flag, plan: &mut Plan) -> Result<()> {
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
                ])?;
            }
            "srand" => plan.seed = setting.number()?,
            _ => return setting.unknown(&["file", "format", "order", "plies", "start", "policy"]),
        }
    }
    Ok(())
}

fn draw(flag: &Flag) -> Result<DrawRule> {
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

fn resign(flag: &Flag) -> Result<ResignRule> {
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

fn pgnout(flag: &Flag) -> Result<PgnOutput> {
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

fn log(flag: &Flag) -> Result<LogChoice> {
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
            "append" | "realtime" | "compress" => {}
            _ if i == 0 => log.file = flag.words[0].clone().into(),
            _ => return setting.unknown(&["file", "level", "engine", "append", "realtime"]),
        }
    }
    if log.file.as_os_str().is_empty() { fail("-log: file=FILE is missing") } else { Ok(log) }
}

/// fastchess keeps its state in a file; ours is the journal.
fn config(flag: &Flag, request: &mut Request) -> Result<()> {
    for setting in flag.settings() {
        match setting.name {
            "file" => request.resume = Some(Some(setting.value.into())),
            "outname" => request.journal = JournalChoice::File(setting.value.into()),
            "discard" | "stats" => {}
            _ => return setting.unknown(&["file", "outname", "discard", "stats"]),
        }
    }
    Ok(())
}

/// Processors as `0,2-5`.
fn cpu_list(text: &str) -> Result<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (
            super::words::number::<usize>("-use-affinity", first)?,
            super::words::number("-use-affinity", last)?,
        );
        if first > last || last > 4096 {
            return fail(format!("-use-affinity: bad range {part:?}"));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// One line with the place, where TOML's own error draws a picture.
fn plan_fault(path: &str, text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
    format!("--plan {path}:{line}: {}", error.message())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn read(line: &str) -> Result<Request> {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    fn plan(line: &str) -> Plan {
        let mut plan = read(line).unwrap().plan;
        plan.name_engines();
        plan.check().unwrap();
        plan
    }

    #[test]
    fn the_lines_of_the_testing_document() {
        let selfplay = plan(
            "-engine name=MyEngine cmd=./myengine -engine name=MyEngine cmd=./myengine \
             -each tc=1+0.1 proto=uci -games 100 -pgnout selfplay.pgn",
        );
        assert!(selfplay.is_self_play() && selfplay.tournament.games == 100);
        assert_eq!(selfplay.output.pgn.unwrap().file.to_str(), Some("selfplay.pgn"));
        let match_ = plan(
            "-engine name=NewEngine cmd=./new_engine -engine name=OldEngine cmd=./old_engine \
             -each tc=10+0.1 proto=uci hash=64 -games 1000 -openings file=openings.pgn format=pgn \
             -pgnout results.pgn -concurrency 4",
        );
        assert_eq!(match_.engines[1].options, ["Hash=64"]);
        assert_eq!(match_.openings.format, Some(BookFormat::Pgn));
        assert_eq!(match_.machine.concurrency, 4);
        let sprt = plan(
            "-engine name=New cmd=./new -engine name=Old cmd=./old -each tc=10+0.1 proto=uci \
             -games 10000 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 \
             -openings file=openings.epd format=epd -concurrency 8",
        );
        assert_eq!(sprt.sprt.map(|s| (s.elo0, s.elo1)), Some((0.0, 5.0)));
        plan(
            "-engine cmd=./new_engine -engine cmd=./baseline_engine -each tc=1+0.1 proto=uci \
              -games 500 -sprt elo0=-10 elo1=5 alpha=0.05 beta=0.05",
        );
    }

    #[test]
    fn fastchess_spellings() {
        let request = read(
            "-engine cmd=a name=A -engine cmd=b name=B option.Hash=8 -each tc=8+0.08 option.Hash=16 \
             -rounds 50 -repeat -recover -openings file=b.epd order=random plies=8 start=3 -srand 7 \
             -pgnout file=x.pgn nodes=true append=false -config outname=m.journal discard=true \
             -log file=l.log level=info -output format=fastchess -report penta=true -use-affinity 0,2-3 \
             -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=600 twosided=true \
             -maxmoves 200 -tb /tb -tbpieces 5 -tbignore50 -autosaveinterval 20 -ratinginterval 5",
        )
        .unwrap();
        let plan = &request.plan;
        assert_eq!(
            (plan.tournament.rounds, plan.tournament.games, plan.tournament.repeat),
            (50, 2, 2)
        );
        assert_eq!(plan.engines[0].options, ["Hash=16"]);
        assert_eq!(plan.engines[1].options, ["Hash=8"], "an engine's own settings win");
        let pgn = plan.output.pgn.as_ref().unwrap();
        assert!(pgn.nodes && pgn.overwrite);
        assert_eq!(request.journal, JournalChoice::File("m.journal".into()));
        assert_eq!(plan.machine.cpus, [0, 2, 3]);
        assert_eq!(plan.adjudication.resign.map(|r| r.twosided), Some(true));
        assert_eq!((plan.seed, plan.output.ratinginterval), (7, 5));
    }

    #[test]
    fn mistakes_are_named_with_the_nearest_word() {
        for (line, wanted) in [
            ("-concurency 4", "unknown option -concurency; did you mean -concurrency?"),
            ("-engine cmd=a nmae=b", "did you mean name?"),
            ("-engine cmd=a ttc=1+1", "option.ttc=1+1"),
            ("-engine cmd=a tc=fast", "not a time control"),
            ("-draw movenumbr=4", "did you mean movenumber?"),
            ("-games many", "-games: not a valid number: \"many\""),
            ("-games", "-games: a value is missing"),
            ("-tournament swiss", "is none of round-robin"),
            ("-noswap 3", "-noswap takes no value"),
            ("-resign movecount=3", "score=CENTIPAWNS is missing"),
            ("games 3", "options begin with a dash"),
            ("-pgnout", "the file is missing"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(wanted), "{line}: {error}");
        }
    }

    #[test]
    fn every_flag_listed_is_understood() {
        for flag in FLAGS {
            let error = read(&format!("-{flag} x=1")).err().map(|e| e.0).unwrap_or_default();
            assert!(!error.contains("unknown option"), "{flag}: {error}");
        }
    }

    #[test]
    fn a_plan_survives_its_file() {
        let before = plan(
            "-engine cmd=a name=A tc=40/60+0.6 ponder -engine cmd=b name=B st=0.5 timemargin=20 \
             option.Skill=3 arg=-x -games 4 -rounds 3 -sprt elo0=-3 elo1=1 model=logistic \
             -draw movenumber=40 movecount=8 score=10 -tb /tb -openings file=b.pgn policy=round \
             -variant fischerandom -pgnout x.pgn min",
        );
        let text = toml::to_string(&before).unwrap();
        assert_eq!(toml::from_str::<Plan>(&text).unwrap(), before, "{text}");
        assert!(toml::from_str::<Plan>("[tournament]\ngamse = 3\n").is_err());
        assert!(toml::from_str::<Plan>("[[engine]]\ncmd = \"a\"\ndepht = 3\n").is_err());
    }
}
