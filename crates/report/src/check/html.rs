//! The card as a page.

use super::{counts, figure};
use crate::html::{
    Board, Card, Cards, Code, Column, Details, Html, Note, Page, Section, Table, Tiles, badge,
};
use crate::{Verdict, number};
use dyno_trials::check::{self, CheckResult, Finding, Group, ReportCard, find_check};

/// The page of one or more engines.
#[must_use]
pub fn page(cards: &[ReportCard]) -> String {
    let names: Vec<&str> = cards.iter().map(|card| card.engine.name.as_str()).collect();
    let mut page = Page::new(format!("Report card: {}", names.join(", "))).command("check");
    for card in cards {
        page = page.fact("Engine", card.engine.command.clone());
        if let Some(hash) = &card.engine.file_hash {
            page = page.fact("File checksum", hash.clone());
        }
        page = page.fact("Seed", card.header.seed.unwrap_or_default().to_string());
    }
    if let Some(card) = cards.first() {
        page = page.run(&card.header);
    }
    let worst = cards.iter().flat_map(|card| &card.checks).map(|check| check.outcome.verdict).min();
    if let Some(worst) = worst {
        let counts: Vec<String> = cards.iter().map(counts).collect();
        let word = match worst {
            Verdict::Fail => "FAILED",
            Verdict::Warn => "PASSED with warnings",
            Verdict::Pass | Verdict::Skip => "PASSED",
        };
        let shown = if worst == Verdict::Skip { Verdict::Pass } else { worst };
        page = page.verdict(shown, format!("{word}: {}", counts.join("; ")));
    }
    for card in cards {
        page = page.add(tiles(card, cards.len() > 1));
        if card.interrupted {
            page = page
                .add(Note::new(Verdict::Warn, "Interrupted: the remaining checks were not run."));
        }
    }
    if cards.len() > 1 {
        page = page.section(side_by_side(cards));
    }
    for card in cards {
        page = page.section_if(findings(card, cards.len() > 1));
    }
    for card in cards {
        page = page.section(overview(card, cards.len() > 1));
    }
    page.render()
}

fn tiles(card: &ReportCard, several: bool) -> Tiles {
    let count = |v| card.count(v).to_string();
    let name = if several { card.engine.name.clone() } else { "Passed".to_owned() };
    let elapsed = number::duration(card.header.elapsed());
    Tiles::new()
        .tile(name, count(Verdict::Pass), counts(card))
        .tile("Failed", count(Verdict::Fail), "")
        .tile("Warnings", count(Verdict::Warn), "")
        .tile("Time", elapsed, "")
}

/// Every check with every engine's verdict beside it.
fn side_by_side(cards: &[ReportCard]) -> Section {
    let mut columns = vec![Column::code("Check")];
    columns.extend(cards.iter().map(|card| Column::choice(card.engine.name.clone())));
    let mut table = Table::new("Side by side", columns);
    for spec in check::CATALOGUE {
        let find = |card: &ReportCard| card.checks.iter().find(|c| c.id == spec.id).cloned();
        let results: Vec<Option<CheckResult>> = cards.iter().map(find).collect();
        if results.iter().all(Option::is_none) {
            continue;
        }
        let mut row = Vec::from(crate::cells![spec.id]);
        for result in results {
            row.extend(match result {
                Some(result) => crate::cells![badge(result.outcome.verdict)],
                None => crate::cells![""],
            });
        }
        table = table.row(row);
    }
    Section::new("Side by side").add(table)
}

/// What is wrong, a card each.
fn findings(card: &ReportCard, several: bool) -> Option<Section> {
    let wrong: Vec<&CheckResult> = card
        .checks
        .iter()
        .filter(|c| matches!(c.outcome.verdict, Verdict::Fail | Verdict::Warn))
        .collect();
    if wrong.is_empty() {
        return None;
    }
    let title = if several { format!("Findings: {}", card.engine.name) } else { "Findings".into() };
    let cards = wrong.into_iter().flat_map(cards_of);
    Some(Section::new(title).add(Cards::new("Findings").cards(cards)))
}

/// The findings of a check, a card each.
fn cards_of(result: &CheckResult) -> Vec<Card> {
    let outcome = &result.outcome;
    if outcome.findings.is_empty() {
        let card = Card::new(result.id.clone())
            .verdict(outcome.verdict)
            .add(Html::paragraph(outcome.summary.clone()));
        return vec![explained(with_lines(card, &outcome.evidence, &outcome.reproduce), result)];
    }
    let standing = outcome.findings.iter().filter(|finding| finding.stands());
    standing.map(|finding| explained(finding_card(result, finding), result)).collect()
}

fn finding_card(result: &CheckResult, finding: &Finding) -> Card {
    let mut card = Card::new(result.id.clone())
        .verdict(finding.verdict)
        .add(Html::paragraph(finding.seen.clone()));
    if let Some(fen) = &finding.fen {
        card = card.add(Board::new(fen).mover_below().caption(fen.clone()));
    }
    for (name, text) in [("Expected", &finding.expected), ("Likely cause", &finding.cause)] {
        if !text.is_empty() {
            card = card.add(Html::paragraph(format!("{name}: {text}")));
        }
    }
    with_lines(card, &finding.evidence, &finding.reproduce)
}

fn with_lines(mut card: Card, evidence: &[String], reproduce: &[String]) -> Card {
    if !evidence.is_empty() {
        card = card.add(Details::new("Evidence").add(Code::new(evidence.join("\n"))));
    }
    if !reproduce.is_empty() {
        card = card.add(Code::new(reproduce.join("\n")).label("To see it again"));
    }
    card
}

/// The rule behind a check, beneath its finding.
fn explained(card: Card, result: &CheckResult) -> Card {
    let Some(spec) = find_check(&result.id) else { return card };
    let text = format!(
        "The rule: {} Usual causes: {} The fix: {}",
        spec.guide.rule, spec.guide.causes, spec.guide.fix
    );
    card.add(Details::new("What it means").text(text))
}

/// Every check in a table.
fn overview(card: &ReportCard, several: bool) -> Section {
    let title =
        if several { format!("All checks: {}", card.engine.name) } else { "All checks".into() };
    let mut table = Table::new(
        title.clone(),
        [
            Column::choice("Group"),
            Column::code("Check"),
            Column::choice("Verdict"),
            Column::text("Found"),
            Column::text("Judged"),
            Column::text("Figures"),
            Column::number("Seconds"),
        ],
    );
    for result in &card.checks {
        let group =
            Group::ALL.into_iter().find(|g| g.name() == result.group).map_or("", Group::title);
        let figures: Vec<String> = result.outcome.figures.iter().map(figure).collect();
        table = table.row(crate::cells![
            group,
            result.id.as_str(),
            badge(result.outcome.verdict),
            result.outcome.summary.as_str(),
            super::judged(&result.outcome).unwrap_or_default(),
            figures.join("; "),
            format!("{:.1}", result.seconds)
        ]);
    }
    Section::new(title).add(table)
}
