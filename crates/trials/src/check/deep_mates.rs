//! Mates in two by depth: far deeper than the mate is long, every sound search plays it. What misses
//! several of them is not a matter of taste: entries of the table used beyond their depth, reduced
//! moves that are never searched again, a window that fails and is taken for exact, a root move
//! that is left out.

use super::outcome::{Finding, Findings};
use super::positions::MATES;
use super::scores::{cleared, told};
use super::session::Session;
use super::transcript::{InfoLine, Search, search, until_ready};
use super::{CheckOutcome, Checked, Stop};
use crate::{Kind, builtins};
use dyno_chess::{Move, Position};
use dyno_formats::epd::EpdReader;
use dyno_uci::Score;
use std::time::Duration;

/// The depths at which a mate in two is asked for; full width needs three.
const LEAST_DEPTH: u32 = 5;
const MOST_DEPTH: u32 = 8;
/// How much deeper a miss is tried again: what is pruned at first is looked at later.
const LATER: u32 = 3;
/// Fewer say nothing.
const FEWEST: usize = 10;

/// How long such a search may take.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A mate in two with every first move that keeps it.
struct Problem {
    position: Position,
    keys: Vec<Move>,
    /// A key gives nothing away: no pruning of sacrifices excuses a miss.
    is_safe: bool,
}

fn problems(count: usize) -> Vec<Problem> {
    let Some(suite) = builtins(Kind::Mate).find(|suite| suite.is_named("mate-in-2")) else {
        return Vec::new();
    };
    let records = EpdReader::new(suite.text.as_bytes()).flatten();
    let all = records.map(|record| Problem::new(record.position, record.best_moves().moves));
    let (mut chosen, others): (Vec<_>, Vec<_>) = all.partition(|problem| problem.is_safe);
    let wanted = count.saturating_sub(chosen.len());
    let step = (others.len() / wanted.max(1)).max(1);
    chosen.extend(others.into_iter().step_by(step).take(wanted));
    chosen
}

impl Problem {
    fn new(position: Position, keys: Vec<Move>) -> Problem {
        let is_safe = keys.iter().any(|key| {
            let next = position.play(*key);
            let takes_back = |mv: &Move| next.is_capture(*mv) && mv.to() == key.to();
            !next.legal_moves().iter().any(takes_back)
        });
        Problem { position, keys, is_safe }
    }
}

impl Problem {
    /// What is played instead of a key. A mate that takes longer is a mate as well.
    fn missed(&self, found: &Search) -> Option<String> {
        let plays = self.position.parse_uci(&found.best).ok();
        let is_key = plays.is_some_and(|mv| self.keys.contains(&mv));
        let keys: Vec<String> = self.keys.iter().map(|mv| self.position.uci(*mv)).collect();
        (!is_key && !found.score().is_some_and(is_mate)).then(|| {
            let (best, score) = (&found.best, told(found.score()));
            format!("bestmove {best} at {score} though {} mates in two", keys.join(" or "))
        })
    }
}

/// Whether a score announces a mate; some engines print it in centipawns.
fn is_mate(score: Score) -> bool {
    match score {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > 5_000,
    }
}

/// What has been seen of all problems.
#[derive(Default)]
struct Seen {
    missed: Vec<(Problem, Search, String)>,
    safe: usize,
    announced: usize,
    steps: Steps,
    example: Option<Search>,
}

pub(super) fn by_depth(session: &mut Session<'_>) -> Checked {
    let depth = session.depth_within(150)?.unwrap_or(1);
    if depth < LEAST_DEPTH {
        let why = format!("the engine does not reach depth {LEAST_DEPTH} soon enough");
        return Ok(CheckOutcome::skip(why));
    }
    let depth = depth.min(MOST_DEPTH);
    let findings = session.findings("mates in two");
    let mut seen = Seen::default();
    for problem in problems(session.profile().choose(33, 100, 100)) {
        if session.time_is_up() {
            break;
        }
        let asked = look(session, &findings, problem, depth, &mut seen);
        if session.in_time(asked)?.is_none() {
            break;
        }
    }
    let judged = findings.judged();
    if judged < FEWEST {
        return Ok(CheckOutcome::skip(format!("only {judged} mates fit into the time")));
    }
    let missed = seen.missed.len();
    // An engine that never announces a mate is another matter, unless its scores climb in steps.
    let is_silent = seen.announced == 0
        && (seen.steps.ceiling().is_some() || says_mate_in_one(session, depth)?);
    report_steps(&findings, &seen, is_silent);
    report_missed(&findings, seen);
    let played = judged - missed;
    let text = format!("{played} of {judged} mates in two are played with `go depth {depth}`");
    Ok(findings.outcome(text).figure("played", played as f64, &format!("of {judged}")))
}

fn look(
    session: &mut Session<'_>,
    findings: &Findings,
    problem: Problem,
    depth: u32,
    seen: &mut Seen,
) -> Result<(), Stop> {
    let text = format!("position fen {}", problem.position.fen());
    let found = searched(session, &text, depth)?;
    if found.overran || found.best.is_empty() {
        return Ok(());
    }
    seen.announced += usize::from(found.thoughts.iter().filter_map(|t| t.score).any(is_mate));
    seen.steps.add(&found);
    if problem.missed(&found).is_none() {
        findings.judge();
        seen.safe += usize::from(problem.is_safe);
        seen.example.get_or_insert(found);
        return Ok(());
    }
    let later = searched(session, &text, depth + LATER)?;
    if later.overran {
        return Ok(());
    }
    findings.judge();
    seen.safe += usize::from(problem.is_safe);
    if let Some(what) = problem.missed(&later) {
        seen.missed.push((problem, later, what));
    }
    Ok(())
}

/// A search with cleared tables.
fn searched(session: &mut Session<'_>, position: &str, depth: u32) -> Result<Search, Stop> {
    let engine = session.engine()?;
    engine.new_game()?;
    until_ready(engine, Duration::from_secs(5))?;
    search(engine, position, &format!("go depth {depth}"), PATIENCE)
}

/// Whether the engine announces a mate in one, the plainest there is.
fn says_mate_in_one(session: &mut Session<'_>, depth: u32) -> Result<bool, Stop> {
    let text = format!("position fen {}", MATES[0].1);
    let asked = cleared(session, &text, &format!("go depth {depth}"));
    let found = session.in_time(asked)?;
    Ok(found.and_then(|found| found.score()).is_some_and(is_mate))
}

/// By how much scores change from one depth to the next.
#[derive(Default)]
struct Steps(Vec<u32>);

impl Steps {
    fn add(&mut self, found: &Search) {
        self.0.extend(steps_of(found));
    }

    /// The change that is never exceeded and met again and again, if there is one.
    fn ceiling(&self) -> Option<(u32, usize)> {
        let most = self.0.iter().copied().max().filter(|most| *most >= 5)?;
        let count = self.0.iter().filter(|step| **step == most).count();
        (count >= 8).then_some((most, count))
    }
}

fn steps_of(found: &Search) -> Vec<u32> {
    let cp = |thought: &&InfoLine| match thought.score {
        Some(Score::Cp(cp)) => Some(cp),
        _ => None,
    };
    let scores: Vec<i32> = found.iterations().iter().filter_map(cp).collect();
    scores.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect()
}

/// Scores that climb in equal steps where a mate should show: the bound of a window is taken for
/// the score.
fn report_steps(findings: &Findings, seen: &Seen, is_silent: bool) {
    let Some(example) = seen.example.as_ref().filter(|_| is_silent) else { return };
    let judged = findings.judged();
    let (seen, cause) = match seen.steps.ceiling() {
        Some((step, count)) => (
            format!(
                "none of {judged} mates in two is announced: scores change by {step} centipawns \
                 from depth to depth ({count} times exactly), and never by more"
            ),
            "a search that fails out of its aspiration window is taken for exact: it has to be \
             repeated with a wider window",
        ),
        None => (
            format!("none of {judged} mates in two is announced, though a mate in one is"),
            "a score outside the aspiration window is not searched again; or mate scores are cut \
             off on their way to the root",
        ),
    };
    findings.push(
        Finding::fail(seen)
            .expected("score mate 2, at the latest some depths beyond its length")
            .cause(cause)
            .root("windows that fail")
            .of(example, |search| {
                let says = search.thoughts.iter().filter_map(|t| t.score).any(is_mate);
                (!says).then(|| format!("score {}", told(search.score())))
            }),
    );
}

/// Every engine that prunes overlooks some, sacrifices above all, and strong ones four in ten; half
/// of those that give nothing away are a bug.
fn report_missed(findings: &Findings, mut seen: Seen) {
    // What cannot be excused comes first.
    seen.missed.sort_by_key(|(problem, _, _)| !problem.is_safe);
    let (count, judged) = (seen.missed.len(), findings.judged());
    let safe = seen.missed.iter().filter(|(problem, _, _)| problem.is_safe).count();
    let is_much =
        |count: usize, of: usize, percent: usize| count >= 4 && 100 * count >= percent * of;
    let lines: Vec<String> = seen
        .missed
        .iter()
        .map(|(problem, _, what)| format!("{}: {what}", problem.position.fen()))
        .collect();
    let Some((problem, found, what)) = seen.missed.into_iter().next() else { return };
    let text = format!("{what}, and so in {count} of {judged} positions");
    let finding = match (is_much(safe, seen.safe, 50), is_much(count, judged, 45)) {
        (true, _) => Finding::fail(text),
        (false, true) => Finding::warn(text),
        _ => return,
    };
    findings.push(
        finding
            .expected("a mate in two is played at twice the depth that it needs and more")
            .cause(
                "entries of the table used beyond their depth or bound, reduced moves that beat \
                 alpha and are not searched again at full depth, a window that fails and is not \
                 repeated, or a root move that is left out",
            )
            .board(&problem.position)
            .evidence(lines)
            .root("overlooked")
            .of(&found, move |search| problem.missed(search)),
    );
}

/// Middlegames far from mate.
const MIDDLEGAMES: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
];
/// A depth that the best engines reach in a middlegame after hundreds of thousands of nodes.
const DEEP: u32 = 20;
/// What that many nodes are not.
const FEW: u64 = 10_000;

pub(super) fn effort(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("searches");
    for fen in MIDDLEGAMES {
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let go = format!("go depth {DEEP}");
        let found = search(engine, &text, &go, Duration::from_millis(300))?;
        if found.nodes().is_none() {
            continue;
        }
        findings.judge();
        let Some(seen) = effortless(&found) else { continue };
        findings.push(
            Finding::fail(format!("{seen}: {fen}"))
                .expected("a middlegame takes many times more nodes with every few depths")
                .cause(
                    "entries of the table cut whatever depth they were searched to: `entry.depth \
                     >= depth` is missing, so that later iterations only read what the first \
                     ones have stored",
                )
                .root("overlooked")
                .of(&found, effortless),
        );
    }
    Ok(findings.outcome_or_skip("deeper takes more", "the engine does not tell its nodes"))
}

/// A great depth that was reached with next to no nodes, and no mate to end it.
fn effortless(found: &Search) -> Option<String> {
    let deepest = found.iterations().into_iter().rev().find(|t| t.depth >= Some(DEEP))?;
    let nodes = deepest.nodes.filter(|nodes| *nodes < FEW)?;
    match deepest.score? {
        Score::Cp(cp) if cp.abs() < 5_000 => Some(format!("depth {DEEP} takes {nodes} nodes")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(line: &str) -> Search {
        let thoughts = line.lines().map(|l| InfoLine::read(l, Duration::ZERO)).collect();
        Search { thoughts, ..Search::default() }
    }

    #[test]
    fn a_sample_of_the_suite_is_used() {
        let all = problems(33);
        assert!(all.len() >= 30, "{}", all.len());
        assert!(all.iter().all(|p| !p.keys.is_empty()));
        assert!(all.iter().filter(|p| p.is_safe).count() >= 12);
    }

    #[test]
    fn equal_steps_are_a_ceiling() {
        let creeps: String =
            (1..10).map(|d| format!("info depth {d} score cp {} pv a1a2\n", 50 * d)).collect();
        let mut steps = Steps::default();
        steps.add(&thought(&creeps));
        assert_eq!(steps.ceiling(), Some((50, 8)));
        steps.add(&thought("info depth 1 score cp 0 pv a1a2\ninfo depth 2 score cp 400 pv a1a2"));
        assert_eq!(steps.ceiling(), None);
    }

    #[test]
    fn deep_without_nodes_is_effortless() {
        let deep = "info depth 20 score cp 12 nodes 380 pv a1a2";
        assert!(effortless(&thought(deep)).is_some());
        assert!(effortless(&thought("info depth 20 score mate 3 nodes 380 pv a1a2")).is_none());
        assert!(effortless(&thought("info depth 20 score cp 12 nodes 250000 pv a1a2")).is_none());
        assert!(effortless(&thought("info depth 9 score cp 12 nodes 380 pv a1a2")).is_none());
    }

    #[test]
    fn another_move_is_missed_unless_it_mates_as_well() {
        let problem = problems(1).remove(0);
        let mut found = thought("info depth 8 score cp 80 pv d5f6");
        found.best = problem.position.uci(problem.keys[0]);
        assert_eq!(problem.missed(&found), None);
        found.best = "d5c3".to_owned();
        assert!(problem.missed(&found).is_some());
        let mut slower = thought("info depth 8 score mate 3 pv d5c3");
        slower.best = "d5c3".to_owned();
        assert_eq!(problem.missed(&slower), None);
    }
}
