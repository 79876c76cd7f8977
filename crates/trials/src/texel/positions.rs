//! Positions with results: EPD in the usual spellings, or the quiet positions of games.

use dyno_chess::{Color, Position, SplitMix64};
use dyno_formats::epd::EpdReader;
use dyno_formats::pgn::{GameResult, PgnGame, PgnReader};
use dyno_formats::{OpenError, open};
use std::io::BufRead;
use std::path::Path;

/// A position and how its game came out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LabelledPosition {
    pub(super) fen: String,
    pub(super) white_to_move: bool,
    /// White's result, from 0 to 1.
    pub(super) result: f64,
    /// The line or game it is from.
    pub(super) unit: u64,
}

/// The positions of a file.
#[derive(Clone, Debug, Default)]
pub struct LabelledPositions {
    /// The file.
    pub source: String,
    /// Lines and games without a usable position or result.
    pub skipped: u64,
    /// Why the first of them was skipped.
    pub first_fault: Option<String>,
    /// Positions with a result in the whole file.
    pub found: u64,
    positions: Vec<LabelledPosition>,
}

/// Every fifth line, or game, is held out: a fit that learns its positions by heart shows there.
const HELD_OUT: u64 = 5;

/// Half-moves of a game that belong to its opening.
const OPENING: usize = 16;

/// Of the quiet positions of a game every fourth is taken: neighbours say the same twice.
const STRIDE: usize = 4;

/// Which positions are taken of a file with too many: the same ones each time.
const SEED: u64 = 1;

/// Reads an EPD or PGN file. Of more than `most` positions as many are taken at random from the whole
/// file: positions of many games tell more than as many of few, whose results are the same again
/// and again.
pub fn read_positions(path: &Path, most: usize) -> Result<LabelledPositions, OpenError> {
    let mut file = open(path)?;
    let mut found = LabelledPositions { source: path.display().to_string(), ..Default::default() };
    let is_pgn = file.name.to_ascii_lowercase().ends_with(".pgn")
        || file.start()?.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    match is_pgn {
        true => found.read_pgn(file.reader, &mut Sample::new(most)),
        false => found.read_epd(file.reader, &mut Sample::new(most)),
    }
    // A game's positions side by side, as the fit wants them.
    found.positions.sort_by_key(|position| position.unit);
    Ok(found)
}

impl LabelledPositions {
    pub(super) fn fitted(&self) -> Vec<&LabelledPosition> {
        self.positions.iter().filter(|position| !position.is_held_out()).collect()
    }

    pub(super) fn held_out(&self) -> Vec<&LabelledPosition> {
        self.positions.iter().filter(|position| position.is_held_out()).collect()
    }

    fn skip(&mut self, reason: String) {
        self.skipped += 1;
        self.first_fault.get_or_insert(reason);
    }

    fn push(&mut self, position: &Position, result: f64, unit: u64, sample: &mut Sample) {
        let place = sample.place(self.found);
        self.found += 1;
        let Some(place) = place else { return };
        let position = LabelledPosition {
            fen: position.fen(),
            white_to_move: position.side_to_move() == Color::White,
            result,
            unit,
        };
        match self.positions.get_mut(place) {
            Some(taken) => *taken = position,
            None => self.positions.push(position),
        }
    }

    fn read_epd(&mut self, input: impl BufRead, sample: &mut Sample) {
        for record in EpdReader::new(input) {
            match record {
                // In check the evaluation is not what an engine goes by.
                Ok(record) if record.position.is_check() => {
                    self.skip(format!("line {}: in check", record.line));
                }
                Ok(record) => match result_in(&record.raw) {
                    Some(result) => self.push(&record.position, result, record.line, sample),
                    None => self.skip(format!("line {}: no result", record.line)),
                },
                Err(error) => self.skip(error.to_string()),
            }
        }
    }

    fn read_pgn(&mut self, input: impl BufRead, sample: &mut Sample) {
        for game in PgnReader::new(input) {
            match game {
                Ok(game) => match score_of(game.result) {
                    Some(result) => self.take_game(&game, result, sample),
                    None => self.skip(format!("game {}: no result", game.number)),
                },
                Err(error) => self.skip(error.to_string()),
            }
        }
    }

    /// A position is quiet where no side is in check and nothing is taken or promoted next.
    fn take_game(&mut self, game: &PgnGame, result: f64, sample: &mut Sample) {
        let pairs = game.positions().zip(game.moves()).skip(OPENING);
        let quiet = pairs.filter(|(position, mv)| {
            !position.is_check() && !position.is_capture(*mv) && mv.promotion().is_none()
        });
        for (position, _) in quiet.step_by(STRIDE) {
            self.push(&position, result, game.number, sample);
        }
    }
}

impl LabelledPosition {
    fn is_held_out(&self) -> bool {
        self.unit.is_multiple_of(HELD_OUT)
    }
}

/// Chooses a given number of positions, each with the same chance, from a stream of unknown length.
struct Sample {
    most: usize,
    random: SplitMix64,
}

impl Sample {
    fn new(most: usize) -> Self {
        Self { most, random: SplitMix64::new(SEED) }
    }

    /// Where the next position goes after `before` others, if anywhere.
    fn place(&mut self, before: u64) -> Option<usize> {
        let place = match before < self.most as u64 {
            true => before,
            false => self.random.next_u64() % (before + 1),
        };
        usize::try_from(place).ok().filter(|place| *place < self.most)
    }
}

fn score_of(result: GameResult) -> Option<f64> {
    match result {
        GameResult::WhiteWins => Some(1.0),
        GameResult::BlackWins => Some(0.0),
        GameResult::Draw => Some(0.5),
        GameResult::Unknown => None,
    }
}

/// The result that a line states after its position: `c9 "1-0";`, `[0.5]`, `; 1.0`, `result 0-1`. A
/// score between 0 and 1 may be any number with a point, or in brackets.
fn result_in(line: &str) -> Option<f64> {
    // The board and the clocks are no results.
    let rest = line.split_once(' ')?.1;
    let words = rest.split([' ', ';', '"', ',', '|', '\t']).filter(|word| !word.is_empty());
    words.rev().find_map(|word| {
        if let Some(result) = GameResult::parse(word) {
            return score_of(result);
        }
        let bare = word.trim_start_matches('[').trim_end_matches(']');
        let is_score = bare.contains('.') || bare.len() < word.len();
        let score: f64 = bare.parse().ok()?;
        (is_score && (0.0..=1.0).contains(&score)).then_some(score)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_the_usual_spellings() {
        let fen = "4k3/8/8/8/8/8/4P3/3QK3 w - -";
        for (rest, expected) in [
            (" c9 \"1-0\";", Some(1.0)),
            (" c9 \"1/2-1/2\";", Some(0.5)),
            (" 0 1 [0.5] 12", Some(0.5)),
            (" 0 1; 0.0", Some(0.0)),
            (" 0 1 | 35 | 0.73", Some(0.73)),
            (" 0 1 [1]", Some(1.0)),
            (" 0 1 result 0-1", Some(0.0)),
            (" 0 1", None),
            (" bm Qd8; ce 120;", None),
        ] {
            assert_eq!(result_in(&format!("{fen}{rest}")), expected, "{rest}");
        }
    }

    #[test]
    fn games_give_quiet_positions_and_every_fifth_game_is_held_out() {
        let mut found = LabelledPositions::default();
        let game = "[Result \"1-0\"]\n\n1. Nf3 Nf6 2. Nc3 Nc6 3. Rb1 Rb8 4. Ra1 Ra8 5. Rb1 Rb8 \
                    6. Ra1 Ra8 7. Rb1 Rb8 8. Ra1 Ra8 9. e4 e5 10. Bb5 a6 11. Bxc6 dxc6 1-0\n\n";
        found.read_pgn(game.repeat(5).as_bytes(), &mut Sample::new(1000));
        assert_eq!((found.fitted().len(), found.held_out().len()), (4, 1));
        assert!(found.positions.iter().all(|position| position.result == 1.0));
    }
    #[test]
    fn of_too_many_positions_those_of_the_whole_file_are_taken() {
        let lines: String = (0..1000)
            .map(|clock| format!("4k3/8/8/8/8/8/4P3/3QK3 w - - {} 1 [1.0]\n", clock % 90))
            .collect();
        let read = |most| {
            let mut found = LabelledPositions::default();
            found.read_epd(lines.as_bytes(), &mut Sample::new(most));
            assert_eq!(found.found, 1000);
            found.positions
        };
        let taken = read(200);
        assert_eq!((taken.len(), &taken), (200, &read(200)), "the same each time");
        for quarter in 0..4 {
            let in_it = |p: &&LabelledPosition| (p.unit - 1) / 250 == quarter;
            assert!((30..=70).contains(&taken.iter().filter(in_it).count()), "{quarter}");
        }
        assert_eq!(read(2000).len(), 1000);
    }
}
