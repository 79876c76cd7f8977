//! The page: the verdict, the parameters in a table, each one's path with what chance would do.

use super::{openbench, setoptions, terminal, value};
use crate::Verdict;
use crate::cells;
use crate::html::{Code, Column, LineChart, Note, Page, Section, Series, Table, Tiles};
use crate::number;
use dyno_stats::SprtVerdict;
use dyno_tournament::tune::{Parameter, Signal, TuneResult};

/// The page of a tuning.
#[must_use]
pub fn page(result: &TuneResult) -> String {
    let engine = result.header.engines.first();
    // Its two entries are called after their sides.
    let engine = engine.map_or("", |engine| engine.id.as_deref().unwrap_or(&engine.name));
    let mut page = Page::new(format!("Tuning of {engine}"))
        .command("tune")
        .fact("Pairs", number::grouped(result.tuning.pairs))
        .fact("Iterations", number::grouped(result.tuning.iterations()))
        .fact("Seed", result.tuning.seed.to_string())
        .run(&result.header);
    if let Some(proof) = &result.proof {
        let judged = match proof.sprt.verdict {
            SprtVerdict::AcceptH1 => Verdict::Pass,
            SprtVerdict::AcceptH0 => Verdict::Fail,
            SprtVerdict::Continue => Verdict::Warn,
        };
        page = page.verdict(judged, terminal::verdict(proof));
    } else {
        let text = "Not proved yet: no match of the tuned values against the ones at the start.";
        page = page.verdict(Verdict::Warn, text);
    }
    if result.interrupted {
        let text = format!("Interrupted after {} iterations.", number::grouped(result.applied));
        page = page.add(Note::new(Verdict::Warn, text));
    }
    let silent = result.parameters.iter().filter(|p| p.signal == Signal::None).count();
    let tiles = Tiles::new()
        .tile("Parameters", result.parameters.len().to_string(), "tuned together")
        .tile("No signal", silent.to_string(), "moved no more than chance explains");
    page.add(tiles)
        .section(figures(result))
        .section(paths(result))
        .section(outputs(result))
        .render()
}

fn figures(result: &TuneResult) -> Section {
    let columns = [
        Column::code("Parameter"),
        Column::number("Start"),
        Column::number("Last"),
        Column::number("Mean of last half"),
        Column::number("Chance ±").hint("one standard deviation of a path without any signal"),
        Column::number("z")
            .hint("how clearly the results preferred one direction, at its clearest"),
        Column::choice("Verdict"),
    ];
    let mut table = Table::new("Parameters", columns);
    for (parameter, found) in result.tuning.parameters.iter().zip(&result.parameters) {
        let range = parameter.max - parameter.min;
        table = table.row(cells![
            found.name.as_str(),
            value(found.start, range),
            value(found.last, range),
            value(found.late_mean, range),
            value(found.walk, range),
            number::signed(found.z, 1),
            found.signal.label(),
        ]);
    }
    Section::new("Parameters").add(table)
}

fn paths(result: &TuneResult) -> Section {
    let mut section = Section::new("Paths").text(
        "Each parameter's value over the iterations. The band is where a parameter without any \
         effect would be two times out of three.",
    );
    for (index, parameter) in result.tuning.parameters.iter().enumerate() {
        section = section.add(path(result, index, parameter));
    }
    section
}

fn path(result: &TuneResult, index: usize, parameter: &Parameter) -> LineChart {
    let at = |point: &dyno_tournament::tune::PathPoint| point.iteration as f64;
    let line = result.path.iter().map(|point| (at(point), point.values[index]));
    let walk = result.parameters[index].walk;
    let all = result.applied.max(1) as f64;
    let band = result.path.iter().map(|point| {
        // Steps shrink slowly: the spread of a random path grows about as the root of its length.
        let spread = walk * (at(point) / all).sqrt();
        let low = (parameter.start - spread).max(parameter.min);
        (at(point), low, (parameter.start + spread).min(parameter.max))
    });
    LineChart::new(parameter.name.as_str())
        .x("iteration")
        .series(Series::new("value", line).band(band))
        .bound(parameter.start, "start")
}

fn outputs(result: &TuneResult) -> Section {
    Section::new("To use it")
        .add(Code::new(setoptions(result)).label("UCI"))
        .add(Code::new(openbench(result)).label("OpenBench"))
}
