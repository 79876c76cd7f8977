//! Parameters tuned by games: SPSA as fishtest does it, made exactly repeatable.
//!
//! A [`Tuning`] and a seed decide everything but the results of the games: which values each
//! iteration compares ([`Tuning::iteration`]) and what a result changes ([`Trajectory::apply`]).
//! Results are applied in the order of the iterations and each iteration starts from the values a
//! fixed number of iterations earlier, so that the path does not depend on who finished first.

mod diagnosis;
mod parameter;
mod result;
mod schedule;
mod trajectory;

pub use diagnosis::{Diagnosis, Forecast, Signal};
pub use parameter::{Parameter, ParameterError, read_parameters};
pub use result::{KIND, Proof, TuneResult};
pub use schedule::TuningSchedule;
pub use trajectory::{Iteration, PathPoint, Trajectory, Tuning};
