//! Nodes that have their moves in common, and what the table does not know below them.
//!
//! The side to move has the same pieces in all of them, and meets pieces of the other side on the
//! same squares. So its moves are listed once, with what each changes of the key; and the children
//! after the same move have the same enemy, whose answers are worked out together.

use super::answers::{self, Pieces};
use super::known::{Known, KnownAnswers, KnownEnemy};
use super::layer::ABOVE;
use super::movers::{Movers, unlimited};
use super::node::{Node, Step};
use super::steps::Steps;
use super::sums::{self, Spare};
use super::table::{Place, Table};
use super::walk::{self, Machine, Run};
use crate::board::{Board, Side};
use crate::movegen::{self, GenKind, Limits, Visitor};
use crate::{Bitboard, Role, Square};
use std::marker::PhantomData;

/// So many nodes are counted together.
const TOGETHER: usize = 64;

/// What the nodes have in common: the pieces of the side to move and its rights, and where pieces
/// of the other side stand in its way or can be taken.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Family {
    pieces: Pieces,
    castling: Bitboard,
    near: Bitboard,
}

impl Family {
    #[inline(always)]
    fn new<C: Side>(board: &Board, zone: Bitboard) -> Family {
        let pieces = answers::pieces::<C>(board);
        let castling = board.castling & pieces[0];
        Family { pieces, castling, near: board.own::<C::Them>() & zone }
    }
}

/// A quiet move that all nodes have.
struct Shared {
    step: Step,
    role: Role,
    /// The squares that it leaves and reaches.
    moved: Bitboard,
    /// The castling rights that it gives up.
    lost: Bitboard,
    /// What it changes of the key.
    change: u128,
    /// Where a piece of the other side makes it another move: a knight would take it, a pawn that
    /// goes two squares could be taken by it in passing.
    unless: Bitboard,
}

impl Shared {
    /// The board after it.
    #[inline(always)]
    fn play<C: Side>(&self, board: &Board) -> Board {
        let mut next = *board;
        next.by_role[self.role.index()] ^= self.moved;
        next.by_color[C::US.index()] ^= self.moved;
        next.castling -= self.lost;
        next
    }
}

/// The moves of a family, but for the king's: those that are the same for all nodes, and those that
/// take or promote, whose keys are not.
struct Moves {
    shared: Vec<Shared>,
    others: Vec<Step>,
}

/// Lists the moves of a family by one of its nodes.
struct Lister<'a, C> {
    node: &'a Node,
    moves: &'a mut Moves,
    marker: PhantomData<C>,
}

impl<C: Side> Lister<'_, C> {
    #[inline(always)]
    fn push(&mut self, role: Role, step: Step, unless: Bitboard) {
        let (from, to) = (step.mv().from(), step.mv().to());
        let mut node = *self.node;
        if (node.board.own::<C::Them>() - unless).contains(to) {
            self.moves.others.push(step);
            return;
        }
        // As the move is where nothing of the kind stands.
        let absent = node.board.own::<C::Them>() & unless;
        node.board.by_color[C::Them::US.index()] -= absent;
        node.board.castling -= absent;
        for set in &mut node.board.by_role {
            *set -= absent;
        }
        let next = node.after::<C>(step);
        self.moves.shared.push(Shared {
            step,
            role,
            moved: Bitboard::of(from) | Bitboard::of(to),
            lost: node.board.castling - next.board.castling,
            change: next.key ^ node.key,
            unless,
        });
    }
}

impl<C: Side> Visitor for Lister<'_, C> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        // Where the king can go depends on more than what stands in its way.
        if role == Role::King {
            return;
        }
        for to in targets {
            let unless = if role == Role::Knight { Bitboard::of(to) } else { Bitboard::EMPTY };
            self.push(role, Step::Piece(role, from, to), unless);
        }
    }

    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let beside = Bitboard::of(to).east() | Bitboard::of(to).west();
            let unless = if step.abs() == 16 { beside } else { Bitboard::EMPTY };
            self.push(Role::Pawn, Step::Pawn(walk::origin(to, step), to), unless);
        }
    }

    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let promote = |role| Step::Promotion(walk::origin(to, step), to, role);
            self.moves.others.extend(Role::PROMOTIONS.map(promote));
        }
    }

    fn en_passant(&mut self, _: Square, _: Square) {}

    fn castling(&mut self, _: Square, _: Square) {}
}

/// Counts nodes, and tells the table. Nodes of a family should come one after another, and all have
/// the same side to move.
pub(super) struct Together<'a> {
    run: &'a Run<'a>,
    table: &'a Table,
    /// The pieces of the last node's side to move, and their zone.
    zone: Option<(Pieces, Bitboard)>,
    family: Option<Family>,
    moves: Moves,
    nodes: Vec<Node>,
    counts: Vec<u64>,
    /// The moves of the side that waits, for each node.
    movers: Box<[Movers]>,
    /// The children whose counts are on their way from the table, each with its parent: after moves
    /// that are shared, and after others.
    coming: Vec<(u128, usize, usize)>,
    coming_others: Vec<(u128, usize, Step)>,
    /// The children that the table does not know: by the moves that are shared, and after others.
    children: Vec<Vec<Child<'a>>>,
    others: Vec<(Child<'a>, Step)>,
    spare: Spare,
    known: Known,
}

/// A child that the table does not know.
#[derive(Clone, Copy)]
struct Child<'a> {
    key: u128,
    parent: usize,
    place: &'a Place,
}

impl<'a> Together<'a> {
    pub(super) fn new(run: &'a Run<'a>, table: &'a Table) -> Together<'a> {
        Together {
            run,
            table,
            zone: None,
            family: None,
            moves: Moves { shared: Vec::new(), others: Vec::new() },
            nodes: Vec::new(),
            counts: Vec::new(),
            movers: (0..TOGETHER).map(|_| Movers::NONE).collect(),
            coming: Vec::new(),
            coming_others: Vec::new(),
            children: Vec::new(),
            others: Vec::new(),
            spare: Spare::NONE,
            known: Known::new(),
        }
    }

    /// Whether the next node begins a new family, or there are enough of this one: then what was
    /// added is to be counted first.
    #[inline(always)]
    pub(super) fn is_full_for<C: Side, M: Machine>(&mut self, node: &Node) -> bool {
        let pieces = answers::pieces::<C>(&node.board);
        let zone = match self.zone {
            Some((same, zone)) if same == pieces => zone,
            _ => answers::zone::<C, M>(&node.board),
        };
        self.zone = Some((pieces, zone));
        let family = Some(Family::new::<C>(&node.board, zone));
        let another = self.family != family;
        self.family = family;
        another || self.nodes.len() == TOGETHER
    }

    /// Adds a node and asks the table for its children.
    #[inline(always)]
    pub(super) fn add<C: Side, M: Machine>(&mut self, node: &Node) {
        if self.nodes.is_empty() {
            self.list::<C, M>(node);
        }
        let limits = Limits::new::<C, M>(&node.board);
        let unusual = limits.checkers | limits.straight_pins | limits.diagonal_pins;
        let mut steps = Steps::<C>::new(node, self.table, ABOVE - 1);
        if (unusual | node.board.passed).any() {
            movegen::visit_within::<C, M, _>(&node.board, &limits, GenKind::All, &mut steps);
        } else {
            self.ask::<C>(node);
            let wanted = !limits.own;
            movegen::visit_king::<C, M, _>(&node.board, &limits, GenKind::All, wanted, &mut steps);
        }
        let parent = self.nodes.len();
        self.coming_others.extend(steps.as_slice().iter().map(|&(key, step)| (key, parent, step)));
        self.movers[parent].waiting::<C::Them, M>(&node.board);
        self.nodes.push(*node);
        self.counts.push(0);
    }

    /// Lists the moves of a family by its first node.
    fn list<C: Side, M: Machine>(&mut self, node: &Node) {
        self.moves.shared.clear();
        self.moves.others.clear();
        let mut node = *node;
        node.board.passed = Bitboard::EMPTY;
        let limits = unlimited::<C>(&node.board);
        let mut lister = Lister::<C> { node: &node, moves: &mut self.moves, marker: PhantomData };
        movegen::visit_within::<C, M, _>(&node.board, &limits, GenKind::All, &mut lister);
        if self.children.len() < self.moves.shared.len() {
            self.children.resize_with(self.moves.shared.len(), Vec::new);
        }
    }

    /// Asks the table for the children of a node after its family's moves.
    #[inline(always)]
    fn ask<C: Side>(&mut self, node: &Node) {
        let waiting = node.board.own::<C::Them>();
        let parent = self.nodes.len();
        for (index, shared) in self.moves.shared.iter().enumerate() {
            if (shared.unless & waiting).any() {
                let key = node.after::<C>(shared.step).key;
                self.table.prefetch(key, ABOVE - 1);
                self.coming_others.push((key, parent, shared.step));
            } else {
                let key = node.key ^ shared.change;
                self.table.prefetch(key, ABOVE - 1);
                self.coming.push((key, parent, index));
            }
        }
        for &step in &self.moves.others {
            let key = node.after::<C>(step).key;
            self.table.prefetch(key, ABOVE - 1);
            self.coming_others.push((key, parent, step));
        }
    }

    /// Looks at what the table knows.
    #[inline(always)]
    fn settle(&mut self) {
        let table = self.table;
        for (key, parent, index) in self.coming.drain(..) {
            match table.pairs(key) {
                Ok(count) => self.counts[parent] += count,
                Err(place) => self.children[index].push(Child { key, parent, place }),
            }
        }
        for (key, parent, step) in self.coming_others.drain(..) {
            match table.pairs(key) {
                Ok(count) => self.counts[parent] += count,
                Err(place) => self.others.push((Child { key, parent, place }, step)),
            }
        }
    }

    /// Counts what the table does not know below the nodes that were added, and tells it.
    #[inline(always)]
    pub(super) fn count<C: Side, M: Machine>(&mut self) {
        self.settle();
        for (shared, children) in self.moves.shared.iter().zip(&mut self.children) {
            let Some(first) = children.first() else { continue };
            let board = shared.play::<C>(&self.nodes[first.parent].board);
            let enemy = self.known.find::<C::Them, M>(&board);
            for (index, &Child { key, parent, place }) in children.iter().enumerate() {
                if let Some(soon) = children.get(index + 2) {
                    let own = self.nodes[soon.parent].board.own::<C::Them>();
                    let (enemy, known) = self.known.enemy(enemy);
                    known.prefetch(enemy, own & enemy.enemy.zone);
                }
                let board = shared.play::<C>(&self.nodes[parent].board);
                let movers = Some((&self.movers[parent], shared.moved));
                let enemy = self.known.enemy(enemy);
                let child = Node { board, key };
                let count = pairs::<C::Them, M>(&child, movers, &mut self.spare, enemy, self.run);
                place.keep(key, count);
                self.counts[parent] += count;
            }
            children.clear();
        }
        for (Child { key, parent, place }, step) in self.others.drain(..) {
            let node = &self.nodes[parent];
            let board = node.after::<C>(step).board;
            let (from, to) = (step.mv().from(), step.mv().to());
            let takes = node.board.own::<C::Them>().contains(to);
            let plain = matches!(step, Step::Piece(..) | Step::Pawn(..)) && !takes;
            let moved = Bitboard::of(from) | Bitboard::of(to);
            let movers = plain.then_some((&self.movers[parent], moved));
            let enemy = self.known.find::<C::Them, M>(&board);
            let enemy = self.known.enemy(enemy);
            let child = Node { board, key };
            let count = pairs::<C::Them, M>(&child, movers, &mut self.spare, enemy, self.run);
            place.keep(key, count);
            self.counts[parent] += count;
        }
        for (node, &count) in self.nodes.iter().zip(&self.counts) {
            self.table.put(node.key, ABOVE, count);
        }
        self.nodes.clear();
        self.counts.clear();
    }
}

/// The number of pairs of a move and an answer, by sums where they tell.
#[inline(always)]
fn pairs<C: Side, M: Machine>(
    node: &Node,
    movers: Option<(&Movers, Bitboard)>,
    spare: &mut Spare,
    enemy: (&KnownEnemy, &mut KnownAnswers),
    run: &Run,
) -> u64 {
    let count = sums::count::<C, M>(&node.board, movers, spare, enemy);
    count.unwrap_or_else(|| M::pairs::<C>(node, run))
}
