//! Positions whose castling rights or en-passant square the pieces do not allow, mended.
//!
//! Positions at odds (a game without the queen's rook) are often written with all castling rights.
//! The rest of such a FEN is sound; what is impossible is taken away and named.

use dyno_chess::{FenError, Position};
use std::fmt;

/// What was taken away, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The field: `castling` or `en passant`.
    pub field: &'static str,
    /// What stood there.
    pub text: String,
    /// What is wrong with it.
    pub error: FenError,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} repaired: {}", self.field, self.text, self.error)
    }
}

/// Reads a FEN, without the castling rights that have no king or rook and without an en-passant
/// square that no double step can have left. What is wrong beyond that stays an error.
///
/// ```
/// use dyno_formats::repaired;
/// let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1";
/// let (position, repairs) = repaired(&fen.split(' ').collect::<Vec<_>>()).unwrap();
/// assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1");
/// assert_eq!((repairs.len(), repairs[0].field), (1, "castling"));
/// ```
pub fn repaired(fields: &[&str]) -> Result<(Position, Vec<Repair>), FenError> {
    let mut fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    let mut repairs = Vec::new();
    loop {
        let parts: Vec<&str> = fields.iter().map(String::as_str).collect();
        let error = match Position::from_fen_fields(&parts) {
            Ok(position) => return Ok((position, repairs)),
            Err(error) => error,
        };
        // Each round takes at least a letter away, so the rounds come to an end.
        let (field, text) = match &error {
            FenError::CastlingWithoutKing { letter, .. }
            | FenError::CastlingWithoutRook { letter, .. } => {
                let kept = fields[2].replacen(*letter, "", 1);
                let kept = if kept.is_empty() { "-".to_owned() } else { kept };
                ("castling", std::mem::replace(&mut fields[2], kept))
            }
            FenError::EnPassantRank { .. }
            | FenError::EnPassantOccupied { .. }
            | FenError::EnPassantWithoutPawn { .. } => {
                ("en passant", std::mem::replace(&mut fields[3], "-".to_owned()))
            }
            _ => return Err(error),
        };
        repairs.push(Repair { field, text, error });
    }
}
