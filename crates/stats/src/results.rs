//! Results as counts, and as the frequencies that all formulas start from.

use serde::{Deserialize, Serialize};

/// An outcome never seen counts as this many observations, so that no logarithm meets a zero.
const UNSEEN: f64 = 1e-3;

/// Results counted, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Results {
    /// Single games: losses, draws, wins.
    Trinomial([u64; 3]),
    /// Pairs of games with one opening and the colours reversed, by points:
    /// LL (0), LD (½), WL or DD (1), WD (1½), WW (2).
    Pentanomial([u64; 5]),
}

impl Results {
    /// The counts, worst result first.
    pub fn counts(&self) -> &[u64] {
        match self {
            Self::Trinomial(counts) => counts,
            Self::Pentanomial(counts) => counts,
        }
    }

    /// The number of games: a pair is two.
    pub fn games(&self) -> u64 {
        let observations = self.counts().iter().fold(0u64, |sum, &n| sum.saturating_add(n));
        observations.saturating_mul(self.games_per_observation())
    }

    /// 1 for single games, 2 for pairs.
    pub fn games_per_observation(&self) -> u64 {
        match self {
            Self::Trinomial(_) => 1,
            Self::Pentanomial(_) => 2,
        }
    }

    /// The ratio of pairs won to pairs lost, (WD + WW) / (LD + LL); none for single games or
    /// before the first lost pair.
    pub fn pair_ratio(&self) -> Option<f64> {
        match self {
            Self::Pentanomial([ll, ld, _, wd, ww]) if ll.saturating_add(*ld) > 0 => {
                Some((*wd as f64 + *ww as f64) / (*ll as f64 + *ld as f64))
            }
            _ => None,
        }
    }

    pub(crate) fn sample(&self) -> Sample {
        Sample::new(self)
    }
}

/// The observed frequencies with the unseen outcomes filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// How many outcomes there are: 3 or 5.
    pub len: usize,
    /// Observations, games or pairs.
    pub total: f64,
    /// The frequency of each outcome.
    pub p: [f64; 5],
    /// The score of each outcome, from 0 to 1.
    pub score: [f64; 5],
    /// The mean score.
    pub mean: f64,
    /// The variance of the score of one observation.
    pub variance: f64,
    /// Games in one observation.
    pub games_per_observation: f64,
}

impl Sample {
    fn new(results: &Results) -> Self {
        let counts = results.counts();
        let len = counts.len();
        let filled = |n: u64| if n == 0 { UNSEEN } else { n as f64 };
        let total: f64 = counts.iter().map(|&n| filled(n)).sum();
        let (mut p, mut score) = ([0.0; 5], [0.0; 5]);
        for (i, &n) in counts.iter().enumerate() {
            p[i] = filled(n) / total;
            score[i] = i as f64 / (len - 1) as f64;
        }
        let mut sample = Self {
            len,
            total,
            p,
            score,
            mean: 0.0,
            variance: 0.0,
            games_per_observation: results.games_per_observation() as f64,
        };
        (sample.mean, sample.variance) = sample.moments(&p);
        sample
    }

    /// The mean and variance of the score under other frequencies of the same outcomes.
    pub fn moments(&self, q: &[f64; 5]) -> (f64, f64) {
        let outcomes = || q.iter().zip(&self.score).take(self.len);
        let mean: f64 = outcomes().map(|(q, a)| q * a).sum();
        let variance = outcomes().map(|(q, a)| q * (a - mean) * (a - mean)).sum();
        (mean, variance)
    }

    /// Games, where the filled-in observations count too.
    pub fn games(&self) -> f64 {
        self.total * self.games_per_observation
    }

    /// The deviation of one game; for pairs, of the game that would give such pairs.
    pub fn deviation_per_game(&self) -> f64 {
        (self.games_per_observation * self.variance).sqrt()
    }
}

/// The score of a match between two sides, as a runner keeps it: single games, and pairs once
/// both of their games are finished.
///
/// ```
/// use dyno_stats::{Results, Tally};
/// let mut tally = Tally::default();
/// tally.add_pair(2, 1); // a win and a draw, in half points
/// assert_eq!(tally.best(), Results::Pentanomial([0, 0, 0, 1, 0]));
/// tally.add_game(0); // a game that has no partner yet
/// assert_eq!((tally.wins, tally.draws, tally.losses), (1, 1, 1));
/// assert_eq!(tally.best(), Results::Pentanomial([0, 0, 0, 1, 0]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Complete pairs by points: LL, LD, WL or DD, WD, WW.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Counts one game by its half points: 0 lost, 1 drawn, 2 won.
    pub fn add_game(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Counts two games and the pair they make.
    pub fn add_pair(&mut self, first: u8, second: u8) {
        self.add_game(first);
        self.add_game(second);
        self.complete_pair(first, second);
    }

    /// Counts the pair made of two games that have been counted already.
    pub fn complete_pair(&mut self, first: u8, second: u8) {
        self.pairs[usize::from(first.min(2) + second.min(2))] += 1;
    }

    /// Counts everything another tally has counted.
    pub fn absorb(&mut self, other: &Tally) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        for (mine, theirs) in self.pairs.iter_mut().zip(other.pairs) {
            *mine += theirs;
        }
    }

    /// The same games from the other side's point of view.
    #[must_use]
    pub fn mirrored(&self) -> Tally {
        let [ll, ld, even, wd, ww] = self.pairs;
        let pairs = [ww, wd, even, ld, ll];
        Tally { wins: self.losses, losses: self.wins, draws: self.draws, pairs }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.losses).saturating_add(self.draws)
    }

    /// The number of complete pairs.
    pub fn pair_count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Every game by itself.
    pub fn trinomial(&self) -> Results {
        Results::Trinomial([self.losses, self.draws, self.wins])
    }

    /// The complete pairs where there are any, for their error bar is smaller; else the games.
    pub fn best(&self) -> Results {
        if self.pairs == [0; 5] { self.trinomial() } else { Results::Pentanomial(self.pairs) }
    }

    /// The share of games drawn; 0 before the first game.
    pub fn draw_ratio(&self) -> f64 {
        self.draws as f64 / self.games().max(1) as f64
    }
}
