//! What an engine says.

use crate::finding::Deviation;
use crate::info::Info;
use crate::option::EngineOption;
use crate::tokens::Tokens;

/// A line from an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineMessage<'a> {
    /// `id name`, with the name.
    IdName(&'a str),
    /// `id author`, with the author.
    IdAuthor(&'a str),
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `bestmove`.
    BestMove(BestMove<'a>),
    /// `info`.
    Info(Info<'a>),
    /// `option`.
    Option(EngineOption),
    /// `copyprotection` or `registration`, with its state.
    Licence(&'a str),
    /// Anything else: a banner, a debug print, garbage.
    Other(&'a str),
}

/// The move an engine decided on, as it wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestMove<'a> {
    /// Empty when the engine gave none.
    pub text: &'a str,
    /// The reply it would like to ponder on.
    pub ponder: Option<&'a str>,
}

impl<'a> EngineMessage<'a> {
    /// Reads one line without its line ending; deviations go to `found`.
    ///
    /// A line that is not a message becomes [`EngineMessage::Other`] and is not reported here:
    /// whether a banner is in its place depends on the conversation.
    pub fn parse(line: &'a str, found: &mut dyn FnMut(Deviation)) -> Self {
        let mut tokens = Tokens::new(line);
        match tokens.next() {
            Some("info") => EngineMessage::Info(Info::parse(line, found)),
            Some("bestmove") => EngineMessage::BestMove(BestMove::parse(line, found)),
            Some("readyok") => alone(EngineMessage::ReadyOk, &mut tokens, found),
            Some("uciok") => alone(EngineMessage::UciOk, &mut tokens, found),
            Some("option") => match EngineOption::parse(line, found) {
                Some(option) => EngineMessage::Option(option),
                None => EngineMessage::Other(line),
            },
            Some("id") => match tokens.next() {
                Some("name") => EngineMessage::IdName(tokens.rest()),
                Some("author") => EngineMessage::IdAuthor(tokens.rest()),
                _ => EngineMessage::Other(line),
            },
            Some("copyprotection" | "registration") => EngineMessage::Licence(tokens.rest()),
            _ => EngineMessage::Other(line),
        }
    }
}

impl<'a> BestMove<'a> {
    /// Reads a line that starts with `bestmove`.
    pub fn parse(line: &'a str, found: &mut dyn FnMut(Deviation)) -> Self {
        let mut tokens = Tokens::new(line);
        tokens.next();
        let Some(text) = tokens.next() else {
            found(Deviation::EmptyBestMove);
            return Self { text: "", ponder: None };
        };
        let ponder = if tokens.next_if(|word| word == "ponder").is_some() {
            let ponder = tokens.next();
            if ponder.is_none() {
                found(Deviation::MissingValue { field: "ponder".to_owned() });
            }
            ponder
        } else {
            None
        };
        report_rest(&mut tokens, found);
        Self { text, ponder }
    }
}

fn alone<'a>(
    answer: EngineMessage<'a>,
    tokens: &mut Tokens<'a>,
    found: &mut dyn FnMut(Deviation),
) -> EngineMessage<'a> {
    report_rest(tokens, found);
    answer
}

fn report_rest(tokens: &mut Tokens<'_>, found: &mut dyn FnMut(Deviation)) {
    let words = tokens.rest();
    if !words.is_empty() {
        found(Deviation::TrailingWords { words: words.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> (EngineMessage<'_>, Vec<&'static str>) {
        let mut codes = Vec::new();
        let answer = EngineMessage::parse(line, &mut |d| codes.push(d.code()));
        (answer, codes)
    }

    fn best<'a>(text: &'a str, ponder: Option<&'a str>) -> EngineMessage<'a> {
        EngineMessage::BestMove(BestMove { text, ponder })
    }

    #[test]
    fn answers() {
        assert_eq!(
            parse("id name  Big  Engine 1 "),
            (EngineMessage::IdName("Big  Engine 1"), vec![])
        );
        assert_eq!(parse("id author A. Uthor"), (EngineMessage::IdAuthor("A. Uthor"), vec![]));
        assert_eq!(parse("uciok"), (EngineMessage::UciOk, vec![]));
        assert_eq!(parse(" readyok "), (EngineMessage::ReadyOk, vec![]));
        assert_eq!(parse("Toga II 3.0 by T."), (EngineMessage::Other("Toga II 3.0 by T."), vec![]));
        assert_eq!(parse(""), (EngineMessage::Other(""), vec![]));
        assert_eq!(parse("id"), (EngineMessage::Other("id"), vec![]));
        assert_eq!(parse("registration checking"), (EngineMessage::Licence("checking"), vec![]));
    }

    #[test]
    fn best_moves() {
        assert_eq!(parse("bestmove e7e8Q ponder a2a3"), (best("e7e8Q", Some("a2a3")), vec![]));
        assert_eq!(parse("bestmove (none)"), (best("(none)", None), vec![]));
        assert_eq!(parse("bestmove"), (best("", None), vec!["empty-best-move"]));
        assert_eq!(parse("bestmove e2e4 ponder"), (best("e2e4", None), vec!["missing-value"]));
        assert_eq!(parse("bestmove e2e4 yes"), (best("e2e4", None), vec!["trailing-words"]));
    }
}
