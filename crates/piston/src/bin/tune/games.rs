//! Games of the engine with itself, for their positions and results.

use dyno_chess::{Color, Game, Outcome, Position, SplitMix64};
use dyno_piston::engine::Engine;
use dyno_piston::score::is_mate;
use dyno_piston::search::{Signals, Silent, Task};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};

/// Half-moves chosen at random at the beginning.
const OPENING: usize = 8;
/// Games are called when the score has been beyond this for some moves.
const DECIDED: i32 = 1_200;
const LONGEST: usize = 300;

/// Plays games and appends their quiet positions as `fen;result;score`, both from White's view.
/// They begin with one of the given positions, or else with random moves.
pub fn play(out: &str, count: u64, nodes: u64, seed: u64, openings: &[Position]) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().create(true).append(true).open(out)?);
    let mut random = SplitMix64::new(seed);
    let mut engine = Engine::new().map_err(io::Error::other)?;
    for _ in 0..count {
        let Some(start) = opening(&mut random, openings) else { continue };
        engine.new_game();
        let (samples, result) = game(&mut engine, start, nodes);
        for (position, score) in samples {
            writeln!(out, "{};{result};{score}", position.fen())?;
        }
        out.flush()?;
    }
    Ok(())
}

/// The positions of an EPD file, one a line.
pub fn openings(file: &str) -> io::Result<Vec<Position>> {
    let mut positions = Vec::new();
    for (number, line) in BufReader::new(File::open(file)?).lines().enumerate() {
        let line = line?;
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let position = Position::from_fen(&fields.join(" "))
            .map_err(|error| io::Error::other(format!("line {}: {error}", number + 1)))?;
        positions.push(position);
    }
    Ok(positions)
}

fn opening(random: &mut SplitMix64, openings: &[Position]) -> Option<Game> {
    if !openings.is_empty() {
        return Some(Game::new(openings[random.below(openings.len())]));
    }
    let mut game = Game::new(Position::startpos());
    for _ in 0..OPENING + random.below(2) {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.play(moves[random.below(moves.len())]);
    }
    game.position().outcome().is_none().then_some(game)
}

/// One game: its quiet positions with their scores, and the result (1, 0.5 or 0 for White).
fn game(engine: &mut Engine, mut game: Game, nodes: u64) -> (Vec<(Position, i32)>, f64) {
    let mut samples = Vec::new();
    let mut decided = 0;
    loop {
        if let Some(outcome) = game.adjudicated() {
            return (samples, result(outcome));
        }
        let now = *game.position();
        let keys: Vec<u64> = game.positions().iter().map(Position::key).collect();
        let earlier = keys[..keys.len() - 1].to_vec();
        let task = Task { nodes: Some(nodes), earlier, ..Task::new(now) };
        let answer = engine.search(&task, &Signals::default(), &mut Silent);
        let Some(best) = answer.best() else { return (samples, 0.5) };
        let sign = if now.side_to_move() == Color::White { 1 } else { -1 };
        let score = sign * answer.value;
        let quiet = !now.is_check() && !now.is_capture(best) && best.promotion().is_none();
        if quiet && !is_mate(answer.value) && answer.value.abs() < DECIDED {
            samples.push((now, score));
        }
        decided = if score.abs() > DECIDED { decided + 1 } else { 0 };
        if decided >= 6 {
            return (samples, if score > 0 { 1.0 } else { 0.0 });
        }
        if game.moves().len() > LONGEST {
            return (samples, 0.5);
        }
        game.play(best);
    }
}

fn result(outcome: Outcome) -> f64 {
    match outcome.winner() {
        Some(Color::White) => 1.0,
        Some(Color::Black) => 0.0,
        None => 0.5,
    }
}
