//! The figures that matter most, as tiles.

use super::State;
use super::course::expected_games;
use dyno_report::Verdict;
use dyno_report::html::{Html, Note, Tiles};
use dyno_report::number::{self, fixed, grouped, signed};
use dyno_report::tournament::all_one_way;
use dyno_stats::{AdjustedElo, Estimate, SprtVerdict};
use dyno_tournament::{Control, Ending, Format, SprtSummary};

/// A figure that programs can read as well: exact, beside what people read.
fn figure(id: &str, value: f64, text: impl Into<Html>) -> Html {
    let value = if value.is_finite() { value.to_string() } else { String::new() };
    Html::trusted(format!("<data id=\"{id}\" value=\"{value}\">{}</data>", text.into()))
}

impl State {
    /// How it stands, in one line above everything else.
    pub fn banner(&self, control: &Control) -> Html {
        let (verdict, text) = match (self.ending, self.sprt_verdict()) {
            (Some(_), SprtVerdict::AcceptH1) => (Verdict::Pass, "Over: H1 was accepted".to_owned()),
            (Some(_), SprtVerdict::AcceptH0) => (Verdict::Fail, "Over: H0 was accepted".to_owned()),
            (Some(ending), _) => (Verdict::Skip, over(ending).to_owned()),
            (None, _) if control.stopping_now() => (Verdict::Warn, "Stopping now".to_owned()),
            (None, _) if control.winding_down() => {
                (Verdict::Warn, "Stopping: the running games are being finished".to_owned())
            }
            (None, _) if control.is_stopping_after_pair() => {
                (Verdict::Warn, "Stopping after the pairs that have begun".to_owned())
            }
            (None, _) if control.is_paused() => {
                let text = "Paused: the running games are finished, no new ones start";
                (Verdict::Warn, text.to_owned())
            }
            (None, _) => {
                // A cluster plays on more boards than this machine would.
                let games = self.running.len().max(control.concurrency());
                let games = number::plural(games as u64, "game", "games");
                (Verdict::Skip, format!("Running, {games} at once"))
            }
        };
        Note::new(verdict, Html::strong(text)).into()
    }

    fn sprt_verdict(&self) -> SprtVerdict {
        self.standings.sprt.as_ref().map_or(SprtVerdict::Continue, |track| track.verdict())
    }

    pub fn tiles(&self) -> Html {
        let tiles = self.progress(Tiles::new());
        let tiles = match self.standings.engines.len() {
            2 => self.duel(self.test(tiles)),
            // Those who are out have played fewer games: the tree says who is in front.
            _ if self.plan.tournament.format == Format::Knockout => tiles,
            _ => self.leader(tiles),
        };
        tiles.into()
    }

    fn progress(&self, tiles: Tiles) -> Tiles {
        let games = self.standings.games;
        let of = self.total.map_or_else(String::new, |total| format!("of {}", grouped(total)));
        let tiles = tiles.tile("Games", figure("games", games as f64, grouped(games)), of);
        if self.ending.is_some() {
            return tiles;
        }
        let left = self.total.map(|total| total.saturating_sub(games) as f64);
        let test = self.standings.sprt.as_ref().and_then(expected_games);
        let (games, why) = match (left, test) {
            (Some(left), Some(test)) if test < left => {
                (Some(test), format!("about {} games, at this strength", grouped(test as u64)))
            }
            (Some(left), _) => (Some(left), format!("{} games", grouped(left as u64))),
            (None, Some(test)) => (Some(test), format!("about {} games", grouped(test as u64))),
            (None, None) => (None, String::new()),
        };
        let Some(games) = games else { return tiles };
        match self.course.time_for(games) {
            Some(time) => tiles.tile("Expected remaining", number::duration(time), why),
            None => tiles.tile("Expected remaining", "–", "after a few games"),
        }
    }

    fn test(&self, tiles: Tiles) -> Tiles {
        let Some(sprt) = SprtSummary::of(&self.standings) else { return tiles };
        let bound = if sprt.llr < 0.0 { sprt.lower } else { sprt.upper };
        let share = (sprt.llr / bound).clamp(0.0, 1.0);
        let tiles = tiles.tile(
            "LLR",
            figure("llr", sprt.llr, fixed(sprt.llr, 2)),
            format!(
                "{} % of the way; bounds {} and {}",
                fixed(100.0 * share, 0),
                fixed(sprt.lower, 2),
                fixed(sprt.upper, 2)
            ),
        );
        let (all, counted) =
            (self.observations(&self.standings.tally()), self.observations(&sprt.tally));
        let waiting = all.saturating_sub(counted);
        let unit = if self.counts_pairs() { "Pairs counted" } else { "Games counted" };
        let waits = Html::text("finished and waiting: ").and(figure(
            "waiting",
            waiting as f64,
            grouped(waiting),
        ));
        tiles.tile(unit, figure("counted", counted as f64, grouped(counted)), waits)
    }

    fn duel(&self, tiles: Tiles) -> Tiles {
        let tally = self.standings.tally();
        let estimate = Estimate::of(&tally.best());
        let points = tally.wins as f64 + tally.draws as f64 / 2.0;
        let share = 100.0 * points / tally.games().max(1) as f64;
        let (low, high) = (signed(estimate.elo_low, 1), signed(estimate.elo_high, 1));
        let (elo, interval) = match all_one_way(&tally) {
            _ if tally.games() == 0 => ("–".to_owned(), String::new()),
            Some(infinite) => {
                let bound = if tally.wins > 0 { low } else { high };
                (infinite.replace("+/-", "±"), format!("95 %: beyond {bound}"))
            }
            None => (
                format!("{} ± {}", signed(estimate.elo, 1), fixed(estimate.elo_error, 1)),
                format!("95 %: {low} to {high}"),
            ),
        };
        let mut tiles = tiles.tile("Elo difference", figure("elo", estimate.elo, elo), interval);
        if let Some(track) = &self.standings.sprt
            && track.tally().games() > 0
        {
            let adjusted = AdjustedElo::of(track.run().sprt(), &track.results());
            tiles = tiles.tile(
                "Elo allowing for the stop",
                figure("adjusted", adjusted.elo, signed(adjusted.elo, 1)),
                format!(
                    "95 %: {} to {}",
                    signed(adjusted.elo_low, 1),
                    signed(adjusted.elo_high, 1)
                ),
            );
        }
        let wdl = Html::default()
            .and(figure("wins", tally.wins as f64, grouped(tally.wins)))
            .and(" – ")
            .and(figure("losses", tally.losses as f64, grouped(tally.losses)))
            .and(" – ")
            .and(figure("draws", tally.draws as f64, grouped(tally.draws)));
        tiles.tile("Wins, losses, draws", wdl, format!("{} % of the points", fixed(share, 1))).tile(
            "Likelihood of superiority",
            figure("los", estimate.los, format!("{} %", fixed(100.0 * estimate.los, 1))),
            format!("{} % drawn", fixed(100.0 * tally.draw_ratio(), 1)),
        )
    }

    fn leader(&self, tiles: Tiles) -> Tiles {
        let order = self.standings.ranking();
        let Some(best) = order.first().and_then(|best| self.standings.engines.get(*best)) else {
            return tiles;
        };
        let total = best.total();
        let share = format!("{} % of {} games", fixed(100.0 * total.score(), 1), total.games());
        match total.games() {
            0 => tiles,
            _ => tiles.tile("In front", best.name.as_str(), share),
        }
    }
}

fn over(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "Over: every game was played",
        Ending::Decided => "Over: the test is decided",
        Ending::Interrupted => "Stopped before the end; --resume goes on",
        Ending::Fault => "Stopped by an engine's fault",
    }
}
