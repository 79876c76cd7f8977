//! The walk through the tree, compiled for each kind of processor and for each side to move.

#![allow(unsafe_code, reason = "calls into code compiled for what the processor was asked for")]

use super::answers::Answers;
use super::evasions;
use super::node::{Node, Step};
use super::pairs;
use super::steps::Steps;
use super::table::Table;
use crate::board::{Black, Board, Side, White};
use crate::movegen::{self, GenKind, Limits, Visitor};
use crate::sliders::{Magic, Sliders};
use crate::{Bitboard, Color, Move, Role, Square};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// The deepest count that is sure to fit 64 bits, whatever the position: no side ever has more
/// than 415 moves, and 415^7 is below 2^64.
pub(super) const SAFE_DEPTH: u32 = 7;

/// What all threads need to count.
pub(super) struct Run<'a> {
    pub(super) table: Option<&'a Table>,
    pub(super) stop: &'a Stop<'a>,
}

/// How a count is stopped; all threads share it.
pub(super) struct Stop<'a> {
    asked: &'a (dyn Fn() -> bool + Sync),
    /// Set once the count has been stopped; all results after that mean nothing.
    stopped: AtomicBool,
}

impl<'a> Stop<'a> {
    pub(super) fn new(asked: &'a (dyn Fn() -> bool + Sync)) -> Stop<'a> {
        Stop { asked, stopped: AtomicBool::new(false) }
    }

    /// Whether the count should end, asked once in a few milliseconds.
    #[inline(always)]
    pub(super) fn should_stop(&self) -> bool {
        if self.is_stopped() {
            return true;
        }
        let stop = (self.asked)();
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Work that is compiled for a kind of processor and a side to move.
pub(super) trait Work {
    fn run<C: Side, M: Machine>(self);
}

/// The functions that are compiled on their own for a kind of processor.
pub(super) trait Machine: Sliders {
    /// The number of leaves below a node.
    fn walk<C: Side>(node: &Node, depth: u32, run: &Run) -> u64;
    /// The number of pairs of a move and a reply.
    fn pairs<C: Side>(node: &Node, run: &Run) -> u64;
    /// The number of legal moves.
    fn moves<C: Side>(board: &Board) -> u64;
    /// The pairs of one piece's moves and their replies, worked out without the piece.
    fn without<C: Side>(node: &Node, role: Role, from: Square, targets: Bitboard) -> i64;
    /// The enemy's answers, given our pieces in its zone.
    fn answers<C: Side>(answers: &mut Answers, board: &Board, own: Bitboard, bound: Bitboard);
    /// Some larger work.
    fn work<C: Side, W: Work>(work: W);
}

macro_rules! machine {
    ($sliders:ty, $(#[$feature:meta])?) => {
        impl Machine for $sliders {
            #[inline(always)]
            fn walk<C: Side>(node: &Node, depth: u32, run: &Run) -> u64 {
                $(#[$feature])?
                fn compiled<C: Side>(node: &Node, depth: u32, run: &Run) -> u64 {
                    walk::<C, $sliders>(node, depth, run)
                }
                // SAFETY: a machine is chosen only after asking the processor for its features.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, depth, run) }
            }

            #[inline(always)]
            fn pairs<C: Side>(node: &Node, run: &Run) -> u64 {
                $(#[$feature])?
                #[inline(never)]
                fn compiled<C: Side>(node: &Node, run: &Run) -> u64 {
                    pairs::count::<C, $sliders>(node, run)
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, run) }
            }

            #[inline(always)]
            fn moves<C: Side>(board: &Board) -> u64 {
                $(#[$feature])?
                fn compiled<C: Side>(board: &Board) -> u64 {
                    moves::<C, $sliders>(board)
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(board) }
            }

            #[inline(always)]
            fn without<C: Side>(node: &Node, role: Role, from: Square, targets: Bitboard) -> i64 {
                $(#[$feature])?
                fn compiled<C: Side>(
                    node: &Node,
                    role: Role,
                    from: Square,
                    targets: Bitboard,
                ) -> i64 {
                    pairs::without::<C, $sliders>(node, role, from, targets)
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(node, role, from, targets) }
            }

            #[inline(always)]
            fn answers<C: Side>(answers: &mut Answers, board: &Board, own: Bitboard, bound: Bitboard) {
                $(#[$feature])?
                #[inline(never)]
                fn compiled<C: Side>(answers: &mut Answers, board: &Board, own: Bitboard, bound: Bitboard) {
                    answers.work_out::<C, $sliders>(board, own, bound);
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C>(answers, board, own, bound) }
            }

            #[inline(always)]
            fn work<C: Side, W: Work>(work: W) {
                $(#[$feature])?
                fn compiled<C: Side, W: Work>(work: W) {
                    work.run::<C, $sliders>();
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not every machine asks for features")]
                unsafe { compiled::<C, W>(work) }
            }
        }
    };
}

machine!(Magic,);
#[cfg(target_arch = "x86_64")]
machine!(crate::sliders::Pext, #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]);

/// Counts with the better of the machines that this processor can run. The depth must not be
/// beyond [`SAFE_DEPTH`].
pub(super) fn count(node: &Node, side: Color, depth: u32, run: &Run) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if crate::sliders::pext_is_fast() {
        return count_with::<crate::sliders::Pext>(node, side, depth, run);
    }
    count_with::<Magic>(node, side, depth, run)
}

fn count_with<M: Machine>(node: &Node, side: Color, depth: u32, run: &Run) -> u64 {
    match side {
        Color::White => M::walk::<White>(node, depth, run),
        Color::Black => M::walk::<Black>(node, depth, run),
    }
}

/// Does some work with the better of the machines, for a side to move.
pub(super) fn work(side: Color, work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if crate::sliders::pext_is_fast() {
        return work_with::<crate::sliders::Pext>(side, work);
    }
    work_with::<Magic>(side, work);
}

fn work_with<M: Machine>(side: Color, work: impl Work) {
    match side {
        Color::White => M::work::<White, _>(work),
        Color::Black => M::work::<Black, _>(work),
    }
}

/// The nodes after each legal move.
pub(super) fn children(node: &Node, side: Color) -> Vec<(Move, Node)> {
    match side {
        Color::White => collect::<White>(node),
        Color::Black => collect::<Black>(node),
    }
}

fn collect<C: Side>(node: &Node) -> Vec<(Move, Node)> {
    let mut found = Vec::new();
    let enter = |step: Step, next: &Node| found.push((step.mv(), *next));
    let mut player = Player::<C, _>::new(node, enter);
    movegen::visit::<C, Magic, _>(&node.board, GenKind::All, &mut player);
    found
}

#[inline(always)]
fn walk<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run) -> u64 {
    match depth {
        0 => 1,
        1 => M::moves::<C>(&node.board),
        2 => M::pairs::<C>(node, run),
        _ if depth >= 4 && run.stop.should_stop() => 0,
        _ => match run.table {
            None => each_move::<C, M>(node, depth, run),
            Some(table) => remembered::<C, M>(node, depth, run, table),
        },
    }
}

/// Plays every move and walks on.
#[inline(always)]
pub(super) fn each_move<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run) -> u64 {
    let mut total = 0;
    let enter = |_: Step, next: &Node| total += M::walk::<C::Them>(next, depth - 1, run);
    let mut player = Player::<C, _>::new(node, enter);
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut player);
    total
}

/// Works out the keys of all moves first, so that what the table knows of them is on its way;
/// then plays on where it knows nothing.
#[inline(always)]
fn remembered<C: Side, M: Machine>(node: &Node, depth: u32, run: &Run, table: &Table) -> u64 {
    let mut steps = Steps::<C>::new(node, table, depth - 1);
    movegen::visit::<C, M, _>(&node.board, GenKind::All, &mut steps);
    let mut total = 0;
    if depth == 3 {
        for &(key, step) in steps.as_slice() {
            total += match table.pairs(key) {
                Ok(count) => count,
                Err(place) => {
                    let count = M::pairs::<C::Them>(&node.after::<C>(step), run);
                    place.keep(key, count);
                    count
                }
            };
        }
        return total;
    }
    for &(key, step) in steps.as_slice() {
        total += match table.get(key, depth - 1) {
            Some(count) => count,
            None => {
                let count = M::walk::<C::Them>(&node.after::<C>(step), depth - 1, run);
                if !run.stop.is_stopped() {
                    table.put(key, depth - 1, count);
                }
                count
            }
        };
    }
    total
}

#[inline(always)]
fn moves<C: Side, M: Machine>(board: &Board) -> u64 {
    let limits = Limits::new::<C, M>(board);
    if limits.checkers.any() && board.passed.is_empty() {
        return evasions::count::<C, M>(board, &limits);
    }
    let mut counter = Counter(0);
    movegen::visit_within::<C, M, _>(board, &limits, GenKind::All, &mut counter);
    u64::from(counter.0)
}

/// Counts the moves without playing them.
struct Counter(u32);

impl Visitor for Counter {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _: i32) {
        self.0 += 4 * targets.count();
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Plays every move and hands on the node after it.
pub(super) struct Player<'a, C, F> {
    node: &'a Node,
    enter: F,
    marker: PhantomData<C>,
}

impl<'a, C, F> Player<'a, C, F> {
    #[inline(always)]
    pub(super) fn new(node: &'a Node, enter: F) -> Player<'a, C, F> {
        Player { node, enter, marker: PhantomData }
    }
}

/// Where a pawn came from that went so many squares.
#[inline(always)]
pub(super) fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl<C: Side, F: FnMut(Step, &Node)> Player<'_, C, F> {
    #[inline(always)]
    fn step(&mut self, step: Step) {
        (self.enter)(step, &self.node.after::<C>(step));
    }
}

impl<C: Side, F: FnMut(Step, &Node)> Visitor for Player<'_, C, F> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.step(Step::Piece(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.step(Step::Pawn(origin(to, step), to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.step(Step::Promotion(origin(to, step), to, role));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.step(Step::EnPassant(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.step(Step::Castling(king, rook));
    }
}
