//! The statistics of games: Elo, sequential tests, rating lists.
//!
//! Each report is one value: serialised it is the machine's, its `Display` is the terminal's,
//! and [`pass_chart`] draws the picture of a plan.

mod chart;
mod elo;
mod plan;
mod ratings;
mod status;

pub use chart::pass_chart;
pub use elo::EloReport;
pub use plan::{PlanReport, PlannedStrength};
pub use ratings::{Duel, Placing, RatingGroup, RatingReport};
pub use status::StatusReport;
pub(crate) use status::unit;

use std::fmt;

use dyno_stats::{Homogeneity, Results, Tally};
use serde::Serialize;

use crate::number::{count, grouped, percent, plural};
use crate::terminal::{clean, dim};

/// The version of the JSON that these reports become.
const SCHEMA: u32 = 1;

/// The games that a report is about.
#[derive(Clone, Debug, Serialize)]
pub struct Games {
    /// Whose score it is, where that is known.
    pub player: Option<String>,
    /// Against whom; none for all comers.
    pub opponent: Option<String>,
    /// Wins, losses and draws, where they are known.
    pub tally: Option<Tally>,
    /// What the statistics are computed from.
    pub results: Results,
    /// Games without a result.
    pub unfinished: u64,
    /// What could not be counted, one line each.
    pub skipped: Vec<String>,
    /// Whether several files tell the same story.
    pub files: Option<Homogeneity>,
}

impl Games {
    /// Bare counts.
    pub fn new(tally: Option<Tally>, results: Results) -> Games {
        Games {
            player: None,
            opponent: None,
            tally,
            results,
            unfinished: 0,
            skipped: Vec::new(),
            files: None,
        }
    }

    /// Games that have no partner and so are in no pair.
    fn unpaired(&self) -> u64 {
        match (self.results, &self.tally) {
            (Results::Pentanomial(_), Some(tally)) => {
                tally.games().saturating_sub(self.results.games())
            }
            _ => 0,
        }
    }

    /// Who against whom, the games, the pairs.
    fn write_score(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(player) = &self.player {
            let opponent = self.opponent.as_deref().unwrap_or("all others");
            writeln!(f, "Players    {} against {}", clean(player), clean(opponent))?;
        }
        if let Some(t) = &self.tally {
            writeln!(
                f,
                "Games      {}: {} won, {} lost, {} drawn ({})",
                grouped(t.games()),
                grouped(t.wins),
                grouped(t.losses),
                grouped(t.draws),
                percent(t.draws, t.games()),
            )?;
        }
        if let Results::Pentanomial(pairs) = self.results {
            let [ll, ld, even, wd, ww] = pairs.map(grouped);
            let ratio = self.results.pair_ratio();
            let ratio = ratio.map_or(String::new(), |ratio| format!("  pair ratio {ratio:.2}"));
            writeln!(
                f,
                "Pairs      {}: LL {ll}, LD {ld}, WL/DD {even}, WD {wd}, WW {ww}{ratio}",
                grouped(self.results.games() / 2),
            )?;
        }
        Ok(())
    }

    /// What was left out, and files that disagree.
    fn write_remarks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        if self.unpaired() > 0 {
            let remark = format!(
                "{} of the games have no partner (same opening, colours reversed) and are in no pair.",
                grouped(self.unpaired())
            );
            writeln!(f, "{}", dim(remark))?;
        }
        if self.unfinished > 0 {
            let remark =
                format!("{} without a result left out.", plural(self.unfinished, "game", "games"));
            writeln!(f, "{}", dim(remark))?;
        }
        for skipped in self.skipped.iter().take(SHOWN) {
            writeln!(f, "{}", dim(format!("skipped: {}", clean(skipped))))?;
        }
        if self.skipped.len() > SHOWN {
            let more = count(self.skipped.len() - SHOWN);
            writeln!(f, "{}", dim(format!("… and {more} more; --json lists them all")))?;
        }
        if let Some(files) = &self.files {
            write_agreement(f, files)?;
        }
        Ok(())
    }
}

fn write_agreement(f: &mut fmt::Formatter<'_>, files: &Homogeneity) -> fmt::Result {
    if files.p > 0.01 {
        let remark = format!("The files agree with one another (χ² test, p = {:.2}).", files.p);
        return writeln!(f, "{}", dim(remark));
    }
    writeln!(
        f,
        "Warning: the files disagree (χ² test, p = {:.1e}): were they played alike, on machines alike?",
        files.p
    )?;
    let odd = files.sources.iter().filter(|source| source.residual > files.z95);
    for source in odd {
        writeln!(f, "  {} differs by {:.1} deviations", clean(&source.name), source.residual)?;
    }
    Ok(())
}
