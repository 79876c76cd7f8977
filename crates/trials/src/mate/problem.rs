//! A mate that somebody states, in any of the ways real files do.

use super::line::{plies_to_mate, san_line};
use crate::position_test::TestPosition;
use dyno_chess::Move;
use dyno_formats::epd::{EpdError, EpdRecord, Stated};
use dyno_formats::pgn::{PgnError, PgnGame};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What in the file states the mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedBy {
    /// `dm 3`
    DirectMate,
    /// `bm #3`, or the sign of mate after a move: `bm Ra8#`
    BestMove,
    /// `ce +M3` or `ce 32762`
    Evaluation,
    /// A comment or an id with the words "mate in 3".
    Words,
    /// The length of `pv`, or of a game from a position to its mate.
    Line,
    /// `mate_in_3.epd`
    FileName,
}

/// A fault of the suite, with the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteFault {
    pub suite: String,
    pub line_no: u64,
    pub id: String,
    /// Empty where the line could not be read so far.
    pub fen: String,
    pub reason: String,
    /// The line or the reply that shows it; empty where the reason says all.
    pub proof: String,
    /// Whether the position had to be left out.
    pub skipped: bool,
}

/// A position with a stated mate.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The position, and where it stands.
    pub at: TestPosition,
    /// The number of moves to the mate; negative when the side to move is mated.
    pub stated: i32,
    pub stated_by: StatedBy,
    /// The moves of `bm`.
    pub best: Vec<Move>,
    /// The line given with it.
    pub line: Vec<Move>,
    /// What reading alone shows to be wrong.
    pub faults: Vec<SuiteFault>,
}

impl Problem {
    /// Reads a line of EPD; `name` is the depth that the file's name states.
    pub fn from_record(
        suite: &Arc<str>,
        name: Option<i32>,
        record: &EpdRecord,
    ) -> Result<Problem, Box<SuiteFault>> {
        let line = record.line();
        let whole_line = if line.defects.is_empty() { &line.moves[..] } else { &[] };
        let stated = first_statement([
            (record.direct_mate(), StatedBy::DirectMate),
            (record.mate_of_best_moves(), StatedBy::BestMove),
            (mate_of(record.evaluation()), StatedBy::Evaluation),
            (mate_of_length(whole_line.len()), StatedBy::Line),
            (mate_sign(record), StatedBy::BestMove),
            (mate_in_words(record), StatedBy::Words),
            (name, StatedBy::FileName),
        ]);
        let best = record.best_moves();
        let mut problem = Problem {
            at: TestPosition::new(suite, record.line, record.label(), record.position),
            stated: 0,
            stated_by: StatedBy::Line,
            best: best.moves,
            line: line.moves,
            faults: Vec::new(),
        };
        for defect in best.defects.iter().chain(&line.defects) {
            problem.fault(defect.to_string(), String::new());
        }
        problem.finish(stated)
    }

    /// Reads a game from a position to its mate.
    pub fn from_game(
        suite: &Arc<str>,
        name: Option<i32>,
        game: &PgnGame,
    ) -> Result<Problem, Box<SuiteFault>> {
        let moves: Vec<Move> = game.moves().collect();
        let from_position = game.tags.get("FEN").is_some();
        let mates = from_position && game.end().is_checkmate();
        let words = ["Termination", "Event", "Round", "Annotator"]
            .iter()
            .find_map(|tag| game.tags.get(tag).and_then(mate_in_text));
        let stated = first_statement([
            (words, StatedBy::Words),
            (mates.then(|| mate_of_length(moves.len())).flatten(), StatedBy::Line),
            (name.filter(|_| from_position), StatedBy::FileName),
        ]);
        let problem = Problem {
            at: TestPosition::new(
                suite,
                game.first_line,
                format!("game {}", game.number),
                game.start,
            ),
            stated: 0,
            stated_by: StatedBy::Line,
            best: moves.first().copied().into_iter().collect(),
            line: moves,
            faults: Vec::new(),
        };
        problem.finish(stated)
    }

    fn finish(mut self, stated: Option<(i32, StatedBy)>) -> Result<Problem, Box<SuiteFault>> {
        let Some((mate, by)) = stated else {
            return Err(Box::new(
                self.as_fault("states no mate (dm, bm #N, ce, pv or the file's name)"),
            ));
        };
        if !self.at.position.has_legal_move() {
            return Err(Box::new(self.as_fault("the game is over: there is no legal move")));
        }
        if mate == 0 {
            return Err(Box::new(self.as_fault("states mate in 0, but the side to move can move")));
        }
        (self.stated, self.stated_by) = (mate, by);
        self.check_line();
        Ok(self)
    }

    /// A line that is given should be what it claims to be.
    fn check_line(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let end = self.line.iter().fold(self.at.position, |at, &mv| at.play(mv));
        let shown = san_line(&self.at.position, &self.line);
        if !end.is_checkmate() && self.line.len() >= plies_to_mate(self.stated) {
            self.fault("its line does not end in mate".to_owned(), shown);
        } else if self.stated > 0 && !self.best.is_empty() && !self.best.contains(&self.line[0]) {
            self.fault("its line does not begin with one of its best moves".to_owned(), shown);
        }
    }

    /// Notes a fault of the suite that leaves the position usable.
    pub(crate) fn fault(&mut self, reason: String, proof: String) {
        let fault = SuiteFault { proof, ..self.usable_fault(reason) };
        self.faults.push(fault);
    }

    /// A fault of the suite that leaves the position usable.
    pub(super) fn usable_fault(&self, reason: String) -> SuiteFault {
        SuiteFault { skipped: false, ..self.as_fault(reason) }
    }

    fn as_fault(&self, reason: impl Into<String>) -> SuiteFault {
        SuiteFault {
            suite: self.at.suite.to_string(),
            line_no: self.at.line_no,
            id: self.at.id.clone(),
            fen: self.at.fen(),
            reason: reason.into(),
            proof: String::new(),
            skipped: true,
        }
    }
}

fn first_statement<const N: usize>(
    statements: [(Option<i32>, StatedBy); N],
) -> Option<(i32, StatedBy)> {
    statements.into_iter().find_map(|(mate, by)| Some((mate?, by)))
}

fn mate_of(evaluation: Option<Stated>) -> Option<i32> {
    match evaluation {
        Some(Stated::Mate(moves)) => Some(moves),
        _ => None,
    }
}

/// A line to mate with the mating side to move has an odd length, with the other an even one.
fn mate_of_length(plies: usize) -> Option<i32> {
    let moves = i32::try_from(plies.div_ceil(2)).ok().filter(|moves| *moves > 0)?;
    Some(if plies.is_multiple_of(2) { -moves } else { moves })
}

/// A move written with the sign of mate is said to mate at once.
fn mate_sign(record: &EpdRecord) -> Option<i32> {
    let signed = record.all("bm").any(|operation| {
        operation.operands().any(|operand| {
            let mut words = operand.raw.split([' ', ',']);
            words.any(|word| word.len() > 2 && word.ends_with('#'))
        })
    });
    signed.then_some(1)
}

fn mate_in_words(record: &EpdRecord) -> Option<i32> {
    record
        .operations()
        .filter(|operation| {
            let opcode = operation.opcode.to_ascii_lowercase();
            opcode == "id" || matches!(opcode.as_bytes(), [b'c', b'0'..=b'9'])
        })
        .find_map(|operation| mate_in_text(&operation.text()))
}

/// The depth that words such as "mate in 3", `mateIn3`, `mate_in_3.epd` or "#3" state.
#[must_use]
pub fn mate_in_text(text: &str) -> Option<i32> {
    let text = text.to_ascii_lowercase();
    let after = |word: &str| {
        let at = text.find(word)? + word.len();
        let rest = text[at..].trim_start_matches([' ', '_', '-', '.']);
        let rest = rest.strip_prefix("in").unwrap_or(rest);
        let rest = rest.trim_start_matches([' ', '_', '-', '.']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<i32>().ok().filter(|moves| (1..=500).contains(moves))
    };
    after("mate").or_else(|| after("mat ")).or_else(|| after("#"))
}

/// A line of EPD that could not be read.
pub(crate) fn unread_line(suite: &Arc<str>, error: &EpdError) -> SuiteFault {
    let at =
        if error.token.is_empty() { String::new() } else { format!(" (at {:?})", error.token) };
    SuiteFault {
        suite: suite.to_string(),
        line_no: error.line,
        id: format!("line {}", error.line),
        fen: String::new(),
        reason: format!("{}{at}", error.reason),
        proof: String::new(),
        skipped: true,
    }
}

/// A game that could not be read.
pub(crate) fn unread_game(suite: &Arc<str>, error: &PgnError) -> SuiteFault {
    SuiteFault {
        suite: suite.to_string(),
        line_no: error.problem.line,
        id: format!("game {}", error.game),
        fen: String::new(),
        reason: error.problem.reason.to_string(),
        proof: String::new(),
        skipped: true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const MATE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - -";

    fn read(name: Option<i32>, operations: &str) -> Result<Problem, Box<SuiteFault>> {
        let line = format!("{MATE} {operations}");
        let record = EpdRecord::parse(7, &line).unwrap().unwrap();
        Problem::from_record(&Arc::from("suite.epd"), name, &record)
    }

    #[test]
    fn every_way_to_state_a_mate() {
        use StatedBy::*;
        let cases = [
            ("bm Ra8#; dm 1;", 1, DirectMate),
            ("dm -4;", -4, DirectMate),
            ("bm #3;", 3, BestMove),
            ("bm #-2;", -2, BestMove),
            ("bm Ra8; ce +M2;", 2, Evaluation),
            ("ce -M3;", -3, Evaluation),
            ("ce 32766;", 1, Evaluation),
            ("ce 32760;", 4, Evaluation),
            ("ce -32765;", -1, Evaluation),
            ("bm Ra8#; pv Ra8#;", 1, Line),
            ("bm a1a7; pv a1a7 g8f8 a7a8;", 2, Line),
            ("bm Ra8; id \"mate in 5, 17\";", 5, Words),
            ("bm Ra8; c0 \"themes: mateIn2 short\";", 2, Words),
            ("bm Ra8#;", 1, BestMove),
            ("bm Ra8;", 9, FileName),
        ];
        for (operations, mate, by) in cases {
            let problem = read(Some(9), operations).unwrap();
            assert_eq!((problem.stated, problem.stated_by), (mate, by), "{operations}");
        }
        assert_eq!(mate_in_text("mate_in_2.leorik.epd"), Some(2));
        assert_eq!(mate_in_text("Mate-in-12"), Some(12));
        assert_eq!(mate_in_text("checkmates"), None);
        assert_eq!(mate_in_text("wac.epd"), None);
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        assert!(read(None, "bm Ra8;").unwrap_err().reason.contains("states no mate"));
        assert!(read(None, "dm 0;").unwrap_err().reason.contains("states no mate"));
        let record = EpdRecord::parse(1, "R5k1/5ppp/8/8/8/8/8/6K1 b - - dm 1;").unwrap().unwrap();
        let fault = Problem::from_record(&Arc::from("x"), None, &record).unwrap_err();
        assert!(fault.reason.contains("over") && fault.skipped);
    }

    #[test]
    fn faults_that_leave_the_position_usable() {
        let problem = read(None, "bm Rb8 Ra8; dm 1;").unwrap();
        assert_eq!(problem.best.len(), 1);
        assert!(problem.faults[0].reason.contains("Rb8"), "{:?}", problem.faults);
        let problem = read(None, "bm Ra8; pv Ra7; dm 1;").unwrap();
        assert!(problem.faults[0].reason.contains("does not end in mate"));
    }
}
