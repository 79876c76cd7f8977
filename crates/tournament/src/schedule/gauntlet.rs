//! Gauntlet: the first engines against all the others.

use super::cycles::Meeting;

/// Each of the first engines in turn meets all the others, but not the rest of the first. The whole
/// is one round, as in cutechess-cli and fastchess.
pub fn meetings(engines: usize, seeds: usize) -> Vec<Meeting> {
    let seeds = seeds.clamp(1, engines.saturating_sub(1).max(1));
    (0..seeds)
        .flat_map(|first| (seeds..engines).map(move |second| Meeting { first, second, round: 0 }))
        .collect()
}

/// The order up to version 0.2, for journals of that time: by the other engine, each a round.
pub fn earlier_meetings(engines: usize, seeds: usize) -> Vec<Meeting> {
    let mut meetings = meetings(engines, seeds);
    let first_other = meetings.iter().map(|m| m.second).min().unwrap_or(0);
    meetings.sort_by_key(|meeting| meeting.second);
    meetings.iter_mut().for_each(|meeting| meeting.round = (meeting.second - first_other) as u32);
    meetings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_meet_the_others_and_not_one_another() {
        let seats = |meetings: Vec<Meeting>| -> Vec<(usize, usize, u32)> {
            meetings.iter().map(|m| (m.first, m.second, m.round)).collect()
        };
        assert_eq!(seats(meetings(4, 1)), [(0, 1, 0), (0, 2, 0), (0, 3, 0)]);
        assert_eq!(seats(meetings(4, 2)), [(0, 2, 0), (0, 3, 0), (1, 2, 0), (1, 3, 0)]);
        assert_eq!(seats(meetings(2, 9)), [(0, 1, 0)]);
        assert_eq!(seats(earlier_meetings(4, 2)), [(0, 2, 0), (1, 2, 0), (0, 3, 1), (1, 3, 1)]);
    }
}
