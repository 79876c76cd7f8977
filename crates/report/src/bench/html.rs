//! The page: signature and speed as tiles, speed by run and by position, every figure in a table.

use super::{compared, duration, percent_change, signature, speed, speeds, trouble, verdict};
use crate::Verdict;
use crate::cells;
use crate::html::{
    BarChart, Cell, Code, Column, Html, LineChart, Note, Page, Section, Series, Table, Tiles,
};
use crate::number;
use dyno_trials::bench::{BenchResult, Comparison, EngineBench};

/// The page of a bench; `history` are earlier benches of the same kind, oldest first.
#[must_use]
pub fn page(result: &BenchResult, comparisons: &[Comparison], history: &[BenchResult]) -> String {
    let names: Vec<&str> = result.engines.iter().map(|e| e.engine.name.as_str()).collect();
    let mut page = Page::new(format!("Bench of {}", names.join(", ")))
        .command("bench")
        .fact("Positions", result.source.as_str())
        .fact("Limit", result.limit_text())
        .fact("Runs", result.runs.to_string())
        .fact("Time", duration(result.header.seconds * 1e3))
        .run(&result.header);
    if let Some((verdict, text)) = headline(result) {
        page = page.verdict(verdict, text);
    }
    for engine in &result.engines {
        let options = engine.engine.options.iter().map(|(name, value)| format!("{name}={value}"));
        let line = std::iter::once(engine.engine.name.clone()).chain(options).collect::<Vec<_>>();
        page = page.fact("Engine", line.join(", "));
        if let Some(hash) = &engine.engine.file_hash {
            page = page.fact("File checksum", hash);
        }
    }
    if result.interrupted {
        page = page.add(Note::new(Verdict::Warn, "Interrupted: only the searches done so far."));
    }
    for warning in &result.warnings {
        page = page.add(Note::new(Verdict::Warn, warning.as_str()));
    }
    for engine in &result.engines {
        page = page.add(tiles(engine, result));
        if !engine.trouble.is_empty() {
            let text = format!("{}: {}", engine.engine.name, engine.trouble);
            page = page.add(Note::new(Verdict::Fail, text));
        }
    }
    page.section_if(ratios(result))
        .section_if(earlier(comparisons))
        .section_if(by_run(result))
        .section_if(over_time(result, history))
        .section_if(by_position(result))
        .section(figures(result))
        .render()
}

/// Who is faster, where several ran; the speed otherwise.
fn headline(result: &BenchResult) -> Option<(Verdict, String)> {
    let name = |index: usize| result.engines[index].engine.name.as_str();
    if let Some(ratio) = result.ratios.first() {
        let judged = match (ratio.is_certain(), ratio.ratio.mean > 1.0) {
            (true, true) => Verdict::Pass,
            (true, false) => Verdict::Fail,
            (false, _) => Verdict::Skip,
        };
        return Some((judged, verdict(ratio, name(ratio.base), name(ratio.engine))));
    }
    let engine = result.engines.first()?;
    let median = number::fixed(engine.speed.as_ref()?.median, 0);
    Some((Verdict::Skip, format!("{}: {median} nodes per second", engine.engine.name)))
}

fn tiles(engine: &EngineBench, result: &BenchResult) -> Tiles {
    let mut tiles = Tiles::new();
    let name = engine.engine.name.as_str();
    match &engine.speed {
        Some(spread) => {
            let remark = format!("{name}: nodes per second. {}", speeds(spread));
            tiles = tiles.tile("Speed", speed(spread.median), remark);
        }
        None => {
            tiles = tiles.tile("Speed", "–", format!("{name}: no complete run that tells nodes"))
        }
    }
    if result.has_signature() {
        let text = signature(engine);
        let (value, remark) = text.split_once(" (").unwrap_or(("none", &text));
        tiles = tiles.tile("Signature", value, remark.trim_end_matches(')'));
    }
    if let Some(last) = engine.runs.iter().rev().find(|run| run.complete) {
        tiles = tiles.tile("Time of a run", duration(last.time_ms), "sum over the positions");
    }
    tiles
}

fn ratios(result: &BenchResult) -> Option<Section> {
    if result.ratios.is_empty() {
        return None;
    }
    let mut section = Section::new("Which is faster");
    for ratio in &result.ratios {
        let name = |index: usize| result.engines[index].engine.name.as_str();
        section = section.text(verdict(ratio, name(ratio.base), name(ratio.engine)));
    }
    Some(section.text(
        "The engines took turns on every position, so that a slow phase of the machine met both.",
    ))
}

fn earlier(comparisons: &[Comparison]) -> Option<Section> {
    if comparisons.is_empty() {
        return None;
    }
    let rows = comparisons.iter().map(|c| {
        let lines = compared(c);
        let change = c.ratio.as_ref().map(percent_change).unwrap_or_default();
        cells![&c.engine, &c.earlier, &lines[0], &lines[1], change]
    });
    let columns = [
        Column::text("Engine"),
        Column::text("Earlier"),
        Column::text("Signature"),
        Column::text("Speed"),
        Column::text("Change (95 %)"),
    ];
    Some(
        Section::new("Against the earlier bench")
            .add(Table::new("Now and then", columns).rows(rows)),
    )
}

fn by_run(result: &BenchResult) -> Option<Section> {
    if result.engines.iter().all(|e| e.runs.len() < 2) {
        return None;
    }
    let mut chart = LineChart::new("Nodes per second in each run").x("run").y("nodes per second");
    for engine in &result.engines {
        let points = engine.runs.iter().enumerate().filter(|(_, run)| run.complete);
        let points = points.filter_map(|(index, run)| Some((index as f64 + 1.0, run.nps?)));
        chart = chart.series(Series::new(engine.engine.name.as_str(), points));
    }
    Some(Section::new("Run by run").add(chart))
}

fn over_time(result: &BenchResult, history: &[BenchResult]) -> Option<Section> {
    if history.is_empty() {
        return None;
    }
    let mut chart = LineChart::new("Nodes per second over time").x("bench").y("nodes per second");
    for engine in &result.engines {
        let name = engine.engine.name.as_str();
        let all = history.iter().chain([result]).enumerate();
        let points: Vec<(f64, f64)> = all
            .filter_map(|(index, bench)| {
                let same = bench.engines.iter().find(|e| e.engine.name == name)?;
                Some((index as f64 + 1.0, same.speed?.median))
            })
            .collect();
        chart = chart.series(Series::new(name, points));
    }
    let count = number::count(history.len());
    let text =
        format!("The {count} earlier benches of the same kind in the history, then this one.");
    Some(Section::new("History").text(text).add(chart))
}

fn by_position(result: &BenchResult) -> Option<Section> {
    if result.positions.len() < 2 {
        return None;
    }
    let speeds = |index: usize| result.engines.iter().map(move |e| e.median_nps(index));
    let full = (0..result.positions.len()).flat_map(speeds).flatten().fold(0.0, f64::max);
    if full <= 0.0 {
        return None;
    }
    let mut chart = BarChart::new("Nodes per second on each position").full(full);
    if result.engines.len() > 1 {
        chart = chart.series(result.engines.iter().map(|e| e.engine.name.clone()));
    }
    for (index, position) in result.positions.iter().enumerate() {
        let bars = speeds(index)
            .map(|nps| nps.map_or((0.0, "–".to_owned()), |nps| (nps, number::compact(nps))));
        chart = chart.bars(position.id.as_str(), bars.collect::<Vec<_>>());
    }
    Some(Section::new("Position by position").add(chart))
}

fn figures(result: &BenchResult) -> Section {
    let columns = [
        Column::choice("Engine"),
        Column::number("#"),
        Column::text("Position"),
        Column::number("Depth"),
        Column::number("Nodes"),
        Column::number("Time"),
        Column::number("Speed"),
        Column::code("Best move"),
        Column::text("Remark"),
    ];
    let mut table = Table::new("All positions: the last nodes, the median time and speed", columns);
    for engine in &result.engines {
        for (index, position) in result.positions.iter().enumerate() {
            let last = engine.of_position(index).last();
            let nps = engine.median_nps(index);
            let ms = engine.median_ms(index);
            let mut remark = last.map(|m| m.trouble.clone()).unwrap_or_default();
            if remark.is_empty() {
                remark = last.map(trouble).unwrap_or("not searched").to_owned();
            }
            if engine.unsteady.contains(&index) {
                remark = format!("differs from run to run {remark}");
            }
            table = table.row(cells![
                &engine.engine.name,
                index as u64 + 1,
                &position.id,
                last.and_then(|m| m.depth),
                last.and_then(|m| m.nodes),
                ms.map(|ms| Cell::number(ms, duration(ms))),
                nps.map(|nps| Cell::number(nps, speed(nps))),
                last.map(|m| m.best.clone()).unwrap_or_default(),
                remark
            ]);
        }
    }
    let fens: Vec<String> =
        result.positions.iter().filter(|p| !p.fen.is_empty()).map(|p| p.fen.clone()).collect();
    let mut section = Section::new("The figures").add(table);
    if !fens.is_empty() {
        let code: Html = Code::new(fens.join("\n")).label("The positions").into();
        section = section.add(crate::html::Details::new("The positions").add(code));
    }
    section
}
