//! Search consistency: windows, tables, and a board that is left as it was found.

use super::{Board, Check, Claim, Effort, Finding, POSITIONS, Problem, Searcher};
use dyno_chess::Position;
use dyno_chess::perft::perft;

fn report(findings: &mut Vec<Finding>, check: Check, fen: &str, problem: Problem) {
    let known = findings
        .iter()
        .any(|f| std::mem::discriminant(&f.problem) == std::mem::discriminant(&problem));
    if !known {
        findings.push(Finding { check, problem, fen: fen.into(), moves: Vec::new() });
    }
}

/// What plain minimax says, or what a negamax that loses the sign would say.
fn minimax<B: Board>(
    searcher: &mut dyn Searcher<B>,
    board: &mut B,
    position: &Position,
    depth: u32,
    ply: u32,
    negate: bool,
) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if position.is_check() { searcher.mated(ply) } else { 0 };
    }
    if depth == 0 {
        return searcher.leaf(board);
    }
    let mut best = -searcher.infinity();
    for mv in moves {
        let Ok(reference) = position.parse_uci(&board.uci(&mv)) else { continue };
        board.make(&mv);
        let next = position.play(reference);
        let below = minimax(searcher, board, &next, depth - 1, ply + 1, negate);
        board.unmake(&mv);
        best = best.max(if negate { -below } else { below });
    }
    best
}

/// The full-window score is minimax's (for a searcher that claims exactness), and a null window
/// fails high exactly when that score says so, within the searcher's claim. Everything is tried
/// twice: with a clear table, and with the table as the searches before have left it, where wrong
/// bounds do their harm.
pub fn window_consistency<B: Board>(
    searcher: &mut dyn Searcher<B>,
    effort: &Effort,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for fen in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let deepest = deepest(&position, effort);
        for clearing in [true, false] {
            searcher.clear();
            for depth in 1..=deepest {
                check_windows(searcher, fen, &position, depth, clearing, &mut findings);
            }
        }
    }
    findings
}

/// As deep as the effort allows: small positions are searched deeper.
fn deepest(position: &Position, effort: &Effort) -> u32 {
    let mut depth = 1;
    while depth < effort.depth + 2 && perft(position, depth + 1) <= effort.perft_nodes / 4 {
        depth += 1;
    }
    depth
}

fn check_windows<B: Board>(
    searcher: &mut dyn Searcher<B>,
    fen: &str,
    position: &Position,
    depth: u32,
    clearing: bool,
    findings: &mut Vec<Finding>,
) {
    let infinity = searcher.infinity();
    // A board of its own for every search: one that is not restored is another check's finding.
    let search = |searcher: &mut dyn Searcher<B>, alpha, beta| {
        let mut board = B::from_fen(fen).ok()?;
        if clearing {
            searcher.clear();
        }
        Some(searcher.search(&mut board, depth, alpha, beta))
    };
    let Some(full) = search(searcher, -infinity, infinity) else { return };
    let tolerance = match searcher.claim() {
        Claim::Within(tolerance) => tolerance,
        Claim::Exact => {
            let Ok(mut board) = B::from_fen(fen) else { return };
            let expected = minimax(searcher, &mut board, position, depth, 0, true);
            if full != expected {
                let lost = minimax(searcher, &mut board, position, depth, 0, false);
                let sign_lost = lost == full;
                let problem = Problem::ScoreNotMinimax { depth, expected, found: full, sign_lost };
                report(findings, Check::Window, fen, problem);
            }
            0
        }
    };
    let (low, high) = (full - tolerance, full + tolerance + 1);
    for beta in [low - 50, low, high, high + 50] {
        let Some(null) = search(searcher, beta - 1, beta) else { return };
        if (null >= beta) != (beta <= full) {
            let problem = Problem::NullWindowWrong { depth, beta, full, null };
            report(findings, Check::Window, fen, problem);
        }
    }
}

/// The same position, depth and window give the same move and score again after clearing.
pub fn table_consistency<B: Board>(
    searcher: &mut dyn Searcher<B>,
    effort: &Effort,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let infinity = searcher.infinity();
    for fen in POSITIONS {
        for depth in 1..=effort.depth {
            let run = |searcher: &mut dyn Searcher<B>| {
                let mut board = B::from_fen(fen).ok()?;
                searcher.clear();
                let score = searcher.search(&mut board, depth, -infinity, infinity);
                Some((score, searcher.best_move().unwrap_or_default()))
            };
            let (Some(first), Some(second)) = (run(searcher), run(searcher)) else { continue };
            if first.0 != second.0 {
                let problem =
                    Problem::TableChangesScore { depth, first: first.0, second: second.0 };
                report(&mut findings, Check::Table, fen, problem);
            } else if first.1 != second.1 {
                let problem = Problem::TableChangesMove { depth, first: first.1, second: second.1 };
                report(&mut findings, Check::Table, fen, problem);
            }
        }
    }
    findings
}

/// A search leaves the board as it found it, whatever its window.
pub fn search_is_sound<B: Board>(searcher: &mut dyn Searcher<B>, effort: &Effort) -> Vec<Finding> {
    let mut findings = Vec::new();
    let infinity = searcher.infinity();
    for fen in POSITIONS {
        for (alpha, beta) in [(-infinity, infinity), (-1, 0), (-infinity, -300), (300, infinity)] {
            let Ok(mut board) = B::from_fen(fen) else { continue };
            let seen = |board: &B| board.state().or_else(|| board.fen());
            let Some(before) = seen(&board) else { continue };
            searcher.clear();
            searcher.search(&mut board, effort.depth, alpha, beta);
            if let Some(after) = seen(&board)
                && after != before
            {
                let problem = Problem::SearchChangesBoard { before, after };
                report(&mut findings, Check::SearchSoundness, fen, problem);
            }
        }
    }
    findings
}
