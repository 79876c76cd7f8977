//! Swiss system: each round, engines with like scores meet that have not met before.
//!
//! A round is paired once all games of the one before have results, from those results alone: the
//! order in which they came in does not matter. Within a group of equal scores the upper half meets
//! the lower half. An engine left over sits out with a full score, once.

use super::{Next, Schedule, Slot};
use crate::plan::{Policy, Tournament};
use crate::result::Points;
use std::collections::{BTreeMap, BTreeSet};

/// Attempts to pair a round without a rematch before rematches are accepted.
const MOST_ATTEMPTS: u32 = 20_000;

/// A Swiss tournament.
#[derive(Debug)]
pub struct Swiss {
    engines: usize,
    tournament: Tournament,
    policy: Policy,
    /// The rounds drawn so far.
    rounds: Vec<Round>,
    /// Half points by the number of the game.
    results: BTreeMap<u64, u8>,
    handed_out: BTreeSet<u64>,
    /// Results of a run being resumed that belong to rounds not drawn yet.
    foreseen: BTreeMap<u64, (Slot, Points)>,
}

#[derive(Debug)]
struct Round {
    /// Who begins with White, and the other one.
    pairs: Vec<[usize; 2]>,
    bye: Option<usize>,
}

/// What pairing looks at: how an engine stands before a round.
#[derive(Clone, Debug, Default)]
struct Standing {
    half_points: u64,
    opponents: Vec<usize>,
    /// Encounters begun with White, minus those begun with Black; and the last of them.
    white_balance: i32,
    last_white: bool,
    had_bye: bool,
}

impl Schedule for Swiss {
    fn total(&self) -> Option<u64> {
        Some(u64::from(self.tournament.rounds) * self.games_in_round())
    }

    fn next(&mut self) -> Next<Slot> {
        loop {
            let drawn = self.rounds.len() as u64 * self.games_in_round();
            let open = (0..drawn)
                .rev()
                .take(self.games_in_round() as usize)
                .filter(|number| self.is_open(*number))
                .min();
            // After damage to a journal a game of an earlier round may be owed again.
            let open = open.or_else(|| (0..drawn).find(|number| self.is_open(*number)));
            if let Some(number) = open {
                self.handed_out.insert(number);
                return Next::Game(self.slot(number));
            }
            if (0..drawn).any(|number| !self.results.contains_key(&number)) {
                return Next::Wait;
            }
            if self.rounds.len() >= self.tournament.rounds as usize {
                return Next::Done;
            }
            self.draw_round();
        }
    }

    fn give_back(&mut self, slot: &Slot) {
        self.handed_out.remove(&slot.number);
    }

    fn owes(&self, slot: &Slot) -> bool {
        let number = slot.number;
        if self.results.contains_key(&number) || self.foreseen.contains_key(&number) {
            return false;
        }
        match number < self.rounds.len() as u64 * self.games_in_round() {
            true => self.slot(number) == *slot,
            false => {
                self.total().is_some_and(|total| number < total)
                    && slot.white.max(slot.black) < self.engines
            }
        }
    }

    fn record(&mut self, slot: &Slot, points: Points) {
        if slot.number >= self.rounds.len() as u64 * self.games_in_round() {
            self.foreseen.insert(slot.number, (*slot, points));
        } else {
            self.count(slot, points);
        }
        self.settle();
    }

    fn partner(&self, number: u64) -> Option<u64> {
        (number < self.rounds.len() as u64 * self.games_in_round())
            .then(|| self.slot(number).partner)
            .flatten()
    }

    /// By points, then by the points of the opponents (Buchholz).
    fn champion(&self) -> Option<usize> {
        let complete = self.total().is_some_and(|total| self.results.len() as u64 >= total);
        if !complete {
            return None;
        }
        let table = self.standings();
        let buchholz = |standing: &Standing| -> u64 {
            standing.opponents.iter().map(|other| table[*other].half_points).sum()
        };
        (0..self.engines).max_by_key(|&engine| {
            let standing = &table[engine];
            (standing.half_points, buchholz(standing), std::cmp::Reverse(engine))
        })
    }
}

impl Swiss {
    /// The first round pairs the engines in the order given, upper half against lower half.
    pub fn new(engines: usize, tournament: &Tournament, policy: Policy) -> Self {
        let mut swiss = Self {
            engines,
            tournament: tournament.clone(),
            policy,
            rounds: Vec::new(),
            results: BTreeMap::new(),
            handed_out: BTreeSet::new(),
            foreseen: BTreeMap::new(),
        };
        swiss.draw_round();
        swiss
    }

    fn games_in_round(&self) -> u64 {
        (self.engines / 2) as u64 * u64::from(self.tournament.games.max(1))
    }

    fn is_open(&self, number: u64) -> bool {
        !self.results.contains_key(&number) && !self.handed_out.contains(&number)
    }

    fn count(&mut self, slot: &Slot, points: Points) {
        self.results.insert(slot.number, points.white());
        self.handed_out.remove(&slot.number);
    }

    /// Draws further rounds as far as the results of a resumed run reach.
    fn settle(&mut self) {
        while !self.foreseen.is_empty()
            && self.rounds.len() < self.tournament.rounds as usize
            && self.results.len() as u64 == self.rounds.len() as u64 * self.games_in_round()
        {
            self.draw_round();
            let drawn = self.rounds.len() as u64 * self.games_in_round();
            let later = self.foreseen.split_off(&drawn);
            for (number, (slot, points)) in std::mem::replace(&mut self.foreseen, later) {
                // A round that was paired otherwise is played again.
                if self.slot(number) == slot {
                    self.count(&slot, points);
                }
            }
        }
    }

    fn draw_round(&mut self) {
        let table = self.standings();
        let mut order: Vec<usize> = (0..self.engines).collect();
        order.sort_by_key(|&engine| (std::cmp::Reverse(table[engine].half_points), engine));
        let bye = (self.engines % 2 == 1).then(|| {
            let fresh = order.iter().rposition(|&engine| !table[engine].had_bye);
            order.remove(fresh.unwrap_or(order.len() - 1))
        });
        let mut attempts = 0;
        let pairs = pair(&order, &table, false, &mut attempts)
            .or_else(|| {
                attempts = 0;
                pair(&order, &table, true, &mut attempts)
            })
            .unwrap_or_else(|| order.chunks_exact(2).map(|two| [two[0], two[1]]).collect());
        let place = self.rounds.len();
        let colours = |(board, pair): (usize, [usize; 2])| colours(pair, &table, board + place);
        let pairs = pairs.into_iter().enumerate().map(colours).collect();
        self.rounds.push(Round { pairs, bye });
    }

    /// How the engines stand after all rounds drawn, as far as they are played.
    fn standings(&self) -> Vec<Standing> {
        let mut table = vec![Standing::default(); self.engines];
        let games = u64::from(self.tournament.games.max(1));
        for (r, round) in self.rounds.iter().enumerate() {
            for (board, &[first, second]) in round.pairs.iter().enumerate() {
                for (engine, other, white) in [(first, second, true), (second, first, false)] {
                    table[engine].opponents.push(other);
                    table[engine].white_balance += if white { 1 } else { -1 };
                    table[engine].last_white = white;
                }
                let start = r as u64 * self.games_in_round() + board as u64 * games;
                for number in start..start + games {
                    let Some(&white) = self.results.get(&number) else { continue };
                    let slot = self.slot(number);
                    table[slot.white].half_points += u64::from(white);
                    table[slot.black].half_points += u64::from(2 - white);
                }
            }
            if let Some(engine) = round.bye {
                table[engine].had_bye = true;
                table[engine].half_points += 2 * games;
            }
        }
        table
    }

    /// A game of a round that has been drawn.
    fn slot(&self, number: u64) -> Slot {
        let games = u64::from(self.tournament.games.max(1));
        let repeat = u64::from(self.tournament.repeat.max(1));
        let round = number / self.games_in_round();
        let (board, index) =
            (number % self.games_in_round() / games, number % self.games_in_round() % games);
        let encounter = number / games;
        let [first, second] = self.rounds[round as usize].pairs[board as usize];
        let swapped = (self.tournament.swap && index % 2 == 1) != self.tournament.reverse;
        let (white, black) = if swapped { (second, first) } else { (first, second) };
        let opening = |index: u64| match self.policy {
            Policy::Keep => 0,
            Policy::Encounter => encounter,
            Policy::Round => round,
            Policy::Default => encounter * games.div_ceil(repeat) + index / repeat,
        };
        let partner = index ^ 1;
        let paired = partner < games && self.tournament.swap && opening(index) == opening(partner);
        Slot {
            number,
            white,
            black,
            round: round as u32 + 1,
            encounter,
            index: index as u32,
            opening: opening(index),
            partner: paired.then_some(encounter * games + partner),
        }
    }
}

/// Pairs the engines, the best first. `None` when there is no way without a rematch, or none was
/// found.
fn pair(
    order: &[usize],
    table: &[Standing],
    rematches: bool,
    attempts: &mut u32,
) -> Option<Vec<[usize; 2]>> {
    let Some((&top, rest)) = order.split_first() else { return Some(Vec::new()) };
    let points = |engine: usize| table[engine].half_points;
    // The best opponent is as far down the group of equal scores as half of it reaches.
    let group = 1 + rest.iter().take_while(|&&other| points(other) == points(top)).count();
    let ideal = (group / 2).saturating_sub(1);
    let met = |other: usize| table[top].opponents.contains(&other);
    let mut candidates: Vec<usize> =
        (0..rest.len()).filter(|&i| rematches || !met(rest[i])).collect();
    candidates.sort_by_key(|&i| {
        let meetings = table[top].opponents.iter().filter(|&&other| other == rest[i]).count();
        (meetings, points(top).abs_diff(points(rest[i])), i.abs_diff(ideal), i)
    });
    for i in candidates {
        *attempts += 1;
        if *attempts > MOST_ATTEMPTS {
            return None;
        }
        let left: Vec<usize> =
            rest.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &other)| other).collect();
        if let Some(mut pairs) = pair(&left, table, rematches, attempts) {
            pairs.insert(0, [top, rest[i]]);
            return Some(pairs);
        }
    }
    None
}

/// Who begins with White: the one that has done so less often, or did not the last time; at equal
/// right it alternates from board to board.
fn colours([upper, lower]: [usize; 2], table: &[Standing], place: usize) -> [usize; 2] {
    let claim = |engine: usize| {
        let standing = &table[engine];
        (standing.white_balance, !standing.opponents.is_empty() && standing.last_white)
    };
    let upper_first = match claim(upper).cmp(&claim(lower)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => place.is_multiple_of(2),
    };
    if upper_first { [upper, lower] } else { [lower, upper] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn swiss(engines: usize, rounds: u32, games: u32) -> Swiss {
        let tournament = Tournament { rounds, games, ..Tournament::default() };
        Swiss::new(engines, &tournament, Policy::Default)
    }

    /// The engine with the lower index wins; equal colours by chance of the numbers.
    fn result(slot: &Slot) -> Points {
        if slot.white < slot.black { Points::WhiteWins } else { Points::BlackWins }
    }

    fn play(mut swiss: Swiss) -> (Vec<(Slot, Points)>, Option<usize>) {
        let mut games = Vec::new();
        while let Next::Game(slot) = swiss.next() {
            let points = result(&slot);
            swiss.record(&slot, points);
            games.push((slot, points));
        }
        (games, swiss.champion())
    }

    #[test]
    fn no_rematch_no_second_bye_and_the_best_wins() {
        for (engines, rounds) in [(2, 1), (4, 3), (5, 4), (8, 5), (9, 6), (16, 7), (31, 9)] {
            let (games, champion) = play(swiss(engines, rounds, 2));
            assert_eq!(games.len(), rounds as usize * (engines / 2) * 2);
            assert_eq!(champion, Some(0), "{engines} engines");
            let mut met = HashSet::new();
            for (slot, _) in games.iter().filter(|(slot, _)| slot.index == 0) {
                let pair = (slot.white.min(slot.black), slot.white.max(slot.black));
                assert!(met.insert(pair), "{pair:?} met twice among {engines}");
            }
            for round in 1..=rounds {
                let players: Vec<usize> = games
                    .iter()
                    .filter(|(slot, _)| slot.round == round && slot.index == 0)
                    .flat_map(|(slot, _)| [slot.white, slot.black])
                    .collect();
                let distinct: HashSet<usize> = players.iter().copied().collect();
                assert_eq!((distinct.len(), players.len()), (engines / 2 * 2, engines / 2 * 2));
            }
        }
    }

    #[test]
    fn colours_are_fair_with_single_games() {
        let (games, _) = play(swiss(8, 5, 1));
        for engine in 0..8 {
            let whites = games.iter().filter(|(slot, _)| slot.white == engine).count();
            assert!((1..=4).contains(&whites), "engine {engine}: {whites} of 5 with White");
        }
    }

    #[test]
    fn a_round_waits_for_the_one_before() {
        let mut swiss = swiss(4, 2, 1);
        let (Next::Game(a), Next::Game(b)) = (swiss.next(), swiss.next()) else {
            panic!("no game")
        };
        assert_eq!(swiss.next(), Next::Wait);
        swiss.record(&b, Points::Draw);
        assert_eq!(swiss.next(), Next::Wait);
        swiss.give_back(&a);
        assert_eq!(swiss.next(), Next::Game(a));
        swiss.record(&a, Points::WhiteWins);
        assert!(matches!(swiss.next(), Next::Game(slot) if slot.round == 2));
    }

    #[test]
    fn more_rounds_than_opponents_bring_rematches() {
        let (games, _) = play(swiss(4, 5, 1));
        assert_eq!(games.len(), 10);
    }

    #[test]
    fn resuming_at_any_game_gives_the_same_games() {
        let (games, champion) = play(swiss(7, 4, 2));
        for cut in 0..=games.len() {
            let mut resumed = swiss(7, 4, 2);
            for (slot, points) in games[..cut].iter().rev() {
                assert!(resumed.owes(slot));
                resumed.record(slot, *points);
                assert!(!resumed.owes(slot));
            }
            let (rest, winner) = play(resumed);
            let key = |(slot, _): &(Slot, Points)| (slot.number, slot.white, slot.opening);
            let mut all: Vec<_> = games[..cut].iter().chain(&rest).map(key).collect();
            all.sort_unstable();
            let wanted: Vec<_> = games.iter().map(key).collect();
            assert_eq!((all, winner), (wanted, champion), "cut at {cut}");
        }
    }
}
