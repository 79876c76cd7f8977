//! The line that ends an iteration is that of a finished search: a whole one.

use super::outcome::Finding;
use super::positions::SEARCHED;
use super::scores::cleared;
use super::script::Script;
use super::session::Session;
use super::transcript::{InfoLine, Search};
use super::{CheckOutcome, Checked};

/// Lines of lesser depth are short by nature.
const DEEP: u32 = 4;
/// Fewer than this are too few to judge.
const ENOUGH: usize = 12;

/// The last lines of iterations, and those of them that break off after the first move.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    all: usize,
    short: usize,
}

impl Lines {
    fn add(&mut self, found: &Search) {
        let is_deep = |line: &&&InfoLine| line.depth.is_some_and(|depth| depth >= DEEP);
        for line in found.iterations().iter().filter(is_deep) {
            self.all += usize::from(!line.pv.is_empty());
            self.short += usize::from(line.pv.len() == 1);
        }
    }

    /// An engine that hardly ever shows more than its move breaks nothing off.
    fn are_broken(self) -> Option<String> {
        let is_so =
            self.all >= ENOUGH && 3 * self.short >= self.all && 20 * self.short <= 19 * self.all;
        is_so.then(|| {
            format!(
                "{} of {} iterations end with a line of a single move and no bound",
                self.short, self.all
            )
        })
    }
}

pub(super) fn whole_lines(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("iterations");
    let depth = session.depth_within(60)?.unwrap_or(6).clamp(6, 10);
    let go = format!("go depth {depth}");
    let (mut lines, mut script) = (Lines::default(), Script::new());
    for fen in SEARCHED {
        if session.time_is_up() {
            break;
        }
        let position = format!("position fen {fen}");
        lines.add(&cleared(session, &position, &go)?);
        script = script.new_game().search(&position, &go);
    }
    if lines.all < ENOUGH || lines.short == lines.all {
        let why = "too few lines, or never more than the move";
        return Ok(CheckOutcome::skip(why));
    }
    findings.judge_many(lines.all);
    if let Some(seen) = lines.are_broken() {
        findings.push(
            Finding::fail(seen)
                .expected(
                    "a line of several moves, or `upperbound` or `lowerbound` behind the score",
                )
                .cause(
                    "a search that fails out of its aspiration window is taken for exact: it has \
                     to be repeated with a wider window; or the line is cut off by the table",
                )
                .root("windows that fail")
                .shown_by(script, |replay| {
                    let mut again = Lines::default();
                    replay.searches().iter().for_each(|found| again.add(found));
                    again.are_broken()
                }),
        );
    }
    let whole = lines.all - lines.short;
    Ok(findings.outcome(format!("{whole} of {} end with more than one move", lines.all)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn lines(lengths: &[usize]) -> Lines {
        let told = |(number, length): (usize, &usize)| {
            let pv = "e2e4 ".repeat(*length);
            InfoLine::read(&format!("info depth {} score cp 1 pv {pv}", number + 4), Duration::ZERO)
        };
        let thoughts = lengths.iter().enumerate().map(told).collect();
        let mut lines = Lines::default();
        lines.add(&Search { thoughts, ..Search::default() });
        lines
    }

    #[test]
    fn a_third_of_single_moves_is_broken_and_all_of_them_a_habit() {
        assert!(lines(&[1, 5, 1, 4, 1, 6, 1, 7, 1, 3, 1, 4]).are_broken().is_some());
        assert!(lines(&[3, 5, 1, 4, 5, 6, 1, 7, 1, 3, 5, 4]).are_broken().is_none());
        assert!(lines(&[1; 12]).are_broken().is_none());
        assert!(lines(&[1, 5, 1]).are_broken().is_none());
    }
}
