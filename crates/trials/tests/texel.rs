//! The conversation of a fit, with small engines made for it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_driver::{EngineError, EngineSpec, Interrupt, Settings};
use dyno_stats::expected_score;
use dyno_tournament::tune::Parameter;
use dyno_trials::texel::{TexelError, TexelEvent, TexelPlan, TexelResult, fit, read_positions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Evaluates 60 times the number of the move and the halfmove clock times `Weight`, which it looks at
/// when a new game begins. `$ODD` is what is odd about it.
const ENGINE: &str = r#"#!/bin/sh
weight=5; now=5; asked=0
while read -r line; do
  set -- $line
  case "$line" in
    uci) echo "id name Small"; echo "option name Weight type spin default 5 min 0 max 100"; echo uciok;;
    isready) if [ "$deaf" ]; then deaf=; else echo readyok; fi;;
    setoption*) weight=$5;;
    ucinewgame) now=$weight;;
    position*) clock=$7; move=$8;;
    eval) asked=$((asked + 1)); $ODD; echo "Evaluation: $((60 * move + now * clock)) centipawns";;
    quit) exit;;
  esac
done
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dyno-texel-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Fits the engine's weight to positions whose results are those of a weight of 30.
fn fit_weight(
    name: &str,
    odd: &str,
    settings: Settings,
    listen: &mut dyn FnMut(TexelEvent),
) -> Result<TexelResult, TexelError> {
    let folder = Folder::new(name);
    let engine = folder.0.join("engine.sh");
    std::fs::write(&engine, ENGINE.replace("$ODD", odd)).unwrap();
    std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = |i: u32| {
        let (clock, number) = (i % 11, 1 + i % 7);
        let score = expected_score(f64::from(60 * number + 30 * clock), 1.0);
        format!("4k3/8/8/8/8/8/4P3/3QK3 w - - {clock} {number} [{score:.6}]\n")
    };
    let file = folder.0.join("labelled.epd");
    std::fs::write(&file, (0..200).map(line).collect::<String>()).unwrap();
    let plan = TexelPlan {
        engine: EngineSpec::program(&engine),
        settings,
        parameters: vec![Parameter::parse("Weight=5@0..100").unwrap()],
        rounds: 5,
    };
    fit(&plan, &read_positions(&file, 1000).unwrap(), listen)
}

#[test]
fn evaluations_kept_until_a_new_game_do_not_hide_a_parameter() {
    let result = fit_weight("kept", ":", Settings::default(), &mut |_| {}).unwrap();
    let weight = &result.parameters[0];
    assert!(weight.value == 30 && weight.positions > 100, "{weight:?}");
    assert!(result.is_better() && !result.interrupted, "{result:?}");
}

/// What an engine says too late must not be taken for its evaluation of the next position.
#[test]
fn an_answer_that_does_not_come_ends_the_fit() {
    let settings = Settings { ready: Duration::from_secs(1), ..Settings::default() };
    let swallow = "if [ $asked = 150 ]; then deaf=1; continue; fi";
    match fit_weight("late", swallow, settings, &mut |_| {}) {
        Err(TexelError::Engine(error @ EngineError::NotReady { .. })) => {
            assert!(error.to_string().contains("no answer to eval"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_interrupt_keeps_the_rounds_that_were_done() {
    let counter = Arc::new(AtomicUsize::new(0));
    let settings =
        || Settings { interrupt: Some(Interrupt::new(counter.clone(), 1)), ..Settings::default() };
    let result = fit_weight("interrupted", ":", settings(), &mut |event| {
        if let TexelEvent::Round { .. } = event {
            counter.store(1, Ordering::SeqCst);
        }
    });
    let result = result.unwrap();
    assert!(result.interrupted && result.rounds == 1, "{result:?}");
    assert!(result.parameters[0].value > 5, "{:?}", result.parameters);
    counter.store(0, Ordering::SeqCst);
    let early = fit_weight("interrupted-early", ":", settings(), &mut |event| {
        if let TexelEvent::Evaluated { .. } = event {
            counter.store(1, Ordering::SeqCst);
        }
    });
    assert!(matches!(early, Err(TexelError::Engine(EngineError::Interrupted))), "{early:?}");
}
