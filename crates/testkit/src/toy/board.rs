//! A board of 128 squares (0x88), as many a first engine has, with make and undo.

use super::bug::Bug;

/// Empty, or a piece: 1 to 6 for White's pawn, knight, bishop, rook, queen, king; negative for
/// Black's.
pub type Cell = i8;

const PAWN: Cell = 1;
const KNIGHT: Cell = 2;
const BISHOP: Cell = 3;
const ROOK: Cell = 4;
const QUEEN: Cell = 5;
const KING: Cell = 6;

const STRAIGHT: [i16; 4] = [1, -1, 16, -16];
const DIAGONAL: [i16; 4] = [15, 17, -15, -17];
const KNIGHT_STEPS: [i16; 8] = [14, 18, 31, 33, -14, -18, -31, -33];
const KING_STEPS: [i16; 8] = [1, -1, 16, -16, 15, 17, -15, -17];
/// The castling rights a square's piece stands for: White's king side 1, queen side 2, Black's 4, 8.
const RIGHTS: [(u8, u8); 6] = [(0x04, 3), (0x07, 1), (0x00, 2), (0x74, 12), (0x77, 4), (0x70, 8)];

/// A move of the toy engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToyMove {
    from: u8,
    to: u8,
    /// The role promoted to, 0 for none.
    promotion: Cell,
}

#[derive(Clone, Debug)]
struct Undo {
    captured: Cell,
    captured_on: u8,
    moved: Cell,
    castling: u8,
    en_passant: Option<u8>,
    halfmoves: u32,
    hash: u64,
    pieces: i32,
}

/// The board of the toy engine; correct unless it is given a [`Bug`].
#[derive(Clone, Debug)]
pub struct ToyBoard {
    cells: [Cell; 128],
    white: bool,
    castling: u8,
    en_passant: Option<u8>,
    halfmoves: u32,
    fullmoves: u32,
    hash: u64,
    /// How many pieces are on the board, kept move by move.
    pieces: i32,
    /// How many moves have been made, undone ones included.
    pub(super) made: u32,
    undo: Vec<Undo>,
    pub(super) bug: Option<Bug>,
}

const fn on_board(square: i16) -> bool {
    square & 0x88 == 0
}

fn number(index: u64) -> u64 {
    let z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn piece_number(cell: Cell, square: u8) -> u64 {
    number(((cell + 6) as u64) << 7 | u64::from(square))
}

fn castling_number(castling: u8) -> u64 {
    number(4096 + u64::from(castling))
}

fn en_passant_number(square: Option<u8>) -> u64 {
    square.map_or(0, |s| number(8192 + u64::from(s & 7)))
}

const SIDE: u64 = 0x5bd1_e995_9bd1_e995;

fn square_name(square: u8) -> String {
    format!("{}{}", (b'a' + (square & 7)) as char, (b'1' + (square >> 4)) as char)
}

impl ToyBoard {
    /// Reads a FEN of six fields (or four).
    pub fn from_fen(fen: &str, bug: Option<Bug>) -> Result<ToyBoard, String> {
        // The rules crate rejects invalid positions; only the fields are taken over here.
        dyno_chess::Position::from_fen(fen).map_err(|error| error.to_string())?;
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let mut board = ToyBoard {
            cells: [0; 128],
            white: fields[1] == "w",
            castling: 0,
            en_passant: None,
            halfmoves: fields.get(4).and_then(|f| f.parse().ok()).unwrap_or(0),
            fullmoves: fields.get(5).and_then(|f| f.parse().ok()).unwrap_or(1),
            hash: 0,
            pieces: 0,
            made: 0,
            undo: Vec::new(),
            bug,
        };
        for (row, text) in fields[0].split('/').enumerate() {
            let mut square = 0x70 - 16 * row as i16;
            for letter in text.chars() {
                if let Some(skip) = letter.to_digit(10) {
                    square += skip as i16;
                } else {
                    let role = " pnbrqk".find(letter.to_ascii_lowercase()).unwrap_or(0) as Cell;
                    board.cells[square as usize] =
                        if letter.is_ascii_uppercase() { role } else { -role };
                    board.pieces += 1;
                    square += 1;
                }
            }
        }
        for letter in fields[2].chars() {
            board.castling |= "KQkq".find(letter).map_or(0, |bit| 1 << bit);
        }
        if fields[3].len() == 2 {
            let bytes = fields[3].as_bytes();
            board.en_passant = Some((bytes[1] - b'1') << 4 | (bytes[0] - b'a'));
            // Only where a pawn stands ready to take: as the rules crate does.
            if dyno_chess::Position::from_fen(fen).is_ok_and(|p| p.en_passant().is_none()) {
                board.en_passant = None;
            }
        }
        board.hash = board.hash_from_scratch();
        Ok(board)
    }

    /// The six fields; the en-passant square is written only when a pawn stands ready to take.
    pub fn fen(&self) -> String {
        let mut text = String::new();
        for row in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let cell = self.cells[row * 16 + file];
                if cell == 0 {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                let letter = b" pnbrqk"[cell.unsigned_abs() as usize] as char;
                text.push(if cell > 0 { letter.to_ascii_uppercase() } else { letter });
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            if row > 0 {
                text.push('/');
            }
        }
        text.push_str(if self.white { " w " } else { " b " });
        let rights: String = "KQkq"
            .chars()
            .enumerate()
            .filter(|(i, _)| self.castling >> i & 1 == 1)
            .map(|(_, c)| c)
            .collect();
        text.push_str(if rights.is_empty() { "-" } else { &rights });
        let passed = self.en_passant.map_or("-".into(), square_name);
        format!("{text} {passed} {} {}", self.halfmoves, self.fullmoves)
    }

    /// Whether it is White's turn.
    pub fn white_to_move(&self) -> bool {
        self.white
    }

    /// The cells, indexed rank times 16 plus file.
    pub fn cells(&self) -> &[Cell; 128] {
        &self.cells
    }

    /// The hash, kept move by move.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The hash worked out from the board.
    pub fn hash_from_scratch(&self) -> u64 {
        let mut hash = self.rights_number(self.castling) ^ en_passant_number(self.en_passant);
        for square in 0..128u8 {
            let cell = self.cells[square as usize];
            if cell != 0 {
                hash ^= piece_number(cell, square);
            }
        }
        if !self.white && !self.has(Bug::HashIgnoresSide) { hash ^ SIDE } else { hash }
    }

    fn rights_number(&self, castling: u8) -> u64 {
        if self.has(Bug::HashIgnoresCastling) { 0 } else { castling_number(castling) }
    }

    /// Whether the kept count of pieces agrees with the board.
    pub fn integrity(&self) -> Result<(), String> {
        let counted = self.cells.iter().filter(|cell| **cell != 0).count() as i32;
        if counted == self.pieces {
            Ok(())
        } else {
            Err(format!("the piece count is kept as {} but is {counted}", self.pieces))
        }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn sign(&self) -> Cell {
        if self.white { 1 } else { -1 }
    }

    fn king(&self, sign: Cell) -> u8 {
        (0..128u8).find(|s| self.cells[*s as usize] == KING * sign).unwrap_or(0)
    }

    /// How many pieces of a side see a square.
    fn attackers(&self, square: u8, sign: Cell) -> usize {
        let at = i16::from(square);
        let cell = |s: i16| if on_board(s) { self.cells[s as usize] } else { 0 };
        let mut count = 0;
        let pawn_row = -16 * i16::from(sign);
        count +=
            [pawn_row - 1, pawn_row + 1].iter().filter(|d| cell(at + **d) == PAWN * sign).count();
        count += KNIGHT_STEPS.iter().filter(|d| cell(at + **d) == KNIGHT * sign).count();
        count += KING_STEPS.iter().filter(|d| cell(at + **d) == KING * sign).count();
        for (steps, slider) in [(STRAIGHT, ROOK), (DIAGONAL, BISHOP)] {
            for step in steps {
                let mut to = at + step;
                while on_board(to) && self.cells[to as usize] == 0 {
                    to += step;
                }
                count += usize::from(cell(to) == slider * sign || cell(to) == QUEEN * sign);
            }
        }
        count
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.attackers(self.king(self.sign()), -self.sign()) > 0
    }

    /// The legal moves: pseudo-legal ones, each tried on the board.
    pub fn legal_moves(&mut self) -> Vec<ToyMove> {
        let mut moves = Vec::new();
        self.pseudo_legal(&mut moves);
        let sign = self.sign();
        let checkers = self.attackers(self.king(sign), -sign);
        moves.retain(|mv| self.is_safe(*mv, sign, checkers));
        moves
    }

    fn is_safe(&mut self, mv: ToyMove, sign: Cell, checkers: usize) -> bool {
        let moved = self.cells[mv.from as usize];
        let by_king = moved.abs() == KING;
        let en_passant = moved.abs() == PAWN && self.en_passant == Some(mv.to);
        if self.has(Bug::PinnedPieceMoves) && !by_king && checkers == 0 && !en_passant {
            return true;
        }
        if self.has(Bug::EnPassantExposesKing) && en_passant && checkers == 0 {
            return true;
        }
        if self.has(Bug::KingBackAlongLine) && by_king && mv.to.abs_diff(mv.from) != 2 {
            // The king still stands on its square and hides what lies behind.
            let taken = std::mem::replace(&mut self.cells[mv.to as usize], 0);
            let safe = self.attackers(mv.to, -sign) == 0;
            self.cells[mv.to as usize] = taken;
            return safe;
        }
        // Copied, not undone, so that a planted fault of undo does not show here.
        let undo = std::mem::take(&mut self.undo);
        let kept = self.clone();
        self.apply(mv);
        let left = self.attackers(self.king(sign), -sign);
        *self = kept;
        self.undo = undo;
        if self.has(Bug::DoubleCheckBlocked) && checkers == 2 && !by_king {
            return left <= 1;
        }
        left == 0
    }

    fn pseudo_legal(&self, moves: &mut Vec<ToyMove>) {
        let sign = self.sign();
        for from in (0..128u8).filter(|s| on_board(i16::from(*s))) {
            let role = self.cells[from as usize] * sign;
            match role {
                PAWN => self.pawn_moves(from, moves),
                KNIGHT if self.has(Bug::KnightWraps) => self.wrapping_knight(from, moves),
                KNIGHT => self.steps(from, &KNIGHT_STEPS, false, moves),
                BISHOP => self.steps(from, &DIAGONAL, true, moves),
                ROOK => self.steps(from, &STRAIGHT, true, moves),
                QUEEN => self.steps(from, &KING_STEPS, true, moves),
                KING => {
                    self.steps(from, &KING_STEPS, false, moves);
                    self.castlings(from, moves);
                }
                _ => {}
            }
        }
    }

    fn steps(&self, from: u8, steps: &[i16], slides: bool, moves: &mut Vec<ToyMove>) {
        for step in steps {
            let mut to = i16::from(from) + step;
            while on_board(to) {
                let cell = self.cells[to as usize];
                if cell * self.sign() > 0 {
                    break;
                }
                moves.push(ToyMove { from, to: to as u8, promotion: 0 });
                if cell != 0 || !slides {
                    break;
                }
                to += step;
            }
        }
    }

    /// A knight on a board of 64 squares that forgets to look at the edge.
    fn wrapping_knight(&self, from: u8, moves: &mut Vec<ToyMove>) {
        let packed = i16::from(from >> 4) * 8 + i16::from(from & 7);
        for step in [6, 10, 15, 17, -6, -10, -15, -17] {
            let to = packed + step;
            if (0..64).contains(&to) {
                let to = ((to / 8) << 4 | (to % 8)) as u8;
                if self.cells[to as usize] * self.sign() <= 0 {
                    moves.push(ToyMove { from, to, promotion: 0 });
                }
            }
        }
    }

    fn pawn_moves(&self, from: u8, moves: &mut Vec<ToyMove>) {
        let sign = self.sign();
        let ahead = 16 * i16::from(sign);
        let one = i16::from(from) + ahead;
        let free = |s: i16| on_board(s) && self.cells[s as usize] == 0;
        let takes = self.has(Bug::PawnPushTakes)
            && on_board(one)
            && self.cells[one as usize] * sign < 0
            && self.cells[one as usize].abs() != KING;
        if free(one) || takes {
            self.pawn_to(from, one as u8, false, moves);
        }
        let home = match (self.white, self.has(Bug::DoubleStepRankOffByOne)) {
            (true, false) => 1,
            (true, true) => 2,
            (false, false) => 6,
            (false, true) => 5,
        };
        let two = one + ahead;
        if from >> 4 == home && free(two) && (free(one) || self.has(Bug::DoubleStepJumps)) {
            self.pawn_to(from, two as u8, false, moves);
        }
        for to in [one - 1, one + 1] {
            if !on_board(to) {
                continue;
            }
            let passing = self.en_passant == Some(to as u8) && !self.has(Bug::EnPassantForgotten);
            if self.cells[to as usize] * sign < 0 || passing {
                self.pawn_to(from, to as u8, true, moves);
            }
        }
    }

    fn pawn_to(&self, from: u8, to: u8, capture: bool, moves: &mut Vec<ToyMove>) {
        if to >> 4 != 0 && to >> 4 != 7 {
            moves.push(ToyMove { from, to, promotion: 0 });
            return;
        }
        if capture && self.has(Bug::PromotionCaptureForgotten) {
            return;
        }
        let choices: &[Cell] = if self.has(Bug::PromotionMissing) {
            &[0]
        } else if self.has(Bug::NoUnderpromotion) {
            &[QUEEN]
        } else {
            &[QUEEN, ROOK, BISHOP, KNIGHT]
        };
        for &promotion in choices {
            moves.push(ToyMove { from, to, promotion });
        }
    }

    fn castlings(&self, king: u8, moves: &mut Vec<ToyMove>) {
        let sign = self.sign();
        let enemy = -sign;
        let home = if self.white { 0x04 } else { 0x74 };
        if king != home || (self.in_check() && !self.has(Bug::CastlingOutOfCheck)) {
            return;
        }
        let rights = if self.white { self.castling } else { self.castling >> 2 };
        let empty = |s: u8| self.cells[s as usize] == 0;
        let crossed_safely =
            |s: u8| self.has(Bug::CastlingThroughAttack) || self.attackers(s, enemy) == 0;
        // With a right that should be gone, an engine looks no further.
        if rights & 1 != 0 && empty(king + 1) && empty(king + 2) && crossed_safely(king + 1) {
            moves.push(ToyMove { from: king, to: king + 2, promotion: 0 });
        }
        let b_file_free = empty(king - 3) || self.has(Bug::CastlingThroughPiece);
        let rook_safe =
            !self.has(Bug::CastlingRookAttacked) || self.attackers(king - 3, enemy) == 0;
        if rights & 2 != 0
            && empty(king - 1)
            && empty(king - 2)
            && b_file_free
            && rook_safe
            && crossed_safely(king - 1)
        {
            moves.push(ToyMove { from: king, to: king - 2, promotion: 0 });
        }
    }

    /// The move in UCI notation.
    pub fn uci(&self, mv: ToyMove) -> String {
        let letter = match mv.promotion {
            KNIGHT => "n",
            BISHOP => "b",
            ROOK => "r",
            QUEEN => "q",
            _ => "",
        };
        format!("{}{}{letter}", square_name(mv.from), square_name(mv.to))
    }

    /// Whether a move castles.
    pub(super) fn castles(&self, mv: ToyMove) -> bool {
        self.cells[mv.from as usize].abs() == KING && mv.from.abs_diff(mv.to) == 2
    }

    /// Plays a move.
    pub fn make(&mut self, mv: ToyMove) {
        let undo = self.apply(mv);
        self.undo.push(undo);
    }

    fn apply(&mut self, mv: ToyMove) -> Undo {
        let sign = self.sign();
        let moved = self.cells[mv.from as usize];
        let passing =
            moved.abs() == PAWN && self.en_passant == Some(mv.to) && mv.from & 7 != mv.to & 7;
        let captured_on = if passing { (mv.from & 0x70) | (mv.to & 7) } else { mv.to };
        let captured = self.cells[captured_on as usize];
        let undo = Undo {
            captured,
            captured_on,
            moved,
            castling: self.castling,
            en_passant: self.en_passant,
            halfmoves: self.halfmoves,
            hash: self.hash,
            pieces: self.pieces,
        };
        self.made += 1;
        self.halfmoves += 1;

        if captured != 0 {
            self.cells[captured_on as usize] = 0;
            self.halfmoves = 0;
            if !self.has(Bug::AggregateCapture) {
                self.pieces -= 1;
            }
            if !self.has(Bug::HashCaptureNotRemoved) {
                self.hash ^= piece_number(captured, captured_on);
            }
        }
        let placed = if mv.promotion != 0 { mv.promotion * sign } else { moved };
        self.cells[mv.from as usize] = 0;
        self.cells[mv.to as usize] = placed;
        let hashed_as = if self.has(Bug::HashPromotionAsPawn) { moved } else { placed };
        self.hash ^= piece_number(moved, mv.from) ^ piece_number(hashed_as, mv.to);
        if moved.abs() == KING && mv.from.abs_diff(mv.to) == 2 {
            self.move_castling_rook(mv, sign);
        }
        self.update_rights(mv, moved);
        self.fullmoves += u32::from(!self.white);
        self.white = !self.white;
        self.update_en_passant(mv, moved);
        if !self.has(Bug::HashIgnoresSide) {
            self.hash ^= SIDE;
        }
        undo
    }

    fn move_castling_rook(&mut self, mv: ToyMove, sign: Cell) {
        let (from, to) =
            if mv.to > mv.from { (mv.to + 1, mv.to - 1) } else { (mv.to - 2, mv.to + 1) };
        self.cells[from as usize] = 0;
        self.cells[to as usize] = ROOK * sign;
        if !self.has(Bug::HashCastlingRookForgotten) {
            self.hash ^= piece_number(ROOK * sign, from) ^ piece_number(ROOK * sign, to);
        }
    }

    fn update_rights(&mut self, mv: ToyMove, moved: Cell) {
        let before = self.castling;
        for (square, rights) in RIGHTS {
            let kept = (self.has(Bug::CastlingRightAfterRookMove) && moved.abs() == ROOK)
                || (self.has(Bug::CastlingRightAfterKingMove) && moved.abs() == KING);
            let left = mv.from == square && !kept;
            let taken = mv.to == square && !kept && !self.has(Bug::CastlingRightAfterCapture);
            if left || taken {
                self.castling &= !rights;
            }
        }
        if !self.has(Bug::HashCastlingNotUpdated) {
            self.hash ^= self.rights_number(before) ^ self.rights_number(self.castling);
        }
    }

    fn update_en_passant(&mut self, mv: ToyMove, moved: Cell) {
        let before = self.en_passant;
        if moved.abs() == PAWN {
            self.halfmoves = 0;
        }
        if moved.abs() == PAWN && mv.from.abs_diff(mv.to) == 32 {
            self.en_passant = Some((mv.from + mv.to) / 2);
            if !self.can_take_en_passant(moved, mv.to) {
                self.en_passant = None;
            }
        } else if !self.has(Bug::EnPassantStale) {
            self.en_passant = None;
        }
        if !self.has(Bug::HashEnPassantNotRemoved) {
            self.hash ^= en_passant_number(before);
        }
        self.hash ^= en_passant_number(self.en_passant);
    }

    /// Whether a pawn beside the one that has just made its double step may legally take it.
    fn can_take_en_passant(&mut self, passed: Cell, on: u8) -> bool {
        let Some(to) = self.en_passant else { return false };
        let sign = self.sign();
        [i16::from(on) - 1, i16::from(on) + 1].into_iter().any(|from| {
            on_board(from)
                && self.cells[from as usize] == -passed
                && self.is_safe(ToyMove { from: from as u8, to, promotion: 0 }, sign, 0)
        })
    }

    /// Takes the last move back.
    pub fn unmake(&mut self, mv: ToyMove) {
        let Some(undo) = self.undo.pop() else { return };
        self.white = !self.white;
        self.fullmoves -= u32::from(!self.white);
        let sign = self.sign();
        self.cells[mv.to as usize] = 0;
        self.cells[mv.from as usize] = undo.moved;
        if !self.has(Bug::UndoCapture) && undo.captured != 0 {
            self.cells[undo.captured_on as usize] = undo.captured;
        }
        if undo.moved.abs() == KING && mv.from.abs_diff(mv.to) == 2 {
            let (from, to) =
                if mv.to > mv.from { (mv.to + 1, mv.to - 1) } else { (mv.to - 2, mv.to + 1) };
            self.cells[to as usize] = 0;
            self.cells[from as usize] = ROOK * sign;
        }
        if !self.has(Bug::UndoCastlingRights) {
            self.castling = undo.castling;
        }
        if !self.has(Bug::UndoEnPassant) {
            self.en_passant = undo.en_passant;
        }
        if !self.has(Bug::UndoHash) {
            self.hash = undo.hash;
        }
        self.halfmoves = undo.halfmoves;
        self.pieces = undo.pieces;
    }

    /// Every bit of the state as text.
    pub fn state(&self) -> String {
        format!("{} hash {:016x} pieces {}", self.fen(), self.hash, self.pieces)
    }
}
