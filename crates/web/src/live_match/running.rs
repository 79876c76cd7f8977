//! A game being played.

use crate::live::{BoardView, SideView};
use crate::replay;
use dyno_chess::{Color, Position};
use dyno_tournament::{MoveMade, MoveRecord, Plan, Slot, Start, Variant};
use std::collections::BTreeMap;
use std::time::Instant;

/// Moves of which is kept what was said with them, until someone looks.
const MOST_SAID: usize = 1000;

/// What was said of a game, and as much of it as was drawn already.
pub struct RunningGame {
    board: BoardView,
    /// Where the drawn moves lead to.
    position: Position,
    /// All moves, in UCI notation with spaces between.
    moves: String,
    /// What the engines said with their moves, by ply from 1, where it was told.
    said: BTreeMap<usize, MoveRecord>,
    moved: Instant,
    start: Position,
}

impl RunningGame {
    pub fn new(plan: &Plan, slot: &Slot, names: [&String; 2], start: &Start) -> Self {
        let chess960 = plan.variant == Variant::FischeRandom;
        // The match has checked its openings; a worker's word is not trusted further than a drawing.
        let position = start.position(chess960).unwrap_or_else(|_| Position::startpos());
        let side = |name: &String, engine: usize| SideView {
            name: name.clone(),
            clock_ms: plan
                .engines
                .get(engine)
                .and_then(|engine| engine.limits.tc.as_ref())
                .map(|tc| tc.stage(0).time.as_millis() as u64),
            ..SideView::default()
        };
        let board = BoardView {
            game: slot.number + 1,
            round: slot.round,
            start: replay::pieces(&position),
            black_first: position.side_to_move() == Color::Black,
            first_number: position.fullmove_number(),
            plies: Vec::new(),
            sides: [side(names[0], slot.white), side(names[1], slot.black)],
            since_ms: 0,
        };
        let moves = start.moves.join(" ");
        let said = BTreeMap::new();
        Self { board, position, moves, said, moved: Instant::now(), start: position }
    }

    /// A move was made. Drawing it waits until someone looks.
    pub fn take_in(&mut self, made: &MoveMade) {
        self.moves.clone_from(&made.moves);
        if let Some(before) = &made.before {
            self.said.entry(made.ply.saturating_sub(1)).or_insert_with(|| (**before).clone());
        }
        self.said.insert(made.ply, made.last.clone());
        // What a worker tells is bounded, whatever it says the ply is.
        while self.said.len() > MOST_SAID {
            self.said.pop_first();
        }
        self.moved = Instant::now();
    }

    /// Whether moves of it have been told.
    pub fn has_moves(&self) -> bool {
        !(self.board.plies.is_empty() && self.said.is_empty())
    }

    /// The game as it stands.
    pub fn view(&mut self) -> BoardView {
        self.catch_up();
        self.board.since_ms = self.moved.elapsed().as_millis() as u64;
        self.board.clone()
    }

    fn catch_up(&mut self) {
        let words: Vec<&str> = self.moves.split_ascii_whitespace().collect();
        let drawn = &self.board.plies;
        let agrees = drawn.len() <= words.len()
            && drawn.last().is_none_or(|last| words[drawn.len() - 1] == last.uci);
        if !agrees {
            self.board.plies.clear();
            self.position = self.start;
        }
        for word in words.into_iter().skip(self.board.plies.len()) {
            let Some((after, mut ply)) = replay::play(&self.position, word) else { break };
            let mover = self.position.side_to_move();
            if let Some(said) = self.said.remove(&(self.board.plies.len() + 1)) {
                ply.cp = replay::white_score(said.score, mover).map(replay::centipawns);
                let side = &mut self.board.sides[usize::from(mover == Color::Black)];
                let name = std::mem::take(&mut side.name);
                *side = SideView { name, ..replay::thought(&self.position, &said) };
            }
            self.board.plies.push(ply);
            self.position = after;
        }
    }
}
