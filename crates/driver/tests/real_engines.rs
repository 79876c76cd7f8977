//! Debian's engines, driven for real; each is skipped where it is not installed.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_driver::{Engine, EngineSpec, Go, Settings, find_program};
use std::path::Path;

fn start(command: &str) -> Option<Engine> {
    let spec: EngineSpec = command.parse().unwrap();
    let program = command.split(' ').next().unwrap();
    if find_program(Path::new(program)).is_none() {
        eprintln!("skipped: {program} is not installed");
        return None;
    }
    Some(Engine::start(&spec, &Settings::default()).unwrap())
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
