//! Mates: does an engine find them, in the right number of moves, with a true line?
//!
//! A [`Problem`] is a position with a stated mate, read in whatever way its file states it. The
//! solver says whether the statement is true; what the engine announces and plays is judged by the
//! board, never by comparing strings.

mod judge;
mod limit;
mod line;
mod plan;
mod problem;
mod proof;
mod prove;
mod read;
mod result;
mod run;
mod tally;

pub use limit::MateLimit;
pub use line::{JudgedLine, LineVerdict, LineVerdicts, judge_line, plies_to_mate, san_line};
pub use plan::MatePlan;
pub use problem::{Problem, StatedBy, SuiteFault, mate_in_text};
pub use proof::{ProofLimits, Truth, in_words};
pub use prove::{Examined, Opinion, ProveEvent, ProvePlan, ProveResult, prove};
pub use result::{
    DepthTotals, EngineMates, FalseClaim, FoundAt, MateResult, MateRun, MateTotals, MateVerdict,
    ScoreCounts,
};
pub use run::{MateEvent, run};
