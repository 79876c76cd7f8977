//! What an XBoard engine says about the game itself: that it resigns, offers a draw, or holds the
//! game to be over.

use crate::search::ResultClaim;
use dyno_chess::Color;

/// A line about the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameNotice {
    Claim(ResultClaim),
    DrawOffer,
}

impl GameNotice {
    /// Reads a line of an engine that plays that side; `None` when it is about something else.
    pub(super) fn parse(line: &str, own: Color) -> Option<Self> {
        // What engines tell a chess server means the same here.
        let plain = line.strip_prefix("tellics ").unwrap_or(line).trim();
        match plain {
            "resign" => return Some(Self::Claim(ResultClaim::Resign)),
            "offer draw" | "draw" => return Some(Self::DrawOffer),
            _ => {}
        }
        let claim = match (line.split([' ', '\t', '{']).next()?, own) {
            ("1-0", Color::White) | ("0-1", Color::Black) => ResultClaim::Won,
            ("1-0", Color::Black) | ("0-1", Color::White) => ResultClaim::Lost,
            ("1/2-1/2", _) => ResultClaim::Drawn,
            _ => return None,
        };
        Some(Self::Claim(claim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_of_real_engines() {
        use ResultClaim::{Drawn, Lost, Resign, Won};
        for (line, white, black) in [
            ("1-0 {White mates}", Won, Lost),
            ("0-1", Lost, Won),
            ("0-1{White resigns}", Lost, Won),
            ("1/2-1/2 {Draw by repetition}", Drawn, Drawn),
            ("resign", Resign, Resign),
            ("tellics resign", Resign, Resign),
        ] {
            let parse = |own| GameNotice::parse(line, own);
            assert_eq!(parse(Color::White), Some(GameNotice::Claim(white)), "{line}");
            assert_eq!(parse(Color::Black), Some(GameNotice::Claim(black)), "{line}");
        }
        assert_eq!(GameNotice::parse("offer draw", Color::White), Some(GameNotice::DrawOffer));
        for other in ["move e2e4", "12 30 1 5 e4", "1-0-0", "tellics hello", "offer", ""] {
            assert_eq!(GameNotice::parse(other, Color::White), None, "{other}");
        }
    }
}
