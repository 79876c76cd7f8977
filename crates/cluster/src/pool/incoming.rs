//! What comes in from workers and the server, and what a coordinator makes of it.

use super::ClusterPool;
use crate::address::LinkState;
use crate::error::ClusterError;
use crate::link::Heard;
use crate::message::{PairResult, WorkerEvent};
use crate::streams::MAX_DELIVER;
use crate::terms::lease;
use async_nats::jetstream::message::Acker;
use dyno_tournament::{Assignment, GameRecord, KeepMoves, Plan, PoolReport, verify};
use std::time::Instant;

/// Refused results after which a worker gets no more work of the match.
const MOST_REFUSED: u32 = 3;
/// Messages that cannot be read are told of this often.
const UNREADABLE_TOLD: u64 = 3;

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
                if let Some(info) = &self.info {
                    for pair in beat.pairs.iter().filter(|pair| pair.run == info.run) {
                        self.ledger.progress(pair.pair, &beat.name, pair.moves, now);
                    }
                }
                self.workers.insert(beat.name.clone(), (beat, now));
            }
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
                let patience = 4 * lease(&self.setup.plan);
                for number in self.ledger.audit(&pairs, drained, patience, now) {
                    self.reissue(number);
                }
            }
            Heard::State(LinkState::Lost) => {
                if !std::mem::replace(&mut self.lost, true) {
                    self.warn("connection-lost", "the server of the cluster is gone; what is played meanwhile comes in when it is back".to_owned());
                }
            }
            Heard::State(LinkState::Back) => {
                if std::mem::replace(&mut self.lost, false) {
                    self.warn("connection-back", "the server of the cluster is back".to_owned());
                }
            }
        }
    }

    fn take_event(&mut self, worker: &str, event: WorkerEvent, now: Instant) {
        match event {
            WorkerEvent::Started { pair, game } => {
                if let Some(assignment) = self.ledger.started(pair, worker, game, now) {
                    self.reports.push_back((PoolReport::Started(assignment), None));
                }
            }
            WorkerEvent::Move { pair, made } => {
                let is_known = self.ledger.get(pair).is_some_and(|pair| {
                    pair.games.iter().any(|game| game.slot.number == made.number)
                });
                if is_known {
                    self.reports.push_back((PoolReport::Move(*made), None));
                }
            }
            WorkerEvent::Returned { pair } => self.ledger.returned(pair, worker, now),
            WorkerEvent::Unfit { reason } => {
                let reason: String = reason.chars().take(300).collect();
                if self.unfit.insert((worker.to_owned(), reason.clone())) && self.unfit.len() < 50 {
                    self.warn("worker-unfit", format!("worker {worker} does not play: {reason}"));
                }
            }
        }
    }

    /// A result counts if it is of a pair that is owed, from one who had it, and can be played.
    pub(super) fn take_result(&mut self, worker: String, result: PairResult, acker: Acker) {
        let number = result.pair;
        if self.counted.contains(&number) {
            return self.acknowledge(acker);
        }
        let Some(info) = &self.info else { return };
        // Only a holder of the lease gets any further, or into memory.
        let token = self.tokens.token(&info.run, number, result.issue);
        if result.run != info.run || result.token != token {
            self.acknowledge(acker);
            return self.refuse(&worker, number, "it did not hold the lease");
        }
        let Some(pair) = self.ledger.get(number) else {
            self.early.insert(number, (worker, result, acker));
            return;
        };
        let refusal = if info.excluded.contains(&worker) {
            Some("it is excluded".to_owned())
        } else {
            unplayable(&result, &pair.games, &info.plan)
        };
        if let Some(reason) = refusal {
            let is_latest = result.issue == pair.issue;
            self.acknowledge(acker);
            self.refuse(&worker, number, &reason);
            if is_latest {
                self.reissue(number);
            }
            return;
        }
        self.ledger.close(number);
        self.counted.insert(number);
        let keep = self.setup.cluster.keep;
        let mut acker = Some(acker);
        let last = result.games.len().saturating_sub(1);
        for (place, mut record) in result.games.into_iter().enumerate() {
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

/// Why a result cannot be of the games that were asked for.
fn unplayable(result: &PairResult, games: &[Assignment], plan: &Plan) -> Option<String> {
    if result.games.len() != games.len() {
        return Some(format!("{} games where {} were asked for", result.games.len(), games.len()));
    }
    let checked = games.iter().zip(&result.games).try_for_each(|(assignment, record)| {
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
