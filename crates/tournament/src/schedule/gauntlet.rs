//! Gauntlet: the first engines against all the others.

use super::cycles::Meeting;

/// The first engines meet each of the others, but not one another.
pub fn meetings(engines: usize, seeds: usize) -> Vec<Meeting> {
    let seeds = seeds.clamp(1, engines.saturating_sub(1).max(1));
    (seeds..engines)
        .flat_map(|second| {
            (0..seeds).map(move |first| Meeting { first, second, round: (second - seeds) as u32 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_meet_the_others_and_not_one_another() {
        let seats = |engines, seeds| -> Vec<(usize, usize)> {
            meetings(engines, seeds).iter().map(|m| (m.first, m.second)).collect()
        };
        assert_eq!(seats(4, 1), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(seats(4, 2), [(0, 2), (1, 2), (0, 3), (1, 3)]);
        assert_eq!(seats(2, 9), [(0, 1)]);
    }
}
