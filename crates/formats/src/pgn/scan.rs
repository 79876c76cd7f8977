//! Movetext, cut into tokens line by line.

use super::GameResult;

/// A piece of movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A part of a `{…}` comment: one line of it. `closes` says whether it ends there.
    Brace { text: &'a str, closes: bool },
    /// A comment to the end of the line.
    Rest(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `$1`, or a sign that means the same.
    Nag(u8),
    /// The end of the game.
    Result(GameResult),
    /// What should be a move.
    Move(&'a str),
}

/// Cuts one line, which may begin inside a brace comment.
pub(super) struct Scanner<'a> {
    text: &'a str,
    in_brace: bool,
    /// A sign found at the end of the last move: `!?`
    sign: Option<u8>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, in_brace: bool) -> Scanner<'a> {
        Scanner { text, in_brace, sign: None }
    }

    /// Whether the line ends inside a brace comment.
    pub(super) fn in_brace(&self) -> bool {
        self.in_brace
    }

    /// What has not been cut yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text
    }

    fn brace(&mut self) -> Token<'a> {
        match self.text.split_once('}') {
            Some((text, rest)) => {
                self.text = rest;
                self.in_brace = false;
                Token::Brace { text, closes: true }
            }
            None => {
                let text = std::mem::take(&mut self.text);
                self.in_brace = true;
                Token::Brace { text, closes: false }
            }
        }
    }

    /// A word ends at a space or at a character that stands for itself; `(Q)` right after a square
    /// is a promotion.
    fn word(&mut self) -> &'a str {
        let bytes = self.text.as_bytes();
        let mut end = 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b' ' | b'\t' | b'\x0b' | b'\x0c' | b'{' | b'}' | b')' | b';' | b'$' | b'<'
                | b'>' => break,
                b'(' if is_promotion(&bytes[end..]) => end += 3,
                b'(' => break,
                _ => end += 1,
            }
        }
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word
    }
}

fn is_promotion(bytes: &[u8]) -> bool {
    matches!(bytes, [b'(', b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n', b')', ..])
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(sign) = self.sign.take() {
            return Some(Token::Nag(sign));
        }
        loop {
            if self.in_brace {
                return if self.text.is_empty() { None } else { Some(self.brace()) };
            }
            self.text = self.text.trim_start();
            let first = self.text.chars().next()?;
            let after = &self.text[first.len_utf8()..];
            match first {
                '{' => {
                    self.text = after;
                    self.in_brace = true;
                }
                ';' => {
                    self.text = "";
                    return Some(Token::Rest(after));
                }
                '(' => {
                    self.text = after;
                    return Some(Token::Open);
                }
                ')' => {
                    self.text = after;
                    return Some(Token::Close);
                }
                '$' => {
                    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                    self.text = &after[digits..];
                    if let Ok(nag) = after[..digits].parse() {
                        return Some(Token::Nag(nag));
                    }
                }
                // Reserved, or what is left of something broken: no meaning.
                '<' | '>' | '}' | '[' | ']' | '\x1a' => self.text = after,
                _ if !first.is_ascii() => {
                    if let Some(token) = self.beyond_ascii() {
                        return Some(token);
                    }
                }
                _ => {
                    let word = self.word();
                    if let Some(token) = self.meaning(word) {
                        return Some(token);
                    }
                }
            }
        }
    }
}

impl<'a> Scanner<'a> {
    /// `½-½`, or signs such as `±` that say nothing we keep.
    fn beyond_ascii(&mut self) -> Option<Token<'a>> {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        GameResult::parse(word).map(Token::Result)
    }

    /// What a word means; `None` for move numbers, dots and signs without a meaning of their own.
    fn meaning(&mut self, word: &'a str) -> Option<Token<'a>> {
        if let Some(result) = GameResult::parse(word) {
            return Some(Token::Result(result));
        }
        let text = crate::move_text::without_number(word).trim_start_matches('.');
        let said_nothing =
            |c: char| matches!(c, '+' | '-' | '=' | '#' | '/' | '~' | '|' | '^' | ',');
        let is_null = matches!(text, "--" | "0000");
        if text.is_empty()
            || (!is_null && text.bytes().all(|byte| byte.is_ascii_digit()))
            || matches!(text, "e.p." | "ep" | "e.p" | "D" | "N")
            || (!is_null && text.chars().all(said_nothing))
        {
            return None;
        }
        let bare = text.trim_end_matches(['!', '?']);
        let sign = match &text[bare.len()..] {
            "" => None,
            "!" => Some(1),
            "?" => Some(2),
            "!!" => Some(3),
            "??" => Some(4),
            "!?" => Some(5),
            _ => Some(6),
        };
        if bare.is_empty() {
            return sign.map(Token::Nag);
        }
        self.sign = sign;
        Some(Token::Move(bare))
    }
}
