//! Who can be compared with whom.

use super::Encounter;

/// The players in groups that games connect, each group in the order of the players. Ratings of
/// different groups cannot be compared.
///
/// ```
/// use dyno_stats::{Encounter, connected_groups};
/// let games = [Encounter { white: 0, black: 2, wins: 1, draws: 0, losses: 0 }];
/// assert_eq!(connected_groups(3, &games), [vec![0, 2], vec![1]]);
/// ```
pub fn connected_groups(players: usize, encounters: &[Encounter]) -> Vec<Vec<usize>> {
    let mut links = vec![Vec::new(); players];
    for e in encounters.iter().filter(|e| e.games() > 0) {
        links[e.white].push(e.black);
        links[e.black].push(e.white);
    }
    let mut seen = vec![false; players];
    let mut groups = Vec::new();
    for first in 0..players {
        if !seen[first] {
            let mut group = reach(first, &links, &mut seen);
            group.sort_unstable();
            groups.push(group);
        }
    }
    groups
}

/// For each player the number of its class: two players are in one class if each can be reached
/// from the other by a chain of opponents from whom points were taken. Between classes all the
/// points go one way, and no finite ratings are the likeliest.
pub(super) fn classes(players: usize, encounters: &[Encounter]) -> Vec<usize> {
    let mut beats = vec![Vec::new(); players];
    let mut beaten_by = vec![Vec::new(); players];
    let mut took_points = |from: usize, to: usize| {
        beats[from].push(to);
        beaten_by[to].push(from);
    };
    for e in encounters {
        if e.wins + e.draws > 0 {
            took_points(e.white, e.black);
        }
        if e.losses + e.draws > 0 {
            took_points(e.black, e.white);
        }
    }
    // Kosaraju: by falling finishing time, what the reversed links reach is one class.
    let mut seen = vec![false; players];
    let mut finished = Vec::with_capacity(players);
    for first in 0..players {
        finish_order(first, &beats, &mut seen, &mut finished);
    }
    let mut seen = vec![false; players];
    let mut class = vec![0; players];
    let mut count = 0;
    for &first in finished.iter().rev() {
        if !seen[first] {
            for player in reach(first, &beaten_by, &mut seen) {
                class[player] = count;
            }
            count += 1;
        }
    }
    class
}

/// Everyone not yet seen who can be reached from here, including here.
fn reach(first: usize, links: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    seen[first] = true;
    let mut found = vec![first];
    let mut next = 0;
    while let Some(&player) = found.get(next) {
        next += 1;
        for &other in &links[player] {
            if !std::mem::replace(&mut seen[other], true) {
                found.push(other);
            }
        }
    }
    found
}

/// A depth-first walk that lists the players as it leaves them; its own stack, for a chain of
/// opponents may be long.
fn finish_order(first: usize, links: &[Vec<usize>], seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[first], true) {
        return;
    }
    let mut path = vec![(first, 0)];
    while let Some((player, next)) = path.last_mut() {
        let player = *player;
        if let Some(&other) = links[player].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[other], true) {
                path.push((other, 0));
            }
        } else {
            finished.push(player);
            path.pop();
        }
    }
}
