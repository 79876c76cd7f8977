//! The battery as a page.

use super::{findings, headline, title};
use crate::html::{Cell, Code, Column, Details, Html, Page, Section, Table, Tiles};
use crate::number;
use crate::{Verdict, cells};
use dyno_trials::regress::{Case, RegressResult, Step};
use std::time::Duration;

/// The page of a battery.
#[must_use]
pub fn page(result: &RegressResult) -> String {
    let (verdict, text) = headline(result);
    let word = match verdict {
        Verdict::Fail => "FAILED",
        Verdict::Warn => "PASSED with warnings",
        Verdict::Pass | Verdict::Skip => "PASSED",
    };
    let word = if result.interrupted { "INTERRUPTED" } else { word };
    let mut page = Page::new(format!("Battery of {}", result.engine.name))
        .command("regress")
        .verdict(verdict, format!("{word}: {text}"))
        .fact("Engine", result.engine.name.clone())
        .fact("Time", number::duration(result.header.elapsed()))
        .run(&result.header);
    if let Some(hash) = &result.engine.file_hash {
        page = page.fact("File checksum", hash);
    }
    if let Some(baseline) = &result.baseline {
        page = page.fact("Baseline", baseline);
    }
    let count = |verdict| result.count(verdict).to_string();
    let tiles = Tiles::new()
        .tile("Steps", result.steps.len().to_string(), "")
        .tile("Failed", count(Verdict::Fail), "")
        .tile("With warnings", count(Verdict::Warn), "")
        .tile("Passed", count(Verdict::Pass), "");
    page.add(tiles)
        .section(steps(result))
        .section_if(wanting(result))
        .section(every_case(result))
        .render()
}

fn steps(result: &RegressResult) -> Section {
    let columns = [
        Column::text("Step"),
        Column::choice("Verdict"),
        Column::text("Result"),
        Column::number("Time"),
    ];
    let row = |step: &Step| {
        let time = Duration::from_secs_f64(step.seconds.max(0.0));
        cells![title(step), step.verdict, &step.summary, time]
    };
    Section::new("Steps").add(Table::new("Steps", columns).rows(result.steps.iter().map(row)))
}

/// What failed or warns, with its evidence.
fn wanting(result: &RegressResult) -> Option<Section> {
    let cases = result.steps.iter().flat_map(|step| findings(step).map(move |case| (step, case)));
    let mut section = Section::new("Findings");
    let mut any = false;
    for (step, case) in cases {
        any = true;
        section = section.add(finding(step, case));
    }
    any.then_some(section)
}

fn finding(step: &Step, case: &Case) -> Details {
    let name = format!(" {} · {}: {}", title(step), case.id, case.summary);
    let details = Details::new(Html::from(case.verdict).and(name));
    let shown = case.shown(usize::MAX);
    match shown.is_empty() {
        true => details.text("No further evidence.").open(),
        false => details.add(Code::new(shown.join("\n")).label("Evidence")).open(),
    }
}

fn every_case(result: &RegressResult) -> Section {
    let columns = [
        Column::choice("Step"),
        Column::text("Case"),
        Column::choice("Verdict"),
        Column::text("Result"),
    ];
    let rows = result.steps.iter().flat_map(|step| {
        let row = |case: &Case| -> Vec<Cell> {
            cells![title(step), &case.id, case.verdict, &case.summary].into()
        };
        step.cases.iter().map(row).collect::<Vec<_>>()
    });
    Section::new("Every case").add(Table::new("Cases", columns).rows(rows))
}
