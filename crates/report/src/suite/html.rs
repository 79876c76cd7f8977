//! The page: totals, themes as bars, every miss as a board with both moves drawn.

use super::{correct, engine_line, has_themes, limit, misses, points};
use crate::Verdict;
use crate::cells;
use crate::html::{BarChart, Column, Details, Html, Note, Page, Section, Table, Tiles};
use crate::number;
use dyno_trials::suite::{EngineResult, PositionResult, SuiteResult};
use std::time::Duration;

/// The page of a run; `misses` are drawn in the order given.
#[must_use]
pub fn page(result: &SuiteResult, misses: &[PositionResult]) -> String {
    let suites = result.suites.join(", ");
    let names = result.engines.iter().map(|e| e.engine.name.as_str()).collect::<Vec<_>>();
    let elapsed = result.header.elapsed();
    let short = |suite: &String| {
        let file = std::path::Path::new(suite).file_stem();
        file.map_or_else(|| suite.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let titles = result.suites.iter().map(short).collect::<Vec<_>>().join(", ");
    let mut page = Page::new(format!("{} on {titles}", names.join(", ")))
        .command("suite")
        .fact("Suite", suites)
        .fact("Limit", limit(result))
        .fact("Time", number::duration(elapsed))
        .run(&result.header)
        .verdict(worst(result), headline(result));
    if let Some(seed) = result.header.seed {
        page = page.fact("Random order, seed", seed.to_string());
    }
    for engine in &result.engines {
        page = page.fact("Engine", engine_line(engine));
        if let Some(hash) = &engine.engine.file_hash {
            page = page.fact("File checksum", hash);
        }
    }
    if result.interrupted {
        page = page.add(Note::new(Verdict::Warn, "Interrupted: only the positions done so far."));
    }
    let several = result.engines.len() > 1;
    for engine in &result.engines {
        page = page.add(tiles(engine, several));
        page = trouble(engine).into_iter().fold(page, Page::add);
    }
    page.section_if(themes(result))
        .section_if(misses::section(result, misses))
        .section_if(defects(result))
        .section_if(findings(result))
        .render()
}

/// `My engine: 254 / 300 (84.7%)`, every engine.
fn headline(result: &SuiteResult) -> String {
    let score = |engine: &EngineResult| {
        let points = points(engine).map(|points| format!(", {points} points"));
        format!("{}: {}{}", engine.engine.name, correct(engine), points.unwrap_or_default())
    };
    result.engines.iter().map(score).collect::<Vec<_>>().join("; ")
}

/// A score is neither good nor bad by itself; an engine that fails is.
fn worst(result: &SuiteResult) -> Verdict {
    let fails = result.engines.iter().any(|engine| trouble(engine).is_some());
    if fails { Verdict::Fail } else { Verdict::Skip }
}

fn tiles(engine: &EngineResult, several: bool) -> Tiles {
    let totals = &engine.totals;
    let name = if several { engine.engine.name.clone() } else { "Correct".to_owned() };
    let (main, remark) = split_percent(&correct(engine));
    let mut tiles = Tiles::new().tile(name, main, remark);
    if let Some(points) = points(engine) {
        let (main, remark) = split_percent(&points);
        tiles = tiles.tile("Points", main, remark);
    }
    if let Some(rating) = &engine.sts_rating {
        tiles = tiles.tile(
            "STS rating estimate",
            format!("{} Elo", rating.elo),
            rating.conditions.clone(),
        );
    }
    if let Some(reason) = &engine.no_sts_rating {
        tiles = tiles.tile("STS rating estimate", "none", reason.clone());
    }
    if let Some(ms) = totals.mean_solved_ms() {
        let depth = totals.mean_solved_depth().map(|d| format!("at depth {d:.1}"));
        let time = number::duration(Duration::from_secs_f64(ms / 1e3));
        tiles = tiles.tile("Mean time to solution", time, depth.unwrap_or_default());
    }
    if totals.unscored > 0 {
        tiles = tiles.tile("Not scored", totals.unscored.to_string(), "no solution to judge by");
    }
    tiles
}

/// `254 / 300 (84.7%)` as the figure and its remark.
fn split_percent(text: &str) -> (String, String) {
    match text.split_once(" (") {
        Some((main, rest)) => (main.to_owned(), rest.trim_end_matches(')').to_owned()),
        None => (text.to_owned(), String::new()),
    }
}

fn trouble(engine: &EngineResult) -> Option<Note> {
    let totals = &engine.totals;
    let kinds: Vec<String> = [
        (totals.crashes, "crashes"),
        (totals.timeouts, "timeouts"),
        (totals.illegal, "illegal moves"),
        (totals.no_move, "positions without a move"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    let text = format!("{}: {}", engine.engine.name, kinds.join(", "));
    (!kinds.is_empty()).then(|| Note::new(Verdict::Fail, text))
}

fn themes(result: &SuiteResult) -> Option<Section> {
    let first = result.engines.first().filter(|e| has_themes(e))?;
    let has_points = first.totals.max_points > 0;
    let what = if has_points { "Points by theme" } else { "Right answers by theme" };
    let several = result.engines.len() > 1;
    let mut chart = BarChart::new(what).full(100.0);
    if several {
        chart = chart.series(result.engines.iter().map(|e| e.engine.name.clone()));
    }
    let mut table = Table::new(
        "By theme",
        [
            Column::text("Engine"),
            Column::text("Theme"),
            Column::number("Correct"),
            Column::number("Points"),
            Column::number("Mean time to solution"),
        ],
    );
    for theme in &first.themes {
        let name = if theme.theme.is_empty() { "(none)" } else { &theme.theme };
        let mut bars = Vec::new();
        for engine in &result.engines {
            let totals = engine.themes.iter().find(|t| t.theme == theme.theme).map(|t| &t.totals);
            let share =
                totals.and_then(|t| if has_points { t.points_percent() } else { t.percent() });
            let share = share.unwrap_or(0.0);
            bars.push((share, format!("{share:.1} %")));
            if let Some(totals) = totals {
                let solved = totals.mean_solved_ms().map(|ms| Duration::from_secs_f64(ms / 1e3));
                let points = has_points.then(|| format!("{}/{}", totals.points, totals.max_points));
                table = table.row(cells![
                    &engine.engine.name,
                    name,
                    format!("{}/{}", totals.correct, totals.scored),
                    points.unwrap_or_default(),
                    solved
                ]);
            }
        }
        chart = chart.bars(name, bars);
    }
    Some(Section::new("Themes").add(chart).add(Details::new("The figures").add(table)))
}

fn defects(result: &SuiteResult) -> Option<Section> {
    if result.defect_count + result.ignored_count == 0 {
        return None;
    }
    let columns = [
        Column::text("Suite"),
        Column::number("Line"),
        Column::text("Id"),
        Column::text("Reason"),
        Column::code("Offending part"),
        Column::text("Left out"),
    ];
    let rows = result.defects.iter().map(|d| {
        let left_out = if d.kept { "that part" } else { "the line" };
        cells![&d.suite, d.line_no, &d.id, &d.reason, &d.token, left_out]
    });
    let lines = number::plural(result.defect_count, "line was", "lines were");
    let parts = number::plural(result.ignored_count, "part of a line was", "parts of lines were");
    Some(
        Section::new("Defects of the suite")
            .text(format!("{lines} left out, {parts} ignored; the rest was run."))
            .add(Table::new("Defects", columns).rows(rows)),
    )
}

fn findings(result: &SuiteResult) -> Option<Section> {
    let rows: Vec<_> = result
        .engines
        .iter()
        .flat_map(|engine| engine.findings.examples().iter().map(move |f| (engine, f)))
        .map(|(engine, f)| {
            cells![&engine.engine.name, f.deviation.to_string(), Html::code(&f.line)]
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [Column::text("Engine"), Column::text("Deviation"), Column::text("Line")];
    Some(
        Section::new("Deviations from the protocol")
            .add(Table::new("The first of each kind", columns).rows(rows)),
    )
}
