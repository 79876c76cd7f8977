//! The search: iterative deepening over a principal variation search, on one thread or several.
//!
//! With one thread and a limit of depth or nodes nothing here looks at the clock to decide, and
//! all arithmetic is of whole numbers: the same task gets the same result everywhere.
//!
//! | file | what it holds |
//! |---|---|
//! | `task`, `report` | what is asked, and what comes back |
//! | `worker` | one thread: its stacks, its counters, what every node asks |
//! | `quiesce`, `prune`, `singular`, `move_loop`, `node` | a node, from the leaves up |
//! | `root` | iterative deepening |
//! | `pool` | the threads |

mod move_loop;
mod node;
mod pool;
mod prune;
mod pv;
mod quiesce;
mod reductions;
mod report;
mod root;
mod root_move;
mod shared;
mod singular;
mod task;
mod window;
mod worker;

pub use pool::{search, within};
pub use report::{Listener, Report, SearchResult, Silent};
pub use shared::ThreadData;
pub use task::{Signals, Task};
pub use worker::MAX_DEPTH;
