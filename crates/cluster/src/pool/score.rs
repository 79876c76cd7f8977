//! How a match stands, for those who ask the cluster.

use crate::message::Score;
use dyno_tournament::{Envelope, Listener, MatchEvent, OutputError, WorkerTallies, suspicions};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A listener that keeps `dyno cluster status` up to date.
#[derive(Clone, Default)]
pub struct ClusterScore(Arc<Mutex<Told>>);

#[derive(Default)]
struct Told {
    score: Score,
    /// Of the games since this coordinator was started; the summary has those of all.
    workers: WorkerTallies,
}

impl ClusterScore {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> Score {
        let told = self.told();
        let suspects = suspicions(&told.workers.list());
        let words = |s: &dyno_tournament::Suspicion| format!("worker {}: {}", s.worker, s.detail);
        Score { suspicions: suspects.iter().map(words).collect(), ..told.score.clone() }
    }
}

impl Listener for ClusterScore {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        let mut told = self.told();
        match &envelope.event {
            MatchEvent::MatchStarted { total, done, .. } => {
                (told.score.total, told.score.games) = (*total, *done);
            }
            MatchEvent::GameFinished { game, score, .. } => {
                told.workers.add(game);
                let told = &mut told.score;
                told.games = score.games;
                told.llr = score.sprt.map(|sprt| sprt.llr);
                told.waiting_pairs = score.sprt.map_or(0, |sprt| sprt.waiting_pairs);
                let tally = score.engines.first().map(|engine| engine.tally);
                told.tally = tally.map_or_else(String::new, |t| {
                    format!("{} - {} - {}", t.wins, t.losses, t.draws)
                });
            }
            _ => {}
        }
        Ok(())
    }
}
