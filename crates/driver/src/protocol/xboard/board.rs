//! The board an XBoard engine keeps, and the commands that bring it to a position.

use super::features::Features;
use super::thinking_output::read_move;
use dyno_chess::{Color, Position, Role, Square};
use std::fmt::Write;

/// The position an engine stands at: where it started, and the moves since, in UCI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineBoard {
    root: String,
    moves: Vec<String>,
    pub(super) position: Position,
}

/// Why a position cannot be set up.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SetupError {
    #[error("bad position: {0}")]
    Fen(String),
    #[error("illegal move {0} in the position")]
    Move(String),
}

impl EngineBoard {
    /// Reads what follows UCI's `position`, with the position at the root.
    fn read(text: &str, chess960: bool) -> Result<(Self, Vec<&str>), SetupError> {
        let (root, moves) = text.split_once("moves").unwrap_or((text, ""));
        let root = root.trim();
        let mut position = match root.strip_prefix("fen") {
            Some(fen) => {
                Position::from_fen(fen.trim()).map_err(|e| SetupError::Fen(e.to_string()))?
            }
            None => Position::startpos(),
        };
        position.set_chess960(chess960);
        let board = Self { root: root.to_owned(), moves: Vec::new(), position };
        Ok((board, moves.split_ascii_whitespace().collect()))
    }

    /// Plays a move on the board.
    pub(super) fn play(&mut self, text: &str) -> Option<()> {
        let mv = read_move(&self.position, text)?;
        self.moves.push(self.position.uci(mv));
        self.position = self.position.play(mv);
        Some(())
    }

    /// Whether this is that board with one move more.
    pub(super) fn follows(&self, before: &EngineBoard) -> bool {
        self.root == before.root && self.moves.split_last().is_some_and(|(_, m)| m == before.moves)
    }

    /// The commands that bring an engine from where it stands to `text`, and where it is then.
    pub(super) fn reach(
        from: Option<&EngineBoard>,
        text: &str,
        features: &Features,
        out: &mut String,
    ) -> Result<EngineBoard, SetupError> {
        let (root, moves) = Self::read(text, features.chess960)?;
        let goes_on = from.filter(|board| {
            board.root == root.root
                && board.moves.len() <= moves.len()
                && board.moves.iter().zip(&moves).all(|(a, b)| a == b)
        });
        let mut board = match goes_on {
            Some(board) => board.clone(),
            None => {
                root.write_setup(features, out);
                root
            }
        };
        for text in &moves[board.moves.len()..] {
            let before = board.position;
            board.play(text).ok_or_else(|| SetupError::Move((*text).to_owned()))?;
            let shown = match read_move(&before, text) {
                Some(mv) if features.san => before.san(mv),
                Some(mv) if features.chess960 && mv.is_castling() => {
                    before.san(mv).trim_end_matches(['+', '#']).to_owned()
                }
                _ => (*text).to_owned(),
            };
            let word = if features.usermove { "usermove " } else { "" };
            let _ = writeln!(out, "{word}{shown}");
        }
        Ok(board)
    }

    fn write_setup(&self, features: &Features, out: &mut String) {
        if self.root == "startpos" && !features.chess960 {
            out.push_str("new\nforce\n");
        } else if features.setboard {
            let fen = match self.position.is_chess960() {
                true => self.position.shredder_fen(),
                false => self.position.fen(),
            };
            let _ = writeln!(out, "setboard {fen}");
        } else {
            self.write_edit(out);
        }
    }

    /// The old way, for engines without `setboard`: piece by piece. It cannot express an en
    /// passant square, and castling rights follow from where kings and rooks stand.
    fn write_edit(&self, out: &mut String) {
        out.push_str("new\nforce\n");
        if self.position.side_to_move() == Color::Black {
            // The only way to give Black the move.
            out.push_str("a2a3\n");
        }
        out.push_str("edit\n#\n");
        for color in [Color::White, Color::Black] {
            for square in Square::all() {
                let piece = self.position.piece_at(square).filter(|p| p.color == color);
                if let Some(piece) = piece {
                    let _ = writeln!(out, "{}{square}", letter(piece.role));
                }
            }
            out.push_str(if color == Color::White { "c\n" } else { ".\n" });
        }
    }
}

fn letter(role: Role) -> char {
    match role {
        Role::Pawn => 'P',
        Role::Knight => 'N',
        Role::Bishop => 'B',
        Role::Rook => 'R',
        Role::Queen => 'Q',
        Role::King => 'K',
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn reach(from: Option<&EngineBoard>, text: &str, features: &Features) -> (EngineBoard, String) {
        let mut out = String::new();
        let board = EngineBoard::reach(from, text, features, &mut out).unwrap();
        (board, out)
    }

    #[test]
    fn games_go_on_and_positions_are_set() {
        let features = Features { setboard: true, usermove: true, ..Features::default() };
        let (board, out) = reach(None, "startpos moves e2e4", &features);
        assert_eq!(out, "new\nforce\nusermove e2e4\n");
        let (mut board, out) = reach(Some(&board), "startpos moves e2e4 e7e5", &features);
        assert_eq!(out, "usermove e7e5\n");
        board.play("Nf3").unwrap();
        let (board, out) = reach(Some(&board), "startpos moves e2e4 e7e5 g1f3 b8c6", &features);
        assert_eq!(out, "usermove b8c6\n");
        let (_, out) = reach(Some(&board), "fen 6k1/8/8/8/8/8/8/K2R4 w - - 0 1", &features);
        assert_eq!(out, "setboard 6k1/8/8/8/8/8/8/K2R4 w - - 0 1\n");
        let (_, out) = reach(Some(&board), "startpos moves d2d4", &features);
        assert_eq!(out, "new\nforce\nusermove d2d4\n");
    }

    #[test]
    fn without_setboard_the_pieces_are_placed() {
        let features = Features { san: true, ..Features::default() };
        let (_, out) = reach(None, "fen 6k1/8/8/8/8/8/8/K2R4 b - - 0 1 moves g8g7", &features);
        assert_eq!(out, "new\nforce\na2a3\nedit\n#\nKa1\nRd1\nc\nKg8\n.\nKg7\n");
        let mut out = String::new();
        let fault = EngineBoard::reach(None, "startpos moves e2e5", &features, &mut out);
        assert_eq!(fault.unwrap_err(), SetupError::Move("e2e5".into()));
    }
}
