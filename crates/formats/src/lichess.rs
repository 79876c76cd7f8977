//! The lichess puzzle database: a CSV of positions, lines, ratings and themes.
//!
//! A row's position is the one before the opponent's move: the first move of the line leads to the
//! puzzle, the others solve it.
//!
//! ```
//! use dyno_formats::lichess::Columns;
//!
//! let line = "00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,\
//!     e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate mateIn2 middlegame short,https://lichess.org/x";
//! let (columns, is_header) = Columns::of_first_line(line).unwrap();
//! assert!(!is_header);
//! let row = columns.row(line).unwrap();
//! assert_eq!((row.id.as_ref(), row.rating), ("00sHx", Some(1760)));
//! assert_eq!(row.themes().collect::<Vec<_>>(), ["mate", "mateIn2", "middlegame", "short"]);
//! ```

use std::borrow::Cow;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Id,
    Fen,
    Moves,
    Rating,
    Deviation,
    Popularity,
    Plays,
    Themes,
    Url,
    OpeningTags,
    /// Something that is not read, such as the date of a daily puzzle.
    Other,
}

/// The order of files without a header, which have nine columns or more.
const USUAL: [Field; 11] = [
    Field::Id,
    Field::Fen,
    Field::Moves,
    Field::Rating,
    Field::Deviation,
    Field::Popularity,
    Field::Plays,
    Field::Themes,
    Field::Url,
    Field::OpeningTags,
    Field::Other,
];

/// Which column of a file holds what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    fields: Vec<Field>,
    /// A row must reach at least this far.
    needed: usize,
}

/// One row, its fields as they stand in the file, quotes resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row<'a> {
    /// The name of the puzzle.
    pub id: Cow<'a, str>,
    /// The position before the opponent's move.
    pub fen: Cow<'a, str>,
    /// The opponent's move and the solution, in UCI notation.
    pub moves: Cow<'a, str>,
    /// How hard it is.
    pub rating: Option<u32>,
    /// How sure that is.
    pub deviation: Option<u32>,
    /// How much it is liked, from -100 to 100.
    pub popularity: Option<i32>,
    /// How often it was played.
    pub plays: Option<u64>,
    themes: Cow<'a, str>,
    /// The game it comes from.
    pub url: Cow<'a, str>,
    /// The opening of that game.
    pub opening_tags: Cow<'a, str>,
    /// The first number that is none and counts as missing: it says nothing against the puzzle.
    pub ignored: Option<BadNumber>,
}

/// A number of a row that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {field} is \"{text}\", not a number")]
pub struct BadNumber {
    /// The column.
    pub field: &'static str,
    /// What stands there.
    pub text: String,
}

impl Row<'_> {
    /// The themes, one by one.
    pub fn themes(&self) -> impl Iterator<Item = &str> {
        self.themes.split_ascii_whitespace()
    }

    /// The themes as they stand in the file.
    pub fn theme_text(&self) -> &str {
        &self.themes
    }
}

/// Why a file or a row cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// The header lacks a column.
    #[error("the header has no column \"{name}\"")]
    NoColumn {
        /// The column.
        name: &'static str,
    },
    /// The row is too short.
    #[error("{found} of {needed} needed columns")]
    TooShort {
        /// How many it has.
        found: usize,
        /// How many it needs.
        needed: usize,
    },
    /// A quoted field does not end.
    #[error("a quoted field is not closed")]
    OpenQuote,
}

impl Columns {
    /// Finds the columns by the first line of a file: by name if it is a header, in the usual order
    /// otherwise. The second value says whether it is a header.
    pub fn of_first_line(line: &str) -> Result<(Columns, bool), RowError> {
        let mut names = Vec::new();
        each_field(line, |_, name| names.push(name.trim().to_ascii_lowercase()))?;
        let is_header = names.iter().any(|name| matches!(name.as_str(), "fen" | "puzzleid"));
        let fields: Vec<Field> =
            if is_header { names.iter().map(|name| named(name)).collect() } else { USUAL.into() };
        let place = |field, name| {
            fields.iter().position(|f| *f == field).ok_or(RowError::NoColumn { name })
        };
        let needed = 1 + place(Field::Fen, "FEN")?.max(place(Field::Moves, "Moves")?);
        Ok((Columns { fields, needed }, is_header))
    }

    /// Reads a row.
    pub fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, RowError> {
        let mut row = Row::default();
        let mut bad = None;
        let found = each_field(line, |at, text| {
            let mut number = |field: &'static str, text: Cow<'a, str>| {
                let number = whole_number(text.trim());
                if number.is_none() && !text.trim().is_empty() {
                    bad.get_or_insert(BadNumber { field, text: text.into_owned() });
                }
                number
            };
            match self.fields.get(at).copied().unwrap_or(Field::Other) {
                Field::Id => row.id = text,
                Field::Fen => row.fen = text,
                Field::Moves => row.moves = text,
                Field::Themes => row.themes = text,
                Field::Url => row.url = text,
                Field::OpeningTags => row.opening_tags = text,
                Field::Rating => {
                    row.rating = number("rating", text).and_then(|n| u32::try_from(n).ok());
                }
                Field::Deviation => {
                    let deviation = number("rating deviation", text);
                    row.deviation = deviation.and_then(|n| u32::try_from(n).ok());
                }
                Field::Popularity => {
                    let popularity = number("popularity", text);
                    row.popularity = popularity.and_then(|n| i32::try_from(n).ok());
                }
                Field::Plays => {
                    row.plays = number("number of plays", text).and_then(|n| u64::try_from(n).ok());
                }
                Field::Other => {}
            }
        })?;
        if found < self.needed {
            return Err(RowError::TooShort { found, needed: self.needed });
        }
        row.ignored = bad;
        Ok(row)
    }
}

/// A whole number, also as `6608.0`: so programs write it that keep columns with gaps as floating
/// point.
fn whole_number(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    // Beyond 2⁵³ not every number has a floating-point one.
    let number = text.parse::<f64>().ok().filter(|x| x.fract() == 0.0 && x.abs() < 9e15)?;
    #[allow(clippy::cast_possible_truncation, reason = "whole and small")]
    Some(number as i64)
}

fn named(name: &str) -> Field {
    match name {
        "puzzleid" => Field::Id,
        "fen" => Field::Fen,
        "moves" => Field::Moves,
        "rating" => Field::Rating,
        "ratingdeviation" => Field::Deviation,
        "popularity" => Field::Popularity,
        "nbplays" => Field::Plays,
        "themes" => Field::Themes,
        "gameurl" => Field::Url,
        "openingtags" | "openingfamily" => Field::OpeningTags,
        _ => Field::Other,
    }
}

/// Gives each field of a line with its number; how many there are.
fn each_field<'a>(
    line: &'a str,
    mut take: impl FnMut(usize, Cow<'a, str>),
) -> Result<usize, RowError> {
    let mut rest = line.trim_end_matches(['\r', '\n']);
    let mut at = 0;
    loop {
        if rest.starts_with('"') {
            let (field, after) = quoted(&rest[1..])?;
            take(at, field);
            at += 1;
            // What stands between the closing quote and the comma is lost: it means nothing.
            match after.find(',') {
                Some(comma) => rest = &after[comma + 1..],
                None => return Ok(at),
            }
            continue;
        }
        let comma = rest.bytes().position(|byte| byte == b',');
        take(at, Cow::Borrowed(&rest[..comma.unwrap_or(rest.len())]));
        at += 1;
        match comma {
            Some(comma) => rest = &rest[comma + 1..],
            None => return Ok(at),
        }
    }
}

/// A quoted field, whose quotes are doubled, and what follows it.
fn quoted(body: &str) -> Result<(Cow<'_, str>, &str), RowError> {
    let mut field: Option<String> = None;
    let mut start = 0;
    loop {
        let quote = start + body[start..].find('"').ok_or(RowError::OpenQuote)?;
        let part = &body[start..quote];
        let after = &body[quote + 1..];
        if after.starts_with('"') {
            let text = field.get_or_insert_default();
            text.push_str(part);
            text.push('"');
            start = quote + 2;
            continue;
        }
        let field = match field {
            None => Cow::Borrowed(part),
            Some(text) => Cow::Owned(text + part),
        };
        return Ok((field, after));
    }
}
