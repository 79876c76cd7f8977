//! An engine with a known best setting, for tests of tuning.
//!
//! It takes the most valuable piece it can, or any move. The further its option `Care` is from
//! [`BEST_CARE`], the more often it plays any move where it could take; its option `Nothing` has no
//! effect at all. Its choices follow from the game and its options alone, so that games repeat.

use dyno_chess::{Color, Move, Position, Role};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Write};

/// The best value of `Care`, which goes from 0 to 100.
pub const BEST_CARE: i64 = 70;

/// The command line of the program.
#[must_use]
pub fn command() -> String {
    crate::binary::command(&crate::binary::built("tunable-engine"), &[])
}

/// Speaks UCI until `quit` or the end of input.
pub fn run(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut engine = Tunable { position: Position::startpos(), care: 30, game: 0 };
    for line in input.lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci", ..] => writeln!(
                output,
                "id name Tunable\nid author The Dyno authors\n\
                 option name Care type spin default 30 min 0 max 100\n\
                 option name Nothing type spin default 50 min 0 max 100\nuciok"
            )?,
            ["isready", ..] => writeln!(output, "readyok")?,
            ["setoption", "name", "Care", "value", value] => {
                engine.care = value.parse().unwrap_or(engine.care);
            }
            ["position", rest @ ..] => engine.set_position(rest),
            ["go", ..] => {
                let (score, best) = (engine.material(), engine.choose());
                let best = best.map_or_else(|| "0000".into(), |mv| engine.position.uci(mv));
                writeln!(output, "info depth 1 score cp {score} nodes 1 pv {best}")?;
                writeln!(output, "bestmove {best}")?;
            }
            ["quit", ..] => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

struct Tunable {
    position: Position,
    care: i64,
    /// The game so far, as a number.
    game: u64,
}

impl Tunable {
    fn set_position(&mut self, words: &[&str]) {
        let split = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
        let start = match words.first() {
            Some(&"fen") => Position::from_fen(&words[1..split].join(" ")).ok(),
            _ => Some(Position::startpos()),
        };
        let Some(mut position) = start else { return };
        for word in words.iter().skip(split + 1) {
            match position.parse_uci(word) {
                Ok(mv) => position = position.play(mv),
                Err(_) => break,
            }
        }
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        self.game = hasher.finish();
        self.position = position;
    }

    /// A number that follows from the game, below a bound.
    fn chance(&self, purpose: u64, bound: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game, purpose).hash(&mut hasher);
        hasher.finish() % bound.max(1)
    }

    fn choose(&self) -> Option<Move> {
        let moves = self.position.legal_moves();
        let any = moves.get(self.chance(0, moves.len() as u64) as usize).copied();
        let careless = (self.care - BEST_CARE).unsigned_abs();
        if self.chance(1, 100) < careless {
            return any;
        }
        let taken = |mv: &Move| self.position.captured(*mv).map_or(0, value);
        moves.iter().copied().filter(|mv| taken(mv) > 0).max_by_key(taken).or(any)
    }

    /// From the mover's point of view, in centipawns.
    fn material(&self) -> i32 {
        let of = |color: Color| -> i32 {
            Role::ALL
                .into_iter()
                .map(|role| value(role) * self.position.pieces(color, role).count() as i32)
                .sum()
        };
        let mover = self.position.side_to_move();
        of(mover) - of(!mover)
    }
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}
