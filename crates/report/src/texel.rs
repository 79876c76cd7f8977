//! A fit of evaluation weights, for people and other tools.

use crate::Verdict;
use crate::cells;
use crate::html::{Code, Column, Note, Page, Section, Table as HtmlTable, Tiles};
use crate::number::{self, fixed, grouped};
use crate::row;
use crate::terminal::{Table, bold, left, right};
use dyno_trials::texel::{FittedParameter, TexelResult};
use std::fmt::Write as _;

/// What there is to say about a parameter.
fn remark(parameter: &FittedParameter) -> &'static str {
    match parameter {
        FittedParameter { positions: 0, .. } => "no position uses it",
        FittedParameter { at_bound: true, .. } => "at its bound",
        p if ((p.value - p.start) as f64).abs() < 2.0 * p.error => "no signal",
        _ => "",
    }
}

fn verdict(result: &TexelResult) -> String {
    let (before, after) = (result.before.held_out, result.after.held_out);
    let change = 100.0 * (after - before) / before;
    let word = if result.is_better() { "better" } else { "not better" };
    format!(
        "On {} positions held out the values are {word}: loss {before:.6} before, {after:.6} after \
         ({change:+.2} %)",
        grouped(result.held_out)
    )
}

/// The result at the prompt.
#[must_use]
pub fn summary(result: &TexelResult) -> String {
    let heads = [
        left("parameter"),
        right("start"),
        right("fitted"),
        right("±"),
        right("positions"),
        left(""),
    ];
    let rows = result.parameters.iter().map(|p| {
        row![
            p.name.clone(),
            p.start.to_string(),
            p.value.to_string(),
            fixed(p.error, 1),
            grouped(p.positions),
            remark(p)
        ]
    });
    let mut text = Table::new(heads).rows(rows).to_string();
    let _ = writeln!(
        text,
        "\n{} positions of {} fitted in {}; K {:.3} before, {:.3} after; loss {:.6} before, {:.6} after",
        grouped(result.fitted),
        result.source,
        number::plural(u64::from(result.rounds), "round", "rounds"),
        result.k.0,
        result.k.1,
        result.before.fitted,
        result.after.fitted,
    );
    if result.skipped > 0 {
        let _ = writeln!(
            text,
            "{} lines or games without a usable position or result",
            grouped(result.skipped)
        );
    }
    if result.interrupted {
        text.push_str("Interrupted: the values of the rounds that were done.\n");
    }
    let _ = writeln!(text, "{}", bold(verdict(result)));
    text.push_str("Better on positions is not stronger yet: prove it by a match.\n");
    text
}

/// `setoption` lines.
#[must_use]
pub fn setoptions(result: &TexelResult) -> String {
    result.recommended().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "setoption name {name} value {value}");
        text
    })
}

/// The parameters as a `--params` file that starts at the fitted values.
#[must_use]
pub fn toml(result: &TexelResult) -> String {
    let mut text = String::new();
    for (parameter, fitted) in result.tuned.iter().zip(&result.parameters) {
        let quoted = serde_json::Value::from(parameter.name.as_str());
        let start = fitted.value as f64 / parameter.scale;
        let _ = writeln!(
            text,
            "[[parameter]]\nname = {quoted}\nstart = {start:?}\nmin = {:?}\nmax = {:?}",
            parameter.min, parameter.max
        );
        if parameter.scale != 1.0 {
            let _ = writeln!(text, "scale = {:?}", parameter.scale);
        }
        text.push('\n');
    }
    text
}

/// A row a parameter.
#[must_use]
pub fn csv(result: &TexelResult) -> String {
    let rows = result.parameters.iter().map(|p| {
        [
            p.name.clone(),
            p.start.to_string(),
            p.value.to_string(),
            p.error.to_string(),
            p.positions.to_string(),
            p.at_bound.to_string(),
        ]
    });
    crate::grid::Grid::new(["parameter", "start", "fitted", "error", "positions", "at_bound"])
        .rows(rows)
        .csv()
}

/// The page.
#[must_use]
pub fn page(result: &TexelResult) -> String {
    let engine = result.header.engines.first().map_or("", |engine| engine.name.as_str());
    let judged = if result.is_better() { Verdict::Pass } else { Verdict::Fail };
    let mut page = Page::new(format!("Weights of {engine}"))
        .command("tune texel")
        .fact("Positions", result.source.clone())
        .fact("Time", number::duration(result.header.elapsed()))
        .run(&result.header)
        .verdict(judged, verdict(result));
    if result.interrupted {
        page = page
            .add(Note::new(Verdict::Warn, "Interrupted: the values of the rounds that were done."));
    }
    let tiles = Tiles::new()
        .tile(
            "Loss, held out",
            format!("{:.6}", result.after.held_out),
            format!("{:.6} before", result.before.held_out),
        )
        .tile(
            "Loss, fitted",
            format!("{:.6}", result.after.fitted),
            format!("{:.6} before", result.before.fitted),
        )
        .tile("K", format!("{:.3}", result.k.1), format!("{:.3} before", result.k.0))
        .tile(
            "Positions",
            grouped(result.fitted),
            format!("{} held out", grouped(result.held_out)),
        );
    let columns = [
        Column::code("Parameter"),
        Column::number("Start"),
        Column::number("Fitted"),
        Column::number("±").hint("one standard error"),
        Column::number("Positions").hint("fitted positions whose evaluation it changes"),
        Column::choice("Remark"),
    ];
    let rows = result.parameters.iter().map(|p| {
        cells![p.name.as_str(), p.start, p.value, fixed(p.error, 1), p.positions, remark(p)]
    });
    page.add(tiles)
        .section(Section::new("Parameters").add(HtmlTable::new("Parameters", columns).rows(rows)))
        .section(
            Section::new("For the engine").add(Code::new(setoptions(result)).label("setoption")),
        )
        .render()
}
