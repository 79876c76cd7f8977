//! The nodes three plies above the leaves, counted in the order in which they share most.
//!
//! A walk meets them in an order of its own, each time with another enemy. Listed first, each once,
//! and sorted by the pieces of the side to move, whose answers will be counted, they let one enemy
//! be worked out for hundreds of nodes. What they count goes into the table, where the walk finds
//! it; what the table has lost by then the walk counts again.
//!
//! That pays where the sides have many pieces and hardly meet yet, as they do in openings.

use super::answers;
use super::count::lock;
use super::family::Together;
use super::known;
use super::node::{Node, Step};
use super::steps::Steps;
use super::table::Table;
use super::walk::{self, Machine, Run, Work};
use crate::board::{Board, Side};
use crate::memory::prefetch;
use crate::movegen::{self, GenKind};
use crate::{Color, Role};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far above the leaves the nodes are that are counted here.
pub(super) const ABOVE: u32 = 3;

/// The deepest parts that are looked at.
pub(super) const DEEPEST: u32 = 8;

/// So many parents are taken together, or a few more; each has some ten nodes that no other has.
const PARENTS: usize = 1 << 17;

/// Counts the layer below parts of the work.
pub(super) struct Layer<'a> {
    run: &'a Run<'a>,
    table: &'a Table,
    threads: usize,
    /// The side to move of the parts, and how many plies lie between them and the layer's parents.
    side: Color,
    plies: u32,
}

impl<'a> Layer<'a> {
    /// The layer below parts of a depth, if it could pay to count it.
    pub(super) fn new(
        run: &'a Run<'a>,
        threads: usize,
        parts: &[&Node],
        side: Color,
        depth: u32,
    ) -> Option<Layer<'a>> {
        let plies = depth.checked_sub(ABOVE + 1).filter(|_| depth <= DEEPEST)?;
        let (table, part) = (run.table?, parts.first()?);
        are_many(&part.board).then_some(Layer { run, table, threads, side, plies })
    }

    /// Counts the layer of as many of the parts as go together and puts it into the table. Tells
    /// their number, or nothing where it does not pay. `progress` is told, between 0 and 1, how far
    /// these have come.
    pub(super) fn prepare(
        &self,
        parts: &[&Node],
        progress: &(dyn Fn(usize, f64) + Sync),
    ) -> Option<usize> {
        let (parents, side, count) = self.parents(parts)?;
        let shards = self.list(&parents, side);
        let nodes: usize = shards.iter().flatten().map(Vec::len).sum();
        // What the table knows already needs no preparation.
        if nodes > parents.len() {
            if nodes > self.most() || !are_shared(&shards) {
                return None;
            }
            self.count(&parents, side, &shards, &|done| progress(count, done));
        }
        Some(count)
    }

    /// So many nodes can be listed at once that the table will still have nearly all of their
    /// counts when it is asked for them.
    fn most(&self) -> usize {
        self.table.deep_entries() / 4 * 3
    }

    /// The nodes above the layer, below as many of the parts as go together; whose turn it is
    /// there, and the number of these parts. Nothing where a single part has too many.
    fn parents(&self, parts: &[&Node]) -> Option<(Vec<Node>, Color, usize)> {
        let expected = if self.plies == 0 { parts.len().min(PARENTS) } else { PARENTS };
        let met = Met::new(4 * expected);
        let parents = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        let too_many = AtomicBool::new(false);
        self.share(parts.len(), || {
            while lock(&parents).len() < PARENTS && !self.run.stop.should_stop() {
                let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let Some(mut below) = self.below(part) else {
                    too_many.store(true, Ordering::Relaxed);
                    break;
                };
                below.retain(|node| met.is_new(node.key));
                lock(&parents).append(&mut below);
            }
        });
        if too_many.into_inner() {
            return None;
        }
        let side = if self.plies.is_multiple_of(2) { self.side } else { !self.side };
        let parents = parents.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some((parents, side, next.into_inner().min(parts.len())))
    }

    /// The different parents below a part, unless they are too many.
    fn below(&self, part: &Node) -> Option<Vec<Node>> {
        let mut nodes = vec![*part];
        let mut side = self.side;
        for _ in 0..self.plies {
            let mut met = HashSet::new();
            let mut next = Vec::new();
            for node in &nodes {
                if next.len() > 2 * PARENTS || self.run.stop.should_stop() {
                    return None;
                }
                let children = walk::children(node, side).into_iter().map(|(_, child)| child);
                next.extend(children.filter(|child| met.insert(child.key)));
            }
            nodes = next;
            side = !side;
        }
        Some(nodes)
    }

    /// Lists the nodes of the layer, each once. Where they are too many, it ends with a few more.
    fn list(&self, parents: &[Node], side: Color) -> Shards {
        let shards = Mutex::new(Vec::new());
        let met = Met::new(parents.len() * 16);
        let (next, listed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        self.share(parents.len() / AT_ONCE + 1, || {
            let (shards, met, next, listed) = (&shards, &met, &next, &listed);
            walk::work(side, List { layer: self, parents, shards, met, next, listed });
        });
        shards.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(
        &self,
        parents: &[Node],
        side: Color,
        shards: &Shards,
        progress: &(dyn Fn(f64) + Sync),
    ) {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(0);
        self.share(SHARDS, || {
            let (next, done) = (&next, &done);
            walk::work(!side, Count { layer: self, parents, shards, next, done, progress });
        });
    }

    /// Has all threads do some work, but no more of them than there are parts of it.
    fn share(&self, parts: usize, work: impl Fn() + Sync) {
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(parts) {
                scope.spawn(&work);
            }
            work();
        });
    }
}

/// Nodes that share their moves must be so many, on average.
const NODES_PER_FAMILY: usize = 10;

/// Whether so many nodes share their moves, by a sample, that it pays to count them together.
fn are_shared(shards: &Shards) -> bool {
    let sample = (0..SHARDS).step_by(16);
    let listed = sample.flat_map(|shard| shards.iter().flat_map(move |listed| &listed[shard]));
    let orders: Vec<u64> = listed.map(|node| node.order).collect();
    let families = orders.iter().collect::<HashSet<_>>().len();
    orders.len() >= NODES_PER_FAMILY * families
}

/// Whether both sides have pieces enough that the plain way takes its time.
fn are_many(board: &Board) -> bool {
    let small = board.role(Role::Pawn) | board.role(Role::King);
    board.by_color.iter().all(|&own| (own - small).count() >= 3)
}

/// A node of the layer, by the move that leads to it.
#[derive(Clone, Copy)]
struct Listed {
    /// First by the pieces of the side to move, then by those of the other that it meets.
    order: u64,
    parent: u32,
    step: Step,
}

/// The layer in parts, each with all that have the same pieces to move, as each thread found them.
type Shards = Vec<Vec<Vec<Listed>>>;

const SHARDS: usize = 256;

struct List<'a> {
    layer: &'a Layer<'a>,
    parents: &'a [Node],
    shards: &'a Mutex<Shards>,
    met: &'a Met,
    next: &'a AtomicUsize,
    listed: &'a AtomicUsize,
}

/// So many parents are taken on at once.
const AT_ONCE: usize = 64;

impl Work for List<'_> {
    #[inline(always)]
    fn run<C: Side, M: Machine>(self) {
        let mut found: Vec<Vec<Listed>> = vec![Vec::new(); SHARDS];
        while self.listed.load(Ordering::Relaxed) <= self.layer.most() {
            let first = self.next.fetch_add(AT_ONCE, Ordering::Relaxed);
            if first >= self.parents.len() || self.layer.run.stop.should_stop() {
                break;
            }
            for parent in first..self.parents.len().min(first + AT_ONCE) {
                self.children::<C, M>(parent, &mut found);
            }
        }
        lock(self.shards).push(found);
    }
}

impl List<'_> {
    #[inline(always)]
    fn children<C: Side, M: Machine>(&self, parent: usize, found: &mut [Vec<Listed>]) {
        let node = &self.parents[parent];
        let mut steps = Steps::<C>::new(node, self.layer.table, ABOVE);
        movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut steps);
        for &(key, _) in steps.as_slice() {
            self.met.prefetch(key);
        }
        let waiting = |board: &Board| {
            let pieces = answers::pieces::<C::Them>(board);
            (known::hash(&pieces), answers::zone::<C::Them, M>(board))
        };
        let unharmed = waiting(&node.board);
        let mut listed = 0;
        for &(key, step) in steps.as_slice() {
            if self.layer.table.get(key, ABOVE).is_some() || !self.met.is_new(key) {
                continue;
            }
            let board = node.after::<C>(step).board;
            let harmed = board.own::<C::Them>() != node.board.own::<C::Them>();
            let (hash, zone) = if harmed { waiting(&board) } else { unharmed };
            let order = hash << 32 | known::mixed((board.own::<C>() & zone).0);
            found[hash as usize % SHARDS].push(Listed { order, parent: parent as u32, step });
            listed += 1;
        }
        self.listed.fetch_add(listed, Ordering::Relaxed);
    }
}

/// The keys of the nodes met so far. A node that is taken for another, or forgotten, costs time
/// and nothing else.
struct Met {
    keys: Vec<AtomicU32>,
}

impl Met {
    fn new(expected: usize) -> Met {
        let size = expected.next_power_of_two();
        Met { keys: (0..size).map(|_| AtomicU32::new(0)).collect() }
    }

    #[inline(always)]
    fn place(&self, key: u128) -> usize {
        (key >> 64) as usize & (self.keys.len() - 1)
    }

    #[inline(always)]
    fn prefetch(&self, key: u128) {
        prefetch(&self.keys[self.place(key)]);
    }

    #[inline(always)]
    fn is_new(&self, key: u128) -> bool {
        let first = self.place(key);
        let tag = key as u32 | 1;
        for turn in 0..8 {
            let place = &self.keys[(first + turn) & (self.keys.len() - 1)];
            match place.compare_exchange(0, tag, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(kept) if kept == tag => return false,
                Err(_) => {}
            }
        }
        true
    }
}

struct Count<'a> {
    layer: &'a Layer<'a>,
    parents: &'a [Node],
    shards: &'a Shards,
    next: &'a AtomicUsize,
    done: &'a Mutex<usize>,
    progress: &'a (dyn Fn(f64) + Sync),
}

impl Work for Count<'_> {
    /// The side to move is that of the layer.
    #[inline(always)]
    fn run<C: Side, M: Machine>(self) {
        let mut together = Together::new(self.layer.run, self.layer.table);
        let mut shard: Vec<Listed> = Vec::new();
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            if next >= SHARDS {
                return;
            }
            shard.clear();
            for found in self.shards {
                shard.extend_from_slice(&found[next]);
            }
            shard.sort_unstable_by_key(|found| found.order);
            for (index, found) in shard.iter().enumerate() {
                if let Some(soon) = shard.get(index + 8) {
                    prefetch(&self.parents[soon.parent as usize]);
                }
                let node = self.parents[found.parent as usize].after::<C::Them>(found.step);
                if together.is_full_for::<C, M>(&node) {
                    if self.layer.run.stop.should_stop() {
                        return;
                    }
                    together.count::<C, M>();
                }
                together.add::<C, M>(&node);
            }
            together.count::<C, M>();
            let mut done = lock(self.done);
            *done += 1;
            (self.progress)(*done as f64 / SHARDS as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::Position;
    use crate::perft::walk::Stop;

    /// Openings, where this pays, and everything that can go wrong elsewhere: castling of all kinds,
    /// en passant, promotions, pins, checks, kings with much room, many queens.
    const POSITIONS: &[&str] = &[
        crate::STARTPOS,
        "rnbqkb1r/pppp1ppp/5n2/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
        "nqbbrnkr/pppppppp/8/8/8/8/PPPPPPPP/NQBBRNKR w HEhe - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r3k2r/8/8/8/8/8/8/1RK2R2 w FBha - 0 1",
        "q3k2q/8/8/2Q2Q2/2q2q2/8/8/Q3K2Q w - - 0 1",
        "4k3/8/8/3pP3/2Pp4/8/4R3/B3K2b w - d6 0 1",
        "7k/8/8/8/8/NNNN4/NNNNQQQ1/KQQQQ3 b - - 0 1",
        "r2qk2r/8/1N4N1/8/8/1n4n1/8/R2QK2R w KQkq - 0 1",
    ];

    /// Counts the layer of a position's tree of a depth, and each of its nodes by the walk.
    fn compare(position: &Position, depth: u32, threads: usize) {
        let stop = Stop::new(&|| false);
        let table = Table::new(4).unwrap();
        let run = Run { table: Some(&table), stop: &stop };
        let side = position.side_to_move();
        let layer = Layer { run: &run, table: &table, threads, side, plies: depth - ABOVE - 1 };
        let (parents, side, _) = layer.parents(&[&Node::new(position)]).unwrap();
        let shards = layer.list(&parents, side);
        layer.count(&parents, side, &shards, &|_| {});
        let plain = Run { table: None, stop: &stop };
        let (mut all, mut known) = (0, 0);
        for parent in &parents {
            for (mv, child) in walk::children(parent, side) {
                let right = walk::count(&child, !side, ABOVE, &plain);
                let found = table.get(child.key, ABOVE);
                assert_eq!(found, Some(right), "{mv:?} below {position} at depth {depth}");
                for (reply, grandchild) in walk::children(&child, !side) {
                    let right = walk::count(&grandchild, side, ABOVE - 1, &plain);
                    let found = table.get(grandchild.key, ABOVE - 1);
                    assert!(found.is_none_or(|found| found == right), "{reply:?} in {position}");
                    all += 1;
                    known += usize::from(found.is_some());
                }
            }
        }
        // Two that come at once may want the same place; else all are where the walk looks for them.
        assert!(known + all / 20 + 2 >= all, "{known} of {all} are known below {position}");
    }

    #[test]
    fn the_layer_counts_as_the_walk_does() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            compare(&position, 4, 1);
            compare(&position, 5, 2);
        }
    }

    /// A part with too many parents is left to the walk before they fill the memory.
    #[test]
    fn wide_positions_are_left_alone() {
        let position = Position::from_fen("q3k2q/8/8/2Q2Q2/2q2q2/8/8/Q3K2Q w - - 0 1").unwrap();
        let stop = Stop::new(&|| false);
        let table = Table::new(4).unwrap();
        let run = Run { table: Some(&table), stop: &stop };
        let (node, side) = (Node::new(&position), position.side_to_move());
        let layer = Layer::new(&run, 2, &[&node], side, DEEPEST).unwrap();
        assert_eq!(layer.prepare(&[&node], &|_, _| {}), None);
        // Nor are more nodes listed than the table can hold.
        let layer = Layer::new(&run, 2, &[&node], side, DEEPEST - 2).unwrap();
        let (parents, side, _) = layer.parents(&[&node]).unwrap();
        let listed: usize = layer.list(&parents, side).iter().flatten().map(Vec::len).sum();
        assert!(listed > layer.most() && listed < 2 * layer.most(), "{listed} were listed");
    }

    #[test]
    fn so_it_does_in_random_games() {
        let mut random = 1u64;
        for game in 0..100 {
            let start = game % (POSITIONS.len() + 5);
            let mut position = match POSITIONS.get(start) {
                Some(fen) => Position::from_fen(fen).unwrap(),
                None => Position::double_chess960_start(17 * game as u16, 23 * game as u16),
            };
            for ply in 0..60 {
                let moves = position.legal_moves();
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let Some(&mv) = moves.get((random >> 33) as usize % moves.len().max(1)) else {
                    break;
                };
                position = position.play(mv);
                if ply % 3 == 0 {
                    compare(&position, 4, 1);
                }
            }
        }
    }
}
