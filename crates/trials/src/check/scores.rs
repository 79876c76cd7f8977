//! Scores that have to be right whatever the evaluation: whose they are, and what hangs.

use super::outcome::{Finding, Findings};
use super::script::Script;
use super::session::Session;
use super::transcript::{InfoLine, Search, search, until_ready};
use super::{Checked, Stop};
use dyno_chess::Position;
use dyno_uci::Score;
use std::time::Duration;

/// A search with cleared tables.
pub(super) fn cleared(session: &mut Session<'_>, position: &str, go: &str) -> Result<Search, Stop> {
    let engine = session.engine()?;
    engine.new_game()?;
    until_ready(engine, Duration::from_secs(10))?;
    search(engine, position, go, Duration::from_secs(5))
}

/// A score in the words of the protocol.
pub(super) fn told(score: Option<Score>) -> String {
    match score {
        Some(Score::Cp(cp)) => format!("cp {cp}"),
        Some(Score::Mate(moves)) => format!("mate {moves}"),
        None => "no score".to_owned(),
    }
}

/// Quiet positions in which White has a rook or a queen more, and nothing hangs.
const AHEAD: &[&str] = &[
    "4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1",
    "2b3k1/p4ppp/1p6/8/8/1P3N2/P4PPP/2BR2K1 w - - 0 1",
];

/// The same with more pawns to take than one move can save: a sign lost in quiescence turns the
/// score around wherever the other side has a capture.
const TENSE: &[&str] = &[
    "4k3/8/8/1p1p1p1p/P1P1P1P1/8/8/3QK3 w - - 0 1",
    "r3k3/2n5/8/1p1p1p1p/P1P1P1P1/8/8/R2QK1N1 w - - 0 1",
];

/// Less is not said to be ahead or behind by anyone.
const CLEAR: i32 = 100;

pub(super) fn point_of_view(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("scores");
    let depth = session.depth_within(150)?.unwrap_or(4).clamp(2, 6);
    let go = format!("go depth {depth}");
    for fen in AHEAD.iter().chain(TENSE) {
        let Ok(ahead) = Position::from_fen(fen) else { continue };
        // Both colours ahead, both to move.
        let behind = ahead.play_null();
        for (position, is_ahead) in
            [(ahead, true), (behind, false), (ahead.mirrored(), true), (behind.mirrored(), false)]
        {
            if session.time_is_up() {
                break;
            }
            let found = cleared(session, &format!("position fen {}", position.fen()), &go)?;
            findings.judge_many(exact(&found).count());
            let Some(seen) = wrong_side(&found, is_ahead) else { continue };
            let mover = position.side_to_move();
            findings.push(
                Finding::fail(format!("{seen}, with {mover} to move and {}", standing(is_ahead)))
                    .expected("scores from the point of view of the side to move, at every depth")
                    .cause(
                        "the score is told from White's point of view; or a negation is missing, \
                         in `score = -search(-beta, -alpha)` or where the evaluation is returned",
                    )
                    .board(&position)
                    .root("sign of scores")
                    .root(FOR_WHITE)
                    .of(&found, move |search| wrong_side(search, is_ahead)),
            );
        }
    }
    Ok(findings
        .outcome_or_skip("every score has the right sign", "the engine sends no exact scores"))
}

/// A score that claims a mate, where an engine has no words for one: above any evaluation.
pub(super) const GREAT_SCORE: i32 = 15_000;

/// The cause of every score that is wrong for one side.
pub(super) const FOR_WHITE: &str = "scores for White";

fn standing(is_ahead: bool) -> &'static str {
    if is_ahead { "clearly ahead" } else { "clearly behind" }
}

fn exact(found: &Search) -> impl Iterator<Item = &InfoLine> {
    found.thoughts.iter().filter(|t| t.exact && t.multipv == 1 && t.score.is_some())
}

/// The first score that has the wrong sign.
fn wrong_side(found: &Search, is_ahead: bool) -> Option<String> {
    let sign = if is_ahead { 1 } else { -1 };
    exact(found).find_map(|thought| {
        let is_wrong = match thought.score? {
            Score::Cp(cp) => cp * sign < -CLEAR,
            Score::Mate(moves) => moves * sign < 0,
        };
        let at = thought.depth.map(|depth| format!(" at depth {depth}")).unwrap_or_default();
        is_wrong.then(|| format!("score {}{at}", told(thought.score)))
    })
}

/// How deep positions are searched without clearing anything: where evaluations are all there is.
const SHALLOW: [u32; 3] = [1, 2, 3];

/// The same questions one after the other, twice, with nothing cleared in between.
pub(super) fn asked_again(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("scores");
    for depth in SHALLOW {
        let go = format!("go depth {depth}");
        let engine = session.engine()?;
        engine.new_game()?;
        until_ready(engine, Duration::from_secs(10))?;
        let mut script = Script::new();
        let mut asked: Vec<(String, bool)> = Vec::new();
        for ahead in AHEAD.iter().filter_map(|fen| Position::from_fen(fen).ok()) {
            let behind = ahead.play_null();
            for (position, is_ahead) in [
                (ahead, true),
                (behind, false),
                (ahead.mirrored(), true),
                (behind.mirrored(), false),
            ] {
                asked.push((format!("position fen {}", position.fen()), is_ahead));
            }
        }
        for (text, is_ahead) in asked.iter().chain(&asked) {
            if session.time_is_up() {
                break;
            }
            let found = search(session.engine()?, text, &go, Duration::from_secs(5))?;
            script = script.search(text, &go);
            findings.judge_many(exact(&found).count());
            let Some(seen) = wrong_side(&found, *is_ahead) else { continue };
            // What is wrong with cleared tables as well is not what this is about.
            let alone = cleared(session, text, &go)?;
            if wrong_side(&alone, *is_ahead).is_some() {
                return Ok(findings.outcome_or_skip(RIGHT_AGAIN, NO_SCORES));
            }
            findings.push(from_a_cache(session, seen, text, *is_ahead, script));
            break;
        }
    }
    Ok(findings.outcome_or_skip(RIGHT_AGAIN, NO_SCORES))
}

const RIGHT_AGAIN: &str = "every score has the right sign, whatever was asked before";
const NO_SCORES: &str = "the engine sends no exact scores";

fn from_a_cache(
    session: &Session<'_>,
    seen: String,
    text: &str,
    is_ahead: bool,
    script: Script,
) -> Finding {
    let finding = Finding::fail(format!(
        "{seen}, though the side to move is {}: only after other positions were searched",
        standing(is_ahead)
    ))
    .expected("the score of a cleared table: it depends on the position alone")
    .cause(
        "a cache of evaluations, or the table, does not know whose score it keeps: the side to \
         move is not in its key, or the sign is changed after the score is kept",
    )
    .root("scores from a cache")
    .shown_by(script, move |replay| wrong_side(&replay.last_search()?, is_ahead))
    .seen_in(Some(session.latest()));
    match super::transcript::asked_position(text) {
        Some(position) => finding.board(&position),
        None => finding,
    }
}

/// Positions in which the side to move is far ahead, and a check that gives nothing away.
const CHECKS: &[(&str, &str)] = &[
    ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", "d1h5"),
    ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", "d1e2"),
    ("6k1/6pp/8/8/8/8/5PPP/2R3K1 w - - 0 1", "c1c8"),
    ("6k1/pp3p1p/6p1/8/8/8/PP3PPP/3Q2K1 w - - 0 1", "d1d8"),
    ("6k1/5p1p/8/8/8/8/4QPPP/6K1 w - - 0 1", "e2e8"),
];
/// This much is not an even game.
const FAR_AHEAD: i32 = 150;

/// A check does not make a won position even: quiescence looks at the ways out of it.
pub(super) fn checks_at_the_end(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("checks");
    if !session.keeps_searchmoves()? {
        return Ok(super::CheckOutcome::skip("searchmoves is ignored"));
    }
    let mut wrong = Vec::new();
    for (fen, check) in CHECKS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        for (position, check) in [
            (position, (*check).to_owned()),
            (position.mirrored(), super::positions::mirrored_word(check)),
        ] {
            if session.time_is_up() {
                break;
            }
            let text = format!("position fen {}", position.fen());
            let found = cleared(session, &text, &format!("go depth 1 searchmoves {check}"))?;
            if found.score().is_none() || found.best != check {
                continue;
            }
            findings.judge();
            if let Some(seen) = not_ahead(&found) {
                wrong.push((position, found, format!("{seen} for {check}")));
            }
        }
    }
    let lines: Vec<String> =
        wrong.iter().map(|(p, _, seen)| format!("{}: {seen}", p.fen())).collect();
    if let Some((position, found, seen)) = wrong.into_iter().next() {
        let text = format!(
            "{seen}, a check that gives nothing away: so in {} of {} positions",
            lines.len(),
            findings.judged()
        );
        // A term of the evaluation may do it once.
        let finding = match 2 * lines.len() < findings.judged() {
            true => Finding::warn(text),
            false => Finding::fail(text),
        };
        findings.push(
            finding
                .expected("the score of a side that is a rook or more ahead")
                .cause(
                    "quiescence scores a side in check as even instead of searching the ways out \
                     of the check",
                )
                .board(&position)
                .evidence(lines)
                .root("checks at the end of a line")
                .of(&found, not_ahead),
        );
    }
    Ok(findings.outcome_or_skip("none makes a won position even", NO_SCORES))
}

fn not_ahead(found: &Search) -> Option<String> {
    let is_even = match found.score()? {
        Score::Cp(cp) => cp < FAR_AHEAD,
        Score::Mate(moves) => moves < 0,
    };
    is_even.then(|| format!("score {}", told(found.score())))
}

/// What the side to move must do: take what is given away, or not give away its own.
struct Gift {
    what: &'static str,
    fen: &'static str,
    /// The moves that do it.
    right: &'static [&'static str],
}

const GIFTS: &[Gift] = &[
    Gift {
        what: "a queen can be taken by a pawn for nothing",
        fen: "4k3/ppp2ppp/8/3q4/2P1P3/8/PP3PPP/4K3 w - - 0 1",
        right: &["c4d5", "e4d5"],
    },
    Gift {
        what: "a queen can be taken by a rook for nothing",
        fen: "6k1/pp3ppp/8/8/3q4/8/PP3PPP/3R2K1 w - - 0 1",
        right: &["d1d4"],
    },
    Gift {
        what: "a rook can be taken by a bishop for nothing",
        fen: "6k1/1p3ppp/8/8/4r3/8/PP3PPP/1B4K1 w - - 0 1",
        right: &["b1e4"],
    },
    Gift {
        what: "a queen can be taken by a knight for nothing",
        fen: "6k1/pp3ppp/3q4/8/4N3/8/PP3PPP/6K1 w - - 0 1",
        right: &["e4d6"],
    },
    Gift {
        what: "a queen can be taken by a queen for nothing",
        fen: "6k1/5ppp/8/3q4/8/8/5PPP/3Q2K1 w - - 0 1",
        right: &["d1d5"],
    },
    Gift {
        what: "a queen can be taken by the king for nothing",
        fen: "6k1/5ppp/8/8/8/8/4qPPP/5K2 w - - 0 1",
        right: &["f1e2"],
    },
    Gift {
        what: "a queen can be taken for nothing, besides a pawn",
        fen: "6k1/pp3ppp/8/3p4/4n2q/6P1/PP3P1P/3R2K1 w - - 0 1",
        right: &["g3h4"],
    },
    Gift {
        what: "a queen can be taken by a rook for nothing",
        fen: "6k1/p4ppp/1r6/8/3N4/2q4P/P4PP1/2R3K1 w - - 0 1",
        right: &["c1c3"],
    },
    Gift {
        what: "a queen can be taken by a pawn that is promoted",
        fen: "1q6/P4pkp/6p1/8/8/8/5PPP/6K1 w - - 0 1",
        right: &["a7b8q", "a7b8r"],
    },
];

/// A gift as it is asked for: also with colours exchanged, and with left and right, so that no place
/// in the list of moves is left out.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    gift: &'static Gift,
    is_mirrored: bool,
    is_flipped: bool,
}

impl Turned {
    pub fn all() -> impl Iterator<Item = Turned> {
        let ways = [(false, false), (true, false), (false, true), (true, true)];
        ways.into_iter().flat_map(|(is_mirrored, is_flipped)| {
            GIFTS.iter().map(move |gift| Turned { gift, is_mirrored, is_flipped })
        })
    }

    pub fn position(self) -> Option<Position> {
        let fen = if self.is_flipped { flipped(self.gift.fen) } else { self.gift.fen.to_owned() };
        let position = Position::from_fen(&fen).ok()?;
        Some(if self.is_mirrored { position.mirrored() } else { position })
    }

    /// The moves that take it, in this position.
    fn right(self) -> Vec<String> {
        let turn = |word: &str| {
            let word = if self.is_flipped { flipped_word(word) } else { word.to_owned() };
            if self.is_mirrored { super::positions::mirrored_word(&word) } else { word }
        };
        self.gift.right.iter().map(|word| turn(word)).collect()
    }
}

/// A FEN without castling rights, with left and right exchanged.
pub(super) fn flipped(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').unwrap_or((fen, ""));
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

pub(super) fn flipped_word(word: &str) -> String {
    let flip = |(place, letter): (usize, char)| match letter {
        // The promoted piece comes after the squares.
        'a'..='h' if place < 4 => char::from(b'a' + b'h' - letter as u8),
        other => other,
    };
    word.chars().enumerate().map(flip).collect()
}

pub(super) fn captures(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let depth = session.depth_within(150)?.unwrap_or(3).clamp(2, 5);
    let (mut missed, mut first) = (Vec::new(), None);
    for turned in Turned::all() {
        let Some(position) = turned.position() else { continue };
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {}", position.fen());
        let asked = cleared(session, &text, &format!("go depth {depth}"));
        let Some(found) = session.in_time(asked)? else { break };
        findings.judge();
        if let Some(seen) = refuses(turned, &found) {
            missed.push(format!("{seen} in {}", position.fen()));
            first.get_or_insert((turned, position, found, seen));
        }
    }
    if let Some((turned, position, found, seen)) = first {
        push_refused(&findings, turned, &position, &found, (seen, missed));
    }
    Ok(findings.outcome("everything that hangs is taken"))
}

fn push_refused(
    findings: &Findings,
    turned: Turned,
    position: &Position,
    found: &Search,
    (seen, missed): (String, Vec<String>),
) {
    findings.push(
        Finding::fail(format!(
            "{seen}, in {} of {} such positions",
            missed.len(),
            findings.judged()
        ))
        .expected(format!("bestmove {}", turned.right().join(" or ")))
        .cause(
            "a negation is missing in the search or in quiescence, the exchange evaluation \
                 has the wrong sign, captures are not searched, or a root move is left out",
        )
        .board(position)
        .evidence(missed)
        .root("sign of scores")
        .of(found, move |search| refuses(turned, search)),
    );
}

/// What was played instead of taking; a pawn may become another piece than a queen.
pub(super) fn refuses(turned: Turned, found: &Search) -> Option<String> {
    let takes = turned.right().iter().any(|word| word.get(..4) == found.best.get(..4));
    (!takes && !found.best.is_empty())
        .then(|| format!("bestmove {} although {}", found.best, turned.gift.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gifts_can_be_taken_whichever_way_they_are_turned() {
        assert_eq!(Turned::all().count(), 4 * GIFTS.len());
        for turned in Turned::all() {
            let position = turned.position().unwrap_or_else(|| panic!("{}", turned.gift.fen));
            for word in turned.right() {
                let mv = position.parse_uci(&word).unwrap_or_else(|e| panic!("{word}: {e}"));
                assert!(position.is_capture(mv), "{word} in {}", position.fen());
            }
        }
    }
    use dyno_solver::{Budget, Solver};

    #[test]
    fn those_ahead_are_not_in_danger() {
        for fen in AHEAD {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            for position in [position, position.play_null()] {
                assert!(!position.is_check(), "{fen}");
                let takes = |mv: &dyno_chess::Move| position.is_capture(*mv);
                assert!(!position.legal_moves().iter().any(takes), "{fen}");
            }
        }
    }

    #[test]
    fn more_can_be_taken_than_one_move_saves() {
        for fen in TENSE {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            for mv in &position.legal_moves() {
                let next = position.play(mv);
                let takes = |mv: &dyno_chess::Move| next.is_capture(*mv);
                assert!(next.is_check() || next.legal_moves().iter().any(takes), "{fen}");
            }
        }
    }

    #[test]
    fn checks_give_nothing_away() {
        for (fen, check) in CHECKS {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let mv = position.parse_uci(check).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let next = position.play(mv);
            assert!(next.is_check() && !next.is_checkmate(), "{fen}: {check}");
            let takes = |mv: &dyno_chess::Move| next.is_capture(*mv);
            assert!(!next.legal_moves().iter().any(takes), "{fen}: {check}");
        }
    }

    #[test]
    fn gifts_can_be_taken_and_nothing_mates_instead() {
        for gift in GIFTS {
            let position = Position::from_fen(gift.fen).unwrap_or_else(|e| panic!("{e}"));
            for word in gift.right {
                assert!(position.parse_uci(word).is_ok(), "{}: {word}", gift.fen);
            }
            let mate = Solver::new(16).shortest(&position, 2, &Budget::NONE);
            assert_eq!(mate, Ok(None), "{}", gift.fen);
        }
    }
}
