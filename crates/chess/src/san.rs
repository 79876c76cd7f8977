//! Moves as SAN: written exactly, read tolerantly, never guessed.

use crate::{Bitboard, File, Move, MoveTextError, Position, Rank, Role, Square, attacks};

/// What a text says about a move; what it leaves out is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Castling {
        kingside: bool,
    },
    Move {
        role: Option<Role>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

impl Said {
    /// The same move, promoting if it says nothing of it.
    fn promoting(&self) -> Said {
        match *self {
            Said::Move { role, file, rank, to, promotion: None } => {
                Said::Move { role, file, rank, to, promotion: Some(Role::Queen) }
            }
            said => said,
        }
    }
}

impl Position {
    /// Writes a legal move in SAN, with its check or mate sign.
    ///
    /// ```
    /// use dyno_chess::Position;
    /// let start = Position::startpos();
    /// assert_eq!(start.san(start.parse_uci("g1f3").unwrap()), "Nf3");
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let mut text = String::with_capacity(8);
        self.push_san(mv, &self.play(mv), &mut text);
        text
    }

    /// Appends a legal move in SAN; `next` is the position after it.
    pub fn push_san(&self, mv: Move, next: &Position, text: &mut String) {
        self.push_san_without_check(mv, text);
        if next.is_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
    }

    fn push_san_without_check(&self, mv: Move, text: &mut String) {
        if mv.is_castling() {
            text.push_str(if mv.to() > mv.from() { "O-O" } else { "O-O-O" });
            return;
        }
        let role = self.role_at(mv.from()).unwrap_or(Role::Pawn);
        let capture = self.is_capture(mv);
        if role != Role::Pawn {
            text.push(role.upper_letter());
            self.disambiguate(role, mv, text);
        } else if capture {
            text.push(mv.from().file().letter());
        }
        if capture {
            text.push('x');
        }
        text.extend([mv.to().file().letter(), mv.to().rank().letter()]);
        if let Some(promotion) = mv.promotion() {
            text.push('=');
            text.push(promotion.upper_letter());
        }
    }

    fn disambiguate(&self, role: Role, mv: Move, text: &mut String) {
        let (mut others, mut same_file, mut same_rank) = (false, false, false);
        for from in self.movers(role, mv.to()) - Bitboard::of(mv.from()) {
            if self.is_legal(Move::normal(from, mv.to())) {
                others = true;
                same_file |= from.file() == mv.from().file();
                same_rank |= from.rank() == mv.from().rank();
            }
        }
        if others {
            if !same_file || same_rank {
                text.push(mv.from().file().letter());
            }
            if same_file {
                text.push(mv.from().rank().letter());
            }
        }
    }

    /// Where pieces of the side to move stand that might go to a square: no other can.
    fn movers(&self, role: Role, to: Square) -> Bitboard {
        let own = self.pieces(self.side, role);
        match role {
            Role::Pawn => own,
            _ => own & attacks::of(role, self.side, to, self.occupied()),
        }
    }

    /// Reads a move in SAN, or in the forms real files use in its place: signs missing or extra,
    /// `0-0`, `e8Q`, `e8/Q`, `exd3ep`, `Pe4`, long algebraic `Bh8-f6+`. A text that fits two
    /// legal moves is refused.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveTextError> {
        let (meant, careless) = readings(text);
        if meant.is_none() && careless.is_none() {
            return Err(MoveTextError::syntax(text));
        }
        // The reading that the standard means comes first.
        for said in [&meant, &careless].into_iter().flatten() {
            match self.fitting(said) {
                (None, _) => {}
                (Some(mv), None) => return Ok(mv),
                _ => return Err(self.ambiguous(text, said)),
            }
        }
        // A pawn that promotes has four moves; without the piece it is ambiguous.
        match meant.filter(|said| self.fitting(&said.promoting()).0.is_some()) {
            Some(said) => Err(self.ambiguous(text, &said)),
            None => Err(MoveTextError::illegal(text, self)),
        }
    }

    /// The first two moves that fit.
    fn fitting(&self, said: &Said) -> (Option<Move>, Option<Move>) {
        match *said {
            Said::Castling { kingside } => {
                let wanted = |mv: &Move| (mv.to() > mv.from()) == kingside;
                (self.legal_castling().find(wanted), None)
            }
            Said::Move { role, file, rank, to, promotion } => {
                let mut from = match role {
                    Some(role) => self.movers(role, to),
                    None => self.by_color(self.side),
                };
                if let Some(file) = file {
                    from &= Bitboard::file(file);
                }
                if let Some(rank) = rank {
                    from &= Bitboard::rank(rank);
                }
                let mut legal =
                    from.into_iter().filter_map(|from| self.legal_step(from, to, promotion));
                (legal.next(), legal.next())
            }
        }
    }

    fn ambiguous(&self, text: &str, said: &Said) -> MoveTextError {
        let fits = |mv: &Move| match *said {
            Said::Castling { .. } => false,
            Said::Move { role, file, rank, to, promotion } => {
                !mv.is_castling()
                    && mv.to() == to
                    && (promotion.is_none() || mv.promotion() == promotion)
                    && role.is_none_or(|role| self.role_at(mv.from()) == Some(role))
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
            }
        };
        let candidates = self.legal_moves().into_iter().filter(fits).map(|mv| self.uci(mv));
        MoveTextError::Ambiguous {
            text: text.into(),
            fen: self.fen(),
            candidates: candidates.collect(),
        }
    }
}

/// The two ways a text can be read: as the standard has it, and with a lower-case piece letter,
/// only where the letter cannot be a pawn's file.
fn readings(text: &str) -> (Option<Said>, Option<Said>) {
    let trimmed = text.trim();
    let bare = trimmed.trim_end_matches(['+', '#', '!', '?', '=', ' ']);
    let bare = ["e.p.", "ep", "e.p", "mate", "++"]
        .iter()
        .find_map(|ending| bare.strip_suffix(ending))
        .unwrap_or(bare)
        .trim_end_matches(['+', '#', '!', '?', ' ']);
    if let Some(castling) = castling(bare) {
        return (Some(castling), None);
    }
    let careless = match bare.as_bytes().first() {
        Some(first @ (b'n' | b'r' | b'q' | b'k')) => {
            piece_move(&bare[1..], Role::from_letter(*first as char))
        }
        _ => None,
    };
    let role = match bare.as_bytes().first() {
        Some(first @ (b'P' | b'N' | b'B' | b'R' | b'Q' | b'K')) => {
            Role::from_letter(*first as char)
        }
        _ => None,
    };
    let rest = if role.is_some() { &bare[1..] } else { bare };
    (piece_move(rest, role), careless)
}

fn castling(text: &str) -> Option<Said> {
    if !text.starts_with(['O', 'o', '0']) || text.len() > 5 {
        return None;
    }
    let letters = text.bytes().filter(|byte| matches!(byte, b'O' | b'o' | b'0')).count();
    let dashes = text.bytes().filter(|byte| *byte == b'-').count();
    match letters {
        _ if letters + dashes != text.len() => None,
        2 => Some(Said::Castling { kingside: true }),
        3 => Some(Said::Castling { kingside: false }),
        _ => None,
    }
}

/// No move has more letters: both squares and a promotion in brackets.
const MOST_LETTERS: usize = 8;

/// Origin (in part), sign, destination, promotion; everything but the destination may be missing.
fn piece_move(text: &str, role: Option<Role>) -> Option<Said> {
    let mut buffer = [0; MOST_LETTERS];
    let mut len = 0;
    for byte in text.bytes().filter(|byte| !matches!(byte, b'x' | b'X' | b':' | b'-')) {
        *buffer.get_mut(len)? = byte;
        len += 1;
    }
    let (letters, promotion) = without_promotion(&buffer[..len]);
    let (from, to) = letters.split_at(letters.len().checked_sub(2)?);
    let to = Square::new(File::from_letter(to[0] as char)?, Rank::from_letter(to[1] as char)?);
    let (file, rank) = match *from {
        [] => (None, None),
        [file, rank] => {
            (Some(File::from_letter(file as char)?), Some(Rank::from_letter(rank as char)?))
        }
        [one] => match File::from_letter(one as char) {
            Some(file) => (Some(file), None),
            None => (None, Some(Rank::from_letter(one as char)?)),
        },
        _ => return None,
    };
    // Without a letter it is a pawn, unless both squares are given (`g1f3`, `g1-f3`).
    let role = match role {
        None if file.is_some() && rank.is_some() => None,
        None => Some(Role::Pawn),
        some => some,
    };
    Some(Said::Move { role, file, rank, to, promotion })
}

/// Takes a promotion off the end: `=Q`, `/Q`, `(Q)`, `Q`, of either case.
fn without_promotion(letters: &[u8]) -> (&[u8], Option<Role>) {
    let Some(end) = letters.iter().rposition(|c| *c != b')') else { return (letters, None) };
    let role = Role::from_letter(letters[end] as char);
    // `b` is also a file, but nothing ends in a file.
    match role.filter(|role| Role::PROMOTIONS.contains(role)) {
        None => (letters, None),
        some => {
            let rest = &letters[..end];
            let sign = |c: &u8| !matches!(c, b'=' | b'/' | b'(');
            (&rest[..rest.iter().rposition(sign).map_or(0, |last| last + 1)], some)
        }
    }
}
