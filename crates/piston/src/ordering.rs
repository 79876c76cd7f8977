//! The order in which moves are tried: the likely best first.

use crate::checks::Checks;
use crate::history::{History, NO_ROW, Rows};
use crate::parameters as p;
use crate::see;
use crate::threats::Threats;
use dyno_chess::{GenKind, Move, MoveList, Position, Role};

/// A move and how promising it is.
#[derive(Clone, Copy)]
pub struct Scored {
    /// The move.
    pub mv: Move,
    score: i32,
}

/// What the order of moves at a node goes by.
pub struct Hints {
    /// The table's move.
    pub table: Option<Move>,
    /// Quiet moves that refuted a sibling.
    pub killers: [Option<Move>; 2],
    /// The move that refuted the last one elsewhere.
    pub counter: Option<Move>,
    /// The rows of the moves before, for the continuation history.
    pub rows: Rows,
}

impl Hints {
    /// The quiet moves to try before all others.
    fn refutations(&self) -> [Option<Move>; 3] {
        [self.killers[0], self.killers[1], self.counter]
    }
}

/// Whether the move takes something or makes a queen.
#[inline]
pub fn is_tactical(pos: &Position, mv: Move) -> bool {
    pos.is_capture(mv) || mv.promotion() == Some(Role::Queen)
}

/// Which moves a node is interested in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    All,
    /// Captures and promotions that do not lose material.
    GoodCaptures,
    /// The same, and then quiet moves that give check without losing the piece.
    GoodCapturesAndChecks,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    StartCaptures,
    Captures,
    Refutations,
    StartQuiets,
    Quiets,
    StartChecks,
    SafeChecks,
    Losing,
    Given,
    Done,
}

/// A move and the reason it comes now.
#[derive(Clone, Copy)]
pub struct Picked {
    /// The move.
    pub mv: Move,
    /// Whether it is among the captures that lose material.
    pub losing: bool,
    /// What history and threats say of a quiet move, where they were asked.
    pub history: Option<i32>,
}

impl Picked {
    fn good(mv: Move) -> Picked {
        Picked { mv, losing: false, history: None }
    }
}

/// Hands out the moves of a node, generating them only as they are needed. The list is one that
/// all nodes of a line share, each using its end.
pub struct Picker {
    hints: Hints,
    wanted: Wanted,
    stage: Stage,
    /// Where this node's part of the list begins.
    start: usize,
    /// Losing captures are kept from `start` up to here.
    losing: usize,
    next: usize,
    end: usize,
    /// Only those quiet moves are left that give check.
    checks_only: bool,
    /// How many of the refutations have been looked at.
    refutations: usize,
}

impl Picker {
    /// Begins with the table's move, which must be legal.
    pub fn new(list: &[Scored], hints: Hints, wanted: Wanted) -> Picker {
        let start = list.len();
        Picker {
            hints,
            wanted,
            stage: Stage::Table,
            start,
            losing: start,
            next: start,
            end: start,
            checks_only: false,
            refutations: 0,
        }
    }

    /// Hands out the given moves in their order.
    pub fn given(list: &mut Vec<Scored>, moves: impl Iterator<Item = Move>) -> Picker {
        let hints = Hints { table: None, killers: [None; 2], counter: None, rows: [NO_ROW; 3] };
        let mut picker = Picker::new(list, hints, Wanted::All);
        list.extend(moves.map(|mv| Scored { mv, score: 0 }));
        picker.end = list.len();
        picker.stage = Stage::Given;
        picker
    }

    /// Gives the node's part of the list back.
    pub fn finish(&self, list: &mut Vec<Scored>) {
        list.truncate(self.start);
    }

    /// The next move; quiet ones are left out once they are not wanted any more, except those that
    /// give check.
    pub fn next(
        &mut self,
        list: &mut Vec<Scored>,
        pos: &Position,
        history: &History,
        checks: Option<&Checks>,
        skip_quiets: bool,
    ) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::StartCaptures;
                    if let Some(mv) = self.hints.table {
                        return Some(Picked::good(mv));
                    }
                }
                Stage::StartCaptures => {
                    self.list_captures(list, pos, history);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => {
                    while let Some(scored) = self.take_best(list) {
                        if see::wins_at_least(pos, scored.mv, 0) && !is_lesser(scored.mv) {
                            return Some(Picked::good(scored.mv));
                        }
                        list.swap(self.losing, self.next - 1);
                        self.losing += 1;
                    }
                    self.stage = match self.wanted {
                        Wanted::All => Stage::Refutations,
                        Wanted::GoodCaptures => Stage::Done,
                        Wanted::GoodCapturesAndChecks => Stage::StartChecks,
                    };
                }
                Stage::Refutations => {
                    // One of them is often enough, and then no other quiet move need be listed.
                    while self.refutations < 3 {
                        let Some(mv) = self.next_refutation(pos) else { continue };
                        if !skip_quiets || checks.is_some_and(|checks| checks.given_by(pos, mv)) {
                            return Some(Picked::good(mv));
                        }
                    }
                    self.stage = Stage::StartQuiets;
                }
                Stage::StartQuiets => {
                    if !skip_quiets || checks.is_some() {
                        self.list_quiets(list, pos, history);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if skip_quiets && !self.checks_only {
                        self.checks_only = true;
                        self.keep_checks(list, pos, checks);
                    }
                    if let Some(Scored { mv, score }) = self.take_best(list) {
                        return Some(Picked { mv, losing: false, history: Some(score) });
                    }
                    self.next = self.start;
                    self.stage = Stage::Losing;
                }
                Stage::StartChecks => {
                    if let Some(checks) = checks {
                        self.list_checks(list, pos, history, checks);
                    }
                    self.stage = Stage::SafeChecks;
                }
                Stage::SafeChecks => match self.take_best(list) {
                    Some(scored) if see::wins_at_least(pos, scored.mv, 0) => {
                        return Some(Picked::good(scored.mv));
                    }
                    Some(_) => {}
                    None => self.stage = Stage::Done,
                },
                Stage::Losing => {
                    if self.next == self.losing {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.next += 1;
                    return Some(Picked {
                        mv: list[self.next - 1].mv,
                        losing: true,
                        history: None,
                    });
                }
                Stage::Given => {
                    if self.next == self.end {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.next += 1;
                    return Some(Picked::good(list[self.next - 1].mv));
                }
                Stage::Done => return None,
            }
        }
    }

    /// The next of the refutations, unless it was handed out before or cannot be played here.
    fn next_refutation(&mut self, pos: &Position) -> Option<Move> {
        let all = self.hints.refutations();
        let (earlier, rest) = all.split_at(self.refutations);
        self.refutations += 1;
        let mv = rest[0]?;
        let known = self.hints.table == Some(mv) || earlier.contains(&rest[0]);
        let quiet = !pos.is_capture(mv) && mv.promotion().is_none();
        (!known && quiet && pos.is_legal(mv)).then_some(mv)
    }

    // The lists are made by functions of their own that are not inlined: else what they need is
    // made ready at every call of `next`, most of which need none of it.

    #[inline(never)]
    fn list_captures(&mut self, list: &mut Vec<Scored>, pos: &Position, history: &History) {
        let mut captures = MoveList::new();
        pos.generate_into(GenKind::Captures, &mut captures);
        let known = [self.hints.table].map(bits);
        self.add(list, &captures, known, |mv| score_capture(pos, mv, history));
    }

    #[inline(never)]
    fn list_quiets(&mut self, list: &mut Vec<Scored>, pos: &Position, history: &History) {
        let mut quiets = MoveList::new();
        pos.generate_into(GenKind::Quiets, &mut quiets);
        let learnt = history.quiets_after(pos.side_to_move(), self.hints.rows);
        let [first, second, third] = self.hints.refutations();
        let known = [self.hints.table, first, second, third].map(bits);
        let threats = Threats::new(pos);
        self.add(list, &quiets, known, |mv| learnt.of(pos, mv) + threats.escape(pos, mv));
    }

    #[inline(never)]
    fn list_checks(
        &mut self,
        list: &mut Vec<Scored>,
        pos: &Position,
        history: &History,
        checks: &Checks,
    ) {
        let mut quiets = MoveList::new();
        checks.quiets(pos, &mut quiets);
        let learnt = history.quiets_after(pos.side_to_move(), self.hints.rows);
        let known = [self.hints.table].map(bits);
        self.add(list, &quiets, known, |mv| learnt.of(pos, mv));
    }

    /// Adds the moves, other than those handed out before, with their scores.
    #[inline(always)]
    fn add<const N: usize>(
        &mut self,
        list: &mut Vec<Scored>,
        moves: &[Move],
        known: [u16; N],
        score: impl Fn(Move) -> i32,
    ) {
        list.reserve(moves.len());
        for &mv in moves {
            if !known.contains(&mv.to_bits()) {
                list.push(Scored { mv, score: score(mv) });
            }
        }
        self.next = self.end;
        self.end = list.len();
    }

    /// Drops the moves not yet handed out that do not give check.
    #[inline(never)]
    fn keep_checks(&mut self, list: &mut Vec<Scored>, pos: &Position, checks: Option<&Checks>) {
        let mut end = self.next;
        for index in self.next..self.end {
            if checks.is_some_and(|checks| checks.given_by(pos, list[index].mv)) {
                list[end] = list[index];
                end += 1;
            }
        }
        self.end = end;
        list.truncate(end);
    }

    /// The best of the moves not yet handed out; among equals the first.
    #[inline]
    fn take_best(&mut self, list: &mut [Scored]) -> Option<Scored> {
        let rest = &mut list[self.next..self.end];
        let (mut best, mut top) = (0, rest.first()?.score);
        for (index, scored) in rest.iter().enumerate() {
            if scored.score > top {
                (best, top) = (index, scored.score);
            }
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// The bits of a move that may be there; no move has those of none.
fn bits(mv: Option<Move>) -> u16 {
    mv.map_or(0, Move::to_bits)
}

/// Whether the move makes a piece other than a queen, which is rarely better.
fn is_lesser(mv: Move) -> bool {
    mv.promotion().is_some_and(|role| role != Role::Queen)
}

fn score_capture(pos: &Position, mv: Move, history: &History) -> i32 {
    let won = pos.captured(mv).map_or(0, see::worth);
    let made = mv.promotion().map_or(0, |role| see::worth(role) - see::worth(Role::Pawn));
    p::capture_order_worth() * (won + made) + history.of_capture(pos, mv)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_legal_move_comes_exactly_once() {
        let history = History::default();
        for fen in crate::bench::POSITIONS {
            let root = Position::from_fen(fen).unwrap();
            for first in root.legal_moves() {
                let pos = root.play(first);
                let legal = pos.legal_moves();
                let table = legal.iter().copied().nth(legal.len() / 2);
                let hints = Hints { table, killers: [None; 2], counter: None, rows: [NO_ROW; 3] };
                let mut list = Vec::new();
                let mut picker = Picker::new(&list, hints, Wanted::All);
                let mut seen = Vec::new();
                while let Some(picked) = picker.next(&mut list, &pos, &history, None, false) {
                    assert!(!seen.contains(&picked.mv), "{:?} twice in {pos}", picked.mv);
                    seen.push(picked.mv);
                }
                assert_eq!(seen.first().copied(), table);
                assert_eq!(seen.len(), legal.len(), "{pos}");
                assert!(seen.iter().all(|mv| legal.contains(mv)));
            }
        }
    }
}
