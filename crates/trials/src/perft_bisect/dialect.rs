//! How engines print perft: a line a move in many spellings, a total in many wordings.

/// What one line of an answer to a perft command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A move and the count below it.
    Divide {
        /// The move as the engine wrote it.
        mv: String,
        /// The leaves below it.
        count: u64,
    },
    /// The count of the whole.
    Total(u64),
    /// A line of an ordinary search: the engine does not know perft.
    Search,
    /// The command is not known.
    Refused,
    /// Anything else.
    Other,
}

/// Reads a line.
pub fn read(line: &str) -> Line {
    let line = line.trim();
    let line = line.strip_prefix("info string ").unwrap_or(line).trim();
    let lower = line.to_ascii_lowercase();
    if lower.starts_with("bestmove") || is_search(&lower) {
        return Line::Search;
    }
    if ["unknown", "error", "invalid", "illegal", "no such"].iter().any(|w| lower.starts_with(w)) {
        return Line::Refused;
    }
    if lower == "readyok" || lower.is_empty() {
        return Line::Other;
    }
    if let Some((mv, count)) = divide(line) {
        return Line::Divide { mv, count };
    }
    total(&lower).map_or(Line::Other, Line::Total)
}

fn is_search(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    words.next() == Some("info")
        && words.any(|w| matches!(w, "pv" | "score" | "currmove" | "currmovenumber" | "seldepth"))
}

/// A number with or without separators between its thousands.
fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_' | '\'' | '.')).collect();
    // A trailing point or comma ends a sentence; a leading one is not a number.
    if !text.starts_with(|c: char| c.is_ascii_digit())
        || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    digits.parse().ok()
}

/// `e2e4: 20`, `e2e4 20`, `e2e4 -> 20`, `1. e2e4 20`, `Nb1a3 20`, `e2-e4 = 20`, `1) e4: 20 nodes`.
fn divide(line: &str) -> Option<(String, u64)> {
    let spaced: String = line
        .chars()
        .map(|c| if matches!(c, ':' | '\t' | '|' | '(' | ')' | '[' | ']') { ' ' } else { c })
        .collect();
    let mut words = spaced.split_whitespace().peekable();
    let first = *words.peek()?;
    if is_ordinal(first, line) {
        words.next();
    }
    let mv = words.next()?;
    if !looks_like_move(mv) {
        return None;
    }
    let mut rest =
        words.filter(|word| !matches!(*word, "->" | "=" | "-" | "=>" | "moves" | "nodes"));
    let mut text = rest.next()?;
    // `e2e4=20`: the sign clings to the number.
    text = text.trim_start_matches(['=', '>', '-']);
    Some((mv.trim_end_matches(['.', ',']).to_owned(), number(text)?))
}

/// `1.`, `12)`, or a bare `3` that is followed by a move.
fn is_ordinal(word: &str, line: &str) -> bool {
    let digits = word.trim_end_matches(['.', ')']);
    let bare = digits.len() == word.len();
    !digits.is_empty()
        && digits.len() <= 3
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (!bare || line.split_whitespace().count() >= 3 || line.contains(')'))
}

/// Coordinates, SAN or long algebraic; not an ordinary word.
fn looks_like_move(word: &str) -> bool {
    let bare = word.trim_end_matches(['+', '#', '!', '?', '.', ',', '=']);
    if matches!(bare, "O-O" | "O-O-O" | "0-0" | "0-0-0" | "o-o" | "o-o-o") {
        return true;
    }
    let plain: Vec<char> = bare.chars().filter(|c| !matches!(c, '-' | 'x' | '=' | '/')).collect();
    let squares = plain
        .windows(2)
        .filter(|pair| matches!(pair[0], 'a'..='h') && matches!(pair[1], '1'..='8'))
        .count();
    squares >= 1
        && plain.len() <= 7
        && plain.iter().all(|c| {
            matches!(c, 'a'..='h' | '1'..='8' | 'N' | 'B' | 'R' | 'Q' | 'K' | 'P' | 'n' | 'r' | 'q' | 'k')
        })
}

/// The total of a line in lower case.
fn total(lower: &str) -> Option<u64> {
    if let Some(bare) = number(lower) {
        return Some(bare);
    }
    let speed = ["nodes/second", "nodes per second", "nodes/s", "nps", "knps", "mnps"];
    if speed.iter().any(|word| lower.starts_with(word)) || lower.starts_with("time") {
        return None;
    }
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '(' | ')' | ';'))
        .filter(|word| !word.is_empty())
        .collect();
    let keys =
        ["nodes", "total", "moves", "leaves", "leafs", "count", "positions", "result", "searched"];
    // `nodes searched: 400`, `total moves=400 time=1`: the number right after the last keyword of
    // the first run of keywords; `400 nodes explored`: right before it.
    for (at, word) in words.iter().enumerate() {
        if !keys.contains(word) {
            continue;
        }
        if let Some(value) = words.get(at + 1).and_then(|next| number(next.trim_end_matches(','))) {
            return Some(value);
        }
        if at > 0
            && let Some(value) = number(words[at - 1])
        {
            // `info depth 3 nodes` has the depth before it, not the count.
            if at < 2 || !matches!(words[at - 2], "depth" | "perft") {
                return Some(value);
            }
        }
    }
    // `perft 5 = 4865609`, `raw nodes for depth 2: 400`: the number after the depth.
    let depth = words.iter().position(|word| matches!(*word, "perft" | "depth" | "divide"))?;
    let mentions = words[0] == "perft" || words.iter().any(|word| keys.contains(word));
    number(words.get(depth + 1)?).filter(|_| mentions)?;
    number(words.get(depth + 2)?.trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divides(line: &str, mv: &str, count: u64) {
        assert_eq!(read(line), Line::Divide { mv: mv.into(), count }, "{line:?}");
    }

    #[test]
    fn moves_in_every_spelling() {
        for line in [
            "e2e4: 20",
            " e2e4: 20",
            "e2e4 20",
            "e2e4 -> 20",
            "e2e4\t20",
            "e2e4\t\t20",
            "1. e2e4 20",
            "1) e2e4: 20",
            "12 e2e4 20",
            "e2e4 = 20",
            "e2e4: 20 nodes",
            "e2e4 (20)",
            "info string e2e4: 20",
            "e2e4 =20",
            "[e2e4] 20",
        ] {
            divides(line, "e2e4", 20);
        }
        divides("Nb1a3 400", "Nb1a3", 400);
        divides("a7a8Q: 1,234", "a7a8Q", 1234);
        divides("O-O: 7", "O-O", 7);
        divides("e1h1: 15", "e1h1", 15);
        divides("e2-e4: 20", "e2-e4", 20);
        divides("exd6 3", "exd6", 3);
    }

    #[test]
    fn totals_in_every_wording() {
        for line in [
            "Nodes searched: 400",
            "Nodes searched  : 400",
            "Nodes: 400",
            "nodes: 400",
            "Total: 400",
            "total 400",
            "Total nodes: 400",
            "perft 5 = 400",
            "total moves=400  time=0.01",
            "400 nodes explored",
            "Raw nodes for depth 2: 400",
            "info depth 2 nodes 400",
            "400",
            "info string Nodes 400",
            "Perft 2: 400",
            "Total Nodes : 400",
            "Leaf nodes: 400",
            "nodes 400 time 3 nps 120000",
            "Nodes searched: 400, 3 ms",
            "Moves: 400",
            "perft(2) = 400",
            "Depth 2: 400 nodes",
        ] {
            assert_eq!(read(line), Line::Total(400), "{line:?}");
        }
    }

    #[test]
    fn refusals_are_told_from_counts() {
        for line in
            ["Unknown command: perft 2", "Error (unknown command): perft", "Illegal move: perft 2"]
        {
            assert_eq!(read(line), Line::Refused, "{line:?}");
        }
    }

    #[test]
    fn searches_and_chatter_are_neither() {
        for line in ["info depth 1 score cp 20 pv e2e4", "bestmove e2e4", "info currmove e2e4"] {
            assert_eq!(read(line), Line::Search, "{line:?}");
        }
        for line in [
            "",
            "readyok",
            "Stockfish 15.1 by the authors",
            "NPS: 1000000",
            "Nodes/second: 12345",
            "time: 3",
        ] {
            assert_eq!(read(line), Line::Other, "{line:?}");
        }
    }
}
