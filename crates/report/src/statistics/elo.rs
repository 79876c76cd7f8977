//! `dyno elo`: the difference, its error bar, and what it takes to know more.

use std::fmt;

use dyno_stats::{Estimate, Results, elo_of_score, score_of_elo};
use serde::Serialize;

use super::{Games, SCHEMA};
use crate::number::{fixed, grouped, share, signed};
use crate::terminal::{bold, dim};
use crate::tournament::all_one_way;

/// What a fixed number of games says.
#[derive(Clone, Debug, Serialize)]
pub struct EloReport {
    schema: u32,
    #[serde(flatten)]
    games: Games,
    estimate: Estimate,
    /// What the same games would say if one did not know which belong together.
    single_games: Option<Estimate>,
    draw_ratio: Option<f64>,
    pair_ratio: Option<f64>,
    /// Whether zero is outside the 95 % interval.
    separated: bool,
    /// Games, in all, that would just separate a difference of this size from zero.
    games_to_separate: Option<f64>,
    /// The 95 % error bar after this many games of this spread.
    error_after: Vec<(u64, f64)>,
}

impl EloReport {
    /// The report on these games.
    pub fn new(games: Games) -> EloReport {
        let estimate = Estimate::of(&games.results);
        let by_pairs = matches!(games.results, Results::Pentanomial(_));
        let whole = games.tally.filter(|_| by_pairs && games.unpaired() == 0);
        EloReport {
            schema: SCHEMA,
            estimate,
            single_games: whole.map(|tally| Estimate::of(&tally.trinomial())),
            draw_ratio: games.tally.map(|tally| tally.draw_ratio()),
            pair_ratio: games.results.pair_ratio(),
            separated: estimate.elo_low > 0.0 || estimate.elo_high < 0.0,
            games_to_separate: estimate.games_to_separate(estimate.elo),
            error_after: [100, 1_000, 10_000].map(|n| (n, estimate.error_after(n as f64))).into(),
            games,
        }
    }

    fn write_figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.estimate;
        if let Some(infinite) = self.games.tally.as_ref().and_then(all_one_way) {
            let at_least = signed(if e.elo > 0.0 { e.elo_low } else { e.elo_high }, 1);
            let bound = dim(format!("(95 %: beyond {at_least})"));
            writeln!(f, "Elo        {}   {bound}", bold(infinite.replace("+/-", "±")))?;
            return self.write_certainty(f);
        }
        let elo = format!("{} ± {}", signed(e.elo, 1), fixed(e.elo_error, 1));
        writeln!(
            f,
            "Elo        {}   {}",
            bold(elo),
            dim(format!("(95 %: {} to {})", signed(e.elo_low, 1), signed(e.elo_high, 1)))
        )?;
        writeln!(f, "nElo       {} ± {}", signed(e.nelo, 1), fixed(e.nelo_error, 1))?;
        self.write_certainty(f)
    }

    fn write_certainty(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.estimate;
        writeln!(
            f,
            "LOS        {}   {}",
            share(e.los),
            dim("(how sure it is that the first side is the stronger)")
        )?;
        writeln!(f, "Score      {}", share(e.score))
    }

    /// The question behind the figures, answered for someone who has never met an error bar.
    fn write_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.estimate;
        let played = self.games.results.games();
        if self.separated {
            let which = if e.elo > 0.0 { "stronger" } else { "weaker" };
            writeln!(
                f,
                "These games show that the first side is {which}: zero is outside the error bar."
            )?;
        } else {
            writeln!(
                f,
                "These games do not show which side is stronger: zero is inside the error bar."
            )?;
            match self.games_to_separate.filter(|_| e.elo.abs() >= 0.05) {
                Some(needed) => {
                    let needed = needed.ceil();
                    let more = (needed - played as f64).max(0.0);
                    writeln!(
                        f,
                        "If the difference really is {} Elo, about {} games would just separate it from 0: {} more.",
                        signed(e.elo, 1),
                        fixed(round_up(needed), 0),
                        fixed(round_up(more), 0),
                    )?;
                }
                None => {
                    for elo in [10.0, 5.0, 2.0] {
                        if let Some(needed) = e.games_to_separate(elo) {
                            let needed = fixed(round_up(needed), 0);
                            writeln!(f, "To tell {elo} Elo from 0 takes about {needed} games.")?;
                        }
                    }
                }
            }
        }
        let bars: Vec<String> = self
            .error_after
            .iter()
            .map(|&(games, error)| format!("{} games give ± {}", grouped(games), fixed(error, 1)))
            .collect();
        match self.games.results.counts().iter().filter(|count| **count > 0).count() {
            1 => writeln!(
                f,
                "All of them ended alike: the sample has no variance, and the error bars are guesses \
                 of the method, not figures of these games."
            )?,
            _ => writeln!(f, "With games like these, {} Elo.", bars.join(", "))?,
        }
        if let Some(single) = self.single_games {
            writeln!(
                f,
                "Counted one by one, without their pairs, the same games would give ± {}.",
                fixed(single.elo_error, 1)
            )?;
        }
        if played < 100 {
            let halves = elo_of_score(score_of_elo(e.elo_error.min(1000.0)));
            writeln!(
                f,
                "Few games: differences below some {} Elo cannot be seen at all.",
                fixed(halves, 0)
            )?;
        }
        Ok(())
    }
}

/// Two digits are all that such an estimate has.
fn round_up(games: f64) -> f64 {
    let unit = 10f64.powf((games.max(1.0).log10().floor() - 1.0).max(0.0));
    (games / unit).ceil() * unit
}

impl fmt::Display for EloReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.games.write_score(f)?;
        self.write_figures(f)?;
        writeln!(f)?;
        self.write_advice(f)?;
        self.games.write_remarks(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::plain;
    use dyno_stats::Tally;

    fn report(wins: u64, losses: u64, draws: u64) -> String {
        let tally = Tally { wins, losses, draws, pairs: [0; 5] };
        plain(&EloReport::new(Games::new(Some(tally), tally.trinomial())).to_string())
    }

    #[test]
    fn says_how_many_games_are_still_needed() {
        let text = report(260, 240, 500);
        assert!(text.contains("Elo        +6.9 ± 15.2"), "{text}");
        assert!(text.contains("about 4,800 games would just separate it from 0: 3,800 more"));
        assert!(text.contains("1,000 games give ± 15.2"), "{text}");
    }

    #[test]
    fn says_when_it_is_settled() {
        assert!(report(136, 96, 111).contains("first side is stronger"));
        assert!(report(96, 136, 111).contains("first side is weaker"));
        assert!(report(100, 100, 100).contains("To tell 5 Elo from 0 takes about"));
        assert!(!report(0, 0, 10).contains("NaN"));
    }

    #[test]
    fn rounds_up_to_two_digits() {
        assert_eq!([4798.0, 7.2, 99.0, 101.0].map(round_up), [4800.0, 8.0, 99.0, 110.0]);
    }
}
