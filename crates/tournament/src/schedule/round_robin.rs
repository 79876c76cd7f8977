//! Round-robin: every engine meets every other.

use super::cycles::Meeting;

/// The circle method: the first engine stays, the others move on by one seat a round.
pub fn meetings(engines: usize) -> Vec<Meeting> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pair_meets_once_and_no_engine_plays_twice_a_round() {
        for engines in 2..9 {
            let meetings = meetings(engines);
            assert_eq!(meetings.len(), engines * (engines - 1) / 2);
            let mut pairs = HashSet::new();
            let mut busy = HashSet::new();
            for m in &meetings {
                assert!(pairs.insert((m.first.min(m.second), m.first.max(m.second))));
                assert!(busy.insert((m.round, m.first)) && busy.insert((m.round, m.second)));
            }
        }
        assert_eq!(meetings(2), [Meeting { first: 0, second: 1, round: 0 }], "in the order given");
    }
}
