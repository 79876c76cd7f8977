//! Searches under every limit, and what is said during them.

use super::CheckOutcome;
use super::positions::{MATES, SEARCHED, STALEMATES};
use super::session::Session;
use super::transcript::{Search, search, until_ready};
use dyno_chess::Position;
use dyno_driver::EngineError;
use dyno_solver::{Budget, Solver};
use dyno_uci::{Deviation, Score};
use std::time::Duration;

type Checked = Result<CheckOutcome, EngineError>;

pub(super) fn every_limit(session: &mut Session<'_>) -> Checked {
    let limits = [
        "go depth 1",
        "go depth 5",
        "go nodes 1",
        "go nodes 5000",
        "go movetime 50",
        "go movetime 1",
        "go mate 1",
        "go wtime 1000 btime 1000",
        "go wtime 500 btime 500 winc 10 binc 10",
        "go wtime 1000 btime 1000 movestogo 5",
        "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
        "go depth 3 nodes 100000 movetime 2000",
    ];
    let position = format!("position fen {}", SEARCHED[3]);
    let here = parse(SEARCHED[3]);
    let engine = session.engine()?;
    let mut troubles = Vec::new();
    let mut deeper = Vec::new();
    let mut first = None;
    for (number, go) in limits.into_iter().enumerate() {
        let found = search(engine, &position, go, Duration::from_secs(4))?;
        let legal = here.is_some_and(|p| p.parse_uci(&found.best).is_ok());
        // A search for a mate that is not there may go on for ever, and a slow engine may be long
        // on its way to a depth.
        let on_its_way = asked_depth(go).is_some_and(|most| deepest(&found) <= most);
        let endless = found.overran && !go.starts_with("go mate") && !on_its_way;
        if let Some(depth) = beyond(go, &found) {
            deeper.push(format!("{go}: goes on to depth {depth}"));
        }
        let more = until_ready(engine, Duration::from_secs(5))?;
        let twice = more.iter().any(|line| line.trim().starts_with("bestmove"));
        if !legal || endless || twice {
            let what = if twice {
                "is answered twice"
            } else if endless {
                "does not end by itself"
            } else {
                "gives no legal move"
            };
            troubles.push(format!("{go}: {what} (bestmove {})", found.best));
            first = first.or(Some(number));
        }
    }
    Ok(match first {
        None if !deeper.is_empty() => CheckOutcome::warn(deeper[0].clone())
            .evidence(deeper)
            .reproduce([position, "go depth 1".into()]),
        None => CheckOutcome::pass(format!(
            "{} kinds of limits, each answered with a legal move",
            limits.len()
        ))
        .reproduce([position, limits[0].to_owned()]),
        Some(number) => {
            // What was asked before may matter: the table is full of it.
            let asked = limits[..=number].iter().map(|go| (*go).to_owned());
            CheckOutcome::fail(format!(
                "{} of {} kinds of limits fail",
                troubles.len(),
                limits.len()
            ))
            .evidence(troubles.into_iter().chain(deeper))
            .reproduce(std::iter::once(position).chain(asked))
        }
    })
}

/// The depth, where nothing else limits the search.
fn asked_depth(go: &str) -> Option<u32> {
    go.strip_prefix("go depth ")?.parse().ok()
}

/// The greatest depth that was told.
fn deepest(found: &Search) -> u32 {
    let lines = found.thoughts.iter().filter(|t| !t.pv.is_empty());
    lines.filter_map(|t| t.depth).max().unwrap_or(0)
}

/// The depth told, where it is greater than the one asked for.
fn beyond(go: &str, found: &Search) -> Option<u32> {
    let (asked, told) = (asked_depth(go)?, deepest(found));
    (told > asked + 1).then_some(told)
}

fn parse(fen: &str) -> Option<Position> {
    Position::from_fen(fen).ok()
}

pub(super) fn info_lines(session: &mut Session<'_>) -> Checked {
    let depth = session.profile().choose(8, 10, 12);
    let mut searches = Vec::new();
    for fen in SEARCHED {
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let position = format!("position fen {fen}");
        let found =
            search(engine, &position, &format!("go depth {depth}"), Duration::from_secs(3))?;
        if let Some(here) = parse(fen) {
            searches.push((here, found));
        }
    }
    let lines: usize = searches.iter().map(|(_, found)| found.thoughts.len()).sum();
    if lines == 0 {
        return Ok(CheckOutcome::fail(
            "no info lines at all: nobody can see what the engine thinks",
        ));
    }
    let mut faults = Faults::default();
    for (position, found) in &searches {
        faults.examine(position, found);
    }
    let outcome = match faults.worst() {
        Some((summary, true)) => CheckOutcome::fail(summary),
        Some((summary, false)) => CheckOutcome::warn(summary),
        None => CheckOutcome::pass(format!(
            "{lines} info lines: well-formed, depth rising, every PV legal to its end"
        )),
    };
    Ok(outcome.evidence(faults.evidence).reproduce(faults.asked).figure(
        "info lines",
        lines as f64,
        "",
    ))
}

/// What is wrong with info lines, by kind.
#[derive(Default)]
struct Faults {
    illegal_pv: u32,
    falling: u32,
    malformed: u32,
    sloppy: u32,
    mismatch: u32,
    evidence: Vec<String>,
    asked: Vec<String>,
}

impl Faults {
    fn note(&mut self, found: &Search, text: String) {
        if self.evidence.len() < 12 {
            self.evidence.push(text);
        }
        if self.asked.is_empty() {
            self.asked.clone_from(&found.asked);
        }
    }

    fn examine(&mut self, position: &Position, found: &Search) {
        let (mut depth, mut nodes, mut time) = (0, 0, 0);
        for thought in &found.thoughts {
            if let Some(bad) = illegal_in(position, &thought.pv) {
                self.illegal_pv += 1;
                self.note(found, format!("illegal {bad} in the PV of: {}", thought.line));
            }
            let fell = thought.depth.is_some_and(|d| {
                thought.multipv == 1 && thought.exact && !thought.pv.is_empty() && d < depth
            }) || thought.nodes.is_some_and(|n| n < nodes)
                || thought.time_ms.is_some_and(|t| t < time);
            if fell {
                self.falling += 1;
                self.note(found, format!("depth, nodes or time falls: {}", thought.line));
            }
            if thought.multipv == 1 && thought.exact && !thought.pv.is_empty() {
                depth = depth.max(thought.depth.unwrap_or(0));
            }
            nodes = nodes.max(thought.nodes.unwrap_or(0));
            time = time.max(thought.time_ms.unwrap_or(0));
            for deviation in &thought.deviations {
                match deviation {
                    Deviation::SloppyNumber { .. }
                    | Deviation::NegativeNumber { .. }
                    | Deviation::UnknownField { .. }
                    | Deviation::RepeatedField { .. } => self.sloppy += 1,
                    _ => self.malformed += 1,
                }
                self.note(found, format!("{deviation}: {}", thought.line));
            }
        }
        let last = found.thoughts.iter().rev().find(|t| t.multipv == 1 && !t.pv.is_empty());
        if let Some(last) = last
            && last.exact
            && last.pv[0] != found.best
        {
            self.mismatch += 1;
            self.note(
                found,
                format!("bestmove {} is not the PV's {}: {}", found.best, last.pv[0], last.line),
            );
        }
    }

    /// The worst kind as a sentence, and whether it breaks the protocol.
    fn worst(&self) -> Option<(String, bool)> {
        let kinds = [
            (self.illegal_pv, "principal variations contain an illegal move", true),
            (self.malformed, "info lines are malformed", true),
            (self.falling, "info lines have a falling depth, node count or time", false),
            (
                self.sloppy,
                "info lines are sloppy (stray punctuation, negative or unknown fields)",
                false,
            ),
            (self.mismatch, "searches end with a move other than the PV's", false),
        ];
        kinds
            .into_iter()
            .find(|(count, _, _)| *count > 0)
            .map(|(count, text, fatal)| (format!("{count} {text}"), fatal))
    }
}

/// The first illegal move of a line.
pub(super) fn illegal_in(position: &Position, pv: &[String]) -> Option<String> {
    let mut here = *position;
    for text in pv {
        match here.parse_uci(text) {
            Ok(mv) => here = here.play(mv),
            Err(_) => return Some(text.clone()),
        }
    }
    None
}

pub(super) fn mate_scores(session: &mut Session<'_>) -> Checked {
    let mut claims = 0;
    // Lines that end in mate, and those that do so sooner or later than the score says.
    let (mut shown, mut otherwise) = (0, Vec::new());
    let mut wrong = Vec::new();
    let mut asked = Vec::new();
    let mut solver = Solver::new(16);
    // The stalemates first: a slow engine does not come to the end of the list.
    let mates = MATES.iter().map(|(_, fen)| fen);
    for fen in STALEMATES.iter().chain(mates).chain(SEARCHED) {
        let Some(position) = parse(fen) else { continue };
        if session.time_is_up() {
            break;
        }
        let engine = session.engine()?;
        engine.new_game()?;
        let text = format!("position fen {fen}");
        let found = search(engine, &text, "go depth 7", Duration::from_secs(3))?;
        for thought in found.thoughts.iter().filter(|t| t.exact) {
            let Some(Score::Mate(moves)) = thought.score else { continue };
            claims += 1;
            if let Some(plies) = mate_shown(&position, &thought.pv).filter(|plies| *plies > 1) {
                shown += 1;
                let said = if plies % 2 == 1 { (plies + 1) / 2 } else { -(plies / 2) };
                if said != moves {
                    otherwise.push(format!("the line mates in {said}: {}", thought.line));
                }
            }
            if let Some(why) = disproof(&mut solver, &position, moves) {
                wrong.push(format!("{why}: {}", thought.line));
                if asked.is_empty() {
                    asked.clone_from(&found.asked);
                }
            }
        }
    }
    Ok(if claims == 0 {
        CheckOutcome::warn(
            "no mate score was seen, though ten of the positions are mates in one to three",
        )
    } else if wrong.is_empty() && shown >= 3 && otherwise.len() == shown {
        CheckOutcome::fail(format!(
            "all {shown} lines that end in mate do so in another number of moves than their score \
             says: half-moves instead of moves?"
        ))
        .evidence(otherwise)
    } else if wrong.is_empty() {
        CheckOutcome::pass(format!("{claims} mate scores, none disproved"))
    } else {
        CheckOutcome::fail(format!("{} of {claims} mate scores are false", wrong.len()))
            .evidence(wrong)
    }
    .figure("mate scores", f64::from(claims), "")
    .reproduce(asked))
}

/// In how many half-moves a line ends in mate, if it does.
fn mate_shown(position: &Position, pv: &[String]) -> Option<i32> {
    let mut here = *position;
    for text in pv {
        here = here.play(here.parse_uci(text).ok()?);
    }
    let mated = here.is_check() && !here.has_legal_move();
    mated.then_some(pv.len() as i32)
}

/// Why a claimed mate is not there, where that can be proved cheaply.
fn disproof(solver: &mut Solver, position: &Position, moves: i32) -> Option<String> {
    let budget = Budget::nodes(400_000);
    let most = moves.unsigned_abs();
    if moves > 0 && most <= 5 {
        let mates = solver.mates_within(position, most, &budget).ok()?;
        (!mates).then(|| format!("there is no mate in {most}"))
    } else if moves < 0 && most <= 4 {
        let mated = solver.mated_within(position, most, &budget).ok()?;
        (!mated).then(|| format!("the side to move is not mated in {most}"))
    } else {
        None
    }
}
