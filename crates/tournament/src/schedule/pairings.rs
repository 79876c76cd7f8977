//! The meetings of one cycle, in which every pairing of the format occurs once.

use crate::plan::Format;

/// A meeting: the engine that begins with White, the other one, and the round in the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub first: usize,
    pub second: usize,
    pub round: u32,
}

pub fn cycle(format: Format, engines: usize, seeds: usize) -> Vec<Meeting> {
    match format {
        Format::Gauntlet => gauntlet(engines, seeds),
        Format::Pyramid => pyramid(engines),
        Format::RoundRobin | Format::Knockout => round_robin(engines),
    }
}

/// The circle method: the first engine stays, the others move on by one seat a round.
fn round_robin(engines: usize) -> Vec<Meeting> {
    let seats = engines + engines % 2;
    let mut meetings = Vec::new();
    for round in 0..seats.saturating_sub(1) {
        let seat = |i: usize| if i == 0 { 0 } else { 1 + (i - 1 + round) % (seats - 1) };
        for i in 0..seats / 2 {
            let (a, b) = (seat(i), seat(seats - 1 - i));
            if a >= engines || b >= engines {
                continue;
            }
            // The engine that stays would otherwise always begin with White.
            let (first, second) = if i == 0 && round % 2 == 1 { (b, a) } else { (a, b) };
            meetings.push(Meeting { first, second, round: round as u32 });
        }
    }
    meetings
}

/// The first engines meet each of the others, but not one another.
fn gauntlet(engines: usize, seeds: usize) -> Vec<Meeting> {
    let seeds = seeds.clamp(1, engines.saturating_sub(1).max(1));
    (seeds..engines)
        .flat_map(|second| {
            (0..seeds).map(move |first| Meeting { first, second, round: (second - seeds) as u32 })
        })
        .collect()
}

/// Each engine in turn meets all those before it.
fn pyramid(engines: usize) -> Vec<Meeting> {
    (1..engines)
        .flat_map(|first| {
            (0..first).map(move |second| Meeting { first, second, round: (first - 1) as u32 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn round_robin_meets_everybody_once_and_nobody_twice_a_round() {
        for engines in 2..9 {
            let meetings = round_robin(engines);
            assert_eq!(meetings.len(), engines * (engines - 1) / 2);
            let mut pairs = HashSet::new();
            let mut busy = HashSet::new();
            for m in &meetings {
                assert!(pairs.insert((m.first.min(m.second), m.first.max(m.second))));
                assert!(busy.insert((m.round, m.first)) && busy.insert((m.round, m.second)));
            }
        }
    }

    #[test]
    fn two_engines_meet_in_the_order_given() {
        let only = Meeting { first: 0, second: 1, round: 0 };
        for format in [Format::RoundRobin, Format::Gauntlet] {
            assert_eq!(cycle(format, 2, 1), [only]);
        }
    }

    #[test]
    fn gauntlet_and_pyramid() {
        let seats = |ms: Vec<Meeting>| ms.iter().map(|m| (m.first, m.second)).collect::<Vec<_>>();
        assert_eq!(seats(gauntlet(4, 1)), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(seats(gauntlet(4, 2)), [(0, 2), (1, 2), (0, 3), (1, 3)]);
        assert_eq!(seats(gauntlet(2, 9)), [(0, 1)]);
        assert_eq!(seats(pyramid(3)), [(1, 0), (2, 0), (2, 1)]);
    }
}
