//! The toy engine over UCI, with `go perft`, so that black-box checks can be tried on it.

use super::{Bug, MATE, ToyBoard, ToyMove, ToySearch, evaluate};
use std::io::{BufRead, Write};
use std::time::Duration;

/// How the toy engine answers, right or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Knows `perft N` alone, and prints only the total.
    Totals,
    /// The same, and `perft N div` with the count below each move.
    Div,
    /// Counts the moves of the start position, whatever is set up.
    CountsTheStart,
    /// Pauses for 150 ms after the first move of a list.
    Pauses,
    /// Aborts when a castling move is played.
    CrashesOnCastling,
}

impl Habit {
    /// Every habit with its name on the command line.
    pub const ALL: [(Habit, &'static str); 5] = [
        (Habit::Totals, "totals"),
        (Habit::Div, "div"),
        (Habit::CountsTheStart, "counts-the-start"),
        (Habit::Pauses, "pauses"),
        (Habit::CrashesOnCastling, "crashes-on-castling"),
    ];

    /// The habit of a name.
    pub fn from_name(name: &str) -> Option<Habit> {
        Habit::ALL.iter().find(|(_, known)| *known == name).map(|(habit, _)| *habit)
    }
}

/// Speaks UCI until `quit` or the end of input.
pub fn run(
    input: impl BufRead,
    mut output: impl Write,
    bug: Option<Bug>,
    habits: &[Habit],
) -> std::io::Result<()> {
    let habits = habits.to_vec();
    let mut session = Session { board: start(bug), search: ToySearch::default(), bug, habits };
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
    habits: Vec<Habit>,
}

impl Session {
    fn has(&self, habit: Habit) -> bool {
        self.habits.contains(&habit)
    }

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
            Some("perft") if self.has(Habit::Totals) || self.has(Habit::Div) => {
                let depth = words.get(1).and_then(|word| word.parse().ok());
                let divides = self.has(Habit::Div) && words.get(2) == Some(&"div");
                depth.map_or(Ok(()), |depth| self.perft(depth, divides, out))
            }
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
                Some(mv) => make(&mut board, mv, self.has(Habit::CrashesOnCastling)),
                None => writeln!(out, "info string illegal move {word}")?,
            }
        }
        self.board = Some(board);
        Ok(())
    }

    fn go(&mut self, words: &[&str], out: &mut impl Write) -> std::io::Result<()> {
        let own_command = self.has(Habit::Totals) || self.has(Habit::Div);
        let value = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse::<u32>().ok()
        };
        if let Some(depth) = value("perft").filter(|_| !own_command) {
            return self.perft(depth, true, out);
        }
        let Some(board) = &mut self.board else { return Ok(()) };
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

impl Session {
    fn perft(&mut self, depth: u32, divides: bool, out: &mut impl Write) -> std::io::Result<()> {
        let crashes = self.has(Habit::CrashesOnCastling);
        let pauses = self.has(Habit::Pauses);
        let of_its_own = self.has(Habit::CountsTheStart).then(|| start(self.bug)).flatten();
        let Some(mut board) = of_its_own.or_else(|| self.board.clone()) else { return Ok(()) };
        let board = &mut board;
        let mut total = 0;
        for (index, mv) in board.legal_moves().into_iter().enumerate() {
            let text = board.uci(mv);
            make(board, mv, crashes && depth > 1);
            let count = perft(board, depth.saturating_sub(1), crashes);
            board.unmake(mv);
            total += count;
            if divides {
                writeln!(out, "{text}: {count}")?;
            }
            if pauses && index == 0 {
                out.flush()?;
                std::thread::sleep(Duration::from_millis(150));
            }
        }
        writeln!(out, "\nNodes searched: {total}\n")
    }
}

fn make(board: &mut ToyBoard, mv: ToyMove, crashes: bool) {
    if crashes && board.castles(mv) {
        std::process::abort();
    }
    board.make(mv);
}

fn perft(board: &mut ToyBoard, depth: u32, crashes: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for mv in moves {
        make(board, mv, crashes);
        total += perft(board, depth - 1, crashes);
        board.unmake(mv);
    }
    total
}
