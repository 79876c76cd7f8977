//! What a search must not overlook: a move that by itself, and much less deep, is far better than
//! what was chosen among all.

use super::engine::TestedEngine;
use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::scores::{cleared, told};
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, search};
use super::{Checked, Stop};
use dyno_chess::Position;
use dyno_uci::Score;
use std::time::Duration;

/// Positions with tactics in them, for both sides.
const TACTICAL: &[&str] = &[
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "r1bqk2r/ppp1nppp/4p3/n5N1/2BPp3/P1P5/2P2PPP/R1BQK2R w KQkq - 0 1",
    "r4q1k/p2bR1rp/2p2Q1N/5p2/5p2/2P5/PP3PPP/R5K1 w - - 0 1",
    "3q1rk1/p4pp1/2pb3p/3p4/6Pr/1PNQ4/P1PB1PP1/4RRK1 b - - 0 1",
];

/// A piece or more, in centipawns.
const FAR: i32 = 300;
/// How much less deep the one move is searched.
const SHALLOWER: u32 = 5;
/// How much deeper all moves are searched before the one is said to be overlooked.
const LATER: u32 = 2;

pub(super) fn best_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("moves");
    let deep = session.depth_within(250)?.unwrap_or(4);
    if deep <= SHALLOWER {
        let why = format!("the engine does not reach depth {} soon enough", SHALLOWER + 1);
        return Ok(super::CheckOutcome::skip(why));
    }
    let deep = deep.min(9);
    let way = match session.broken(Need::SearchMoves)? {
        None => Way::SearchMoves,
        Some(_) => Way::After,
    };
    let mut engine = session.fresh()?;
    let mut missed = Vec::new();
    for fen in TACTICAL.iter().chain(&SEARCHED[1..5]) {
        let asked = overlooked(session, &findings, &mut engine, fen, (way, deep));
        let Some(found) = session.in_time(asked)? else { break };
        missed.extend(found);
    }
    report(&findings, missed);
    Ok(findings.outcome_or_skip(
        "none by itself is far better than the one chosen",
        "the engine sends no exact scores",
    ))
}

/// The first move of a position that is far better by itself than the one chosen.
fn overlooked(
    session: &mut Session<'_>,
    findings: &Findings,
    engine: &mut TestedEngine,
    fen: &str,
    (way, deep): (Way, u32),
) -> Result<Option<Missed>, Stop> {
    let Ok(position) = Position::from_fen(fen) else { return Ok(None) };
    let text = format!("position fen {fen}");
    let all = cleared(session, &text, &format!("go depth {deep}"))?;
    let Some(chosen) = all.score().map(worth) else { return Ok(None) };
    for mv in &position.legal_moves() {
        if session.time_is_up() {
            break;
        }
        let word = position.uci(mv);
        let [asked, go] = way.asks(&text, &word, deep - SHALLOWER);
        engine.new_game()?;
        let alone = search(engine, &asked, &go, Duration::from_secs(5))?;
        let Some(score) = way.worth(&alone, &word) else { continue };
        findings.judge();
        if score <= chosen + FAR {
            continue;
        }
        // Deeper by itself, the move may turn out worse: then the search was right.
        let [asked, go] = way.asks(&text, &word, deep);
        engine.new_game()?;
        let alone = search(engine, &asked, &go, Duration::from_secs(5))?;
        if overlooks(way, &all, &alone, &word).is_none() {
            continue;
        }
        // What is pruned at first is looked at later; what is lost by a bug stays lost.
        let later = format!("go depth {}", deep + LATER);
        let all = cleared(session, &text, &later)?;
        let Some(seen) = overlooks(way, &all, &alone, &word).filter(|_| !all.overran) else {
            continue;
        };
        let script = Script::new().search(&text, &later).new_game().search(&asked, &go);
        let seen = format!("{seen}: {fen}");
        return Ok(Some(Missed { position, script, seen, way, word }));
    }
    Ok(None)
}

/// How one move is searched by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By `searchmoves`.
    SearchMoves,
    /// By the position after it, for engines that ignore `searchmoves`.
    After,
}

impl Way {
    /// The position and the `go`; after the move there is a half-move less to look at.
    fn asks(self, text: &str, word: &str, depth: u32) -> [String; 2] {
        match self {
            Way::SearchMoves => [text.to_owned(), format!("go depth {depth} searchmoves {word}")],
            Way::After => [
                format!("{text} moves {word}"),
                format!("go depth {}", depth.saturating_sub(1).max(1)),
            ],
        }
    }

    /// What the move is worth to the side that makes it.
    fn worth(self, alone: &Search, word: &str) -> Option<i32> {
        let score = worth(alone.score()?);
        match self {
            Way::SearchMoves => (alone.best == word).then_some(score),
            Way::After => Some(-score),
        }
    }
}

/// A position where a better move was overlooked.
struct Missed {
    position: Position,
    script: Script,
    seen: String,
    way: Way,
    word: String,
}

/// Every engine that prunes overlooks something somewhere; one that does so in several of a few
/// positions has a bug.
fn report(findings: &Findings, missed: Vec<Missed>) {
    let seen: Vec<String> = missed.iter().map(|one| one.seen.clone()).collect();
    let Some(first) = missed.into_iter().next() else { return };
    let Missed { position, script, seen: text, way, word } = first;
    let text = format!("{text} (and so in {} positions)", seen.len());
    let finding = match seen.len() {
        0 | 1 => return,
        2 => Finding::warn(text),
        _ => Finding::fail(text),
    };
    findings.push(
        finding
            .expected("the best of all moves is at least as good as any one of them")
            .cause(
                "a pruning or reduction that is never verified, a table score used beyond its \
                 bound or depth, a window that fails and is not searched again, or a root move \
                 that is left out",
            )
            .board(&position)
            .evidence(seen)
            .root("overlooked")
            .shown_by(script, move |replay| {
                let searches = replay.searches();
                overlooks(way, searches.first()?, searches.get(1)?, &word)
            }),
    );
}

/// A score as one number.
fn worth(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp.clamp(-10_000, 10_000),
        Score::Mate(moves) if moves > 0 => 30_000,
        Score::Mate(_) => -30_000,
    }
}

/// How much better one move is by itself than the best of all.
fn overlooks(way: Way, all: &Search, alone: &Search, word: &str) -> Option<String> {
    let (chosen, by_itself) = (all.score()?, way.worth(alone, word)?);
    (by_itself > worth(chosen) + FAR && word != all.best).then(|| {
        let whose = if way == Way::After { " to the other side" } else { "" };
        format!(
            "{} at {} is chosen, though {word} by itself is worth {}{whose}, less deep",
            all.best,
            told(Some(chosen)),
            told(alone.score())
        )
    })
}
