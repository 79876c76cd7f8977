//! One thread of the search: its stacks, its counters, and the questions every node asks.

use super::pv::Variations;
use super::report::Listener;
use super::root_move::RootMove;
use super::shared::{Shared, ThreadData};
use crate::eval::evaluate;
use crate::history::{NO_ROW, Rows};
use crate::ordering::{Scored, is_tactical};
use crate::parameters as p;
use crate::score::{DRAW, EVAL_LIMIT, MAX_PLY, Value, mated_in};
use dyno_chess::{Move, Position, Role};
use std::sync::atomic::Ordering::Relaxed;

/// The deepest iteration.
pub const MAX_DEPTH: i32 = 128;
/// How often, in nodes, a thread looks at the clock and at the signals.
const CHECK_INTERVAL: u64 = 1024;
/// How often, in nodes, debug builds check that the position is sound.
#[cfg(debug_assertions)]
const VERIFY_INTERVAL: u64 = 65_536;

/// What the search keeps of one ply.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The move being searched, as a row of the continuation history.
    pub row: usize,
    /// The same move if it is quiet.
    pub quiet: Option<Move>,
    /// The static evaluation, or `None` in check.
    pub eval: Option<Value>,
    pub killers: [Option<Move>; 2],
    /// The move left out, when the search asks whether it is the only good one.
    pub excluded: Option<Move>,
    /// How many nodes of the ply were cut off since the ply two above began.
    pub cutoffs: u32,
    /// Half-moves since the last null move.
    pub since_null: usize,
}

impl Frame {
    const NEW: Frame = Frame {
        row: NO_ROW,
        quiet: None,
        eval: None,
        killers: [None; 2],
        excluded: None,
        cutoffs: 0,
        since_null: usize::MAX / 2,
    };
}

/// One thread at work.
pub(super) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    pub data: &'a mut ThreadData,
    /// Thread 0 keeps the time and reports.
    pub index: usize,
    pub listener: Option<&'a mut dyn Listener>,
    pub nodes: u64,
    /// Nodes already added to those of all threads.
    shared_nodes: u64,
    next_check: u64,
    pub stopped: bool,
    pub seldepth: usize,
    /// The iteration under way.
    pub iteration: i32,
    /// Before this ply there are no null moves, while one is verified.
    pub no_null_before: usize,
    pub illegal_table_moves: u64,
    frames: Vec<Frame>,
    /// The keys of the game and of the line being searched.
    keys: Vec<u64>,
    /// The moves of all nodes of the line being searched, one list after the other.
    pub moves: Vec<Scored>,
    pub pv: Variations,
    pub root_moves: Vec<RootMove>,
    /// The line of the root being searched, with several wanted.
    pub root_line: usize,
    pub completed_depth: i32,
}

impl<'a> Worker<'a> {
    pub fn new(
        shared: &'a Shared<'a>,
        data: &'a mut ThreadData,
        index: usize,
        root_moves: Vec<RootMove>,
        listener: Option<&'a mut dyn Listener>,
    ) -> Worker<'a> {
        let mut keys = shared.task.earlier.clone();
        keys.push(shared.task.root.key());
        let mut worker = Worker {
            shared,
            data,
            index,
            listener,
            nodes: 0,
            shared_nodes: 0,
            next_check: 0,
            stopped: false,
            seldepth: 0,
            iteration: 0,
            no_null_before: 0,
            illegal_table_moves: 0,
            frames: vec![Frame::NEW; MAX_PLY + 8],
            keys,
            moves: Vec::with_capacity(4096),
            pv: Variations::default(),
            root_moves,
            root_line: 0,
            completed_depth: 0,
        };
        worker.next_check = worker.interval();
        worker
    }

    /// The frame of a ply.
    #[inline]
    pub fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + 4]
    }

    /// The frame of an earlier ply; before the root there are empty ones.
    #[inline]
    pub fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + 4 - back]
    }

    /// The continuation rows of the moves before the ply.
    #[inline]
    pub fn rows(&self, ply: usize) -> Rows {
        [1, 2, 4].map(|back| self.frame_before(ply, back).row)
    }

    /// Nodes until the next look at the signals: exact for one thread with a limit of nodes.
    fn interval(&self) -> u64 {
        match self.shared.task.nodes {
            Some(limit) if self.shared.threads == 1 => {
                (limit.saturating_sub(self.nodes)).clamp(1, CHECK_INTERVAL)
            }
            Some(limit) => (limit / (64 * self.shared.threads as u64)).clamp(1, CHECK_INTERVAL),
            None => CHECK_INTERVAL,
        }
    }

    /// Counts a node and prepares its line; whether to go on with it.
    #[inline(always)]
    pub fn begin_node<const PV: bool>(&mut self, pos: &Position, ply: usize) -> bool {
        if self.stopped {
            return false;
        }
        self.count_node(pos);
        if PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        !self.stopped
    }

    /// Counts a node; from time to time looks whether the search has to end.
    #[inline]
    fn count_node(&mut self, pos: &Position) {
        self.nodes += 1;
        #[cfg(debug_assertions)]
        if self.nodes.is_multiple_of(VERIFY_INTERVAL) {
            assert_eq!(pos.verify(), Ok(()), "in {pos}");
        }
        #[cfg(not(debug_assertions))]
        let _ = pos;
        if self.nodes >= self.next_check {
            self.check();
        }
    }

    /// Nodes of all threads, as far as they have shared them.
    pub fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Relaxed) + (self.nodes - self.shared_nodes)
    }

    /// Adds the nodes searched since the last time to those of all threads.
    pub fn share_nodes(&mut self) {
        self.shared.nodes.fetch_add(self.nodes - self.shared_nodes, Relaxed);
        self.shared_nodes = self.nodes;
    }

    #[cold]
    fn check(&mut self) {
        self.share_nodes();
        self.next_check = self.nodes + self.interval();
        let Shared { task, signals, done, .. } = self.shared;
        let out_of_nodes = task.nodes.is_some_and(|limit| self.shared.nodes.load(Relaxed) >= limit);
        let out_of_time = task.budget.is_some_and(|budget| {
            !signals.pondering.load(Relaxed)
                && task.start.elapsed().as_millis() as u64 >= budget.hard
        });
        if out_of_nodes || out_of_time {
            done.store(true, Relaxed);
        }
        self.stopped = done.load(Relaxed) || signals.stop.load(Relaxed);
    }

    /// Fetches what is kept of the position after a move; the sooner before it is played, the better.
    #[inline]
    pub fn prefetch(&self, pos: &Position, mv: Move) {
        let likely = pos.likely_key_after(mv);
        self.shared.table.prefetch(likely);
        self.data.values.prefetch(likely);
    }

    /// Plays a move in place, with the line's keys and frames kept.
    #[inline]
    pub fn enter(&mut self, pos: &mut Position, mv: Move, ply: usize) {
        let row = crate::history::row(pos, mv);
        self.frame(ply).quiet = (!is_tactical(pos, mv)).then_some(mv);
        let pawn_key = pos.pawn_key();
        pos.advance(mv);
        if pos.pawn_key() != pawn_key {
            self.data.cache.prefetch_pawns(pos);
        }
        let since_null = self.frame(ply).since_null + 1;
        self.frame(ply).row = row;
        self.frame(ply + 1).since_null = since_null;
        self.keys.push(pos.key());
    }

    /// Plays a null move.
    pub fn enter_null(&mut self, pos: &Position, ply: usize) -> Position {
        let next = pos.play_null();
        self.frame(ply).row = NO_ROW;
        self.frame(ply).quiet = None;
        self.frame(ply + 1).since_null = 0;
        self.keys.push(next.key());
        next
    }

    /// Back to the position before the last move.
    #[inline]
    pub fn leave(&mut self) {
        self.keys.pop();
    }

    /// The score of a position that is drawn by the rules, or mated on the very move that would
    /// have made it a draw.
    pub fn score_by_rules(&self, pos: &Position, ply: usize) -> Option<Value> {
        let clock = pos.halfmove_clock() as usize;
        if clock >= 100 {
            return Some(if pos.is_checkmate() { mated_in(ply) } else { DRAW });
        }
        if pos.is_insufficient_material() || self.is_repeated(pos, ply, clock) {
            return Some(DRAW);
        }
        None
    }

    /// Whether the position has occurred once before within the search, or twice in all.
    fn is_repeated(&self, pos: &Position, ply: usize, clock: usize) -> bool {
        let now = self.keys.len() - 1;
        let reach = clock.min(self.frame_before(ply, 0).since_null).min(now);
        let mut before_root = 0;
        let mut back = 4;
        while back <= reach {
            if self.keys[now - back] == pos.key() {
                if back < ply {
                    return true;
                }
                before_root += 1;
                if before_root == 2 {
                    return true;
                }
            }
            back += 2;
        }
        false
    }

    /// The static evaluation, not yet corrected.
    #[inline]
    pub fn raw_eval(&mut self, pos: &Position) -> Value {
        let data = &mut *self.data;
        if let Some(value) = data.values.get(pos.key()) {
            debug_assert_eq!(value, evaluate(pos, &mut data.cache), "{pos}");
            return value;
        }
        let value = evaluate(pos, &mut data.cache);
        data.values.keep(pos.key(), value);
        value
    }

    /// The evaluation as the search uses it: corrected by what similar positions turned out to be
    /// worth, and fading as the fifty-move rule draws near.
    #[inline]
    pub fn corrected(&self, pos: &Position, raw: Value, ply: usize) -> Value {
        let fade = p::fifty_move_fade();
        let faded = raw * (fade - pos.halfmove_clock().min(100) as Value) / fade;
        let correction = self.data.history.correction(pos, self.frame_before(ply, 1).row);
        (faded + correction).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The key under which the table knows the position. Near the fifty-move rule it changes every
    /// few moves, as the score may.
    #[inline]
    pub fn table_key(pos: &Position) -> u64 {
        let clock = u64::from(pos.halfmove_clock());
        if clock < 20 {
            pos.key()
        } else {
            pos.key() ^ (clock / 10).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
    }

    /// Whether a move from the table may be played: another position may have left it there.
    #[inline]
    pub fn allows(&mut self, pos: &Position, mv: Move) -> bool {
        let legal = pos.is_legal(mv);
        self.illegal_table_moves += u64::from(!legal);
        legal
    }

    /// Whether the side to move has more than king and pawns.
    #[inline]
    pub fn has_pieces(pos: &Position) -> bool {
        let light = pos.by_role(Role::Pawn) | pos.by_role(Role::King);
        (pos.by_color(pos.side_to_move()) - light).any()
    }
}
