//! The line an engine gives with a mate score, judged by the rules.

use dyno_chess::{Game, Move, Position};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a mate line is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineVerdict {
    /// Legal, of the length of the mate, and it ends in mate.
    Ok,
    /// Legal, but it stops before the announced mate.
    TooShort,
    /// Legal, but it goes on beyond the announced mate.
    TooLong,
    /// It holds a move that is not legal.
    Illegal,
    /// Legal and of the right length, but no mate at its end.
    NoMate,
    /// The losing side could claim a draw on the way.
    Drawn,
}

impl LineVerdict {
    /// The words used in reports.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            LineVerdict::Ok => "ok",
            LineVerdict::TooShort => "too short",
            LineVerdict::TooLong => "too long",
            LineVerdict::Illegal => "illegal",
            LineVerdict::NoMate => "does not end in mate",
            LineVerdict::Drawn => "drawn on the way",
        }
    }
}

impl fmt::Display for LineVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// How many lines got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineVerdicts {
    pub ok: u64,
    pub too_short: u64,
    pub too_long: u64,
    pub illegal: u64,
    pub no_mate: u64,
    pub drawn: u64,
}

impl LineVerdicts {
    pub(crate) fn add(&mut self, verdict: LineVerdict) {
        *match verdict {
            LineVerdict::Ok => &mut self.ok,
            LineVerdict::TooShort => &mut self.too_short,
            LineVerdict::TooLong => &mut self.too_long,
            LineVerdict::Illegal => &mut self.illegal,
            LineVerdict::NoMate => &mut self.no_mate,
            LineVerdict::Drawn => &mut self.drawn,
        } += 1;
    }

    pub(crate) fn absorb(&mut self, other: &LineVerdicts) {
        self.ok += other.ok;
        self.too_short += other.too_short;
        self.too_long += other.too_long;
        self.illegal += other.illegal;
        self.no_mate += other.no_mate;
        self.drawn += other.drawn;
    }

    /// Each verdict with its count.
    #[must_use]
    pub fn each(&self) -> [(LineVerdict, u64); 6] {
        [
            (LineVerdict::Ok, self.ok),
            (LineVerdict::TooShort, self.too_short),
            (LineVerdict::TooLong, self.too_long),
            (LineVerdict::Illegal, self.illegal),
            (LineVerdict::NoMate, self.no_mate),
            (LineVerdict::Drawn, self.drawn),
        ]
    }
}

/// A judged line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedLine {
    pub verdict: LineVerdict,
    /// The line in SAN as far as it is legal, and the rest as written.
    pub san: String,
    /// What is wrong, in words; empty when nothing is.
    pub fault: String,
}

/// How many half-moves a mate in this many moves takes; negative: the side to move is mated.
#[must_use]
pub fn plies_to_mate(mate: i32) -> usize {
    let moves = mate.unsigned_abs() as usize;
    if mate > 0 { 2 * moves - 1 } else { 2 * moves }
}

/// Judges a line of UCI moves that comes with the announcement of a mate.
#[must_use]
pub fn judge_line(position: &Position, mate: i32, line: &str) -> JudgedLine {
    let loser = if mate > 0 { !position.side_to_move() } else { position.side_to_move() };
    let mut game = Game::new(*position);
    let mut san: Vec<String> = Vec::new();
    let mut drawn = None;
    let mut illegal = None;
    for text in line.split_ascii_whitespace() {
        let at = *game.position();
        let claim = at.side_to_move() == loser && can_claim_draw(&mut game);
        if claim && drawn.is_none() && illegal.is_none() {
            drawn = Some(san.len());
        }
        match at.parse_uci(text) {
            Ok(mv) if illegal.is_none() => {
                san.push(at.san(mv));
                game.play(mv);
            }
            _ => {
                illegal.get_or_insert_with(|| (san.len(), text.to_owned()));
                san.push(text.to_owned());
            }
        }
    }
    let wanted = plies_to_mate(mate);
    let length = san.len();
    let (verdict, fault) = match (drawn, illegal) {
        (Some(ply), _) => (
            LineVerdict::Drawn,
            format!("the losing side can claim a draw before half-move {}", ply + 1),
        ),
        (None, Some((ply, text))) => {
            (LineVerdict::Illegal, format!("half-move {}, {text}, is not legal", ply + 1))
        }
        _ if length < wanted => {
            (LineVerdict::TooShort, format!("{length} half-moves instead of {wanted}"))
        }
        _ if length > wanted => {
            (LineVerdict::TooLong, format!("{length} half-moves instead of {wanted}"))
        }
        _ if game.position().is_checkmate() => (LineVerdict::Ok, String::new()),
        _ if game.position().is_stalemate() => {
            (LineVerdict::NoMate, "ends in stalemate".to_owned())
        }
        _ => (LineVerdict::NoMate, "no mate at its end".to_owned()),
    };
    JudgedLine { verdict, san: numbered(position, &san), fault }
}

/// Whether the side to move may claim a draw now or by a move it can make: the third occurrence or
/// the fiftieth move.
fn can_claim_draw(game: &mut Game) -> bool {
    if game.claimable_draw().is_some() {
        return true;
    }
    let played = game.moves().len();
    let clock = game.position().halfmove_clock() as usize;
    // Two returns to the same position take eight reversible half-moves within the line.
    if clock < 99 && clock.min(played) < 7 {
        return false;
    }
    let moves = game.position().legal_moves();
    moves.into_iter().any(|mv| {
        game.play(mv);
        let drawn = game.claimable_draw().is_some() && game.position().has_legal_move();
        game.undo();
        drawn
    })
}

/// A line of legal moves with move numbers, in SAN: `1. Qg2#` or `3... Kh8 4. Ra8#`.
#[must_use]
pub fn san_line(position: &Position, moves: &[Move]) -> String {
    let mut at = *position;
    let san: Vec<String> = moves
        .iter()
        .map(|&mv| {
            let text = at.san(mv);
            at = at.play(mv);
            text
        })
        .collect();
    numbered(position, &san)
}

/// Counts from 1: the number of moves to the mate is what a reader wants to see.
fn numbered(position: &Position, san: &[String]) -> String {
    let black = usize::from(position.side_to_move() == dyno_chess::Color::Black);
    let mut text = String::new();
    for (index, mv) in san.iter().enumerate() {
        let ply = index + black;
        if !text.is_empty() {
            text.push(' ');
        }
        if ply.is_multiple_of(2) {
            text.push_str(&format!("{}. ", ply / 2 + 1));
        } else if index == 0 {
            text.push_str(&format!("{}... ", ply / 2 + 1));
        }
        text.push_str(mv);
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn judge(fen: &str, mate: i32, line: &str) -> (LineVerdict, String) {
        let judged = judge_line(&Position::from_fen(fen).unwrap(), mate, line);
        (judged.verdict, judged.san)
    }

    const TWO: &str = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 0 1";

    #[test]
    fn every_verdict() {
        use LineVerdict::*;
        let cases = [
            (2, "d5f6 g7f6 c4f7", Ok),
            (2, "d5f6 g7f6", TooShort),
            (2, "", TooShort),
            (1, "d5f6 g7f6 c4f7", TooLong),
            (2, "d5f6 g7f6 c4f8", Illegal),
            (2, "d5f6 g7f6 nonsense", Illegal),
            (2, "e5f7 d1c2 c4b3", NoMate),
            (-1, "d5f6 g7f6", NoMate),
        ];
        for (mate, line, verdict) in cases {
            assert_eq!(judge(TWO, mate, line).0, verdict, "{mate} {line}");
        }
        assert_eq!(judge(TWO, 2, "d5f6 g7f6 c4f7").1, "1. Nf6+ gxf6 2. Bxf7#");
        let black = Position::from_fen(TWO).unwrap();
        let black = black.play(black.parse_uci("d5f6").unwrap());
        assert_eq!(judge(&black.fen(), -1, "g7f6 c4f7").1, "1... gxf6 2. Bxf7#");
    }

    #[test]
    fn a_line_that_lets_the_loser_claim_a_draw() {
        let fen = "7k/8/8/8/8/8/5R2/K5R1 w - - 0 1";
        let dance = "g1g2 h8h7 g2g1 h7h8";
        let line = format!("{dance} {dance} g1g3 h8h7 f2h2");
        assert_eq!(judge(fen, 6, &line).0, LineVerdict::Drawn);
        let line = format!("{dance} g1g3 h8h7 f2h2");
        assert_eq!(judge(fen, 4, &line).0, LineVerdict::Ok);
        // With the clock at 98, the reply makes fifty moves.
        let fen = "7k/8/6K1/8/8/8/5R2/8 w - - 98 80";
        assert_eq!(judge(fen, 2, "f2f1 h8g8 f1f2").0, LineVerdict::Drawn);
        // A mate on the hundredth half-move counts.
        let fen = "7k/8/6K1/8/8/8/5R2/8 w - - 99 80";
        assert_eq!(judge(fen, 1, "f2f8").0, LineVerdict::Ok);
    }
}
