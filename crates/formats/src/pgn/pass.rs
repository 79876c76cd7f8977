//! The turn passed without a move.

use dyno_chess::{CastlingStyle, Color, EnPassantStyle, Position};

/// The position with the other side to move; none in check, where the king could be taken.
pub(super) fn after_pass(position: &Position) -> Option<Position> {
    let fen = position.fen_with(CastlingStyle::Shredder, EnPassantStyle::Legal);
    let mut fields: Vec<&str> = fen.split(' ').collect();
    let black = position.side_to_move() == Color::Black;
    let halfmoves = (position.halfmove_clock() + 1).to_string();
    let fullmoves = position.fullmove_number().saturating_add(u32::from(black)).to_string();
    fields.truncate(3);
    fields[1] = if black { "w" } else { "b" };
    fields.extend(["-", &halfmoves, &fullmoves]);
    let mut next = Position::from_fen_fields(&fields).ok()?;
    next.set_chess960(position.is_chess960());
    Some(next)
}
