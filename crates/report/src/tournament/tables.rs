//! The tables of a match's page.

use super::lines::{HELD_BY_PRIOR, all_one_way, rating as rating_text};
use crate::cells;
use crate::html::{BarChart, Cell, Code, Column, Section, Table};
use crate::number::{fixed, grouped};
use dyno_stats::Tally;
use dyno_tournament::{EngineStats, FaultKind, LATENCY_BUCKETS, Summary, Versus};

/// The standings, everyone against everyone, and every meeting with its difference.
pub(super) fn standings(summary: &Summary) -> Section {
    let columns = [
        Column::number("Rank"),
        Column::text("Engine"),
        Column::number("Elo"),
        Column::number("±"),
        Column::number("Games"),
        Column::number("Score %"),
        Column::number("Won"),
        Column::number("Drawn"),
        Column::number("Lost"),
    ];
    let mut table = Table::new("Standings", columns);
    for (rank, &index) in summary.ranking.iter().enumerate() {
        let engine = &summary.engines[index];
        let total = engine.total();
        let rating = summary.ratings.as_ref().and_then(|ratings| ratings.get(index));
        table = table.row(cells![
            rank as u64 + 1,
            engine.name.clone(),
            rating.map(|found| Cell::number(found.elo, rating_text(found))),
            rating.map(|found| Cell::number(found.error, fixed(found.error, 1))),
            total.games(),
            fixed(100.0 * total.score(), 1),
            total.wins,
            total.draws,
            total.losses
        ]);
    }
    let columns = [
        Column::text("First"),
        Column::text("Second"),
        Column::number("Won"),
        Column::number("Lost"),
        Column::number("Drawn"),
        Column::number("Elo"),
        Column::number("±"),
    ];
    let mut meetings = Table::new("Meetings", columns);
    for versus in &summary.versus {
        meetings = meetings.row(cells![
            summary.engines[versus.first].name.clone(),
            summary.engines[versus.second].name.clone(),
            versus.tally.wins,
            versus.tally.losses,
            versus.tally.draws,
            difference(versus, versus.estimate.elo),
            difference(versus, versus.estimate.elo_error)
        ]);
    }
    let mut section = Section::new("Standings").add(table);
    if summary.ratings.iter().flatten().any(|rating| rating.held_by_prior) {
        section = section.text(HELD_BY_PRIOR.trim_end());
    }
    section.add(crosstable(summary)).add(meetings)
}

/// A figure of a meeting; infinite where all of its games went one way.
fn difference(versus: &Versus, value: f64) -> Cell {
    match all_one_way(&versus.tally) {
        Some(_) => Cell::from(if value < 0.0 { "-inf" } else { "inf" }),
        None => Cell::number(value, fixed(value, 0)),
    }
}

/// Everyone against everyone, the best first: points, and how they came about.
fn crosstable(summary: &Summary) -> Table {
    let numbers = (1..=summary.ranking.len()).map(|rank| Column::text(rank.to_string()));
    let heads = [Column::number("#"), Column::text("Engine")].into_iter().chain(numbers);
    let mut table = Table::new("Crosstable: points of games (won, drawn, lost)", heads).plain();
    for (rank, &row) in summary.ranking.iter().enumerate() {
        let cells = summary.ranking.iter().map(|&column| match row == column {
            true => Cell::from("·"),
            false => Cell::from(met(summary, row, column)),
        });
        let named = cells![rank as u64 + 1, &summary.engines[row].name];
        table = table.row(named.into_iter().chain(cells));
    }
    table
}

/// `5.5 of 8 (+4 =3 −1)`; empty where the two never met.
fn met(summary: &Summary, row: usize, column: usize) -> String {
    let wdl = summary.versus.iter().find_map(|versus| {
        let Tally { wins, draws, losses, .. } = versus.tally;
        match (versus.first, versus.second) {
            pair if pair == (row, column) => Some((wins, draws, losses)),
            pair if pair == (column, row) => Some((losses, draws, wins)),
            _ => None,
        }
    });
    wdl.map_or_else(String::new, |(won, drawn, lost)| {
        let points = fixed(won as f64 + drawn as f64 / 2.0, 1);
        format!("{points} of {} (+{won} ={drawn} −{lost})", won + drawn + lost)
    })
}

/// Why each engine's games ended, the most frequent end first.
pub(super) fn ends_by_engine(summary: &Summary) -> Table {
    let columns = [
        Column::choice("Engine"),
        Column::text("Games ended by"),
        Column::number("Won"),
        Column::number("Drawn"),
        Column::number("Lost"),
    ];
    let mut table = Table::new("Ends by engine", columns);
    for engine in &summary.engines {
        let mut ends: Vec<_> = engine.ends.iter().collect();
        ends.sort_by_key(|(_, wdl)| std::cmp::Reverse(wdl.games()));
        for (end, wdl) in ends {
            table = table.row(cells![&engine.name, end, wdl.wins, wdl.draws, wdl.losses]);
        }
    }
    table
}

/// How often each engine failed in which way.
fn faults_by_engine(summary: &Summary) -> Table {
    let heads = FaultKind::ALL.map(|kind| Column::number(capitalised(kind.label())));
    let columns = [Column::text("Engine")].into_iter().chain(heads);
    let row = |engine: &EngineStats| {
        let counts = FaultKind::ALL.map(|kind| Cell::from(engine.fault(kind)));
        cells![&engine.name].into_iter().chain(counts).collect::<Vec<_>>()
    };
    Table::new("Faults by engine", columns).rows(summary.engines.iter().map(row))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What each engine did in its moves, and how it failed.
pub(super) fn engines(summary: &Summary) -> Section {
    let columns = [
        Column::text("Engine"),
        Column::number("Moves"),
        Column::number("Mean time (ms)"),
        Column::number("Longest (ms)"),
        Column::number("Mean depth"),
        Column::number("Mean latency (ms)").hint("measured time beyond what the engine reports"),
        Column::number("Most (ms)"),
        Column::number("Own wait (ms)")
            .hint("the engine's threads waited for a processor, on its clock; mean of its moves"),
        Column::number("Dyno's wait (ms)")
            .hint("Dyno waited for a processor after the move had arrived; not on the clock"),
        Column::number("Ponder hits").hint("moves pondered on that were then played"),
    ];
    let mut table = Table::new("Moves", columns);
    let ms = |nanos: u64| fixed(nanos as f64 / 1e6, 3);
    for engine in &summary.engines {
        let latency = &engine.latency;
        table = table.row(cells![
            engine.name.clone(),
            engine.moves,
            ms(engine.nanos / engine.moves.max(1)),
            ms(engine.longest),
            fixed(engine.mean_depth().unwrap_or(0.0), 1),
            fixed(latency.mean().unwrap_or(0.0) / 1e3, 3),
            fixed(latency.most as f64 / 1e3, 3),
            ms(engine.queued.sum / engine.moves.max(1)),
            ms(engine.wake_up.sum / engine.moves.max(1)),
            match engine.ponder.moves {
                0 => "–".to_owned(),
                moves => format!("{} of {}", engine.ponder.hits, moves),
            }
        ]);
    }
    let mut chart =
        BarChart::new("Moves by latency").series(summary.engines.iter().map(|e| e.name.clone()));
    let mut low = 0;
    for bucket in 0..=LATENCY_BUCKETS.len() {
        let name = match LATENCY_BUCKETS.get(bucket) {
            Some(high) => format!("{} to {} ms", low / 1000, high / 1000),
            None => format!("{} ms and more", low / 1000),
        };
        low = LATENCY_BUCKETS.get(bucket).copied().unwrap_or(low);
        let counts = summary.engines.iter().map(|e| e.latency.buckets[bucket]);
        chart = chart.bars(name, counts.map(|c| (c as f64, grouped(c))));
    }
    let title =
        if summary.header.plan.is_self_play() { "Stability in self-play" } else { "Engines" };
    let section = Section::new(title).add(table).add(faults_by_engine(summary));
    if summary.engines.iter().any(|e| e.latency.moves > 0) { section.add(chart) } else { section }
}

/// The machines that played, with the factor on their time limits.
pub(super) fn workers(summary: &Summary) -> Option<Section> {
    if summary.workers.is_empty() {
        return None;
    }
    let columns = [
        Column::text("Worker"),
        Column::number("Games"),
        Column::number("Time factor"),
        Column::number("Nodes/s"),
        Column::number("Time losses"),
        Column::number("Crashes"),
        Column::text("Pairs (LL, LD, WL+DD, WD, WW)"),
    ];
    let mut table = Table::new("Workers", columns);
    for worker in &summary.workers {
        table = table.row(cells![
            worker.name.clone(),
            worker.games,
            worker.time_factor.map_or_else(String::new, |factor| fixed(factor, 3)),
            worker.nps.unwrap_or_default(),
            worker.time_losses,
            worker.crashes,
            format!("{:?}", worker.pairs)
        ]);
    }
    Some(Section::new("Workers").add(table))
}

/// Every fault with its evidence.
pub(super) fn faults(summary: &Summary) -> Option<Section> {
    if summary.faults.is_empty() {
        return None;
    }
    let columns = [
        Column::number("Game"),
        Column::choice("Engine"),
        Column::choice("Fault"),
        Column::text("Detail"),
        Column::code("Evidence"),
    ];
    let mut table = Table::new("Faults", columns);
    for fault in &summary.faults {
        table = table.row(cells![
            fault.game,
            summary.engines[fault.fault.engine].name.clone(),
            fault.fault.kind.label(),
            fault.fault.detail.clone(),
            fault.fault.evidence.clone().unwrap_or_default()
        ]);
    }
    let journal = summary.journal.clone().unwrap_or_default();
    Some(Section::new("Faults").add(table).add(Code::new(journal).label("journal")))
}
