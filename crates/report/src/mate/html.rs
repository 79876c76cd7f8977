//! The page: totals, the depths as a table and bars, every miss as a board with both lines.

use super::{BY_SCORE, answer, correct, engine_line, fault, limit, mate, place, truth};
use crate::Verdict;
use crate::cells;
use crate::html::{
    Arrow, BarChart, Board, Card, Cards, Code, Column, Note, Page, Section, Table, Tiles,
};
use crate::number;
use crate::positions::PositionRow;
use dyno_trials::mate::{EngineMates, MateResult, MateRun, MateTotals};
use std::time::Duration;

/// The page of a run; `shown` are the misses and the answers with false announcements, in order.
#[must_use]
pub fn page(run: &MateRun, shown: &[MateResult]) -> String {
    let suites = run.suites.join(", ");
    let names: Vec<&str> = run.engines.iter().map(|e| e.engine.name.as_str()).collect();
    let elapsed = run.header.elapsed();
    let mut page = Page::new(format!("{}: mates of {suites}", names.join(", ")))
        .command("mate")
        .fact("Suite", suites)
        .fact("Limit", limit(&run.limit))
        .fact("Time", number::duration(elapsed))
        .run(&run.header)
        .verdict(judged(run), headline(run));
    for engine in &run.engines {
        page = page.fact("Engine", engine_line(engine));
        if let Some(hash) = &engine.engine.file_hash {
            page = page.fact("File checksum", hash);
        }
    }
    if run.interrupted {
        page = page.add(Note::new(Verdict::Warn, "Interrupted: only the positions done so far."));
    }
    for engine in &run.engines {
        page = page.add(tiles(engine, run.engines.len() > 1));
    }
    page.section(depths(run))
        .section_if(boards(run, shown))
        .section_if(false_claims(shown))
        .section_if(faults(run))
        .render()
}

/// `My engine: 254 / 300 (84.7%)`, every engine.
fn headline(run: &MateRun) -> String {
    let score = |engine: &EngineMates| format!("{}: {}", engine.engine.name, correct(engine));
    run.engines.iter().map(score).collect::<Vec<_>>().join("; ")
}

/// A score is neither good nor bad by itself; an engine that announces mates that are not there is.
fn judged(run: &MateRun) -> Verdict {
    let errs = |engine: &EngineMates| engine.totals.wrong + engine.totals.failed > 0;
    if run.engines.iter().any(errs) { Verdict::Fail } else { Verdict::Skip }
}

fn tiles(engine: &EngineMates, several: bool) -> Tiles {
    let totals = &engine.totals;
    let name = if several { engine.engine.name.clone() } else { "Correct".to_owned() };
    let text = correct(engine);
    let (main, remark) = text.split_once(" (").unwrap_or((&text, ""));
    let lines = totals.mate_lines;
    let judged: u64 = lines.each().iter().map(|(_, count)| count).sum();
    Tiles::new()
        .tile(name, main.to_owned(), remark.trim_end_matches(')').to_owned())
        .tile("Longer mate", totals.found.to_string(), "announced, but not the shortest")
        .tile("Missed", (totals.missed + totals.failed).to_string(), "no mate announced")
        .tile("Wrong", totals.wrong.to_string(), "a mate that is not there")
        .tile(
            "True lines",
            format!("{} / {}", number::grouped(lines.ok), number::grouped(judged)),
            "of all lines with a mate score",
        )
}

fn depths(run: &MateRun) -> Section {
    let mut chart = BarChart::new("Shortest mate announced, by depth").full(100.0);
    let several = run.engines.len() > 1;
    if several {
        chart = chart.series(run.engines.iter().map(|e| e.engine.name.clone()));
    }
    let mut mates: Vec<i32> =
        run.engines.iter().flat_map(|e| e.depths.iter().map(|d| d.mate)).collect();
    mates.sort_by_key(|mate| (*mate <= 0, mate.abs()));
    mates.dedup();
    let share = |engine: &EngineMates, mate: i32| {
        let totals = engine.depths.iter().find(|d| d.mate == mate).map(|d| &d.totals);
        totals.and_then(MateTotals::percent).unwrap_or(0.0)
    };
    for moves in mates {
        let bars = run.engines.iter().map(|engine| {
            let share = share(engine, moves);
            (share, format!("{share:.1} %"))
        });
        chart = chart.bars(mate(moves), bars.collect::<Vec<_>>());
    }
    let columns = [
        Column::text("Engine"),
        Column::number("Mate"),
        Column::number("Positions"),
        Column::number("Best"),
        Column::number("Found").hint("a mate, but a longer one"),
        Column::number("Better").hint("shorter than stated, and not refuted"),
        Column::number("Missed"),
        Column::number("Wrong").hint("a mate that is not there"),
        Column::number("Bad lines"),
        Column::number("Median time"),
        Column::number("Median nodes"),
    ];
    let mut table = Table::new("By mate depth", columns);
    for engine in &run.engines {
        for depth in &engine.depths {
            let t = &depth.totals;
            table = table.row(cells![
                &engine.engine.name,
                depth.mate,
                t.run,
                t.best,
                t.found,
                t.better,
                t.missed + t.failed,
                t.wrong,
                t.bad_lines,
                t.median_ms.map(|ms| Duration::from_secs_f64(ms / 1e3)),
                t.median_nodes
            ]);
        }
    }
    let mut section = Section::new("By mate depth").add(chart).add(table);
    let columns = [
        Column::text("Engine"),
        Column::number("Positions"),
        Column::number("Mates found"),
        Column::number("Best"),
        Column::number("Better"),
        Column::number("Wrong side"),
        Column::number("Bad lines"),
    ];
    let rows = run.engines.iter().map(|engine| {
        let s = &engine.by_score;
        cells![&engine.engine.name, s.total, s.found, s.best, s.better, s.wrong_side, s.bad_lines]
    });
    section = section
        .heading("By score alone")
        .text(format!("As other mate checkers count: {BY_SCORE}."));
    section.add(Table::new("By score alone", columns).rows(rows).plain())
}

fn boards(run: &MateRun, shown: &[MateResult]) -> Option<Section> {
    let misses = || shown.iter().filter(|result| result.is_miss());
    let all = misses().count();
    if all == 0 {
        return None;
    }
    let several = run.engines.len() > 1;
    let cards = misses().take(Cards::MOST_BOARDS).map(|miss| card(run, miss, several));
    let heading = format!("Misses ({})", number::count(all));
    let mut section = Section::new(heading);
    if all > Cards::MOST_BOARDS {
        section = section.text(format!(
            "The first {} are drawn; the CSV report has them all.",
            Cards::MOST_BOARDS
        ));
    }
    Some(section.add(Cards::new("Misses").cards(cards)))
}

fn card(run: &MateRun, miss: &MateResult, several: bool) -> Card {
    let mut board = Board::new(&miss.fen).mover_below();
    if !miss.expected_move.is_empty() {
        board = board
            .uci_arrow(&miss.expected_move, Arrow::Expected)
            .legend(Arrow::Expected, format!("{} {}", mate(miss.stated), truth(miss)));
    }
    board = board
        .uci_arrow(&miss.engine_move, Arrow::Played)
        .legend(Arrow::Played, format!("engine {}", answer(miss)));
    let title = format!("{} {}", miss.id, mate(miss.stated));
    let mut card = Card::new(title)
        .verdict(Verdict::Fail)
        .add(board)
        .fact("Verdict", miss.verdict.word())
        .fact("Line", place(&miss.suite, miss.line_no, "line "));
    if several && let Some(engine) = run.engines.get(miss.engine) {
        card = card.fact("Engine", engine.engine.name.clone());
    }
    for (name, text) in [
        ("Expected", &miss.expected_line),
        ("Engine's line", &miss.engine_line),
        ("Fault of the line", &miss.line_fault),
        ("Remark", &miss.remark),
        ("Trouble", &miss.trouble),
    ] {
        if !text.is_empty() {
            card = card.fact(name, text.clone());
        }
    }
    card.add(Code::new(miss.fen.clone()).label("FEN"))
}

fn false_claims(shown: &[MateResult]) -> Option<Section> {
    let columns = [
        Column::text("Position"),
        Column::text("Announced"),
        Column::number("Depth"),
        Column::text("Line"),
    ];
    let rows: Vec<_> = shown
        .iter()
        .flat_map(|result| result.false_claims.iter().map(move |claim| (result, claim)))
        .map(|(result, claim)| {
            cells![
                place(&result.suite, result.line_no, &result.id),
                mate(claim.mate),
                claim.depth,
                &claim.line
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        Section::new("Mates that are not there")
            .text("Announced at some point of a search, and refuted by the solver.")
            .add(Table::new("False announcements", columns).rows(rows))
    })
}

fn faults(run: &MateRun) -> Option<Section> {
    if run.faults.is_empty() {
        return None;
    }
    let columns = [Column::text("Where"), Column::code("FEN"), Column::text("What")];
    let rows = run
        .faults
        .iter()
        .map(|at| cells![place(&at.suite, at.line_no, &at.id), &at.fen, fault(at)]);
    Some(
        Section::new("Defects of the suite")
            .text("Found by reading and by our own solver; none of them counts against the engine.")
            .add(Table::new("Defects", columns).rows(rows)),
    )
}
