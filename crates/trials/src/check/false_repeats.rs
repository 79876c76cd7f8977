//! Positions that come again without a castling right or an en-passant square are not repeated. An
//! engine whose key does not see the difference takes them for repetitions, and says so by a draw
//! where all is lost: no table and no `searchmoves` is needed to see it.

use super::outcome::{Finding, Findings};
use super::positions::mirrored_command;
use super::scores::{cleared, told};
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, asked_position};
use dyno_chess::{Move, Position};
use dyno_uci::Score;

/// A way back to a position, but for the last move, which the losing side has yet to make.
struct Return {
    what: &'static str,
    /// The position that has what the one at the end lacks.
    first: &'static str,
    /// The same without it: here the way back is a repetition.
    without: &'static str,
    moves: &'static str,
}

const RETURNS: &[Return] = &[
    Return {
        what: "castling rights",
        first: "fen r3k3/p7/8/8/8/8/P6Q/R3K3 w q - 0 1",
        without: "fen r3k3/p7/8/8/8/8/P6Q/R3K3 w - - 0 1",
        moves: "e1e2 e8f8 e2e1",
    },
    Return {
        what: "castling rights",
        first: "fen r3k2r/pp3ppp/8/8/8/8/PPQ2PPP/R3K2R w kq - 0 1",
        without: "fen r3k2r/pp3ppp/8/8/8/8/PPQ2PPP/R3K2R w - - 0 1",
        moves: "e1e2 e8f8 e2e1",
    },
    Return {
        what: "castling rights",
        first: "fen 4k2r/1p3p1p/8/8/8/8/QP3P1P/R3K3 w k - 0 1",
        without: "fen 4k2r/1p3p1p/8/8/8/8/QP3P1P/R3K3 w - - 0 1",
        moves: "a1b1 h8g8 b1a1",
    },
    Return {
        what: "castling rights",
        first: "fen r3k3/1p3p1p/8/8/8/8/1P3PQP/4K2R w q - 0 1",
        without: "fen r3k3/1p3p1p/8/8/8/8/1P3PQP/4K2R w - - 0 1",
        moves: "h1g1 a8b8 g1h1",
    },
    Return {
        what: "the en-passant square",
        first: "fen 3qk3/8/8/8/3p4/8/4P3/4K3 w - - 0 1 moves e2e4",
        without: "fen 3qk3/8/8/8/3pP3/8/8/4K3 b - - 0 1",
        moves: "e8f8 e1f1 f8e8",
    },
    Return {
        what: "the en-passant square",
        first: "fen 2q1k3/pp6/8/8/5p2/8/PP4P1/4K3 w - - 0 1 moves g2g4",
        without: "fen 2q1k3/pp6/8/8/5pP1/8/PP6/4K3 b - - 0 1",
        moves: "e8d8 e1d1 d8e8",
    },
];

/// As far as contempt goes, and far from what a queen is worth.
const DRAWN: i32 = 60;

/// A `position` command: a start, which may have moves already, and more moves.
fn command(start: &str, moves: &str) -> String {
    let word = if start.contains(" moves ") { "" } else { " moves" };
    format!("position {start}{word} {moves}")
}

/// Searches what only looks like a repetition, where the engine has said that a real one is drawn.
pub(super) fn false_repeats(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let go = "go depth 2";
    for back in RETURNS {
        let commands = [command(back.first, back.moves), command(back.without, back.moves)];
        let mirrored = [mirrored_command(&commands[0]), mirrored_command(&commands[1])];
        for [looks_so, is_so] in [commands, mirrored] {
            if session.time_is_up() {
                return Ok(());
            }
            let Some(last) = asked_position(&is_so).and_then(|here| last_move(back, &here)) else {
                continue;
            };
            // In this order: what `ucinewgame` leaves in the table would tell of the repetition.
            let found = cleared(session, &looks_so, go)?;
            // An engine that waits for the third time cannot be judged.
            if drawn(&cleared(session, &is_so, go)?, &last).is_none() {
                continue;
            }
            findings.judge();
            let Some(seen) = drawn(&found, &last) else { continue };
            let what = back.what;
            let finding = Finding::fail(format!(
                "{seen}, for the side that is a queen down: a position that comes again without \
                 {what} is taken for a repetition"
            ))
            .expected("a lost position: two positions that differ in this are not the same")
            .cause(format!("the key does not see {what}"))
            .root(format!("key without {what}"))
            .shown_by(Script::of_search(&looks_so, go), move |replay| {
                drawn(&replay.last_search()?, &last)
            });
            findings.push(match asked_position(&looks_so) {
                Some(board) => finding.board(&board),
                None => finding,
            });
        }
    }
    Ok(())
}

/// The move that leads back, in the colours of the position before it.
fn last_move(back: &Return, before: &Position) -> Option<String> {
    let without = asked_position(&format!("position {}", back.without))?;
    let ends = [without, without.mirrored()];
    let moves = before.legal_moves();
    let leads_back = |mv: &&Move| ends.iter().any(|end| before.play(**mv).is_same(end));
    moves.iter().find(leads_back).map(|mv| before.uci(*mv))
}

/// What is said, where the way back is taken for a draw.
fn drawn(found: &Search, last: &str) -> Option<String> {
    let score = found.score()?;
    let is_drawn = matches!(score, Score::Cp(cp) if cp.abs() <= DRAWN);
    (is_drawn && found.best == last && !found.overran)
        .then(|| format!("{last}, score {}", told(Some(score))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_move_leads_back_to_what_is_not_the_same() {
        for back in RETURNS {
            let parse =
                |command: &str| asked_position(command).unwrap_or_else(|| panic!("{command}"));
            let [first, without] =
                [back.first, back.without].map(|start| parse(&format!("position {start}")));
            let before = parse(&command(back.first, back.moves));
            assert!(!first.is_same(&without), "{}", back.first);
            assert!(last_move(back, &before).is_some(), "{}", back.first);
            let really = parse(&command(back.without, back.moves));
            assert!(really.is_same(&before), "{}", back.without);
        }
    }
}
