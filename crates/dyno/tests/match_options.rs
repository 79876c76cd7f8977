//! Every option and sub-key of the manuals of fastchess and cutechess-cli: it works, or it is
//! refused with a word, or the page of differences says what it means here. None is ignored.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command;

/// What becomes of an option.
#[derive(Debug, PartialEq)]
enum Becomes {
    /// The plan shows it, with these words.
    Plan(&'static str),
    /// It acts beyond the plan: on the log, the journal, the reports.
    Run,
    /// An error with these words.
    Refused(&'static str),
    /// `docs/from-cutechess.md` lists it.
    Different,
}
use Becomes::{Different, Plan, Refused, Run};

/// The words of both manuals: each must stand in a row below. `-engine` and `-each` share theirs.
const FLAGS_OF_THE_MANUALS: &str = "version help quick concurrency force-concurrency rounds games \
    repeat sprt tournament seeds variant noswap reverse wait each engine draw resign maxmoves tb \
    tbpieces tbignore50 tbadjudicate openings srand output pgnout epdout event site ratinginterval \
    scoreinterval report config recover autosaveinterval compliance crc32 check-mate-pvs \
    show-latency testEnv strict log use-affinity startup-ms ucinewgame-ms ping-ms outcomeinterval \
    debug bookmode resultformat engines";
const ENGINE_SETTINGS: &str = "cmd name args tc timemargin st nodes restart plies proto dir option. \
    conf stderr arg initstr trust book bookdepth ponder depth tscale whitepov debug";
const SETTINGS: &[(&str, &str)] = &[
    ("sprt", "elo0 elo1 alpha beta model"),
    ("draw", "movenumber movecount score"),
    ("resign", "movecount score twosided"),
    ("openings", "file format order plies start policy"),
    (
        "pgnout",
        "file notation append nodes seldepth nps hashfull tbhits pv timeleft latency min match_line \
         fi",
    ),
    ("epdout", "file append"),
    ("config", "file discard outname stats"),
    ("log", "file level append compress realtime engine"),
    ("quick", "cmd book"),
    ("output", "format"),
    ("report", "penta"),
    ("crc32", "pgn"),
];

const OPTIONS: &[(&str, Becomes)] = &[
    ("-engine cmd=c name=C", Plan("name = \"C\"")),
    ("-engine cmd=c arg=-x arg=-y", Plan("args = [\"-x\", \"-y\"]")),
    ("-engine conf=nobody", Refused("nobody")),
    ("-each tc=40/90:30/30+30", Plan("tc = \"40/90:30/30+30\"")),
    ("-each tc=1:30+1", Plan("tc = \"90+1\"")),
    ("-quick cmd=c cmd=d book=b.epd", Plan("file = \"b.epd\"")),
    ("-tournament roundrobin", Plan("format = \"round-robin\"")),
    ("-tournament swiss", Plan("format = \"swiss\"")),
    ("-repeat", Plan("repeat = 2")),
    ("-output format=cutechess", Plan("style = \"cutechess\"")),
    ("-openings order=sequential", Plan("order = \"sequential\"")),
    ("-openings policy=keep", Plan("policy = \"keep\"")),
    ("-openings policy=encounter", Plan("policy = \"encounter\"")),
    ("-openings format=polyglot", Plan("format = \"polyglot\"")),
    ("-pgnout file=x.pgn min=true", Plan("min = true")),
    ("-pgnout file=x.pgn notation=uci", Plan("notation = \"uci\"")),
    ("-log file=l.txt level=trace", Run),
    ("-log file=l.txt engine=true", Run),
    ("-config file=nowhere.json", Refused("nowhere.json")),
    ("-config file=nowhere.json discard=true", Run),
    ("-config outname=c.journal stats=true", Run),
    ("-version", Run),
    ("-help", Run),
    ("-engines", Run),
    ("-each dir=.", Plan("dir = \".\"")),
    ("-each args=-x", Plan("args = [\"-x\"]")),
    ("-each restart=on", Plan("restart = \"on\"")),
    ("-each proto=xboard", Plan("protocol = \"xboard\"")),
    ("-each st=0.5 tc=inf", Plan("st = 0.5")),
    ("-each nodes=5", Plan("nodes = 5")),
    ("-each depth=5", Plan("depth = 5")),
    ("-each plies=5", Plan("depth = 5")),
    ("-each timemargin=5", Plan("timemargin = 5")),
    ("-each tscale=2", Plan("tscale = 2.0")),
    ("-each ponder", Plan("ponder = true")),
    ("-each whitepov", Plan("whitepov = true")),
    ("-each book=b.bin", Plan("book = \"b.bin\"")),
    ("-each bookdepth=3", Plan("bookdepth = 3")),
    ("-each initstr=x", Plan("init = [\"x\"]")),
    ("-each stderr=e.txt", Plan("stderr = \"e.txt\"")),
    ("-each option.Hash=7", Plan("Hash=7")),
    ("-each trust", Different),
    ("-each debug", Plan("init = [\"debug on\"]")),
    ("-games 4", Plan("games = 4")),
    ("-games 1", Plan("repeat = 1")),
    ("-rounds 4", Plan("rounds = 4")),
    ("-repeat 3", Plan("repeat = 3")),
    ("-noswap", Plan("swap = false")),
    ("-reverse", Plan("reverse = true")),
    ("-wait 7", Plan("wait_ms = 7")),
    ("-seeds 1", Plan("seeds = 1")),
    ("-tournament gauntlet", Plan("format = \"gauntlet\"")),
    ("-tournament knockout", Plan("format = \"knockout\"")),
    ("-tournament pyramid", Plan("format = \"pyramid\"")),
    ("-variant fischerandom", Plan("variant = \"fischerandom\"")),
    ("-variant atomic", Refused("atomic")),
    ("-concurrency 3", Plan("concurrency = 3")),
    ("-force-concurrency", Different),
    ("-use-affinity 0", Plan("affinity = true")),
    ("-openings file=b.epd format=epd", Plan("format = \"epd\"")),
    ("-openings order=random", Plan("order = \"random\"")),
    ("-openings plies=4", Plan("plies = 4")),
    ("-openings start=2", Plan("start = 2")),
    ("-openings policy=round", Plan("policy = \"round\"")),
    ("-bookmode ram", Different),
    ("-srand 5", Plan("seed = 5")),
    ("-draw movenumber=1 movecount=2 score=3", Plan("movecount = 2")),
    ("-resign movecount=2 score=300 twosided=true", Plan("twosided = true")),
    ("-resign", Refused("score=CENTIPAWNS is missing")),
    ("-maxmoves 9", Plan("maxmoves = 9")),
    ("-maxmoves 0", Plan("[adjudication]")),
    ("-tb /t", Plan("tb = \"/t\"")),
    ("-tbpieces 5", Plan("tbpieces = 5")),
    ("-tbignore50", Plan("tbignore50 = true")),
    ("-tbadjudicate DRAW", Plan("tbadjudicate = \"draw\"")),
    ("-sprt elo0=1 elo1=2 alpha=0.1 beta=0.1", Plan("elo0 = 1.0")),
    ("-sprt elo0=1 elo1=2 model=logistic", Plan("model = \"logistic\"")),
    ("-sprt elo0=1 elo1=2 model=bayesian", Plan("model = \"")),
    ("-pgnout file=x.pgn", Plan("file = \"x.pgn\"")),
    ("-pgnout x.pgn min", Plan("min = true")),
    ("-pgnout x.pgn fi", Plan("finished = true")),
    ("-pgnout file=x.pgn append=false", Plan("overwrite = true")),
    ("-pgnout file=x.pgn notation=lan", Plan("notation = \"lan\"")),
    ("-pgnout file=x.pgn nodes=true", Plan("nodes = true")),
    ("-pgnout file=x.pgn seldepth=true", Plan("seldepth = true")),
    ("-pgnout file=x.pgn nps=true", Plan("nps = true")),
    ("-pgnout file=x.pgn hashfull=true", Plan("hashfull = true")),
    ("-pgnout file=x.pgn tbhits=true", Plan("tbhits = true")),
    ("-pgnout file=x.pgn timeleft=true", Plan("timeleft = true")),
    ("-pgnout file=x.pgn latency=true", Plan("latency = true")),
    ("-pgnout file=x.pgn pv=true", Plan("pv = true")),
    ("-pgnout file=x.pgn match_line=x", Different),
    ("-pgnout", Refused("the file is missing")),
    ("-epdout file=x.epd", Plan("epd = \"x.epd\"")),
    ("-epdout file=x.epd append=false", Plan("epd_overwrite = true")),
    ("-epdout", Refused("-epdout")),
    ("-livepgnout x.pgn", Plan("livepgn = \"x.pgn\"")),
    ("-event E", Plan("event = \"E\"")),
    ("-site S", Plan("site = \"S\"")),
    ("-ratinginterval 3", Plan("ratinginterval = 3")),
    ("-scoreinterval 3", Plan("scoreinterval = 3")),
    ("-outcomeinterval 3", Plan("outcomeinterval = 3")),
    ("-output format=fastchess", Plan("style = \"fastchess\"")),
    ("-report penta=false", Plan("no_penta = true")),
    ("-crc32 pgn=true", Plan("crc32 = true")),
    ("-testEnv", Plan("test_env = true")),
    ("-check-mate-pvs", Plan("check_mate_pvs = true")),
    ("-startup-ms 77", Plan("startup_ms = 77")),
    ("-ucinewgame-ms 77", Plan("ready_ms = 77")),
    ("-ping-ms 77", Plan("ready_ms = 77")),
    ("-recover", Different),
    ("-autosaveinterval 5", Different),
    ("-show-latency", Different),
    ("-log file=l.txt append=true", Run),
    ("-log file=l.txt realtime=true", Run),
    ("-log file=l.txt compress=true", Refused("compress")),
    ("-log file=l.txt level=warn engine=false", Run),
    ("-debug", Run),
    ("-debug all", Plan("init = [\"debug on\"]")),
    ("-debug some", Refused("-debug all")),
    ("-tournamentfile t.journal", Run),
    ("-config outname=c.journal", Run),
    ("-strict", Refused("always strict")),
    ("-compliance x", Refused("dyno check")),
    ("-resultformat wide", Refused("-output")),
    ("-nonsense", Refused("unknown option -nonsense")),
];

#[test]
fn every_word_of_the_manuals_has_a_row() {
    let words = |text: &'static str| text.split_ascii_whitespace();
    let row = |flag: &str, setting: &str| {
        let fits = |word: &str| {
            setting.is_empty()
                || word == setting
                || word.starts_with(&format!("{setting}="))
                || (setting.ends_with('.') && word.starts_with(setting))
        };
        OPTIONS.iter().any(|(option, _)| {
            let mut words = option.split_ascii_whitespace();
            words.next().map(|word| word.trim_start_matches('-')) == Some(flag)
                && (setting.is_empty() || words.any(fits))
        })
    };
    for flag in words(FLAGS_OF_THE_MANUALS) {
        assert!(row(flag, ""), "-{flag}");
    }
    for setting in words(ENGINE_SETTINGS) {
        assert!(row("each", setting) || row("engine", setting), "-each {setting}");
    }
    for (flag, settings) in SETTINGS {
        for setting in settings.split_ascii_whitespace() {
            assert!(row(flag, setting), "-{flag} {setting}");
        }
    }
}

#[test]
fn nothing_is_ignored_silently() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/from-cutechess.md");
    let page = std::fs::read_to_string(page).unwrap();
    let usual = "-engine cmd=a name=A -engine cmd=b name=B -each tc=10";
    for (option, becomes) in OPTIONS {
        let line = format!("{usual} {option} --print-plan");
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .arg("match")
            .args(line.split_ascii_whitespace())
            .output()
            .unwrap();
        let plan = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        match becomes {
            Plan(words) => assert!(plan.contains(words), "{option}: {plan}{errors}"),
            Run => assert!(output.status.success(), "{option}: {errors}"),
            Refused(words) => {
                assert_eq!(output.status.code(), Some(2), "{option}: {plan}");
                assert!(errors.contains(words), "{option}: {errors}");
            }
            Different => {
                assert!(output.status.success(), "{option}: {errors}");
                let name = option.split_ascii_whitespace().last().unwrap();
                let key = name.split('=').next().unwrap();
                let flag = option.split_ascii_whitespace().next().unwrap();
                assert!(page.contains(key) || page.contains(flag), "{option} is not in the page");
            }
        }
    }
}
