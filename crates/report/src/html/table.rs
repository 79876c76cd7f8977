//! Tables that sort and filter in the page, by mouse and by keyboard.

use std::time::Duration;

use super::blocks::badge;
use super::markup::{Html, escape};
use crate::{Verdict, number};

/// A table with a caption. Clicking a head sorts; from [`Table::FILTER_FROM`] rows on there
/// is a filter box, and a menu for every [`Column::choice`].
#[derive(Clone, Debug)]
pub struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    is_plain: bool,
}

impl Table {
    /// From this many rows on a table gets a filter.
    pub const FILTER_FROM: usize = 8;
    /// From this many rows on a table scrolls inside the page, under its own heads.
    const SCROLL_FROM: usize = 40;

    /// An empty table.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Table {
        Table {
            caption: caption.into(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            is_plain: false,
        }
    }

    /// The next row; see [`crate::cells!`]. Missing cells are empty, surplus ones dropped.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Table {
        let width = self.columns.len();
        let mut row: Vec<Cell> = cells.into_iter().take(width).collect();
        row.resize_with(width, Cell::default);
        self.rows.push(row);
        self
    }

    /// Many rows.
    #[must_use]
    pub fn rows<R: IntoIterator<Item = Cell>>(self, rows: impl IntoIterator<Item = R>) -> Table {
        rows.into_iter().fold(self, Table::row)
    }

    /// Neither sorts nor filters: for tables whose order is their meaning.
    #[must_use]
    pub fn plain(mut self) -> Table {
        self.is_plain = true;
        self
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl From<Table> for Html {
    fn from(table: Table) -> Html {
        let caption = escape(&table.caption);
        let sortable = if table.is_plain || table.len() < 2 { "" } else { " data-sortable" };
        let filter = if !table.is_plain && table.len() >= Table::FILTER_FROM {
            " data-filter=\"rows\""
        } else {
            ""
        };
        let long = if table.len() >= Table::SCROLL_FROM { " long" } else { "" };
        let heads: String = table.columns.iter().map(Column::render).collect();
        let mut body = String::new();
        for row in &table.rows {
            body.push_str("<tr>");
            for (cell, column) in row.iter().zip(&table.columns) {
                cell.render(column, &mut body);
            }
            body.push_str("</tr>\n");
        }
        Html::trusted(format!(
            "<div class=\"table\"{filter}>\n<div class=\"scroll{long}\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n\
             <table{sortable}>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n\
             <tbody>\n{body}</tbody>\n</table>\n</div>\n</div>\n"
        ))
    }
}

/// A column's head and how its cells sort.
#[derive(Clone, Debug)]
pub struct Column {
    head: String,
    hint: Option<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Code,
    Number,
    Choice,
}

impl Column {
    /// Words; sorted as people sort names (`b2` before `b10`).
    pub fn text(head: impl Into<String>) -> Column {
        Column { head: head.into(), hint: None, kind: Kind::Text }
    }

    /// Moves, FENs, ids: text in the code face.
    pub fn code(head: impl Into<String>) -> Column {
        Column { kind: Kind::Code, ..Column::text(head) }
    }

    /// Figures: to the right, sorted by value.
    pub fn number(head: impl Into<String>) -> Column {
        Column { kind: Kind::Number, ..Column::text(head) }
    }

    /// A few values that come again and again (verdicts, themes): gets a menu to choose from.
    pub fn choice(head: impl Into<String>) -> Column {
        Column { kind: Kind::Choice, ..Column::text(head) }
    }

    /// What the head means, for the one who points at it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Column {
        self.hint = Some(hint.into());
        self
    }

    fn render(&self) -> String {
        let (class, sort) = match self.kind {
            Kind::Number => (" class=\"number\"", "number"),
            Kind::Choice => (" data-choice", "text"),
            Kind::Text | Kind::Code => ("", "text"),
        };
        let hint = self
            .hint
            .as_deref()
            .map_or(String::new(), |hint| format!(" title=\"{}\"", escape(hint)));
        format!("<th scope=\"col\" data-sort=\"{sort}\"{class}{hint}>{}</th>", escape(&self.head))
    }
}

/// What stands in a cell, and what it sorts by.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    html: Html,
    key: Option<String>,
}

impl Cell {
    /// Shown as `html`, sorted by `value`.
    pub fn number(value: f64, html: impl Into<Html>) -> Cell {
        let key = if value.is_finite() { value.to_string() } else { String::new() };
        Cell { html: html.into(), key: Some(key) }
    }

    /// `254 / 300` with its percentage, sorted by the share.
    #[must_use]
    pub fn share(part: u64, whole: u64) -> Cell {
        #[allow(clippy::cast_precision_loss, reason = "only the order matters")]
        let value = part as f64 / whole as f64;
        let text = format!(
            "{} ({}/{})",
            number::percent(part, whole),
            number::grouped(part),
            number::grouped(whole)
        );
        Cell::number(value, text)
    }

    fn render(&self, column: &Column, out: &mut String) {
        out.push_str("<td");
        match column.kind {
            Kind::Number => out.push_str(" class=\"number\""),
            Kind::Code => out.push_str(" class=\"mono\""),
            Kind::Text | Kind::Choice => {}
        }
        if let Some(key) = &self.key {
            out.push_str(" data-key=\"");
            out.push_str(&escape(key));
            out.push('"');
        }
        out.push('>');
        out.push_str(self.html.as_str());
        out.push_str("</td>");
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell { html: text.into(), key: None }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { html: text.into(), key: None }
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Cell {
        Cell { html: text.into(), key: None }
    }
}

impl From<Html> for Cell {
    fn from(html: Html) -> Cell {
        Cell { html, key: None }
    }
}

impl From<Verdict> for Cell {
    fn from(verdict: Verdict) -> Cell {
        Cell { html: badge(verdict), key: Some((verdict as u8).to_string()) }
    }
}

impl From<Duration> for Cell {
    fn from(span: Duration) -> Cell {
        Cell::number(span.as_secs_f64(), number::duration(span))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::number(value, number::figure(value))
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell { html: number::count(value).into(), key: Some(value.to_string()) }
    }
}

macro_rules! whole_number_cells {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Cell {
            fn from(value: $kind) -> Cell {
                Cell { html: number::grouped(value).into(), key: Some(value.to_string()) }
            }
        }
    )*};
}
whole_number_cells!(u8, u16, u32, u64, i32, i64);

/// Nothing known is a dash, and sorts last.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or_else(|| Cell { html: "–".into(), key: Some(String::new()) }, Into::into)
    }
}

/// The cells of a row, each from what it shows: text, numbers, spans of time, verdicts,
/// `Option`s of these, [`Html`](crate::html::Html).
#[macro_export]
macro_rules! cells {
    ($($cell:expr),* $(,)?) => {
        [$($crate::html::Cell::from($cell)),*]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_show_for_people_and_sort_for_machines() {
        let table = Table::new("t", [Column::number("n"), Column::text("x"), Column::text("y")])
            .row(cells![1_234_567_u64, None::<u64>]);
        let html = Html::from(table).to_string();
        assert!(html.contains("<td class=\"number\" data-key=\"1234567\">1,234,567</td>"));
        assert!(html.contains("<td data-key=\"\">–</td><td></td>"));
    }

    #[test]
    fn nothing_supplied_becomes_markup() {
        let hostile = "\"><script>x</script>";
        let table = Table::new(hostile, [Column::text(hostile).hint(hostile)]).row(cells![hostile]);
        assert!(!Html::from(table).as_str().contains("<script>"));
    }
}
