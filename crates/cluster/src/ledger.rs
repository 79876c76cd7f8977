//! The pairs that a coordinator has given out: a value without threads, clock or network.

use dyno_tournament::{Assignment, Slot};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// A pair that was given out and has not come back.
#[derive(Clone, Debug)]
pub struct Pair {
    pub games: Vec<Assignment>,
    /// From 1: how often it has been put into the queue.
    pub issue: u32,
    pub state: PairState,
    /// When it was last seen alive: put into the queue, started, or with a new move.
    seen: Instant,
    /// How often in a row the server did not have it.
    absent: u32,
    /// How often enough workers failed for the server to give up.
    parkings: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairState {
    Queued,
    Playing {
        worker: String,
        moves: u64,
        /// The games that have begun.
        started: BTreeSet<u64>,
    },
    /// One worker after the other did not finish it.
    Parked,
}

/// All of them, by the number of their first game.
#[derive(Debug, Default)]
pub struct Ledger {
    pairs: BTreeMap<u64, Pair>,
    /// Games that wait for the other of their pair.
    halves: BTreeMap<u64, Assignment>,
    /// Whether the game taken in last was the first of a pair, so that its other game comes next.
    awaits_other: bool,
}

/// The number of the pair that a game belongs to.
pub fn pair_of(slot: &Slot) -> u64 {
    slot.partner.map_or(slot.number, |partner| partner.min(slot.number))
}

impl Ledger {
    /// Takes in a game; says the pair if it is complete with it.
    pub fn submit(&mut self, assignment: Assignment, now: Instant) -> Option<u64> {
        let number = pair_of(&assignment.slot);
        self.awaits_other = assignment.slot.partner > Some(assignment.slot.number)
            && !self.halves.contains_key(&number);
        let games = match (assignment.slot.partner, self.halves.remove(&number)) {
            (None, _) => vec![assignment],
            (Some(_), None) => {
                self.halves.insert(number, assignment);
                return None;
            }
            (Some(_), Some(other)) => {
                let mut games = vec![other, assignment];
                games.sort_by_key(|game| game.slot.number);
                games
            }
        };
        self.open(number, games, now);
        Some(number)
    }

    fn open(&mut self, number: u64, games: Vec<Assignment>, now: Instant) {
        let (state, issue) = (PairState::Queued, 1);
        let mut pair = Pair { games, issue, state, seen: now, absent: 0, parkings: 0 };
        if let Some(half) = self.pairs.remove(&number) {
            // Its other game went alone, and is owed as before.
            pair.games.extend(half.games);
            pair.games.sort_by_key(|game| game.slot.number);
            pair.issue = half.issue + 1;
        }
        self.pairs.insert(number, pair);
    }

    /// The other games of these pairs are not to come: they go alone.
    pub fn submit_halves(&mut self, now: Instant) -> Vec<u64> {
        self.awaits_other = false;
        let halves = std::mem::take(&mut self.halves);
        let numbers = halves.keys().copied().collect();
        halves.into_iter().for_each(|(number, game)| self.open(number, vec![game], now));
        numbers
    }

    /// Whether the next game belongs with the last one. A half whose other game was counted long
    /// ago asks for nothing: it would keep the queue open to all games of the match.
    pub fn awaits_other(&self) -> bool {
        self.awaits_other
    }

    pub fn get(&self, number: u64) -> Option<&Pair> {
        self.pairs.get(&number)
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.halves.is_empty()
    }

    /// A worker has begun a game; it is returned the first time.
    pub fn started(
        &mut self,
        number: u64,
        worker: &str,
        game: u64,
        now: Instant,
    ) -> Option<Assignment> {
        let pair = self.pairs.get_mut(&number)?;
        let begun = pair.games.iter().find(|a| a.slot.number == game)?.clone();
        (pair.seen, pair.absent) = (now, 0);
        match &mut pair.state {
            PairState::Playing { worker: who, started, .. } if who == worker => {
                started.insert(game).then_some(begun)
            }
            state => {
                let (worker, started) = (worker.to_owned(), BTreeSet::from([game]));
                *state = PairState::Playing { worker, moves: 0, started };
                Some(begun)
            }
        }
    }

    /// Whether this worker has the pair, as far as is known.
    pub fn is_held_by(&self, number: u64, worker: &str) -> bool {
        let holds = |pair: &Pair| matches!(&pair.state, PairState::Playing { worker: who, .. } if who == worker);
        self.pairs.get(&number).is_some_and(holds)
    }

    /// A worker tells how far it is. Only moves count as life, and only those of the holder.
    pub fn progress(&mut self, number: u64, worker: &str, moves: u64, now: Instant) {
        let Some(pair) = self.pairs.get_mut(&number) else { return };
        match &mut pair.state {
            PairState::Playing { worker: who, moves: before, .. } if who == worker => {
                if moves > *before {
                    (*before, pair.seen) = (moves, now);
                }
            }
            // Another has it now.
            PairState::Playing { .. } => {}
            // Its start was not heard: the coordinator came later.
            state => {
                let (worker, started) = (worker.to_owned(), BTreeSet::new());
                *state = PairState::Playing { worker, moves, started };
                pair.seen = now;
            }
        }
    }

    /// A worker gave a pair back; the server brings it to another.
    pub fn returned(&mut self, number: u64, worker: &str, now: Instant) {
        if let Some(pair) = self.pairs.get_mut(&number)
            && matches!(&pair.state, PairState::Playing { worker: who, .. } if who == worker)
        {
            (pair.state, pair.seen) = (PairState::Queued, now);
        }
    }

    /// The server gave up on a pair. It is tried once more; says whether that was done before.
    pub fn park(&mut self, number: u64, now: Instant) -> Option<bool> {
        let pair = self.pairs.get_mut(&number)?;
        pair.parkings += 1;
        if pair.parkings > 1 {
            pair.state = PairState::Parked;
            return Some(true);
        }
        self.reissue(number, now);
        Some(false)
    }

    /// Puts a pair into the queue once more.
    pub fn reissue(&mut self, number: u64, now: Instant) {
        if let Some(pair) = self.pairs.get_mut(&number) {
            pair.issue += 1;
            (pair.state, pair.seen, pair.absent) = (PairState::Queued, now, 0);
        }
    }

    /// Pairs whose worker talks but does not move, for longer than it is given.
    pub fn stalled(&self, patience: impl Fn(&str) -> Duration, now: Instant) -> Vec<u64> {
        let is_stalled = |pair: &Pair| match &pair.state {
            PairState::Playing { worker, .. } => now - pair.seen > patience(worker),
            _ => false,
        };
        self.pairs.iter().filter(|(_, pair)| is_stalled(pair)).map(|(n, _)| *n).collect()
    }

    /// Compares with what the server has in its queue. A pair that is missing twice in a row has no
    /// result on its way either: the server lost it. One untouched for long although
    /// nothing waits (`drained`) will not be given out any more.
    pub fn audit(
        &mut self,
        present: &HashSet<u64>,
        drained: bool,
        patience: Duration,
        now: Instant,
    ) -> Vec<u64> {
        let mut lost = Vec::new();
        for (number, pair) in &mut self.pairs {
            if pair.state == PairState::Parked {
                continue;
            }
            pair.absent = if present.contains(number) { 0 } else { pair.absent + 1 };
            let forgotten =
                drained && pair.state == PairState::Queued && now - pair.seen > patience;
            if pair.absent >= 2 || forgotten {
                lost.push(*number);
            }
        }
        lost
    }

    /// The pair has a result.
    pub fn close(&mut self, number: u64) -> Option<Pair> {
        self.pairs.remove(&number)
    }

    /// Takes back games that no worker has begun, where they are unwanted.
    pub fn recall(&mut self, unwanted: &dyn Fn(&Slot) -> bool) -> Vec<(u64, Pair)> {
        let waits = |pair: &Pair| {
            !matches!(pair.state, PairState::Playing { .. })
                && pair.games.iter().all(|game| unwanted(&game.slot))
        };
        let numbers: Vec<u64> =
            self.pairs.iter().filter(|(_, pair)| waits(pair)).map(|(n, _)| *n).collect();
        numbers.into_iter().filter_map(|n| Some((n, self.pairs.remove(&n)?))).collect()
    }

    /// Takes back the halves, where they are unwanted.
    pub fn recall_halves(&mut self, unwanted: &dyn Fn(&Slot) -> bool) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.halves.retain(|_, game| {
            let stays = !unwanted(&game.slot);
            if !stays {
                slots.push(game.slot);
            }
            stays
        });
        slots
    }

    /// Everything, at once.
    pub fn drain(&mut self) -> Vec<Slot> {
        let halves = std::mem::take(&mut self.halves).into_values();
        let pairs = std::mem::take(&mut self.pairs).into_values().flat_map(|pair| pair.games);
        halves.chain(pairs).map(|game| game.slot).collect()
    }

    /// Games that are being played.
    pub fn running(&self) -> usize {
        let games = |pair: &Pair| match &pair.state {
            PairState::Playing { started, .. } => started.len().max(1),
            _ => 0,
        };
        self.pairs.values().map(games).sum()
    }

    /// Pairs on boards, pairs in the queue, and the parked ones.
    pub fn counts(&self) -> (u64, u64, Vec<u64>) {
        let (mut playing, mut queued, mut parked) = (0, 0, Vec::new());
        for (number, pair) in &self.pairs {
            match pair.state {
                PairState::Playing { .. } => playing += 1,
                PairState::Queued => queued += 1,
                PairState::Parked => parked.push(*number),
            }
            if pair.parkings == 1 && pair.state != PairState::Parked {
                parked.push(*number);
            }
        }
        (playing, queued, parked)
    }

    /// Whether nothing is left but pairs that no worker could finish.
    pub fn is_stuck(&self) -> bool {
        !self.pairs.is_empty()
            && self.halves.is_empty()
            && self.pairs.values().all(|pair| pair.state == PairState::Parked)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_tournament::Start;

    fn game(number: u64, partner: Option<u64>) -> Assignment {
        let slot = Slot {
            number,
            white: (number % 2) as usize,
            black: 1 - (number % 2) as usize,
            round: 1,
            encounter: 0,
            index: number as u32,
            opening: number / 2,
            partner,
        };
        let (start, options) = (Start::default(), Default::default());
        Assignment { run: "r".into(), slot, start, options, attempt: 1 }
    }

    #[test]
    fn games_become_pairs_and_the_odd_one_goes_alone() {
        let (mut ledger, now) = (Ledger::default(), Instant::now());
        assert_eq!(ledger.submit(game(1, Some(0)), now), None);
        assert!(!ledger.awaits_other(), "its other game came earlier, if at all");
        assert_eq!(ledger.submit(game(2, Some(3)), now), None);
        assert!(ledger.awaits_other());
        assert_eq!(ledger.submit(game(0, Some(1)), now), Some(0));
        let numbers: Vec<u64> =
            ledger.get(0).unwrap().games.iter().map(|g| g.slot.number).collect();
        assert_eq!(numbers, [0, 1]);
        assert_eq!(ledger.submit(game(7, None), now), Some(7));
        assert!(!ledger.awaits_other());
        assert_eq!(ledger.submit_halves(now), [2]);
        assert_eq!(ledger.len(), 3);
    }

    #[test]
    fn a_game_that_comes_late_does_not_replace_its_other() {
        let (mut ledger, now) = (Ledger::default(), Instant::now());
        ledger.submit(game(0, Some(1)), now);
        assert_eq!(ledger.submit_halves(now), [0]);
        ledger.submit(game(1, Some(0)), now);
        assert_eq!(ledger.submit_halves(now), [0]);
        let pair = ledger.get(0).unwrap();
        assert_eq!((pair.games.len(), pair.issue), (2, 2));
    }

    #[test]
    fn only_moves_are_life() {
        let (mut ledger, start) = (Ledger::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let lease = |worker: &str| Duration::from_secs(if worker == "w" { 30 } else { 60 });
        ledger.submit(game(0, None), start);
        assert!(ledger.stalled(lease, at(99)).is_empty(), "it waits for a board");
        assert!(ledger.started(0, "w", 0, at(100)).is_some());
        assert!(ledger.started(0, "w", 0, at(101)).is_none(), "told once");
        ledger.progress(0, "w", 5, at(120));
        ledger.progress(0, "w", 5, at(149));
        assert!(ledger.stalled(lease, at(150)).is_empty());
        assert_eq!(ledger.stalled(lease, at(151)), [0]);
        ledger.reissue(0, at(151));
        assert_eq!(ledger.get(0).unwrap().issue, 2);
        assert!(ledger.started(0, "v", 0, at(152)).is_some(), "another worker");
        ledger.progress(0, "w", 9, at(180));
        assert!(ledger.is_held_by(0, "v") && !ledger.is_held_by(0, "w"), "the lease is lost");
        assert!(ledger.stalled(lease, at(212)).is_empty(), "this one is given more time");
        assert_eq!(ledger.stalled(lease, at(213)), [0]);
        ledger.returned(0, "w", at(153));
        assert_eq!(ledger.running(), 1, "it is not that one's any more");
        ledger.returned(0, "v", at(153));
        assert_eq!(ledger.running(), 0);
    }

    #[test]
    fn what_the_server_lost_is_found() {
        let (mut ledger, now) = (Ledger::default(), Instant::now());
        for number in 0..3 {
            ledger.submit(game(number, None), now);
        }
        let present = HashSet::from([0]);
        let patience = Duration::from_secs(120);
        assert!(ledger.audit(&present, false, patience, now).is_empty());
        ledger.close(2);
        assert_eq!(ledger.audit(&present, false, patience, now), [1]);
        ledger.reissue(1, now);
        let later = now + Duration::from_secs(121);
        assert_eq!(ledger.audit(&HashSet::from([0, 1]), true, patience, later), [0, 1]);
    }

    #[test]
    fn a_pair_that_no_worker_finishes_is_tried_again_and_then_parked() {
        let (mut ledger, now) = (Ledger::default(), Instant::now());
        ledger.submit(game(0, None), now);
        assert_eq!(ledger.park(0, now), Some(false));
        assert_eq!((ledger.counts().2, ledger.is_stuck()), (vec![0], false));
        assert_eq!(ledger.park(0, now), Some(true));
        assert!(ledger.is_stuck());
        assert_eq!(ledger.park(9, now), None);
    }
}
