//! A position: the board, whose turn it is, and what the rules remember of the past.

use crate::{Bitboard, Color, Move, Piece, Rank, Role, Square, attacks, zobrist};
use std::fmt;

/// The FEN of the start of a game of standard chess.
pub const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A chess position, standard or Chess960, always playable: each side has one king and the side
/// that has just moved is not in check.
///
/// Positions are small and are made by copy: [`Position::play`] returns the next one and there is
/// nothing to undo.
///
/// ```
/// use dyno_chess::Position;
/// let start = Position::startpos();
/// let next = start.play(start.parse_san("e4").unwrap());
/// assert_eq!(next.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// assert_eq!(next.legal_moves().len(), 20);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(crate) by_role: [Bitboard; 6],
    pub(crate) by_color: [Bitboard; 2],
    /// The board as an array, for the question "what stands here?".
    pub(crate) roles: [Option<Role>; 64],
    /// The rooks that may still castle: a rook that moves or is taken simply drops out.
    pub(crate) castling: Bitboard,
    /// The square crossed by the last double step.
    pub(crate) ep_square: Option<Square>,
    /// Whether a legal en-passant capture on `ep_square` exists.
    pub(crate) en_passant_legal: bool,
    pub(crate) side: Color,
    pub(crate) chess960: bool,
    pub(crate) halfmoves: u16,
    pub(crate) fullmoves: u32,
    pub(crate) checkers: Bitboard,
    pub(crate) key: u64,
    pub(crate) pawn_key: u64,
    pub(crate) material_key: u64,
}

/// The two ways to castle, named by where the king ends up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// The king goes to the g-file, the rook to the f-file.
    King,
    /// The king goes to the c-file, the rook to the d-file.
    Queen,
}

impl Wing {
    /// Both, the king's wing first.
    pub const ALL: [Wing; 2] = [Wing::King, Wing::Queen];
}

impl Position {
    /// The start of a game of standard chess.
    pub fn startpos() -> Position {
        match Position::from_fen(STARTPOS) {
            Ok(position) => position,
            Err(error) => unreachable!("the start position: {error}"),
        }
    }

    /// A board with nothing on it, to be filled by a reader and then checked.
    pub(crate) fn empty() -> Position {
        Position {
            by_role: [Bitboard::EMPTY; 6],
            by_color: [Bitboard::EMPTY; 2],
            roles: [None; 64],
            castling: Bitboard::EMPTY,
            ep_square: None,
            en_passant_legal: false,
            side: Color::White,
            chess960: false,
            halfmoves: 0,
            fullmoves: 1,
            checkers: Bitboard::EMPTY,
            key: 0,
            pawn_key: 0,
            material_key: 0,
        }
    }

    /// Whose turn it is.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The pieces of a side.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// The pieces of a role, of both sides.
    #[inline]
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.by_role[role.index()]
    }

    /// The pieces of a role and a side.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// What stands on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let role = self.roles[square.index()]?;
        let color = if self.by_color[0].contains(square) { Color::White } else { Color::Black };
        Some(role.of(color))
    }

    /// What role stands on a square, whatever its side.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.roles[square.index()]
    }

    /// Where a side's king is.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).lowest()
    }

    /// The enemy pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// Half-moves since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        u32::from(self.halfmoves)
    }

    /// The number of the move, counted from 1 and raised after Black's.
    #[inline]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmoves
    }

    /// Half-moves since a game that began at move 1.
    pub fn ply(&self) -> u32 {
        2 * self.fullmoves.saturating_sub(1) + u32::from(self.side == Color::Black)
    }

    /// The en-passant square, if a legal en-passant capture exists.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        if self.en_passant_legal { self.ep_square } else { None }
    }

    /// The square crossed by the last double step, whether or not it can be taken.
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        self.ep_square
    }

    /// The rooks that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The rook that may castle on a wing.
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let king = self.king(color);
        let home = Bitboard::rank(Rank::First.relative_to(color));
        (self.castling & home & self.by_color(color))
            .into_iter()
            .find(|rook| (*rook > king) == (wing == Wing::King))
    }

    /// Whether moves are written in the Chess960 way (castling as king takes rook).
    #[inline]
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Chooses the way castling is written; the rules do not change.
    pub fn set_chess960(&mut self, chess960: bool) {
        self.chess960 = chess960;
    }

    /// Whether castling rights need the Chess960 way of writing: a king off the e-file or a rook
    /// off its corner.
    pub fn needs_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            Wing::ALL.into_iter().any(|wing| {
                let corner = if wing == Wing::King { crate::File::H } else { crate::File::A };
                self.castling_rook(color, wing).is_some_and(|rook| {
                    rook.file() != corner || self.king(color).file() != crate::File::E
                })
            })
        })
    }

    /// The Zobrist key: equal for equal positions, whatever the moves that led there. En passant
    /// counts only when a legal en-passant capture exists.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key of the pawns alone.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The key of the material alone: how many pieces of each kind.
    #[inline]
    pub fn material_key(&self) -> u64 {
        self.material_key
    }

    /// The pieces of both sides that see a square, on a board with the given occupation.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.by_role(Role::Queen);
        (attacks::pawn(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (attacks::pawn(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (attacks::knight(square) & self.by_role(Role::Knight))
            | (attacks::king(square) & self.by_role(Role::King))
            | (attacks::bishop(square, occupied) & (self.by_role(Role::Bishop) | queens))
            | (attacks::rook(square, occupied) & (self.by_role(Role::Rook) | queens))
    }

    /// Whether a side's piece sees a square.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        (self.attackers_to(square, self.occupied()) & self.by_color(by)).any()
    }

    /// Whether the move takes something.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        mv.is_en_passant() || (!mv.is_castling() && self.occupied().contains(mv.to()))
    }

    /// The role that the move takes.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Role> {
        if mv.is_en_passant() {
            Some(Role::Pawn)
        } else if mv.is_castling() {
            None
        } else {
            self.role_at(mv.to())
        }
    }

    /// Whether the move, which must be legal, gives check. Nothing is played.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        if mv.is_castling() || mv.is_en_passant() {
            return self.play(mv).is_check();
        }
        let Some(role) = self.role_at(from) else { return false };
        let king = self.king(!us);
        let occupied = (self.occupied() - Bitboard::of(from)) | Bitboard::of(to);
        let arrived = mv.promotion().unwrap_or(role);
        if attacks::of(arrived, us, to, occupied).contains(king) {
            return true;
        }
        // What the move uncovers.
        let own = self.by_color(us) - Bitboard::of(from);
        let queens = self.by_role(Role::Queen);
        let orthogonal = own & (self.by_role(Role::Rook) | queens);
        let diagonal = own & (self.by_role(Role::Bishop) | queens);
        attacks::line(king, from).any()
            && ((attacks::rook(king, occupied) & orthogonal).any()
                || (attacks::bishop(king, occupied) & diagonal).any())
    }

    /// Puts a piece on an empty square and keeps every key.
    #[inline]
    pub(crate) fn put(&mut self, color: Color, role: Role, square: Square) {
        let nth = self.pieces(color, role).count();
        self.material_key ^= zobrist::count(color, role, nth);
        let bit = Bitboard::of(square);
        self.by_role[role.index()] |= bit;
        self.by_color[color.index()] |= bit;
        self.roles[square.index()] = Some(role);
        self.toggle_key(color, role, square);
    }

    /// The material key worked out from the board alone.
    pub(crate) fn material_key_from_scratch(&self) -> u64 {
        let mut key = 0;
        for color in Color::ALL {
            for role in Role::ALL {
                key ^= zobrist::counts(color, role, self.pieces(color, role).count());
            }
        }
        key
    }

    /// Takes a piece off its square and keeps every key.
    #[inline]
    pub(crate) fn remove(&mut self, color: Color, role: Role, square: Square) {
        let bit = Bitboard::of(square);
        self.by_role[role.index()] -= bit;
        self.by_color[color.index()] -= bit;
        self.roles[square.index()] = None;
        let nth = self.pieces(color, role).count();
        self.material_key ^= zobrist::count(color, role, nth);
        self.toggle_key(color, role, square);
    }

    #[inline]
    pub(crate) fn toggle_key(&mut self, color: Color, role: Role, square: Square) {
        let number = zobrist::piece(color, role, square);
        self.key ^= number;
        if role == Role::Pawn {
            self.pawn_key ^= number;
        }
    }

    /// The mirrored position: colours exchanged and the board turned top to bottom.
    pub fn mirrored(&self) -> Position {
        let mut mirror = Position::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                mirror.put(!piece.color, piece.role, square.flip_rank());
            }
        }
        mirror.castling = self.castling.flip_ranks();
        mirror.ep_square = self.ep_square.map(Square::flip_rank);
        mirror.side = !self.side;
        mirror.chess960 = self.chess960;
        mirror.halfmoves = self.halfmoves;
        mirror.fullmoves = self.fullmoves;
        mirror.refresh();
        mirror
    }

    /// Works out what follows from the rest, once the pieces have been put on an empty board:
    /// checkers, the legality of en passant, what the key says beside the pieces.
    pub(crate) fn refresh(&mut self) {
        self.checkers =
            self.attackers_to(self.king(self.side), self.occupied()) & self.by_color(!self.side);
        self.en_passant_legal =
            self.ep_square.is_some_and(|square| self.can_take_en_passant(square));
        self.key ^= zobrist::castling(self.castling);
        if let Some(square) = self.en_passant() {
            self.key ^= zobrist::en_passant(square);
        }
        if self.side == Color::Black {
            self.key ^= zobrist::side();
        }
    }

    /// The Zobrist key worked out from the board alone.
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = zobrist::castling(self.castling);
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                key ^= zobrist::piece(piece.color, piece.role, square);
            }
        }
        if let Some(square) = self.en_passant() {
            key ^= zobrist::en_passant(square);
        }
        if self.side == Color::Black {
            key ^= zobrist::side();
        }
        key
    }
}

impl Default for Position {
    fn default() -> Self {
        Position::startpos()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

impl fmt::Display for Position {
    /// The FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}
