//! `position`: every one is set up anew, whatever stood on the board before, and however the line
//! is written.

use super::Checked;
use super::outcome::{Finding, Findings};
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, search};
use dyno_chess::{Position, SplitMix64};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn positions(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    // What is left of another position would show in every way of writing.
    if one_after_another(session, &findings)? {
        in_writing(session, &findings)?;
    }
    Ok(findings.outcome("each is set up anew, however it is written"))
}

/// A random game: the board after each of its moves, and the moves as words.
pub(super) struct RandomGame {
    boards: Vec<Position>,
    pub words: Vec<String>,
}

const PLIES: usize = 60;

impl RandomGame {
    pub fn new(random: &mut SplitMix64) -> RandomGame {
        let mut game = RandomGame { boards: vec![Position::startpos()], words: Vec::new() };
        let mut here = Position::startpos();
        while game.words.len() < PLIES {
            let moves = here.legal_moves();
            let goes_on = |mv: &dyno_chess::Move| here.play(*mv).outcome().is_none();
            let moves: Vec<_> = moves.iter().copied().filter(goes_on).collect();
            let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
            game.words.push(here.uci(*mv));
            here = here.play(*mv);
            game.boards.push(here);
        }
        game
    }

    /// The position after some of its moves, from the start or from an earlier one of its boards.
    pub fn command(&self, from: usize, to: usize) -> String {
        let to = to.min(self.words.len());
        let from = from.min(to);
        let start = match from {
            0 => "startpos".to_owned(),
            _ => format!("fen {}", self.boards[from].fen()),
        };
        match &self.words[from..to] {
            [] => format!("position {start}"),
            words => format!("position {start} moves {}", words.join(" ")),
        }
    }
}

/// Parts of a game, as a GUI asks for them: one move further, two, back again, from a board in the
/// middle, from the start.
const PARTS: [(usize, usize); 12] = [
    (0, 9),
    (0, 10),
    (0, 12),
    (0, 11),
    (20, 20),
    (0, 13),
    (0, 0),
    (31, 31),
    (31, 36),
    (0, 36),
    (0, 1),
    (31, 32),
];

/// Positions of games one after another in one process; whether each of them is its own. Half of
/// the time is for how they are written.
fn one_after_another(session: &mut Session<'_>, findings: &Findings) -> Result<bool, Stop> {
    let half = session.left() / 2;
    let go = session.least_search()?;
    let patience = session.patience_for_move(PATIENCE)?;
    let mut random = SplitMix64::new(session.plan.seed ^ 0x5E7);
    let mut engine = session.fresh()?;
    let mut before: Option<String> = None;
    for _ in 0..session.profile().choose(12, 60, 300) {
        let game = RandomGame::new(&mut random);
        for (from, to) in PARTS {
            if session.left() <= half {
                return Ok(true);
            }
            let position = game.command(from, to);
            let found = search(&mut engine, &position, &go, patience)?;
            findings.judge();
            if let (Some(bad), Some(before)) = (found.illegal_answer(), &before) {
                findings.push(left_over(&found, before, &go, &bad));
                return Ok(false);
            }
            before = Some(position);
        }
    }
    Ok(true)
}

/// The finding, where the second of two positions is not answered for what it is; alone it may be.
fn left_over(found: &Search, before: &str, go: &str, bad: &str) -> Finding {
    let position = found.asked.first().cloned().unwrap_or_default();
    let mut finding = Finding::fail(format!("after another position: {bad}"))
        .expected("a legal move of the position that was set up last")
        .cause("the moves are played on the board that stands there, or only those that are new; castling rights, en passant or the side to move are left from the position before")
        .root("position left over")
        .shown_by(Script::of_search(before, go).search(&position, go), |replay| {
            replay.last_search()?.illegal_answer()
        })
        .seen_in(found.mark.clone());
    finding.fen = found.position().map(|position| position.fen());
    finding
}

/// A way to write a position, and the same as everybody does.
struct Writing {
    what: &'static str,
    cause: &'static str,
    written: &'static str,
    meant: &'static str,
}

const fn writing(
    what: &'static str,
    cause: &'static str,
    written: &'static str,
    meant: &'static str,
) -> Writing {
    Writing { what, cause, written, meant }
}

const FIELDS: &str =
    "every field of a FEN is assumed to be there: take what is missing for 0 and 1";
const MOVES: &str = "a move is assumed to follow the word moves";
const SPACE: &str = "lines are split at single spaces: split them at white space of any kind";

/// Black to move, so that a `position` which is not understood leaves a board on which White's
/// moves are illegal.
const BEFORE: &str = "position fen 8/8/1p2k1p1/3p1p2/1P1P1P2/3K2P1/8/8 b - - 0 40";

const WRITINGS: [Writing; 6] = [
    writing(
        "a FEN without its counters",
        FIELDS,
        "position fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
        "position fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 1",
    ),
    writing("an empty list of moves", MOVES, "position startpos moves", "position startpos"),
    writing(
        "an empty list of moves after a FEN",
        MOVES,
        "position fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 moves",
        "position fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    ),
    writing(
        "several spaces between the words",
        SPACE,
        "position   startpos   moves   e2e4   e7e5",
        "position startpos moves e2e4 e7e5",
    ),
    writing(
        "tabs between the words",
        SPACE,
        "position\tstartpos\tmoves\te2e4\te7e5",
        "position startpos moves e2e4 e7e5",
    ),
    writing(
        "a carriage return at the end of the line",
        SPACE,
        "position startpos moves e2e4 e7e5\r",
        "position startpos moves e2e4 e7e5",
    ),
];

/// What the protocol calls the same, and what GUIs are known to write.
fn in_writing(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let go = session.least_search()?;
    let patience = session.patience_for_move(PATIENCE)?;
    let mut engine = session.fresh()?;
    for Writing { what, cause, written, meant } in &WRITINGS {
        if session.time_is_up() {
            break;
        }
        search(&mut engine, BEFORE, &go, patience)?;
        let meant_by = |mut found: Search| {
            found.asked = vec![(*meant).to_owned(), go.clone()];
            found
        };
        let answer = search(&mut engine, written, &go, patience).map(meant_by);
        findings.judge();
        let seen = match answer {
            Ok(found) => found.illegal_answer(),
            Err(stop) => Some(stop.failure()?.to_string()),
        };
        let Some(seen) = seen else { continue };
        let script = Script::of_search(BEFORE, &go).search(written, &go);
        findings.push(
            Finding::warn(format!("{what}: {seen}"))
                .expected(format!("the same as for `{meant}`"))
                .cause(*cause)
                .root(*cause)
                .shown_by(script, move |replay| {
                    let mut last = replay.last_search()?;
                    last.asked = vec![(*meant).to_owned(), String::new()];
                    let down = replay.exited().map(str::to_owned);
                    down.or_else(|| replay.silent().map(|what| format!("no {what}")))
                        .or_else(|| last.illegal_answer())
                }),
        );
        engine = session.fresh()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::positions::SEARCHED;
    use super::super::transcript::asked_position;
    use super::*;
    use dyno_chess::Color;

    #[test]
    fn what_is_not_understood_shows() {
        let before = asked_position(BEFORE);
        assert_eq!(before.map(|board| board.side_to_move()), Some(Color::Black));
        for Writing { what, meant, .. } in &WRITINGS {
            let board = asked_position(meant).unwrap_or_else(|| panic!("{what}"));
            assert_eq!(board.side_to_move(), Color::White, "{what}");
        }
        assert_eq!(SEARCHED[6], BEFORE.trim_start_matches("position fen "));
    }

    #[test]
    fn parts_of_a_game_are_its_boards() {
        let game = RandomGame::new(&mut SplitMix64::new(7));
        for (from, to) in PARTS {
            let command = game.command(from, to);
            let board = asked_position(&command).unwrap_or_else(|| panic!("{command}"));
            assert_eq!(board.fen(), game.boards[to.min(game.words.len())].fen(), "{command}");
        }
    }
}
