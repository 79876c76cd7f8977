//! The `info` line: what an engine says while it thinks.

use crate::finding::Deviation;
use crate::score::{Bound, Score};
use crate::tokens::Tokens;
use serde::{Deserialize, Serialize};

/// An `info` line, borrowed from the line it was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info<'a> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// The deepest line searched, in plies.
    pub seldepth: Option<u32>,
    /// The rank of this line among several, from 1; absent means the only one.
    pub multipv: Option<u32>,
    /// The score.
    pub score: Option<Score>,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Win, draw and loss in per mille.
    pub wdl: Option<[u32; 3]>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// How full the hash table is, in per mille.
    pub hashfull: Option<u32>,
    /// Positions found in tablebases.
    pub tbhits: Option<u64>,
    /// CPU load in per mille.
    pub cpuload: Option<u32>,
    /// The engine's own count of milliseconds.
    pub time_ms: Option<u64>,
    /// The moves of the principal variation, as one run of words.
    pub pv: Option<&'a str>,
    /// The root move being searched.
    pub currmove: Option<&'a str>,
    /// Its number, from 1.
    pub currmovenumber: Option<u32>,
    /// A root move and the moves that refute it.
    pub refutation: Option<&'a str>,
    /// The line being searched.
    pub currline: Option<&'a str>,
    /// Everything after `string`.
    pub string: Option<&'a str>,
}

/// The fields of an `info` line. Only one of these words ends a run of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Depth,
    SelDepth,
    MultiPv,
    Score,
    Wdl,
    Nodes,
    Nps,
    HashFull,
    TbHits,
    SbHits,
    CpuLoad,
    Time,
    Pv,
    CurrMove,
    CurrMoveNumber,
    Refutation,
    CurrLine,
    String,
}

impl Field {
    fn of(word: &str) -> Option<Field> {
        // Most words are numbers and moves, which no field looks like.
        if word.as_bytes().iter().take(2).any(u8::is_ascii_digit) {
            return None;
        }
        Some(match word {
            "depth" => Field::Depth,
            "seldepth" => Field::SelDepth,
            "multipv" => Field::MultiPv,
            "score" => Field::Score,
            "wdl" => Field::Wdl,
            "nodes" => Field::Nodes,
            "nps" => Field::Nps,
            "hashfull" => Field::HashFull,
            "tbhits" => Field::TbHits,
            "sbhits" => Field::SbHits,
            "cpuload" => Field::CpuLoad,
            "time" => Field::Time,
            "pv" => Field::Pv,
            "currmove" => Field::CurrMove,
            "currmovenumber" => Field::CurrMoveNumber,
            "refutation" => Field::Refutation,
            "currline" => Field::CurrLine,
            "string" => Field::String,
            _ => return None,
        })
    }
}

fn is_field(word: &str) -> bool {
    Field::of(word).is_some()
}

impl<'a> Info<'a> {
    /// Reads a line that starts with `info`; deviations go to `found`. Never fails: what cannot
    /// be read is reported and left out.
    pub fn parse(line: &'a str, found: &mut dyn FnMut(Deviation)) -> Self {
        let mut tokens = Tokens::new(line);
        tokens.next_if(|word| word == "info");
        let mut info = Info::default();
        let mut seen = 0u32;
        while let Some(word) = tokens.next() {
            let Some(field) = Field::of(word) else {
                found(Deviation::UnknownField { field: word.to_owned() });
                continue;
            };
            if seen & (1 << field as u32) != 0 {
                found(Deviation::RepeatedField { field: word.to_owned() });
            }
            seen |= 1 << field as u32;
            info.read_field(field, word, &mut tokens, found);
        }
        info
    }

    fn read_field(
        &mut self,
        field: Field,
        name: &str,
        tokens: &mut Tokens<'a>,
        found: &mut dyn FnMut(Deviation),
    ) {
        match field {
            Field::Depth => self.depth = small(name, tokens, found),
            Field::SelDepth => self.seldepth = small(name, tokens, found),
            Field::MultiPv => self.multipv = small(name, tokens, found),
            Field::Score => self.read_score(tokens, found),
            Field::Wdl => self.wdl = wdl(tokens, found),
            Field::Nodes => self.nodes = count(name, tokens, found),
            Field::Nps => self.nps = count(name, tokens, found),
            Field::HashFull => self.hashfull = small(name, tokens, found),
            Field::TbHits => self.tbhits = count(name, tokens, found),
            Field::SbHits => drop(count(name, tokens, found)),
            Field::CpuLoad => self.cpuload = small(name, tokens, found),
            Field::Time => self.time_ms = count(name, tokens, found),
            Field::CurrMoveNumber => self.currmovenumber = small(name, tokens, found),
            Field::CurrMove => self.currmove = value(name, tokens, found),
            Field::Pv => self.pv = run(name, tokens, found),
            Field::Refutation => self.refutation = run(name, tokens, found),
            Field::CurrLine => self.currline = run(name, tokens, found),
            Field::String => self.string = Some(tokens.rest()),
        }
    }

    fn read_score(&mut self, tokens: &mut Tokens<'a>, found: &mut dyn FnMut(Deviation)) {
        match tokens.peek() {
            None => found(Deviation::MissingValue { field: "score".to_owned() }),
            Some(kind @ ("cp" | "mate")) => {
                tokens.next();
                if let Some(value) = signed(kind, tokens, found) {
                    self.score =
                        Some(if kind == "cp" { Score::Cp(value) } else { Score::Mate(value) });
                }
            }
            Some(word) => {
                found(Deviation::BadScore { value: word.to_owned() });
                // Some engines forget the word `cp`; their number is still worth reading.
                if !is_field(word) {
                    tokens.next();
                    self.score = word.parse().ok().map(Score::Cp);
                }
            }
        }
        while let Some(word) = tokens.next_if(|word| matches!(word, "lowerbound" | "upperbound")) {
            if self.bound != Bound::Exact {
                found(Deviation::RepeatedField { field: word.to_owned() });
            }
            self.bound = if word == "lowerbound" { Bound::Lower } else { Bound::Upper };
        }
    }

    /// The moves of the principal variation, one by one.
    pub fn pv_moves(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.pv.unwrap_or_default().split_ascii_whitespace()
    }

    /// Whether the line reports on a search, rather than being a remark.
    #[must_use]
    pub fn is_about_search(&self) -> bool {
        self.score.is_some() || self.pv.is_some()
    }
}

/// The value of a numeric field, as text; absent when the line ends or the next field follows.
fn value<'a>(
    field: &str,
    tokens: &mut Tokens<'a>,
    found: &mut dyn FnMut(Deviation),
) -> Option<&'a str> {
    let word = tokens.next_if(|word| !is_field(word));
    if word.is_none() {
        found(Deviation::MissingValue { field: field.to_owned() });
    }
    word
}

/// A signed number, forgiving stray punctuation around it.
fn integer(field: &str, word: &str, found: &mut dyn FnMut(Deviation)) -> Option<i128> {
    if let Ok(number) = word.parse::<i128>() {
        return Some(number);
    }
    let trimmed = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '-' && c != '+');
    let (field, value) = (field.to_owned(), word.to_owned());
    match trimmed.parse::<i128>() {
        Ok(number) => {
            found(Deviation::SloppyNumber { field, value });
            Some(number)
        }
        Err(_) => {
            found(Deviation::BadNumber { field, value });
            None
        }
    }
}

/// A count: negative values are reported and read as zero, absurd ones as the largest.
fn count(field: &str, tokens: &mut Tokens<'_>, found: &mut dyn FnMut(Deviation)) -> Option<u64> {
    let word = value(field, tokens, found)?;
    if let Ok(number) = word.parse::<u64>() {
        return Some(number);
    }
    let number = integer(field, word, found)?;
    if number < 0 {
        found(Deviation::NegativeNumber { field: field.to_owned(), value: word.to_owned() });
        return Some(0);
    }
    Some(u64::try_from(number).unwrap_or(u64::MAX))
}

fn small(field: &str, tokens: &mut Tokens<'_>, found: &mut dyn FnMut(Deviation)) -> Option<u32> {
    count(field, tokens, found).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

fn signed(field: &str, tokens: &mut Tokens<'_>, found: &mut dyn FnMut(Deviation)) -> Option<i32> {
    let word = value(field, tokens, found)?;
    if let Ok(number) = word.parse::<i32>() {
        return Some(number);
    }
    let number = integer(field, word, found)?;
    let (low, high) = (i128::from(i32::MIN), i128::from(i32::MAX));
    i32::try_from(number.clamp(low, high)).ok()
}

fn wdl(tokens: &mut Tokens<'_>, found: &mut dyn FnMut(Deviation)) -> Option<[u32; 3]> {
    let mut read = || small("wdl", tokens, found);
    Some([read()?, read()?, read()?])
}

fn run<'a>(
    field: &str,
    tokens: &mut Tokens<'a>,
    found: &mut dyn FnMut(Deviation),
) -> Option<&'a str> {
    let run = tokens.run_until(is_field);
    if run.is_empty() {
        found(Deviation::MissingValue { field: field.to_owned() });
        return None;
    }
    Some(run)
}

/// The words of an `info string` in which an engine reports how many moves of its hash table were
/// illegal.
pub const ILLEGAL_TABLE_MOVES: &str = "illegal table moves";

/// An owned [`Info`], made to be overwritten again and again without allocating.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InfoBuf {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// The deepest line searched, in plies.
    pub seldepth: Option<u32>,
    /// The rank of this line among several, from 1.
    pub multipv: Option<u32>,
    /// The score.
    pub score: Option<Score>,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Win, draw and loss in per mille.
    pub wdl: Option<[u32; 3]>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// How full the hash table is, in per mille.
    pub hashfull: Option<u32>,
    /// Positions found in tablebases.
    pub tbhits: Option<u64>,
    /// The engine's own count of milliseconds.
    pub time_ms: Option<u64>,
    /// Moves from the engine's hash table that were illegal in their position, as reported by
    /// `info string illegal table moves N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub illegal_table_moves: Option<u32>,
    /// The principal variation, empty when none was given.
    pub pv: String,
}

impl InfoBuf {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        let mut pv = std::mem::take(&mut self.pv);
        pv.clear();
        *self = Self { pv, ..Self::default() };
    }

    /// Takes over a line. One with a score replaces score, bound, win/draw/loss and depth together;
    /// counters are overwritten one by one, and a score without a variation keeps the variation
    /// known so far.
    pub fn update(&mut self, info: &Info<'_>) {
        if info.score.is_some() {
            self.score = info.score;
            self.bound = info.bound;
            self.wdl = info.wdl;
            self.multipv = info.multipv;
            self.depth = info.depth.or(self.depth);
            self.seldepth = info.seldepth.or(self.seldepth);
        } else if info.pv.is_some() || self.score.is_none() {
            self.depth = info.depth.or(self.depth);
            self.seldepth = info.seldepth.or(self.seldepth);
        }
        self.nodes = info.nodes.or(self.nodes);
        self.nps = info.nps.or(self.nps);
        self.hashfull = info.hashfull.or(self.hashfull);
        self.tbhits = info.tbhits.or(self.tbhits);
        self.time_ms = info.time_ms.or(self.time_ms);
        if let Some(count) = info.string.and_then(|text| text.strip_prefix(ILLEGAL_TABLE_MOVES)) {
            self.illegal_table_moves = count.trim().parse().ok().or(self.illegal_table_moves);
        }
        if let Some(pv) = info.pv {
            self.pv.clear();
            self.pv.push_str(pv);
        }
    }

    /// The first move of the principal variation.
    #[must_use]
    pub fn first_move(&self) -> Option<&str> {
        self.pv.split_ascii_whitespace().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> (Info<'_>, Vec<&'static str>) {
        let mut codes = Vec::new();
        let info = Info::parse(line, &mut |d| codes.push(d.code()));
        (info, codes)
    }

    #[test]
    fn every_field() {
        let (info, codes) = parse(
            "info depth 20 seldepth 31 multipv 2 score cp -35 upperbound wdl 10 900 90 \
             nodes 123456789012 nps 2000000 hashfull 999 tbhits 7 time 61728 cpuload 500 \
             currmove e2e4 currmovenumber 3 pv e2e4 e7e5 g1f3",
        );
        assert!(codes.is_empty(), "{codes:?}");
        assert_eq!(info.depth, Some(20));
        assert_eq!(info.seldepth, Some(31));
        assert_eq!(info.multipv, Some(2));
        assert_eq!(info.score, Some(Score::Cp(-35)));
        assert_eq!(info.bound, Bound::Upper);
        assert_eq!(info.wdl, Some([10, 900, 90]));
        assert_eq!(info.nodes, Some(123_456_789_012));
        assert_eq!(info.nps, Some(2_000_000));
        assert_eq!(info.hashfull, Some(999));
        assert_eq!(info.tbhits, Some(7));
        assert_eq!(info.time_ms, Some(61_728));
        assert_eq!(info.cpuload, Some(500));
        assert_eq!(info.currmove, Some("e2e4"));
        assert_eq!(info.currmovenumber, Some(3));
        assert_eq!(info.pv_moves().collect::<Vec<_>>(), ["e2e4", "e7e5", "g1f3"]);
    }

    #[test]
    fn pv_in_the_middle_and_strings_to_the_end() {
        let (info, codes) = parse("info pv e2e4 e7e5 wdl 1 2 3 score mate -4 string pv depth 9");
        assert!(codes.is_empty(), "{codes:?}");
        assert_eq!(info.pv, Some("e2e4 e7e5"));
        assert_eq!(info.wdl, Some([1, 2, 3]));
        assert_eq!(info.score, Some(Score::Mate(-4)));
        assert_eq!(info.string, Some("pv depth 9"));
        assert_eq!(info.depth, None);
    }

    #[test]
    fn deviations_are_found_and_survived() {
        let cases: [(&str, &[&str]); 10] = [
            ("info depth 5 nps 1771333,", &["sloppy-number"]),
            ("info time -3", &["negative-number"]),
            ("info depth", &["missing-value"]),
            ("info depth seldepth 3", &["missing-value"]),
            ("info depth x", &["bad-number"]),
            ("info depth 5 depth 6", &["repeated-field"]),
            ("info score 17", &["bad-score"]),
            ("info score cp", &["missing-value"]),
            ("info frob 3", &["unknown-field", "unknown-field"]),
            ("info pv", &["missing-value"]),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line).1, expected, "{line}");
        }
        assert_eq!(parse("info nps 1771333,").0.nps, Some(1_771_333));
        assert_eq!(parse("info score 17").0.score, Some(Score::Cp(17)));
        assert_eq!(parse("info nodes 99999999999999999999999").0.nodes, Some(u64::MAX));
        assert_eq!(parse("info score cp -99999999999").0.score, Some(Score::Cp(i32::MIN)));
    }

    #[test]
    fn a_buffer_keeps_what_belongs_together() {
        let mut buf = InfoBuf::default();
        for line in [
            "info depth 9 score cp 40 nodes 10 pv e2e4 e7e5",
            "info depth 10 score cp 60 lowerbound nodes 20",
            "info depth 11 currmove a2a3 currmovenumber 7 nodes 30",
            "info string illegal table moves 3",
            "info string illegal table moves are never played",
        ] {
            buf.update(&parse(line).0);
        }
        assert_eq!(
            (buf.depth, buf.score, buf.bound),
            (Some(10), Some(Score::Cp(60)), Bound::Lower)
        );
        assert_eq!((buf.nodes, buf.pv.as_str()), (Some(30), "e2e4 e7e5"));
        assert_eq!(buf.illegal_table_moves, Some(3));
        buf.clear();
        assert_eq!(buf, InfoBuf::default());
    }
}
