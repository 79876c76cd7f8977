//! Moves in the piece letters of the game: English, or German where the game keeps to it.

use crate::move_text::read_move;
use dyno_chess::{Move, MoveTextError, Position};

/// Which letters the game uses, as far as its moves have told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Letters {
    #[default]
    Unknown,
    English,
    German,
}

impl Letters {
    /// Reads a move. A game that has used the letters of one language is not read in the other.
    pub(super) fn read(&mut self, position: &Position, text: &str) -> Result<Move, MoveTextError> {
        let used = language(text);
        if *self != Letters::English
            && used == Letters::German
            && let Ok(mv) = read_move(position, &in_english(text))
        {
            *self = Letters::German;
            return Ok(mv);
        }
        if *self == Letters::German && used == Letters::English {
            return Err(MoveTextError::Syntax { text: text.into() });
        }
        let mv = read_move(position, text)?;
        if used == Letters::English {
            *self = Letters::English;
        }
        Ok(mv)
    }
}

/// The language whose letters a move has; king and pawn moves have those of both. A German B is a
/// pawn, so it tells nothing either.
fn language(text: &str) -> Letters {
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    let promotion = bare.trim_end_matches(')').bytes().last();
    for byte in [text.bytes().next(), promotion].into_iter().flatten() {
        match byte {
            b'D' | b'T' | b'L' | b'S' => return Letters::German,
            b'Q' | b'R' | b'N' => return Letters::English,
            _ => {}
        }
    }
    Letters::Unknown
}

/// Dame, Turm, Läufer and Springer become queen, rook, bishop and knight.
fn in_english(text: &str) -> String {
    let english = |letter| match letter {
        'D' => 'Q',
        'T' => 'R',
        'L' => 'B',
        'S' => 'N',
        other => other,
    };
    text.chars().map(english).collect()
}
