//! What the evaluations say about the players, and putting them into the game.

use super::judgement::{Evaluation, Judgement};
use dyno_chess::Color;
use dyno_formats::pgn::PgnGame;
use serde::{Deserialize, Serialize};

/// Slips that are listed; the others are counted.
const MOST_SLIPS: usize = 1000;

/// A player's moves, as the engine sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The player.
    pub name: String,
    /// Games.
    pub games: u64,
    /// Moves that could be judged.
    pub moves: u64,
    /// Moves that were the engine's own choice.
    pub agreed: u64,
    /// Centipawns lost in all, no more than ten pawns a move.
    pub lost: u64,
    /// Slips by how bad they were.
    pub inaccuracies: u64,
    /// Likewise.
    pub mistakes: u64,
    /// Likewise.
    pub blunders: u64,
}

impl PlayerRecord {
    /// The share of moves that were the engine's.
    pub fn agreement(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.agreed as f64 / self.moves as f64)
    }

    /// Centipawns lost a move.
    pub fn mean_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.lost as f64 / self.moves as f64)
    }
}

/// A mistake or a blunder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slip {
    /// The number of the game in its file, from 1.
    pub game: u64,
    /// Whose it was.
    pub player: String,
    /// `23...` and the move.
    pub mv: String,
    /// What the engine would have played.
    pub best: String,
    /// The evaluations before and after it, of White.
    pub before: String,
    /// Likewise.
    pub after: String,
    /// How bad it was.
    pub judgement: Judgement,
    /// Centipawns lost.
    pub lost: u32,
}

/// All players met.
#[derive(Debug, Default)]
pub(super) struct Players {
    players: Vec<PlayerRecord>,
    slips: Vec<Slip>,
}

impl Players {
    /// Puts the evaluations, of the positions from `skip` on, into the game.
    pub(super) fn annotate(
        &mut self,
        mut game: PgnGame,
        skip: usize,
        seen: &[Option<Evaluation>],
    ) -> PgnGame {
        let positions: Vec<_> = game.positions().collect();
        let [white, black] = ["White", "Black"].map(|tag| {
            let name = game.tags.get(tag).unwrap_or("?").to_owned();
            let player = self.player(&name);
            self.players[player].games += 1;
            player
        });
        let at = |ply: usize| ply.checked_sub(skip).and_then(|i| seen.get(i).copied().flatten());
        for ply in 0..positions.len().saturating_sub(1) {
            let (position, mover) = (&positions[ply], positions[ply].side_to_move());
            let played = &mut game.line.moves[ply];
            let (before, after) = (at(ply), at(ply + 1));
            if let Some(after) = &after
                && positions[ply + 1].has_legal_move()
            {
                played.comments.insert(0, format!("[%eval {}]", after.text(!mover)));
            }
            let (Some(mv), Some(before), Some(after)) = (played.mv, before, after) else {
                continue;
            };
            let player = if mover == Color::White { white } else { black };
            let agreed = before.best == Some(mv);
            let lost = if agreed { 0 } else { (before.pawns() + after.pawns()).max(0) as u32 };
            let judgement =
                Judgement::of(&before, -after.chances()).filter(|_| !agreed && lost > 0);
            self.count(player, agreed, lost, judgement);
            let Some(judgement) = judgement else { continue };
            played.nags.push(judgement.nag());
            let best = before.best.map(|best| position.san(best)).unwrap_or_default();
            if !best.is_empty() {
                played.comments.push(format!("{}. {best} was best.", judgement.word()));
            }
            if judgement >= Judgement::Mistake {
                let dots = if mover == Color::White { "." } else { "..." };
                self.slips.push(Slip {
                    game: game.number,
                    player: self.players[player].name.clone(),
                    mv: format!("{}{dots} {}", position.fullmove_number(), position.san(mv)),
                    best,
                    before: before.text(mover),
                    after: after.text(!mover),
                    judgement,
                    lost,
                });
            }
        }
        game.tags.set("Annotator", "dyno");
        game
    }

    fn count(&mut self, player: usize, agreed: bool, lost: u32, judgement: Option<Judgement>) {
        let record = &mut self.players[player];
        record.moves += 1;
        record.agreed += u64::from(agreed);
        record.lost += u64::from(lost);
        match judgement {
            Some(Judgement::Inaccuracy) => record.inaccuracies += 1,
            Some(Judgement::Mistake) => record.mistakes += 1,
            Some(Judgement::Blunder) => record.blunders += 1,
            None => {}
        }
    }

    fn player(&mut self, name: &str) -> usize {
        let known = self.players.iter().position(|player| player.name == name);
        known.unwrap_or_else(|| {
            self.players.push(PlayerRecord { name: name.to_owned(), ..PlayerRecord::default() });
            self.players.len() - 1
        })
    }

    pub(super) fn finish(mut self) -> (Vec<PlayerRecord>, Vec<Slip>) {
        self.slips.sort_by_key(|slip| std::cmp::Reverse((slip.judgement, slip.lost)));
        self.slips.truncate(MOST_SLIPS);
        (self.players, self.slips)
    }
}
