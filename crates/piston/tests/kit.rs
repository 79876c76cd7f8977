//! Piston passes the whole white-box kit that Dyno offers to other engines.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_chess::{Move, Position};
use dyno_piston::eval::{Cache, evaluate};
use dyno_piston::score::{INFINITE, mated_in};
use dyno_piston::search::{ThreadData, within};
use dyno_piston::tt::Table;
use dyno_testkit::kit::{self, Board, Claim, Effort, Evaluator, Finding, Searcher};

/// Piston copies positions instead of undoing moves; the last one is the present one.
struct Line(Vec<Position>);

impl Line {
    fn now(&self) -> &Position {
        self.0.last().unwrap()
    }
}

impl Board for Line {
    type Move = Move;

    fn from_fen(fen: &str) -> Result<Self, String> {
        Position::from_fen(fen).map(|pos| Line(vec![pos])).map_err(|error| error.to_string())
    }

    fn legal_moves(&mut self) -> Vec<Move> {
        self.now().legal_moves().into_iter().collect()
    }

    fn uci(&self, mv: &Move) -> String {
        self.now().uci(*mv)
    }

    fn make(&mut self, mv: &Move) {
        let next = self.now().play(*mv);
        self.0.push(next);
    }

    fn unmake(&mut self, _mv: &Move) {
        self.0.pop();
    }

    fn fen(&self) -> Option<String> {
        Some(self.now().fen())
    }

    fn hash(&self) -> Option<u64> {
        Some(self.now().key())
    }

    fn hash_from_scratch(&self) -> Option<u64> {
        Some(self.now().key_from_scratch())
    }

    fn state(&self) -> Option<String> {
        Some(format!("{:?}", self.now()))
    }

    fn integrity(&self) -> Result<(), String> {
        self.now().verify().map_err(|faults| format!("{faults:?}"))
    }
}

/// The cache is kept from one position to the next, as in a search.
#[derive(Default)]
struct Judge(Cache);

impl Evaluator<Line> for Judge {
    fn evaluate(&mut self, board: &mut Line) -> i32 {
        evaluate(board.now(), &mut self.0)
    }
}

struct Piston {
    table: Table,
    data: ThreadData,
    best: Option<String>,
}

impl Piston {
    fn new() -> Piston {
        Piston { table: Table::new(1).unwrap(), data: ThreadData::default(), best: None }
    }
}

impl Searcher<Line> for Piston {
    fn search(&mut self, board: &mut Line, depth: u32, alpha: i32, beta: i32) -> i32 {
        let pos = *board.now();
        let (value, best) = within(&pos, depth, (alpha, beta), &self.table, &mut self.data);
        self.best = best.map(|mv| pos.uci(mv));
        value
    }

    fn leaf(&mut self, board: &mut Line) -> i32 {
        within(board.now(), 0, (-INFINITE, INFINITE), &self.table, &mut self.data).0
    }

    fn best_move(&self) -> Option<String> {
        self.best.clone()
    }

    fn clear(&mut self) {
        *self = Piston::new();
    }

    /// Margins, reductions and what the search has learnt meanwhile move a score; a window off by
    /// more than three pawns would be another matter.
    fn claim(&self) -> Claim {
        Claim::Within(300)
    }

    fn infinity(&self) -> i32 {
        INFINITE
    }

    fn mated(&self, ply: u32) -> i32 {
        mated_in(ply as usize)
    }
}

fn none(findings: &[Finding]) {
    assert!(findings.is_empty(), "{}", kit::list(findings));
}

#[test]
fn perft_and_divide() {
    none(&kit::perft::<Line>(&Effort::quick()));
}

#[test]
fn the_hash_is_kept_right_and_tells_positions_apart() {
    none(&kit::hash::<Line>(&Effort::quick()));
    none(&kit::hash_distinguishes::<Line>());
}

#[test]
fn every_bit_comes_back() {
    none(&kit::integrity::<Line>(&Effort::quick()));
}

#[test]
fn the_way_to_a_position_and_its_colours_do_not_matter() {
    none(&kit::path_independence::<Line>(&mut Judge::default(), &Effort::quick()));
    none(&kit::mirror::<Line>(&mut Judge::default(), &Effort::quick()));
}

#[test]
fn a_search_leaves_the_board_alone() {
    none(&kit::search_is_sound(&mut Piston::new(), &Effort::quick()));
}

#[test]
fn windows_agree_with_the_score() {
    none(&kit::window_consistency(&mut Piston::new(), &Effort::quick()));
}

#[test]
fn a_cleared_table_gives_the_same_answer() {
    none(&kit::table_consistency(&mut Piston::new(), &Effort::quick()));
}
