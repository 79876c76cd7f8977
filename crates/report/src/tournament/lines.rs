//! The lines that users of cutechess-cli and fastchess know, and their scripts look for.

use crate::number::{duration, fixed, grouped};
use crate::row;
use crate::terminal::{Table, left, right};
use dyno_stats::{Estimate, Model, Results, SprtVerdict, Tally};
use dyno_tournament::{
    EngineRating, GameRecord, PairedScore, Plan, Scoreboard, Slot, SprtSummary, Wdl,
    pgn::limits_text,
};
use std::time::Duration;

/// `Started game 1 of 100 (A vs B)`
pub fn started(slot: &Slot, total: Option<u64>, white: &str, black: &str) -> String {
    let number = slot.number + 1;
    match total {
        Some(total) => format!("Started game {number} of {total} ({white} vs {black})"),
        None => format!("Started game {number} ({white} vs {black})"),
    }
}

/// `Finished game 1 (A vs B): 1-0 {White mates}`
pub fn finished(game: &GameRecord, white: &str, black: &str) -> String {
    let (number, points) = (game.slot.number + 1, game.result.points.text());
    format!("Finished game {number} ({white} vs {black}): {points} {{{}}}", game.result)
}

fn wdl(wdl: &Wdl) -> String {
    let (score, games) = (fixed(wdl.score(), 3), wdl.games());
    format!("{} - {} - {}  [{score}] {games}", wdl.wins, wdl.losses, wdl.draws)
}

/// `Score of A vs B: 5 - 3 - 2  [0.600] 10` (wins, losses, draws), and with `details` the same by
/// colour.
pub fn score_lines(score: &Scoreboard, details: bool) -> String {
    let [first, second] = score.engines.as_slice() else { return String::new() };
    let mut text = format!("Score of {} vs {}: {}\n", first.name, second.name, wdl(&first.total()));
    if details {
        text += &format!("...      {} playing White: {}\n", first.name, wdl(&first.white));
        text += &format!("...      {} playing Black: {}\n", first.name, wdl(&first.black));
        text += &format!("...      White vs Black: {}\n", wdl(&score.white));
    }
    text
}

/// `Elo difference: 12.3 +/- 4.5, LOS: 99.9 %, DrawRatio: 45.0 %`
pub fn elo_line(tally: &Tally) -> String {
    let estimate = Estimate::of(&tally.best());
    format!(
        "Elo difference: {}, LOS: {} %, DrawRatio: {} %",
        elo(tally, &estimate, 1),
        fixed(100.0 * estimate.los, 1),
        fixed(100.0 * tally.draw_ratio(), 1)
    )
}

/// An Elo difference; where all games went one way its size is unknown.
pub(super) fn elo(tally: &Tally, estimate: &Estimate, digits: usize) -> String {
    match (tally.games(), all_one_way(tally)) {
        (0, _) => "unknown".to_owned(),
        (_, Some(infinite)) => infinite.to_owned(),
        _ => format!("{} +/- {}", fixed(estimate.elo, digits), fixed(estimate.elo_error, digits)),
    }
}

/// What is said of a difference when every game was won, or every game lost.
pub fn all_one_way(tally: &Tally) -> Option<&'static str> {
    match (tally.wins, tally.losses, tally.draws) {
        (0, 0, _) => None,
        (_, 0, 0) => Some("inf +/- inf (every game won)"),
        (0, _, 0) => Some("-inf +/- inf (every game lost)"),
        _ => None,
    }
}

/// `SPRT: llr 1.2 (40.8%), lbound -2.94, ubound 2.94`, and the verdict once there is one.
pub fn sprt_line(sprt: &SprtSummary) -> String {
    let bound = if sprt.llr < 0.0 { sprt.lower } else { sprt.upper };
    let share = 100.0 * (sprt.llr / bound).clamp(0.0, 1.0);
    let verdict = match sprt.verdict {
        SprtVerdict::Continue => "",
        SprtVerdict::AcceptH0 => " - H0 was accepted",
        SprtVerdict::AcceptH1 => " - H1 was accepted",
    };
    format!(
        "SPRT: llr {} ({}%), lbound {}, ubound {}{verdict}",
        fixed(sprt.llr, 2),
        fixed(share, 1),
        fixed(sprt.lower, 2),
        fixed(sprt.upper, 2)
    )
}

/// The block that fastchess prints.
///
/// Like there, it counts whole pairs alone: what reads it adds the pairs up to the games.
pub fn fastchess_block(
    plan: &Plan,
    tally: &Tally,
    paired: &PairedScore,
    sprt: Option<&SprtSummary>,
) -> String {
    let [first, second] = plan.engines.as_slice() else { return String::new() };
    let penta = !plan.output.no_penta && tally.pair_count() > 0;
    let results = if penta { tally.best() } else { tally.trinomial() };
    // Pairs that another tool played have no games of their own here.
    let whole = penta && paired.games.games() == 2 * tally.pair_count();
    let games = match whole {
        true => paired.games,
        false => Wdl { wins: tally.wins, draws: tally.draws, losses: tally.losses },
    };
    let estimate = Estimate::of(&results);
    let points = games.wins as f64 + games.draws as f64 / 2.0;
    let pairs = tally.pairs;
    let ratio = quotient(pairs[3] + pairs[4], pairs[0] + pairs[1]);
    let rule = "-".repeat(50);
    let mut text = format!(
        "{rule}\nResults of {} vs {} ({}):\n",
        first.name(),
        second.name(),
        conditions(plan)
    );
    text += &format!(
        "Elo: {}, nElo: {} +/- {}\n",
        elo(tally, &estimate, 2),
        fixed(estimate.nelo, 2),
        fixed(estimate.nelo_error, 2)
    );
    text += &format!(
        "LOS: {} %, DrawRatio: {} %, PairsRatio: {ratio}\n",
        fixed(100.0 * estimate.los, 2),
        fixed(100.0 * draw_ratio(&results, tally), 2)
    );
    text += &format!(
        "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {} ({} %)\n",
        games.games(),
        games.wins,
        games.losses,
        games.draws,
        fixed(points, 1),
        fixed(100.0 * points / games.games().max(1) as f64, 2)
    );
    if penta {
        let even = quotient(paired.win_loss, paired.draw_draw);
        text += &format!("Ptnml(0-2): {pairs:?}, WL/DD Ratio: {even}\n");
    }
    if let (Some(sprt), Some(asked)) = (sprt, &plan.sprt) {
        let model = match asked.model {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
            Model::BayesElo => "BayesElo",
        };
        text += &format!(
            "LLR: {} ({}, {}) [{}, {}] {model}\n",
            fixed(sprt.llr, 2),
            fixed(sprt.lower, 2),
            fixed(sprt.upper, 2),
            fixed(sprt.elo0, 2),
            fixed(sprt.elo1, 2)
        );
    }
    text + &rule + "\n"
}

/// A quotient as C++ prints it.
fn quotient(over: u64, under: u64) -> String {
    match (over, under) {
        (0, 0) => "nan".to_owned(),
        (_, 0) => "inf".to_owned(),
        _ => fixed(over as f64 / under as f64, 2),
    }
}

/// fastchess counts even pairs as draws.
fn draw_ratio(results: &Results, tally: &Tally) -> f64 {
    match results {
        Results::Pentanomial(pairs) => pairs[2] as f64 / pairs.iter().sum::<u64>().max(1) as f64,
        Results::Trinomial(_) => tally.draw_ratio(),
    }
}

/// `10+0.1, 1t, 16MB, book.epd`
fn conditions(plan: &Plan) -> String {
    let option = |name: &str| {
        let mut values = plan.engines.iter().map(|e| e.spec.option(name));
        let first = values.next().flatten();
        values.all(|v| v == first).then_some(first).flatten()
    };
    let mut limits: Vec<String> = (0..plan.engines.len()).map(|i| limits_text(plan, i)).collect();
    limits.dedup();
    let mut parts = vec![limits.join(" vs ")];
    parts.extend(option("Threads").map(|t| format!("{t}t")));
    parts.extend(option("Hash").map(|h| format!("{h}MB")));
    let book = plan.openings.file.as_ref().and_then(|f| f.file_name());
    parts.push(book.map_or("built-in openings".to_owned(), |b| b.to_string_lossy().into_owned()));
    parts.join(", ")
}

/// The table of a tournament, best first.
pub fn standings_table(score: &Scoreboard) -> String {
    let mut table = Table::new([
        right("Rank"),
        left("Name"),
        right("Elo"),
        right("+/-"),
        right("Games"),
        right("Score"),
        right("Draw"),
    ]);
    for (rank, engine) in score.ranking().into_iter().enumerate() {
        let (tally, total) = (&engine.tally, engine.total());
        table.push(row![
            rank as u64 + 1,
            engine.name.clone(),
            engine.rating.as_ref().map(rating),
            engine.rating.map(|rating| fixed(rating.error, 1)),
            total.games(),
            format!("{} %", fixed(100.0 * total.score(), 1)),
            format!("{} %", fixed(100.0 * tally.draw_ratio(), 1))
        ]);
    }
    let held = score.engines.iter().filter_map(|engine| engine.rating).any(|r| r.held_by_prior);
    let note = if held { HELD_BY_PRIOR } else { "" };
    format!("{table}{note}")
}

/// What the mark of [`rating`] means.
pub(super) const HELD_BY_PRIOR: &str =
    "* all points went one way; an imagined draw keeps the rating finite\n";

/// A rating as `dyno ratings` prints it.
pub(super) fn rating(rating: &EngineRating) -> String {
    let held = if rating.held_by_prior { "*" } else { "" };
    format!("{}{held}", fixed(rating.elo, 1))
}

/// The match in one line: score, Elo, LLR, games a minute and what is left. `played` games took
/// `elapsed`.
pub fn status_line(
    score: &Scoreboard,
    total: Option<u64>,
    played: u64,
    elapsed: Duration,
) -> String {
    let mut parts = vec![match total {
        Some(total) => format!("{} of {} games", grouped(score.games), grouped(total)),
        None => format!("{} games", grouped(score.games)),
    }];
    match (score.duel(), score.ranking().first()) {
        (Some(tally), _) => {
            parts.push(format!("{}-{}-{}", tally.wins, tally.losses, tally.draws));
            let elo = elo(tally, &Estimate::of(&tally.best()), 1).replace("+/-", "±");
            let elo = elo.split(" (").next().unwrap_or_default();
            parts.push(format!("Elo {elo}"));
        }
        (None, Some(first)) => {
            let share = fixed(100.0 * first.total().score(), 1);
            parts.push(format!("{} leads, {share} %", first.name));
        }
        (None, None) => {}
    }
    if let Some(sprt) = &score.sprt {
        let [llr, low, high] = [sprt.llr, sprt.lower, sprt.upper].map(|value| fixed(value, 2));
        parts.push(format!("LLR {llr} [{low}, {high}]"));
    }
    let rate = played as f64 / elapsed.as_secs_f64().max(1e-9);
    if played > 0 {
        parts.push(format!("{}/min", fixed(60.0 * rate, usize::from(rate < 1.0))));
        if let Some(left) = total.map(|total| total.saturating_sub(score.games)) {
            // A sequential test may end before its last game.
            let most = if score.sprt.is_some() { "at most " } else { "" };
            let time = Duration::try_from_secs_f64(left as f64 / rate).unwrap_or(Duration::MAX);
            parts.push(format!("{most}{} left", duration(time)));
        }
    }
    parts.join(" · ")
}

/// How games ended, the most frequent first.
pub fn outcomes<'a>(ends: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let mut ends: Vec<(&String, &u64)> = ends.into_iter().collect();
    ends.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    ends.iter().map(|(end, count)| format!("{count:>7}  {end}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_tournament::EngineScore;

    fn duel(wins: u64, losses: u64, draws: u64) -> Scoreboard {
        let tally = Tally { wins, losses, draws, pairs: [0; 5] };
        let engine = |name: &str, tally| EngineScore {
            name: name.to_owned(),
            tally,
            ..EngineScore::default()
        };
        let engines = vec![engine("New", tally), engine("Old", tally.mirrored())];
        Scoreboard { games: tally.games(), engines, ..Scoreboard::default() }
    }

    #[test]
    fn a_match_won_to_nil_has_an_infinite_difference() {
        let said = |score: &Scoreboard| elo_line(score.duel().unwrap_or(&Tally::default()));
        assert!(said(&duel(8, 0, 0)).starts_with("Elo difference: inf +/- inf (every game won)"));
        assert!(said(&duel(0, 8, 0)).starts_with("Elo difference: -inf +/- inf (every game lost)"));
        assert!(said(&duel(0, 0, 8)).starts_with("Elo difference: 0.0 +/- "));
        assert!(said(&duel(0, 0, 0)).starts_with("Elo difference: unknown"));
    }

    #[test]
    fn the_status_line_says_where_a_match_stands() {
        let minute = Duration::from_secs(60);
        let line = status_line(&duel(8, 0, 0), Some(40), 8, minute);
        assert_eq!(line, "8 of 40 games · 8-0-0 · Elo inf ± inf · 8.0/min · 4 min 00 s left");
        let line = status_line(&duel(30, 20, 50), None, 100, minute);
        assert!(line.starts_with("100 games · 30-20-50 · Elo 34.9 ± "), "{line}");
        assert!(line.chars().count() <= 79 && !line.contains("left"), "{line}");
    }
}
