//! The engine's static evaluation, by its answer to `eval`.

use super::positions::LabelledPosition;
use super::{TexelError, TexelEvent};
use dyno_driver::{Engine, EngineError, EngineIdentity};
use dyno_stats::Labelled;
use std::time::{Duration, Instant};

/// This many positions are sent ahead of their answers.
const AHEAD: usize = 64;

/// White has a queen for nothing; the side to move tells whose view the engine takes.
const PROBES: [&str; 2] = ["4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1", "4k3/8/8/8/8/8/4P3/3QK3 b - - 0 1"];

/// An engine that answers `eval`.
pub(super) struct Evaluator {
    engine: Engine,
    /// How long it may take for one evaluation.
    patience: Duration,
    /// Whether its evaluations are those of the side to move.
    for_mover: bool,
}

impl Evaluator {
    /// Finds out whether the engine has `eval`, and whose view it takes.
    pub(super) fn new(engine: Engine, patience: Duration) -> Result<Evaluator, TexelError> {
        let mut evaluator = Evaluator { engine, patience, for_mover: false };
        let mut said = String::new();
        let [white, black] = PROBES.map(|fen| {
            evaluator.ask(fen)?;
            evaluator.answer(&mut said)
        });
        match (white?, black?) {
            (Some(white), Some(black)) if white != 0.0 && black != 0.0 => {
                evaluator.for_mover = (white > 0.0) != (black > 0.0);
                Ok(evaluator)
            }
            _ => {
                let engine = evaluator.engine.name().to_owned();
                Err(TexelError::NoEval { engine, said })
            }
        }
    }

    pub(super) fn record(&self) -> EngineIdentity {
        self.engine.record()
    }

    /// Sets an option.
    pub(super) fn set(&mut self, name: &str, value: i64) -> Result<(), EngineError> {
        self.engine.set_option(name, &value.to_string())
    }

    /// What the positions are worth, with their results. A position without an evaluation (some
    /// engines give none in check) counts as equal.
    pub(super) fn labelled(
        &mut self,
        positions: &[&LabelledPosition],
        listen: &mut dyn FnMut(TexelEvent),
    ) -> Result<Labelled, TexelError> {
        // Many engines keep evaluations, of pawns or of whole positions, until a new game; options
        // may have changed since.
        self.engine.new_game()?;
        let mut data = Labelled::default();
        for part in positions.chunks(AHEAD) {
            for position in part {
                self.ask(&position.fen)?;
            }
            for position in part {
                let eval = self.answer(&mut String::new())?.unwrap_or(0.0);
                let turned = self.for_mover && !position.white_to_move;
                data.evals.push(if turned { -eval } else { eval });
                data.results.push(position.result);
                data.games.push(position.unit);
            }
            listen(TexelEvent::Evaluated { evaluations: part.len() as u64 });
        }
        Ok(data)
    }

    fn ask(&mut self, fen: &str) -> Result<(), EngineError> {
        self.engine.send_line(&format!("position fen {fen}\neval\nisready")).map(drop)
    }

    /// The last evaluation said before `readyok`, in centipawns. An engine that is late is an error:
    /// what it says later would be taken for the evaluation of the next position.
    fn answer(&mut self, said: &mut String) -> Result<Option<f64>, EngineError> {
        let deadline = Instant::now() + self.patience;
        let mut found = None;
        loop {
            match self.engine.read_line(Some(deadline))? {
                None => break,
                Some((line, _)) if line.trim() == "readyok" => return Ok(found),
                Some((line, _)) => {
                    found = evaluation_of(line).or(found);
                    line.clone_into(said);
                }
            }
        }
        let engine = self.engine.name().to_owned();
        Err(EngineError::NotReady { engine, asked: "eval and isready", after: self.patience })
    }
}

/// The evaluation that a line states: the first number after a word that announces one. With a
/// point it is in pawns, without in centipawns.
fn evaluation_of(line: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let after = ["evaluation", "eval", "score cp", "total", "score"]
        .iter()
        .find_map(|word| lower.find(word).map(|at| at + word.len()))?;
    lower[after..].split([' ', ':', '=', '|', '(', ')', ',', '[', ']', '\t']).find_map(|word| {
        let number: f64 =
            word.trim_end_matches("cp").parse().ok().filter(|n: &f64| n.is_finite())?;
        Some(if word.contains('.') { 100.0 * number } else { number })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_of_several_engines() {
        for (line, expected) in [
            ("Evaluation: -1.23 pawns, White's view", Some(-123.0)),
            (
                "Final evaluation       +0.37 (white side) [with scaled NNUE, optimism, ...]",
                Some(37.0),
            ),
            ("Total evaluation: 0.50 (white side)", Some(50.0)),
            ("info score cp -31", Some(-31.0)),
            ("eval: 42cp", Some(42.0)),
            ("Final evaluation: none (in check)", None),
            ("phase 24 of 24, endgame counts 64 of 64", None),
        ] {
            assert_eq!(evaluation_of(line), expected, "{line}");
        }
    }
}
