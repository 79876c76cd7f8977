//! Games already played, as statistics see them: who met whom, with what result, in which pairs.
//!
//! A pair is two games of one opening with the colours reversed. In a file the two are found by
//! their round, or else by their opening: its position, its moves marked as from a book, or its
//! first moves. A game without a partner counts as a game and never as half a pair.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;
use std::path::Path;

use crate::{Journal, JournalError, SprtPlan};

use dyno_formats::pgn::{GameResult, HeaderReader, Headers, Reason};
use dyno_stats::{Encounter, Tally};

/// A game that came to a result. There may be millions: all that is kept of one is small.
#[derive(Clone, Copy, Debug)]
struct Game {
    file: u32,
    white: u32,
    black: u32,
    /// The other game of its pair, or itself.
    partner: u32,
    /// White's half points.
    points: u8,
}

impl Game {
    /// Whether this player met that one, or anyone.
    fn between(&self, player: usize, opponent: Option<usize>) -> bool {
        let other = match player {
            p if p == self.white as usize => self.black,
            p if p == self.black as usize => self.white,
            _ => return false,
        };
        opponent.is_none_or(|opponent| opponent == other as usize)
    }

    fn half_points(&self, player: usize) -> u8 {
        if self.white as usize == player { self.points } else { 2 - self.points }
    }

    /// The two players, in either colour.
    fn players(&self) -> (u32, u32) {
        (self.white.min(self.black), self.white.max(self.black))
    }
}

/// What tells the pairs of a file's games, by hash.
#[derive(Clone, Copy, Debug)]
struct Signs {
    /// The round it was played in, where it has one.
    round: Option<u64>,
    opening: u64,
}

/// Something in a file that could not be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// The games of any number of files.
#[derive(Clone, Debug, Default)]
pub struct Records {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    games: Vec<Game>,
    files: Vec<String>,
    /// Games without a result: still running, or stopped.
    pub unfinished: u64,
    /// What could not be counted, in the order of the files.
    pub skipped: Vec<Skipped>,
    /// The sequential test that a match's journal was played for.
    pub sprt: Option<SprtPlan>,
}

impl Records {
    /// Adds the games of a PGN file. Only a failure of the stream itself is an error, and what was
    /// read before it stays.
    pub fn read_pgn(&mut self, file: &str, input: impl BufRead) -> Result<(), String> {
        let first = self.games.len();
        let mut signs = Vec::new();
        self.files.push(file.to_owned());
        let mut failure = None;
        for game in HeaderReader::new(input) {
            match game {
                Ok(headers) => signs.extend(self.add(file, &headers)),
                Err(error) => {
                    if let Reason::Line { text, fatal: true } = &error.problem.reason {
                        failure = Some(text.clone());
                        break;
                    }
                    let reason = error.problem.reason.to_string();
                    self.skip(file, error.problem.line, reason);
                }
            }
        }
        self.pair_from(first, &signs);
        failure.map_or(Ok(()), Err)
    }

    /// Adds the games of a match's journal, in the order in which they were scheduled.
    pub fn read_journal(&mut self, path: &Path, input: impl BufRead) -> Result<(), JournalError> {
        let file = path.display().to_string();
        let mut games = BTreeMap::new();
        let (header, damaged) = Journal::read_from(path, input, |record| {
            games.insert(record.slot.number, (record.slot, record.result.points.white()));
        })?;
        for (line, reason) in damaged {
            self.skip(&file, line, reason);
        }
        self.sprt = header.plan.sprt;
        self.files.push(file);
        let players: Vec<usize> = header.engines.iter().map(|e| self.player(&e.name)).collect();
        let mut places = HashMap::new();
        for (number, (slot, points)) in games {
            let (Some(&white), Some(&black)) = (players.get(slot.white), players.get(slot.black))
            else {
                continue;
            };
            let index = self.push(white, black, points);
            places.insert(number, index);
            if let Some(&other) = slot.partner.and_then(|other| places.get(&other)) {
                self.join(other, index);
            }
        }
        Ok(())
    }

    /// Adds a game, unless there is a reason not to.
    fn add(&mut self, file: &str, headers: &Headers) -> Option<Signs> {
        let points = match headers.result {
            GameResult::WhiteWins => 2,
            GameResult::Draw => 1,
            GameResult::BlackWins => 0,
            GameResult::Unknown => {
                self.unfinished += 1;
                return None;
            }
        };
        let name = |tag: &str| {
            headers.tags.get(tag).map(str::trim).filter(|name| !matches!(*name, "" | "?"))
        };
        let (Some(white), Some(black)) = (name("White"), name("Black")) else {
            self.skip(file, headers.first_line, "a player without a name".to_owned());
            return None;
        };
        if white == black {
            self.skip(file, headers.first_line, format!("\"{white}\" plays against itself"));
            return None;
        }
        let (white, black) = (self.player(white), self.player(black));
        let round = headers.tags.get("Round").map(str::trim);
        let fen = headers.tags.get("FEN").map(str::trim).unwrap_or_default();
        let round = round.filter(|round| !matches!(*round, "" | "?" | "-")).map(|round| {
            // First moves that differ do not part the games of one round: they may well be the
            // engines' own.
            hash(&(round, fen, headers.from_book.then_some(&headers.opening)))
        });
        let moves = if fen.is_empty() || headers.from_book { headers.opening.as_str() } else { "" };
        let opening = hash(&(fen, moves));
        self.push(white, black, points);
        Some(Signs { round, opening })
    }

    /// Adds a game of the last file, alone as yet; its index.
    fn push(&mut self, white: usize, black: usize, points: u8) -> usize {
        let index = self.games.len();
        let [file, white, black, partner] =
            [self.files.len() - 1, white, black, index].map(|number| number as u32);
        self.games.push(Game { file, white, black, partner, points });
        index
    }

    fn skip(&mut self, file: &str, line: u64, reason: String) {
        self.skipped.push(Skipped { file: file.to_owned(), line, reason });
    }

    fn player(&mut self, name: &str) -> usize {
        if let Some(&player) = self.by_name.get(name) {
            return player;
        }
        let player = self.names.len();
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), player);
        player
    }

    /// Finds the pairs among the games from this one on: first by round, where a round has one
    /// game with each colour, then each game with the first partner of its opening.
    fn pair_from(&mut self, first: usize, signs: &[Signs]) {
        let mut order: Vec<u32> = (0..signs.len() as u32).collect();
        let by_round = |games: &[Game], at: u32| {
            let sign = signs[at as usize].round;
            sign.map(|round| (games[first + at as usize].players(), round))
        };
        order.retain(|&at| signs[at as usize].round.is_some());
        order.sort_unstable_by_key(|&at| (by_round(&self.games, at), at));
        let mut pairs = Vec::new();
        for group in order.chunk_by(|&a, &b| by_round(&self.games, a) == by_round(&self.games, b)) {
            if let &[a, b] = group {
                pairs.push((first + a as usize, first + b as usize));
            }
        }
        for (a, b) in pairs.drain(..) {
            if self.games[a].white == self.games[b].black {
                self.join(a, b);
            }
        }
        let by_opening = |games: &[Game], at: u32| {
            (games[first + at as usize].players(), signs[at as usize].opening)
        };
        order.clear();
        order.extend(
            (0..signs.len() as u32).filter(|&at| self.partner(first + at as usize).is_none()),
        );
        order.sort_unstable_by_key(|&at| (by_opening(&self.games, at), at));
        for group in
            order.chunk_by(|&a, &b| by_opening(&self.games, a) == by_opening(&self.games, b))
        {
            // Only games of one colour can be waiting at a time.
            let mut waiting: VecDeque<usize> = VecDeque::new();
            for index in group.iter().map(|&at| first + at as usize) {
                let white = self.games[index].white;
                match waiting.front() {
                    Some(&other) if self.games[other].white != white => {
                        pairs.push((other, index));
                        waiting.pop_front();
                    }
                    _ => waiting.push_back(index),
                }
            }
        }
        for (a, b) in pairs {
            self.join(a, b);
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        self.games[a].partner = b as u32;
        self.games[b].partner = a as u32;
    }

    /// The other game of a game's pair.
    fn partner(&self, index: usize) -> Option<usize> {
        Some(self.games[index].partner as usize).filter(|&partner| partner != index)
    }

    /// The players, in the order in which they first appear.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of games with a result.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether no game has a result.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The score of one player against another, or against all, as it grew: `after` is called
    /// with it after each game that completes a pair, or after each game where none do.
    pub fn score(
        &self,
        player: usize,
        opponent: Option<usize>,
        mut after: impl FnMut(&Tally),
    ) -> Tally {
        let mut tally = Tally::default();
        let between = |game: &Game| game.between(player, opponent);
        let any_pair = (0..self.games.len())
            .any(|index| between(&self.games[index]) && self.partner(index).is_some());
        for (index, game) in self.games.iter().enumerate().filter(|(_, game)| between(game)) {
            tally.add_game(game.half_points(player));
            match self.partner(index) {
                Some(other) if other < index => {
                    let first = self.games[other].half_points(player);
                    tally.complete_pair(first, game.half_points(player));
                    after(&tally);
                }
                None if !any_pair => after(&tally),
                _ => {}
            }
        }
        tally
    }

    /// The pairs of the same games, file by file.
    pub fn pairs_by_file(&self, player: usize, opponent: Option<usize>) -> Vec<(&str, [u64; 5])> {
        let mut tallies = vec![Tally::default(); self.files.len()];
        for (index, game) in self.games.iter().enumerate() {
            if let Some(other) = self.partner(index).filter(|&other| other < index)
                && game.between(player, opponent)
            {
                let first = self.games[other].half_points(player);
                tallies[game.file as usize].complete_pair(first, game.half_points(player));
            }
        }
        self.files.iter().map(String::as_str).zip(tallies.iter().map(|tally| tally.pairs)).collect()
    }

    /// All games added up by who had White and who had Black.
    pub fn encounters(&self) -> Vec<Encounter> {
        let mut sums: HashMap<(usize, usize), usize> = HashMap::new();
        let mut encounters: Vec<Encounter> = Vec::new();
        for game in &self.games {
            let (white, black) = (game.white as usize, game.black as usize);
            let at = *sums.entry((white, black)).or_insert_with(|| {
                encounters.push(Encounter { white, black, wins: 0, draws: 0, losses: 0 });
                encounters.len() - 1
            });
            match game.points {
                2 => encounters[at].wins += 1,
                1 => encounters[at].draws += 1,
                _ => encounters[at].losses += 1,
            }
        }
        encounters
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn read(pgn: &str) -> Records {
        let mut records = Records::default();
        records.read_pgn("test.pgn", pgn.as_bytes()).unwrap();
        records
    }

    fn game(white: &str, black: &str, tags: &str, moves: &str, result: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n{tags}[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    }

    fn score(records: &Records) -> Tally {
        records.score(0, None, |_| {})
    }

    #[test]
    fn pairs_by_round() {
        let round = |n| format!("[Round \"{n}\"]\n");
        let text = game("A", "B", &round(1), "1. e4 e5", "1-0")
            + &game("A", "B", &round(2), "1. e4 e5", "0-1")
            + &game("B", "A", &round(1), "1. d4 d5", "1/2-1/2");
        assert_eq!(score(&read(&text)).pairs, [0, 0, 0, 1, 0]);
    }

    #[test]
    fn pairs_by_position_whatever_the_round() {
        let fen = |k: &str| format!("[Round \"1\"]\n[FEN \"{k} w - - 0 1\"]\n");
        let text = game("A", "B", &fen("8/8/8/8/8/8/8/Kk6"), "", "1-0")
            + &game("A", "B", &fen("8/8/8/8/8/8/8/K1k5"), "", "1-0")
            + &game("B", "A", &fen("8/8/8/8/8/8/8/K1k5"), "", "0-1")
            + &game("B", "A", &fen("8/8/8/8/8/8/8/Kk6"), "", "1-0");
        assert_eq!(score(&read(&text)).pairs, [0, 0, 1, 0, 1]);
    }

    #[test]
    fn pairs_by_book_moves() {
        let book = |second: &str| format!("1. e4 {{book}} {second} {{book}} 2. Nf3 {{+0.2/9}}");
        let text = game("A", "B", "[Round \"1\"]\n", &book("e5"), "1-0")
            + &game("B", "A", "[Round \"1\"]\n", &book("c5"), "1-0")
            + &game("B", "A", "[Round \"1\"]\n", &book("e5"), "1-0");
        let tally = score(&read(&text));
        assert_eq!((tally.pairs, tally.games()), ([0, 0, 1, 0, 0], 3));
    }

    #[test]
    fn a_half_pair_is_no_pair() {
        let opening = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6";
        let text = game("A", "B", "", opening, "1-0")
            + &game("B", "A", "", opening, "*")
            + &game("A", "B", "", opening, "1-0");
        let records = read(&text);
        assert_eq!((score(&records).pairs, records.unfinished), ([0; 5], 1));
    }

    #[test]
    fn what_cannot_be_counted_is_listed() {
        let text = game("A", "A", "", "", "1-0") + &game("A", "?", "", "", "1-0");
        let records = read(&text);
        let reasons: Vec<&str> = records.skipped.iter().map(|s| s.reason.as_str()).collect();
        assert_eq!(reasons, ["\"A\" plays against itself", "a player without a name"]);
        assert_eq!(records.skipped[1].line, 7);
    }

    #[test]
    fn encounters_add_up() {
        let text = game("A", "B", "", "", "1-0")
            + &game("A", "B", "", "", "1/2-1/2")
            + &game("C", "B", "", "", "0-1");
        let records = read(&text);
        assert_eq!(records.names(), ["A", "B", "C"]);
        let sums = records.encounters();
        assert_eq!(sums[0], Encounter { white: 0, black: 1, wins: 1, draws: 1, losses: 0 });
        assert_eq!(sums[1], Encounter { white: 2, black: 1, wins: 0, draws: 0, losses: 1 });
    }
}
