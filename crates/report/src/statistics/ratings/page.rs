//! The rating list as a page.

use super::{Placing, RatingGroup, RatingReport};
use crate::html::{BarChart, Cell, Column, Note, Page, Section, Table};
use crate::number::{count, fixed, grouped, share, signed};
use crate::tournament::elo_line;
use crate::{Verdict, cells};
use dyno_trials::RunHeader;

/// Crosstables of more players are wider than any page.
const WIDEST: usize = 40;

impl RatingReport {
    /// The page; `header` says when, where and how the list was made.
    #[must_use]
    pub fn page<P>(&self, header: &RunHeader<P>) -> String {
        let mut page = Page::new("Rating list").command("ratings").run(header);
        if let Some(text) = self.headline() {
            page = page.verdict(Verdict::Skip, text);
        }
        if let Some(duel) = &self.duel {
            page = page.lead(format!("{} by pairs: {}", duel.players(), elo_line(&duel.tally)));
        }
        if self.groups.len() > 1 {
            let text = format!(
                "{} groups of players never met: their ratings cannot be compared.",
                count(self.groups.len())
            );
            page = page.add(Note::new(Verdict::Warn, text));
        }
        let left_out = self.unfinished + self.skipped.len() as u64;
        if left_out > 0 {
            let text = format!("{} games could not be counted.", grouped(left_out));
            page = page.add(Note::new(Verdict::Warn, text));
        }
        for (index, group) in self.groups.iter().enumerate() {
            let title = match self.groups.len() {
                1 => "Ratings".to_owned(),
                _ => format!("Group {}", index + 1),
            };
            page = page.section(group.section(title)).section_if(group.crosstable());
        }
        page.render()
    }

    /// `Stockfish leads: 345.8 ± 120.3 after 40 games`.
    fn headline(&self) -> Option<String> {
        let first = self.groups.first()?.placings.first()?;
        let (rating, error) = (fixed(first.rating, 1), fixed(first.error, 1));
        let (name, games) = (&first.name, grouped(first.games));
        Some(format!("{name} leads: {rating} ± {error} after {games} games"))
    }
}

impl RatingGroup {
    fn section(&self, title: String) -> Section {
        let columns = [
            Column::number("#"),
            Column::text("Name"),
            Column::number("Rating"),
            Column::number("±").hint("half of the 95 % interval"),
            Column::number("Points"),
            Column::number("Games"),
            Column::number("Score"),
            Column::number("Won"),
            Column::number("Drawn"),
            Column::number("Lost"),
            Column::number("Opponents").hint("their mean rating, over games"),
            Column::number("Over next").hint("how sure it is that the next is weaker"),
        ];
        let row = |p: &Placing| {
            let held = if p.held_by_prior { "*" } else { "" };
            let score = p.points / p.games.max(1) as f64;
            cells![
                p.rank as u64,
                &p.name,
                Cell::number(p.rating, format!("{}{held}", fixed(p.rating, 1))),
                Cell::number(p.error, fixed(p.error, 1)),
                Cell::number(p.points, fixed(p.points, 1)),
                p.games,
                Cell::number(score, share(score)),
                p.wins,
                p.draws,
                p.losses,
                Cell::number(p.opponents, fixed(p.opponents, 1)),
                p.over_next.map(|los| Cell::number(los, share(los)))
            ]
        };
        let table = Table::new("The list", columns).rows(self.placings.iter().map(row));
        let mut section = Section::new(title).add(self.chart()).add(table);
        if self.placings.iter().any(|p| p.held_by_prior) {
            let text = "* All points with others went one way: the true rating may be infinitely \
                        far away, and an imagined draw keeps this one finite.";
            section = section.text(text);
        }
        section.text(match self.white_advantage_error {
            Some(error) => {
                let advantage = signed(self.white_advantage, 1);
                format!("White's advantage: {advantage} ± {} Elo.", fixed(error, 1))
            }
            None => "White's advantage: not fitted, taken for 0.".to_owned(),
        })
    }

    /// Ratings above the last of the list, as far as they fit a screen.
    fn chart(&self) -> BarChart {
        let floor = self.placings.iter().map(|p| p.rating).fold(f64::INFINITY, f64::min);
        let mut chart = BarChart::new("Elo above the last of the list");
        for placing in self.placings.iter().take(WIDEST) {
            let above = placing.rating - floor;
            let value = format!("{} ± {}", fixed(above, 0), fixed(placing.error, 0));
            chart = chart.bar(placing.name.clone(), above, value);
        }
        chart
    }

    fn crosstable(&self) -> Option<Section> {
        let matrices = self.matrices.as_ref().filter(|_| self.placings.len() <= WIDEST)?;
        let met = |i: usize, j: usize| match matrices.cross[i][j] {
            [0, 0, 0] => String::new(),
            [won, drawn, lost] => format!("+{won} ={drawn} −{lost}"),
        };
        let los = |i: usize, j: usize| fixed(100.0 * matrices.los[i][j], 1);
        let section = Section::new("Who met whom")
            .add(self.square("Crosstable: won, drawn, lost", met))
            .add(self.square("How sure the row is stronger than the column, in per cent", los));
        Some(section)
    }

    /// Everyone against everyone.
    fn square(&self, caption: &str, cell: impl Fn(usize, usize) -> String) -> Table {
        let numbers = self.placings.iter().map(|p| Column::text(p.rank.to_string()));
        let heads = [Column::number("#"), Column::text("Name")].into_iter().chain(numbers);
        let rows = self.placings.iter().enumerate().map(|(i, p)| {
            let cells = (0..self.placings.len())
                .map(|j| Cell::from(if i == j { "·".to_owned() } else { cell(i, j) }));
            cells![p.rank as u64, &p.name].into_iter().chain(cells).collect::<Vec<_>>()
        });
        Table::new(caption, heads).plain().rows(rows)
    }
}
