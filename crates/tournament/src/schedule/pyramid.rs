//! Pyramid: each engine in turn against all those before it.

use super::cycles::Meeting;

pub fn meetings(engines: usize) -> Vec<Meeting> {
    (1..engines)
        .flat_map(|first| {
            (0..first).map(move |second| Meeting { first, second, round: (first - 1) as u32 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newcomers_meet_all_before_them() {
        let seats: Vec<(usize, usize)> = meetings(3).iter().map(|m| (m.first, m.second)).collect();
        assert_eq!(seats, [(1, 0), (2, 0), (2, 1)]);
    }
}
