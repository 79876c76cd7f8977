//! Moves as SAN: written exactly, read tolerantly, never guessed.

use crate::{File, Move, MoveTextError, Position, Rank, Role, Square};

/// What a text says about a move; what it leaves out is `None`.
#[derive(Debug, PartialEq, Eq)]
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

impl Position {
    /// Writes a legal move in SAN, with its check or mate sign.
    ///
    /// ```
    /// use dyno_chess::Position;
    /// let start = Position::startpos();
    /// assert_eq!(start.san(start.parse_uci("g1f3").unwrap()), "Nf3");
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let mut text = self.san_without_check(mv);
        let next = self.play(mv);
        if next.is_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn san_without_check(&self, mv: Move) -> String {
        if mv.is_castling() {
            return if mv.to() > mv.from() { "O-O".into() } else { "O-O-O".into() };
        }
        let role = self.role_at(mv.from()).unwrap_or(Role::Pawn);
        let mut text = String::with_capacity(8);
        if role == Role::Pawn {
            if self.is_capture(mv) {
                text.push(mv.from().file().letter());
            }
        } else {
            text.push(role.upper_letter());
            self.disambiguate(role, mv, &mut text);
        }
        if self.is_capture(mv) {
            text.push('x');
        }
        text.push_str(&mv.to().to_string());
        if let Some(promotion) = mv.promotion() {
            text.push('=');
            text.push(promotion.upper_letter());
        }
        text
    }

    fn disambiguate(&self, role: Role, mv: Move, text: &mut String) {
        let (mut others, mut same_file, mut same_rank) = (false, false, false);
        for other in &self.legal_moves() {
            let from = other.from();
            if other.to() == mv.to()
                && from != mv.from()
                && !other.is_castling()
                && self.role_at(from) == Some(role)
            {
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

    /// Reads a move in SAN, or in the forms real files use in its place: signs missing or extra,
    /// `0-0`, `e8Q`, `e8/Q`, `exd3ep`, `Pe4`, long algebraic `Bh8-f6+`. A text that fits two
    /// legal moves is refused.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveTextError> {
        let readings = readings(text);
        if readings.is_empty() {
            return Err(MoveTextError::syntax(text));
        }
        // Readings are tried in turn: the one that the standard means comes first.
        for said in &readings {
            let fitting: Vec<Move> =
                self.legal_moves().into_iter().filter(|mv| self.fits(*mv, said)).collect();
            match fitting[..] {
                [] => {}
                [mv] => return Ok(mv),
                _ => {
                    return Err(MoveTextError::Ambiguous {
                        text: text.into(),
                        fen: self.fen(),
                        candidates: fitting.iter().map(|mv| self.uci(*mv)).collect(),
                    });
                }
            }
        }
        Err(MoveTextError::illegal(text, self))
    }

    fn fits(&self, mv: Move, said: &Said) -> bool {
        match *said {
            Said::Castling { kingside } => mv.is_castling() && (mv.to() > mv.from()) == kingside,
            Said::Move { role, file, rank, to, promotion } => {
                !mv.is_castling()
                    && mv.to() == to
                    && mv.promotion() == promotion
                    && role.is_none_or(|role| self.role_at(mv.from()) == Some(role))
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
            }
        }
    }
}

/// The ways a text can be read. `bxc3` is a pawn's capture, but in careless files also a bishop's.
fn readings(text: &str) -> Vec<Said> {
    let trimmed = text.trim();
    let bare = trimmed.trim_end_matches(['+', '#', '!', '?', '=', ' ']);
    let bare = ["e.p.", "ep", "e.p", "mate", "++"]
        .iter()
        .find_map(|ending| bare.strip_suffix(ending))
        .unwrap_or(bare)
        .trim_end_matches(['+', '#', '!', '?', ' ']);
    if let Some(castling) = castling(bare) {
        return vec![castling];
    }
    let mut found = Vec::new();
    if let Some(said) = piece_move(bare) {
        found.push(said);
    }
    // A lower-case piece letter, only where the letter cannot be a pawn's file.
    if let Some(first) = bare.chars().next()
        && matches!(first, 'n' | 'r' | 'q' | 'k')
        && let Some(said) = piece_move(&format!("{}{}", first.to_ascii_uppercase(), &bare[1..]))
    {
        found.push(said);
    }
    found
}

fn castling(text: &str) -> Option<Said> {
    let plain: String = text
        .chars()
        .filter(|c| *c != '-')
        .map(|c| if matches!(c, '0' | 'o') { 'O' } else { c })
        .collect();
    match plain.as_str() {
        "OO" => Some(Said::Castling { kingside: true }),
        "OOO" => Some(Said::Castling { kingside: false }),
        _ => None,
    }
}

/// Piece letter, origin (in part), sign, destination, promotion; everything but the destination
/// may be missing.
fn piece_move(text: &str) -> Option<Said> {
    let mut letters: Vec<char> =
        text.chars().filter(|c| !matches!(c, 'x' | 'X' | ':' | '-')).collect();
    let role = match letters.first()? {
        first @ ('P' | 'N' | 'B' | 'R' | 'Q' | 'K') => Role::from_letter(*first),
        _ => None,
    };
    if role.is_some() {
        letters.remove(0);
    }
    let promotion = take_promotion(&mut letters);
    let rank = Rank::from_letter(letters.pop()?)?;
    let file = File::from_letter(letters.pop()?)?;
    let to = Square::new(file, rank);
    let (mut from_file, mut from_rank) = (None, None);
    for letter in letters.drain(..) {
        if let (Some(file), None, None) = (File::from_letter(letter), from_file, from_rank) {
            from_file = Some(file);
        } else if let (Some(rank), None) = (Rank::from_letter(letter), from_rank) {
            from_rank = Some(rank);
        } else {
            return None;
        }
    }
    // Without a letter it is a pawn, unless both squares are given (`g1f3`, `g1-f3`).
    let role = match role {
        None if from_file.is_some() && from_rank.is_some() => None,
        None => Some(Role::Pawn),
        some => some,
    };
    Some(Said::Move { role, file: from_file, rank: from_rank, to, promotion })
}

/// Takes a promotion off the end: `=Q`, `/Q`, `(Q)`, `Q`, of either case.
fn take_promotion(letters: &mut Vec<char>) -> Option<Role> {
    let end = letters.iter().rposition(|c| *c != ')')?;
    let role = Role::from_letter(letters[end]).filter(|r| Role::PROMOTIONS.contains(r))?;
    // `b` is also a file, but nothing ends in a file.
    letters.truncate(end);
    while letters.last().is_some_and(|c| matches!(c, '=' | '/' | '(')) {
        letters.pop();
    }
    Some(role)
}
