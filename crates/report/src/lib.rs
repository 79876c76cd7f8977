//! What people and machines read: terminal, CSV, JSON, JUnit, HTML.
//!
//! The kit that every command's report is made of:
//!
//! | module | for |
//! |---|---|
//! | [`html`] | pages: one file, no network, light and dark, tables, boards, charts |
//! | [`terminal`] | aligned tables, boards, bars, plots and progress for people at a prompt |
//! | [`junit`] | test results that CI servers show |
//! | [`svg_card`] | a report card as a picture, for a README |
//! | [`check`] | the report card of `dyno check` |
//! | [`perft`] | what `dyno perft` shows |
//! | [`perft_bisect`] | the wrong move behind a wrong perft count |
//! | [`positions`] | what the reports of `dyno suite` and `dyno mate` share |
//! | [`suite`], [`mate`] | the rest of them |
//! | [`mod@bench`] | the reports of `dyno bench` |
//! | [`regress`] | the reports of `dyno regress` |
//! | [`tournament`] | the reports of `dyno match` |
//! | [`puzzles`] | what `dyno puzzles` shows |
//! | [`statistics`] | Elo, sequential tests and rating lists |
//! | [`saved`], [`export`] | saved results read back, and written in every format again |
//! | [`number`] | figures as people read them; used by all of the above |

pub mod annotate;
pub mod bench;
pub mod check;
pub mod export;
mod fen_diagram;
pub mod grid;
pub mod history;
pub mod html;
pub mod junit;
pub mod mate;
pub mod number;
pub mod perft;
pub mod perft_bisect;
pub mod positions;
pub mod puzzles;
pub mod regress;
pub mod saved;
pub mod statistics;
pub mod suite;
pub mod svg_card;
pub mod terminal;
pub mod texel;
pub mod tournament;
pub mod tune;

pub use dyno_trials::Verdict;
pub use fen_diagram::FenDiagram;
