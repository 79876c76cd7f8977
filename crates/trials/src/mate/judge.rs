//! From what an engine said to a verdict.

use super::limit::MateLimit;
use super::line::{JudgedLine, LineVerdicts, judge_line, san_line};
use super::plan::MatePlan;
use super::problem::{Problem, SuiteFault};
use super::proof::{ProofLimits, Prover, Truth, in_words};
use super::read::read;
use super::result::{FalseClaim, FoundAt, MateResult, MateVerdict};
use crate::position_test::{Failure, Judge, Lines, Source, Stop, TestPosition, milliseconds};
use dyno_chess::Move;
use dyno_driver::{Bound, Go, Info, Score, SearchControl, SearchResult};
use dyno_formats::OpenError;
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
struct Listener {
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
    /// Takes in a line of thought. A bound is not an announcement: it says "at least" or "at most".
    fn hear(&mut self, info: &Info<'_>, at: Duration) {
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
            let time_ms = milliseconds(at);
            self.since = Some(FoundAt { time_ms, nodes: info.nodes, depth: info.depth });
        }
        self.line.clear();
        self.line.push_str(line);
    }

    /// For how many iterations after the first the mate has stood.
    fn stands(&self, mate: i32, depth: Option<u32>) -> Option<u32> {
        let stands = self.score == Some(Score::Mate(mate));
        stands.then_some(depth?.saturating_sub(self.stood_since_depth?))
    }
}

/// Judges announced mates by the board and by our own solver.
pub(crate) struct MateJudge {
    limit: MateLimit,
    timeout: Option<Duration>,
    early_stop: Option<u32>,
    proof: ProofLimits,
    repair: bool,
}

impl MateJudge {
    pub(super) fn new(plan: &MatePlan) -> Self {
        Self {
            limit: plan.limit.clone(),
            timeout: plan.test.timeout,
            early_stop: plan.test.early_stop,
            proof: plan.proof,
            repair: plan.repair,
        }
    }

    /// A judge that only reads: for commands that ask no engine.
    pub(super) fn reader(repair: bool) -> Self {
        let (limit, proof) = (MateLimit::default(), ProofLimits::default());
        Self { limit, timeout: None, early_stop: None, proof, repair }
    }
}

/// An answer on its way: the problem with its proof, and what the engine has said so far.
pub(crate) struct MateSheet {
    problem: Problem,
    result: MateResult,
    listener: Listener,
}

impl Judge for MateJudge {
    type Question = Problem;
    type Defect = SuiteFault;
    type Result = MateResult;
    type Sheet = MateSheet;
    type Tools<'a> = Prover<'a>;

    fn read(&self, source: &Source) -> Result<Lines<Self>, OpenError> {
        read(source, self.repair)
    }

    fn position(problem: &Problem) -> &TestPosition {
        &problem.at
    }

    fn defect_id(fault: &SuiteFault) -> &str {
        // An unreadable line has no name of its own.
        if fault.fen.is_empty() { "" } else { &fault.id }
    }

    fn tools<'a>(&'a self, stop: Stop<'a>) -> Prover<'a> {
        Prover::new(self.proof, stop)
    }

    fn open(&self, prover: &mut Prover<'_>, problem: &Problem, engine: usize) -> MateSheet {
        let mut problem = problem.clone();
        let truth = prover.examine(&mut problem);
        let proved = truth.shortest().and_then(|mate| prover.line(&problem.at.position, mate));
        let line = proved.unwrap_or_else(|| problem.line.clone());
        let result = sheet(&problem, engine, truth, &line);
        MateSheet { problem, result, listener: Listener::default() }
    }

    fn limit(&self, problem: &Problem) -> (Go, Option<Duration>) {
        let go = self.limit.go(problem.stated);
        // Stopped for time when it next speaks, and soon after that even if it never does.
        let silence = Duration::from_secs(2);
        let timeout = self.timeout.or_else(|| self.limit.timeout(&go));
        (go, timeout.map(|timeout| timeout + silence))
    }

    fn listen(
        &self,
        problem: &Problem,
        sheet: &mut MateSheet,
        info: &Info<'_>,
        at: Duration,
    ) -> SearchControl {
        sheet.listener.hear(info, at);
        let timeout = self.timeout.or_else(|| self.limit.timeout(&self.limit.go(problem.stated)));
        let late = timeout.is_some_and(|timeout| at >= timeout);
        let expected = sheet.result.truth.shortest().unwrap_or(problem.stated);
        let stood = sheet.listener.stands(expected, info.depth);
        let enough = self.early_stop.is_some_and(|plies| stood.is_some_and(|s| s >= plies));
        if late || enough { SearchControl::Stop } else { SearchControl::Continue }
    }

    fn judge(
        &self,
        prover: &mut Prover<'_>,
        _: &Problem,
        sheet: MateSheet,
        found: &SearchResult,
    ) -> MateResult {
        let MateSheet { problem, mut result, listener } = sheet;
        judge(&mut result, &problem, &listener, found, prover);
        result
    }

    fn fail(&self, _: &Problem, sheet: MateSheet, failure: Failure) -> MateResult {
        let mut result = sheet.result;
        fail(&mut result, failure.trouble);
        result
    }
}

/// An answer sheet with nothing but the question on it.
fn sheet(problem: &Problem, engine: usize, truth: Truth, line: &[Move]) -> MateResult {
    let position = &problem.at.position;
    MateResult {
        id: problem.at.id.clone(),
        line_no: problem.at.line_no,
        correct: None,
        engine_move: String::new(),
        engine_san: String::new(),
        solutions: problem.best.iter().map(|&mv| position.uci(mv)).collect(),
        solutions_san: problem.best.iter().map(|&mv| position.san(mv)).collect(),
        fen: problem.at.fen(),
        time_ms: 0.0,
        depth: None,
        nodes: None,
        suite: problem.at.suite.to_string(),
        engine,
        stated: problem.stated,
        stated_by: problem.stated_by,
        truth,
        expected_move: line.first().map(|&mv| position.uci(mv)).unwrap_or_default(),
        expected_line: san_line(position, line),
        verdict: MateVerdict::Failed,
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
fn fail(sheet: &mut MateResult, trouble: String) {
    sheet.verdict = MateVerdict::Failed;
    sheet.correct = sheet.verdict.correct();
    sheet.trouble = trouble;
}

/// Judges what the listener heard and the move that came of it.
fn judge(
    sheet: &mut MateResult,
    problem: &Problem,
    listener: &Listener,
    found: &SearchResult,
    prover: &mut Prover<'_>,
) {
    let best = found.best.as_str();
    sheet.time_ms = milliseconds(found.elapsed);
    (sheet.depth, sheet.nodes) = (found.info.depth, found.info.nodes);
    sheet.score = listener.score;
    sheet.engine_move = best.to_owned();
    judge_lines(sheet, problem, listener, prover);
    let Ok(mv) = problem.at.position.parse_uci(&best.to_ascii_lowercase()) else {
        let what = if matches!(best, "" | "(none)" | "0000" | "none" | "NULL") {
            "no move although there is one".to_owned()
        } else {
            format!("{best:?} is not a legal move")
        };
        return fail(sheet, what);
    };
    sheet.engine_move = problem.at.position.uci(mv);
    sheet.engine_san = problem.at.position.san(mv);
    let expected = sheet.truth.shortest().unwrap_or(problem.stated);
    sheet.move_right = move_is_right(problem, sheet.truth, mv, expected, prover);
    sheet.verdict = verdict(sheet, problem, expected, prover);
    sheet.correct = sheet.verdict.correct();
    if sheet.announced().is_some() && sheet.verdict != MateVerdict::Wrong {
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
    let position = &problem.at.position;
    let mut asked: Vec<i32> = Vec::new();
    for claim in &listener.claims {
        let JudgedLine { verdict, san, .. } = judge_line(position, claim.mate, &claim.line);
        sheet.mate_lines.add(verdict);
        if !asked.contains(&claim.mate) {
            asked.push(claim.mate);
            // A longer mate than the stated one tells nothing new.
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
        Truth::Shortest { .. } => prover.keeps(&problem.at.position, mv, expected),
        _ if problem.best.contains(&mv) => Some(true),
        Truth::Unsettled { .. } => prover.keeps(&problem.at.position, mv, expected),
        Truth::Unchecked => None,
    }
}

fn verdict(
    sheet: &mut MateResult,
    problem: &Problem,
    expected: i32,
    prover: &mut Prover<'_>,
) -> MateVerdict {
    let no_mate = matches!(sheet.truth, Truth::NoMate { .. });
    let Some(claim) = sheet.announced() else {
        if sheet.move_right == Some(true) {
            sheet.remark = "the right move, but no mate announced".to_owned();
        }
        return if no_mate { MateVerdict::Unscored } else { MateVerdict::Missed };
    };
    let right_side = claim != 0 && (claim > 0) == (problem.stated > 0);
    let holds = prover.holds(&problem.at.position, claim, sheet.truth);
    if !right_side || holds == Some(false) {
        sheet.remark = match sheet.truth.shortest() {
            Some(mate) if right_side => {
                format!("announced {}: it is {}", in_words(claim), in_words(mate))
            }
            _ if right_side => format!("announced {}: refuted", in_words(claim)),
            _ => format!("announced {}: the wrong side", in_words(claim)),
        };
        return MateVerdict::Wrong;
    }
    if no_mate {
        return MateVerdict::Unscored;
    }
    // The mate is there; the move played must not throw it away.
    if claim > 0 && claim <= expected && sheet.move_right == Some(false) {
        sheet.remark = format!("{} does not force {}", sheet.engine_san, in_words(claim));
        return MateVerdict::Wrong;
    }
    if claim.abs() < problem.stated.abs() {
        sheet.remark = match holds {
            Some(true) => format!("{} is proved: the suite is wrong", in_words(claim)),
            _ => format!("{} could not be settled by the solver", in_words(claim)),
        };
        return MateVerdict::Better;
    }
    if claim == expected { MateVerdict::Best } else { MateVerdict::Found }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::mate::LineVerdict;
    use crate::mate::proof::ProofLimits;
    use dyno_driver::{InfoBuf, SearchEnd};
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
        let found = SearchResult {
            best: best.to_owned(),
            ponder: None,
            elapsed: Duration::from_millis(9),
            info: InfoBuf { depth: Some(9), nodes: Some(9), ..InfoBuf::default() },
            end: SearchEnd::Finished,
        };
        judge(&mut result, &problem, &listener, &found, &mut prover);
        result
    }

    fn verdict_of(epd: &str, lines: &[&str], best: &str) -> MateVerdict {
        judged(epd, 100_000, lines, best).verdict
    }

    #[test]
    fn the_right_length_the_right_move() {
        let epd = format!("{TWO} bm Nf6+; dm 2;");
        let lines = ["score cp 90 pv d5f6", "score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!((result.verdict, result.correct), (MateVerdict::Best, Some(true)));
        assert_eq!(result.line_verdict, Some(LineVerdict::Ok));
        assert_eq!(result.move_right, Some(true));
        let found = result.found.unwrap();
        assert_eq!((found.depth, found.nodes), (Some(2), Some(200)));
    }

    #[test]
    fn a_longer_mate_is_found_and_no_mate_is_missed() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 4 pv d5f6"], "d5f6"), MateVerdict::Found);
        assert_eq!(verdict_of(&epd, &["score cp 800 pv d5f6"], "d5f6"), MateVerdict::Missed);
        let result = judged(&epd, 100_000, &["score cp 800 pv d5f6"], "d5f6");
        assert!(result.remark.contains("right move"), "{}", result.remark);
        // Only the last exact score counts; a bound is not an announcement.
        let lines = ["score mate 2 pv d5f6 g7f6 c4f7", "score cp 10 pv a2a3"];
        assert_eq!(verdict_of(&epd, &lines, "a2a3"), MateVerdict::Missed);
        let lines = ["score cp 10 pv d5f6", "score mate 2 lowerbound pv d5f6"];
        assert_eq!(verdict_of(&epd, &lines, "d5f6"), MateVerdict::Missed);
    }

    #[test]
    fn a_mate_that_is_not_there_is_wrong() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 1 pv d5f6"], "d5f6"), MateVerdict::Wrong);
        assert_eq!(verdict_of(&epd, &["score mate -3 pv d5f6"], "d5f6"), MateVerdict::Wrong);
        assert_eq!(verdict_of(&epd, &["score mate 0"], "d5f6"), MateVerdict::Wrong);
        // The mate is there, but not after this move.
        assert_eq!(verdict_of(&epd, &["score mate 2 pv a2a3"], "a2a3"), MateVerdict::Wrong);
        // A false announcement on the way is noted even if the end is right.
        let lines = ["score mate 1 pv c4b5", "score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!(result.verdict, MateVerdict::Best);
        assert_eq!(result.false_claims.len(), 1);
        assert_eq!((result.mate_lines.ok, result.mate_lines.no_mate), (1, 1));
    }

    #[test]
    fn better_than_stated_is_the_suites_defect() {
        let epd = format!("{TWO} bm Nf6+; dm 3;");
        let lines = ["score mate 2 pv d5f6 g7f6 c4f7"];
        let result = judged(&epd, 100_000, &lines, "d5f6");
        assert_eq!((result.verdict, result.correct), (MateVerdict::Better, Some(true)));
        assert!(result.remark.contains("proved"), "{}", result.remark);
        assert!(result.faults[0].reason.contains("it is mate in 2"));
        // Without the solver it stays open who is right.
        let result = judged(&epd, 0, &lines, "d5f6");
        assert_eq!(result.verdict, MateVerdict::Better);
        assert!(result.remark.contains("could not be settled"));
        // An engine that agrees with the suite has found a longer mate than there is.
        assert_eq!(verdict_of(&epd, &["score mate 3 pv d5f6"], "d5f6"), MateVerdict::Found);
    }

    #[test]
    fn a_suite_that_states_a_mate_where_none_is() {
        let epd = "6k1/5ppp/8/8/8/8/8/6KN w - - bm Ng3; dm 1;";
        let quiet = judged(epd, 100_000, &["score cp 300 pv h1g3"], "h1g3");
        assert_eq!((quiet.verdict, quiet.correct), (MateVerdict::Unscored, None));
        assert!(quiet.faults[0].reason.contains("there is none"), "{:?}", quiet.faults);
        let loud = judged(epd, 100_000, &["score mate 1 pv h1g3"], "h1g3");
        assert_eq!(loud.verdict, MateVerdict::Wrong);
    }

    #[test]
    fn the_side_to_move_is_mated() {
        let epd = "7k/8/6K1/8/8/8/8/R7 b - - dm -1;";
        let lines = ["score mate -1 pv h8g8 a1a8"];
        assert_eq!(verdict_of(epd, &lines, "h8g8"), MateVerdict::Best);
        assert_eq!(verdict_of(epd, &["score mate -2 pv h8g8"], "h8g8"), MateVerdict::Found);
        assert_eq!(verdict_of(epd, &["score mate 1 pv h8g8"], "h8g8"), MateVerdict::Wrong);
    }

    #[test]
    fn no_usable_move_is_a_failure() {
        let epd = format!("{TWO} dm 2;");
        assert_eq!(verdict_of(&epd, &["score mate 2"], "(none)"), MateVerdict::Failed);
        assert_eq!(verdict_of(&epd, &["score mate 2"], "a1h8"), MateVerdict::Failed);
    }
}
