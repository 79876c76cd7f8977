//! Whole games from a stream.

use super::letters::Letters;
use super::pass::after_pass;
use super::scan::{Scanner, Token};
use super::source::Source;
use super::tags::read_tag;
use super::{GameResult, PgnError, PgnGame, PgnLine, PgnMove, Problem, Reason, Tags};
use crate::repair::repaired;
use dyno_chess::{Color, Position};
use std::io::BufRead;

/// No game holds more; what does is not a game.
const MOST_TAGS: usize = 1_000;
const MOST_WARNINGS: usize = 1_000;
const MOST_MOVES: usize = 100_000;
const MOST_ANNOTATIONS: usize = 100_000;
const MOST_COMMENT_BYTES: usize = 16 << 20;
const DEEPEST: usize = 100;

/// The tags of the next game.
#[derive(Debug, Default)]
pub(super) struct TagSection {
    pub(super) tags: Tags,
    pub(super) first_line: u64,
    pub(super) fen_line: u64,
    pub(super) warnings: Vec<Problem>,
}

/// Reads tags up to the first line of moves, which is handed back; `None` at the end of the file.
pub(super) fn read_tags<R: BufRead>(source: &mut Source<R>) -> Result<Option<TagSection>, Problem> {
    let mut section = TagSection::default();
    let mut blank = false;
    loop {
        match source.advance() {
            Ok(true) => {}
            Ok(false) if section.first_line == 0 => return Ok(None),
            Ok(false) => return Ok(Some(section)),
            Err(error) => return Err(Problem { line: source.number(), reason: error.into() }),
        }
        let line = source.number();
        let text = source.text().trim();
        if text.is_empty() || text == "\x1a" {
            blank = true;
            continue;
        }
        if source.is_escaped() || text.starts_with(';') {
            continue;
        }
        if !text.starts_with('[') {
            if section.first_line == 0 {
                section.first_line = line;
            }
            source.hold_from(0);
            return Ok(Some(section));
        }
        // Tags after a blank line that begin again are those of the next game.
        let again = read_tag(text)
            .is_some_and(|(name, ..)| section.tags.get(name).is_some() || name == "Event");
        if blank && again && !section.tags.is_empty() {
            source.hold_from(0);
            return Ok(Some(section));
        }
        blank = false;
        if section.first_line == 0 {
            section.first_line = line;
        }
        let left = section.take_line(text, line);
        if left > 0 {
            let used = source.text().trim_end().len() - left;
            source.hold_from(used);
            return Ok(Some(section));
        }
    }
}

impl TagSection {
    /// Takes the tags of a line; the number of bytes at its end that are not tags.
    fn take_line(&mut self, text: &str, line: u64) -> usize {
        let mut rest = text;
        while rest.starts_with('[') {
            match read_tag(rest) {
                Some((name, value, after)) => {
                    if name.eq_ignore_ascii_case("FEN") {
                        self.fen_line = line;
                    }
                    if self.tags.len() < MOST_TAGS {
                        self.tags.set(name, &value);
                    }
                    rest = after.trim_start();
                }
                None => {
                    let reason = Reason::Tag { text: rest.chars().take(80).collect() };
                    if self.warnings.len() < MOST_WARNINGS {
                        self.warnings.push(Problem { line, reason });
                    }
                    return 0;
                }
            }
        }
        rest.len()
    }

    /// Where the game starts; `repair` takes away what its FEN cannot have, with a warning.
    fn start(&mut self, repair: bool) -> Result<Position, Problem> {
        let mut chess960 = false;
        if let Some(variant) = self.tags.get("Variant") {
            let name: String = variant
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_lowercase();
            match name.as_str() {
                "" | "standard" | "normal" | "chess" | "fromposition" | "classical" => {}
                "chess960"
                | "fischerandom"
                | "fischerrandom"
                | "fischerrandomchess"
                | "frc"
                | "chess9lx"
                | "dfrc"
                | "doublefischerrandom" => chess960 = true,
                _ => {
                    let reason = Reason::Variant { name: variant.to_owned() };
                    return Err(Problem { line: self.first_line, reason });
                }
            }
        }
        let mut start = match self.tags.get("FEN").filter(|fen| !fen.trim().is_empty()) {
            None => Position::startpos(),
            Some(fen) => {
                let line = self.fen_line;
                let bad =
                    |error| Problem { line, reason: Reason::Fen { fen: fen.to_owned(), error } };
                let fields: Vec<&str> = fen.split_whitespace().collect();
                match Position::from_fen(fen) {
                    Err(_) if repair => {
                        let (position, repairs) = repaired(&fields).map_err(bad)?;
                        self.warnings.extend(
                            repairs.into_iter().map(|repair| Problem {
                                line,
                                reason: Reason::Repaired { repair },
                            }),
                        );
                        position
                    }
                    position => position.map_err(bad)?,
                }
            }
        };
        if chess960 {
            start.set_chess960(true);
        }
        Ok(start)
    }
}

/// The games of a PGN file. After an error reading goes on with the next game; only a failure of
/// the stream itself ends it.
#[derive(Debug)]
pub struct PgnReader<R> {
    source: Source<R>,
    games: u64,
    repair: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads games from a stream.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader { source: Source::new(input), games: 0, repair: false }
    }

    /// Whether castling rights without their rook and impossible en-passant squares of a `FEN` tag
    /// are taken away, with a warning, instead of rejecting the game.
    #[must_use]
    pub fn repairing(self, repair: bool) -> PgnReader<R> {
        PgnReader { repair, ..self }
    }

    fn read_moves(&mut self, moves: &mut Movetext) -> Result<(), Problem> {
        let source = &mut self.source;
        loop {
            match source.advance() {
                Ok(true) => {}
                Ok(false) => return moves.close(source.number()),
                Err(error) => return Err(Problem { line: source.number(), reason: error.into() }),
            }
            if source.is_escaped() {
                continue;
            }
            let next = match moves.in_comment {
                Some(_) => source.begins_game_in_comment(),
                None => source.text().trim_start().starts_with('['),
            };
            if next {
                source.hold_from(0);
                return moves.close(source.number());
            }
            let line = source.number();
            let mut scanner = Scanner::new(source.text(), moves.in_comment.is_some());
            if scanner.by_ref().any(|token| moves.take(token, line)) {
                let left = scanner.rest();
                if !left.trim().is_empty() {
                    let used = source.text().len() - left.len();
                    source.hold_from(used);
                }
                return Ok(());
            }
            moves.in_comment = match (moves.in_comment, scanner.in_brace()) {
                (Some(opened), true) => Some(opened),
                (None, true) => Some(line),
                (_, false) => None,
            };
        }
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let game = self.next_game()?;
            // A comment between games is not a game.
            if !matches!(&game, Ok(game) if game.tags.is_empty() && game.line.moves.is_empty() && game.result == GameResult::Unknown)
            {
                return Some(game);
            }
            self.games -= 1;
        }
    }
}

impl<R: BufRead> PgnReader<R> {
    fn next_game(&mut self) -> Option<Result<PgnGame, PgnError>> {
        self.games += 1;
        let number = self.games;
        let mut section = match read_tags(&mut self.source) {
            Ok(section) => section?,
            Err(problem) => return Some(Err(PgnError { game: number, problem, partial: None })),
        };
        let (start, fault) = match section.start(self.repair) {
            Ok(start) => (start, None),
            Err(problem) => (Position::startpos(), Some(problem)),
        };
        let partial = fault.is_none();
        let mut moves = Movetext::new(start, fault);
        if let Err(problem) = self.read_moves(&mut moves) {
            moves.fault.get_or_insert(problem);
        }
        let tagged = section.tags.get("Result").and_then(GameResult::parse);
        let mut warnings = section.warnings;
        warnings.append(&mut moves.warnings);
        let fault = moves.fault.take();
        let game = PgnGame {
            number,
            first_line: section.first_line,
            start,
            result: moves
                .result
                .filter(|r| *r != GameResult::Unknown)
                .or(tagged)
                .unwrap_or_default(),
            line: moves.finish(),
            tags: section.tags,
            warnings,
        };
        Some(match fault {
            None => Ok(game),
            Some(problem) => {
                let partial = partial.then(|| Box::new(game));
                Err(PgnError { game: number, problem, partial })
            }
        })
    }
}

/// A line of moves being read: the game or an open variation.
struct Open {
    line: PgnLine,
    /// The position after the last move, and before it, where a variation begins.
    now: Position,
    before: Position,
    /// An illegal move has been met: what follows on this line is left out.
    broken: bool,
}

impl Open {
    fn new(start: Position) -> Open {
        Open { line: PgnLine::default(), now: start, before: start, broken: false }
    }
}

/// The moves of one game as they come in.
struct Movetext {
    /// The game itself and the variations open inside one another.
    open: Vec<Open>,
    /// Brackets open, also after a fault, where variations are no longer kept.
    depth: usize,
    letters: Letters,
    comment: String,
    /// Comments and glyphs so far, and the bytes of the comments.
    annotations: usize,
    comment_bytes: usize,
    /// The line an open brace comment began on.
    in_comment: Option<u64>,
    moves: usize,
    result: Option<GameResult>,
    fault: Option<Problem>,
    warnings: Vec<Problem>,
}

impl Movetext {
    fn new(start: Position, fault: Option<Problem>) -> Movetext {
        Movetext {
            open: vec![Open::new(start)],
            depth: 0,
            letters: Letters::default(),
            comment: String::new(),
            annotations: 0,
            comment_bytes: 0,
            in_comment: None,
            moves: 0,
            result: None,
            fault,
            warnings: Vec::new(),
        }
    }

    /// Takes a token; whether it ends the game.
    fn take(&mut self, token: Token<'_>, line: u64) -> bool {
        match token {
            Token::Open => self.depth += 1,
            Token::Close => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match token {
            Token::Result(result) if self.depth == 0 => {
                self.result = Some(result);
                return true;
            }
            // Some programs close a variation with a result.
            Token::Result(_) => {}
            Token::Brace { text, closes } => {
                self.add_comment(text, line);
                if closes {
                    self.end_comment(line);
                    self.in_comment = None;
                }
            }
            Token::Rest(text) => {
                self.add_comment(text, line);
                self.end_comment(line);
            }
            _ if self.fault.is_some() => {}
            Token::Nag(nag) => {
                if self.may_annotate(line)
                    && let Some(last) = self.last_move()
                {
                    last.nags.push(nag);
                }
            }
            Token::Open => self.open_variation(line),
            Token::Close => self.close_variation(line),
            Token::Move(text) => self.play(text, line),
        }
        false
    }

    fn current(&mut self) -> &mut Open {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// The move that an annotation belongs to; none on a line that is being left out.
    fn last_move(&mut self) -> Option<&mut PgnMove> {
        let open = self.current();
        if open.broken { None } else { open.line.moves.last_mut() }
    }

    fn add_comment(&mut self, text: &str, line: u64) {
        let text = text.trim();
        if text.is_empty() || self.fault.is_some() {
            return;
        }
        self.comment_bytes += text.len();
        if self.comment_bytes > MOST_COMMENT_BYTES {
            let (what, limit) = ("bytes of comments", MOST_COMMENT_BYTES);
            return self.fail(line, Reason::TooMuch { what, limit });
        }
        if !self.comment.is_empty() {
            self.comment.push(' ');
        }
        self.comment.push_str(text);
    }

    fn end_comment(&mut self, line: u64) {
        let comment = std::mem::take(&mut self.comment);
        if comment.is_empty() || self.current().broken || !self.may_annotate(line) {
            return;
        }
        let open = self.current();
        match open.line.moves.last_mut() {
            Some(last) => last.comments.push(comment),
            None => open.line.comments.push(comment),
        }
    }

    /// Whether one more comment or glyph can be kept; after a fault none is.
    fn may_annotate(&mut self, line: u64) -> bool {
        self.annotations += 1;
        if self.annotations > MOST_ANNOTATIONS {
            let (what, limit) = ("comments and glyphs", MOST_ANNOTATIONS);
            self.fail(line, Reason::TooMuch { what, limit });
        }
        self.fault.is_none()
    }

    fn open_variation(&mut self, line: u64) {
        let current = self.current();
        let (before, broken) = (current.before, current.broken);
        if current.line.moves.is_empty() && !broken {
            self.warn(line, Reason::Bracket { bracket: '(' });
        }
        let broken = broken || self.current().line.moves.is_empty();
        if self.open.len() >= DEEPEST {
            self.fail(line, Reason::TooMuch { what: "nested variations", limit: DEEPEST });
            return;
        }
        self.open.push(Open { broken, ..Open::new(before) });
    }

    fn close_variation(&mut self, line: u64) {
        if self.open.len() == 1 {
            self.warn(line, Reason::Bracket { bracket: ')' });
            return;
        }
        let Some(variation) = self.open.pop() else { return };
        if variation.line == PgnLine::default() {
            return;
        }
        if let Some(last) = self.last_move() {
            last.variations.push(variation.line);
        }
    }

    fn play(&mut self, text: &str, line: u64) {
        if self.current().broken {
            return;
        }
        let now = self.current().now;
        if self.moves == MOST_MOVES {
            self.fail(line, Reason::TooMuch { what: "moves", limit: MOST_MOVES });
            return;
        }
        let (next, mv) = if matches!(text, "--" | "Z0" | "z0" | "null" | "@@@@" | "0000") {
            match after_pass(&now) {
                Some(next) => (next, None),
                None => {
                    let number = move_number(&now);
                    let reason = Reason::NullMove { number, text: text.to_owned() };
                    return self.refuse(line, reason);
                }
            }
        } else {
            match self.letters.read(&now, text) {
                Ok(mv) => (now.play(mv), Some(mv)),
                Err(error) => {
                    return self.refuse(line, Reason::Move { number: move_number(&now), error });
                }
            }
        };
        self.moves += 1;
        let open = self.current();
        open.before = now;
        open.now = next;
        open.line.moves.push(PgnMove { mv, ..PgnMove::default() });
    }

    /// A move that cannot be played breaks the game, or just the variation it stands in.
    fn refuse(&mut self, line: u64, reason: Reason) {
        if self.open.len() == 1 {
            self.fail(line, reason);
        } else {
            self.warn(line, reason);
            self.current().broken = true;
        }
    }

    fn fail(&mut self, line: u64, reason: Reason) {
        self.fault.get_or_insert(Problem { line, reason });
    }

    fn warn(&mut self, line: u64, reason: Reason) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(Problem { line, reason });
        }
    }

    /// The end of the game without a result.
    fn close(&mut self, line: u64) -> Result<(), Problem> {
        match self.in_comment.take() {
            Some(opened) => Err(Problem { line, reason: Reason::OpenComment { opened } }),
            None => Ok(()),
        }
    }

    /// The game's own line, with the variations still open closed.
    fn finish(mut self) -> PgnLine {
        while self.open.len() > 1 {
            self.close_variation(0);
        }
        self.open.pop().map(|open| open.line).unwrap_or_default()
    }
}

/// `12.` or `12...`
fn move_number(position: &Position) -> String {
    let dots = if position.side_to_move() == Color::White { "." } else { "..." };
    format!("{}{dots}", position.fullmove_number())
}
