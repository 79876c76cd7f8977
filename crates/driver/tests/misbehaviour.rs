//! Every way an engine can fail, driven end to end with the scripted engine. Each must end in a
//! clear message, and no test waits for anything but a deadline of Dyno's own.
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_driver::{
    Engine, EngineError, EngineSpec, Go, SearchControl, SearchEnd, SearchEvent, Settings,
};
use dyno_testkit::scripted;
use std::time::{Duration, Instant};

const START: &str = "startpos";

fn spec(words: &[&str]) -> EngineSpec {
    EngineSpec { name: Some("rogue".into()), ..scripted::command(words).parse().unwrap() }
}

/// Short where a test has to wait for the deadline, ample where it only must not hang.
fn settings() -> Settings {
    Settings {
        handshake: Duration::from_secs(10),
        ready: Duration::from_secs(10),
        grace: Duration::from_millis(200),
        quit: Duration::from_millis(200),
        ..Settings::default()
    }
}

fn start(words: &[&str]) -> Engine {
    Engine::start(&spec(words), &settings()).unwrap()
}

fn codes(engine: &Engine) -> Vec<String> {
    engine.findings().counts().map(|(code, _)| code.to_owned()).collect()
}

fn go_fails(words: &[&str]) -> String {
    let mut engine = start(words);
    let patience = Some(Duration::from_millis(200));
    engine.go(START, &Go::depth(1), patience).unwrap_err().to_string()
}

#[test]
fn a_good_engine_is_left_in_peace() {
    let mut engine = start(&["banner", "crlf", "infos=3", "slow-start=50"]);
    assert_eq!(engine.identity().name.as_deref(), Some("Scripted Engine"));
    assert_eq!(engine.name(), "rogue");
    for _ in 0..3 {
        engine.prepare().unwrap();
        let found = engine.go("startpos moves e2e4", &Go::movetime(1000), None).unwrap();
        assert_eq!(found.end, SearchEnd::Finished);
        assert_eq!(found.info.first_move(), Some(found.best.as_str()));
    }
    assert!(engine.findings().is_empty(), "{:?}", engine.findings());
    assert!(engine.transcript_tail().contains("> go movetime 1000"));
    assert!(engine.quit().is_clean());
}

#[test]
fn failures_at_the_start_say_what_happened() {
    let quick = Settings { handshake: Duration::from_millis(300), ..settings() };
    let message = |spec: &EngineSpec| Engine::start(spec, &quick).unwrap_err().to_string();
    assert_eq!(
        message(&spec(&["silent"])),
        "rogue: no uciok within 300 ms of uci; it said nothing (is it a UCI or XBoard engine?)"
    );
    assert_eq!(
        message(&spec(&["slow-start=60000"])),
        "rogue: no uciok within 300 ms of uci; it said nothing (is it a UCI or XBoard engine?)"
    );
    let exit = message(&spec(&["exit-at-start=7"]));
    assert!(exit.starts_with("rogue: exited with code 7 during the handshake"), "{exit}");
    assert!(exit.ends_with("stderr: scripted: ending at once, as told"), "{exit}");
    let missing = EngineSpec::program("no-such-engine");
    assert!(message(&missing).contains("not on the PATH"), "{}", message(&missing));
    let folder = EngineSpec::program("/usr");
    assert!(message(&folder).contains("it is a folder"), "{}", message(&folder));
    let elsewhere = EngineSpec { dir: Some("/no/such/folder".into()), ..spec(&[]) };
    assert!(message(&elsewhere).contains("/no/such/folder"));
}

#[test]
fn no_readyok() {
    let impatient = Settings { ready: Duration::from_millis(300), ..settings() };
    let error = Engine::start(&spec(&["no-readyok"]), &impatient).unwrap_err();
    assert_eq!(error.to_string(), "rogue: no answer to isready within 300 ms");
}

#[test]
fn ends_during_a_search() {
    let crash = go_fails(&["crash"]);
    assert!(crash.starts_with("rogue: crashed with signal 6 (SIGABRT"), "{crash}");
    assert!(crash.contains("while searching") && crash.contains("assertion failed"), "{crash}");
    assert!(go_fails(&["exit=3"]).starts_with("rogue: exited with code 3 while searching"));
    let closed = go_fails(&["close-stdout"]);
    assert_eq!(closed, "rogue: closed its standard output while searching, but still runs");
}

#[test]
fn never_an_answer() {
    for fault in ["hang", "deaf", "ignore-stop", "info-forever", "flood-lines", "flood-bytes"] {
        let message = go_fails(&[fault]);
        assert!(message.starts_with("rogue: no bestmove"), "{fault}: {message}");
        assert!(message.ends_with("ignored stop"), "{fault}: {message}");
    }
}

#[test]
fn an_engine_that_does_not_read_is_noticed() {
    let impatient = Settings { ready: Duration::from_millis(200), ..settings() };
    let mut engine = Engine::start(&spec(&["deaf"]), &impatient).unwrap();
    engine.start_go(START, &Go::infinite()).unwrap();
    let long = format!("startpos moves {}", "e2e4 ".repeat(100_000));
    let error = engine.send_line(&long).unwrap_err();
    assert!(matches!(error, EngineError::NotReading { .. }), "{error}");
    // The same when it talks all the time: two full pipes must not block each other.
    let mut engine = Engine::start(&spec(&["flood-lines"]), &impatient).unwrap();
    engine.start_go(START, &Go::infinite()).unwrap();
    let error = engine.send_line(&long).unwrap_err();
    assert!(matches!(error, EngineError::NotReading { .. }), "{error}");
}

#[test]
fn odd_answers_are_passed_on_as_they_are() {
    for (fault, best) in [
        ("illegal-move", "a1h7"),
        ("null-move", "0000"),
        ("none-move", "(none)"),
        ("empty-move", ""),
    ] {
        let mut engine = start(&[fault]);
        assert_eq!(engine.go(START, &Go::depth(1), None).unwrap().best, best);
        engine.prepare().unwrap();
    }
}

#[test]
fn deviations_become_findings() {
    for (words, expected) in [
        (vec!["twice"], vec!["info-outside-search", "unexpected-best-move"]),
        (vec!["unasked-bestmove"], vec!["unexpected-best-move"]),
        (vec!["chatter"], vec!["not-a-message"]),
        (vec!["sloppy"], vec!["negative-number", "sloppy-number", "unknown-field"]),
        (vec!["long-line=200000"], vec!["line-too-long", "not-a-message"]),
        (
            vec!["garbage"],
            vec!["not-utf8", "control-bytes", "not-a-message", "unknown-field", "missing-value"],
        ),
        (vec!["empty-move"], vec!["empty-best-move"]),
    ] {
        let mut engine = start(&words);
        engine.prepare().unwrap();
        engine.go(START, &Go::depth(1), None).unwrap();
        engine.is_ready(Duration::from_secs(10)).unwrap();
        let found = codes(&engine);
        assert!(expected.iter().all(|e| found.iter().any(|f| f == e)), "{words:?}: {found:?}");
        assert!(found.iter().all(|f| expected.contains(&f.as_str())), "{words:?}: {found:?}");
    }
}

#[test]
fn a_second_answer_is_not_taken_for_the_next() {
    let mut engine = start(&["twice@1"]);
    engine.go(START, &Go::depth(1), None).unwrap();
    engine.prepare().unwrap();
    let second = engine.go("startpos moves e2e4", &Go::depth(1), None).unwrap();
    let third = engine.go("startpos moves e2e4", &Go::depth(1), None).unwrap();
    assert_eq!(second.best, third.best);
}

#[test]
fn a_late_answer_is_marked() {
    let mut engine = start(&["late=400"]);
    let patient = Settings { grace: Duration::from_secs(10), ..settings() };
    let mut engine2 = Engine::start(&spec(&["late=400"]), &patient).unwrap();
    let error = engine.go(START, &Go::movetime(10), Some(Duration::from_millis(50))).unwrap_err();
    assert!(matches!(error, EngineError::Hung { .. }), "{error}");
    let found = engine2.go(START, &Go::movetime(10), Some(Duration::from_millis(50))).unwrap();
    assert_eq!(found.end, SearchEnd::Overran);
    assert!(codes(&engine2).contains(&"late-best-move".to_owned()));
}

#[test]
fn a_watcher_may_stop_the_search() {
    let mut engine = start(&["infos=5"]);
    let mut seen = 0;
    let found = engine.go_watched(START, &Go::infinite(), None, |info, _| {
        seen += 1;
        if info.depth == Some(3) { SearchControl::Stop } else { SearchControl::Continue }
    });
    assert_eq!(found.unwrap().end, SearchEnd::Stopped);
    assert!(seen >= 5);
}

#[test]
fn polling_step_by_step() {
    let mut engine = start(&["infos=2"]);
    engine.start_go(START, &Go::infinite()).unwrap();
    for depth in 1..=2 {
        match engine.poll(None).unwrap() {
            SearchEvent::Info { info, .. } => assert_eq!(info.depth, Some(depth)),
            other => panic!("{other:?}"),
        }
    }
    let soon = Instant::now() + Duration::from_millis(30);
    assert_eq!(engine.poll(Some(soon)).unwrap(), SearchEvent::Deadline);
    engine.stop().unwrap();
    assert!(matches!(engine.poll(None).unwrap(), SearchEvent::Info { .. }));
    assert!(matches!(engine.poll(None).unwrap(), SearchEvent::Best { .. }));
}

#[test]
fn options_are_checked() {
    let mut engine = start(&[]);
    engine.set_option("hash", "64").unwrap();
    engine.set_option("Style", "risky").unwrap();
    engine.set_option("Clear Hash", "").unwrap();
    engine.set_option("Ponder", "on").unwrap();
    let tail = engine.transcript_tail();
    for line in [
        "name Hash value 64",
        "name Style value Risky",
        "name Clear Hash\n",
        "name Ponder value true",
    ] {
        assert!(tail.contains(line), "{tail}");
    }
    let error = engine.set_option("Hash", "4096").unwrap_err().to_string();
    assert_eq!(error, "rogue: option Hash wants 1 to 1024, not 4096");
    assert!(engine.set_option("Style", "wild").is_err());
    engine.set_option("Hahs", "1").unwrap();
    let warning = engine.warnings()[0].to_string();
    assert_eq!(warning, "rogue has no option \"Hahs\" (did you mean \"Hash\"?)");
}

#[test]
fn a_crashed_engine_starts_anew() {
    let mut engine = start(&["crash@2"]);
    engine.go(START, &Go::depth(1), None).unwrap();
    let error = engine.go(START, &Go::depth(1), None).unwrap_err();
    assert!(error.is_fatal());
    engine.restart().unwrap();
    engine.go(START, &Go::depth(1), None).unwrap();
}

#[test]
#[cfg(unix)]
fn a_crash_is_noticed_though_the_pipe_stays_open() {
    let mut engine = start(&["spawn-child", "crash"]);
    let error = engine.go(START, &Go::nodes(1), None).unwrap_err().to_string();
    assert!(error.contains("crashed with signal 6"), "{error}");
}

#[test]
fn stderr_is_kept_apart_and_bounded() {
    let mut engine = start(&["stderr-flood"]);
    engine.go(START, &Go::depth(1), None).unwrap();
    let text = engine.stderr();
    assert!(text.contains("complaint 19999") && text.len() < 10_000);
    assert!(engine.findings().is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_behind() {
    let alive = |pid: u32| std::path::Path::new(&format!("/proc/{pid}")).exists();
    // Whether asked, forced or forgotten, the process goes, and so does what it started.
    for (words, polite) in [
        (vec!["spawn-child"], true),
        (vec!["spawn-child", "ignore-quit"], true),
        (vec!["spawn-child"], false),
    ] {
        let engine = start(&words);
        let pid = engine.pid();
        let child: u32 = engine.stderr().rsplit(' ').next().unwrap().parse().unwrap();
        assert!(alive(pid) && alive(child));
        if polite {
            engine.quit();
        } else {
            drop(engine);
        }
        assert!(!alive(pid), "{words:?}");
        // It has been killed; the kernel may take a moment to carry that out.
        let gone = |pid: u32| {
            std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .map_or(true, |stat| stat.contains(") Z "))
        };
        let patience = Instant::now() + Duration::from_secs(20);
        while !gone(child) {
            assert!(Instant::now() < patience, "{words:?}: its child still runs");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn sixty_four_at_once() {
    let threads: Vec<_> = (0..64)
        .map(|_| {
            std::thread::spawn(|| {
                let mut engine = start(&["infos=3"]);
                for _ in 0..20 {
                    engine.prepare().unwrap();
                    engine.go(START, &Go::depth(1), None).unwrap();
                }
                assert!(engine.findings().is_empty());
                assert!(engine.quit().is_clean());
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

/// Killing the group does not reach it: without the process itself the end would never come.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_left_its_group_is_ended_all_the_same() {
    let program = dyno_testkit::escapes::program();
    let spec = EngineSpec { args: vec!["leave-group".into()], ..EngineSpec::program(program) };
    let quick = Settings { handshake: Duration::from_millis(300), ..settings() };
    let (send, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(Engine::start(&spec, &quick).map(|_| ()).unwrap_err()));
    let error = ended.recv_timeout(Duration::from_secs(60)).unwrap().to_string();
    assert!(error.contains("no uciok"), "{error}");
}
