//! What people read at a prompt: aligned tables, boards, bars, plots, progress.
//!
//! Everything here returns text, with colours as escape sequences where they help. Print it
//! with [`println!`] or [`eprintln!`] of this module: they drop the colours when the output
//! is not a terminal or `NO_COLOR` is set. Text from engines and files is [cleaned](clean) on
//! its way in, so that no engine can paint over the user's screen.
//!
//! ```
//! use dyno_report::{Verdict, row, terminal::{Table, left, llr_bar, right, plain}};
//!
//! let table = Table::new([left("Check"), right("Nodes"), left("Verdict")])
//!     .row(row!["isready while searching", 4_865_609_u64, Verdict::Pass])
//!     .row(row!["quit", None::<u64>, Verdict::Fail]);
//! assert_eq!(plain(&table.to_string()), "\
//! Check                        Nodes  Verdict
//! ───────────────────────  ─────────  ───────
//! isready while searching  4,865,609  ✓ pass
//! quit                             –  ✗ fail
//! ");
//! assert_eq!(llr_bar(1.47, -2.94, 2.94, 21), "-2.94 [··········│█████·····] 2.94");
//! ```

mod board;
mod plot;
mod progress;
mod style;
mod table;

pub use anstream::{eprint, eprintln, print, println};
pub use board::board;
pub use plot::{LinePlot, bars, llr_bar};
pub use progress::Progress;
pub use style::{
    bold, clean, clean_lines, dim, error_mark, painted, plain, text_width, verdict, warning_mark,
    width,
};
pub use table::{Cell, Head, Table, left, right};
