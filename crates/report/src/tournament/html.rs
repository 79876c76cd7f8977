//! A match as a page.

use super::lines::{elo, sprt_line};
use crate::html::{
    BarChart, Code, Column, ColumnChart, LineChart, Note, Page, Section, Series, Table, Tiles,
};
use crate::number::{duration, fixed, grouped, signed};
use crate::{Verdict, cells};
use dyno_stats::SprtVerdict;
use dyno_tournament::{
    Ending, FaultKind, LATENCY_BUCKETS, Summary, TracePoint, Versus, pgn::limits_text,
};

/// The page of a match.
pub fn page(summary: &Summary) -> String {
    let names: Vec<&str> = summary.engines.iter().map(|e| e.name.as_str()).collect();
    let mut page = Page::new(names.join(" vs "))
        .command("match")
        .fact("Event", summary.header.plan.event.clone())
        .fact("Games", games(summary))
        .fact("Time", duration(summary.header.elapsed()))
        .fact("Seed", summary.header.plan.seed.to_string())
        .run(&summary.header);
    if let Some((verdict, text)) = headline(summary) {
        page = page.verdict(verdict, text);
    }
    for (index, id) in summary.header.engines.iter().enumerate() {
        let program = id.id.clone().unwrap_or_else(|| id.name.clone());
        let mut line = format!("{program}, {}", limits_text(&summary.header.plan, index));
        if let Some(hash) = &id.file_hash {
            line += &format!(", file {hash}");
        }
        page = page.fact(id.name.clone(), line);
    }
    if summary.ending == Ending::Interrupted {
        page = page.add(Note::new(
            Verdict::Warn,
            "Interrupted: the figures are those of the games played so far.",
        ));
    }
    let duel = summary.duel().filter(|_| summary.engines.len() == 2);
    if let Some(duel) = duel {
        page = page.add(tiles(duel));
    }
    for suspicion in &summary.suspicions {
        let text = format!("Worker {} stands out: {}.", suspicion.worker, suspicion.detail);
        page = page.add(Note::new(Verdict::Warn, text));
    }
    for advice in &summary.advice {
        page = page.add(Note::new(Verdict::Warn, advice.message.clone()));
    }
    page.section_if(sprt(summary))
        .section_if(duel.map(|duel| course(summary, duel)))
        .section_if((summary.engines.len() > 2).then(|| table(summary)))
        .section(ends(summary))
        .section(engines(summary))
        .section_if(workers(summary))
        .section_if(faults(summary))
        .render()
}

/// The result in one line: `PASSED: New is stronger, +53 [9, 98]`.
fn headline(summary: &Summary) -> Option<(Verdict, String)> {
    let [first, _] = summary.engines.as_slice() else {
        let best = summary.champion.or_else(|| summary.ranking.first().copied())?;
        let engine = summary.engines.get(best)?;
        let (score, games) = (100.0 * engine.total().score(), engine.total().games());
        let text = format!("{} is first, with {} % of {games} games", engine.name, fixed(score, 1));
        return Some((Verdict::Pass, text));
    };
    let estimate = summary.duel()?.estimate;
    let adjusted = summary.sprt.and_then(|sprt| sprt.adjusted);
    let (elo, low, high) = match adjusted {
        Some(adjusted) => (adjusted.elo, adjusted.elo_low, adjusted.elo_high),
        None => (estimate.elo, estimate.elo_low, estimate.elo_high),
    };
    let strength = match (low > 0.0, high < 0.0) {
        (true, _) => "is stronger",
        (_, true) => "is weaker",
        _ => "is not shown to differ",
    };
    let text = format!(
        "{} {strength}, {} [{}, {}]",
        first.name,
        signed(elo, 0),
        fixed(low, 0),
        fixed(high, 0)
    );
    let decided = summary.sprt.map(|sprt| sprt.verdict);
    Some(match decided {
        Some(SprtVerdict::AcceptH1) => (Verdict::Pass, format!("PASSED: {text}")),
        Some(SprtVerdict::AcceptH0) => (Verdict::Fail, format!("FAILED: {text}")),
        Some(SprtVerdict::Continue) => (Verdict::Warn, format!("UNDECIDED: {text}")),
        None if low > 0.0 => (Verdict::Pass, text),
        None if high < 0.0 => (Verdict::Fail, text),
        None => (Verdict::Skip, text),
    })
}

fn games(summary: &Summary) -> String {
    match summary.total {
        Some(total) if total != summary.games => {
            format!("{} of {}", grouped(summary.games), grouped(total))
        }
        _ => grouped(summary.games),
    }
}

fn tiles(duel: &Versus) -> Tiles {
    let (tally, estimate) = (&duel.tally, &duel.estimate);
    let points = tally.wins as f64 + tally.draws as f64 / 2.0;
    let share = 100.0 * points / tally.games().max(1) as f64;
    Tiles::new()
        .tile("Elo difference", elo(tally, estimate, 1).replace("+/-", "±"), "95 % interval")
        .tile(
            "Score",
            format!("{} %", fixed(share, 1)),
            format!("{} of {} points", fixed(points, 1), tally.games()),
        )
        .tile(
            "Wins, losses, draws",
            format!("{} – {} – {}", tally.wins, tally.losses, tally.draws),
            format!("{} % drawn", fixed(100.0 * tally.draw_ratio(), 1)),
        )
        .tile(
            "Likelihood of superiority",
            format!("{} %", fixed(100.0 * estimate.los, 1)),
            format!("nElo {} ± {}", signed(estimate.nelo, 1), fixed(estimate.nelo_error, 1)),
        )
}

fn sprt(summary: &Summary) -> Option<Section> {
    let sprt = summary.sprt.as_ref()?;
    let verdict = match sprt.verdict {
        SprtVerdict::AcceptH1 => Verdict::Pass,
        SprtVerdict::AcceptH0 => Verdict::Fail,
        SprtVerdict::Continue => Verdict::Skip,
    };
    let points = summary.trace.iter().filter_map(|p| Some((p.games as f64, p.llr?)));
    let chart = LineChart::new("Log-likelihood ratio over games")
        .x("games")
        .y("LLR")
        .bound(sprt.upper, "H1 accepted")
        .bound(sprt.lower, "H0 accepted")
        .y_range(sprt.lower * 1.1, sprt.upper * 1.1)
        .series(Series::new("LLR", points).steps());
    let mut section = Section::new("Sequential test")
        .add(Note::new(verdict, sprt_line(sprt)))
        .text(format!(
            "H0: {} Elo, H1: {} Elo. Pairs are counted in scheduled order.",
            fixed(sprt.elo0, 2),
            fixed(sprt.elo1, 2)
        ))
        .add(chart);
    if let Some(adjusted) = &sprt.adjusted {
        section = section.text(format!(
            "Elo allowing for the stop of the test: {} [{}, {}]. A plain estimate is biased after a sequential test.",
            signed(adjusted.elo, 1),
            signed(adjusted.elo_low, 1),
            signed(adjusted.elo_high, 1)
        ));
    }
    Some(section)
}

/// The beginning of a match says nothing and would flatten the rest of the picture.
fn settled(trace: &[TracePoint]) -> impl Iterator<Item = &TracePoint> {
    let last = trace.last().map_or(0, |p| p.games);
    trace.iter().filter(move |p| p.games * 20 >= last && p.games >= 4)
}

fn course(summary: &Summary, duel: &Versus) -> Section {
    let name = &summary.engines[0].name;
    let points = settled(&summary.trace).map(|p| (p.games as f64, p.elo));
    let band = settled(&summary.trace).map(|p| (p.games as f64, p.low, p.high));
    let chart = LineChart::new("Elo difference with its 95 % band")
        .x("games")
        .y("Elo")
        .bound(0.0, "equal")
        .series(Series::new(format!("Elo of {name}"), points).band(band));
    let mut section = Section::new("Course of the match").add(chart);
    if duel.tally.pair_count() > 0 {
        section = section
            .add(ColumnChart::pentanomial("Pairs: one opening, both colours", duel.tally.pairs));
    }
    section
}

fn table(summary: &Summary) -> Section {
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
            rating.map_or_else(|| "–".to_owned(), |rating| fixed(rating.elo, 1)),
            rating.map_or_else(|| "–".to_owned(), |rating| fixed(rating.error, 1)),
            total.games(),
            fixed(100.0 * total.score(), 1),
            total.wins,
            total.draws,
            total.losses
        ]);
    }
    let meetings = [
        Column::text("First"),
        Column::text("Second"),
        Column::number("Won"),
        Column::number("Lost"),
        Column::number("Drawn"),
        Column::number("Elo"),
        Column::number("±"),
    ];
    let mut cross = Table::new("Meetings", meetings);
    for versus in &summary.versus {
        cross = cross.row(cells![
            summary.engines[versus.first].name.clone(),
            summary.engines[versus.second].name.clone(),
            versus.tally.wins,
            versus.tally.losses,
            versus.tally.draws,
            fixed(versus.estimate.elo, 0),
            fixed(versus.estimate.elo_error, 0)
        ]);
    }
    Section::new("Standings").add(table).add(cross)
}

fn ends(summary: &Summary) -> Section {
    let mut ends: Vec<(&String, &u64)> = summary.ends.iter().collect();
    ends.sort_by(|a, b| b.1.cmp(a.1));
    let mut chart = BarChart::new("Games by their end");
    for (end, count) in ends {
        chart = chart.bar(end.clone(), *count as f64, grouped(*count));
    }
    let white = &summary.white;
    Section::new("How the games ended").add(chart).text(format!(
        "White won {}, Black won {}, {} were drawn.",
        grouped(white.wins),
        grouped(white.losses),
        grouped(white.draws)
    ))
}

fn engines(summary: &Summary) -> Section {
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
        Column::number("Crashes"),
        Column::number("Hangs"),
        Column::number("Time losses"),
        Column::number("Illegal moves"),
        Column::number("Illegal PVs"),
        Column::number("Illegal table moves"),
    ];
    let mut table = Table::new("Engines", columns);
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
            },
            engine.fault(FaultKind::Crash),
            engine.fault(FaultKind::Hang),
            engine.fault(FaultKind::TimeLoss),
            engine.fault(FaultKind::IllegalMove),
            engine.fault(FaultKind::BadPv),
            engine.fault(FaultKind::TableMove)
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
    let section = Section::new(title).add(table);
    if summary.engines.iter().any(|e| e.latency.moves > 0) { section.add(chart) } else { section }
}

/// The machines that played, with the factor on their time limits.
fn workers(summary: &Summary) -> Option<Section> {
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

fn faults(summary: &Summary) -> Option<Section> {
    if summary.faults.is_empty() {
        return None;
    }
    let columns = [
        Column::number("Game"),
        Column::text("Engine"),
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
