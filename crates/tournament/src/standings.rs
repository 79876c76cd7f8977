//! What the games so far add up to.

use super::plan::{Carried, Plan};
use super::record::{FaultKind, GameRecord};
use super::result::{Points, Termination};
use super::sprt::SprtTrack;
use super::workers::WorkerTallies;
use dyno_chess::Color;
use dyno_stats::{Encounter, Estimate, Rated, RatingOptions, Tally, fit_ratings};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wdl {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Wdl {
    fn absorb(&mut self, tally: &Tally) {
        self.wins += tally.wins;
        self.draws += tally.draws;
        self.losses += tally.losses;
    }

    fn count(&mut self, half_points: u8) {
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }
}

impl std::ops::Add for Wdl {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

/// The results of complete pairs alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedScore {
    pub games: Wdl,
    /// Pairs of a win and a loss, and of two draws: even both, but not alike.
    pub win_loss: u64,
    pub draw_draw: u64,
}

impl PairedScore {
    fn add(&mut self, a: u8, b: u8) {
        self.games.count(a);
        self.games.count(b);
        match (a, b) {
            (2, 0) | (0, 2) => self.win_loss += 1,
            (1, 1) => self.draw_draw += 1,
            _ => {}
        }
    }
}

/// What one engine did in all its games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineStats {
    pub name: String,
    pub white: Wdl,
    pub black: Wdl,
    /// Results brought from another tool, whose colours are not known.
    pub carried: Wdl,
    pub moves: u64,
    /// Nanoseconds thought, and the longest thought.
    pub nanos: u64,
    pub longest: u64,
    pub depth_sum: u64,
    pub depth_moves: u64,
    pub nodes: u64,
    pub latency: Latency,
    /// The part of the latency that Dyno needed to get a processor: not on the engine's clock.
    #[serde(default)]
    pub wake_up: Wait,
    /// What the engine's threads waited for a processor in its longer moves: on its clock.
    #[serde(default)]
    pub queued: Wait,
    #[serde(default)]
    pub ponder: PonderStats,
    /// How its games ended.
    #[serde(default)]
    pub ends: BTreeMap<String, Wdl>,
    #[serde(with = "by_label")]
    pub faults: BTreeMap<FaultKind, u64>,
}

/// Counts of faults by the words that reports use for them.
mod by_label {
    use super::{BTreeMap, FaultKind};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(
        faults: &BTreeMap<FaultKind, u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(faults.iter().map(|(kind, count)| (kind.label(), count)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<FaultKind, u64>, D::Error> {
        let labelled = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let kind = |(label, count): (String, u64)| match FaultKind::from_label(&label) {
            Some(kind) => Ok((kind, count)),
            None => Err(D::Error::custom(format!("no kind of fault: {label:?}"))),
        };
        labelled.into_iter().map(kind).collect()
    }
}

impl EngineStats {
    pub fn total(&self) -> Wdl {
        self.white + self.black + self.carried
    }

    pub fn fault(&self, kind: FaultKind) -> u64 {
        self.faults.get(&kind).copied().unwrap_or(0)
    }

    pub fn mean_depth(&self) -> Option<f64> {
        (self.depth_moves > 0).then(|| self.depth_sum as f64 / self.depth_moves as f64)
    }
}

/// How much longer moves took than the engine believes, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    pub moves: u64,
    pub sum: u64,
    pub most: u64,
    /// Below 1 ms, 2, 5, 10, 20, 50, 100 ms, and beyond.
    pub buckets: [u64; 8],
}

/// The upper ends of the buckets, in microseconds.
pub const LATENCY_BUCKETS: [u64; 7] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];

impl Latency {
    fn add(&mut self, latency: Duration) {
        let micros = latency.as_micros() as u64;
        self.moves += 1;
        self.sum += micros;
        self.most = self.most.max(micros);
        self.buckets[LATENCY_BUCKETS.partition_point(|&end| end <= micros)] += 1;
    }

    /// Microseconds on average.
    pub fn mean(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.sum as f64 / self.moves as f64)
    }
}

/// Waits for a processor, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub sum: u64,
    pub most: u64,
}

impl Wait {
    fn add(&mut self, nanos: u64) {
        self.sum = self.sum.saturating_add(nanos);
        self.most = self.most.max(nanos);
    }
}

/// How often an engine pondered before its move, and how often on the move that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PonderStats {
    pub moves: u64,
    pub hits: u64,
}

/// The match so far, after this many games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    pub games: u64,
    pub elo: f64,
    pub low: f64,
    pub high: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llr: Option<f64>,
}

/// The course of a match is kept in at most this many points.
const MOST_POINTS: usize = 500;

/// An engine's rating among those of its tournament, whose mean is 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineRating {
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Whether all its points went one way, so that only an imagined draw keeps the rating finite.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held_by_prior: bool,
}

/// Everything that is counted.
#[derive(Debug)]
pub struct Standings {
    pub engines: Vec<EngineStats>,
    /// By pairing, lower index first and from its point of view.
    pub versus: BTreeMap<(usize, usize), Tally>,
    /// By White and Black, from White's point of view: what ratings are fitted to.
    by_colour: BTreeMap<(usize, usize), Wdl>,
    /// The games of complete pairs of the first two engines, from the first one's point of view.
    pub paired: PairedScore,
    /// From White's point of view.
    pub white: Wdl,
    /// How games ended, in the words of the PGN.
    pub ends: BTreeMap<String, u64>,
    pub terminations: BTreeMap<Termination, u64>,
    pub games: u64,
    pub plies: u64,
    pub faults: Vec<(u64, super::record::Fault)>,
    pub sprt: Option<SprtTrack>,
    pub trace: Vec<TracePoint>,
    /// What came from other machines.
    pub workers: WorkerTallies,
    stride: u64,
    /// Half points of the lower index in games whose partner is not finished.
    half_pairs: HashMap<u64, u8>,
}

/// Faults are listed up to this number; beyond it they are only counted.
const MOST_FAULTS: usize = 200;

impl Standings {
    pub fn new(plan: &Plan) -> Self {
        let engine = |name: &str| EngineStats { name: name.to_owned(), ..EngineStats::default() };
        let mut standings = Self {
            engines: plan.engines.iter().map(|e| engine(e.name())).collect(),
            versus: BTreeMap::new(),
            by_colour: BTreeMap::new(),
            paired: PairedScore::default(),
            white: Wdl::default(),
            ends: BTreeMap::new(),
            terminations: BTreeMap::new(),
            games: 0,
            plies: 0,
            faults: Vec::new(),
            sprt: SprtTrack::of(plan),
            trace: Vec::new(),
            workers: WorkerTallies::default(),
            stride: 1,
            half_pairs: HashMap::new(),
        };
        plan.carried.iter().for_each(|carried| standings.carry(carried));
        standings
    }

    fn carry(&mut self, carried: &Carried) {
        let Carried { first, second, tally } = carried;
        self.games += tally.games();
        self.engines[*first].carried.absorb(tally);
        self.engines[*second].carried.absorb(&tally.mirrored());
        self.versus.entry((*first, *second)).or_default().absorb(tally);
        // The colours are not known.
        self.by_colour.entry((*first, *second)).or_default().absorb(tally);
    }

    /// Every engine's rating as `dyno ratings` would give it for the same games; none as long as
    /// the games do not connect the engines.
    pub fn ratings(&self) -> Option<Vec<EngineRating>> {
        let encounter = |(&(white, black), wdl): (&(usize, usize), &Wdl)| {
            let Wdl { wins, draws, losses } = *wdl;
            Encounter { white, black, wins, draws, losses }
        };
        let encounters: Vec<Encounter> = self.by_colour.iter().map(encounter).collect();
        let options = RatingOptions::default();
        let fit = fit_ratings(self.engines.len(), &encounters, options, |_| {}).ok()?;
        let rating = |(index, rated): (usize, &Rated)| EngineRating {
            elo: rated.rating,
            error: rated.error,
            held_by_prior: fit.held_by_prior.contains(&index),
        };
        Some(fit.players.iter().enumerate().map(rating).collect())
    }

    /// The tally of the first engine against the second.
    pub fn tally(&self) -> Tally {
        self.versus.get(&(0, 1)).copied().unwrap_or_default()
    }

    /// Counts a game. `partner` says which game completes the pair of another.
    pub fn add(&mut self, record: &GameRecord, partner: &dyn Fn(u64) -> Option<u64>) {
        self.games += 1;
        self.plies += record.moves.len() as u64;
        self.add_points(record);
        self.add_pair(record);
        *self.ends.entry(record.result.kind()).or_default() += 1;
        *self.terminations.entry(record.result.termination()).or_default() += 1;
        self.add_moves(record);
        self.add_faults(record);
        if let Some(sprt) = &mut self.sprt {
            let first = if record.slot.white == 0 { Color::White } else { Color::Black };
            sprt.add(record.slot.number, half_points(record.result.points, first), partner);
        }
        if self.engines.len() == 2 {
            self.add_trace();
        }
    }

    fn add_points(&mut self, record: &GameRecord) {
        let points = record.result.points;
        self.white.count(points.white());
        let label = record.result.end.label();
        for color in [Color::White, Color::Black] {
            let (half, stats) =
                (half_points(points, color), &mut self.engines[record.engine(color)]);
            let by_color = if color == Color::White { &mut stats.white } else { &mut stats.black };
            by_color.count(half);
            stats.ends.entry(label.to_owned()).or_default().count(half);
        }
        let players = (record.slot.white, record.slot.black);
        self.by_colour.entry(players).or_default().count(points.white());
    }

    fn add_pair(&mut self, record: &GameRecord) {
        let slot = &record.slot;
        let (low, high) = (slot.white.min(slot.black), slot.white.max(slot.black));
        let color = if slot.white == low { Color::White } else { Color::Black };
        let half = half_points(record.result.points, color);
        self.workers.add(record);
        let tally = self.versus.entry((low, high)).or_default();
        tally.add_game(half);
        let Some(partner) = slot.partner else { return };
        match self.half_pairs.remove(&partner) {
            Some(other) => {
                tally.complete_pair(half, other);
                if (low, high) == (0, 1) {
                    self.paired.add(half, other);
                }
            }
            None => drop(self.half_pairs.insert(slot.number, half)),
        }
    }

    fn add_moves(&mut self, record: &GameRecord) {
        let first = first_mover(record);
        for (i, mv) in record.moves.iter().enumerate().filter(|(_, mv)| !mv.book) {
            let color = if i % 2 == 0 { first } else { !first };
            let stats = &mut self.engines[record.engine(color)];
            stats.moves += 1;
            stats.nanos += mv.nanos;
            stats.longest = stats.longest.max(mv.nanos);
            stats.nodes += mv.nodes.unwrap_or(0);
            if let Some(depth) = mv.depth {
                stats.depth_sum += u64::from(depth);
                stats.depth_moves += 1;
            }
            stats.wake_up.add(mv.wake_up);
            stats.queued.add(mv.queued);
            if let Some(hit) = mv.ponder_hit {
                stats.ponder.moves += 1;
                stats.ponder.hits += u64::from(hit);
            }
            if let Some(latency) = mv.latency() {
                stats.latency.add(latency);
            }
        }
    }

    fn add_faults(&mut self, record: &GameRecord) {
        for fault in &record.faults {
            let stats = &mut self.engines[fault.engine];
            *stats.faults.entry(fault.kind).or_default() += u64::from(fault.count);
            if self.faults.len() < MOST_FAULTS {
                self.faults.push((record.slot.number, fault.clone()));
            }
        }
    }

    fn add_trace(&mut self) {
        if !self.games.is_multiple_of(self.stride) {
            return;
        }
        let estimate = Estimate::of(&self.tally().best());
        self.trace.push(TracePoint {
            games: self.games,
            elo: estimate.elo,
            low: estimate.elo_low,
            high: estimate.elo_high,
            llr: self.sprt.as_ref().map(SprtTrack::llr),
        });
        if self.trace.len() > MOST_POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.trace.retain(|point| point.games.is_multiple_of(stride));
        }
    }

    /// Engines by points per game, the best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.engines.len()).collect();
        let score = |i: &usize| self.engines[*i].total().score();
        order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        order
    }
}

fn half_points(points: Points, color: Color) -> u8 {
    match color {
        Color::White => points.white(),
        Color::Black => points.black(),
    }
}

/// The side that made the first recorded move.
fn first_mover(record: &GameRecord) -> Color {
    let to_move = match &record.start.fen {
        Some(fen) if fen.split_ascii_whitespace().nth(1) == Some("b") => Color::Black,
        _ => Color::White,
    };
    if record.start.moves.len().is_multiple_of(2) { to_move } else { !to_move }
}
