//! A match as a page.

use super::lines::{all_one_way, elo, sprt_line};
use super::tables;
use crate::Verdict;
use crate::html::{BarChart, ColumnChart, LineChart, Note, Page, Section, Series, Tiles};
use crate::number::{duration, fixed, grouped, signed};
use crate::statistics::unit;
use dyno_stats::SprtVerdict;
use dyno_tournament::{Ending, Summary, TracePoint, Versus, pgn::limits_text};

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
        .section_if((summary.engines.len() > 2).then(|| tables::standings(summary)))
        .section(ends(summary))
        .section(tables::engines(summary))
        .section_if(tables::workers(summary))
        .section_if(tables::faults(summary))
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
    let one_way = all_one_way(&summary.duel()?.tally).filter(|_| adjusted.is_none());
    let difference = match one_way {
        Some(infinite) => infinite.to_owned(),
        None => format!("{} [{}, {}]", signed(elo, 0), fixed(low, 0), fixed(high, 0)),
    };
    let text = format!("{} {strength}, {difference}", first.name);
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
    let unit = summary.header.plan.sprt.as_ref().map_or("Elo", |asked| unit(asked.model));
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
            "H0: {} {unit}, H1: {} {unit}. Pairs are counted in scheduled order.",
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

/// The heights that the settled part of a match takes: its beginning, which says little, would
/// flatten the rest of the picture, and is drawn as far as it fits.
fn settled(trace: &[TracePoint]) -> (f64, f64) {
    let last = trace.last().map_or(0, |p| p.games);
    let points = trace.iter().filter(|p| p.games * 5 >= last);
    points.fold((0.0, 0.0), |(low, high): (f64, f64), p| (low.min(p.low), high.max(p.high)))
}

fn course(summary: &Summary, duel: &Versus) -> Section {
    let name = &summary.engines[0].name;
    let (low, high) = settled(&summary.trace);
    let within = |value: f64| value.clamp(low, high);
    let points = summary.trace.iter().map(|p| (p.games as f64, within(p.elo)));
    let band = summary.trace.iter().map(|p| (p.games as f64, within(p.low), within(p.high)));
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

fn ends(summary: &Summary) -> Section {
    let mut ends: Vec<(&String, &u64)> = summary.ends.iter().collect();
    ends.sort_by(|a, b| b.1.cmp(a.1));
    let mut chart = BarChart::new("Games by their end");
    for (end, count) in ends {
        chart = chart.bar(end.clone(), *count as f64, grouped(*count));
    }
    let white = &summary.white;
    Section::new("How the games ended")
        .add(chart)
        .text(format!(
            "White won {}, Black won {}, {} were drawn.",
            grouped(white.wins),
            grouped(white.losses),
            grouped(white.draws)
        ))
        .add(tables::ends_by_engine(summary))
}
