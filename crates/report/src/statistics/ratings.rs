//! `dyno ratings`: the list, who leads whom, who met whom.

use std::fmt;

use dyno_stats::{Encounter, Fit, RatingModel};
use serde::Serialize;

use super::SCHEMA;
use crate::number::{count, fixed, grouped, percent, share, signed};
use crate::row;
use crate::terminal::{Cell, Table, bold, clean, dim, left, right};

/// Matrices of more players do not fit a screen.
const MATRIX: usize = 12;

/// One row of the list.
#[derive(Clone, Debug, Serialize)]
pub struct Placing {
    rank: usize,
    name: String,
    rating: f64,
    error: f64,
    points: f64,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// The mean rating of the opponents, over games.
    opponents: f64,
    /// How sure it is that this player is stronger than the next.
    over_next: Option<f64>,
    /// Whether imagined draws hold the rating back from infinity.
    held_by_prior: bool,
}

/// Players whom games connect, best first.
#[derive(Clone, Debug, Serialize)]
pub struct RatingGroup {
    placings: Vec<Placing>,
    model: RatingModel,
    /// The advantage of White in Elo as printed, with its error where it was fitted.
    white_advantage: f64,
    white_advantage_error: Option<f64>,
    equal_draw_rate: Option<f64>,
    log_likelihood: f64,
    /// How sure it is that the row's player is stronger than the column's.
    los: Vec<Vec<f64>>,
    /// The row's player against the column's: won, drawn, lost.
    cross: Vec<Vec<[u64; 3]>>,
}

impl RatingGroup {
    /// The list of a fit. `names` and `encounters` are of the fit's players; `level` turns a
    /// rating around zero into the printed one.
    pub fn new(
        names: &[&str],
        encounters: &[Encounter],
        fit: &Fit,
        level: impl Fn(f64) -> f64,
    ) -> RatingGroup {
        let n = names.len();
        let mut met = vec![vec![[0u64; 3]; n]; n];
        for e in encounters {
            for (who, whom, result) in [
                (e.white, e.black, [e.wins, e.draws, e.losses]),
                (e.black, e.white, [e.losses, e.draws, e.wins]),
            ] {
                for (sum, more) in met[who][whom].iter_mut().zip(result) {
                    *sum += more;
                }
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| fit.players[b].strength.total_cmp(&fit.players[a].strength));
        let placing = |(place, &player): (usize, &usize)| {
            let [wins, draws, losses] =
                met[player].iter().fold([0; 3], |[w, d, l], [a, b, c]| [w + a, d + b, l + c]);
            let games = wins + draws + losses;
            let weighted = met[player].iter().zip(&fit.players);
            let opponents: f64 =
                weighted.map(|(r, other)| r.iter().sum::<u64>() as f64 * other.rating).sum();
            Placing {
                rank: place + 1,
                name: names[player].to_owned(),
                rating: level(fit.players[player].rating),
                error: fit.players[player].error,
                points: wins as f64 + draws as f64 / 2.0,
                games,
                wins,
                draws,
                losses,
                opponents: level(opponents / games.max(1) as f64),
                over_next: order.get(place + 1).map(|&next| fit.los(player, next)),
                held_by_prior: fit.held_by_prior.contains(&player),
            }
        };
        RatingGroup {
            placings: order.iter().enumerate().map(placing).collect(),
            model: fit.model,
            white_advantage: fit.white_advantage * fit.scale,
            white_advantage_error: fit.white_advantage_error.map(|error| error * fit.scale),
            equal_draw_rate: fit.equal_draw_rate,
            log_likelihood: fit.log_likelihood,
            los: order.iter().map(|&a| order.iter().map(|&b| fit.los(a, b)).collect()).collect(),
            cross: order.iter().map(|&a| order.iter().map(|&b| met[a][b]).collect()).collect(),
        }
    }

    fn list(&self) -> Table {
        let heads = [
            right("#"),
            left("Name"),
            right("Rating"),
            right("±"),
            right("Points"),
            right("Games"),
            right("Score"),
            right("Won"),
            right("Drawn"),
            right("Lost"),
            right("Draws"),
            right("Opponents"),
            right("Over next"),
        ];
        Table::new(heads).rows(self.placings.iter().map(|p| {
            let held = if p.held_by_prior { "*" } else { "" };
            row![
                p.rank,
                &p.name,
                format!("{}{held}", fixed(p.rating, 1)),
                fixed(p.error, 1),
                fixed(p.points, 1),
                p.games,
                share(p.points / p.games.max(1) as f64),
                p.wins,
                p.draws,
                p.losses,
                percent(p.draws, p.games),
                fixed(p.opponents, 1),
                p.over_next.map(share),
            ]
        }))
    }

    /// A table of every player against every player, whom it numbers by rank.
    fn matrix(&self, cell: impl Fn(usize, usize) -> String) -> Table {
        let numbers = self.placings.iter().map(|p| right(p.rank.to_string()));
        let heads = [right("#"), left("Name")].into_iter().chain(numbers);
        let rows = self.placings.iter().enumerate().map(|(i, p)| {
            let cells = (0..self.placings.len())
                .map(|j| Cell::from(if i == j { "·".to_owned() } else { cell(i, j) }));
            row![p.rank, &p.name].into_iter().chain(cells).collect::<Vec<_>>()
        });
        Table::new(heads).rows(rows)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, all: bool) -> fmt::Result {
        write!(f, "{}", self.list())?;
        if self.placings.iter().any(|p| p.held_by_prior) {
            let text =
                "* all points with others went one way; an imagined draw keeps the rating finite";
            writeln!(f, "{}", dim(text))?;
        }
        writeln!(f)?;
        match self.white_advantage_error {
            Some(error) => {
                let advantage = signed(self.white_advantage, 1);
                writeln!(f, "White's advantage: {advantage} ± {} Elo", fixed(error, 1))?;
            }
            None => writeln!(f, "White's advantage: not fitted, taken for 0")?,
        }
        if let Some(rate) = self.equal_draw_rate {
            writeln!(f, "Draws between equals: {}", share(rate))?;
        }
        if self.placings.len() > MATRIX && !all {
            let text = format!(
                "Cross table and LOS matrix of {} players left out; --all prints them.",
                count(self.placings.len())
            );
            return writeln!(f, "{}", dim(text));
        }
        writeln!(f, "\n{}", bold("Cross table (won, drawn, lost)"))?;
        let score = |i: usize, j: usize| match self.cross[i][j] {
            [0, 0, 0] => String::new(),
            [won, drawn, lost] => {
                format!("+{} ={} -{}", grouped(won), grouped(drawn), grouped(lost))
            }
        };
        write!(f, "{}", self.matrix(score))?;
        writeln!(f, "\n{}", bold("LOS (%): how sure the row is stronger than the column"))?;
        write!(f, "{}", self.matrix(|i, j| fixed(100.0 * self.los[i][j], 1)))
    }
}

/// A rating list; several where the games do not connect everyone.
#[derive(Clone, Debug, Serialize)]
pub struct RatingReport {
    schema: u32,
    groups: Vec<RatingGroup>,
    unfinished: u64,
    skipped: Vec<String>,
    #[serde(skip)]
    all: bool,
}

impl RatingReport {
    /// The report; `all` prints matrices of any size.
    pub fn new(groups: Vec<RatingGroup>, unfinished: u64, skipped: Vec<String>, all: bool) -> Self {
        RatingReport { schema: SCHEMA, groups, unfinished, skipped, all }
    }
}

impl fmt::Display for RatingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.groups.len() > 1 {
            writeln!(
                f,
                "The games do not connect all players: {} groups never met, so their ratings cannot\n\
                 be compared. Each has a list of its own; a few games between them would join them.\n",
                count(self.groups.len())
            )?;
        }
        for (index, group) in self.groups.iter().enumerate() {
            if self.groups.len() > 1 {
                writeln!(f, "{}", bold(format!("Group {}", index + 1)))?;
            }
            group.write(f, self.all)?;
            if index + 1 < self.groups.len() {
                writeln!(f)?;
            }
        }
        if self.unfinished > 0 {
            let text = format!("{} games without a result left out.", grouped(self.unfinished));
            writeln!(f, "{}", dim(text))?;
        }
        for skipped in self.skipped.iter().take(5) {
            writeln!(f, "{}", dim(format!("skipped: {}", clean(skipped))))?;
        }
        if self.skipped.len() > 5 {
            let more = count(self.skipped.len() - 5);
            writeln!(f, "{}", dim(format!("… and {more} more; --json lists them all")))?;
        }
        Ok(())
    }
}
