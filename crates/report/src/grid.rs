//! A table of plain text, for the formats that have no design of their own.

use crate::html::{Cell, Column, Table};

/// Heads and rows, as CSV and Markdown write them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// An empty table.
    pub fn new(heads: impl Into<Vec<&'static str>>) -> Self {
        Self { heads: heads.into(), rows: Vec::new() }
    }

    /// Many rows.
    #[must_use]
    pub fn rows<const N: usize>(mut self, rows: impl IntoIterator<Item = [String; N]>) -> Self {
        self.rows.extend(rows.into_iter().map(Vec::from));
        self
    }

    /// As CSV, with heads.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        // Memory takes everything, and the rows are as wide as the heads.
        let written = out
            .write_record(&self.heads)
            .and_then(|()| self.rows.iter().try_for_each(|row| out.write_record(row)));
        debug_assert!(written.is_ok());
        out.into_inner()
            .map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// As a table of a page: columns of figures sort as such, short ones that repeat have a menu.
    #[must_use]
    pub fn table(&self, caption: &str) -> Table {
        let values = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let is_figure = |column: usize| values(column).all(|text| text.parse::<f64>().is_ok());
        let columns = self.heads.iter().enumerate().map(|(index, head)| match *head {
            "verdict" | "suite" | "engine" | "check" | "rule" => Column::choice(*head),
            "fen" | "smallest" | "moves" => Column::code(*head),
            _ if is_figure(index) => Column::number(*head),
            _ => Column::text(*head),
        });
        let rows = self.rows.iter().map(|row| {
            row.iter().map(|text| match text.parse() {
                Ok(value) => Cell::number(value, text.as_str()),
                Err(_) => Cell::from(text.as_str()),
            })
        });
        Table::new(caption, columns).rows(rows)
    }

    /// As a table of Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let mut out = line(&mut self.heads.iter().map(ToString::to_string));
        out += &line(&mut self.heads.iter().map(|_| "---".to_owned()));
        for row in &self.rows {
            out += &line(&mut row.iter().map(|cell| markdown_text(cell)));
        }
        out
    }
}

/// Text that cannot break out of a cell of Markdown.
pub(crate) fn markdown_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_cells_stay_cells() {
        let grid = Grid::new(["a", "b"]).rows([["x,\"y\"".to_owned(), "1|2\n<b>".to_owned()]]);
        assert_eq!(grid.csv(), "a,b\n\"x,\"\"y\"\"\",\"1|2\n<b>\"\n");
        assert_eq!(grid.markdown(), "| a | b |\n| --- | --- |\n| x,\"y\" | 1\\|2 &lt;b> |\n");
    }
}
