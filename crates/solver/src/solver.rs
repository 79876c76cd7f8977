//! The questions one can ask.

use crate::budget::Budget;
use crate::search::{OutOfBudget, Refuters, Search};
use crate::table::Table;
use crate::tree::{Branch, Tree};
use dyno_chess::{Color, Move, Position};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The budget ran out before the question was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// There is certainly no mate in this many moves or fewer.
    pub no_mate_in: u32,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.no_mate_in {
            0 => f.write_str("not settled within the budget"),
            n => write!(f, "not settled within the budget (no mate in {n})"),
        }
    }
}

impl std::error::Error for Unsettled {}

/// An answer, or the news that the budget ran out.
pub type Settled<T> = Result<T, Unsettled>;

/// The solver with its table. What it learns about a position serves all further questions about
/// the same position; a new position begins afresh, so that answers never depend on earlier ones.
pub struct Solver {
    table: Table,
    /// One for each thread.
    refuters: Vec<Refuters>,
    root: Option<(u64, bool)>,
    nodes: u64,
}

impl Default for Solver {
    /// A solver with a table of 64 MB.
    fn default() -> Self {
        Solver::new(64)
    }
}

impl Solver {
    /// A solver with a table of about this many megabytes.
    pub fn new(megabytes: usize) -> Solver {
        Solver::with_threads(megabytes, 1)
    }

    /// A solver whose threads share the first moves of a question and the table. The answers are
    /// those of one thread; how many positions they take is not.
    pub fn with_threads(megabytes: usize, threads: usize) -> Solver {
        let refuters = (0..threads.max(1)).map(|_| Refuters::new()).collect();
        Solver { table: Table::new(megabytes), refuters, root: None, nodes: 0 }
    }

    /// Forgets what it has learned, so that the next answer and its cost depend on nothing before.
    pub fn forget(&mut self) {
        self.root = None;
    }

    /// Positions made for the current position so far, over all questions.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The shortest mate the side to move can force, if there is one in at most `most` moves.
    pub fn shortest(
        &mut self,
        position: &Position,
        most: u32,
        budget: &Budget<'_>,
    ) -> Settled<Option<u32>> {
        self.first_that_mates(position, position.side_to_move(), 1..=most, budget)
    }

    /// The fewest moves in which the side to move is mated whatever it plays, if at most `most`;
    /// 0 when it is mated already.
    pub fn mated_in(
        &mut self,
        position: &Position,
        most: u32,
        budget: &Budget<'_>,
    ) -> Settled<Option<u32>> {
        self.first_that_mates(position, !position.side_to_move(), 0..=most, budget)
    }

    /// Whether the side to move can force mate in at most `moves`, be it the shortest or not.
    pub fn mates_within(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<bool> {
        self.ask(position, position, position.side_to_move(), moves, budget)
    }

    /// Whether the side to move is mated in at most `moves` whatever it plays.
    pub fn mated_within(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<bool> {
        self.ask(position, position, !position.side_to_move(), moves, budget)
    }

    /// Whether a legal move of the side to move forces mate in at most `moves`, itself included.
    pub fn keeps_mate(
        &mut self,
        position: &Position,
        mv: Move,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<bool> {
        let next = position.play(mv);
        match moves.checked_sub(1) {
            Some(left) => self.ask(position, &next, position.side_to_move(), left, budget),
            None => Ok(false),
        }
    }

    /// All first moves that force mate in at most `moves`, in the order of generation.
    pub fn keys(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Vec<Move>> {
        let mut keys = Vec::new();
        for mv in &position.legal_moves() {
            if self.keeps_mate(position, mv, moves, budget)? {
                keys.push(mv);
            }
        }
        Ok(keys)
    }

    /// The first reply after which a legal move of the side to move no longer forces mate in at
    /// most `moves`, itself included; `None` when every reply is answered, or when there is none
    /// to give.
    pub fn refutation(
        &mut self,
        position: &Position,
        mv: Move,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Option<Move>> {
        let next = position.play(mv);
        for reply in &next.legal_moves() {
            let left = moves.saturating_sub(1);
            let attacker = position.side_to_move();
            if !self.ask(position, &next.play(reply), attacker, left, budget)? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// The attacker mates as soon as can be, the defender holds out longest; among equals the
    /// first generated is taken.
    fn line_of(
        &mut self,
        root: &Position,
        attacker: Color,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Vec<Move>> {
        let mut line = Vec::new();
        let mut at = *root;
        let mut left = moves;
        while let Some(mv) = self.best(root, &at, attacker, left, budget)? {
            left -= u32::from(at.side_to_move() == attacker);
            at = at.play(mv);
            line.push(mv);
        }
        Ok(line)
    }

    /// Best play of both sides to the mate, where the side to move mates in `moves` at the
    /// shortest (see [`Solver::shortest`]): `2 * moves - 1` half-moves.
    pub fn line(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Vec<Move>> {
        self.line_of(position, position.side_to_move(), moves, budget)
    }

    /// Best play of both sides to the mate, where the side to move is mated in `moves` at the
    /// shortest (see [`Solver::mated_in`]): `2 * moves` half-moves.
    pub fn line_when_mated(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Vec<Move>> {
        self.line_of(position, !position.side_to_move(), moves, budget)
    }

    /// The whole solution: the key, every reply to it, the shortest answer to each, to the mates.
    /// `moves` must be proved (see [`Solver::shortest`]), and `key` one of [`Solver::keys`].
    pub fn tree(
        &mut self,
        position: &Position,
        key: Move,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Tree> {
        self.tree_below(position, position, key, moves, budget)
    }

    fn tree_below(
        &mut self,
        root: &Position,
        position: &Position,
        key: Move,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<Tree> {
        let attacker = position.side_to_move();
        let next = position.play(key);
        let mut answers = Vec::new();
        for reply in &next.legal_moves() {
            let after = next.play(reply);
            let mut left = 1;
            while left < moves && !self.ask(root, &after, attacker, left, budget)? {
                left += 1;
            }
            if let Some(mv) = self.best(root, &after, attacker, left, budget)? {
                let then = self.tree_below(root, &after, mv, left, budget)?;
                answers.push(Branch { reply, then });
            }
        }
        Ok(Tree { mv: key, answers })
    }

    /// The move of best play, where the shortest mate is `left` moves away.
    fn best(
        &mut self,
        root: &Position,
        at: &Position,
        attacker: Color,
        left: u32,
        budget: &Budget<'_>,
    ) -> Settled<Option<Move>> {
        let attacking = at.side_to_move() == attacker;
        for mv in &at.legal_moves() {
            let next = at.play(mv);
            // The defender's longest: the mate that is not there one move earlier.
            if left > 0 && self.ask(root, &next, attacker, left - 1, budget)? == attacking {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    fn first_that_mates(
        &mut self,
        position: &Position,
        attacker: Color,
        moves: std::ops::RangeInclusive<u32>,
        budget: &Budget<'_>,
    ) -> Settled<Option<u32>> {
        let mut no_mate_in = 0;
        for n in moves {
            match self.ask(position, position, attacker, n, budget) {
                Ok(true) => return Ok(Some(n)),
                Ok(false) => no_mate_in = n,
                Err(_) => return Err(Unsettled { no_mate_in }),
            }
        }
        Ok(None)
    }

    /// Asks about a position met below the root; the table is kept as long as the root stays.
    fn ask(
        &mut self,
        root: &Position,
        position: &Position,
        attacker: Color,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Settled<bool> {
        let problem = (root.key(), attacker == Color::White);
        if self.root != Some(problem) {
            self.root = Some(problem);
            self.table.clear();
            self.refuters.iter_mut().for_each(Refuters::clear);
            self.nodes = 0;
        }
        let unsettled = |OutOfBudget| Unsettled { no_mate_in: 0 };
        let first = position.side_to_move() == attacker && moves > 1;
        if first && self.refuters.len() > 1 {
            return self.ask_together(position, moves, budget).map_err(unsettled);
        }
        let mut search = Search {
            table: &self.table,
            budget,
            nodes: &mut self.nodes,
            refuters: &mut self.refuters[0],
            attacker,
        };
        search.forces_mate(position, moves).map_err(unsettled)
    }

    /// Shares the attacker's first moves among the threads: each takes the next one, until one
    /// mates or all are refuted. The budget is shared evenly.
    fn ask_together(
        &mut self,
        position: &Position,
        moves: u32,
        budget: &Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let attempts = position.legal_moves();
        let (next, mated, gave_up) =
            (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        let stop = || mated.load(Relaxed) || gave_up.load(Relaxed) || (budget.stop)();
        let share = budget.nodes.saturating_sub(self.nodes) / self.refuters.len() as u64;
        let share = Budget { nodes: share, stop: &stop };
        let (table, made) = (&self.table, AtomicU64::new(0));
        std::thread::scope(|scope| {
            for refuters in &mut self.refuters {
                scope.spawn(|| {
                    let mut nodes = 0;
                    let attacker = position.side_to_move();
                    let mut search =
                        Search { table, budget: &share, nodes: &mut nodes, refuters, attacker };
                    while let Some(&attempt) = attempts.get(next.fetch_add(1, Relaxed)) {
                        match search.forces_mate(&position.play(attempt), moves - 1) {
                            Ok(true) => mated.store(true, Relaxed),
                            Ok(false) => continue,
                            Err(OutOfBudget) => gave_up.store(true, Relaxed),
                        }
                        break;
                    }
                    made.fetch_add(nodes, Relaxed);
                });
            }
        });
        self.nodes += made.into_inner();
        match (mated.into_inner(), gave_up.into_inner()) {
            (true, _) => Ok(true),
            (false, true) => Err(OutOfBudget),
            (false, false) => Ok(false),
        }
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
