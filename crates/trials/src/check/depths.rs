//! `go depth`: ends by itself, at the depth asked for, no sooner and no later.

use super::Checked;
use super::needs::Need;
use super::outcome::Finding;
use super::positions::SEARCHED;
use super::session::Session;
use super::transcript::{Search, search};
use std::time::Duration;

/// Positions with much to look at: no search of them comes to its end early.
const OPEN: [&str; 3] = [SEARCHED[0], SEARCHED[1], SEARCHED[3]];

pub(super) fn depth(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    if let Some(finding) = session.probe(Need::Depth)? {
        findings.push(finding);
        return Ok(findings.outcome(""));
    }
    let most = session.depth_within(60)?.unwrap_or(3).clamp(3, 5);
    let mut searches = Vec::new();
    for fen in OPEN {
        for depth in 1..=most {
            if session.time_is_up() {
                break;
            }
            let (position, go) = (format!("position fen {fen}"), format!("go depth {depth}"));
            let found = search(session.engine()?, &position, &go, Duration::from_secs(5))?;
            if found.overran {
                continue;
            }
            findings.judge();
            if beyond(&found).is_some() {
                findings.push(goes_beyond(&found, depth));
            }
            searches.push(found);
        }
    }
    if let Some(finding) = one_off(&searches) {
        findings.push(finding);
    }
    Ok(findings.outcome("go depth ends by itself, at the depth asked for"))
}

fn goes_beyond(found: &Search, depth: u32) -> Finding {
    let told = deepest(found);
    Finding::warn(format!("go depth {depth} goes on to depth {told}"))
        .expected(format!("no info line beyond depth {depth}"))
        .cause("the limit is compared after the next iteration has begun")
        .root("goes beyond depth")
        .of(found, |search| beyond(search).map(|told| format!("depth {told}")))
}

/// The depth that is asked for.
fn asked_depth(found: &Search) -> Option<u32> {
    found.asked.get(1)?.strip_prefix("go depth ")?.parse().ok()
}

/// The greatest depth that was told with a line.
pub(super) fn deepest(found: &Search) -> u32 {
    let lines = found.thoughts.iter().filter(|t| !t.pv.is_empty());
    lines.filter_map(|t| t.depth).max().unwrap_or(0)
}

/// The depth told, where it is greater by more than one than the one asked for.
fn beyond(found: &Search) -> Option<u32> {
    let (asked, told) = (asked_depth(found)?, deepest(found));
    (told > asked + 1).then_some(told)
}

/// How much the greatest depth told, in whatever kind of line, differs from the one asked for.
fn difference(found: &Search) -> Option<i64> {
    let told = found.thoughts.iter().filter_map(|t| t.depth).max()?;
    Some(i64::from(told) - i64::from(asked_depth(found)?))
}

/// Fewer searches of depth 2 and more say nothing.
const ENOUGH: usize = 4;

/// An engine that ends one depth too early or too late each time. Once may be a matter of what it
/// tells; each time it is the end of its loop.
fn one_off(searches: &[Search]) -> Option<Finding> {
    let is_first = |search: &&Search| asked_depth(search) == Some(1);
    let (first, deeper): (Vec<&Search>, Vec<&Search>) = searches.iter().partition(is_first);
    let all = |wanted: i64| {
        deeper.len() >= ENOUGH && deeper.iter().all(|search| difference(search) == Some(wanted))
    };
    let off = [-1, 1].into_iter().find(|wanted| all(*wanted))?;
    let shown = deeper.last()?;
    let asked = asked_depth(shown)?;
    let told = i64::from(asked) + off;
    let seen = format!("go depth {asked} ends at depth {told}, and so does every other: one off");
    // An engine that does not even tell its first depth may keep its last to itself.
    let tells_last = first.iter().all(|search| difference(search).is_some_and(|by| by >= 0));
    let finding = match off < 0 && tells_last {
        true => Finding::fail(seen),
        false => Finding::warn(seen),
    };
    Some(
        finding
            .expected(format!("depth {asked} in the last info line"))
            .cause("the loop of iterative deepening ends one too early or too late: `<` for `<=`, or a depth that is counted from 0")
            .root("depth one off")
            .of(shown, move |search| {
                (difference(search) == Some(off)).then(|| format!("depth {told}"))
            }),
    )
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::super::transcript::InfoLine;
    use super::*;

    fn searched(asked: u32, told: &[u32]) -> Search {
        let lines = told.iter().map(|depth| format!("info depth {depth} score cp 1 pv e2e4"));
        Search {
            asked: vec!["position startpos".to_owned(), format!("go depth {asked}")],
            thoughts: lines.map(|line| InfoLine::read(&line, Duration::ZERO)).collect(),
            ..Search::default()
        }
    }

    #[test]
    fn one_off_is_so_each_time() {
        let verdict = |told: [&[u32]; 5]| {
            let asked = [1, 2, 3, 4, 5];
            let searches: Vec<Search> =
                asked.into_iter().zip(told).map(|(asked, told)| searched(asked, told)).collect();
            one_off(&searches).map(|finding| finding.verdict)
        };
        assert_eq!(verdict([&[1], &[1, 2], &[3], &[4], &[5]]), None);
        assert_eq!(verdict([&[1], &[1], &[2], &[3], &[4]]), Some(Verdict::Fail));
        // What is kept back may be the last line alone.
        assert_eq!(verdict([&[], &[1], &[2], &[3], &[4]]), Some(Verdict::Warn));
        assert_eq!(verdict([&[2], &[3], &[4], &[5], &[6]]), Some(Verdict::Warn));
        assert_eq!(verdict([&[1], &[1], &[3], &[3], &[5]]), None);
        assert_eq!(verdict([&[], &[], &[], &[], &[]]), None);
    }
}
