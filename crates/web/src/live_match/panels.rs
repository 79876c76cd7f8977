//! The parts of the page besides the boards.

use super::State;
use crate::live::Panel;
use dyno_report::Verdict;
use dyno_report::html::{ColumnChart, Facts, Html, LineChart, Note, Row, Series};
use dyno_report::number::fixed;
use dyno_tournament::{Control, Format, SprtSummary, pgn::limits_text};

impl State {
    /// Every part, in the order of the page. All are there from the start, so that the page knows
    /// their places; what has nothing to show is empty.
    pub fn panels(&mut self, control: &Control) -> Vec<Panel> {
        let is_knockout = self.plan.tournament.format == Format::Knockout && self.tuning.is_none();
        let has_table = self.standings.engines.len() > 2;
        let tree = is_knockout.then(|| self.contests.tree(&self.plan, self.schedule.champion()));
        vec![
            Panel::new("state", "", self.banner(control)),
            Panel::new("figures", "", self.tiles()),
            Panel::new("warnings", "", self.notes()),
            Panel::new("tree", "Knockout", tree.unwrap_or_default()),
            Panel::new(
                "standings",
                "Standings",
                if has_table { self.ratings() } else { Html::default() },
            ),
            Panel::new(
                "cross",
                "Crosstable",
                if has_table { self.crosstable() } else { Html::default() },
            ),
            Panel::new("tuning", "Parameters", self.parameters()),
            Panel::new("course", "Course of the match", self.charts()),
            Panel::new("results", "Results", self.result_table()),
            Panel::new("faults", "Faults", self.fault_list()),
            Panel::new("workers", "Workers", self.workers.table()),
            Panel::new("engines", "Engines", self.engine_facts()),
            Panel::new("log", "Events", self.event_log()),
        ]
    }

    fn notes(&self) -> Html {
        self.warnings
            .iter()
            .map(|w| Html::from(Note::new(Verdict::Warn, w.message.clone())))
            .collect()
    }

    fn charts(&mut self) -> Html {
        if self.standings.engines.len() != 2 || self.course.points.is_empty() {
            return Html::default();
        }
        let mut row = Row::new();
        if let Some(chart) = self.test_chart() {
            row = row.add(chart);
        }
        row = row.add(self.elo_chart());
        let tally = self.standings.tally();
        if tally.pair_count() > 0 {
            let title = "Pairs: one opening, both colours";
            row = row.add(ColumnChart::pentanomial(title, tally.pairs));
        }
        row.into()
    }

    fn test_chart(&self) -> Option<LineChart> {
        let sprt = SprtSummary::of(&self.standings)?;
        let unit = if self.counts_pairs() { "pairs counted" } else { "games counted" };
        let points = self
            .course
            .points
            .iter()
            .filter_map(|point| point.test.as_ref())
            .map(|test| (test.counted as f64, test.llr));
        let chart = LineChart::new("Log-likelihood ratio")
            .x(unit)
            .y("LLR")
            .bound(sprt.upper, format!("H1 accepted: {} Elo", fixed(sprt.elo1, 1)))
            .bound(sprt.lower, format!("H0 accepted: {} Elo", fixed(sprt.elo0, 1)))
            .y_range(sprt.lower * 1.1, sprt.upper * 1.1)
            .series(Series::new("LLR", points).steps());
        Some(chart)
    }

    fn elo_chart(&mut self) -> LineChart {
        let last = self.course.points.last().map_or(0, |p| p.games);
        // The beginning says nothing and would flatten the rest of the picture.
        let is_settled = |games: u64| games * 20 >= last && games >= 4;
        let sprt = self.standings.sprt.as_ref();
        let (mut plain, mut band, mut adjusted) = (Vec::new(), Vec::new(), Vec::new());
        for point in self.course.points.iter_mut().filter(|point| is_settled(point.games)) {
            let games = point.games as f64;
            plain.push((games, point.elo));
            band.push((games, point.low, point.high));
            if let (Some(track), Some(test)) = (sprt, &mut point.test) {
                adjusted.push((games, test.adjusted(track.run())));
            }
        }
        let chart = LineChart::new("Elo difference with its 95 % band")
            .x("games")
            .y("Elo")
            .bound(0.0, "")
            .series(Series::new("Elo", plain).band(band));
        if sprt.is_none() {
            return chart;
        }
        let line = adjusted.iter().map(|(games, elo)| (*games, elo.elo));
        let band = adjusted.iter().map(|(games, elo)| (*games, elo.elo_low, elo.elo_high));
        chart.series(Series::new("allowing for the stop", line).band(band))
    }

    fn engine_facts(&self) -> Html {
        let mut facts = Facts::new();
        for (index, id) in self.engines.iter().enumerate() {
            let program = id.id.clone().unwrap_or_else(|| id.name.clone());
            let mut line = format!("{program}, {}", limits_text(&self.plan, index));
            for (name, value) in &id.options {
                line += &format!(", {name}={value}");
            }
            if let Some(hash) = &id.file_hash {
                line += &format!(", file {hash}");
            }
            facts = facts.fact(id.name.clone(), line);
        }
        if facts.is_empty() { Html::default() } else { facts.into() }
    }
}
