//! A position in letters, for terminals and logs.

use std::fmt::Write as _;

use crate::FenDiagram;

/// The board with White below; `None` when the FEN is not a board. Capitals are White's.
///
/// ```
/// let text = dyno_report::terminal::board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
/// assert!(text.starts_with("  8  . . . . k . . .\n"));
/// assert!(text.ends_with("     a b c d e f g h   White to move\n"));
/// ```
#[must_use]
pub fn board(fen: &str) -> Option<String> {
    let diagram = FenDiagram::parse(fen)?;
    let mut out = String::new();
    for rank in (0..8).rev() {
        let _ = write!(out, "  {} ", rank + 1);
        for file in 0..8 {
            let _ = write!(out, " {}", diagram.piece(file, rank).unwrap_or('.'));
        }
        out.push('\n');
    }
    out.push_str("     a b c d e f g h");
    match diagram.white_to_move() {
        Some(true) => out.push_str("   White to move"),
        Some(false) => out.push_str("   Black to move"),
        None => {}
    }
    out.push('\n');
    Some(out)
}
