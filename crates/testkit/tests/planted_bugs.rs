//! Every classic bug, planted in the toy engine, is caught by the kit and named for what it is;
//! the sound engine passes everything.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::diagnose::{Missing, Surplus};
use dyno_testkit::kit::{
    self, Board, Claim, Effort, Evaluator, Finding, HashCause, Problem, Searcher,
};
use dyno_testkit::toy::{self, Bug, MATE, ToyBoard, ToyMove, ToySearch};
use std::cell::Cell;

thread_local! {
    /// `Board::from_fen` takes no argument for it.
    static BUG: Cell<Option<Bug>> = const { Cell::new(None) };
}

struct Toy(ToyBoard);

impl Board for Toy {
    type Move = ToyMove;

    fn from_fen(fen: &str) -> Result<Self, String> {
        ToyBoard::from_fen(fen, BUG.get()).map(Toy)
    }

    fn legal_moves(&mut self) -> Vec<ToyMove> {
        self.0.legal_moves()
    }

    fn uci(&self, mv: &ToyMove) -> String {
        self.0.uci(*mv)
    }

    fn make(&mut self, mv: &ToyMove) {
        self.0.make(*mv);
    }

    fn unmake(&mut self, mv: &ToyMove) {
        self.0.unmake(*mv);
    }

    fn fen(&self) -> Option<String> {
        Some(self.0.fen())
    }

    fn hash(&self) -> Option<u64> {
        Some(self.0.hash())
    }

    fn hash_from_scratch(&self) -> Option<u64> {
        Some(self.0.hash_from_scratch())
    }

    fn state(&self) -> Option<String> {
        Some(self.0.state())
    }

    fn integrity(&self) -> Result<(), String> {
        self.0.integrity()
    }
}

struct ToyEvaluator;

impl Evaluator<Toy> for ToyEvaluator {
    fn evaluate(&mut self, board: &mut Toy) -> i32 {
        toy::evaluate(&board.0)
    }
}

#[derive(Default)]
struct ToySearcher(ToySearch);

impl Searcher<Toy> for ToySearcher {
    fn search(&mut self, board: &mut Toy, depth: u32, alpha: i32, beta: i32) -> i32 {
        self.0.search(&mut board.0, depth, alpha, beta)
    }

    fn leaf(&mut self, board: &mut Toy) -> i32 {
        toy::evaluate(&board.0)
    }

    fn best_move(&self) -> Option<String> {
        self.0.best().map(str::to_string)
    }

    fn clear(&mut self) {
        let board = ToyBoard::from_fen(dyno_chess::STARTPOS, BUG.get()).ok();
        self.0.clear(board.as_ref());
    }

    fn claim(&self) -> Claim {
        Claim::Exact
    }

    fn mated(&self, ply: u32) -> i32 {
        -MATE + ply as i32
    }
}

/// The whole kit.
fn examine(bug: Option<Bug>) -> Vec<Finding> {
    BUG.set(bug);
    let effort = Effort::quick();
    let mut findings = kit::perft::<Toy>(&effort);
    findings.extend(kit::hash::<Toy>(&effort));
    findings.extend(kit::hash_distinguishes::<Toy>());
    findings.extend(kit::integrity::<Toy>(&effort));
    findings.extend(kit::path_independence::<Toy>(&mut ToyEvaluator, &effort));
    findings.extend(kit::mirror::<Toy>(&mut ToyEvaluator, &effort));
    findings.extend(kit::search_is_sound(&mut ToySearcher::default(), &effort));
    findings.extend(kit::window_consistency(&mut ToySearcher::default(), &effort));
    findings.extend(kit::table_consistency(&mut ToySearcher::default(), &effort));
    findings
}

/// Whether a problem names the bug for what it is.
fn names(bug: Bug, problem: &Problem) -> bool {
    let missing =
        |wanted: Missing| matches!(problem, Problem::MoveMissing { why, .. } if *why == wanted);
    let surplus =
        |wanted: Surplus| matches!(problem, Problem::MoveSurplus { why, .. } if *why == wanted);
    let drift = |wanted: HashCause| matches!(problem, Problem::HashDrifts { cause, .. } if *cause == wanted);
    let undo =
        |wanted: &str| matches!(problem, Problem::UndoChanges { part, .. } if part == wanted);
    let blind = |wanted: &str| matches!(problem, Problem::HashBlind { to, .. } if *to == wanted);
    match bug {
        Bug::EnPassantExposesKing => surplus(Surplus::EnPassantExposesKing),
        Bug::EnPassantForgotten => missing(Missing::EnPassant),
        Bug::EnPassantStale => surplus(Surplus::EnPassantNotPossible),
        Bug::CastlingThroughAttack => surplus(Surplus::CastlingThroughAttack),
        Bug::CastlingOutOfCheck => surplus(Surplus::CastlingOutOfCheck),
        Bug::CastlingThroughPiece => surplus(Surplus::CastlingThroughPiece),
        Bug::CastlingRookAttacked => missing(Missing::CastlingRookAttacked),
        Bug::CastlingRightAfterCapture => surplus(Surplus::CastlingRightAfterRookTaken),
        Bug::CastlingRightAfterRookMove => surplus(Surplus::CastlingRightAfterRookMoved),
        Bug::CastlingRightAfterKingMove => surplus(Surplus::CastlingRightAfterKingMoved),
        Bug::NoUnderpromotion => missing(Missing::Underpromotion),
        Bug::PromotionCaptureForgotten => missing(Missing::PromotionCapture),
        Bug::PromotionMissing => surplus(Surplus::PromotionMissing),
        Bug::PinnedPieceMoves => {
            matches!(problem, Problem::MoveSurplus { why: Surplus::PinnedPieceMoves { .. }, .. })
        }
        Bug::DoubleCheckBlocked => surplus(Surplus::DoubleCheckNotByKing),
        Bug::KingBackAlongLine => surplus(Surplus::KingBackAlongLine),
        Bug::DoubleStepRankOffByOne => surplus(Surplus::PawnDoubleStepFromWrongRank),
        Bug::DoubleStepJumps => surplus(Surplus::PawnDoubleStepOverPiece),
        Bug::KnightWraps => surplus(Surplus::WrapsAround),
        Bug::PawnPushTakes => surplus(Surplus::PawnPushesIntoPiece),
        Bug::HashEnPassantNotRemoved => drift(HashCause::OldEnPassant),
        Bug::HashCastlingNotUpdated => drift(HashCause::CastlingRights),
        Bug::HashCaptureNotRemoved => drift(HashCause::Capture),
        Bug::HashPromotionAsPawn => drift(HashCause::Promotion),
        Bug::HashCastlingRookForgotten => drift(HashCause::CastlingRook),
        Bug::HashIgnoresSide => blind("the side to move"),
        Bug::HashIgnoresCastling => blind("castling rights"),
        Bug::UndoCastlingRights => undo("the castling rights"),
        Bug::UndoCapture => undo("the pieces"),
        Bug::UndoEnPassant => undo("the en-passant square"),
        Bug::UndoHash => matches!(problem, Problem::HashNotRestored { .. }),
        Bug::AggregateCapture => matches!(problem, Problem::IntegrityBroken { .. }),
        Bug::EvalAsymmetric => matches!(problem, Problem::EvalNotMirrored { .. }),
        Bug::EvalPathDependent => matches!(problem, Problem::EvalDependsOnPath { .. }),
        Bug::SignLost => matches!(problem, Problem::ScoreNotMinimax { sign_lost: true, .. }),
        Bug::MissingUnmake => matches!(problem, Problem::SearchChangesBoard { .. }),
        Bug::WindowNotSwapped => matches!(
            problem,
            Problem::NullWindowWrong { .. } | Problem::ScoreNotMinimax { sign_lost: false, .. }
        ),
        Bug::TableIgnoresBound => {
            matches!(problem, Problem::ScoreNotMinimax { .. } | Problem::NullWindowWrong { .. })
        }
        Bug::TableNotCleared => {
            matches!(problem, Problem::TableChangesScore { .. } | Problem::TableChangesMove { .. })
        }
    }
}

#[test]
fn the_sound_engine_passes() {
    let findings = examine(None);
    assert!(findings.is_empty(), "{}", kit::list(&findings));
}

#[test]
fn every_planted_bug_is_caught_and_named() {
    let unnamed = |bugs: &[Bug]| -> String {
        bugs.iter()
            .map(|&bug| (bug, examine(Some(bug))))
            .filter(|(bug, found)| !found.iter().any(|finding| names(*bug, &finding.problem)))
            .map(|(bug, found)| format!("{}:\n{}\n", bug.name(), kit::list(&found)))
            .collect()
    };
    let (front, back) = Bug::ALL.split_at(Bug::ALL.len() / 2);
    let unnamed = std::thread::scope(|scope| {
        let other = scope.spawn(|| unnamed(front));
        unnamed(back) + &other.join().unwrap()
    });
    assert!(unnamed.is_empty(), "not named for what it is:\n{unnamed}");
}

/// What a finding says to do must show the fault: the moves can be played from the position.
#[test]
fn findings_can_be_reproduced() {
    for finding in examine(Some(Bug::CastlingRightAfterCapture)) {
        let mut position = dyno_chess::Position::from_fen(&finding.fen).unwrap();
        for word in &finding.moves {
            position = position.play(position.parse_uci(word).unwrap());
        }
        if let Problem::MoveSurplus { mv, .. } = &finding.problem {
            assert!(position.parse_uci(mv).is_err(), "{finding}");
        }
    }
}
