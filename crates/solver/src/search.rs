//! The search: depth-first proof-number search, bounded by the attacker's moves left.
//!
//! Every node asks one question: can the attacker force mate in at most this many moves? The number
//! falls with each of the attacker's moves, so no line returns to a question already open: there
//! are no cycles, repetitions need no care, and an answer holds wherever the question comes up.

use crate::budget::Budget;
use crate::checks::Checks;
use crate::table::{Effort, INFINITE, Table};
use dyno_chess::{Color, Move, Position};

/// The budget has run out or the caller said stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfBudget;

type Asked<T> = Result<T, OutOfBudget>;

/// How often the caller's stop is asked for, in nodes.
const STOP_INTERVAL: u64 = 2048;

/// Questions of at most this many moves are settled at once rather than weighed.
const DIRECT: u32 = 2;

/// This many attempts of the attacker count as one leaf of a refutation: most fail at once.
const ATTEMPTS_A_LEAF: u32 = 4;

/// Told apart in the table: the same position may be asked about for either attacker.
const BLACK_ATTACKS: u64 = 0x6a09_e667_f3bc_c909;

pub(crate) struct Search<'a> {
    pub table: &'a Table,
    pub budget: &'a Budget<'a>,
    /// Positions made since the budget began to count.
    pub nodes: &'a mut u64,
    pub refuters: &'a mut Refuters,
    pub attacker: Color,
}

/// Which replies refuted most, by from and to: the next wrong move likely fails to the same.
pub(crate) struct Refuters {
    count: Vec<u32>,
}

impl Refuters {
    pub(crate) fn new() -> Refuters {
        Refuters { count: vec![0; 64 * 64] }
    }

    pub(crate) fn clear(&mut self) {
        self.count.fill(0);
    }

    fn slot(mv: Move) -> usize {
        mv.from().index() * 64 + mv.to().index()
    }

    fn reward(&mut self, mv: Move, moves: u32) {
        let count = &mut self.count[Refuters::slot(mv)];
        *count = count.saturating_add(1 << (2 * moves).min(16));
    }

    fn rank(&self, mv: Move) -> u32 {
        self.count[Refuters::slot(mv)]
    }
}

/// A move of the node being searched, and how its question stands.
#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    effort: Effort,
}

impl Search<'_> {
    fn key(&self, position: &Position) -> u64 {
        match self.attacker {
            Color::White => position.key(),
            Color::Black => position.key() ^ BLACK_ATTACKS,
        }
    }

    fn prefetch(&self, position: &Position, moves: &[Move]) {
        let tag = if self.attacker == Color::White { 0 } else { BLACK_ATTACKS };
        moves.iter().for_each(|&mv| self.table.prefetch(position.likely_key_after(mv) ^ tag));
    }

    fn count(&mut self) -> Asked<()> {
        *self.nodes += 1;
        if *self.nodes >= self.budget.nodes
            || (self.nodes.is_multiple_of(STOP_INTERVAL) && (self.budget.stop)())
        {
            return Err(OutOfBudget);
        }
        Ok(())
    }

    /// Whether the attacker, on the move or not, forces mate in at most `moves` of its moves.
    pub(crate) fn forces_mate(&mut self, position: &Position, moves: u32) -> Asked<bool> {
        let unbounded = Effort { proof: INFINITE, refutation: INFINITE };
        loop {
            let effort = match self.settle(position, moves)? {
                Some(mate) => return Ok(mate),
                None => self.weigh(position, moves, unbounded)?,
            };
            if let Some(mate) = effort.verdict() {
                return Ok(mate);
            }
        }
    }

    /// The answer, where it needs no weighing.
    fn settle(&mut self, position: &Position, moves: u32) -> Asked<Option<bool>> {
        let attacking = position.side_to_move() == self.attacker;
        if let Some(mate) = self.table.get(self.key(position), moves).and_then(Effort::verdict) {
            return Ok(Some(mate));
        }
        match (attacking, moves) {
            (true, 0) => Ok(Some(false)),
            (true, 1) => Ok(Some(self.mate_in_one(position)?.is_some())),
            (true, n) if n <= DIRECT => self.mate_in_two(position).map(Some),
            (true, _) => Ok(None),
            (false, 0) => Ok(Some(position.is_checkmate())),
            (false, _) if !position.has_legal_move() => Ok(Some(position.is_check())),
            (false, _) => Ok(None),
        }
    }

    /// Searches until the node is settled or either effort reaches its limit.
    fn weigh(&mut self, position: &Position, moves: u32, limit: Effort) -> Asked<Effort> {
        let key = self.key(position);
        let begun = *self.nodes;
        if let Some(mate) = self.settle(position, moves)? {
            let effort = Effort::settled(mate);
            self.table.put(key, moves, effort, *self.nodes - begun);
            return Ok(effort);
        }
        let attacking = position.side_to_move() == self.attacker;
        let below = if attacking { moves - 1 } else { moves };
        let mut children = if attacking {
            self.attempts(position, below)?
        } else {
            self.replies(position, below)?
        };
        let effort = loop {
            let (effort, best) =
                if attacking { choose_attempt(&children) } else { choose_reply(&children) };
            if effort.proof >= limit.proof || effort.refutation >= limit.refutation {
                break effort;
            }
            let Some(best) = best else { break effort };
            let child = children[best.index];
            let child_limit = if attacking {
                Effort {
                    proof: limit.proof.min(just_above(best.rival)),
                    refutation: share(limit.refutation, effort.refutation, child.effort.refutation),
                }
            } else {
                Effort {
                    proof: share(limit.proof, effort.proof, child.effort.proof),
                    refutation: limit.refutation.min(just_above(best.rival)),
                }
            };
            let next = position.play(child.mv);
            let found = self.weigh(&next, below, child_limit)?;
            if !attacking && found.verdict() == Some(false) {
                self.refuters.reward(child.mv, moves);
            }
            children[best.index].effort = found;
        };
        self.table.put(key, moves, effort, *self.nodes - begun);
        Ok(effort)
    }

    /// The attacker's moves. The fewer replies one leaves, the easier it looks to prove.
    fn attempts(&mut self, position: &Position, below: u32) -> Asked<Vec<Child>> {
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        self.prefetch(position, &moves);
        for mv in &moves {
            let next = position.play(mv);
            self.count()?;
            let effort = match self.table.get(self.key(&next), below) {
                Some(effort) => effort,
                None => {
                    let replies = next.legal_moves().len() as u32;
                    match replies {
                        0 => Effort::settled(next.is_check()),
                        _ => Effort { proof: replies, refutation: 1 },
                    }
                }
            };
            children.push(Child { mv, effort });
            if effort.verdict() == Some(true) {
                break;
            }
        }
        Ok(children)
    }

    /// The defender's moves, the likeliest refutations first. The fewer attempts one leaves to the
    /// attacker, the easier it looks to refute.
    fn replies(&mut self, position: &Position, below: u32) -> Asked<Vec<Child>> {
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        self.prefetch(position, &moves);
        for mv in &moves {
            let next = position.play(mv);
            self.count()?;
            let effort = self.table.get(self.key(&next), below).unwrap_or_else(|| {
                let attempts = next.legal_moves().len() as u32;
                Effort { proof: 1, refutation: 1 + attempts / ATTEMPTS_A_LEAF }
            });
            children.push(Child { mv, effort });
            if effort.verdict() == Some(false) {
                break;
            }
        }
        children.sort_by_key(|child| std::cmp::Reverse(self.refuters.rank(child.mv)));
        Ok(children)
    }

    /// A move that mates at once.
    pub(crate) fn mate_in_one(&mut self, position: &Position) -> Asked<Option<Move>> {
        let checks = Checks::new(position);
        for mv in &position.legal_moves() {
            if checks.given_by(position, mv) && !checks.leaves_a_flight(position, mv) {
                self.count()?;
                if !position.play(mv).has_legal_move() {
                    return Ok(Some(mv));
                }
            }
        }
        Ok(None)
    }

    /// Whether some move mates in at most two: checks first, for they leave the fewest replies.
    fn mate_in_two(&mut self, position: &Position) -> Asked<bool> {
        let checks = Checks::new(position);
        let moves = position.legal_moves();
        let mut killer = None;
        for wanted in [true, false] {
            for mv in &moves {
                if checks.given_by(position, mv) != wanted {
                    continue;
                }
                self.count()?;
                if self.mates_after_every_reply(&position.play(mv), &mut killer)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn mates_after_every_reply(
        &mut self,
        position: &Position,
        killer: &mut Option<Move>,
    ) -> Asked<bool> {
        let replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.is_check());
        }
        let first = killer.filter(|mv| replies.contains(mv));
        let rest = replies.iter().copied().filter(|mv| Some(*mv) != first);
        for reply in first.into_iter().chain(rest) {
            self.count()?;
            if self.mate_in_one(&position.play(reply))?.is_none() {
                *killer = Some(reply);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The child to go on with, and the effort of the next best one.
struct Best {
    index: usize,
    rival: u32,
}

/// The attacker needs one move: the easiest proof; the refutation must answer all.
fn choose_attempt(children: &[Child]) -> (Effort, Option<Best>) {
    let (proof, best) = easiest(children, |effort| effort.proof);
    let refutation = total(children, |effort| effort.refutation);
    (Effort { proof, refutation }, best)
}

/// The defender needs one reply: the easiest refutation; the proof must answer all.
fn choose_reply(children: &[Child]) -> (Effort, Option<Best>) {
    let (refutation, best) = easiest(children, |effort| effort.refutation);
    let proof = total(children, |effort| effort.proof);
    (Effort { proof, refutation }, best)
}

fn easiest(children: &[Child], of: impl Fn(Effort) -> u32) -> (u32, Option<Best>) {
    let mut least = INFINITE;
    let mut best: Option<Best> = None;
    for (index, child) in children.iter().enumerate() {
        let effort = of(child.effort);
        if effort < least {
            best = Some(Best { index, rival: least });
            least = effort;
        } else if let Some(best) = &mut best {
            best.rival = best.rival.min(effort);
        }
    }
    (least, best)
}

/// Never infinite by adding up: only an impossible part makes the whole impossible.
fn total(children: &[Child], of: impl Fn(Effort) -> u32) -> u32 {
    let mut sum = 0u32;
    for child in children {
        match of(child.effort) {
            INFINITE => return INFINITE,
            part => sum = (sum + part).min(INFINITE - 1),
        }
    }
    sum
}

/// A little above the rival, so that the search does not flit between two equals.
fn just_above(rival: u32) -> u32 {
    (rival + rival / 4 + 1).min(INFINITE)
}

/// What is left of the node's limit for one child when the others keep their part.
fn share(limit: u32, sum: u32, part: u32) -> u32 {
    if limit >= INFINITE { INFINITE } else { (limit - sum + part).min(INFINITE) }
}
