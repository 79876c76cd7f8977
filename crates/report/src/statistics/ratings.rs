//! `dyno ratings`: the list, who leads whom, who met whom.

use std::collections::HashSet;
use std::fmt;

use dyno_stats::{EXACT_PLAYERS, Encounter, Fit, RatingModel, Tally};
use serde::Serialize;

use super::SCHEMA;
use crate::number::{count, fixed, grouped, percent, plural, share, signed};
use crate::row;
use crate::terminal::{Cell, Table, bold, clean, dim, left, right};
use crate::tournament::elo_line;

mod page;

/// Matrices of more players do not fit a screen.
const MATRIX: usize = 12;

/// One row of the list.
#[derive(Clone, Debug, Serialize)]
pub struct Placing {
    rank: usize,
    name: String,
    rating: f64,
    error: f64,
    /// Whether the error is an estimate by sampling.
    is_error_sampled: bool,
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
    /// How sure it is that the row's player is stronger than the column's, and the row's player
    /// against the column's: won, drawn, lost. Not of a list longer than `EXACT_PLAYERS`.
    #[serde(flatten)]
    matrices: Option<Matrices>,
}

#[derive(Clone, Debug, Serialize)]
struct Matrices {
    los: Vec<Vec<f64>>,
    cross: Vec<Vec<[u64; 3]>>,
}

impl Matrices {
    /// Of the players in this order.
    fn new(order: &[usize], encounters: &[Encounter], fit: &Fit) -> Matrices {
        let n = order.len();
        let mut place = vec![0; n];
        for (at, &player) in order.iter().enumerate() {
            place[player] = at;
        }
        let mut cross = vec![vec![[0; 3]; n]; n];
        for e in encounters {
            add(&mut cross[place[e.white]][place[e.black]], [e.wins, e.draws, e.losses]);
            add(&mut cross[place[e.black]][place[e.white]], [e.losses, e.draws, e.wins]);
        }
        let los = order.iter().map(|&a| order.iter().map(|&b| fit.los(a, b)).collect()).collect();
        Matrices { los, cross }
    }
}

/// One player's games with all others.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    /// Won, drawn, lost.
    results: [u64; 3],
    /// The ratings of the opponents, added up over games.
    opponents: f64,
}

fn add(sum: &mut [u64; 3], more: [u64; 3]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

fn totals(encounters: &[Encounter], fit: &Fit) -> Vec<Total> {
    let mut totals = vec![Total::default(); fit.players.len()];
    for e in encounters {
        for (who, whom, results) in [
            (e.white, e.black, [e.wins, e.draws, e.losses]),
            (e.black, e.white, [e.losses, e.draws, e.wins]),
        ] {
            add(&mut totals[who].results, results);
            totals[who].opponents += e.games() as f64 * fit.players[whom].rating;
        }
    }
    totals
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
        let totals = totals(encounters, fit);
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| fit.players[b].strength.total_cmp(&fit.players[a].strength));
        let held: HashSet<usize> = fit.held_by_prior.iter().copied().collect();
        let placing = |(place, &player): (usize, &usize)| {
            let Total { results: [wins, draws, losses], opponents } = totals[player];
            let games = wins + draws + losses;
            let rated = fit.players[player];
            Placing {
                rank: place + 1,
                name: names[player].to_owned(),
                rating: level(rated.rating),
                error: rated.error,
                is_error_sampled: rated.is_sampled,
                points: wins as f64 + draws as f64 / 2.0,
                games,
                wins,
                draws,
                losses,
                opponents: level(opponents / games.max(1) as f64),
                over_next: order.get(place + 1).map(|&next| fit.los(player, next)),
                held_by_prior: held.contains(&player),
            }
        };
        let is_short = order.len() <= EXACT_PLAYERS;
        RatingGroup {
            placings: order.iter().enumerate().map(placing).collect(),
            model: fit.model,
            white_advantage: fit.white_advantage * fit.scale,
            white_advantage_error: fit.white_advantage_error.map(|error| error * fit.scale),
            equal_draw_rate: fit.equal_draw_rate,
            log_likelihood: fit.log_likelihood,
            matrices: is_short.then(|| Matrices::new(&order, encounters, fit)),
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
            let sampled = if p.is_error_sampled { "~" } else { "" };
            row![
                p.rank,
                &p.name,
                format!("{}{held}", fixed(p.rating, 1)),
                format!("{sampled}{}", fixed(p.error, 1)),
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
        if self.placings.iter().any(|p| p.is_error_sampled) {
            let text =
                "~ estimated by sampling, within a few per cent; the top of the list is exact";
            writeln!(f, "{}", dim(text))?;
        }
        if self.placings.iter().all(|p| p.error == 0.0) {
            let text =
                "every game was drawn: results that do not vary have no error bars in this model";
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
        let Some(matrices) =
            self.matrices.as_ref().filter(|_| all || self.placings.len() <= MATRIX)
        else {
            let hint = match self.matrices {
                Some(_) => "; --all prints them".to_owned(),
                None => format!(": there are none of more than {}", count(EXACT_PLAYERS)),
            };
            let players = count(self.placings.len());
            let text = format!("Cross table and LOS matrix of {players} players left out{hint}.");
            return writeln!(f, "{}", dim(text));
        };
        writeln!(f, "\n{}", bold("Cross table (won, drawn, lost)"))?;
        let score = |i: usize, j: usize| match matrices.cross[i][j] {
            [0, 0, 0] => String::new(),
            [won, drawn, lost] => {
                format!("+{} ={} -{}", grouped(won), grouped(drawn), grouped(lost))
            }
        };
        write!(f, "{}", self.matrix(score))?;
        writeln!(f, "\n{}", bold("LOS (%): how sure the row is stronger than the column"))?;
        write!(f, "{}", self.matrix(|i, j| fixed(100.0 * matrices.los[i][j], 1)))
    }
}

/// A rating list; several where the games do not connect everyone.
#[derive(Clone, Debug, Serialize)]
pub struct RatingReport {
    schema: u32,
    groups: Vec<RatingGroup>,
    unfinished: u64,
    skipped: Vec<String>,
    /// Two players alone, by pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    duel: Option<Duel>,
    #[serde(skip)]
    all: bool,
}

/// The games of two players, as `dyno match` and `dyno elo` count them.
#[derive(Clone, Debug, Serialize)]
pub struct Duel {
    /// Whose score it is.
    pub player: String,
    /// Against whom.
    pub opponent: String,
    /// The score.
    pub tally: Tally,
}

impl Duel {
    fn players(&self) -> String {
        format!("{} against {}", clean(&self.player), clean(&self.opponent))
    }
}

impl RatingReport {
    /// The report; `all` prints matrices of any size.
    pub fn new(groups: Vec<RatingGroup>, unfinished: u64, skipped: Vec<String>, all: bool) -> Self {
        RatingReport { schema: SCHEMA, groups, unfinished, skipped, duel: None, all }
    }

    /// The same with the difference of the only two players.
    #[must_use]
    pub fn with_duel(mut self, duel: Option<Duel>) -> Self {
        self.duel = duel;
        self
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
        if let Some(duel) = &self.duel {
            let text = "by pairs, as dyno match and dyno elo have it:";
            writeln!(f, "\n{} {text}\n{}", duel.players(), elo_line(&duel.tally))?;
        }
        if self.unfinished > 0 {
            let text =
                format!("{} without a result left out.", plural(self.unfinished, "game", "games"));
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
