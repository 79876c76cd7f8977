//! The reports of `dyno match`.

mod html;
mod lines;
mod summary;
mod tables;

pub use html::page;
pub use lines::{
    all_one_way, elo_line, fastchess_block, finished, outcomes, score_lines, sprt_line,
    standings_table, started, status_line,
};
pub use summary::{final_report, stability};
