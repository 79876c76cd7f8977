//! What comes in from workers and the server, and what a coordinator makes of it.

use super::ClusterPool;
use crate::address::LinkState;
use crate::error::ClusterError;
use crate::link::Heard;
use crate::message::{PairResult, WorkerEvent};
use crate::streams::MAX_DELIVER;
use crate::terms::LEASE;
use crate::token::{ordered, played};
use async_nats::jetstream::message::Acker;
use dyno_tournament::{Assignment, GameRecord, KeepMoves, Plan, PoolReport, Slot, verify};
use std::time::Instant;

/// Refused results after which a worker gets no more work of the match.
const MOST_REFUSED: u32 = 3;
/// Messages that cannot be read are told of this often.
const UNREADABLE_TOLD: u64 = 3;
/// Losses of the connection, and workers that do not play, are told of this often.
const LOSSES_TOLD: u32 = 10;
const UNFIT_TOLD: usize = 50;
/// What may wait to be told before moves are left out, and the longest game in their notation.
const MOST_REPORTS: usize = 1024;
const LONGEST_GAME: usize = 64 << 10;

impl ClusterPool {
    pub(super) fn hear(&mut self, heard: Heard) {
        let now = Instant::now();
        match heard {
            Heard::Result { worker, result: Ok(result), acker } => {
                self.take_result(worker, result, acker);
            }
            Heard::Result { worker, result: Err(error), acker } => {
                self.acknowledge(acker);
                self.unreadable(&worker, &error);
            }
            Heard::Event { worker, event } => self.take_event(&worker, event, now),
            Heard::Beat(beat) => {
                for pair in &beat.pairs {
                    let is_ours = self.info.as_ref().is_some_and(|info| info.run == pair.run);
                    if is_ours && self.holds_order(pair.pair, pair.issue, &pair.token) {
                        self.ledger.progress(pair.pair, &beat.name, pair.moves, now);
                    }
                }
                self.workers.insert(beat.name.clone(), (beat, now));
            }
            Heard::Strange { worker, reason } => self.unfit(&worker, &reason),
            Heard::Parked(number) => match self.ledger.park(number, now) {
                Some(false) => {
                    self.warn("pair-parked", format!(
                        "{MAX_DELIVER} workers took game {} and none finished it: it is put at the end of the queue once more",
                        number + 1
                    ));
                    self.reissue(number);
                }
                Some(true) => self.warn(
                    "pair-parked",
                    format!(
                        "game {} is parked: again {MAX_DELIVER} workers did not finish it",
                        number + 1
                    ),
                ),
                None => {}
            },
            Heard::Present { pairs, drained } => {
                for number in self.ledger.audit(&pairs, drained, 4 * LEASE, now) {
                    self.reissue(number);
                }
            }
            Heard::State(LinkState::Lost) => {
                self.losses += u32::from(!self.lost);
                if !std::mem::replace(&mut self.lost, true) && self.losses <= LOSSES_TOLD {
                    self.warn("connection-lost", "the server of the cluster is gone; what is played meanwhile comes in when it is back".to_owned());
                }
            }
            Heard::State(LinkState::Back) => {
                if std::mem::replace(&mut self.lost, false) && self.losses <= LOSSES_TOLD {
                    self.warn("connection-back", "the server of the cluster is back".to_owned());
                }
            }
        }
    }

    fn take_event(&mut self, worker: &str, event: WorkerEvent, now: Instant) {
        match event {
            WorkerEvent::Started { pair, issue, token, game } => {
                if self.holds_order(pair, issue, &token)
                    && let Some(assignment) = self.ledger.started(pair, worker, game, now)
                {
                    self.reports.push_back((PoolReport::Started(assignment), None));
                }
            }
            WorkerEvent::Move { pair, made } => {
                let is_of_pair = self.ledger.get(pair).is_some_and(|pair| {
                    pair.games.iter().any(|game| game.slot.number == made.number)
                });
                let is_sane = is_of_pair && made.moves.len() <= LONGEST_GAME;
                if is_sane
                    && self.ledger.is_held_by(pair, worker)
                    && self.reports.len() < MOST_REPORTS
                {
                    self.reports.push_back((PoolReport::Move(*made), None));
                }
            }
            WorkerEvent::Returned { pair } => self.ledger.returned(pair, worker, now),
            WorkerEvent::Unfit { reason } => self.unfit(worker, &reason),
        }
    }

    /// Tells why a worker does not play, once.
    fn unfit(&mut self, worker: &str, reason: &str) {
        let reason: String = reason.chars().take(300).collect();
        if self.unfit.len() < UNFIT_TOLD && self.unfit.insert((worker.to_owned(), reason.clone())) {
            self.warn("worker-unfit", format!("worker {worker} does not play: {reason}"));
        }
    }

    /// Whether a token is that of an order for this pair, in its present or an earlier issue.
    fn holds_order(&self, number: u64, issue: u32, token: &str) -> bool {
        let (Some(info), Some(pair)) = (&self.info, self.ledger.get(number)) else { return false };
        let games = pair.games.iter().map(ordered);
        // A coordinator that was resumed counts the issues anew.
        issue >= 1 && self.tokens.token(&info.run, number, issue, games) == token
    }

    /// A result counts if it is of a pair that is owed, from one who had it, and can be played.
    pub(super) fn take_result(&mut self, worker: String, result: PairResult, acker: Acker) {
        let number = result.pair;
        if self.counted.contains(&number) {
            return self.acknowledge(acker);
        }
        let Some(info) = &self.info else { return };
        // Only a holder of the lease gets any further, or into memory.
        let games = result.games.iter().map(played);
        let token = self.tokens.token(&info.run, number, result.issue, games);
        let is_excluded = info.excluded.contains(&worker);
        if result.run != info.run || result.token != token {
            self.acknowledge(acker);
            if !is_excluded {
                self.refuse(&worker, number, "it did not hold the lease");
            }
            return;
        }
        let Some(pair) = self.ledger.get(number) else {
            self.early.insert(number, (worker, result, acker));
            return;
        };
        // An order of an earlier run may have been of other games of that number: no blame, and the
        // order of now is in the queue.
        let Some(wanted) = wanted(&result, &pair.games) else { return self.acknowledge(acker) };
        let is_latest = result.issue >= pair.issue;
        let reason = unplayable(&result, &pair.games, &info.plan);
        if is_excluded || reason.is_some() {
            self.acknowledge(acker);
            if let Some(reason) = reason.filter(|_| !is_excluded) {
                self.refuse(&worker, number, &reason);
            }
            if is_latest {
                self.reissue(number);
            }
            return;
        }
        self.ledger.close(number);
        self.counted.insert(number);
        let keep = self.setup.cluster.keep;
        let mut acker = Some(acker);
        let last = wanted.len().saturating_sub(1);
        let is_wanted = |game: &GameRecord| wanted.contains(&game.slot);
        for (place, mut record) in result.games.into_iter().filter(is_wanted).enumerate() {
            // Its name is the one that its key allows, whatever it says.
            record.worker.get_or_insert_default().name.clone_from(&worker);
            strip(&mut record, keep);
            let done = if place == last { acker.take() } else { None };
            self.reports.push_back((PoolReport::Finished(Box::new(record)), done));
        }
    }

    fn refuse(&mut self, worker: &str, pair: u64, reason: &str) {
        let count = self.refused.entry(worker.to_owned()).or_default();
        *count += 1;
        let count = *count;
        if count <= MOST_REFUSED {
            let game = pair + 1;
            self.warn("result-refused", format!(
                "a result of game {game} from worker {worker} was refused: {reason}; the game is played elsewhere"
            ));
        }
        if count == MOST_REFUSED {
            self.warn(
                "worker-excluded",
                format!("worker {worker} is excluded: {count} of its results were refused"),
            );
            if let Some(info) = &mut self.info {
                info.excluded.push(worker.to_owned());
            }
            self.announce();
        }
    }

    /// No worker is blamed for it: others can have the server send such a message in its name.
    fn unreadable(&mut self, worker: &str, error: &ClusterError) {
        self.unreadable += 1;
        if self.unreadable <= UNREADABLE_TOLD {
            let message = format!("a message among the results of worker {worker}: {error}");
            self.warn("message-unreadable", message);
        }
    }
}

/// The games of a result that are owed: all that were asked for, or `None`. There may be more, of which
/// the journal had one when its coordinator was killed.
fn wanted(result: &PairResult, games: &[Assignment]) -> Option<Vec<Slot>> {
    let is_there = |game: &Assignment| result.games.iter().any(|g| played(g) == ordered(game));
    games.iter().all(is_there).then(|| games.iter().map(|game| game.slot).collect())
}

/// Why the games that were asked for cannot have been played like this.
fn unplayable(result: &PairResult, games: &[Assignment], plan: &Plan) -> Option<String> {
    let of = |game: &Assignment| result.games.iter().find(|g| played(g) == ordered(game));
    let mut found = games.iter().filter_map(|game| Some((game, of(game)?)));
    let checked = found.try_for_each(|(assignment, record)| {
        let players = [assignment.slot.white, assignment.slot.black];
        if !record.faults.iter().all(|fault| players.contains(&fault.engine)) {
            return Err("a fault is put down to an engine that did not play".to_owned());
        }
        verify(record, assignment, plan).map_err(|error| error.to_string())
    });
    checked.err()
}

/// Drops the moves that are not to be kept.
fn strip(record: &mut GameRecord, keep: KeepMoves) {
    let drop = match keep {
        KeepMoves::All => false,
        KeepMoves::Faults => record.faults.is_empty(),
        KeepMoves::None => true,
    };
    if drop {
        record.moves.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_tournament::{End, GameResult, Start};

    fn game(number: u64, index: u32) -> Assignment {
        let slot = Slot {
            number,
            white: 0,
            black: 1,
            round: 1,
            encounter: 0,
            index,
            opening: 0,
            partner: None,
        };
        let (start, options) = (Start::default(), Default::default());
        Assignment { run: "r".into(), slot, start, options, attempt: 1 }
    }

    fn result(games: &[Assignment]) -> PairResult {
        let record = |game: &Assignment| GameRecord {
            slot: game.slot,
            result: GameResult::draw(End::Agreement),
            started: 0,
            lasted: 0,
            start: game.start.clone(),
            options: game.options.clone(),
            moves: Vec::new(),
            faults: Vec::new(),
            worker: None,
        };
        let games = games.iter().map(record).collect();
        PairResult { run: "r".into(), pair: 0, issue: 1, token: String::new(), games }
    }

    #[test]
    fn of_a_result_of_before_what_is_still_owed_is_taken() {
        let (first, second) = (game(0, 0), game(1, 1));
        let both = result(&[first.clone(), second.clone()]);
        let slots = |games: &[Assignment]| wanted(&both, games);
        assert_eq!(slots(&[first.clone(), second.clone()]), Some(vec![first.slot, second.slot]));
        assert_eq!(
            slots(std::slice::from_ref(&second)),
            Some(vec![second.slot]),
            "the other counted"
        );
        assert_eq!(slots(&[game(0, 4)]), None, "the number was that of another game");
        assert_eq!(
            wanted(&result(std::slice::from_ref(&first)), &[first.clone(), second]),
            None,
            "one is missing"
        );
    }
}
