//! The history as pages, for a server: lists, one run, two runs side by side, a figure over time.

use super::{Comparison, engines, value, when};
use crate::Verdict;
use crate::cells;
use crate::export::{Exporter as _, HtmlExporter};
use crate::html::{
    Cell, Column, Facts, Html, LineChart, Note, Page, Section, Series as Line, Table, badge,
    extended,
};
use crate::number;
use crate::saved::SavedResult;
use dyno_store::{Build, Ending, Measure, Run, Series};
use std::time::Duration;

/// Charts of one figure that fit a page; the rest is a matter of choosing.
const MOST_CHARTS: usize = 12;
/// Points of a series that are listed.
const MOST_POINTS: usize = 200;

/// Where a run has its page.
fn link(run: &Run, label: impl Into<Html>) -> Html {
    Html::link(label, &format!("/run/{}", run.id))
}

fn verdict(ending: Ending) -> Verdict {
    match ending {
        Ending::Passed => Verdict::Pass,
        Ending::Failed => Verdict::Fail,
        Ending::Interrupted => Verdict::Warn,
        Ending::Error => Verdict::Fail,
    }
}

/// Runs with something in common, the latest first.
#[must_use]
pub fn found(runs: &[Run], text: &str) -> String {
    let page = Page::new(format!("Runs with {text}")).command("serve");
    match runs.is_empty() {
        true => page.add(Note::new(Verdict::Skip, "No run has it.")).render(),
        false => page.add(run_table(runs)).render(),
    }
}

/// All runs, the latest first, under those that go on: name, kind, title and how far each is.
#[must_use]
pub fn list(runs: &[Run], going_on: &[[&str; 4]]) -> String {
    let page = Page::new("Runs").command("serve").section(running(going_on));
    if runs.is_empty() {
        let text = "No run is recorded yet: every dyno check, suite, mate, match, bench … will be.";
        let note = Note::new(Verdict::Skip, text);
        return page.section(Section::new("Finished").add(note)).render();
    }
    let page = page.section(Section::new("Finished").add(run_table(runs)));
    page.section(Section::new("Compare two runs").add(choose_two(runs))).render()
}

fn run_table(runs: &[Run]) -> Table {
    let columns = [
        Column::number("When (UTC)"),
        Column::choice("Kind"),
        Column::choice("Ended"),
        Column::text("What"),
        Column::text("Engines"),
        Column::text("Figures"),
        Column::number("Took"),
    ];
    let mut table = Table::new("Finished runs, the latest first", columns);
    for run in runs {
        table = table.row(cells![
            Cell::number(run.started_ms as f64, link(run, when(run.started_ms))),
            run.kind.as_str(),
            ended(run),
            run.title.as_str(),
            engines(run),
            figures(run),
            took(run)
        ]);
    }
    table
}

fn ended(run: &Run) -> Html {
    let ended = match run.ending {
        Ending::Passed | Ending::Failed => badge(verdict(run.ending)),
        Ending::Interrupted | Ending::Error => Html::text(run.ending.name()),
    };
    ended.and(if run.baseline { " ★" } else { "" })
}

fn took(run: &Run) -> Duration {
    Duration::from_millis(u64::try_from(run.elapsed_ms).unwrap_or_default())
}

/// The first figures of a run, in a few words.
fn figures(run: &Run) -> String {
    const SHOWN: usize = 3;
    let one = |m: &Measure| format!("{} {}", m.metric, number::figure(m.value));
    run.measures.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ")
}

fn choose_two(runs: &[Run]) -> Html {
    const OFFERED: usize = 200;
    let option = |run: &Run| {
        let text = format!("{} {}: {}", when(run.started_ms), run.kind, run.title);
        format!("<option value=\"{}\">{}</option>", run.id, Html::text(text))
    };
    let options: String = runs.iter().take(OFFERED).map(option).collect();
    Html::trusted(format!(
        "<form class=\"filters\" action=\"/compare\"><label>Earlier<select name=\"a\">{options}</select></label>\
         <label>Later<select name=\"b\">{options}</select></label>\
         <button class=\"control\">Compare</button></form>"
    ))
}

/// One run: the page that its command writes, where there is one, and what the history knows of it.
#[must_use]
pub fn run(run: &Run) -> String {
    let detail = run.detail.as_ref().map(ToString::to_string);
    let saved = detail.and_then(|text| SavedResult::read(&text).ok());
    let page = saved.and_then(|saved| HtmlExporter.export(&saved));
    extended(&page.unwrap_or_else(|| plain_run(run)), &record(run))
}

fn plain_run(run: &Run) -> String {
    let mut page = Page::new(run.title.as_str())
        .command(run.kind.as_str())
        .verdict(verdict(run.ending), run.ending.name());
    if run.detail.is_none() {
        let text = "Its details have been pruned; the figures stay.";
        page = page.add(Note::new(Verdict::Skip, text));
    }
    page.render()
}

/// Which run it is, of which builds, and its figures with the way to their trends.
fn record(run: &Run) -> Section {
    let machine = &run.machine;
    let star = if run.baseline { ", the baseline of its plan ★" } else { "" };
    let mut facts = Facts::new()
        .fact("Run", Html::code(run.id.short()))
        .fact("Ended", format!("{}, exit code {}{star}", run.ending.name(), run.exit_code))
        .fact("When", format!("{} UTC, {}", when(run.started_ms), number::duration(took(run))))
        .fact("Plan", Html::code(run.plan_hash()))
        .fact("Machine", format!("{} {}, {} cores", machine.name, machine.cpu, machine.cores))
        .fact("Dyno", run.dyno.as_str());
    for part in &run.builds {
        facts = facts.fact(part.name.as_str(), build_line(&part.build));
    }
    for artefact in &run.artefacts {
        facts = facts.fact(artefact.kind.as_str(), Html::code(&artefact.path));
    }
    let columns = [
        Column::text("Figure"),
        Column::text("Of"),
        Column::number("Value, 95 % interval"),
        Column::number("n"),
    ];
    let mut table = Table::new("Figures, each with its trend", columns);
    for measure in &run.measures {
        table = table.row(cells![
            trend_link(&measure.metric, &measure.subject),
            measure.subject.as_str(),
            Cell::number(measure.value, value(measure)),
            measure.n
        ]);
    }
    let section = Section::new("In the history").add(facts);
    if table.is_empty() { section } else { section.add(table) }
}

fn build_line(build: &Build) -> String {
    let mut line = build.uci_name.clone();
    if !build.commit.is_empty() {
        line += &format!(", commit {} on {}", build.label(), build.branch);
    }
    if let Some(nodes) = build.signature {
        line += &format!(", bench {nodes}");
    }
    line + &format!(", file {}", build.file_hash)
}

fn trend_link(metric: &str, subject: &str) -> Html {
    let subject = match subject {
        "" => String::new(),
        subject => format!("&subject={}", in_query(subject)),
    };
    Html::link(metric, &format!("/trends?metric={}{subject}", in_query(metric)))
}

/// A text as a part of an address.
fn in_query(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric();
    text.bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// The figures that can be followed, and one of them over time.
#[must_use]
pub fn trends(metrics: &[(String, u64)], metric: Option<&str>, series: &[Series]) -> String {
    let mut page =
        Page::new(metric.map_or("Trends".to_owned(), |metric| format!("Trend: {metric}")))
            .command("serve");
    let Some(metric) = metric else {
        let mut table = Table::new("Figures", [Column::text("Figure"), Column::number("Runs")]);
        for (metric, runs) in metrics {
            table = table.row(cells![trend_link(metric, ""), *runs]);
        }
        let text = "Each figure over time, of runs with the same plan on the same machine.";
        return page.lead(text).add(table).render();
    };
    if series.is_empty() {
        return page.add(Note::new(Verdict::Skip, "No finished run has this figure.")).render();
    }
    if series.len() > MOST_CHARTS {
        page = page.lead(format!(
            "{} series; the {MOST_CHARTS} with the latest runs are shown.",
            number::count(series.len())
        ));
    }
    for one in series.iter().take(MOST_CHARTS) {
        page = page.section(trend(metric, one));
    }
    page.render()
}

fn trend(metric: &str, series: &Series) -> Section {
    let points = || series.points.iter().enumerate().map(|(at, point)| (at as f64 + 1.0, point));
    let line = points().map(|(at, point)| (at, point.value));
    let band = points().filter_map(|(at, p)| p.interval.map(|(low, high)| (at, low, high)));
    let subject = if series.subject.is_empty() { &series.kind } else { &series.subject };
    let mut chart = LineChart::new(format!("{metric} of {subject}"))
        .x("run")
        .y(metric)
        .series(Line::new(metric, line).band(band));
    if let Some(corrected) = series.corrected() {
        let line = (1..).zip(corrected).map(|(at, value)| (f64::from(at), value));
        chart = chart.series(Line::new("at the machine's usual speed", line));
    }
    let mut section = Section::new(format!("{subject}, {}", series.kind)).text(format!(
        "Plan {}, on {} {}.",
        series.plan_hash, series.machine.name, series.machine.cpu
    ));
    for change in &series.changes {
        let Some(point) = series.points.get(change.at) else { continue };
        let build = if point.build.is_empty() { "an unknown build" } else { &point.build };
        let by = format!("{} % at ", number::signed(100.0 * change.relative(), 1));
        let run = Html::link(build, &format!("/run/{}", point.run));
        let since = format!(" ({}, run {})", when(point.started_ms), change.at + 1);
        section = section.add(Note::new(Verdict::Warn, Html::text(by).and(run).and(since)));
        chart = chart.mark(change.at as f64 + 1.0, build);
    }
    let columns = [
        Column::number("Run"),
        Column::number("When (UTC)"),
        Column::code("Build"),
        Column::number("Value"),
        Column::number("Low"),
        Column::number("High"),
    ];
    let mut table = Table::new(format!("{metric} of {subject}"), columns);
    for (at, point) in series.points.iter().enumerate().rev().take(MOST_POINTS) {
        let link = Html::link(when(point.started_ms), &format!("/run/{}", point.run));
        table = table.row(cells![
            at as u64 + 1,
            Cell::number(point.started_ms as f64, link),
            point.build.as_str(),
            point.value,
            point.interval.map(|(low, _)| low),
            point.interval.map(|(_, high)| high)
        ]);
    }
    // One point is no trend.
    if series.points.len() > 1 {
        section = section.add(chart);
    }
    section.add(table)
}

/// Two runs side by side.
#[must_use]
pub fn compare(comparison: &Comparison<'_>) -> String {
    let mut page = Page::new("Two runs compared").command("serve");
    for (label, run) in [("A", comparison.a), ("B", comparison.b)] {
        let text = format!("{} {}: {}", when(run.started_ms), run.title, engines(run));
        page = page.fact(label, link(run, text));
    }
    for doubt in &comparison.doubts {
        page = page.add(Note::new(Verdict::Warn, doubt.as_str()));
    }
    let columns = [
        Column::text("Figure"),
        Column::text("Of"),
        Column::number("A"),
        Column::number("B"),
        Column::number("Change"),
        Column::choice("Intervals"),
    ];
    let mut table = Table::new("Figures of both", columns);
    for figure in &comparison.figures {
        let (a, b) = (&figure.a, &figure.b);
        let change = figure.ratio.map_or(b.value - a.value, |ratio| ratio - 1.0);
        let by = if figure.corrected { ", by the machine's speed" } else { "" };
        let text = figure.words() + by;
        let clear = match (figure.is_clear, a.low.is_some()) {
            (true, true) => "apart",
            (false, true) => "overlap",
            (true, false) => "another value",
            (false, false) => "the same value",
        };
        table = table.row(cells![
            trend_link(&a.metric, &a.subject),
            a.subject.as_str(),
            Cell::number(a.value, value(a)),
            Cell::number(b.value, value(b)),
            Cell::number(change, text),
            clear
        ]);
    }
    let figures = Section::new("Figures");
    page = page.section(match table.is_empty() {
        true => figures.text("They have no figure in common."),
        false => figures.add(table),
    });
    if !comparison.outcomes.is_empty() {
        let columns = [Column::text("What"), Column::choice("A"), Column::choice("B")];
        let mut table = Table::new("What came out differently", columns);
        for change in &comparison.outcomes {
            table = table.row(cells![change.name.as_str(), change.a.as_str(), change.b.as_str()]);
        }
        page = page.section(Section::new("What changed").add(table));
    }
    page.render()
}

/// Every build that was measured.
#[must_use]
pub fn builds(builds: &[(Build, u64)]) -> String {
    let columns = [
        Column::text("Engine"),
        Column::code("Commit"),
        Column::text("Branch"),
        Column::number("Bench"),
        Column::code("File"),
        Column::number("Runs"),
    ];
    let mut table = Table::new("Builds, the latest measured first", columns);
    for (build, runs) in builds {
        let commit = if build.commit.is_empty() { String::new() } else { build.label() };
        let all = Html::link(number::grouped(*runs), &format!("/?text={}", build.file_hash));
        table = table.row(cells![
            build.uci_name.as_str(),
            commit,
            build.branch.as_str(),
            build.signature,
            build.file_hash.as_str(),
            Cell::number(*runs as f64, all)
        ]);
    }
    let page = Page::new("Engines and their builds").command("serve");
    match table.is_empty() {
        true => page.add(Note::new(Verdict::Skip, "No build was measured yet.")).render(),
        false => page.add(table).render(),
    }
}

fn running(heads: &[[&str; 4]]) -> Section {
    let section = Section::new("Running");
    if heads.is_empty() {
        return section.text("Nothing runs at the moment.");
    }
    let mut facts = Facts::new();
    for [id, kind, title, line] in heads {
        let name = Html::link(*title, &format!("/live/{id}"));
        facts = facts.fact(*kind, name.and(format!(": {line}")));
    }
    section.add(facts)
}
