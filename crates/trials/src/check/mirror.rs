//! Both colours alike: a position with colours exchanged has the same score for the side to move.
//! `eval` says so directly. Without it, a search of depth 1 is nearly as good in positions where
//! nothing can be taken within two half-moves: it is the best of the evaluations one move later, and
//! only what it does besides, such as looking at checks, may depend on the order of the moves.

use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::scores::cleared;
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, until_ready};
use super::{Checked, Stop, symmetry};
use crate::check::engine::TestedEngine;
use dyno_chess::{Color, Position, SplitMix64, Square};
use dyno_uci::{EngineOption, Score};
use std::time::Duration;

/// What rounding may leave, in centipawns.
pub(super) const ROUNDING: f64 = 2.0;

pub(super) fn mirror(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let count = session.profile().choose(120, 500, 2000);
    let has_eval = static_eval(session.engine()?, "position startpos")?.is_some();
    let has_net = session.engine()?.options().iter().any(names_net);
    let by_one_move = !has_eval && !has_net && session.broken(Need::SearchMoves)?.is_none();
    if by_one_move && symmetry::by_one_move(session, &findings)? {
        return Ok(findings.outcome(""));
    }
    let mut positions: Vec<Position> = match has_eval {
        true => SEARCHED.iter().filter_map(|fen| Position::from_fen(fen).ok()).collect(),
        false => Vec::new(),
    };
    let lively = lively_positions(count / 2, session.plan.seed);
    let openings = opening_positions(count / 5, session.plan.seed);
    positions.extend(openings.iter().copied());
    positions.extend(interleaved(quiet_positions(count, session.plan.seed), lively.clone()));
    // Which side `eval` speaks for is the engine's to choose; searches speak for the mover.
    let mut sign = 1.0;
    let mut pairs = Vec::new();
    for position in positions {
        if session.time_is_up() {
            break;
        }
        let asked = ask_both(session, has_eval, &position);
        let Some(pair) = session.in_time(asked)? else { break };
        let (Some(a), Some(b)) = pair else { continue };
        findings.judge();
        pairs.push((position, a, b));
    }
    if has_eval {
        let off = |sign: f64| pairs.iter().map(|(_, a, b)| (a - sign * b).abs()).sum::<f64>();
        sign = if off(-1.0) < off(1.0) { -1.0 } else { 1.0 };
    }
    // Where pieces are taken, a search may find another score with its moves in another order: there
    // only what speaks for one colour throughout says something.
    let is_lively = |(position, _, _): &(Position, f64, f64)| lively.contains(position);
    let (lively, quiet): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|pair| !has_eval && is_lively(pair));
    // Some terms count only while most of the pieces are on the board.
    let is_opening = |(position, _, _): &(Position, f64, f64)| openings.contains(position);
    let (openings, quiet): (Vec<_>, Vec<_>) =
        quiet.into_iter().partition(|pair| !has_eval && is_opening(pair));
    let terms = (sign, has_eval, has_net);
    let is_told =
        report(&findings, &quiet, terms) || leans(&openings) && report(&findings, &openings, terms);
    if !is_told {
        report_lean(&findings, &lively);
    }
    Ok(findings.outcome_or_skip(
        if has_eval { "evaluated alike" } else { "scored alike at depth 1" },
        "the engine tells no scores at depth 1, and has no `eval`",
    ))
}

/// Whether an option is about the network of an evaluation.
fn names_net(option: &EngineOption) -> bool {
    let name = option.name.to_ascii_lowercase();
    ["evalfile", "weights", "nnue", "network"].iter().any(|word| name.contains(word))
}

/// What every score is a multiple of: some engines count in steps of several centipawns, and round.
fn grain(pairs: &[(Position, f64, f64)]) -> f64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let scores = pairs.iter().flat_map(|(_, a, b)| [*a, *b]);
    scores.fold(0, |grain, score| gcd(grain, score.abs().round() as u64)) as f64
}

/// Tells of positions that differ, and says whether there was anything to tell.
fn report(
    findings: &Findings,
    pairs: &[(Position, f64, f64)],
    (sign, has_eval, has_net): (f64, bool, bool),
) -> bool {
    let rounding = ROUNDING.max(grain(pairs));
    let differ = |(_, a, b): &&(Position, f64, f64)| (a - sign * b).abs() > rounding;
    let wrong: Vec<_> = pairs.iter().filter(differ).collect();
    let worst = wrong.iter().max_by(|x, y| {
        let off = |one: &(Position, f64, f64)| (one.1 - sign * one.2).abs();
        off(x).total_cmp(&off(y))
    });
    let Some((position, a, b)) = worst else { return false };
    let shown: Vec<String> =
        wrong.iter().map(|(p, a, b)| format!("{}: {a:.0}, exchanged {b:.0}", p.fen())).collect();
    let off = (a - sign * b).abs();
    let text = format!(
        "{a:.0} centipawns, and {b:.0} with colours exchanged: {} of {} positions differ, by up to \
         {off:.0}",
        wrong.len(),
        pairs.len()
    );
    let is_leaning = is_leaning(&wrong, sign);
    // Nearly every position differs, to either side: so does a network that knows no colours.
    let is_by_design = !is_leaning && (has_net || 10 * wrong.len() > 9 * pairs.len());
    let finding = match (has_eval, off > 5.0) {
        // Searches may differ by the order of their moves, to either side, in some positions.
        (false, _) if !is_leaning && 5 * wrong.len() < 3 * pairs.len() => return false,
        // Rounding differs to either side; what favours one colour is a term.
        (true, false) if !is_leaning => return false,
        (true, false) => Finding::warn(text),
        _ if is_by_design => Finding::warn(text),
        _ => Finding::fail(text),
    };
    let lines = [*position, position.mirrored()].map(|p| format!("position fen {}", p.fen()));
    let finding = finding
        .expected("the same number for the side to move")
        .cause(
            "a table of squares that is not mirrored for Black, a term counted for one colour \
             only, or a sign lost; or a network whose inputs are not seen from the side to move",
        )
        .board(position)
        .evidence(shown)
        .root("asymmetric evaluation");
    findings.push(if has_eval {
        let script = Script::new().send(&lines[0]).ask("eval").send(&lines[1]).ask("eval");
        finding.shown_by(script, move |replay| {
            let answers = replay.answers("eval");
            let (a, b) = (eval_of(answers.first()?)?, eval_of(answers.get(1)?)?);
            ((a - sign * b).abs() > ROUNDING).then(|| format!("{a:.0}, exchanged {b:.0}"))
        })
    } else {
        let script = Script::new().search(&lines[0], DEPTH_1).new_game().search(&lines[1], DEPTH_1);
        finding.shown_by(script, move |replay| {
            let searches = replay.searches();
            let (a, b) = (first_score(searches.first()?)?, first_score(searches.get(1)?)?);
            ((a - b).abs() > ROUNDING).then(|| format!("{a:.0}, exchanged {b:.0}"))
        })
    });
    true
}

/// Searches of depth 1 that differ from those with colours exchanged, and nearly always to the
/// good of one colour.
fn report_lean(findings: &Findings, pairs: &[(Position, f64, f64)]) {
    let wrong: Vec<_> = pairs.iter().filter(|(_, a, b)| (a - b).abs() > ROUNDING).collect();
    let (count, for_white) = (wrong.len(), favours_white(&wrong, 1.0));
    let lean = for_white.abs_diff(count - for_white);
    // Four standard deviations of chance.
    let Some((position, a, b)) = wrong.first().filter(|_| count >= 16 && lean * lean >= 16 * count)
    else {
        return;
    };
    let colour = if 2 * for_white > count { "White" } else { "Black" };
    let times = for_white.max(count - for_white);
    let lines = [*position, position.mirrored()].map(|p| format!("position fen {}", p.fen()));
    let script = Script::new().search(&lines[0], DEPTH_1).new_game().search(&lines[1], DEPTH_1);
    let shown = wrong.iter().map(|(p, a, b)| format!("{}: {a:.0}, exchanged {b:.0}", p.fen()));
    findings.push(
        Finding::warn(format!(
            "{a:.0} centipawns, and {b:.0} with colours exchanged: {count} of {} positions differ, \
             {times} of them in favour of {colour}",
            pairs.len()
        ))
        .expected("the same number for the side to move, or chance differences to either side")
        .cause(
            "a term that is counted for one colour only, or for the other with another weight or \
             another square",
        )
        .board(position)
        .evidence(shown)
        .root("asymmetric evaluation")
        .shown_by(script, |replay| {
            let searches = replay.searches();
            let (a, b) = (first_score(searches.first()?)?, first_score(searches.get(1)?)?);
            ((a - b).abs() > ROUNDING).then(|| format!("{a:.0}, exchanged {b:.0}"))
        }),
    );
}

/// How many of the differences speak for White.
fn favours_white(wrong: &[&(Position, f64, f64)], sign: f64) -> usize {
    // What speaks for White speaks for it in both positions; what speaks for the mover, for White
    // in one of them.
    let for_white = |(position, a, b): &&&(Position, f64, f64)| {
        let is_white = sign < 0.0 || position.side_to_move() == Color::White;
        (a - sign * b > 0.0) == is_white
    };
    wrong.iter().filter(for_white).count()
}

/// Whether searches of depth 1 differ, and nearly always to the good of one colour.
fn leans(pairs: &[(Position, f64, f64)]) -> bool {
    let wrong: Vec<_> = pairs.iter().filter(|(_, a, b)| (a - b).abs() > ROUNDING).collect();
    is_leaning(&wrong, 1.0)
}

/// Whether the differences, ten or more, favour one colour nearly always.
fn is_leaning(wrong: &[&(Position, f64, f64)], sign: f64) -> bool {
    let count = favours_white(wrong, sign);
    wrong.len() >= 10 && 10 * count.max(wrong.len() - count) >= 9 * wrong.len()
}

const DEPTH_1: &str = "go depth 1";

/// What the engine says of a position, and with colours exchanged.
fn ask_both(
    session: &mut Session<'_>,
    has_eval: bool,
    position: &Position,
) -> Result<(Option<f64>, Option<f64>), Stop> {
    let plain = ask(session, has_eval, position)?;
    Ok((plain, ask(session, has_eval, &position.mirrored())?))
}

fn ask(
    session: &mut Session<'_>,
    has_eval: bool,
    position: &Position,
) -> Result<Option<f64>, Stop> {
    let text = format!("position fen {}", position.fen());
    if has_eval {
        return static_eval(session.engine()?, &text);
    }
    Ok(first_score(&cleared(session, &text, DEPTH_1)?))
}

/// The score of the first iteration: the nearest to an evaluation that every engine tells.
pub(super) fn first_score(found: &Search) -> Option<f64> {
    let mut scores = found.thoughts.iter().rev().filter(|t| t.depth == Some(1) && t.exact);
    match scores.find_map(|t| t.score) {
        Some(Score::Cp(cp)) => Some(f64::from(cp)),
        _ => None,
    }
}

/// The static evaluation in centipawns, if the engine prints one on `eval`; whether for White or
/// for the side to move is for the engine to choose.
pub(super) fn static_eval(engine: &mut TestedEngine, position: &str) -> Result<Option<f64>, Stop> {
    engine.send_line(&format!("{position}\neval"))?;
    let lines = until_ready(engine, Duration::from_secs(3))?;
    Ok(eval_of(&lines))
}

/// The evaluation that an answer to `eval` tells: the last such line is the verdict, the ones
/// before are its parts.
pub(super) fn eval_of(lines: &[String]) -> Option<f64> {
    lines.iter().rev().find_map(|line| eval_in(line))
}

/// `Final evaluation  +0.24 (white side)`, `Full eval: 24`, `Evaluation: 24 cp`.
fn eval_in(line: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let about =
        ["final eval", "total eval", "full eval", "static eval", "evaluation:", "eval:", "score:"];
    if !about.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let word = lower
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | ')' | '='))
        .find(|word| word.parse::<f64>().is_ok())?;
    let value: f64 = word.parse().ok()?;
    // Pawns have a decimal point, centipawns have none.
    Some(if word.contains('.') { 100.0 * value } else { value })
}

/// One of the second after two of the first, so that there are some of both when time runs out.
fn interleaved(first: Vec<Position>, second: Vec<Position>) -> Vec<Position> {
    let mut second = second.into_iter();
    let mut all = Vec::new();
    for pair in first.chunks(2) {
        all.extend(pair);
        all.extend(second.next());
    }
    all.extend(second);
    all
}

/// Openings without contact: nothing can be taken within two half-moves.
fn opening_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(seed ^ 0x6f70_656e);
    let mut found = vec![Position::startpos()];
    for _ in 0..200 * count {
        if found.len() >= count {
            break;
        }
        let mut position = Position::startpos();
        for _ in 0..1 + random.below(8) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.below(moves.len())]);
        }
        if is_quiet(&position) && !found.contains(&position) {
            found.push(position);
        }
    }
    found
}

/// Positions of random games with most of the pieces on the board, out of check.
fn lively_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(seed ^ 0x6c69_7665);
    let mut found = Vec::with_capacity(count);
    for _ in 0..50 * count {
        if found.len() == count {
            break;
        }
        let mut position = Position::startpos();
        for _ in 0..12 + random.below(30) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.below(moves.len())]);
        }
        // Castling rights and en passant are mirrored as well; checks are searched otherwise.
        if !position.is_check() && position.outcome().is_none() {
            found.push(position);
        }
    }
    found
}

/// Positions with few pieces in which nothing can be taken, promoted or checked within two
/// half-moves.
fn quiet_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(seed ^ 0x6d69_7272);
    let mut found = Vec::with_capacity(count);
    for _ in 0..5000 * count {
        if found.len() == count {
            break;
        }
        let letters = few(&mut random);
        if let Some(position) = scattered(&mut random, &letters).filter(is_quiet) {
            found.push(position);
        }
    }
    found
}

/// Kings, a few pieces and pawns.
fn few(random: &mut SplitMix64) -> Vec<char> {
    let mut letters = vec!['K', 'k'];
    for _ in 0..random.below(2) + 1 {
        let piece = ['N', 'B', 'R', 'Q'][random.below(4)];
        letters.push(piece);
        letters.push(['n', 'b', 'r', 'q'][random.below(4)]);
    }
    for _ in 0..random.below(3) + 1 {
        letters.push('P');
        letters.push('p');
    }
    letters
}

/// Pieces wherever they fall.
pub(super) fn scattered(random: &mut SplitMix64, letters: &[char]) -> Option<Position> {
    let mut board = [None; 64];
    for &letter in letters {
        // Pawns only where they could have come from both sides of the board.
        let (first, count) = if letter.eq_ignore_ascii_case(&'p') { (16, 32) } else { (0, 64) };
        let mut squares = std::iter::repeat_with(|| first + random.below(count)).take(64);
        let square = squares.find(|square| board[*square].is_none())?;
        board[square] = Some(letter);
    }
    let side = if random.below(2) == 0 { 'w' } else { 'b' };
    Position::from_fen(&format!("{} {side} - - 0 1", placement(&board))).ok()
}

fn placement(board: &[Option<char>; 64]) -> String {
    let mut ranks = Vec::new();
    for rank in (0..8).rev() {
        let (mut text, mut empty) = (String::new(), 0);
        for letter in &board[8 * rank..8 * rank + 8] {
            match letter {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        text += &std::mem::take(&mut empty).to_string();
                    }
                    text.push(*letter);
                }
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        ranks.push(text);
    }
    ranks.join("/")
}

/// Whether no move of either side, and no answer to one, takes, promotes or gives check.
fn is_quiet(position: &Position) -> bool {
    let calm = |p: &Position| {
        !p.is_check()
            && p.legal_moves().iter().all(|mv| !p.is_capture(*mv) && mv.promotion().is_none())
    };
    let attacked = |p: &Position, by: Color| {
        let occupied = p.occupied();
        p.by_color(!by)
            .into_iter()
            .any(|square: Square| (p.attackers_to(square, occupied) & p.by_color(by)).any())
    };
    calm(position)
        && position.legal_moves().len() > 3
        && !attacked(position, Color::White)
        && !attacked(position, Color::Black)
        && position.legal_moves().iter().all(|mv| {
            let next = position.play(*mv);
            calm(&next)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_of_real_engines() {
        for (line, cp) in [
            (
                "Final evaluation       +0.24 (white side) [with scaled NNUE, hybrid, ...]",
                Some(24.0),
            ),
            ("Full eval: 24", Some(24.0)),
            ("Total evaluation: -1.50 (white side)", Some(-150.0)),
            ("Incremental mg: 25", None),
            ("Final evaluation: none (in check)", None),
        ] {
            assert_eq!(eval_in(line), cp, "{line}");
        }
    }

    #[test]
    fn chance_differences_do_not_lean() {
        let lively = lively_positions(60, 1);
        assert_eq!(lively.len(), 60);
        // A bonus for White: good for the mover where White moves, bad where Black does.
        let bonus = |p: &Position| if p.side_to_move() == Color::White { 30.0 } else { -30.0 };
        let findings = Findings::new("positions");
        let leaning: Vec<_> = lively.iter().map(|p| (*p, bonus(p), -bonus(p))).collect();
        assert!(leans(&leaning));
        report_lean(&findings, &leaning);
        assert_eq!(findings.outcome("").findings.len(), 1);
        let findings = Findings::new("positions");
        let either = lively.iter().enumerate();
        let either: Vec<_> = either
            .map(|(number, p)| (*p, if number % 2 == 0 { bonus(p) } else { -bonus(p) }, 0.0))
            .collect();
        assert!(!leans(&either));
        report_lean(&findings, &either);
        assert!(findings.outcome("").findings.is_empty());
    }

    #[test]
    fn quiet_positions_are_found_and_quiet() {
        let found = quiet_positions(120, 1);
        assert_eq!(found.len(), 120);
        assert!(found.iter().all(is_quiet));
        assert!(found.iter().any(|p| p.side_to_move() == Color::Black));
        let openings = opening_positions(24, 1);
        assert_eq!(openings.len(), 24);
        assert!(openings.iter().all(is_quiet));
    }
}
