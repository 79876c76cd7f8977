//! A move as files write it: UCI, SAN or long algebraic.

use dyno_chess::{Move, MoveTextError, Position};

/// Reads a move in UCI, SAN or long algebraic notation.
pub fn read_move(position: &Position, text: &str) -> Result<Move, MoveTextError> {
    if looks_like_uci(text)
        && let Ok(mv) = position.parse_uci(text)
    {
        return Ok(mv);
    }
    if let Some(mv) = castling_by_squares(position, text) {
        return Ok(mv);
    }
    match without_en_passant(text) {
        Some(bare) => position.parse_san(bare).or_else(|_| position.parse_san(text)),
        None => position.parse_san(text),
    }
}

/// `e8-g8`, `Ke8-g8` and `Ke8g8`: castling written as the king's move.
fn castling_by_squares(position: &Position, text: &str) -> Option<Move> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    let bare = bare.strip_prefix('K').unwrap_or(bare);
    let uci = match bare.as_bytes() {
        [_, _, b'-', _, _] => [&bare[..2], &bare[3..]].concat(),
        [_, _, _, _] => bare.to_owned(),
        _ => return None,
    };
    let is_castling = matches!(uci.as_str(), "e1g1" | "e1c1" | "e8g8" | "e8c8");
    is_castling.then(|| position.parse_uci(&uci).ok()).flatten()
}

/// `b4xc3/ep` without the last part.
fn without_en_passant(text: &str) -> Option<&str> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    ["/ep", "/e.p.", "/e.p", "/EP"].iter().find_map(|ending| bare.strip_suffix(ending))
}

fn looks_like_uci(text: &str) -> bool {
    matches!(
        text.as_bytes(),
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..] if text.len() <= 5
    )
}

/// `1.Qg6`, `1...Qg6` and `12.` without their numbers; `0-0` is left alone.
pub(crate) fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with(['.', '…']) { rest.trim_start_matches(['.', '…']) } else { text }
}
