//! The files that a match is started from and goes on with.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_testkit::scripted;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dyno-files-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `dyno match` in a folder: what it printed, what it complained about, its exit code.
fn run(folder: &Path, line: &str) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("match")
        .args(line.split_ascii_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// Two scripted engines under a relative name, as users keep theirs.
fn engines(folder: &Path) -> String {
    let link = folder.join("engine");
    if !link.exists() {
        std::fs::copy(scripted::binary(), &link).unwrap();
    }
    "-engine name=A cmd=./engine -engine name=B cmd=./engine".to_owned()
}

/// fastchess' file as it writes it, with results of pairs and of two half pairs.
fn fastchess_file(folder: &Path, stats: &str) {
    engines(folder);
    let engine = |name: &str, options: &str| {
        format!(
            r#"{{"name": "{name}", "dir": "", "cmd": "./engine", "args": "", "restart": false,
                "options": {options}, "limit": {{"tc": {{"increment": 100, "fixed_time": 0,
                "time": 10000, "moves": 0, "timemargin": 0}}, "nodes": 0, "plies": 0}},
                "variant": 0}}"#
        )
    };
    let (a, b) = (engine("A", r#"[["Hash", "8"]]"#), engine("B", r#"{"Hash": "8"}"#));
    let text = format!(
        r#"{{"resign": {{"move_count": 6, "score": 500, "twosided": false, "enabled": true}},
            "draw": {{"move_number": 0, "move_count": 6, "score": 25, "enabled": false}},
            "maxmoves": {{"move_count": 150, "enabled": true}},
            "tb_adjudication": {{"syzygy_dirs": "", "max_pieces": 0, "enabled": false}},
            "opening": {{"file": "", "format": 2, "order": 1, "plies": -1, "start": 1}},
            "pgn": {{"event_name": "Their event", "site": "?", "file": "games.pgn", "notation": 0,
                "append_file": true, "track_nodes": true, "min": false, "crc": false}},
            "epd": {{"file": "", "append_file": true}},
            "sprt": {{"alpha": 0.05, "beta": 0.05, "elo0": 0.0, "elo1": 10.0,
                "model": "normalized", "enabled": true}},
            "config_name": "", "output": 0, "seed": 951, "variant": 0, "type": 0,
            "ratinginterval": 10, "scoreinterval": 1, "wait": 0, "autosaveinterval": 20,
            "games": 2, "rounds": 10, "concurrency": 2, "recover": true, "noswap": false,
            "engines": [{a}, {b}], "stats": {{{stats}}}}}"#
    );
    std::fs::write(folder.join("config.json"), text).unwrap();
}

#[test]
fn a_file_of_fastchess_is_gone_on_with() {
    let scratch = Scratch::new("fastchess");
    // Six pairs; 14 games, so that two are halves of pairs.
    let pairs = r#""penta_WW": 1, "penta_WD": 1, "penta_WL": 1, "penta_DD": 2, "penta_LD": 0"#;
    let stats = format!(
        r#""A vs B": {{"wins": 5, "losses": 2, "draws": 5, {pairs}, "penta_LL": 0}},
           "B vs A": {{"wins": 0, "losses": 2, "draws": 0, "penta_LL": 1}}"#
    );
    fastchess_file(&scratch.0, &stats);
    let (plan, err, code) = run(&scratch.0, "-config file=config.json --print-plan");
    assert_eq!(code, Some(0), "{err}");
    for line in [
        "event = \"Their event\"",
        "seed = 951",
        "tc = \"10+0.1\"",
        "maxmoves = 150",
        "options = [\"Hash=8\"]",
        "style = \"fastchess\"",
        "nodes = true",
        "elo1 = 10.0",
        "wins = 6",
        "draws = 5",
        "losses = 1",
        "pairs = [0, 0, 3, 1, 2]",
    ] {
        assert!(plan.contains(line), "{line}\n{plan}");
    }
    let (out, err, code) = run(&scratch.0, "-config file=config.json -concurrency 1");
    assert_eq!(code, Some(5), "all played and undecided: {out}{err}");
    assert!(err.contains("going on after 12 games"), "{err}");
    assert!(out.contains("Started game 13 of 20"), "{out}");
    assert!(out.contains("Games: 20, "), "{out}");
    let pgn = std::fs::read_to_string(scratch.0.join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event \"Their event\"]").count(), 8);
    // The journal knows about them too.
    let (out, err, _) = run(&scratch.0, "--resume games.journal");
    assert!(out.contains("Games: 20, "), "{out}{err}");

    let (plan, ..) = run(&scratch.0, "-config file=config.json stats=false --print-plan");
    assert!(!plan.contains("carried"), "{plan}");
    std::fs::write(scratch.0.join("config.json"), r#"{"engines": 3}"#).unwrap();
    let (_, err, code) = run(&scratch.0, "-config file=config.json");
    assert_eq!(code, Some(2));
    assert!(err.contains("config.json") && err.contains("line 1"), "{err}");
}

#[test]
fn a_match_is_resumed_from_anywhere() {
    let scratch = Scratch::new("home");
    let (home, away) = (scratch.0.join("home"), scratch.0.join("away"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&away).unwrap();
    std::fs::write(home.join("o.epd"), "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n").unwrap();
    let line = format!(
        "{} -each tc=10+0.1 -games 6 -openings file=o.epd -pgnout g.pgn -epdout last.epd --journal g.journal",
        engines(&home)
    );
    assert_eq!(run(&home, &line).2, Some(0));
    // As though it had been killed after the second game.
    let journal = std::fs::read_to_string(home.join("g.journal")).unwrap();
    let kept: Vec<&str> = journal.lines().take(3).collect();
    std::fs::write(home.join("g.journal"), kept.join("\n") + "\n").unwrap();
    let (out, err, code) = run(&away, "--resume ../home/g.journal --report-json r.json");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("Resuming after 2 games"), "{out}");
    let count = |file: &str, what: &str| {
        std::fs::read_to_string(home.join(file)).unwrap().matches(what).count()
    };
    assert_eq!((count("g.pgn", "[Result "), count("last.epd", "\n")), (6, 6));
    let left: Vec<_> = std::fs::read_dir(&away).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "only the report that was asked for here: {left:?}");
    // A folder that was moved as a whole is at home where it is.
    let moved = scratch.0.join("moved");
    std::fs::rename(&home, &moved).unwrap();
    let (out, err, code) = run(&moved, "--resume g.journal");
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
fn finished_journals_are_compressed_in_one_place() {
    let scratch = Scratch::new("archive");
    let engines = engines(&scratch.0);
    let line = format!("{engines} -each tc=10 -games 2 -rounds 2 -maxmoves 9 -pgnout g.pgn");
    for _ in 0..2 {
        assert_eq!(run(&scratch.0, &line).2, Some(0));
    }
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(scratch.0.join(folder)).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("dyno-journals"), ["g-2.journal.zst", "g.journal.zst"]);
    assert!(!names(".").iter().any(|name| name.ends_with(".journal")), "{:?}", names("."));
    let packed = scratch.0.join("dyno-journals/g-2.journal.zst");
    let status = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(["elo", packed.to_str().unwrap(), "--json"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&status.stdout).contains("\"results\""), "it is read as it is");
    // By its old name or its new one, the match can go on; it goes back to its place.
    for (journal, rounds, games) in [("g.journal", 3, 6), ("dyno-journals/g-2.journal.zst", 4, 8)] {
        let (out, err, code) = run(&scratch.0, &format!("--resume {journal} -rounds {rounds}"));
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(out.contains(&format!("Finished game {games} ")), "{out}{err}");
        assert_eq!(names("dyno-journals"), ["g-2.journal.zst", "g.journal.zst"]);
        assert!(!names(".").iter().any(|name| name.ends_with(".journal")), "{:?}", names("."));
    }
    let (.., code) = run(&scratch.0, &format!("{line} --no-journal"));
    assert_eq!((code, names("dyno-journals").len()), (Some(0), 2));
}

#[test]
fn a_plan_can_be_changed_by_options() {
    let scratch = Scratch::new("plan");
    let line = format!("{} -each tc=10+0.1 hash=4 -games 6 --print-plan", engines(&scratch.0));
    let (plan, ..) = run(&scratch.0, &line);
    std::fs::write(scratch.0.join("m.toml"), &plan).unwrap();
    let (again, ..) = run(&scratch.0, "--plan m.toml --print-plan");
    assert_eq!(again, plan);
    let (changed, ..) = run(&scratch.0, "--plan m.toml -each tc=5 -games 4 --print-plan");
    let wanted = plan.replace("tc = \"10+0.1\"", "tc = \"5\"").replace("games = 6", "games = 4");
    assert_eq!(changed, wanted);
}

/// A script that runs the scripted engine only where its environment is as it needs.
#[cfg(unix)]
fn engine_in_need(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    engines(folder);
    let script = "#!/bin/sh\n[ \"$NEEDED\" = 1 ] || exit 1\nexec ./engine\n";
    let path = folder.join("eng.sh");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn an_engine_of_a_file_plays_with_all_that_the_file_says() {
    let scratch = Scratch::new("conf");
    engine_in_need(&scratch.0);
    let file = "[[engine]]\nname = 'E1'\ncommand = './eng.sh'\nenv = { NEEDED = '1' }\n\
                [engine.options]\nHash = 8\n";
    std::fs::write(scratch.0.join("engines.toml"), file).unwrap();
    let line = "-engine conf=E1 -engine name=B cmd=./engine -each tc=10 -games 2 -maxmoves 2";
    let (out, err, code) = run(&scratch.0, line);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("(E1 vs B)"), "{out}");
    let (plan, ..) = run(&scratch.0, &format!("{line} --print-plan"));
    assert!(plan.contains("NEEDED=1") && plan.contains("Hash=8"), "{plan}");
    let each = line.replace("-each", "-each hash=32");
    let (plan, ..) = run(&scratch.0, &format!("{each} --print-plan"));
    assert!(plan.contains("Hash=32") && !plan.contains("Hash=8"), "words win over files: {plan}");
    let line = "-engine name=A cmd=./eng.sh env.NEEDED=1 -engine name=B cmd=./engine -each tc=10 \
                -games 2 -maxmoves 2";
    let (out, err, code) = run(&scratch.0, line);
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
#[cfg(unix)]
fn self_play_is_played_by_the_engine_as_it_was_given() {
    let scratch = Scratch::new("self-play");
    engine_in_need(&scratch.0);
    let check = |words: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .arg("check")
            .args(words.split_ascii_whitespace())
            .args(["--only", "stability.self-play"])
            .current_dir(&scratch.0)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, out) = check("--engine ./eng.sh --engine-env NEEDED=1");
    assert_eq!(code, Some(0), "{out}");
    // Asked in the wrong protocol it would not play: one that is named is not guessed.
    let log = scratch.0.join("words");
    let script = format!("#!/bin/sh\ntee -a {} | ./engine xboard\n", log.display());
    std::fs::write(scratch.0.join("eng.sh"), script).unwrap();
    let (code, out) = check("--engine ./eng.sh --protocol xboard");
    assert_eq!(code, Some(0), "{out}");
    let words = std::fs::read_to_string(&log).unwrap();
    assert!(words.contains("protover 2") && !words.contains("uci"), "{words}");
}

#[test]
fn journals_of_the_first_version_are_read_and_gone_on_with() {
    let scratch = Scratch::new("schema-1");
    engines(&scratch.0);
    let journal = scratch.0.join("k.journal");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../tournament/tests/data/schema-1.journal");
    std::fs::copy(fixture, &journal).unwrap();
    let (out, err, code) = run(&scratch.0, "--resume k.journal");
    assert_eq!(code, Some(5), "the test stays undecided: {out}{err}");
    assert!(out.contains("Finished game 6 (B vs A)"), "{out}");
    assert!(!out.contains("Finished game 4 "), "{out}");
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 7, "{text}");
    let pgn = std::fs::read_to_string(scratch.0.join("a.pgn")).unwrap();
    assert_eq!(pgn.matches("[Termination \"illegal move\"]").count(), 6, "{pgn}");
}

/// A match of which the first pair is played.
fn interrupted(folder: &Path, more: &str) {
    let engines = engines(folder);
    let line = format!(
        "{engines} -each tc=10 -games 2 -rounds 3 -maxmoves 3 -pgnout all.pgn --journal all.journal {more}"
    );
    let (out, err, code) = run(folder, &line);
    assert_eq!(code, Some(0), "{out}{err}");
    // As if it had been stopped after the first two games.
    let journal = folder.join("all.journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let kept: String = text.lines().take(3).map(|line| line.to_owned() + "\n").collect();
    std::fs::write(&journal, kept).unwrap();
    let pgn = std::fs::read_to_string(folder.join("all.pgn")).unwrap();
    let second = pgn.match_indices("[Event ").nth(2).unwrap().0;
    std::fs::write(folder.join("all.pgn"), &pgn[..second]).unwrap();
}

#[test]
fn a_resume_leaves_what_others_wrote() {
    let scratch = Scratch::new("others");
    interrupted(&scratch.0, "");
    let others = "[Event \"another match\"]\n\n1. e4 *\n\n";
    let all = scratch.0.join("all.pgn");
    let before = std::fs::read_to_string(&all).unwrap() + others;
    std::fs::write(&all, &before).unwrap();
    let (out, err, code) = run(&scratch.0, "--resume all.journal");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(err.contains("all.resumed.pgn"), "{err}");
    assert_eq!(std::fs::read_to_string(&all).unwrap(), before);
    let own = std::fs::read_to_string(scratch.0.join("all.resumed.pgn")).unwrap();
    assert_eq!(own.matches("[Event ").count(), 6);
}

#[test]
fn a_resume_is_the_same_match_or_refused_by_name() {
    let scratch = Scratch::new("same-match");
    interrupted(&scratch.0, "");
    for (line, wanted) in [
        ("-each tc=1+1", "-each is not what"),
        ("-games 4", "-games is not what"),
        ("-draw movenumber=1 movecount=1 score=5", "-draw is not what"),
        ("-rounds 2", "it can get more, not fewer"),
        ("-norepeat", "-norepeat is not what"),
        ("-event other", "-event is not what"),
        ("--print-plan", "-print-plan belongs to a new match"),
        ("--no-journal", "-no-journal belongs to a new match"),
        ("--journal other.journal", "leave --journal out"),
    ] {
        let (_, err, code) = run(&scratch.0, &format!("--resume all.journal {line}"));
        assert!(code == Some(2) && err.contains(wanted), "{line}: {err}");
    }
    let (out, err, code) =
        run(&scratch.0, "--resume all.journal -rounds 4 -concurrency 2 -games 2");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("Started game 8 of 8"), "{out}");
    let journal = scratch.0.join("all.journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let changed = text.lines().find(|line| line.starts_with("{\"changed\"")).unwrap();
    assert!(changed.contains("\"rounds\":4") && changed.contains("\"concurrency\":2"), "{text}");
    let (out, err, code) = run(&scratch.0, "--resume all.journal");
    assert_eq!(code, Some(0), "nothing is left to be played: {out}{err}");
    std::fs::write(&journal, text.replacen("\"games\":2", "\"games\":4", 1)).unwrap();
    let (_, err, code) = run(&scratch.0, "--resume all.journal");
    assert!(code == Some(2) && err.contains("changed after it was written"), "{err}");
}

#[test]
fn a_resume_can_write_elsewhere() {
    let scratch = Scratch::new("elsewhere");
    interrupted(&scratch.0, "");
    let held = |file: &str| std::fs::read_to_string(scratch.0.join(file)).unwrap_or_default();
    let first = held("all.pgn");
    std::fs::write(scratch.0.join("new.pgn"), "[Event \"of others\"]\n\n*\n\n").unwrap();
    let line = "--resume all.journal -pgnout new.pgn min -epdout last.epd -scoreinterval 3";
    let (out, err, code) = run(&scratch.0, line);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(held("all.pgn"), first, "it is left as it was");
    assert_eq!(held("new.pgn").matches("[Event ").count(), 1 + 6, "all games of the match");
    assert_eq!(held("last.epd").lines().count(), 6);
    assert_eq!(out.matches("Score of A vs B").count(), 3, "after 3, after 6, in the end: {out}");
    // The journal knows, so that the next resume goes on there.
    let (out, err, code) = run(&scratch.0, "--resume all.journal -rounds 4");
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(held("new.pgn").matches("[Event ").count(), 1 + 8, "{err}");
    assert_eq!((held("last.epd").lines().count(), held("all.pgn")), (8, first));
    // Another form does not fit what is there: it is written anew, beside.
    let (out, err, code) = run(&scratch.0, "--resume all.journal -rounds 5 -pgnout new.pgn");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(err.contains("new.resumed.pgn"), "{err}");
    assert_eq!(held("new.resumed.pgn").matches("[Event ").count(), 10);
    let (out, err, code) = run(&scratch.0, "--resume all.journal -rounds 6");
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(held("new.resumed.pgn").matches("[Event ").count(), 12, "{err}");
}

#[test]
fn a_changed_book_is_refused() {
    let scratch = Scratch::new("book");
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n";
    std::fs::write(scratch.0.join("b.epd"), fen).unwrap();
    interrupted(&scratch.0, "-openings file=b.epd");
    std::fs::write(
        scratch.0.join("b.epd"),
        fen.replace("4P3", "3P4").replace("PPPP1PPP", "PPP1PPPP"),
    )
    .unwrap();
    let (_, err, code) = run(&scratch.0, "--resume all.journal");
    assert!(code == Some(2) && err.contains("not the one this match began with"), "{err}");
    std::fs::write(scratch.0.join("b.epd"), fen).unwrap();
    let (out, err, code) = run(&scratch.0, "--resume all.journal");
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
#[cfg(unix)]
fn engines_are_started_once_before_their_first_game() {
    let scratch = Scratch::new("starts");
    engine_in_need(&scratch.0);
    let script = "#!/bin/sh\necho start >> starts\nexec ./engine\n";
    std::fs::write(scratch.0.join("eng.sh"), script).unwrap();
    let line =
        "-engine name=A cmd=./eng.sh -engine name=B cmd=./eng.sh -each tc=10 -games 2 -maxmoves 2";
    let (out, err, code) = run(&scratch.0, line);
    assert_eq!(code, Some(0), "{out}{err}");
    let starts = std::fs::read_to_string(scratch.0.join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 2, "one process each");
}
