//! What a tuning shows while it goes on.

use dyno_report::terminal::{Progress as Bar, eprintln};
use dyno_report::tune as report;
use dyno_tournament::tune::{TuneResult, TuningSchedule};
use dyno_tournament::{Envelope, Journal, Listener, MatchEvent, OutputError, Plan, Schedule as _};
use std::path::Path;

/// How often the table of parameters is shown on the way.
const TABLES: u64 = 10;

/// Follows the values by the results, as the match itself does.
pub struct Progress {
    schedule: TuningSchedule,
    plan: Plan,
    bar: Bar,
    shown: u64,
}

impl Progress {
    /// At the start, or where a journal's tuning stands.
    pub fn new(plan: &Plan, journal: &Path) -> anyhow::Result<Self> {
        let tuning = plan.tune.clone().unwrap_or_else(|| unreachable!("checked before"));
        let mut schedule = TuningSchedule::new(tuning);
        if journal.exists() {
            let _ = Journal::read(journal, |record| {
                if schedule.owes(&record.slot) {
                    schedule.record(&record.slot, record.result.points);
                }
            });
        }
        let iterations = schedule.trajectory().tuning().iterations();
        let bar = Bar::new("iterations", Some(iterations), false);
        let shown = TABLES * schedule.trajectory().applied() / iterations.max(1);
        Ok(Self { schedule, plan: plan.clone(), bar, shown })
    }

    fn show(&mut self) {
        let trajectory = self.schedule.trajectory();
        let (applied, all) = (trajectory.applied(), trajectory.tuning().iterations());
        self.bar.set(applied);
        let part = TABLES * applied / all.max(1);
        if part > self.shown && applied < all {
            self.shown = part;
            let header = dyno_driver::RunHeader::begin("tune", self.plan.clone());
            let mut so_far = TuneResult::of(header, trajectory);
            so_far.interrupted = false;
            self.bar.line(format!("after {applied} of {all} iterations"));
            self.bar.line(report::terminal::summary(&so_far).trim_end());
        }
    }
}

impl Listener for Progress {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        match &envelope.event {
            MatchEvent::GameFinished { game, .. } => {
                self.schedule.record(&game.slot, game.result.points);
                self.show();
                for fault in &game.faults {
                    self.bar.line(format!(
                        "game {}: {}: {}",
                        game.slot.number + 1,
                        fault.kind.label(),
                        fault.detail
                    ));
                }
            }
            MatchEvent::Warning { advice } => self.bar.line(format!("warning: {}", advice.message)),
            MatchEvent::WindingDown { running } => {
                self.bar.line(format!("finishing {running} games; once more stops at once"));
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// The proof, a line every hundred games.
pub struct ProofProgress {
    games: u64,
}

impl ProofProgress {
    /// Of a proof that has this many games already.
    pub fn from(games: u64) -> Self {
        Self { games }
    }
}

impl Listener for ProofProgress {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        if let MatchEvent::GameFinished { score, .. } = &envelope.event {
            self.games += 1;
            if self.games.is_multiple_of(100) {
                let llr = score.sprt.map_or(0.0, |sprt| sprt.llr);
                eprintln!("proof: {} games, LLR {llr:.2}", self.games);
            }
        }
        Ok(())
    }
}
