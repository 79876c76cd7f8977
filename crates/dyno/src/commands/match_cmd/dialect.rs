//! A command line in the dialect of cutechess-cli and fastchess becomes a plan.

use super::engine_words::entry;
use super::fastchess;
use super::request::{JournalChoice, LogChoice, Request};
use super::settings::{concurrency, cpu_list, draw, log, openings, pgnout, resign, sprt};
use super::words::{DialectError, Flag, Result, choose, fail, flags, hint};
use dyno_tournament::{DrawRule, EngineEntry, Format, Order, Plan, Style, TbResults, Variant};
use std::path::PathBuf;

/// Every flag that is understood, for the help and for finding the one that was meant.
pub const FLAGS: [&str; 71] = [
    "engine",
    "engines",
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
    "resultformat",
    "show-latency",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "testEnv",
    "check-mate-pvs",
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
const SWITCHES: [&str; 18] = [
    "engines",
    "norepeat",
    "noswap",
    "reverse",
    "tbignore50",
    "recover",
    "stop-on-fault",
    "force-concurrency",
    "testEnv",
    "check-mate-pvs",
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
        draft.request.given.push(flag.name);
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
    seed_given: bool,
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
            "version" | "v" => self.request.version = true,
            "engines" => self.request.list_engines = true,
            "resultformat" => {
                return fail(
                    "-resultformat: the table has one form; `-output format=fastchess`, \
                     `--report-json FILE` and `--report-html FILE` show the figures otherwise",
                );
            }
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
            "openings" => {
                openings(flag, self.plan())?;
                self.seed_given |= flag.settings().any(|setting| setting.name == "srand");
            }
            // Books are always read into memory.
            "bookmode" => drop(flag.one()?),
            "srand" | "seed" => {
                self.plan().seed = flag.number()?;
                self.seed_given = true;
            }
            "randomseed" => {
                self.plan().seed = fresh_seed();
                self.seed_given = true;
            }
            "draw" => self.plan().adjudication.draw = Some(draw(flag)?),
            "resign" => self.plan().adjudication.resign = Some(resign(flag)?),
            // As in both other tools, 0 is no limit.
            "maxmoves" => {
                self.plan().adjudication.maxmoves = Some(flag.number()?).filter(|moves| *moves > 0);
            }
            "check-mate-pvs" => self.plan().check_mate_pvs = true,
            "tb" => self.plan().adjudication.tb = Some(folders(&flag.text()?)),
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
            "concurrency" => self.plan().machine.concurrency = concurrency(flag.number()?),
            "force-concurrency" => {}
            "strict" => return fail("-strict: Dyno is always strict: what is wrong is refused"),
            "testEnv" => {
                self.plan().output.test_env = true;
                self.plan().output.style = Style::Fastchess;
            }
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
                let (settings, file): (Vec<_>, Vec<_>) =
                    flag.words.iter().cloned().partition(|word| word.starts_with("append="));
                let name = flag.name.clone();
                for setting in (Flag { name: name.clone(), words: settings }).settings() {
                    self.plan().output.epd_overwrite = !setting.flag_value()?;
                }
                self.plan().output.epd = Some(Flag { name, words: file }.file()?.into());
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
            "autosaveinterval" | "show-latency" => {}
            "report" => {
                for setting in flag.settings() {
                    match setting.name {
                        "penta" => self.plan().output.no_penta = !setting.flag_value()?,
                        _ => return setting.unknown(&["penta"]),
                    }
                }
            }
            "crc32" => {
                for setting in flag.settings() {
                    match setting.name {
                        "pgn" => self.plan().output.crc32 = setting.flag_value()?,
                        _ => return setting.unknown(&["pgn"]),
                    }
                }
            }
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
            "report-html" => request.reports.html = Some(flag.file()?.into()),
            "report-json" | "jsonout" => request.reports.json_file = Some(flag.file()?.into()),
            "json" => request.reports.json = true,
            "quiet" => request.quiet = true,
            "debug" => request.log = Some(LogChoice::to_stderr()),
            "log" => request.log = Some(log(flag)?),
            "config" => self.config(flag)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// fastchess keeps settings and results in one file; ours is the journal. Either can be named.
    fn config(&mut self, flag: &Flag) -> Result<()> {
        let (mut file, mut discard, mut stats) = (None, false, true);
        for setting in flag.settings() {
            match setting.name {
                "file" => file = Some(PathBuf::from(setting.value)),
                "outname" => {
                    self.request.journal = JournalChoice::File(setting.value.into());
                }
                "discard" => discard = setting.flag_value()?,
                "stats" => stats = setting.flag_value()?,
                _ => return setting.unknown(&["file", "outname", "discard", "stats"]),
            }
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

    /// A match that is resumed has its plan in the journal, with which the words are compared.
    fn resumed(mut self) -> Request {
        let tournament = &mut self.request.plan.tournament;
        tournament.games = self.games.unwrap_or(tournament.games);
        tournament.rounds = self.rounds.unwrap_or(tournament.rounds);
        tournament.repeat = self.repeat.unwrap_or(tournament.repeat);
        self.request.engine_words = self.engines;
        self.request.each_words = self.each;
        self.request
    }

    fn finish(mut self) -> Result<Request> {
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

/// A seed that differs from run to run, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    1 + RandomState::new().build_hasher().finish() % 999_999_999
}

/// Folders as the system separates them; cutechess-cli wants semicolons everywhere.
fn folders(text: &str) -> String {
    if cfg!(windows) { text.to_owned() } else { text.replace(';', ":") }
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
    use dyno_tournament::BookFormat;

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
        assert_eq!(match_.engines[1].spec.option("Hash"), Some("64"));
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
        assert_eq!(plan.engines[0].spec.option("Hash"), Some("16"));
        assert_eq!(plan.engines[1].spec.option("Hash"), Some("8"), "an engine's own settings win");
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
            ("-concurrency x", "-concurrency: not a valid number"),
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
