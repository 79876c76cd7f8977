//! The engine behind the protocol: its options, its table, and what its threads have learnt.

use crate::mate::{self, MateOutcome};
use crate::options::{Change, OptionError, Options};
use crate::search::{Listener, SearchResult, Signals, Task, ThreadData, search};
use crate::tt::Table;
use dyno_uci::ILLEGAL_TABLE_MOVES;

/// What the engine calls itself.
pub const NAME: &str = concat!("Piston ", env!("CARGO_PKG_VERSION"));

/// The nodes for choosing a move where no mate was found.
const FALLBACK_NODES: u64 = 4_000;

/// Everything that lasts from one search to the next.
pub struct Engine {
    options: Options,
    table: Table,
    threads: Vec<ThreadData>,
}

/// There was not the memory for even the smallest table.
#[derive(Debug)]
pub struct OutOfMemory;

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not enough memory for the transposition table")
    }
}

impl std::error::Error for OutOfMemory {}

impl Engine {
    /// An engine with the default options.
    pub fn new() -> Result<Engine, OutOfMemory> {
        let options = Options::default();
        let table = Table::new(options.hash as usize).ok_or(OutOfMemory)?;
        Ok(Engine { options, table, threads: vec![ThreadData::default()] })
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an option and does what follows from it; returns a remark, if there is one to make.
    pub fn set_option(
        &mut self,
        name: &str,
        value: Option<&str>,
    ) -> Result<Option<String>, OptionError> {
        let before = self.options.hash;
        match self.options.set(name, value)? {
            Change::Value => {}
            Change::Clear => self.new_game(),
            Change::Threads => {
                self.threads.resize_with(self.options.threads as usize, ThreadData::default);
            }
            Change::Hash => {
                let wanted = self.options.hash;
                // The old table goes first, so that both need not fit at once.
                for size in [wanted, before, 1] {
                    self.table = Table::empty();
                    if let Some(table) = Table::new(size as usize) {
                        self.table = table;
                        self.options.hash = size;
                        break;
                    }
                }
                if self.options.hash != wanted {
                    let size = self.options.hash;
                    let text = format!("no memory for a table of {wanted} MB; it has {size} MB");
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    /// Offers the numbers of search and evaluation as options.
    pub fn make_tunable(&mut self) {
        self.options.tunable = true;
    }

    /// Forgets all earlier searches.
    pub fn new_game(&mut self) {
        self.table.clear();
        for thread in &mut self.threads {
            *thread = ThreadData::default();
        }
    }

    /// Searches; a question for a mate is first put to the mate solver.
    pub fn search(
        &mut self,
        task: &Task,
        signals: &Signals,
        listener: &mut dyn Listener,
    ) -> SearchResult {
        let Some(moves) = task.mate.filter(|_| task.root.has_legal_move()) else {
            return self.look_for_moves(task, signals, listener);
        };
        let megabytes = self.options.hash as usize;
        match mate::solve(task, moves, megabytes, signals, listener) {
            MateOutcome::Mate(result) => return result,
            MateOutcome::NoMate => listener.remark(&format!("no mate in {moves}: proved")),
            MateOutcome::Unsettled(0) => listener.remark("stopped before anything was proved"),
            MateOutcome::Unsettled(n) => {
                listener.remark(&format!("stopped: no mate in {n} is proved"))
            }
        }
        // There is a move to be made all the same.
        let nodes = Some(task.nodes.map_or(FALLBACK_NODES, |nodes| nodes.min(FALLBACK_NODES)));
        let fallback = Task { mate: None, budget: None, depth: None, nodes, ..task.clone() };
        self.look_for_moves(&fallback, signals, listener)
    }

    fn look_for_moves(
        &mut self,
        task: &Task,
        signals: &Signals,
        listener: &mut dyn Listener,
    ) -> SearchResult {
        let result = search(task, &self.table, &mut self.threads, signals, listener);
        if result.illegal_table_moves > 0 {
            listener.remark(&format!("{ILLEGAL_TABLE_MOVES} {}", result.illegal_table_moves));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::search::Report;
    use crate::tt::{Bound, Entry};
    use dyno_chess::{Move, Position, Square};

    struct Remarks(Vec<String>);

    impl Listener for Remarks {
        fn report(&mut self, _: &Report<'_>) {}

        fn remark(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }
    }

    /// What a position with the same key would have left: a move that is legal nowhere near.
    fn spoil(table: &Table, pos: &Position) {
        let mv = Move::normal(Square::from_index(0), Square::from_index(63));
        let bound = Bound::Upper;
        let entry = Entry { mv: Some(mv), value: 0, eval: None, depth: 0, bound, pv: false };
        table.store(pos.key(), entry);
    }

    #[test]
    fn illegal_moves_of_the_table_are_told_of_and_not_played() {
        let mut engine = Engine::new().unwrap();
        let root = Position::startpos();
        for mv in root.legal_moves() {
            spoil(&engine.table, &root.play(mv));
        }
        let task = Task { depth: Some(4), ..Task::new(root) };
        let mut remarks = Remarks(Vec::new());
        let result = engine.search(&task, &Signals::default(), &mut remarks);
        assert!(result.illegal_table_moves > 0);
        let told = format!("illegal table moves {}", result.illegal_table_moves);
        assert_eq!(remarks.0, [told]);
        let mut pos = root;
        for &mv in &result.pv {
            assert!(pos.is_legal(mv));
            pos = pos.play(mv);
        }
        // Nothing was met, nothing is told.
        engine.new_game();
        let mut remarks = Remarks(Vec::new());
        engine.search(&task, &Signals::default(), &mut remarks);
        assert!(remarks.0.is_empty(), "{:?}", remarks.0);
    }
}
