//! A second opinion: another engine's score for each position, in the place of Piston's own.

use dyno_chess::{Color, Position};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Mates count as this many centipawns: decided, whatever their length.
const MATE: i32 = 2_000;

/// A UCI engine that is asked position by position.
struct Judge {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Judge {
    fn start(command: &str) -> io::Result<Judge> {
        let mut child =
            Command::new(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the engine has no pipes"));
        };
        let mut judge = Judge { child, input, output: BufReader::new(output).lines() };
        judge.input.write_all(b"uci\nisready\n")?;
        judge.until("readyok", |_| {})?;
        Ok(judge)
    }

    /// Reads up to the line that begins with the word.
    fn until(&mut self, word: &str, mut see: impl FnMut(&str)) -> io::Result<()> {
        loop {
            let line = self.output.next().ok_or_else(|| io::Error::other("the engine ended"))??;
            if line.starts_with(word) {
                return Ok(());
            }
            see(&line);
        }
    }

    /// The score from the point of view of the side to move.
    fn score(&mut self, fen: &str, depth: u64) -> io::Result<Option<i32>> {
        self.input.write_all(format!("position fen {fen}\ngo depth {depth}\n").as_bytes())?;
        let mut score = None;
        self.until("bestmove", |line| score = score_of(line).or(score))?;
        Ok(score)
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}

/// The exact score of an `info` line.
fn score_of(line: &str) -> Option<i32> {
    let (_, rest) = line.split_once(" score ")?;
    let mut words = rest.split_whitespace();
    let (unit, number) = (words.next()?, words.next()?.parse::<i32>().ok()?);
    match (unit, words.next()) {
        (_, Some("lowerbound" | "upperbound")) => None,
        ("cp", _) => Some(number.clamp(-MATE, MATE)),
        ("mate", _) => Some(if number > 0 { MATE } else { -MATE }),
        _ => None,
    }
}

/// Writes the positions of the files anew, each with the engine's score.
pub fn judge(out: &str, engine: &str, depth: u64, files: &[&str]) -> io::Result<()> {
    let mut judge = Judge::start(engine)?;
    let mut out = BufWriter::new(File::create(out)?);
    for file in files {
        for line in BufReader::new(File::open(file)?).lines() {
            let line = line?;
            let mut parts = line.split(';');
            let bad = || io::Error::other(format!("{file}: not `fen;result;score`: {line}"));
            let (fen, result) = parts.next().zip(parts.next()).ok_or_else(bad)?;
            let position = Position::from_fen(fen).map_err(|_| bad())?;
            if let Some(score) = judge.score(fen, depth)? {
                let white = position.side_to_move() == Color::White;
                writeln!(out, "{fen};{result};{}", if white { score } else { -score })?;
            }
        }
    }
    out.flush()
}
