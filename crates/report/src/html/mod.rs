//! One design for every page that Dyno writes.
//!
//! A page is one file without network: styles, script, boards and charts are inside it. It
//! reads in light and dark, on a phone, on paper and without scripting, and whatever an
//! engine or a user supplied is escaped on its way in: text becomes [`Html`] only through
//! escaping.
//!
//! ```
//! use dyno_report::{Verdict, cells, html::*};
//!
//! let misses = Table::new("Misses", [Column::text("Id"), Column::text("Engine"), Column::number("Nodes"), Column::choice("Verdict")])
//!     .row(cells!["WAC.004", "Qxh7+", 12_345, Verdict::Fail])
//!     .row(cells!["WAC.005", "Qc4+", 999, Verdict::Pass]);
//!
//! let board = Board::new("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
//!     .arrow("d1", "d8", Arrow::Expected)
//!     .arrow("d1", "d7", Arrow::Played);
//!
//! let page = Page::new("WAC with <b>my engine</b>")
//!     .command("suite")
//!     .fact("Engine", "my engine 0.1")
//!     .add(Tiles::new().tile("Solved", "254 / 300", "84.7 %"))
//!     .section(Section::new("Misses").add(misses).add(board))
//!     .render();
//! assert!(page.contains("WAC with &lt;b&gt;my engine"));
//! ```
//!
//! The blocks: [`Table`], [`Tiles`], [`Facts`], [`Cards`], [`Details`], [`Code`], [`Note`],
//! [`Row`], [`badge`], [`Board`], [`BarChart`], [`LineChart`], [`ColumnChart`], and any [`Html`].

mod blocks;
mod board;
mod cards;
mod chart;
mod markup;
mod page;
mod pieces;
mod sprite;
mod table;

pub use blocks::{Code, Details, Facts, Note, Row, Tiles, badge};
pub use board::{Arrow, Board};
pub use cards::{Card, Cards};
pub use chart::{BarChart, ColumnChart, LineChart, Series};
pub use markup::Html;
pub use page::{Page, Section, extended, script, served, stylesheet};
pub use table::{Cell, Column, Table};
