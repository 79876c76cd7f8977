//! The machines of a cluster, by what their games say.

use dyno_report::cells;
use dyno_report::html::{Column, Html, Table};
use dyno_report::number::{compact, fixed, signed};
use dyno_stats::{Homogeneity, Tally};
use dyno_tournament::{GameRecord, WorkerRecord};
use std::collections::{BTreeMap, HashMap};

/// Everyone who has played a game.
#[derive(Debug, Default)]
pub struct Workers(BTreeMap<String, Worker>);

#[derive(Debug, Default)]
struct Worker {
    latest: WorkerRecord,
    games: u64,
    plies: u64,
    faults: u64,
    /// From the first engine's point of view.
    tally: Tally,
    /// Half points of games whose partner has not come back.
    half_pairs: HashMap<u64, u8>,
}

impl Workers {
    pub fn add(&mut self, game: &GameRecord) {
        let Some(record) = &game.worker else { return };
        let worker = self.0.entry(record.name.clone()).or_default();
        worker.latest.clone_from(record);
        worker.games += 1;
        worker.plies += game.moves.len() as u64;
        worker.faults += game.faults.len() as u64;
        let points = game.result.points;
        let half = if game.slot.white < game.slot.black { points.white() } else { points.black() };
        worker.tally.add_game(half);
        if let Some(partner) = game.slot.partner {
            match worker.half_pairs.remove(&partner) {
                Some(other) => worker.tally.complete_pair(half, other),
                None => drop(worker.half_pairs.insert(game.slot.number, half)),
            }
        }
    }

    /// The machines in a table; nothing where all games are played here.
    pub fn table(&self) -> Html {
        if self.0.is_empty() {
            return Html::default();
        }
        let pairs = self.0.iter().map(|(name, worker)| (name.as_str(), worker.tally.pairs));
        let test = Homogeneity::test(pairs);
        let columns = [
            Column::text("Worker"),
            Column::number("Games"),
            Column::number("Speed").hint("nodes a second of the reference engine there"),
            Column::number("Factor").hint("the factor on the time limits that its speed calls for"),
            Column::number("Score %").hint("of the first engine"),
            Column::number("Residual")
                .hint("by how many normal deviations its results differ from the others'"),
            Column::number("Faults"),
        ];
        let mut table = Table::new("Workers", columns).plain();
        for (name, worker) in &self.0 {
            let points = worker.tally.wins as f64 + worker.tally.draws as f64 / 2.0;
            let residual = test
                .as_ref()
                .and_then(|test| test.sources.iter().find(|source| source.name == *name))
                .map(|source| signed(source.residual, 2));
            table = table.row(cells![
                name.as_str(),
                worker.games,
                worker.latest.nps.map(|nps| compact(nps as f64)),
                worker.latest.time_factor.map(|factor| fixed(factor, 3)),
                fixed(100.0 * points / worker.games.max(1) as f64, 1),
                residual,
                worker.faults
            ]);
        }
        table.into()
    }
}
