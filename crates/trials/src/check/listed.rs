//! The list of legal moves, without perft: with MultiPV as large as it goes, an engine shows a line
//! for each of them.

use super::engine::TestedEngine;
use super::legality::PERFT;
use super::needs::Need;
use super::offers::{OFFERED, both_colours, broken_rule, takes};
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::setups::RandomGame;
use super::stop::Stop;
use super::transcript::{Search, asked_position, search, until_ready};
use super::{CheckOutcome, Checked};
use dyno_chess::diagnose;
use dyno_chess::{Move, Position, SplitMix64};
use dyno_uci::{OptionKind, Score};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);

/// No position has more moves than this.
const EVERY_MOVE: i64 = 218;
/// With fewer lines, too many positions have more moves than that.
const LEAST: i64 = 64;

pub(super) fn listed_moves(session: &mut Session<'_>) -> Checked {
    let most = match session.engine()?.option("MultiPV").map(|option| option.kind.clone()) {
        Some(OptionKind::Spin { max, .. }) => max.min(EVERY_MOVE),
        _ => return Ok(CheckOutcome::skip("the engine does not declare the option MultiPV")),
    };
    if most < LEAST {
        return Ok(CheckOutcome::skip(format!("MultiPV goes to {most}: not enough for a list")));
    }
    let findings = session.findings("lists of moves");
    let set = format!("setoption name MultiPV value {most}");
    let mut lists = Lists { engine: session.fresh()?, set, most: most as usize };
    lists.engine.send_line(&lists.set)?;
    until_ready(&mut lists.engine, PATIENCE)?;
    // An engine that lists every move of ordinary positions lists every one it knows.
    let is_whole = |lists: &mut Lists, fen: &str| -> Result<bool, Stop> {
        let (found, end) = lists.ask(&format!("position fen {fen}"), 1)?;
        Ok(end.is_some_and(|end| missing(&found, &end).is_empty()))
    };
    let mut whole = 0;
    for fen in [SEARCHED[0], SEARCHED[3], SEARCHED[5], SEARCHED[7]] {
        whole += usize::from(is_whole(&mut lists, fen)?);
    }
    if whole < 3 {
        return Ok(CheckOutcome::skip("with many lines the engine does not list every move"));
    }
    let can_ask = session.broken(Need::SearchMoves)?.is_none();
    for position in asked(session.plan.seed, session.profile().choose(40, 200, 2000)) {
        if session.time_is_up() {
            break;
        }
        lists.judge(&position, can_ask, &findings)?;
    }
    Ok(findings.outcome("every list is right"))
}

/// Positions that between them need every rule, then boards of random games, as moves lead there.
fn asked(seed: u64, games: usize) -> Vec<String> {
    let perft = PERFT.iter().flat_map(|(_, fen)| both_colours(&format!("fen {fen}"), ""));
    let offered = OFFERED.iter().flat_map(|(position, _)| both_colours(position, ""));
    let mut random = SplitMix64::new(seed ^ 0x1157);
    let games = std::iter::repeat_with(|| RandomGame::new(&mut random)).take(games);
    let boards = games.flat_map(|game| {
        let last = game.words.len();
        (5..=last).step_by(5).map(move |plies| game.command(0, plies)).collect::<Vec<_>>()
    });
    let fixed = perft.chain(offered).map(|(position, _)| position);
    fixed.collect::<Vec<_>>().into_iter().chain(boards).collect()
}

struct Lists {
    engine: TestedEngine,
    set: String,
    most: usize,
}

impl Lists {
    fn ask(&mut self, position: &str, depth: u32) -> Result<(Search, Option<Position>), Stop> {
        let found = search(&mut self.engine, position, &go(depth), PATIENCE)?;
        Ok((found, asked_position(position)))
    }

    fn judge(&mut self, position: &str, can_ask: bool, findings: &Findings) -> Result<(), Stop> {
        let (found, Some(end)) = self.ask(position, 1)? else { return Ok(()) };
        let count = end.legal_moves().len();
        if found.overran || count == 0 || count > self.most {
            return Ok(());
        }
        findings.judge();
        if let Some(word) = surplus(&found, &end).into_iter().next()
            && let Some((end, rule)) = broken_rule(position, &word)
        {
            let judged = word.clone();
            findings.push(
                Finding::fail(format!("{word} is listed among the moves: {rule}"))
                    .expected("only legal moves")
                    .cause(format!("the move generator breaks the rule: {rule}"))
                    .board(&end)
                    .rule(&rule)
                    .shown_by(self.script(position), move |replay| {
                        let listed = firsts(&replay.last_search()?);
                        listed.contains(&judged).then(|| judged.clone())
                    }),
            );
            return Ok(());
        }
        let Some(mv) = missing(&found, &end).into_iter().next() else { return Ok(()) };
        if !self.has_forgotten(position, &end, &found, mv, can_ask)? {
            return Ok(());
        }
        let word = end.uci(mv);
        let why = diagnose::missing(&end, mv);
        findings.push(
            Finding::fail(format!("{word} is not listed among the moves: {why}"))
                .expected(format!("all {count} legal moves"))
                .cause(format!("the move generator: {why}"))
                .board(&end)
                .rule(&why)
                .shown_by(self.script(position), move |replay| {
                    let last = replay.last_search()?;
                    missing(&last, &end).contains(&mv).then(|| end.uci(mv))
                }),
        );
        Ok(())
    }

    /// Whether a move that is not listed is not known, either: asked for by itself where that can
    /// be done, else looked for in a deeper list. A search that sees a mate may leave it at that.
    fn has_forgotten(
        &mut self,
        position: &str,
        end: &Position,
        found: &Search,
        mv: Move,
        can_ask: bool,
    ) -> Result<bool, Stop> {
        let sees_mate =
            |found: &Search| found.thoughts.iter().any(|t| matches!(t.score, Some(Score::Mate(_))));
        if sees_mate(found) {
            return Ok(false);
        }
        if can_ask {
            return Ok(!takes(&mut self.engine, position, &end.uci(mv))?);
        }
        let (deeper, _) = self.ask(position, 2)?;
        Ok(!deeper.overran && !sees_mate(&deeper) && missing(&deeper, end).contains(&mv))
    }

    fn script(&self, position: &str) -> Script {
        Script::new().ask(&self.set).search(position, &go(1))
    }
}

fn go(depth: u32) -> String {
    format!("go depth {depth}")
}

/// The first move of every line.
fn firsts(found: &Search) -> Vec<String> {
    let mut words: Vec<String> =
        found.thoughts.iter().filter_map(|t| t.pv.first().cloned()).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn surplus(found: &Search, end: &Position) -> Vec<String> {
    firsts(found).into_iter().filter(|word| end.parse_uci(word).is_err()).collect()
}

/// Castling may be written as king takes rook: moves are compared, not words.
fn missing(found: &Search, end: &Position) -> Vec<Move> {
    let listed: Vec<Move> =
        firsts(found).iter().filter_map(|word| end.parse_uci(word).ok()).collect();
    end.legal_moves().iter().copied().filter(|mv| !listed.contains(mv)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::transcript::InfoLine;
    use super::*;

    #[test]
    fn a_list_is_compared_with_the_rules() {
        let end =
            Position::from_fen("k7/8/8/8/8/8/8/4K2R w K - 0 1").unwrap_or_else(|e| panic!("{e}"));
        let listed = |words: &[&str]| {
            let lines = words.iter().enumerate().map(|(number, word)| {
                format!("info depth 1 multipv {} score cp 0 pv {word}", number + 1)
            });
            let thoughts = lines.map(|line| InfoLine::read(&line, Duration::ZERO)).collect();
            Search { thoughts, ..Search::default() }
        };
        let all: Vec<String> = end.legal_moves().iter().map(|mv| end.uci(*mv)).collect();
        let mut words: Vec<&str> = all.iter().map(String::as_str).collect();
        assert!(missing(&listed(&words), &end).is_empty());
        words.retain(|word| *word != "e1g1");
        assert_eq!(missing(&listed(&words), &end).len(), 1);
        words.extend(["e1h1", "e1c1"]);
        assert!(missing(&listed(&words), &end).is_empty());
        assert_eq!(surplus(&listed(&words), &end), ["e1c1"]);
    }

    #[test]
    fn every_position_that_is_asked_about_is_one() {
        let all = asked(1, 3);
        assert!(all.len() > 100);
        assert!(all.iter().all(|position| asked_position(position).is_some()));
    }
}
