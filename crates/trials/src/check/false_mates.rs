//! Checks that one special move answers: an engine whose search has forgotten that kind of move
//! takes them for mate, even where it knows the move at the root.

use super::offers::both_colours;
use super::outcome::{Finding, Findings};
use super::scores::{GREAT_SCORE, cleared, told};
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, asked_position};
use dyno_chess::diagnose;
use dyno_uci::Score;

/// A position in which there is no mate in one, and a check to which every answer is of one kind.
/// No answer allows a mate in one: a mate in two may be printed as a plain score, or one too low.
const NO_MATES: &[(&str, &str)] = &[
    ("fen 1r5k/3p4/8/4P3/2K1n3/8/8/3r4 b - - 0 1", "d7d5"),
    ("fen 8/8/k7/1r6/7K/1q6/2r3P1/8 b - - 0 1", "c2c4"),
    ("fen 1K6/2P1r3/k4q2/8/8/8/5P2/8 b - - 0 1", "e7e8"),
    ("fen 7K/3P4/8/8/8/8/8/kb2r1r1 b - - 0 1", "e1e8"),
    ("fen 5K2/1P4n1/5k2/8/2r3r1/2n5/8/8 b - - 0 1", "c4c8"),
];

/// Asks for the best move where a check looks like mate.
pub(super) fn false_mates(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    for (position, word) in NO_MATES {
        for (position, word) in both_colours(position, word) {
            for go in ["go depth 2", "go depth 4"] {
                if session.time_is_up() {
                    return Ok(());
                }
                let found = cleared(session, &position, go)?;
                findings.judge();
                if let Some(finding) = taken_for_mate(&found, &position, &word) {
                    findings.push(finding);
                    break;
                }
            }
        }
    }
    Ok(())
}

fn taken_for_mate(found: &Search, position: &str, word: &str) -> Option<Finding> {
    let seen = mates_by(found, word)?;
    let before = asked_position(position)?;
    let after = before.play(before.parse_uci(word).ok()?);
    let answer = *after.legal_moves().first()?;
    let why = diagnose::missing(&after, answer);
    let (text, judged) = (after.uci(answer), word.to_owned());
    Some(
        Finding::fail(format!("{seen}, though {text} answers it: {why}"))
            .expected("no mate")
            .cause(format!("the move generator, perhaps only that for positions in check: {why}"))
            .board(&before)
            .rule(&why)
            .of(found, move |search| mates_by(search, &judged)),
    )
}

/// What is said, where the move is announced as mate at once.
fn mates_by(found: &Search, word: &str) -> Option<String> {
    let is_mate = match found.score()? {
        Score::Mate(moves) => moves == 1,
        Score::Cp(cp) => cp > GREAT_SCORE,
    };
    (is_mate && found.best == word)
        .then(|| format!("bestmove {word}, score {}", told(found.score())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_chess::Move;

    #[test]
    fn every_answer_is_of_one_kind() {
        for (position, word) in NO_MATES {
            let before = asked_position(&format!("position {position}"))
                .unwrap_or_else(|| panic!("{position}"));
            let moves = before.legal_moves();
            assert!(!moves.iter().any(|mv| before.play(*mv).is_checkmate()), "{position}");
            let check = before.parse_uci(word).unwrap_or_else(|e| panic!("{word}: {e}"));
            let after = before.play(check);
            assert!(after.is_check() && after.has_legal_move(), "{position}");
            for answer in &after.legal_moves() {
                let double = answer.from().index().abs_diff(answer.to().index()) == 16;
                let is_special = answer.is_en_passant() || answer.promotion().is_some() || double;
                assert!(is_special, "{position}: {}", after.uci(answer));
                let next = after.play(answer);
                let mates = |mv: &Move| next.play(*mv).is_checkmate();
                assert!(!next.legal_moves().iter().any(mates), "{position}");
            }
        }
    }
}
