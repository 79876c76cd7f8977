//! The toy engine over UCI, with `go perft`, so that black-box checks can be tried on it.

use super::{Bug, MATE, ToyBoard, ToySearch, evaluate};
use std::io::{BufRead, Write};

/// Speaks UCI until `quit` or the end of input.
pub fn run(input: impl BufRead, mut output: impl Write, bug: Option<Bug>) -> std::io::Result<()> {
    let mut session = Session { board: start(bug), search: ToySearch::default(), bug };
    for line in input.lines() {
        let line = line?;
        if line.trim() == "quit" {
            break;
        }
        session.command(&line, &mut output)?;
        output.flush()?;
    }
    Ok(())
}

fn start(bug: Option<Bug>) -> Option<ToyBoard> {
    ToyBoard::from_fen(dyno_chess::STARTPOS, bug).ok()
}

struct Session {
    board: Option<ToyBoard>,
    search: ToySearch,
    bug: Option<Bug>,
}

impl Session {
    fn command(&mut self, line: &str, out: &mut impl Write) -> std::io::Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some("uci") => {
                let bug = self.bug.map_or("sound", Bug::name);
                writeln!(out, "id name Toy ({bug})\nid author The Dyno authors")?;
                writeln!(out, "option name Hash type spin default 1 min 1 max 64\nuciok")
            }
            Some("isready") => writeln!(out, "readyok"),
            Some("ucinewgame") => {
                self.search.clear(self.board.as_ref());
                Ok(())
            }
            Some("position") => self.position(&words[1..], out),
            Some("d") => match &self.board {
                Some(board) => writeln!(out, "Fen: {}\nKey: {:016X}", board.fen(), board.hash()),
                None => Ok(()),
            },
            Some("eval") => match &self.board {
                Some(board) => {
                    let score = evaluate(board) * if board.white_to_move() { 1 } else { -1 };
                    writeln!(out, "Final evaluation {:+.2} (white side)", f64::from(score) / 100.0)
                }
                None => Ok(()),
            },
            Some("go") => self.go(&words[1..], out),
            _ => Ok(()),
        }
    }

    fn position(&mut self, words: &[&str], out: &mut impl Write) -> std::io::Result<()> {
        let split = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
        let fen = match words.first() {
            Some(&"startpos") => dyno_chess::STARTPOS.to_string(),
            Some(&"fen") => words[1..split].join(" "),
            _ => return writeln!(out, "info string position needs startpos or fen"),
        };
        let mut board = match ToyBoard::from_fen(&fen, self.bug) {
            Ok(board) => board,
            Err(error) => return writeln!(out, "info string {error}"),
        };
        for word in words.iter().skip(split + 1) {
            let found = board.legal_moves().into_iter().find(|mv| board.uci(*mv) == *word);
            match found {
                Some(mv) => board.make(mv),
                None => writeln!(out, "info string illegal move {word}")?,
            }
        }
        self.board = Some(board);
        Ok(())
    }

    fn go(&mut self, words: &[&str], out: &mut impl Write) -> std::io::Result<()> {
        let Some(board) = &mut self.board else { return Ok(()) };
        let value = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse::<u32>().ok()
        };
        if let Some(depth) = value("perft") {
            let mut total = 0;
            for mv in board.legal_moves() {
                let text = board.uci(mv);
                board.make(mv);
                let count = perft(board, depth.saturating_sub(1));
                board.unmake(mv);
                total += count;
                writeln!(out, "{text}: {count}")?;
            }
            return writeln!(out, "\nNodes searched: {total}\n");
        }
        let mut answer = None;
        for depth in 1..=value("depth").unwrap_or(2).clamp(1, 4) {
            let score = self.search.search(board, depth, -MATE, MATE);
            answer = self.search.best().map(str::to_string);
            if let Some(best) = &answer {
                let nodes = self.search.nodes;
                writeln!(out, "info depth {depth} score cp {score} nodes {nodes} pv {best}")?;
            }
        }
        writeln!(out, "bestmove {}", answer.as_deref().unwrap_or("(none)"))
    }
}

fn perft(board: &mut ToyBoard, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for mv in moves {
        board.make(mv);
        total += perft(board, depth - 1);
        board.unmake(mv);
    }
    total
}
