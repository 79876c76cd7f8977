//! The pages of `dyno perft`: a count, a suite, an engine's counts.

use super::{big, label, published, speed, suite_summary, time};
use crate::html::{
    Arrow, Board, Card, Cards, Cell, Code, Column, Details, Note, Page, Section, Table, Tiles,
};
use crate::number::{self, grouped, plural};
use crate::terminal::plain;
use crate::{Verdict, cells, perft_bisect};
use dyno_trials::perft::{CountResult, Divided, SuiteResult, SuiteRow};
use dyno_trials::perft_bisect::{BisectResult, Comparison, RuleFinding};

/// The page of one count.
#[must_use]
pub fn count_page(result: &CountResult) -> String {
    let leaves = big(result.nodes);
    let (verdict, text) = match (&result.published, result.complete) {
        (_, false) => (Verdict::Warn, format!("INTERRUPTED: {leaves} leaves so far")),
        (Some(known), _) if known.nodes == result.nodes => {
            (Verdict::Pass, format!("RIGHT: {leaves} leaves, the published count"))
        }
        (Some(_), _) => (Verdict::Fail, format!("WRONG: {}", plain(&published(result)).trim_end())),
        (None, _) => (Verdict::Skip, format!("{leaves} leaves; no published count to compare")),
    };
    let columns = [Column::code("Move"), Column::number("Leaves"), Column::text("")];
    let row = |found: &Divided| {
        let remark = if found.complete { "" } else { "so far" };
        cells![&found.mv, leaves_cell(found.nodes), remark]
    };
    let table = Table::new("Leaves below each move", columns).rows(result.moves.iter().map(row));
    Page::new(format!("Perft {} of {}", result.depth, result.name))
        .command("perft")
        .verdict(verdict, text)
        .run(&result.header)
        .add(
            Tiles::new()
                .tile("Leaves", leaves, format!("at depth {}", result.depth))
                .tile("Time", time(result.header.seconds), "")
                .tile(
                    "Speed",
                    speed(result.nps),
                    plural(result.threads as u64, "thread", "threads"),
                ),
        )
        .section(Section::new("Position").add(Board::new(&result.fen)).add(fen(&result.fen)))
        .section(Section::new("Moves").add(table))
        .render()
}

/// The page of a suite.
#[must_use]
pub fn suite_page(result: &SuiteResult) -> String {
    let (counts, wrong) = (result.rows.len(), result.mismatches);
    let right = grouped((counts - wrong) as u64);
    let all = plural(counts as u64, "count", "counts");
    let (verdict, word) = match (wrong, result.complete) {
        (1.., _) => (Verdict::Fail, "FAILED"),
        (0, false) => (Verdict::Warn, "INTERRUPTED"),
        (0, true) if counts == 0 => (Verdict::Fail, "NOTHING COMPARED"),
        (0, true) => (Verdict::Pass, "PASSED"),
    };
    let mut page = Page::new(format!("Perft suite {}", result.suite))
        .command("perft --suite")
        .verdict(verdict, format!("{word}: {right} of {all} right"))
        .lead(plain(&suite_summary(result)).lines().last().unwrap_or_default().to_owned())
        .run(&result.header);
    for defect in super::defects(result) {
        page = page.add(Note::new(Verdict::Warn, defect));
    }
    let columns = [
        Column::text("Position"),
        Column::number("Line"),
        Column::number("Depth"),
        Column::number("Expected"),
        Column::number("Found"),
        Column::choice("Verdict"),
        Column::number("Time"),
        Column::number("Speed"),
        Column::code("FEN"),
    ];
    let row = |row: &SuiteRow| {
        let verdict = if row.agrees { Verdict::Pass } else { Verdict::Fail };
        cells![
            label(row),
            row.line,
            row.depth,
            leaves_cell(row.expected),
            leaves_cell(row.found),
            verdict,
            Cell::number(row.seconds, time(row.seconds)),
            Cell::number(row.nps, speed(row.nps)),
            &row.fen
        ]
    };
    let table = Table::new("Counts", columns).rows(result.rows.iter().map(row));
    page.section(Section::new("Counts").add(table)).render()
}

/// The page of an engine's counts.
#[must_use]
pub fn engine_page(result: &BisectResult) -> String {
    let (verdict, word) = match (result.faults(), result.comparisons.len()) {
        (_, 0) => (Verdict::Fail, "NOTHING COMPARED"),
        (0, _) => (Verdict::Pass, "PASSED"),
        _ => (Verdict::Fail, "FAILED"),
    };
    let summary = perft_bisect::summary(result);
    let first = plain(summary.lines().next().unwrap_or_default());
    let mut page = Page::new(format!("Move generator of {}", result.engine))
        .command("perft --engine")
        .verdict(verdict, format!("{word}: {first}"))
        .fact("Engine", result.engine.clone())
        .fact("Asked by", result.dialect.line('N'))
        .run(&result.header);
    for hash in result.header.engines.iter().filter_map(|engine| engine.file_hash.as_ref()) {
        page = page.fact("File checksum", hash);
    }
    if !result.rules.is_empty() {
        let cards = result.rules.iter().map(|finding| card(result, finding));
        page = page.section(
            Section::new(format!("Broken rules ({})", number::count(result.rules.len())))
                .text("Each where it was found first; the lines below are its smallest position.")
                .add(Cards::new("Broken rules").cards(cards)),
        );
    }
    let columns = [
        Column::text("Position"),
        Column::number("Depth"),
        Column::number("Right count"),
        Column::choice("Verdict"),
        Column::text("What"),
        Column::code("FEN"),
    ];
    let table = Table::new("Positions", columns).rows(result.comparisons.iter().map(row));
    page.section(Section::new("Positions").add(table)).render()
}

fn row(comparison: &Comparison) -> [Cell; 6] {
    let (verdict, what) = match (&comparison.fault, &comparison.skipped) {
        (Some(fault), _) => {
            let rules = fault.new_rules.iter().chain(&fault.known_rules);
            let rules: Vec<&str> = rules.map(|rule| rule.why.as_str()).collect();
            (Verdict::Fail, rules.join("; "))
        }
        (None, Some(reason)) => (Verdict::Skip, reason.clone()),
        (None, None) => (Verdict::Pass, String::new()),
    };
    cells![&comparison.name, comparison.depth, comparison.expected, verdict, what, &comparison.fen]
}

/// A broken rule on its board: the surplus move as the engine's, the missing one as expected.
fn card(result: &BisectResult, finding: &RuleFinding) -> Card {
    let first = result.comparisons.iter().find(|comparison| comparison.name == finding.first);
    let fault = first.and_then(|comparison| comparison.fault.as_ref());
    let mut board = Board::new(fault.map_or(&finding.smallest_fen, |fault| &fault.fen));
    if let Some(fault) = fault {
        let of_rule = |why: &str| why == finding.rule.why;
        for wrong in fault.surplus.iter().filter(|wrong| of_rule(&wrong.why)) {
            board = board.uci_arrow(&wrong.mv, Arrow::Played);
        }
        for wrong in fault.missing.iter().filter(|wrong| of_rule(&wrong.why)) {
            board = board.uci_arrow(&wrong.mv, Arrow::Expected);
        }
        board = board.legend(Arrow::Played, "not legal").legend(Arrow::Expected, "missing");
    }
    Card::new(perft_bisect::described(finding))
        .verdict(Verdict::Fail)
        .add(board)
        .fact("Positions", grouped(finding.positions as u64))
        .fact("First in", finding.first.clone())
        .add(
            Details::new("Type into the engine")
                .add(Code::new(finding.reproduce.join("\n")).label("Reproduce"))
                .open(),
        )
}

fn fen(fen: &str) -> Code {
    Code::new(fen).label("FEN")
}

#[allow(clippy::cast_precision_loss, reason = "only the order matters")]
fn leaves_cell(leaves: u128) -> Cell {
    Cell::number(leaves as f64, big(leaves))
}
