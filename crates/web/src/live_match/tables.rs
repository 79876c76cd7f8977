//! Tables and lists of a match: standings, crosstable, results, faults, parameters, events.

use super::State;
use dyno_report::cells;
use dyno_report::html::{Cell, Code, Column, Details, Html, Table};
use dyno_report::number::{fixed, signed};
use dyno_tournament::pgn;
use std::collections::BTreeMap;

impl State {
    /// Engines by their ratings, fitted to all games at once.
    pub fn ratings(&self) -> Html {
        let engines = &self.standings.engines;
        let fitted = self.standings.ratings();
        let columns = [
            Column::number("Rank"),
            Column::text("Engine"),
            Column::number("Elo").hint("fitted to all games; the mean of all engines is 0"),
            Column::number("±"),
            Column::number("Games"),
            Column::number("Points"),
            Column::number("Score %"),
            Column::number("Won"),
            Column::number("Drawn"),
            Column::number("Lost"),
        ];
        let mut table = Table::new("Standings", columns).plain();
        for (rank, index) in self.standings.ranking().into_iter().enumerate() {
            let (engine, total) = (&engines[index], engines[index].total());
            let rated = fitted.as_ref().and_then(|ratings| ratings.get(index));
            table = table.row(cells![
                rank as u64 + 1,
                engine.name.as_str(),
                rated.map(|rated| signed(rated.elo, 0)),
                rated.map(|rated| fixed(rated.error, 0)),
                total.games(),
                fixed(total.wins as f64 + total.draws as f64 / 2.0, 1),
                fixed(100.0 * total.score(), 1),
                total.wins,
                total.draws,
                total.losses
            ]);
        }
        table.into()
    }

    /// Points of each against each.
    pub fn crosstable(&self) -> Html {
        let order = self.standings.ranking();
        let mut columns = vec![Column::text("Engine")];
        columns.extend((1..=order.len()).map(|rank| Column::number(rank.to_string())));
        let mut table = Table::new("Points of each against each, and games", columns).plain();
        for (rank, &row) in order.iter().enumerate() {
            let name = format!("{}. {}", rank + 1, self.standings.engines[row].name);
            let mut line = vec![Cell::from(name)];
            line.extend(order.iter().map(|&column| Cell::from(self.meeting(row, column))));
            table = table.row(line);
        }
        table.into()
    }

    fn meeting(&self, row: usize, column: usize) -> String {
        if row == column {
            return "·".to_owned();
        }
        let tally = self.standings.versus.get(&(row.min(column), row.max(column)));
        let Some(tally) = tally.copied() else { return String::new() };
        let tally = if row < column { tally } else { tally.mirrored() };
        let points = tally.wins as f64 + tally.draws as f64 / 2.0;
        format!("{} / {}", fixed(points, usize::from(tally.draws % 2 == 1)), tally.games())
    }

    pub fn result_table(&self) -> Html {
        if self.results.is_empty() {
            return Html::default();
        }
        let table =
            game_table("The latest games", &self.results, &format!("/live/{}", self.run), true);
        let all = Html::link("All finished games", &format!("/live/{}/games", self.run));
        Html::from(table).and(Html::paragraph(all))
    }

    pub fn fault_list(&self) -> Html {
        let counts: BTreeMap<&str, u64> =
            self.standings.engines.iter().flat_map(|engine| &engine.faults).fold(
                BTreeMap::new(),
                |mut counts, (kind, count)| {
                    *counts.entry(kind.label()).or_default() += count;
                    counts
                },
            );
        if counts.is_empty() {
            return Html::default();
        }
        let sum: Vec<String> = counts.iter().map(|(kind, n)| format!("{kind}: {n}")).collect();
        let mut out = Html::paragraph(sum.join(", "));
        for fault in &self.faults {
            let head = Html::text(format!("{}: {} in game ", fault.engine, fault.kind))
                .and(fault.game.to_string());
            let game = format!("/live/{}/game/{}", self.run, fault.game);
            let mut details = Details::new(head)
                .text(fault.detail.as_str())
                .add(Html::paragraph(Html::link("The game", &game)));
            if let Some((path, text)) = &fault.evidence {
                details = details
                    .text(Html::text("Evidence: ").and(Html::code(path)))
                    .add(Code::new(text.as_str()).label("The end of the conversation"));
            }
            out.push(details);
        }
        out
    }

    /// The parameters of a tuning, and where they are.
    pub fn parameters(&self) -> Html {
        let Some(schedule) = &self.tuning else { return Html::default() };
        let trajectory = schedule.trajectory();
        let tuning = trajectory.tuning();
        let columns = [
            Column::code("Parameter"),
            Column::number("Start"),
            Column::number("Now"),
            Column::number("From"),
            Column::number("To"),
        ];
        let caption =
            format!("After {} of {} iterations", trajectory.applied(), tuning.iterations());
        let mut table = Table::new(caption, columns).plain();
        for (parameter, now) in tuning.parameters.iter().zip(trajectory.values()) {
            table = table.row(cells![
                parameter.name.as_str(),
                parameter.start,
                fixed(*now, 2),
                parameter.min,
                parameter.max
            ]);
        }
        table.into()
    }

    pub fn event_log(&self) -> Html {
        let line = |(at, text): &(u64, String)| {
            let (_, time) = pgn::utc(*at);
            format!("<li><time>{}</time> {}</li>", Html::text(time), Html::text(text))
        };
        let lines: String = self.log.iter().map(line).collect();
        Html::trusted(format!(
            "<ol class=\"log\" tabindex=\"0\" aria-label=\"Events, the latest first; times are UTC\">{lines}</ol>"
        ))
    }
}

/// Finished games, each with a link to the board; `base` is the address of their run.
pub(crate) fn game_table<'a>(
    caption: &str,
    rows: impl IntoIterator<Item = &'a crate::games::GameRow>,
    base: &str,
    is_plain: bool,
) -> Table {
    let columns = [
        Column::number("Game"),
        Column::text("White"),
        Column::text("Black"),
        Column::text("Result"),
        Column::text("End"),
        Column::number("Plies"),
        Column::number("Faults"),
    ];
    let mut table = Table::new(caption, columns);
    if is_plain {
        table = table.plain();
    }
    for row in rows {
        let link = Html::link(row.number.to_string(), &format!("{base}/game/{}", row.number));
        table = table.row(cells![
            Cell::number(row.number as f64, link),
            row.white.as_str(),
            row.black.as_str(),
            row.result,
            row.reason.as_str(),
            row.plies,
            (row.faults > 0).then_some(row.faults)
        ]);
    }
    table
}
