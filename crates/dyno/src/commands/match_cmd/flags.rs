//! The flags of `dyno match`, in one table: the parser, the nearest name, the help and the check of
//! `--resume` all read it. A new flag is one row here.

use super::draft::{Draft, folders, fresh_seed};
use super::request::{JournalChoice, LogChoice};
use super::settings::{
    CRC32, OPENINGS, OUTPUT, REPORT, concurrency, cpu_list, draw, epdout, log, pgnout, resign, sprt,
};
use super::words::{Flag, Result, choose, fail, hint, set};
use dyno_tournament::{Format, KeepMoves, Plan, Style, TbResults, Variant};

/// Flags that belong together in the help.
pub struct Section {
    pub title: &'static str,
    /// As the help writes the flags; either is understood.
    pub dashes: &'static str,
    pub rows: &'static [Row],
}

/// One flag.
pub struct Row {
    pub name: &'static str,
    /// Other spellings.
    pub also: &'static [&'static str],
    /// What follows it, as the help shows it.
    pub values: &'static str,
    pub about: &'static str,
    pub resumed: Resumed,
    action: Action,
}

/// What a flag means beside `--resume`.
#[derive(Clone, Copy)]
pub enum Resumed {
    /// It acts on this run alone: reports, logs, the live page.
    Acts,
    /// It decides what the match is: the value at this place of the plan must be the same.
    Same(&'static str),
    /// The first plan takes it over from the second.
    Taken(fn(&mut Plan, Plan)),
    /// It belongs to a new match.
    Refused,
}

enum Action {
    /// Takes no value.
    Switch(fn(&mut Draft)),
    /// Reads the words that follow.
    Words(fn(&mut Draft, &Flag) -> Result<()>),
    /// Understood, and refused with the text of the help.
    Refused,
}

const fn row(name: &'static str, values: &'static str, about: &'static str, action: Action) -> Row {
    Row { name, also: &[], values, about, resumed: Resumed::Acts, action }
}

const fn words(
    name: &'static str,
    values: &'static str,
    about: &'static str,
    read: fn(&mut Draft, &Flag) -> Result<()>,
) -> Row {
    row(name, values, about, Action::Words(read))
}

const fn switch(name: &'static str, about: &'static str, on: fn(&mut Draft)) -> Row {
    row(name, "", about, Action::Switch(on))
}

const fn refused(name: &'static str, about: &'static str) -> Row {
    row(name, "", about, Action::Refused)
}

impl Row {
    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    const fn fixed(mut self, place: &'static str) -> Self {
        self.resumed = Resumed::Same(place);
        self
    }

    const fn taken(mut self, take: fn(&mut Plan, Plan)) -> Self {
        self.resumed = Resumed::Taken(take);
        self
    }

    const fn only_new(mut self) -> Self {
        self.resumed = Resumed::Refused;
        self
    }

    /// The name and its other spellings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }

    /// Does what the flag says.
    pub fn apply(&self, draft: &mut Draft, flag: &Flag) -> Result<()> {
        match self.action {
            Action::Words(read) => read(draft, flag),
            Action::Switch(on) => {
                flag.nothing()?;
                on(draft);
                Ok(())
            }
            Action::Refused => fail(format!("-{}: {}", flag.name, self.about)),
        }
    }
}

/// Every flag.
pub fn all() -> impl Iterator<Item = &'static Row> {
    SECTIONS.iter().flat_map(|section| section.rows)
}

/// The flag of that name.
pub fn find(name: &str) -> Result<&'static Row> {
    match all().find(|row| row.names().any(|known| known == name)) {
        Some(row) => Ok(row),
        None => {
            let hint = hint(name, all().flat_map(Row::names), "-");
            fail(format!("unknown option -{name}{hint}"))
        }
    }
}

/// All flags, in the order of the help.
pub const SECTIONS: &[Section] = &[
    Section { title: "Engines", dashes: "-", rows: ENGINES },
    Section { title: "Games", dashes: "-", rows: GAMES },
    Section { title: "Openings", dashes: "-", rows: OPENING },
    Section { title: "Ends", dashes: "-", rows: ENDS },
    Section { title: "Machine", dashes: "-", rows: MACHINE },
    Section { title: "Many machines", dashes: "--", rows: CLUSTER },
    Section { title: "Output", dashes: "-", rows: GAME_OUTPUT },
    Section { title: "Results", dashes: "--", rows: RESULTS },
    Section { title: "Live page", dashes: "--", rows: LIVE },
    Section { title: "The match itself", dashes: "--", rows: RUN },
    Section { title: "Of other tools, without effect here", dashes: "-", rows: WITHOUT_EFFECT },
    Section { title: "Of other tools, refused", dashes: "-", rows: REFUSED },
];

const ENGINES: &[Row] = &[
    switch("engines", "List the engines that conf= knows and stop", |d| {
        d.request.list_engines = true;
    }),
    words("engine", "SETTINGS", "An engine; give it once for each", |d, f| {
        let mut words = f.words.clone();
        // `--engine ./a`, as with every other command.
        if let Some(first) = words.first_mut().filter(|word| !word.contains('=')) {
            *first = format!("cmd={first}");
        }
        d.engines.push(words);
        Ok(())
    }),
    // The settings themselves follow this row in the help.
    words("each", "SETTINGS", "Settings of all engines; an engine's own win", |d, f| {
        d.each.extend(f.words.iter().cloned());
        Ok(())
    }),
    words("tc", "TC", "The same as -each tc=TC", each),
    words("st", "SECONDS", "The same as -each st=SECONDS", each),
    words("nodes", "N", "The same as -each nodes=N", each),
    words("depth", "N", "The same as -each depth=N", each),
    words("hash", "MB", "The same as -each hash=MB", each),
    words("threads", "N", "The same as -each threads=N", each),
    switch("jail", "All engines in a jail: the same as -each jail=true", |d| {
        d.each.push("jail=true".to_owned());
    }),
];

/// A flag that is short for the setting of its name.
fn each(draft: &mut Draft, flag: &Flag) -> Result<()> {
    draft.each.push(format!("{}={}", flag.name, flag.one()?));
    Ok(())
}

const GAMES: &[Row] = &[
    words("games", "N", "Games of an encounter [2]", |d, f| {
        set(&mut d.games, f.number().map(Some))
    })
    .fixed("/tournament/games"),
    words("rounds", "N", "Rounds [1]", |d, f| set(&mut d.rounds, f.number().map(Some)))
        .taken(|plan, asked| plan.tournament.rounds = asked.tournament.rounds),
    words("repeat", "[N]", "Games in a row with one opening [2: pairs]", |d, f| {
        let count = if f.words.is_empty() { Ok(2) } else { f.number() };
        set(&mut d.repeat, count.map(Some))
    })
    .fixed("/tournament/repeat"),
    switch("norepeat", "An opening of its own for every game", |d| d.repeat = Some(1))
        .fixed("/tournament/repeat"),
    switch("noswap", "Do not swap colours", |d| d.plan().tournament.swap = false)
        .fixed("/tournament/swap"),
    switch("reverse", "Swap the colours of all games", |d| d.plan().tournament.reverse = true)
        .fixed("/tournament/reverse"),
    words("tournament", "TYPE", "round-robin, gauntlet, knockout, pyramid or swiss", |d, f| {
        set(&mut d.plan().tournament.format, choose("-tournament", f.one()?, FORMATS))
    })
    .fixed("/tournament/format"),
    words("seeds", "N", "Gauntlet: the first N engines meet the others [1]", |d, f| {
        set(&mut d.plan().tournament.seeds, f.number())
    })
    .fixed("/tournament/seeds"),
    words(
        "sprt",
        "elo0=0 elo1=5 alpha=0.05 beta=0.05 [model=normalized|logistic|bayesian]",
        "Stop as soon as the question is answered",
        |d, f| set(&mut d.plan().sprt, sprt(f).map(Some)),
    )
    .fixed("/sprt"),
    words("variant", "TYPE", "standard or fischerandom", |d, f| {
        set(&mut d.plan().variant, choose("-variant", f.one()?, VARIANTS))
    })
    .fixed("/variant"),
    words("wait", "MS", "A pause between games", |d, f| {
        set(&mut d.plan().tournament.wait_ms, f.number())
    })
    .fixed("/tournament/wait_ms"),
    words("quick", "cmd=A cmd=B book=BOOK", "fastchess' first look at two engines", Draft::quick)
        .only_new(),
];

const FORMATS: &[(&str, Format)] = &[
    ("round-robin", Format::RoundRobin),
    ("roundrobin", Format::RoundRobin),
    ("gauntlet", Format::Gauntlet),
    ("knockout", Format::Knockout),
    ("pyramid", Format::Pyramid),
    ("swiss", Format::Swiss),
];

const VARIANTS: &[(&str, Variant)] = &[
    ("standard", Variant::Standard),
    ("fischerandom", Variant::FischeRandom),
    ("chess960", Variant::FischeRandom),
];

const OPENING: &[Row] = &[
    words(
        "openings",
        "file=BOOK [format=epd|pgn|polyglot] [order=sequential|random] [plies=N] [start=N] \
         [policy=default|encounter|round|keep]",
        "Plain or .zip, .gz, .zst; a built-in set otherwise",
        |d, f| {
            d.seed_given |= f.settings().any(|setting| setting.name == "srand");
            f.read_settings(d.plan(), OPENINGS)
        },
    )
    .fixed("/openings"),
    switch("repair", "Take impossible castling rights away, with a warning; do not skip", |d| {
        d.plan().openings.repair = true;
    })
    .fixed("/openings"),
    words("srand", "N", "The seed of all random choices", |d, f| {
        d.seed(f.number()?);
        Ok(())
    })
    .also(&["seed"])
    .fixed("/seed"),
    switch("randomseed", "A new seed (so without -srand too)", |d| d.seed(fresh_seed())).only_new(),
];

const ENDS: &[Row] = &[
    words(
        "draw",
        "movenumber=N movecount=N score=CP",
        "A draw when both scores stay this small",
        |d, f| set(&mut d.plan().adjudication.draw, draw(f).map(Some)),
    )
    .fixed("/adjudication/draw"),
    words(
        "resign",
        "movecount=N score=CP [twosided=true]",
        "A loss when the score stays this low",
        |d, f| set(&mut d.plan().adjudication.resign, resign(f).map(Some)),
    )
    .fixed("/adjudication/resign"),
    words("maxmoves", "N", "A draw after N moves; 0 means no limit", |d, f| {
        let moves: u32 = f.number()?;
        set(&mut d.plan().adjudication.maxmoves, Ok(Some(moves).filter(|moves| *moves > 0)))
    })
    .fixed("/adjudication/maxmoves"),
    switch("check-mate-pvs", "Variations with a mate score must end with that mate", |d| {
        d.plan().check_mate_pvs = true;
    })
    .fixed("/check_mate_pvs"),
    words("tb", "PATHS", "Syzygy tables", |d, f| {
        set(&mut d.plan().adjudication.tb, f.text().map(|paths| Some(folders(&paths))))
    })
    .fixed("/adjudication/tb"),
    words("tbpieces", "N", "Ask the tables with at most N pieces", |d, f| {
        set(&mut d.plan().adjudication.tbpieces, f.number().map(Some))
    })
    .fixed("/adjudication/tbpieces"),
    switch("tbignore50", "Wins that the fifty-move rule spoils are wins", |d| {
        d.plan().adjudication.tbignore50 = true;
    })
    .fixed("/adjudication/tbignore50"),
    words(
        "tbadjudicate",
        "WIN_LOSS|DRAW|BOTH",
        "Which results of the tables count [BOTH]",
        |d, f| {
            let results = choose("-tbadjudicate", f.one()?, TB_RESULTS);
            set(&mut d.plan().adjudication.tbadjudicate, results)
        },
    )
    .fixed("/adjudication/tbadjudicate"),
    // What cutechess-cli does only when asked is the rule here.
    switch("recover", "A crash costs one game (always so)", |d| d.plan().machine.recover = true)
        .taken(|plan, asked| plan.machine.recover = asked.machine.recover),
    switch("stop-on-fault", "A crash or hang stops the match", |d| {
        d.plan().machine.recover = false;
    })
    .taken(|plan, asked| plan.machine.recover = asked.machine.recover),
];

const TB_RESULTS: &[(&str, TbResults)] =
    &[("BOTH", TbResults::Both), ("WIN_LOSS", TbResults::WinLoss), ("DRAW", TbResults::Draw)];

const MACHINE: &[Row] = &[
    words("concurrency", "N", "Games at once [1]; -N leaves N processors free", |d, f| {
        set(&mut d.plan().machine.concurrency, f.number().map(concurrency))
    })
    .taken(|plan, asked| plan.machine.concurrency = asked.machine.concurrency),
    words("use-affinity", "[CPUS]", "Pin engines to processors, for example 0,2-5", |d, f| {
        d.plan().machine.affinity = true;
        match f.optional()? {
            Some(list) => set(&mut d.plan().machine.cpus, cpu_list(list)),
            None => Ok(()),
        }
    })
    .taken(|plan, asked| {
        plan.machine.affinity = asked.machine.affinity;
        plan.machine.cpus = asked.machine.cpus;
    }),
    words("startup-ms", "N", "How long an engine may take to start", |d, f| {
        set(&mut d.plan().machine.startup_ms, f.number())
    })
    .taken(|plan, asked| plan.machine.startup_ms = asked.machine.startup_ms),
    words("ping-ms", "N", "How long it may take to be ready for a game", |d, f| {
        set(&mut d.plan().machine.ready_ms, f.number())
    })
    .also(&["ucinewgame-ms"])
    .taken(|plan, asked| plan.machine.ready_ms = asked.machine.ready_ms),
];

const CLUSTER: &[Row] = &[
    words(
        "cluster",
        "SERVER|none",
        "Play on workers: nats://host:4222, or an invitation [DYNO_CLUSTER]",
        |d, f| set(&mut d.cluster().server, f.one().map(str::to_owned)),
    )
    .taken(cluster),
    words("share", "X", "Its part of the boards beside other matches [1]", |d, f| {
        set(&mut d.cluster().share, f.number())
    })
    .taken(cluster),
    words("priority", "N", "Served before matches of a lower one [0]", |d, f| {
        set(&mut d.cluster().priority, f.number())
    })
    .taken(cluster),
    switch("no-scale", "The same time limits on slow and fast machines", |d| {
        d.cluster().scale = false;
    })
    .taken(cluster),
    words(
        "reference-nps",
        "N",
        "The speed that the time control is meant for [this machine]",
        |d, f| set(&mut d.cluster().reference_nps, f.number().map(Some)),
    )
    .taken(cluster),
    words("keep", "all|faults|none", "Games whose moves go to the journal [all]", |d, f| {
        let keep = choose("--keep", f.one()?, KEEPS);
        set(&mut d.cluster().keep, keep)
    })
    .taken(cluster),
    words("exclude-worker", "NAME", "Give this worker no games; repeat for more", |d, f| {
        let name = f.text()?;
        d.cluster().exclude.push(name);
        Ok(())
    })
    .taken(cluster),
    words(
        "replay-worker",
        "NAME",
        "With --resume: play this worker's games again, and give it no more",
        |d, f| {
            d.request.replay_workers.push(f.text()?);
            Ok(())
        },
    ),
    switch("insecure", "An open server on another machine will do", |d| {
        d.cluster().insecure = true;
    })
    .taken(cluster),
];

fn cluster(plan: &mut Plan, asked: Plan) {
    plan.cluster = asked.cluster;
}

const KEEPS: &[(&str, KeepMoves)] =
    &[("all", KeepMoves::All), ("faults", KeepMoves::Faults), ("none", KeepMoves::None)];

const GAME_OUTPUT: &[Row] = &[
    words(
        "pgnout",
        "FILE [min] [fi] [append=false] [notation=san|lan|uci] [nodes=true] [seldepth=true] \
         [nps=true] [hashfull=true] [tbhits=true] [timeleft=true] [latency=true] [pv=true]",
        "Games as PGN, added to the file; file=FILE as well",
        |d, f| set(&mut d.plan().output.pgn, pgnout(f).map(Some)),
    )
    .taken(|plan, asked| plan.output.pgn = asked.output.pgn),
    words("epdout", "FILE [append=false]", "Last positions", |d, f| {
        epdout(f, &mut d.plan().output)
    })
    .taken(|plan, asked| {
        plan.output.epd = asked.output.epd;
        plan.output.epd_overwrite = asked.output.epd_overwrite;
    }),
    words("livepgn", "FILE", "The games being played", |d, f| {
        set(&mut d.plan().output.livepgn, f.file().map(|file| Some(file.into())))
    })
    .also(&["livepgnout"])
    .taken(|plan, asked| plan.output.livepgn = asked.output.livepgn),
    words("event", "NAME", "The event of the PGN", |d, f| set(&mut d.plan().event, f.text()))
        .fixed("/event"),
    words("site", "NAME", "The site of the PGN", |d, f| set(&mut d.plan().site, f.text()))
        .fixed("/site"),
    words("ratinginterval", "N", "Show the ratings after every N games", |d, f| {
        set(&mut d.ratinginterval, f.number().map(Some))
    })
    .taken(|plan, asked| plan.output.ratinginterval = asked.output.ratinginterval),
    words("scoreinterval", "N", "Show the score after every N games", |d, f| {
        set(&mut d.plan().output.scoreinterval, f.number())
    })
    .taken(|plan, asked| plan.output.scoreinterval = asked.output.scoreinterval),
    words("outcomeinterval", "N", "Show how games ended after every N games", |d, f| {
        set(&mut d.plan().output.outcomeinterval, f.number())
    })
    .taken(|plan, asked| plan.output.outcomeinterval = asked.output.outcomeinterval),
    words("output", "format=cutechess|fastchess", "Whose lines to print", |d, f| {
        f.read_settings(&mut d.plan().output, OUTPUT)
    })
    .taken(|plan, asked| plan.output.style = asked.output.style),
    words("report", "penta=false", "Leave the counts of pairs out", |d, f| {
        f.read_settings(&mut d.plan().output, REPORT)
    })
    .taken(|plan, asked| plan.output.no_penta = asked.output.no_penta),
    words("crc32", "pgn=true", "End with the check sum of the PGN", |d, f| {
        f.read_settings(&mut d.plan().output, CRC32)
    })
    .taken(|plan, asked| plan.output.crc32 = asked.output.crc32),
    switch("testEnv", "Output for fishtest's worker", |d| {
        d.plan().output.test_env = true;
        d.plan().output.style = Style::Fastchess;
    })
    .taken(|plan, asked| {
        plan.output.test_env = asked.output.test_env;
        plan.output.style = asked.output.style;
    }),
    words(
        "log",
        "file=FILE [level=trace|info|warn|err] [engine=true] [append=true]",
        "A log",
        |d, f| set(&mut d.request.log, log(f).map(Some)),
    ),
    words(
        "debug",
        "[all]",
        "What is said to and by engines, on standard error; all: debug on",
        |d, f| {
            d.request.log = Some(LogChoice::to_stderr());
            match f.optional()? {
                None => Ok(()),
                Some("all") => {
                    d.each.push("debug".to_owned());
                    Ok(())
                }
                Some(word) => fail(format!("-debug {word}: write -debug or -debug all")),
            }
        },
    ),
];

const RESULTS: &[Row] = &[
    words("events", "FILE", "What happens, as JSON lines", |d, f| {
        set(&mut d.request.events, f.file().map(|file| Some(file.into())))
    }),
    words("report-html", "FILE", "The result as a page", |d, f| {
        set(&mut d.request.reports.html, f.file().map(|file| Some(file.into())))
    }),
    words("report-json", "FILE", "The result for programs", |d, f| {
        set(&mut d.request.reports.json_file, f.file().map(|file| Some(file.into())))
    })
    .also(&["jsonout"]),
    switch("json", "The same on standard output, and nothing else", |d| {
        d.request.reports.json = true;
    }),
    switch("quiet", "No progress and no result on the terminal", |d| d.request.quiet = true),
];

const LIVE: &[Row] = &[
    words("live", "[ADDR]", "Show the match in a browser [127.0.0.1:7878]", |d, f| {
        d.request.live = true;
        set(&mut d.request.page.address, f.optional().map(|address| address.map(str::to_owned)))
    }),
    switch("control", "Viewers may pause, stop and change -concurrency", |d| {
        d.request.page.control = true;
    }),
    words("tls", "CERT,KEY", "PEM files; needed off loopback", |d, f| {
        set(&mut d.request.page.tls, f.one().map(|files| Some(files.to_owned())))
    }),
    words("behind-proxy", "NAME", "A proxy in front speaks TLS under this name", |d, f| {
        set(&mut d.request.page.behind_proxy, f.one().map(|name| Some(name.to_owned())))
    }),
    words("allow-host", "NAME", "Answer to this host name as well", |d, f| {
        d.request.page.allow_host.push(f.one()?.to_owned());
        Ok(())
    }),
];

const RUN: &[Row] = &[
    words("plan", "FILE", "Read the match from a TOML file; options change it", |d, f| {
        d.read_plan(f.one()?)
    })
    .only_new(),
    switch("print-plan", "Write the match as such a file and stop", |d| {
        d.request.print_plan = true;
    })
    .only_new(),
    words("journal", "FILE", "Where the journal goes [beside the PGN]", |d, f| {
        set(&mut d.request.journal, f.file().map(|file| JournalChoice::File(file.into())))
    })
    .also(&["tournamentfile"]),
    switch("no-journal", "Keep none", |d| d.request.journal = JournalChoice::Nowhere).only_new(),
    words("resume", "[FILE]", "Go on with exactly the games that are missing", |d, f| {
        set(&mut d.request.resume, f.optional().map(|file| Some(file.map(Into::into))))
    }),
    words(
        "config",
        "file=FILE [outname=FILE] [discard=true] [stats=false]",
        "Go on with a file of fastchess, or with a journal",
        Draft::config,
    ),
    words("help", "", "This text", |d, _| set(&mut d.request.help, Ok(true))).also(&["h"]),
    switch("version", "The version of dyno", |d| d.request.version = true).also(&["v"]),
];

const WITHOUT_EFFECT: &[Row] = &[
    words("bookmode", "MODE", "Books are always read into memory", |_, f| f.one().map(drop)),
    words("autosaveinterval", "N", "The journal has every game at once", |_, _| Ok(())),
    switch("show-latency", "Latency is always counted", |_| {}),
    switch("force-concurrency", "As many games at once as you ask for", |_| {}),
];

const REFUSED: &[Row] = &[
    refused(
        "resultformat",
        "the table has one form; `-output format=fastchess`, `--report-json FILE` and \
         `--report-html FILE` show the figures otherwise",
    ),
    refused("compliance", "to examine one engine use `dyno check --engine PROGRAM`"),
    refused("strict", "Dyno is always strict: what is wrong is refused"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_each_finds_its_flag() {
        let mut seen = HashSet::new();
        for row in all() {
            for name in row.names() {
                assert!(seen.insert(name), "{name} twice");
                assert!(find(name).is_ok_and(|found| found.name == row.name), "{name}");
            }
            assert!(!row.about.is_empty(), "{}: a flag has a line in the help", row.name);
        }
    }

    #[test]
    fn what_a_resumed_match_must_keep_is_in_the_plan() {
        let mut plan = Plan::default();
        let words = "-sprt -draw -tb x -tbpieces 5 -maxmoves 9 -resign score=5";
        let words: Vec<String> = words.split_ascii_whitespace().map(str::to_owned).collect();
        let mut draft = Draft { request: Default::default(), ..Draft::default() };
        for flag in super::super::words::cut(&words).unwrap_or_default() {
            assert!(find(&flag.name).and_then(|row| row.apply(&mut draft, &flag)).is_ok());
        }
        std::mem::swap(&mut plan, draft.plan());
        let json = serde_json::to_value(&plan).unwrap_or_default();
        for row in all() {
            let Resumed::Same(place) = row.resumed else { continue };
            let optional = ["/tournament/", "/check_mate_pvs"].iter().any(|p| place.starts_with(p));
            assert!(optional || json.pointer(place).is_some(), "-{}: no {place}", row.name);
        }
    }
}
