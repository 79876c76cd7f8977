//! Random games, every position compared with two other programs: shakmaty and cozy-chess.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "the long run says what it did")]

mod common;

use common::Random;
use dyno_chess::{Game, Outcome, Position};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// The same position in all three programs.
struct Trio {
    ours: Game,
    shakmaty: Chess,
    cozy: cozy_chess::Board,
}

impl Trio {
    fn new(start: Position) -> Trio {
        let fen = start.shredder_fen();
        let setup: Fen = fen.parse().unwrap();
        Trio {
            ours: Game::new(start),
            shakmaty: setup.into_position(CastlingMode::Chess960).unwrap(),
            cozy: cozy_chess::Board::from_fen(&fen, true).unwrap(),
        }
    }

    fn compare(&self) {
        let position = self.ours.position();
        self.compare_moves(position);
        let mode = EnPassantMode::Legal;
        let theirs = Fen::from_position(&self.shakmaty, mode).to_string();
        assert_eq!(position.fen(), theirs);
        let mut again = Position::from_fen(&position.shredder_fen()).unwrap();
        again.set_chess960(position.is_chess960());
        assert!(again.is_same(position) && again.key() == position.key(), "{position}");
        assert_eq!(position.key(), position.key_from_scratch(), "{position}");
        let expected = if self.shakmaty.is_checkmate() {
            Some(Outcome::Checkmate { winner: !position.side_to_move() })
        } else if self.shakmaty.is_stalemate() {
            Some(Outcome::Stalemate)
        } else if self.shakmaty.is_insufficient_material() {
            Some(Outcome::InsufficientMaterial)
        } else {
            None
        };
        assert_eq!(position.outcome(), expected, "{position}");
        assert_eq!(position.is_check(), self.shakmaty.is_check(), "{position}");
        assert_eq!(position.checkers().0, self.cozy.checkers().0, "{position}");
    }

    fn compare_moves(&self, position: &Position) {
        let mut ours = Vec::new();
        for mv in &position.legal_moves() {
            let san = position.san(mv);
            assert_eq!(position.parse_san(&san), Ok(mv), "{san} in {position}");
            ours.push((position.uci_as(mv, true), san));
        }
        ours.sort();
        let mut shakmaty: Vec<(String, String)> = self
            .shakmaty
            .legal_moves()
            .iter()
            .map(|mv| {
                let uci = mv.to_uci(CastlingMode::Chess960).to_string();
                (uci, SanPlus::from_move(self.shakmaty.clone(), *mv).to_string())
            })
            .collect();
        shakmaty.sort();
        assert_eq!(ours, shakmaty, "{position}");
        let mut cozy = Vec::new();
        self.cozy.generate_moves(|moves| {
            cozy.extend(moves.into_iter().map(|mv| mv.to_string()));
            false
        });
        cozy.sort();
        assert!(ours.iter().map(|(uci, _)| uci).eq(&cozy), "{position}: {ours:?}, {cozy:?}");
    }

    /// Plays a random move everywhere; `false` when there is none.
    fn play(&mut self, random: &mut Random) -> bool {
        let position = *self.ours.position();
        let Some(mv) = random.pick(&position) else { return false };
        let uci = position.uci_as(mv, true);
        let theirs = self.shakmaty.legal_moves();
        let same = |m: &&shakmaty::Move| m.to_uci(CastlingMode::Chess960).to_string() == uci;
        self.shakmaty.play_unchecked(*theirs.iter().find(same).unwrap());
        self.cozy.play_unchecked(uci.parse().unwrap());
        let before = position.key();
        self.ours.play(mv);
        // Taking the move back and playing it again changes nothing.
        let after = *self.ours.position();
        assert_eq!(self.ours.undo(), Some(mv));
        assert_eq!(self.ours.position().key(), before);
        self.ours.play(mv);
        assert_eq!(*self.ours.position(), after);
        true
    }
}

fn start(random: &mut Random) -> Position {
    let mut number = || random.below(960) as u16;
    match number() % 3 {
        0 => Position::startpos(),
        1 => Position::chess960_start(number()),
        _ => Position::double_chess960_start(number(), number()),
    }
}

fn run(seed: u64, positions: usize) {
    let mut random = Random::new(seed);
    let mut compared = 0;
    while compared < positions {
        let mut trio = Trio::new(start(&mut random));
        for _ in 0..200 {
            trio.compare();
            compared += 1;
            if trio.ours.position().outcome().is_some() || !trio.play(&mut random) {
                break;
            }
        }
    }
    println!("{compared} positions agree");
}

#[test]
fn a_hundred_thousand_positions_agree() {
    std::thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || run(seed, 50_000));
        }
    });
}

#[test]
#[ignore = "ten million positions take an hour: cargo test --release -- --ignored ten_million"]
fn ten_million_positions_agree() {
    std::thread::scope(|scope| {
        for seed in 11..=12 {
            scope.spawn(move || run(seed, 5_000_000));
        }
    });
}
