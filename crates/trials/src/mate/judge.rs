//! From what an engine said to a verdict.

use super::line::{JudgedLine, LineVerdicts, judge_line, san_line};
use super::problem::Problem;
use super::proof::{Prover, Truth, in_words};
use super::result::{FalseClaim, FoundAt, MateResult, Verdict};
use dyno_chess::Move;
use dyno_driver::{Bound, Info, Score};
use std::collections::HashSet;
use std::time::Duration;

/// Different mate lines kept for judging; an engine that gives more is counted up to here.
const MOST_CLAIMS: usize = 500;

/// An announcement of mate.
struct Claim {
    mate: i32,
    depth: Option<u32>,
    line: String,
}

/// Listens to a search.
#[derive(Default)]
pub(crate) struct Listener {
    claims: Vec<Claim>,
    seen: HashSet<(i32, String)>,
    /// The last exact score of the best line, with that line.
    score: Option<Score>,
    line: String,
    since: Option<FoundAt>,
    /// The depths at which the score has stood.
    stood_since_depth: Option<u32>,
}

impl Listener {
    /// Takes a line of thought. Bounds are no announcements: they say "at least" or "at most".
    pub(crate) fn hear(&mut self, info: &Info<'_>, at: Duration) {
        let Some(score) = info.score.filter(|_| info.bound == Bound::Exact) else { return };
        let line = info.pv.unwrap_or_default();
        if let Score::Mate(mate) = score
            && self.claims.len() < MOST_CLAIMS
            && self.seen.insert((mate, line.to_owned()))
        {
            self.claims.push(Claim { mate, depth: info.depth, line: line.to_owned() });
        }
        if info.multipv.unwrap_or(1) > 1 {
            return;
        }
        if self.score != Some(score) {
            self.score = Some(score);
            self.stood_since_depth = info.depth;
            let time_ms = at.as_secs_f64() * 1000.0;
            self.since = Some(FoundAt { time_ms, nodes: info.nodes, depth: info.depth });
        }
        self.line.clear();
        self.line.push_str(line);
    }

    /// For how many iterations after the first the mate has stood.
    pub(crate) fn stands(&self, mate: i32, depth: Option<u32>) -> Option<u32> {
        let stands = self.score == Some(Score::Mate(mate));
        stands.then_some(depth?.saturating_sub(self.stood_since_depth?))
    }
}

/// The engine's decision as text, and what the search cost.
pub(crate) struct Answer<'a> {
    pub best: &'a str,
    pub elapsed: Duration,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
}

/// An answer sheet with nothing but the question on it.
pub(crate) fn sheet(problem: &Problem, engine: usize, truth: Truth, line: &[Move]) -> MateResult {
    let position = &problem.position;
    MateResult {
        id: problem.id.clone(),
        line_no: problem.line_no,
        correct: None,
        engine_move: String::new(),
        engine_san: String::new(),
        solutions: problem.best.iter().map(|&mv| position.uci(mv)).collect(),
        solutions_san: problem.best.iter().map(|&mv| position.san(mv)).collect(),
        fen: problem.fen(),
        time_ms: 0.0,
        depth: None,
        nodes: None,
        suite: problem.suite.to_string(),
        engine,
        stated: problem.stated,
        stated_by: problem.stated_by,
        truth,
        expected_move: line.first().map(|&mv| position.uci(mv)).unwrap_or_default(),
        expected_line: san_line(position, line),
        verdict: Verdict::Failed,
        move_right: None,
        score: None,
        engine_line: String::new(),
        line_verdict: None,
        line_fault: String::new(),
        mate_lines: LineVerdicts::default(),
        false_claims: Vec::new(),
        found: None,
        remark: String::new(),
        trouble: String::new(),
        faults: problem.faults.clone(),
    }
}

/// Marks a position on which the engine gave no usable answer.
pub(crate) fn fail(sheet: &mut MateResult, trouble: String) {
    sheet.verdict = Verdict::Failed;
    sheet.correct = sheet.verdict.correct();
    sheet.trouble = trouble;
}

/// Judges what the listener heard and the move that came of it.
pub(crate) fn judge(
    sheet: &mut MateResult,
    problem: &Problem,
    listener: &Listener,
    answer: &Answer<'_>,
    prover: &mut Prover<'_>,
) {
    sheet.time_ms = answer.elapsed.as_secs_f64() * 1000.0;
    sheet.depth = answer.depth;
    sheet.nodes = answer.nodes;
    sheet.score = listener.score;
    sheet.engine_move = answer.best.to_owned();
    judge_lines(sheet, problem, listener, prover);
    let Ok(mv) = problem.position.parse_uci(&answer.best.to_ascii_lowercase()) else {
        let what = if matches!(answer.best, "" | "(none)" | "0000" | "none" | "NULL") {
            "no move although there is one".to_owned()
        } else {
            format!("{:?} is no legal move", answer.best)
        };
        return fail(sheet, what);
    };
    sheet.engine_move = problem.position.uci(mv);
    sheet.engine_san = problem.position.san(mv);
    let expected = sheet.truth.shortest().unwrap_or(problem.stated);
    sheet.move_right = move_is_right(problem, sheet.truth, mv, expected, prover);
    sheet.verdict = verdict(sheet, problem, expected, prover);
    sheet.correct = sheet.verdict.correct();
    if sheet.announced().is_some() && sheet.verdict != Verdict::Wrong {
        sheet.found = listener.since;
    }
}

/// All different lines with a mate score, and the last one in detail.
fn judge_lines(
    sheet: &mut MateResult,
    problem: &Problem,
    listener: &Listener,
    prover: &mut Prover<'_>,
) {
    let position = &problem.position;
    let mut asked: Vec<i32> = Vec::new();
    for claim in &listener.claims {
        let JudgedLine { verdict, san, .. } = judge_line(position, claim.mate, &claim.line);
        sheet.mate_lines.add(verdict);
        if !asked.contains(&claim.mate) {
            asked.push(claim.mate);
            // A longer mate than the stated one is no news.
            let disputes =
                (claim.mate > 0) != (problem.stated > 0) || claim.mate.abs() < problem.stated.abs();
            if disputes && prover.holds(position, claim.mate, sheet.truth) == Some(false) {
                sheet.false_claims.push(FalseClaim {
                    mate: claim.mate,
                    depth: claim.depth,
                    line: san,
                });
            }
        }
    }
    match listener.score {
        Some(Score::Mate(mate)) => {
            let judged = judge_line(position, mate, &listener.line);
            sheet.engine_line = judged.san;
            sheet.line_verdict = Some(judged.verdict);
            sheet.line_fault = judged.fault;
        }
        _ => sheet.engine_line = judge_line(position, 1, &listener.line).san,
    }
}

/// Right is a move of `bm`, or one that keeps the mate. Where the suite's moves are refuted, only
/// the board counts.
fn move_is_right(
    problem: &Problem,
    truth: Truth,
    mv: Move,
    expected: i32,
    prover: &mut Prover<'_>,
) -> Option<bool> {
    match truth {
        Truth::NoMate { .. } => None,
        Truth::Shortest { .. } => prover.keeps(&problem.position, mv, expected),
        _ if problem.best.contains(&mv) => Some(true),
        Truth::Unsettled { .. } => prover.keeps(&problem.position, mv, expected),
        Truth::Unchecked => None,
    }
}

fn verdict(
    sheet: &mut MateResult,
    problem: &Problem,
    expected: i32,
    prover: &mut Prover<'_>,
) -> Verdict {
    let no_mate = matches!(sheet.truth, Truth::NoMate { .. });
    let Some(claim) = sheet.announced() else {
        if sheet.move_right == Some(true) {
            sheet.remark = "the right move, but no mate announced".to_owned();
        }
        return if no_mate { Verdict::Unscored } else { Verdict::Missed };
    };
    let right_side = claim != 0 && (claim > 0) == (problem.stated > 0);
    let holds = prover.holds(&problem.position, claim, sheet.truth);
    if !right_side || holds == Some(false) {
        sheet.remark = match sheet.truth.shortest() {
            Some(mate) if right_side => {
                format!("announced {}: it is {}", in_words(claim), in_words(mate))
            }
            _ if right_side => format!("announced {}: refuted", in_words(claim)),
            _ => format!("announced {}: the wrong side", in_words(claim)),
        };
        return Verdict::Wrong;
    }
    if no_mate {
        return Verdict::Unscored;
    }
    // The mate is there; the move played must not throw it away.
    if claim > 0 && claim <= expected && sheet.move_right == Some(false) {
        sheet.remark = format!("{} does not force {}", sheet.engine_san, in_words(claim));
        return Verdict::Wrong;
    }
    if claim.abs() < problem.stated.abs() {
        sheet.remark = match holds {
            Some(true) => format!("{} is proved: the suite is wrong", in_words(claim)),
            _ => format!("{} could not be settled by the solver", in_words(claim)),
        };
        return Verdict::Better;
    }
    if claim == expected { Verdict::Best } else { Verdict::Found }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::mate::LineVerdict;
    use crate::mate::proof::ProofLimits;
    use dyno_formats::epd::EpdRecord;
    use std::sync::Arc;

    /// Mate in 2 by 1. Nf6+ gxf6 2. Bxf7#.
    const TWO: &str = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq -";

    fn judged(epd: &str, nodes: u64, lines: &[&str], best: &str) -> MateResult {
        let record = EpdRecord::parse(1, epd).unwrap().unwrap();
        let mut problem = Problem::from_record(&Arc::from("test"), None, &record).unwrap();
        let mut prover = Prover::new(ProofLimits { nodes, moves: 5 }, &|| false);
        let truth = prover.examine(&mut problem);
        let mut result = sheet(&problem, 0, truth, &problem.line);
        let mut listener = Listener::default();
        for (index, line) in lines.iter().enumerate() {
            let text = format!("info depth {} nodes {} {line}", index + 1, 100 * (index + 1));
            let info = Info::parse(&text, &mut |deviation| panic!("{deviation}"));
            listener.hear(&info, Duration::from_millis(index as u64));
        }
        let answer =
            Answer { best, elapsed: Duration::from_millis(9), depth: Some(9), nodes: Some(9) };
        judge(&mut result, &problem, &listener, &answer, &mut prover);
        result
    }

    fn verdict_of(epd: &str, lines: &[&str], best: &str) -> Verdict {
        judged(epd, 100_000, lines, best).verdict
    }

    #[test]
    fn the_right_length_the_right_move() {
        let epd = format!("{TWO} bm Nf6+; dm 2;");
        let lines = ["score cp 90 pv d5f6", "score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!((result.verdict, result.correct), (Verdict::Best, Some(true)));
        assert_eq!(result.line_verdict, Some(LineVerdict::Ok));
        assert_eq!(result.move_right, Some(true));
        let found = result.found.unwrap();
        assert_eq!((found.depth, found.nodes), (Some(2), Some(200)));
    }

    #[test]
    fn a_longer_mate_is_found_and_no_mate_is_missed() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 4 pv d5f6"], "d5f6"), Verdict::Found);
        assert_eq!(verdict_of(&epd, &["score cp 800 pv d5f6"], "d5f6"), Verdict::Missed);
        let result = judged(&epd, 100_000, &["score cp 800 pv d5f6"], "d5f6");
        assert!(result.remark.contains("right move"), "{}", result.remark);
        // Only the last exact score counts; a bound is no announcement.
        let lines = ["score mate 2 pv d5f6 g7f6 c4f7", "score cp 10 pv a2a3"];
        assert_eq!(verdict_of(&epd, &lines, "a2a3"), Verdict::Missed);
        let lines = ["score cp 10 pv d5f6", "score mate 2 lowerbound pv d5f6"];
        assert_eq!(verdict_of(&epd, &lines, "d5f6"), Verdict::Missed);
    }

    #[test]
    fn a_mate_that_is_not_there_is_wrong() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 1 pv d5f6"], "d5f6"), Verdict::Wrong);
        assert_eq!(verdict_of(&epd, &["score mate -3 pv d5f6"], "d5f6"), Verdict::Wrong);
        assert_eq!(verdict_of(&epd, &["score mate 0"], "d5f6"), Verdict::Wrong);
        // The mate is there, but not after this move.
        assert_eq!(verdict_of(&epd, &["score mate 2 pv a2a3"], "a2a3"), Verdict::Wrong);
        // A false announcement on the way is noted even if the end is right.
        let lines = ["score mate 1 pv c4b5", "score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!(result.verdict, Verdict::Best);
        assert_eq!(result.false_claims.len(), 1);
        assert_eq!((result.mate_lines.ok, result.mate_lines.no_mate), (1, 1));
    }

    #[test]
    fn better_than_stated_is_the_suites_defect() {
        let epd = format!("{TWO} bm Nf6+; dm 3;");
        let lines = ["score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!((result.verdict, result.correct), (Verdict::Better, Some(true)));
        assert!(result.remark.contains("proved"), "{}", result.remark);
        assert!(result.faults[0].reason.contains("it is mate in 2"));
        // Without the solver nobody can say who is right.
        let result = judged(&epd, 0, &lines, "d5f6");
        assert_eq!(result.verdict, Verdict::Better);
        assert!(result.remark.contains("could not be settled"));
        // Whoever believes the suite's length finds a longer mate than there is.
        assert_eq!(verdict_of(&epd, &["score mate 3 pv d5f6"], "d5f6"), Verdict::Found);
    }

    #[test]
    fn a_suite_that_states_a_mate_where_none_is() {
        let epd = "6k1/5ppp/8/8/8/8/8/6KN w - - bm Ng3; dm 1;";
        let quiet = judged(epd, 100_000, &["score cp 300 pv h1g3"], "h1g3");
        assert_eq!((quiet.verdict, quiet.correct), (Verdict::Unscored, None));
        assert!(quiet.faults[0].reason.contains("there is none"), "{:?}", quiet.faults);
        let loud = judged(epd, 100_000, &["score mate 1 pv h1g3"], "h1g3");
        assert_eq!(loud.verdict, Verdict::Wrong);
    }

    #[test]
    fn the_side_to_move_is_mated() {
        let epd = "7k/8/6K1/8/8/8/8/R7 b - - dm -1;";
        let lines = ["score mate -1 pv h8g8 a1a8"];
        assert_eq!(verdict_of(epd, &lines, "h8g8"), Verdict::Best);
        assert_eq!(verdict_of(epd, &["score mate -2 pv h8g8"], "h8g8"), Verdict::Found);
        assert_eq!(verdict_of(epd, &["score mate 1 pv h8g8"], "h8g8"), Verdict::Wrong);
    }

    #[test]
    fn no_usable_move_is_a_failure() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 2"], "(none)"), Verdict::Failed);
        assert_eq!(verdict_of(&epd, &["score mate 2"], "a1h8"), Verdict::Failed);
    }
}
