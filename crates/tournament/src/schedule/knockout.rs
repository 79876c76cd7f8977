//! Knockout: the winner of each match goes on, until one engine is left.

use super::{Next, Schedule, Slot};
use crate::plan::Tournament;
use crate::result::Points;
use std::collections::{BTreeMap, BTreeSet};

/// After this many extra pairs without a decision the engine seeded higher goes on.
const MOST_EXTRA_PAIRS: u32 = 20;
/// Games missing in a row: a damaged journal must not fill the memory.
const MOST_MISSING: usize = 1 << 16;

#[derive(Debug)]
pub struct Knockout {
    engines: usize,
    games: u32,
    repeat: u32,
    swap: bool,
    reverse: bool,
    round: u32,
    matches: Vec<Match>,
    /// The first encounter and the first opening of the present round.
    first_encounter: u64,
    openings_used: u64,
    numbers_used: u64,
    /// Numbers of games that were given back.
    numbers_free: BTreeSet<u64>,
    champion: Option<usize>,
    /// Results of a run being resumed that belong to rounds not drawn yet.
    foreseen: BTreeMap<(u64, u32), (Slot, Points)>,
}

#[derive(Debug)]
struct Match {
    first: usize,
    /// Absent for a bye.
    second: Option<usize>,
    handed_out: BTreeSet<u32>,
    /// Half points of `first`, by game.
    results: BTreeMap<u32, u8>,
}

impl Schedule for Knockout {
    fn total(&self) -> Option<u64> {
        None
    }

    fn next(&mut self) -> Next<Slot> {
        loop {
            if self.champion.is_some() {
                return Next::Done;
            }
            let open =
                (0..self.matches.len()).find_map(|m| self.open_game(m).map(|index| (m, index)));
            if let Some((m, index)) = open {
                self.matches[m].handed_out.insert(index);
                let number = self.numbers_free.pop_first().unwrap_or_else(|| {
                    self.numbers_used += 1;
                    self.numbers_used - 1
                });
                return Next::Game(self.slot(m, index, number));
            }
            let winners: Option<Vec<usize>> =
                self.matches.iter().map(|m| m.winner(self.games)).collect();
            match winners {
                None => return Next::Wait,
                Some(winners) if winners.len() == 1 => self.champion = Some(winners[0]),
                Some(winners) => self.next_round(&winners),
            }
        }
    }

    fn give_back(&mut self, slot: &Slot) {
        if let Some(m) = slot.encounter.checked_sub(self.first_encounter)
            && let Some(contest) = self.matches.get_mut(m as usize)
        {
            contest.handed_out.remove(&slot.index);
            self.numbers_free.insert(slot.number);
        }
    }

    /// A game of a round still to be drawn is believed until the round shows who plays it.
    fn owes(&self, slot: &Slot) -> bool {
        let Some(place) = slot.encounter.checked_sub(self.first_encounter) else { return false };
        let key = (slot.encounter, slot.index);
        match self.matches.get(place as usize) {
            Some(contest) => {
                let pair = [Some(slot.white), Some(slot.black)];
                let players = [Some(contest.first), contest.second];
                players.iter().all(|p| pair.contains(p))
                    && !contest.results.contains_key(&slot.index)
            }
            None => !self.foreseen.contains_key(&key) && slot.white.max(slot.black) < self.engines,
        }
    }

    fn record(&mut self, slot: &Slot, points: Points) {
        // Numbers that a resumed run leaves out belong to games that it still owes: handed out in
        // their order, these get the numbers that they had before.
        self.numbers_free.extend((self.numbers_used..slot.number).take(MOST_MISSING));
        self.numbers_used = self.numbers_used.max(slot.number.saturating_add(1));
        self.numbers_free.remove(&slot.number);
        let place = slot.encounter.checked_sub(self.first_encounter).map(|m| m as usize);
        let Some(contest) = place.and_then(|m| self.matches.get_mut(m)) else {
            if slot.encounter >= self.first_encounter {
                self.foreseen.insert((slot.encounter, slot.index), (*slot, points));
            }
            return;
        };
        let first = if slot.white == contest.first { points.white() } else { points.black() };
        contest.results.insert(slot.index, first);
        contest.handed_out.remove(&slot.index);
        self.settle();
    }

    fn champion(&self) -> Option<usize> {
        self.champion
    }
}

impl Knockout {
    pub fn new(engines: usize, tournament: &Tournament) -> Self {
        let mut knockout = Self {
            engines,
            games: tournament.games.max(1),
            repeat: tournament.repeat.max(1),
            swap: tournament.swap,
            reverse: tournament.reverse,
            round: 1,
            matches: Vec::new(),
            first_encounter: 0,
            openings_used: 0,
            numbers_used: 0,
            numbers_free: BTreeSet::new(),
            champion: None,
            foreseen: BTreeMap::new(),
        };
        knockout.draw_round(&bracket(engines));
        knockout
    }

    /// Pairs the seats of a round, two by two.
    fn draw_round(&mut self, seats: &[Option<usize>]) {
        self.matches = seats
            .chunks(2)
            .filter_map(|pair| {
                let mut present = pair.iter().flatten().copied();
                let first = present.next()?;
                let second = present.next();
                Some(Match { first, second, handed_out: BTreeSet::new(), results: BTreeMap::new() })
            })
            .collect();
        let encounters = self.first_encounter..self.first_encounter + self.matches.len() as u64;
        let (now, later) = std::mem::take(&mut self.foreseen)
            .into_iter()
            .partition(|((e, _), _)| encounters.contains(e));
        self.foreseen = later;
        let now: BTreeMap<(u64, u32), (Slot, Points)> = now;
        for (slot, points) in now.into_values() {
            self.record(&slot, points);
        }
    }

    fn next_round(&mut self, winners: &[usize]) {
        self.first_encounter += self.matches.len() as u64;
        let per_match = u64::from((self.games + 2 * MOST_EXTRA_PAIRS).div_ceil(self.repeat));
        self.openings_used += self.matches.len() as u64 * per_match;
        self.round += 1;
        let seats: Vec<Option<usize>> = winners.iter().copied().map(Some).collect();
        self.draw_round(&seats);
    }

    /// The next game of a match that is not decided: a planned one, or an extra pair once all
    /// games so far are played and level.
    fn open_game(&self, m: usize) -> Option<u32> {
        let contest = &self.matches[m];
        contest.second?;
        if contest.winner(self.games).is_some() {
            return None;
        }
        let played = contest.results.len() as u32;
        let wanted = if played < self.games { self.games } else { self.extended(played) };
        (0..wanted).find(|i| !contest.handed_out.contains(i) && !contest.results.contains_key(i))
    }

    /// How many games are due once `played` of them left the match level.
    fn extended(&self, played: u32) -> u32 {
        let extra = played - self.games;
        self.games + (extra / 2 + 1) * 2
    }

    fn slot(&self, m: usize, index: u32, number: u64) -> Slot {
        let contest = &self.matches[m];
        let second = contest.second.unwrap_or(contest.first);
        let swapped = (self.swap && index % 2 == 1) != self.reverse;
        let (white, black) =
            if swapped { (second, contest.first) } else { (contest.first, second) };
        let per_match = (self.games + 2 * MOST_EXTRA_PAIRS).div_ceil(self.repeat);
        Slot {
            number,
            white,
            black,
            round: self.round,
            encounter: self.first_encounter + m as u64,
            index,
            opening: self.openings_used
                + m as u64 * u64::from(per_match)
                + u64::from(index / self.repeat),
            // Numbers are given as games are handed out, so a partner's is not known here.
            partner: None,
        }
    }

    /// Draws the next rounds as far as the results reach, so that resumed games find their place.
    fn settle(&mut self) {
        while self.champion.is_none() && !self.foreseen.is_empty() {
            let winners: Option<Vec<usize>> =
                self.matches.iter().map(|m| m.winner(self.games)).collect();
            match winners {
                Some(winners) if winners.len() > 1 => self.next_round(&winners),
                _ => break,
            }
        }
    }
}

impl Match {
    fn winner(&self, games: u32) -> Option<usize> {
        let Some(second) = self.second else { return Some(self.first) };
        let played = self.results.len() as u32;
        let points: i64 = self.results.values().map(|&half| i64::from(half) - 1).sum();
        let complete = played >= games && (played - games).is_multiple_of(2);
        let exhausted = played >= games + 2 * MOST_EXTRA_PAIRS;
        match points {
            _ if !complete => None,
            1.. => Some(self.first),
            ..=-1 => Some(second),
            0 if exhausted => Some(self.first.min(second)),
            0 => None,
        }
    }
}

/// Seats so that the first engines meet as late as possible; the missing ones are byes.
fn bracket(engines: usize) -> Vec<Option<usize>> {
    let mut seats = vec![0usize];
    while seats.len() < engines {
        let size = 2 * seats.len();
        seats = seats.iter().flat_map(|&s| [s, size - 1 - s]).collect();
    }
    seats.into_iter().map(|s| (s < engines).then_some(s)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knockout(engines: usize, games: u32) -> Knockout {
        Knockout::new(engines, &Tournament { games, ..Tournament::default() })
    }

    /// Plays to the end; the engine with the lower index wins with White, all else is drawn.
    fn play(mut knockout: Knockout) -> (Vec<(Slot, Points)>, usize) {
        let mut games = Vec::new();
        while let Next::Game(slot) = knockout.next() {
            let points = if slot.white < slot.black { Points::WhiteWins } else { Points::Draw };
            knockout.record(&slot, points);
            games.push((slot, points));
        }
        let champion = knockout.champion().unwrap_or(usize::MAX);
        (games, champion)
    }

    #[test]
    fn brackets_and_byes() {
        assert_eq!(bracket(4), [Some(0), Some(3), Some(1), Some(2)]);
        assert_eq!(bracket(3), [Some(0), None, Some(1), Some(2)]);
        let (games, champion) = play(knockout(5, 2));
        assert_eq!((games.len(), champion), (8, 0));
        assert_eq!(games.last().map(|g| g.0.round), Some(3));
    }

    #[test]
    fn numbers_have_no_gaps() {
        let mut knockout = knockout(4, 2);
        let Next::Game(first) = knockout.next() else { panic!("no game") };
        knockout.give_back(&first);
        let (games, _) = play(knockout);
        let numbers: Vec<u64> = games.iter().map(|(slot, _)| slot.number).collect();
        assert_eq!(numbers, (0..games.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn resumed_games_get_the_numbers_that_they_had() {
        let mut before = knockout(8, 2);
        let handed_out: Vec<Slot> = std::iter::from_fn(|| match before.next() {
            Next::Game(slot) => Some(slot),
            _ => None,
        })
        .collect();
        assert_eq!(handed_out.len(), 8);
        let mut resumed = knockout(8, 2);
        for slot in handed_out.iter().filter(|slot| [6, 1, 4].contains(&slot.number)) {
            resumed.record(slot, Points::Draw);
        }
        for slot in handed_out.iter().filter(|slot| ![6, 1, 4].contains(&slot.number)) {
            assert_eq!(resumed.next(), Next::Game(*slot));
        }
    }

    #[test]
    fn a_level_match_is_extended_by_pairs() {
        let mut contest = knockout(2, 2);
        let mut count = 0;
        while let Next::Game(slot) = contest.next() {
            let decisive = slot.index == 5;
            contest.record(&slot, if decisive { Points::WhiteWins } else { Points::Draw });
            count += 1;
        }
        assert_eq!((count, contest.champion()), (6, Some(1)));
        let mut endless = knockout(2, 2);
        let mut count = 0;
        while let Next::Game(slot) = endless.next() {
            endless.record(&slot, Points::Draw);
            count += 1;
        }
        assert_eq!((count, endless.champion()), (2 + 2 * MOST_EXTRA_PAIRS, Some(0)));
    }

    #[test]
    fn resuming_at_any_game_gives_the_same_games() {
        let (games, champion) = play(knockout(6, 2));
        for cut in 0..=games.len() {
            let mut resumed = knockout(6, 2);
            // Journals hold games in the order they finished, which may be any.
            for (slot, points) in games[..cut].iter().rev() {
                resumed.record(slot, *points);
            }
            let (rest, winner) = play(resumed);
            let key = |(s, _): &(Slot, Points)| (s.encounter, s.index, s.white, s.opening);
            let mut all: Vec<_> = games[..cut].iter().chain(&rest).map(key).collect();
            all.sort_unstable();
            let mut wanted: Vec<_> = games.iter().map(key).collect();
            wanted.sort_unstable();
            assert_eq!((all, winner), (wanted, champion), "cut at {cut}");
        }
    }
}
