//! Whether a principal variation can be played, and ends as its score says.

use dyno_chess::{Game, Outcome, Position};
use dyno_driver::{InfoBuf, Score};

/// The first word of a variation that is not a legal move, in words.
pub fn first_illegal(position: &Position, pv: &str) -> Option<String> {
    let mut position = *position;
    for word in pv.split_ascii_whitespace() {
        match position.parse_uci(word) {
            Ok(mv) => position = position.play(mv),
            Err(_) => return Some(illegal(word)),
        }
    }
    None
}

fn illegal(word: &str) -> String {
    format!("{} is illegal", word.chars().take(20).collect::<String>())
}

/// The same, and whether the variation goes on after the game is over; a mate score needs a
/// variation that ends with that mate. The words are those that fastchess uses.
pub fn full_check(game: &Game, info: &InfoBuf) -> Option<String> {
    let mut game = game.clone();
    let mut plies = 0;
    for word in info.pv.split_ascii_whitespace() {
        let over = match game.adjudicated() {
            Some(Outcome::Checkmate { .. }) => Some("checkmate"),
            Some(Outcome::Stalemate) => Some("stalemate"),
            Some(Outcome::ThreefoldRepetition | Outcome::FivefoldRepetition) => {
                Some("threefold repetition")
            }
            Some(Outcome::FiftyMoves | Outcome::SeventyFiveMoves) => Some("fifty-move rule"),
            Some(Outcome::InsufficientMaterial) | None => None,
        };
        if let Some(over) = over {
            return Some(format!("PV continues after {over}: {word}"));
        }
        match game.position().parse_uci(word) {
            Ok(mv) => game.play(mv),
            Err(_) => return Some(illegal(word)),
        };
        plies += 1;
    }
    let Some(Score::Mate(moves)) = info.score else { return None };
    let wanted = match moves {
        1.. => 2 * u64::from(moves.unsigned_abs()) - 1,
        _ => 2 * u64::from(moves.unsigned_abs()),
    };
    let mated = matches!(game.position().outcome(), Some(Outcome::Checkmate { .. }));
    match plies {
        0 => None,
        _ if plies < wanted => Some("Incomplete mating PV".to_owned()),
        _ if plies > wanted => Some("Too long mating PV".to_owned()),
        _ if !mated => Some("Mating PV does not end with checkmate".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn variations_end_where_the_game_does() {
        let fools_mate = "f2f3 e7e5 g2g4 d8h4";
        for (pv, score, fault) in [
            ("e2e4 e7e5", Score::Cp(10), None),
            ("e2e4 e2e4", Score::Cp(10), Some("e2e4 is illegal")),
            (fools_mate, Score::Mate(-2), None),
            ("f2f3 e7e5 g2g4", Score::Mate(-2), Some("Incomplete mating PV")),
            (fools_mate, Score::Mate(-1), Some("Too long mating PV")),
            ("e2e4 e7e5 g1f3", Score::Mate(2), Some("Mating PV does not end with checkmate")),
            ("f2f3 e7e5 g2g4 d8h4 a2a3", Score::Cp(1), Some("PV continues after checkmate: a2a3")),
            (
                "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4",
                Score::Cp(0),
                Some("PV continues after threefold repetition: e2e4"),
            ),
        ] {
            let info = InfoBuf { pv: pv.into(), score: Some(score), ..InfoBuf::default() };
            let game = Game::new(Position::startpos());
            assert_eq!(full_check(&game, &info).as_deref(), fault, "{pv}");
        }
    }
}
