//! Debian's engines, driven for real; each is skipped where it is not installed.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_chess::{Game, Position};
use dyno_driver::{Engine, EngineError, EngineSpec, Go, Protocol, Settings, find_program};
use std::path::Path;
use std::time::Duration;

fn start(command: &str) -> Option<Engine> {
    try_start(command).unwrap()
}

fn try_start(command: &str) -> Result<Option<Engine>, EngineError> {
    let spec: EngineSpec = command.parse().unwrap();
    let program = command.split(' ').next().unwrap();
    if find_program(Path::new(program)).is_none() {
        eprintln!("skipped: {program} is not installed");
        return Ok(None);
    }
    Engine::start(&spec, &Settings::default()).map(Some)
}

#[test]
fn uci_engines_find_a_mate() {
    for command in
        ["stockfish", "fairy-stockfish", "ethereal-chess", "glaurung", "toga2", "gnuchess --uci"]
    {
        let Some(mut engine) = start(command) else { continue };
        for (option, value) in [("OwnBook", "false"), ("Ponder", "false"), ("Threads", "1")] {
            if engine.option(option).is_some() {
                engine.set_option(option, value).unwrap();
            }
        }
        engine.prepare().unwrap();
        let mate = "fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
        let found = engine.go(mate, &Go::depth(5), None).unwrap();
        assert_eq!(found.best, "d1d8", "{command}");
        assert!(found.elapsed.as_nanos() > 0 && found.info.depth.is_some(), "{command}: {found:?}");
        let usage = engine.usage();
        assert!(!cfg!(target_os = "linux") || usage.peak_memory > 0);
        engine.quit();
    }
}

#[test]
fn xboard_engines_are_recognised_and_play() {
    for command in ["phalanx", "hoichess", "sjeng", "gnuchess"] {
        play_xboard(command).unwrap();
    }
}

/// Debian's fairymax crashes of itself now and then; what it does otherwise must be right.
#[test]
fn fairymax_is_recognised_and_plays_unless_it_crashes() {
    for _ in 0..5 {
        match play_xboard("fairymax") {
            Err(EngineError::Exited { exit, .. }) if exit.signal.is_some() => {}
            other => return other.unwrap(),
        }
    }
    eprintln!("skipped: fairymax crashed five times");
}

fn play_xboard(command: &str) -> Result<(), EngineError> {
    let Some(mut engine) = try_start(command)? else { return Ok(()) };
    assert_eq!(engine.protocol(), Protocol::Xboard, "{command}");
    // Two moves of a game: the second goes on from the first.
    engine.prepare()?;
    let mut game = Game::new(Position::startpos());
    let mut text = "startpos moves".to_owned();
    for reply in [Some("d7d6"), None] {
        let found = engine.go(text.trim_end_matches(" moves"), &Go::movetime(200), None)?;
        let mv = game.position().parse_uci(&found.best);
        let mv = mv.unwrap_or_else(|e| panic!("{command}: {e} {}", engine.transcript_tail()));
        game.play(mv);
        text += &format!(" {}", found.best);
        if let Some(reply) = reply {
            game.play(game.position().parse_uci(reply).unwrap());
            text += &format!(" {reply}");
        }
    }
    // A position of its own, limited by depth.
    engine.prepare()?;
    let mate = "fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
    let found = engine.go(mate, &Go::depth(4), Some(Duration::from_secs(20)))?;
    assert_eq!(found.best, "d1d8", "{command}: {}", engine.transcript_tail());
    let error = engine.go(mate, &Go::nodes(100), None).unwrap_err();
    assert!(error.to_string().contains("depth and time only"), "{error}");
    engine.quit();
    Ok(())
}

#[test]
fn what_speaks_neither_language_is_told_so() {
    let Some(cat) = find_program(Path::new("cat")) else { return };
    let quick = Settings { handshake: Duration::from_millis(300), ..Settings::default() };
    let error = Engine::start(&EngineSpec::program(cat), &quick).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cat: no uciok within 300 ms of uci; it said: uci (is it a UCI or XBoard engine?)"
    );
}
