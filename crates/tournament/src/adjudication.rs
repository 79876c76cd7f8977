//! Ending games that are as good as over.

use super::plan::{self, DrawRule, ResignRule};
use super::result::{End, GameResult};
use super::tablebase::{Tablebase, Wdl};
use dyno_chess::{Color, Game};
use dyno_driver::Score;
use std::sync::Arc;

/// The rules of a match.
#[derive(Clone, Default)]
pub struct Rules {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    maxmoves: Option<u32>,
    tables: Option<Arc<Tablebase>>,
}

impl Rules {
    pub fn new(plan: &plan::Adjudication, tables: Option<Arc<Tablebase>>) -> Self {
        Self { draw: plan.draw, resign: plan.resign, maxmoves: plan.maxmoves, tables }
    }
}

/// What the rules remember of one game.
#[derive(Default)]
pub struct Referee {
    /// Plies in a row with a score near nothing.
    level: u32,
    /// Moves in a row in which a side saw itself lost, and won.
    lost: [u32; 2],
    won: [u32; 2],
}

impl Referee {
    /// Looks at the game after a move of `mover`, who gave it that score.
    pub fn judge(
        &mut self,
        rules: &Rules,
        game: &Game,
        mover: Color,
        score: Option<Score>,
    ) -> Option<GameResult> {
        // What is known for sure comes before what the engines believe.
        if let Some(result) = rules.tables.as_ref().and_then(|tables| by_tables(tables, game)) {
            return Some(result);
        }
        let full_moves = game.moves().len() as u32 / 2;
        // A capture or a pawn move is progress, as cutechess-cli and fastchess have it.
        if game.position().halfmove_clock() == 0 {
            self.level = 0;
        }
        if let Some(rule) = rules.draw
            && self.is_level(rule, score)
            && full_moves >= rule.movenumber
        {
            return Some(GameResult::draw(End::DrawAdjudication));
        }
        if let Some(rule) = rules.resign
            && self.is_lost(rule, mover, score)
        {
            return Some(GameResult::loss(mover, End::ResignAdjudication));
        }
        (rules.maxmoves.is_some_and(|most| full_moves >= most))
            .then(|| GameResult::draw(End::MaxMoves))
    }

    fn is_level(&mut self, rule: DrawRule, score: Option<Score>) -> bool {
        let near = score.is_some_and(|s| i64::from(s.centipawns()).abs() <= i64::from(rule.score));
        self.level = if near { self.level + 1 } else { 0 };
        self.level >= 2 * rule.movecount
    }

    fn is_lost(&mut self, rule: ResignRule, mover: Color, score: Option<Score>) -> bool {
        let (me, other) = (mover.index(), mover.other().index());
        let value = score.map(Score::centipawns);
        let count = |so_far: u32, holds: bool| if holds { so_far + 1 } else { 0 };
        self.lost[me] =
            count(self.lost[me], value.is_some_and(|v| v <= rule.score.saturating_neg()));
        self.won[me] = count(self.won[me], value.is_some_and(|v| v >= rule.score));
        self.lost[me] >= rule.movecount && (!rule.twosided || self.won[other] >= rule.movecount)
    }
}

fn by_tables(tables: &Tablebase, game: &Game) -> Option<GameResult> {
    let position = game.position();
    let mover = position.side_to_move();
    Some(match tables.verdict(position)? {
        Wdl::Win => GameResult::win(mover, End::Tablebase),
        Wdl::Loss => GameResult::loss(mover, End::Tablebase),
        Wdl::Draw => GameResult::draw(End::Tablebase),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use dyno_chess::Position;

    fn after(plies: usize) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(plies) {
            let mv = game.position().parse_uci(text).unwrap();
            game.play(mv);
        }
        game
    }

    /// The ply at which the scores (in turn, White first) end the game.
    fn ended(rules: &Rules, scores: &[Option<Score>]) -> Option<(usize, GameResult)> {
        let mut referee = Referee::default();
        scores.iter().enumerate().find_map(|(i, score)| {
            let mover = if i % 2 == 0 { Color::White } else { Color::Black };
            Some((i + 1, referee.judge(rules, &after(i + 1), mover, *score)?))
        })
    }

    fn cp(values: &[i32]) -> Vec<Option<Score>> {
        values.iter().map(|v| Some(Score::Cp(*v))).collect()
    }

    #[test]
    fn draw_needs_both_sides_for_the_whole_count() {
        let draw = Some(DrawRule { movenumber: 3, movecount: 2, score: 10 });
        let rules = Rules { draw, ..Rules::default() };
        assert_eq!(ended(&rules, &cp(&[0; 9])).unwrap().0, 6, "not before move 3");
        assert_eq!(ended(&rules, &cp(&[0, 0, 0, 0, 0, 11, 10, -10, 0, 0])).unwrap().0, 10);
        let mut unknown = cp(&[0; 9]);
        unknown[5] = None;
        assert_eq!(ended(&rules, &unknown), None, "a missing score is not consent");
        assert_eq!(ended(&rules, &cp(&[i32::MIN; 12])), None, "as far from level as can be");
    }

    #[test]
    fn captures_and_pawn_moves_begin_the_count_anew() {
        let draw = Some(DrawRule { movenumber: 1, movecount: 2, score: 10 });
        let rules = Rules { draw, ..Rules::default() };
        let mut game = Game::new(Position::startpos());
        let mut referee = Referee::default();
        let moves = ["g1f3", "g8f6", "f3g1", "e7e5", "g1f3", "f6g8", "f3g1"];
        let ended = moves.iter().position(|text| {
            let mover = game.position().side_to_move();
            game.play(game.position().parse_uci(text).unwrap());
            referee.judge(&rules, &game, mover, Some(Score::Cp(0))).is_some()
        });
        assert_eq!(ended, Some(6), "the pawn's move is the first of four");
    }

    #[test]
    fn resign_one_and_two_sided() {
        let rule = ResignRule { movecount: 2, score: 500, twosided: false };
        let rules = Rules { resign: Some(rule), ..Rules::default() };
        let (ply, result) = ended(&rules, &cp(&[-500, 0, -499, 0, -600, 0, -700, 0])).unwrap();
        assert_eq!((ply, result.points.text()), (7, "0-1"));
        let both =
            Rules { resign: Some(ResignRule { twosided: true, ..rule }), ..Rules::default() };
        assert_eq!(ended(&both, &cp(&[-600, 0, -600, 0, -600, 0])), None);
        let agreed = cp(&[-600, 600, -600, 600, -600]);
        assert_eq!(ended(&both, &agreed).unwrap().0, 5);
        let mate = [Some(Score::Mate(-3)), None, Some(Score::Mate(-2))];
        assert_eq!(ended(&rules, &mate).unwrap().0, 3);
    }

    #[test]
    fn maximum_length() {
        let rules = Rules { maxmoves: Some(2), ..Rules::default() };
        assert_eq!(ended(&rules, &cp(&[50; 8])).unwrap().0, 4);
    }
}
