//! What an XBoard engine says about the game itself: that it gives up, wants a draw, or holds the
//! game to be over.

use crate::search::ResultClaim;
use dyno_chess::Color;

/// A word about the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Claim(ResultClaim),
    DrawOffer,
}

/// Reads a line of an engine that plays that side; `None` when it is about something else.
pub(crate) fn read(line: &str, own: Color) -> Option<Word> {
    // What engines tell a chess server means the same here.
    let plain = line.strip_prefix("tellics ").unwrap_or(line).trim();
    match plain {
        "resign" => return Some(Word::Claim(ResultClaim::Resign)),
        "offer draw" | "draw" => return Some(Word::DrawOffer),
        _ => {}
    }
    let claim = match (line.split([' ', '\t', '{']).next()?, own) {
        ("1-0", Color::White) | ("0-1", Color::Black) => ResultClaim::Won,
        ("1-0", Color::Black) | ("0-1", Color::White) => ResultClaim::Lost,
        ("1/2-1/2", _) => ResultClaim::Drawn,
        _ => return None,
    };
    Some(Word::Claim(claim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_real_engines() {
        for (line, white, black) in [
            ("1-0 {White mates}", ResultClaim::Won, ResultClaim::Lost),
            ("0-1", ResultClaim::Lost, ResultClaim::Won),
            ("0-1{White resigns}", ResultClaim::Lost, ResultClaim::Won),
            ("1/2-1/2 {Draw by repetition}", ResultClaim::Drawn, ResultClaim::Drawn),
            ("resign", ResultClaim::Resign, ResultClaim::Resign),
            ("tellics resign", ResultClaim::Resign, ResultClaim::Resign),
        ] {
            assert_eq!(read(line, Color::White), Some(Word::Claim(white)), "{line}");
            assert_eq!(read(line, Color::Black), Some(Word::Claim(black)), "{line}");
        }
        assert_eq!(read("offer draw", Color::White), Some(Word::DrawOffer));
        for other in ["move e2e4", "12 30 1 5 e4", "1-0-0", "tellics hello", "offer", ""] {
            assert_eq!(read(other, Color::White), None, "{other}");
        }
    }
}
