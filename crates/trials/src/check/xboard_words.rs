//! Reproductions for XBoard engines: what was said in UCI's words, in XBoard's.

/// The commands as an XBoard engine is given them.
pub(super) fn translated(commands: &[String]) -> Vec<String> {
    let mut is_black = false;
    commands.iter().flat_map(|line| one(line, &mut is_black)).collect()
}

/// One command; `is_black` is whose turn it is in the position set up last.
fn one(line: &str, is_black: &mut bool) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["uci"] => vec!["xboard".to_owned(), "protover 2".to_owned()],
        ["ucinewgame"] => vec!["new".to_owned()],
        ["isready"] => Vec::new(),
        ["position", ..] => position(&words, is_black),
        ["go", "wtime", white, "btime", black, ..] => {
            let (own, other) = if *is_black { (black, white) } else { (white, black) };
            // XBoard counts in hundredths of a second.
            let left = |ms: &str| ms.parse::<u64>().unwrap_or(0) / 10;
            vec![format!("time {}", left(own)), format!("otim {}", left(other)), "go".to_owned()]
        }
        ["go", "movetime", ms] => {
            let ms: u64 = ms.parse().unwrap_or(0);
            // Whole seconds are all that `st` knows; the driver asks for the move earlier.
            let seconds = ms.div_ceil(1000).max(1);
            let now = (!ms.is_multiple_of(1000)).then(|| format!("? (after {ms} ms)"));
            [format!("st {seconds}"), "go".to_owned()].into_iter().chain(now).collect()
        }
        ["go", "depth", depth] => vec![format!("sd {depth}"), "go".to_owned()],
        _ => vec![line.to_owned()],
    }
}

fn position(words: &[&str], is_black: &mut bool) -> Vec<String> {
    let moves = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let (start, moves) = words.split_at(moves);
    let played = moves.get(1..).unwrap_or_default();
    let set_up = match start {
        [_, "fen", fen @ ..] => ["force".to_owned(), format!("setboard {}", fen.join(" "))],
        _ => ["new".to_owned(), "force".to_owned()],
    };
    *is_black = (start.get(3) == Some(&"b")) != (played.len() % 2 == 1);
    set_up.into_iter().chain(played.iter().map(|word| (*word).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(commands: &[&str]) -> Vec<String> {
        translated(&commands.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn games_and_clocks_are_translated() {
        let game = said(&["position startpos moves e2e4", "go wtime 1000 btime 500 winc 0 binc 0"]);
        assert_eq!(game, ["new", "force", "e2e4", "time 50", "otim 100", "go"]);
        let fen = said(&["position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go depth 3"]);
        assert_eq!(fen, ["force", "setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "sd 3", "go"]);
        assert_eq!(said(&["go movetime 1500"]), ["st 2", "go", "? (after 1500 ms)"]);
    }
}
