//! Cards: one thing each (a missed position, a finding), laid out as the width allows.

use super::blocks::{Facts, badge};
use super::markup::{Html, escape};
use crate::Verdict;

/// Cards side by side; from eight on with a filter box.
#[derive(Clone, Debug)]
pub struct Cards {
    label: String,
    cards: Vec<Card>,
}

impl Cards {
    const FILTER_FROM: usize = 8;
    /// A page with more boards than this takes megabytes: further positions are listed.
    pub const MOST_BOARDS: usize = 120;

    /// No cards yet; the label says what they are, for the filter and screen readers.
    pub fn new(label: impl Into<String>) -> Cards {
        Cards { label: label.into(), cards: Vec::new() }
    }

    /// The next card.
    #[must_use]
    pub fn card(mut self, card: Card) -> Cards {
        self.cards.push(card);
        self
    }

    /// Many cards.
    #[must_use]
    pub fn cards(mut self, cards: impl IntoIterator<Item = Card>) -> Cards {
        self.cards.extend(cards);
        self
    }
}

impl From<Cards> for Html {
    fn from(cards: Cards) -> Html {
        let filter =
            if cards.cards.len() >= Cards::FILTER_FROM { " data-filter=\"cards\"" } else { "" };
        let inside: String = cards.cards.into_iter().map(Card::render).collect();
        let label = escape(&cards.label);
        Html::trusted(format!(
            "<div class=\"cards-block\" data-label=\"{label}\"{filter}>\n<div class=\"cards\">\n{inside}</div>\n</div>\n"
        ))
    }
}

/// A heading, a verdict, facts and any blocks.
#[derive(Clone, Debug)]
pub struct Card {
    title: String,
    verdict: Option<Verdict>,
    facts: Facts,
    body: Html,
}

impl Card {
    /// An empty card with its heading.
    pub fn new(title: impl Into<String>) -> Card {
        Card { title: title.into(), verdict: None, facts: Facts::new(), body: Html::default() }
    }

    /// The badge beside the heading.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict) -> Card {
        self.verdict = Some(verdict);
        self
    }

    /// A fact, listed at the end of the card.
    #[must_use]
    pub fn fact(mut self, name: impl Into<Html>, value: impl Into<Html>) -> Card {
        self.facts = self.facts.fact(name, value);
        self
    }

    /// Any block: a board, code, text.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "adds a block; no arithmetic in sight")]
    pub fn add(mut self, block: impl Into<Html>) -> Card {
        self.body.push(block);
        self
    }

    fn render(self) -> String {
        let badge = self.verdict.map(badge).unwrap_or_default();
        let facts = if self.facts.is_empty() { Html::default() } else { self.facts.into() };
        format!(
            "<article class=\"card\"><h3>{} {badge}</h3>\n{}{facts}</article>\n",
            escape(&self.title),
            self.body
        )
    }
}
