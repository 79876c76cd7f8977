//! Tables whose columns line up, whatever is in them.

use std::fmt;
use std::time::Duration;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::style::{clean, colour, cut, painted, width};
use crate::{Verdict, number};

/// Space between columns.
const GAP: usize = 2;
/// No column is cut below this to make a table fit.
const NARROWEST: usize = 8;

/// A table; `Display` gives its lines. On a terminal, the widest texts are cut so that a row
/// stays on one line; elsewhere nothing is cut.
#[derive(Clone, Debug)]
pub struct Table {
    heads: Vec<Head>,
    rows: Vec<Vec<Cell>>,
    fit: Option<usize>,
}

/// A column's head and side.
#[derive(Clone, Debug)]
pub struct Head {
    text: String,
    is_right: bool,
}

/// A column of words.
pub fn left(head: impl Into<String>) -> Head {
    Head { text: clean(&head.into()), is_right: false }
}

/// A column of figures.
pub fn right(head: impl Into<String>) -> Head {
    Head { text: clean(&head.into()), is_right: true }
}

impl Table {
    /// An empty table, as wide as the terminal allows.
    pub fn new(heads: impl IntoIterator<Item = Head>) -> Table {
        Table { heads: heads.into_iter().collect(), rows: Vec::new(), fit: width() }
    }

    /// Cuts texts so that rows take at most this many columns; `None` cuts nothing.
    #[must_use]
    pub fn fit(mut self, columns: Option<usize>) -> Table {
        self.fit = columns;
        self
    }

    /// The next row; see [`crate::row!`]. Missing cells are empty, surplus ones dropped.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Table {
        self.push(cells);
        self
    }

    /// Many rows.
    #[must_use]
    pub fn rows<R: IntoIterator<Item = Cell>>(self, rows: impl IntoIterator<Item = R>) -> Table {
        rows.into_iter().fold(self, Table::row)
    }

    /// The next row, in place.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().take(self.heads.len()).collect();
        row.resize_with(self.heads.len(), Cell::default);
        self.rows.push(row);
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| head.text.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        if let Some(columns) = self.fit {
            self.shrink(&mut widths, columns);
        }
        widths
    }

    /// Takes from the widest column of words until the row fits.
    fn shrink(&self, widths: &mut [usize], columns: usize) {
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > columns {
            let words =
                (0..widths.len()).filter(|&n| !self.heads[n].is_right && widths[n] > NARROWEST);
            match words.max_by_key(|&n| widths[n]) {
                Some(widest) => widths[widest] -= 1,
                None => return,
            }
        }
    }

    fn write_line(
        &self,
        f: &mut fmt::Formatter<'_>,
        widths: &[usize],
        cells: impl Iterator<Item = (String, Option<Style>)>,
    ) -> fmt::Result {
        let mut line = String::new();
        for (n, ((text, style), &width)) in cells.zip(widths).enumerate() {
            let text = cut(&text, width);
            let room = " ".repeat(width.saturating_sub(text.width()));
            let text = style.map_or_else(|| text.clone(), |style| painted(&text, style));
            let gap = if n > 0 { " ".repeat(GAP) } else { String::new() };
            line.push_str(&gap);
            line.push_str(&if self.heads[n].is_right { room + &text } else { text + &room });
        }
        writeln!(f, "{}", line.trim_end())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let bold = Some(Style::new().bold());
        self.write_line(f, &widths, self.heads.iter().map(|head| (head.text.clone(), bold)))?;
        self.write_line(
            f,
            &widths,
            widths.iter().map(|&width| ("─".repeat(width), Some(Style::new().dimmed()))),
        )?;
        for row in &self.rows {
            self.write_line(f, &widths, row.iter().map(|cell| (cell.text.clone(), cell.style)))?;
        }
        Ok(())
    }
}

/// What stands in a cell: text (cleaned) and perhaps a style.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    /// The same text in a style.
    #[must_use]
    pub fn style(mut self, style: Style) -> Cell {
        self.style = Some(style);
        self
    }

    /// `84.7 % (254/300)`.
    #[must_use]
    pub fn share(part: u64, whole: u64) -> Cell {
        Cell::from(format!(
            "{} ({}/{})",
            number::percent(part, whole),
            number::grouped(part),
            number::grouped(whole)
        ))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell { text: clean(text), style: None }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::from(text.as_str())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Cell {
        Cell::from(text.as_str())
    }
}

impl From<Verdict> for Cell {
    fn from(verdict: Verdict) -> Cell {
        Cell::from(format!("{} {verdict}", verdict.sign())).style(colour(verdict))
    }
}

impl From<Duration> for Cell {
    fn from(span: Duration) -> Cell {
        Cell::from(number::duration(span))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::from(number::figure(value))
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::from(number::count(value))
    }
}

macro_rules! whole_number_cells {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Cell {
            fn from(value: $kind) -> Cell {
                Cell::from(number::grouped(value))
            }
        }
    )*};
}
whole_number_cells!(u8, u16, u32, u64, i32, i64);

/// Nothing known is a dash.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or_else(|| Cell::from("–"), Into::into)
    }
}

/// The cells of a terminal table's row, each from what it shows: text, numbers, spans of
/// time, verdicts, `Option`s of these.
#[macro_export]
macro_rules! row {
    ($($cell:expr),* $(,)?) => {
        [$($crate::terminal::Cell::from($cell)),*]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::{plain, text_width};

    #[test]
    fn columns_line_up_with_wide_letters_and_colours() {
        let table = Table::new([left("Name"), right("N"), left("Verdict")])
            .fit(None)
            .row(row!["棋士", 7, Verdict::Warn])
            .row(row!["a", 1_234_567, Verdict::Pass]);
        let text = plain(&table.to_string());
        assert_eq!(
            text,
            "Name          N  Verdict\n────  ─────────  ───────\n棋士          7  ! warn\na     1,234,567  ✓ pass\n"
        );
    }

    #[test]
    fn long_words_are_cut_to_fit_and_figures_never() {
        let table = Table::new([left("Line"), right("Nodes")])
            .fit(Some(24))
            .row(row!["a very long line of moves indeed", 1_234_567_890_u64]);
        let text = plain(&table.to_string());
        assert!(text.lines().all(|line| text_width(line) <= 24), "{text}");
        assert!(text.contains("a very l…  1,234,567,890"), "{text}");
    }

    #[test]
    fn a_terminal_too_small_is_no_endless_loop() {
        let table = Table::new([left("a"), right("b")]).fit(Some(1)).row(row!["abcdefghijkl", "x"]);
        assert!(table.to_string().contains("abcdefg…"));
    }
}
