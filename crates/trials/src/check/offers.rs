//! Legality without perft: illegal moves offered, and legal ones asked for. What an engine plays
//! where a broken rule would save it shows the rule, and so does `searchmoves`, where it is kept.

use super::false_mates::false_mates;
use super::outcome::{Finding, Findings};
use super::positions::{SEARCHED, mirrored_command, mirrored_word, random_positions};
use super::scores::{cleared, told};
use super::script::Script;
use super::session::Session;
use super::temptations::{FORBIDDEN, NEEDED};
use super::transcript::{Search, asked_position, search};
use super::{Checked, Stop, needs::Need};
use crate::check::engine::TestedEngine;
use dyno_chess::diagnose::{self, Surplus};
use dyno_chess::{Bitboard, Move, Position, Role, Square, attacks};
use dyno_uci::Score;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);
/// How long a search of one move to depth 3 may take.
const SOON: Duration = Duration::from_millis(1500);

/// Illegal moves to be offered: a position and, where the position alone does not show which, the
/// moves. With none given, all that its pieces could make on an empty board.
pub(super) const OFFERED: &[(&str, &str)] = &[
    ("fen 4k3/8/8/8/8/7R/6b1/4K2R b K - 0 1 moves g2h1 h3h1 e8e7", "e1g1"),
    ("fen 4k3/8/8/8/8/R7/1b6/R3K3 b Q - 0 1 moves b2a1 a3a1 e8e7", "e1c1"),
    ("fen 4k3/8/8/8/8/8/6b1/4K2R b K - 0 1 moves g2h1", "e1g1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves h1h2 e8e7 h2h1 e7e8", "e1g1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves a1a2 e8e7 a2a1 e7e8", "e1c1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves e1e2 e8e7 e2e1 e7e8", "e1g1 e1c1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1 e1c1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "e1c1"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1g1"),
    ("fen 4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1"),
    ("fen 4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1g1"),
    ("fen 4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1", "e1c1"),
    ("fen 4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "e1g1"),
    ("fen 4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", "e1c1"),
    ("fen 4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", "e1g1 e1c1"),
    ("fen 4k3/8/8/8/8/8/8/R2BKB1R w KQ - 0 1", "e1g1 e1c1"),
    ("fen 4k3/8/8/8/8/8/8/Rb2K2R w KQ - 0 1", "e1c1"),
    ("fen 8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5d6"),
    ("fen 7k/3p4/8/K3P2r/8/8/8/8 b - - 0 1 moves d7d5", "e5d6"),
    ("fen 4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1 moves d7d5 e1e2 e8e7", "e5d6"),
    ("fen 4k3/8/3p4/4P3/8/8/8/4K3 b - - 0 1 moves d6d5", "e5d6"),
    ("fen 4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6"),
    ("fen 4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 1", "e5d6"),
    ("fen 4k3/8/8/8/8/P2p4/3P4/4K3 w - - 0 1", ""),
    ("fen 4k3/8/8/8/7b/6P1/5P2/4K3 w - - 0 1", ""),
    ("fen 4k3/8/4r3/8/4N3/8/8/4K3 w - - 0 1", ""),
    ("fen 4k3/8/8/1b6/8/3B4/4P3/5K2 w - - 0 1", ""),
    ("fen 4k3/8/8/7q/8/8/4P3/3K4 w - - 0 1", ""),
    ("fen 4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1", ""),
    ("fen 4k3/8/8/8/8/8/r7/4K3 w - - 0 1", ""),
    ("fen 4k3/8/8/8/4r3/8/8/2N1K1N1 w - - 0 1", ""),
    ("fen 8/8/8/8/8/2k5/8/2K4R w - - 0 1", ""),
    ("fen 1n2k3/P7/8/8/8/8/7p/N3K1B1 w - - 0 1", ""),
];

/// Moves that no rule could make legal: an engine that plays them plays whatever it is given.
const NONSENSE: &[(&str, &str)] = &[
    ("startpos", "e2e5"),
    ("startpos", "a1a6"),
    ("startpos", "e7e5"),
    ("fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1b1"),
];

/// So often an engine is started anew when a position brings it down.
const CRASHES: usize = 8;

pub(super) fn illegal_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("illegal moves");
    let deepest = deepest(session)?;
    let mut crashes = Vec::new();
    for lure in FORBIDDEN {
        for (position, word) in both_colours(lure.position, lure.mv) {
            if session.time_is_up() {
                break;
            }
            findings.judge();
            match lured(session, &position, &word, deepest) {
                Ok(finding) => finding.into_iter().for_each(|finding| findings.push(finding)),
                // An illegal move deep in a line brings many engines down; where it is played, the
                // rule can be named.
                Err(stop) if crashes.len() < CRASHES => {
                    let error = stop.failure()?;
                    crashes.push(brought_down(session.failure(&error), &position, &word));
                    session.discard_engine();
                }
                Err(stop) => return Err(stop),
            }
        }
    }
    crashes.into_iter().take(1).for_each(|finding| findings.push(finding));
    if session.broken(Need::SearchMoves)?.is_none() {
        let engine = session.fresh()?;
        match offer(session, engine, &findings) {
            Ok(()) => {}
            // A crash by an illegal `searchmoves` is not what is examined here.
            Err(stop) => drop(stop.failure()?),
        }
    }
    Ok(findings.outcome("none is played"))
}

/// A crash where an illegal move would be best: it may have been played in the search.
fn brought_down(finding: Finding, position: &str, word: &str) -> Finding {
    match broken_rule(position, word) {
        Some((board, rule)) => finding.board(&board).cause(format!(
            "perhaps {word}, which is illegal, is searched ({rule}), and the board breaks; the \
             stack of the crash tells"
        )),
        None => finding,
    }
}

/// How deep a lure is searched for at most: a reduced search may not see at once what is good.
fn deepest(session: &mut Session<'_>) -> Result<u32, Stop> {
    Ok(session.depth_within(150)?.unwrap_or(3).clamp(3, 7))
}

/// Searches deeper and deeper for a forbidden move, until it is played or all is said to be lost:
/// then the engine has looked at every move it knows.
fn lured(
    session: &mut Session<'_>,
    position: &str,
    word: &str,
    deepest: u32,
) -> Result<Option<Finding>, Stop> {
    for depth in (3..=deepest).step_by(2) {
        let found = cleared(session, position, &format!("go depth {depth}"))?;
        if let Some(finding) = plays(&found, position, word) {
            return Ok(Some(finding));
        }
        let is_lost = match found.score() {
            None => true,
            Some(Score::Mate(moves)) => moves < 0,
            Some(Score::Cp(cp)) => cp < -GREAT,
        };
        if is_lost || session.time_is_up() {
            break;
        }
    }
    Ok(None)
}

/// A position and a move, and the same with colours exchanged.
pub(super) fn both_colours(position: &str, word: &str) -> [(String, String); 2] {
    let position = format!("position {position}");
    let mirrored = mirrored_command(&position);
    [(position, word.to_owned()), (mirrored, mirrored_word(word))]
}

/// The finding, where the search has chosen the illegal move.
fn plays(found: &Search, position: &str, word: &str) -> Option<Finding> {
    if found.best != word {
        return None;
    }
    let (end, rule) = broken_rule(position, word)?;
    let judged = word.to_owned();
    Some(
        Finding::fail(format!("bestmove {word} is illegal: {rule}"))
            .expected("a legal move")
            .cause(format!("the move generator breaks the rule: {rule}"))
            .board(&end)
            .rule(&rule)
            .of(found, move |search| (search.best == judged).then(|| format!("bestmove {judged}"))),
    )
}

/// The board at the end of a `position` command, and the rule that a move breaks there.
pub(super) fn broken_rule(command: &str, word: &str) -> Option<(Position, Surplus)> {
    let (start, moves) = command.split_once(" moves ").unwrap_or((command, ""));
    let mut here = asked_position(start)?;
    let mut past: Vec<(Position, Move)> = Vec::new();
    for played in moves.split_whitespace() {
        let mv = here.parse_uci(played).ok()?;
        past.push((here, mv));
        here = here.play(mv);
    }
    Some((here, diagnose::surplus(&here, word, &past)))
}

/// An illegal move that was played when it was offered.
struct Taken {
    position: String,
    word: String,
    end: Position,
    rule: Surplus,
}

/// Offers illegal moves by `searchmoves`.
fn offer(
    session: &mut Session<'_>,
    mut engine: TestedEngine,
    findings: &Findings,
) -> Result<(), Stop> {
    for (position, word) in NONSENSE {
        if takes(&mut engine, &format!("position {position}"), word)? {
            return Ok(());
        }
    }
    let mut taken = Vec::new();
    let fixed = OFFERED.iter().flat_map(|(position, words)| both_colours(position, words));
    let random = random_positions(SEARCHED, 60, session.plan.seed ^ 5);
    let random = random.iter().map(|here| (format!("position fen {}", here.fen()), String::new()));
    let mut offered_all = Ok(());
    for (position, words) in fixed.chain(random) {
        if session.time_is_up() || offered_all.is_err() {
            break;
        }
        offered_all = offer_all(&mut engine, &position, &words, findings, &mut taken);
    }
    // An engine that takes every kind of these has not looked whether the king is left in check:
    // it does so later than it reads `searchmoves`.
    let kinds = |wanted: fn(&Surplus) -> bool| taken.iter().any(|one| wanted(&one.rule));
    let is_late = kinds(|rule| matches!(rule, Surplus::PinnedPieceMoves { .. }))
        && kinds(|rule| matches!(rule, Surplus::KingIntoAttack))
        && kinds(|rule| matches!(rule, Surplus::CheckNotAnswered));
    for one in taken {
        if !(is_late && leaves_king(&one.rule)) {
            findings.push(offered(one));
        }
    }
    offered_all
}

fn leaves_king(rule: &Surplus) -> bool {
    matches!(
        rule,
        Surplus::PinnedPieceMoves { .. }
            | Surplus::KingIntoAttack
            | Surplus::KingsAdjacent
            | Surplus::CheckNotAnswered
            | Surplus::DoubleCheckNotByKing
            | Surplus::KingBackAlongLine
            | Surplus::EnPassantExposesKing
            | Surplus::CastlingIntoCheck
    )
}

fn offered(one: Taken) -> Finding {
    let Taken { position, word, end, rule } = one;
    let go = format!("go depth 1 searchmoves {word}");
    let judged = word.clone();
    Finding::fail(format!("{word} is taken for a legal move: {rule}"))
        .expected("another move, or none: a move that is not legal cannot be searched")
        .cause(format!("the move generator breaks the rule: {rule}"))
        .board(&end)
        .rule(&rule)
        .shown_by(Script::of_search(&position, &go), move |replay| {
            (replay.last_search()?.best == judged).then(|| format!("bestmove {judged}"))
        })
}

/// The most moves in one `searchmoves`: some engines have short buffers.
const AT_ONCE: usize = 16;

/// Offers the words, or all that the pieces could do on an empty board, several at a time.
fn offer_all(
    engine: &mut TestedEngine,
    position: &str,
    words: &str,
    findings: &Findings,
    taken: &mut Vec<Taken>,
) -> Result<(), Stop> {
    let Some(end) = asked_position(position) else { return Ok(()) };
    let mut words: Vec<String> = match words {
        "" => on_an_empty_board(&end),
        some => some.split_whitespace().map(str::to_owned).collect(),
    };
    words.retain(|word| is_illegal(&end, word));
    findings.judge_many(words.len());
    for group in words.chunks(AT_ONCE) {
        let go = format!("go depth 1 searchmoves {}", group.join(" "));
        let found = search(engine, position, &go, PATIENCE)?;
        if !group.contains(&found.best) {
            continue;
        }
        // One of many may have been chosen among others: each by itself.
        for word in group {
            if takes(engine, position, word)?
                && let Some((end, rule)) = broken_rule(position, word)
            {
                let position = position.to_owned();
                taken.push(Taken { position, word: word.clone(), end, rule });
            }
        }
    }
    Ok(())
}

pub(super) fn takes(engine: &mut TestedEngine, position: &str, word: &str) -> Result<bool, Stop> {
    let go = format!("go depth 1 searchmoves {word}");
    Ok(search(engine, position, &go, PATIENCE)?.best == word)
}

fn is_illegal(position: &Position, word: &str) -> bool {
    let promoted = |letter: char| position.parse_uci(&format!("{word}{letter}"));
    position.parse_uci(word).is_err() && "qrbn".chars().all(|letter| promoted(letter).is_err())
}

/// Every step that the pieces of the side to move could make if nothing stood in the way.
fn on_an_empty_board(position: &Position) -> Vec<String> {
    let us = position.side_to_move();
    let mut words = Vec::new();
    for from in position.by_color(us) {
        let ahead = Bitboard::of(from).forward(us);
        let straight = attacks::rook(from, Bitboard::EMPTY);
        let diagonal = attacks::bishop(from, Bitboard::EMPTY);
        let targets = match position.role_at(from) {
            Some(Role::Pawn) => ahead | ahead.forward(us) | attacks::pawn(us, from),
            Some(Role::Knight) => attacks::knight(from),
            Some(Role::Bishop) => diagonal,
            Some(Role::Rook) => straight,
            Some(Role::Queen) => straight | diagonal,
            Some(Role::King) => attacks::king(from),
            None => Bitboard::EMPTY,
        };
        words.extend(targets.into_iter().map(|to: Square| format!("{from}{to}")));
    }
    words
}

pub(super) fn forgotten_moves(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("moves");
    let deepest = deepest(session)?;
    for lure in NEEDED {
        for (position, word) in both_colours(lure.position, lure.mv) {
            if session.time_is_up() {
                break;
            }
            findings.judge();
            if let Some(finding) = passed_over(session, &position, &word, deepest)? {
                findings.push(finding);
            }
        }
    }
    false_mates(session, &findings)?;
    forgotten_in_the_tree(session, deepest, &findings)?;
    if session.broken(Need::SearchMoves)?.is_none() {
        let mut engine = session.fresh()?;
        // An engine that plays what is not a move at all would play a forgotten one, too.
        if !takes(&mut engine, "position startpos", "e2e5")? {
            ask_for_each(session, &mut engine, &findings)?;
        }
    }
    Ok(findings.outcome("every one is known"))
}

/// Whichever of two moves is played, a promotion to a knight mates: an engine that knows it at the
/// root may have forgotten it in the search. A single move would be answered without one.
const MATED_BY_KNIGHT: &str = "8/5P1k/p1p5/8/8/8/1B6/2B1K1R1 b - - 0 1";

fn forgotten_in_the_tree(
    session: &mut Session<'_>,
    deepest: u32,
    findings: &Findings,
) -> Result<(), Stop> {
    for (position, _) in both_colours(&format!("fen {MATED_BY_KNIGHT}"), "") {
        if session.time_is_up() {
            break;
        }
        let found = cleared(session, &position, &format!("go depth {deepest}"))?;
        findings.judge();
        let Some(seen) = sees_no_mate(&found) else { continue };
        findings.push(
            Finding::warn(format!("{seen}, though a promotion to a knight mates at once"))
                .expected("score mate -1")
                .cause("promotions to a knight are not generated, or pruned, below the root")
                .root("promotions below the root")
                .of(&found, sees_no_mate),
        );
    }
    Ok(())
}

fn sees_no_mate(found: &Search) -> Option<String> {
    let is_lost = match found.score()? {
        // Some count half-moves.
        Score::Mate(moves) => (-2..=0).contains(&moves),
        Score::Cp(cp) => cp < -GREAT,
    };
    (!is_lost && !found.overran).then(|| format!("score {}", told(found.score())))
}

/// Searches deeper and deeper for the only good move. A search may prune it; one that says that
/// all is lost, or sees no mate where there is one, has looked at every move it knows.
fn passed_over(
    session: &mut Session<'_>,
    position: &str,
    word: &str,
    deepest: u32,
) -> Result<Option<Finding>, Stop> {
    for depth in (3..=deepest).step_by(2) {
        let found = cleared(session, position, &format!("go depth {depth}"))?;
        let finding = passes_over(&found, position, word);
        let (Some(finding), false) = (finding, found.score().is_none()) else { return Ok(None) };
        if written_otherwise(&found, word).is_some() {
            return Ok(Some(finding));
        }
        if contradicts(&found, position, word).is_some() {
            // Asked for by itself, a move that is known is searched: then it is the search.
            let can_ask = session.broken(Need::SearchMoves)?.is_none();
            let is_known = can_ask && searches(session, position, word)?;
            return Ok((!is_known).then_some(finding));
        }
    }
    Ok(None)
}

/// Whether a good move is searched when it is asked for by itself, and not only played for want of
/// another.
fn searches(session: &mut Session<'_>, position: &str, word: &str) -> Result<bool, Stop> {
    let go = format!("go depth 3 searchmoves {word}");
    match search(session.engine()?, position, &go, SOON) {
        Ok(found) => Ok(found.best == word && contradicts_score(&found, position, word).is_none()),
        Err(stop) => {
            stop.failure()?;
            session.discard_engine();
            Ok(false)
        }
    }
}

/// The finding, where a search has not chosen the only good move.
fn passes_over(found: &Search, position: &str, word: &str) -> Option<Finding> {
    let end = asked_position(position)?;
    let needed = end.parse_uci(word).ok()?;
    if end.parse_uci(&found.best) == Ok(needed) || found.best.is_empty() || found.overran {
        return None;
    }
    if let Some(finding) = written_otherwise(found, word) {
        return Some(finding.board(&end));
    }
    let why = diagnose::missing(&end, needed);
    let gain = match end.play(needed).is_checkmate() {
        true => "is mate",
        false => "is the only move that does not allow mate at once",
    };
    let score = told(found.score());
    let (asked, word) = (position.to_owned(), word.to_owned());
    Some(
        Finding::fail(format!(
            "bestmove {}, score {score}, though {word} {gain}: {why}",
            found.best
        ))
        .expected(format!("bestmove {word}"))
        .cause(format!("the move generator: {why}"))
        .board(&end)
        .rule(&why)
        .of(found, move |search| contradicts(search, &asked, &word)),
    )
}

/// The move of the line, where `bestmove` names another piece to promote to.
fn written_otherwise(found: &Search, word: &str) -> Option<Finding> {
    let differs = |found: &Search, word: &str| {
        let last = found.iterations().last().and_then(|t| t.pv.first().cloned());
        let is_alike = found.best.len() == 5 && found.best.get(..4) == word.get(..4);
        (is_alike && found.best != word && last.as_deref() == Some(word))
            .then(|| format!("bestmove {}, but the line begins with {word}", found.best))
    };
    let seen = differs(found, word)?;
    let judged = word.to_owned();
    Some(
        Finding::fail(seen)
            .expected(format!("bestmove {word}"))
            .cause("the letter of the promotion is written wrongly where bestmove is printed")
            .root("letter of promotion")
            .of(found, move |search| differs(search, &judged)),
    )
}

/// Another move, with a score that no search could give that has looked at the needed one: mated
/// where that is avoided, no mate though the depth is more than enough for it.
fn contradicts(found: &Search, position: &str, word: &str) -> Option<String> {
    let end = asked_position(position)?;
    let is_other = end.parse_uci(&found.best) != end.parse_uci(word);
    contradicts_score(found, position, word).filter(|_| is_other)
}

fn contradicts_score(found: &Search, position: &str, word: &str) -> Option<String> {
    let end = asked_position(position)?;
    let mates = end.play(end.parse_uci(word).ok()?).is_checkmate();
    let is_so = match found.score()? {
        // A mate in one at the root is not overlooked for one in two.
        Score::Mate(moves) if mates => moves > 1,
        Score::Mate(moves) => moves < 0,
        Score::Cp(cp) if mates => cp < GREAT,
        Score::Cp(cp) => cp < -GREAT,
    };
    is_so.then(|| format!("bestmove {}, score {}", found.best, told(found.score())))
}

/// Engines that have no words for mates give them a great score.
pub(super) const GREAT: i32 = 5_000;

/// Asks for every legal move of positions that between them need every rule.
fn ask_for_each(
    session: &mut Session<'_>,
    engine: &mut TestedEngine,
    findings: &Findings,
) -> Result<(), Stop> {
    let all = super::legality::PERFT.iter().filter_map(|(_, fen)| Position::from_fen(fen).ok());
    let mut asked: Vec<(Position, Move)> = all
        .flat_map(|position| [position, position.mirrored()])
        .flat_map(|p| p.legal_moves().iter().map(|mv| (p, *mv)).collect::<Vec<_>>())
        .collect();
    // Special moves first: a slow engine does not come to the end of the list.
    asked.sort_by_key(|(position, mv)| mv.is_normal() && !position.is_check());
    for (position, mv) in asked {
        if session.time_is_up() {
            break;
        }
        let text = format!("position fen {}", position.fen());
        let word = position.uci(mv);
        findings.judge();
        // Castling may be written as king takes rook.
        let go = format!("go depth 1 searchmoves {word}");
        let found = search(engine, &text, &go, PATIENCE)?;
        if position.parse_uci(&found.best) == Ok(mv) {
            continue;
        }
        let why = diagnose::missing(&position, mv);
        let judged = mv;
        findings.push(
            Finding::fail(format!("{word} is legal and not known: {why}"))
                .expected(format!("bestmove {word}, the only move to be searched"))
                .cause(format!("the move generator: {why}"))
                .board(&position)
                .rule(&why)
                .shown_by(Script::of_search(&text, &go), move |replay| {
                    let best = replay.last_search()?.best;
                    (position.parse_uci(&best) != Ok(judged)).then(|| format!("bestmove {best}"))
                }),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_illegal() {
        for (position, words) in OFFERED {
            let position = format!("position {position}");
            let end = asked_position(&position).unwrap_or_else(|| panic!("{position}"));
            let words: Vec<String> = match *words {
                "" => on_an_empty_board(&end),
                some => some.split_whitespace().map(str::to_owned).collect(),
            };
            assert!(words.iter().any(|word| is_illegal(&end, word)), "{position}");
        }
        for (position, word) in NONSENSE {
            let end = asked_position(&format!("position {position}"));
            assert!(end.is_some_and(|end| is_illegal(&end, word)), "{position} {word}");
        }
    }

    #[test]
    fn a_knight_mates_whatever_is_played() {
        let position = Position::from_fen(MATED_BY_KNIGHT).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(position.legal_moves().len(), 2);
        for mv in &position.legal_moves() {
            let next = position.play(mv);
            let replies = next.legal_moves();
            let mates = replies.iter().filter(|mv| next.play(**mv).is_checkmate());
            let words: Vec<String> = mates.map(|mv| next.uci(*mv)).collect();
            assert_eq!(words, ["f7f8n"], "{}", position.uci(mv));
        }
    }

    #[test]
    fn the_rule_is_named() {
        let taken = "position fen 4k3/8/8/8/8/7R/6b1/4K2R b K - 0 1 moves g2h1 h3h1 e8e7";
        let (_, rule) = broken_rule(taken, "e1g1").unwrap_or_else(|| panic!());
        assert_eq!(rule, Surplus::CastlingRightAfterRookTaken);
    }
}
