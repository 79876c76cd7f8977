//! The page: how many were solved, by rating and theme, and the misses as boards.

use super::{FEWEST, played, rating_text};
use crate::Verdict;
use crate::cells;
use crate::html::{
    Arrow, BarChart, Board, Card, Cards, Cell, Code, Column, Details, Note, Page, Section, Table,
    Tiles,
};
use crate::number::{self, grouped, percent};
use dyno_trials::puzzles::{Attempt, Group, PuzzleVerdict, RunResult};

/// The page of a run; `misses` are the first [`Cards::MOST_BOARDS`] of them.
#[must_use]
pub fn page(result: &RunResult, misses: &[Attempt]) -> String {
    let file = std::path::Path::new(&result.source).file_name();
    let file = file.map_or_else(|| result.source.clone(), |f| f.to_string_lossy().into_owned());
    let mut page = Page::new(format!("{} on {file}", result.engine.name))
        .command("puzzles run")
        .fact("Puzzles", result.source.clone())
        .fact("Limit", result.limit.clone())
        .fact("Time", number::duration(result.header.elapsed()))
        .run(&result.header)
        .fact("Engine", result.engine.name.clone())
        .verdict(judged(result), headline(result));
    if let Some(hash) = &result.engine.file_hash {
        page = page.fact("File checksum", hash);
    }
    if result.interrupted {
        page = page.add(Note::new(Verdict::Warn, "Interrupted: only the puzzles done so far."));
    }
    if result.crashes > 0 {
        let failed = number::plural(result.crashes, "puzzle", "puzzles");
        page = page.add(Note::new(Verdict::Fail, format!("The engine failed on {failed}.")));
    }
    let bands = result.by_rating.iter().map(|(from, g)| (format!("{from}–{}", from + 199), *g));
    let mut themes: Vec<_> = result.by_theme.iter().filter(|(_, g)| g.tried >= FEWEST).collect();
    themes.sort_by_key(|(name, group)| (std::cmp::Reverse(group.tried), name.as_str()));
    page.add(tiles(result))
        .section_if(groups("By rating", "Rating", bands.collect()))
        .section_if(groups(
            "By theme",
            "Theme",
            themes.into_iter().map(|(name, group)| (name.clone(), *group)).collect(),
        ))
        .section_if(boards(result, misses))
        .section_if(rejected(result))
        .render()
}

/// `My engine solved 254 of 300 puzzles: 84.7 %`.
fn headline(result: &RunResult) -> String {
    let Group { tried, solved } = result.total;
    let (name, share) = (&result.engine.name, percent(solved, tried));
    format!("{name} solved {} of {} puzzles: {share}", grouped(solved), grouped(tried))
}

/// A share is neither good nor bad by itself; an engine that fails is.
fn judged(result: &RunResult) -> Verdict {
    if result.crashes > 0 { Verdict::Fail } else { Verdict::Skip }
}

fn tiles(result: &RunResult) -> Tiles {
    let Group { tried, solved } = result.total;
    let share = percent(solved, tried);
    let mut tiles =
        Tiles::new().tile("Solved", format!("{} / {}", grouped(solved), grouped(tried)), share);
    if let Some(performance) = &result.performance {
        let (low, high) = performance.range;
        let remark = match performance.is_extrapolated {
            true => format!("an extrapolation: most puzzles are rated from {low} to {high}"),
            false => format!("most puzzles are rated from {low} to {high}"),
        };
        tiles = tiles.tile("Performance rating", rating_text(performance, solved), remark);
    }
    tiles
}

fn groups(title: &str, head: &str, groups: Vec<(String, Group)>) -> Option<Section> {
    if groups.is_empty() {
        return None;
    }
    let columns = [
        Column::text(head),
        Column::number("Puzzles"),
        Column::number("Solved"),
        Column::number("Share"),
    ];
    let mut chart = BarChart::new(format!("Solved, {}", title.to_lowercase())).full(100.0);
    let mut table = Table::new(title, columns);
    for (name, Group { tried, solved }) in groups {
        let share = 100.0 * solved as f64 / tried.max(1) as f64;
        chart = chart.bar(name.clone(), share, format!("{share:.1} % of {}", grouped(tried)));
        table = table.row(cells![name, tried, solved, Cell::share(solved, tried)]);
    }
    Some(Section::new(title).add(chart).add(Details::new("The figures").add(table)))
}

fn boards(result: &RunResult, misses: &[Attempt]) -> Option<Section> {
    if misses.is_empty() {
        return None;
    }
    let cards = misses.iter().map(|miss| {
        let expected = miss.solution.get(2 * miss.found as usize).map_or("", String::as_str);
        let fen = miss.missed_fen.as_ref().unwrap_or(&miss.fen);
        let board = Board::new(fen)
            .mover_below()
            .uci_arrow(expected, Arrow::Expected)
            .uci_arrow(miss.wrong.as_deref().unwrap_or_default(), Arrow::Played)
            .legend(Arrow::Expected, format!("expected {expected}"))
            .legend(Arrow::Played, format!("engine {}", played(miss)));
        let mut card = Card::new(miss.id.clone()).verdict(Verdict::Fail).add(board);
        if let Some(rating) = miss.rating {
            card = card.fact("Rating", rating.to_string());
        }
        card = card
            .fact("Move", format!("{} of {}", miss.found + 1, miss.solution.len().div_ceil(2)))
            .fact("Themes", miss.themes.join(", "))
            .fact("Solution", miss.solution.join(" "))
            .fact("Time", format!("{} ms", miss.time_ms))
            .fact("Line", miss.line.to_string());
        if miss.verdict == PuzzleVerdict::Crashed {
            card = card.fact("Trouble", miss.trouble.clone());
        }
        card.add(Code::new(fen.clone()).label("FEN"))
    });
    let all = result.total.tried - result.total.solved;
    let mut section = Section::new(format!("Misses ({})", grouped(all)));
    if all > misses.len() as u64 {
        let shown = grouped(misses.len() as u64);
        section = section.text(format!("The first {shown} of them; the CSV report has them all."));
    }
    Some(section.add(Cards::new("Misses").cards(cards)))
}

fn rejected(result: &RunResult) -> Option<Section> {
    let columns = [Column::text("Reason"), Column::number("Rows")];
    let rows = result.rejected.iter().map(|(reason, rows)| cells![reason, *rows]);
    (!result.rejected.is_empty()).then(|| {
        Section::new("Rows that are not puzzles")
            .add(Table::new("Rejected rows", columns).rows(rows))
    })
}
