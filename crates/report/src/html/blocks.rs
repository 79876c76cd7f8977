//! The small blocks: facts, tiles, badges, notes, details, code.

use super::board::Board;
use super::markup::{Html, escape};
use crate::Verdict;

/// Names and values in two columns.
#[derive(Clone, Debug, Default)]
pub struct Facts(Vec<(Html, Html)>);

impl Facts {
    /// An empty list.
    #[must_use]
    pub fn new() -> Facts {
        Facts::default()
    }

    /// The next fact.
    #[must_use]
    pub fn fact(mut self, name: impl Into<Html>, value: impl Into<Html>) -> Facts {
        self.0.push((name.into(), value.into()));
        self
    }

    /// Whether there is nothing to list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Facts> for Html {
    fn from(facts: Facts) -> Html {
        let items: String = facts
            .0
            .iter()
            .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
            .collect();
        Html::trusted(format!("<dl class=\"facts\">{items}</dl>\n"))
    }
}

/// The figures that matter most, large, side by side.
#[derive(Clone, Debug, Default)]
pub struct Tiles(Vec<String>);

impl Tiles {
    /// An empty row.
    #[must_use]
    pub fn new() -> Tiles {
        Tiles::default()
    }

    /// A figure with its name above and a remark below (may be empty).
    #[must_use]
    pub fn tile(
        self,
        name: impl Into<Html>,
        value: impl Into<Html>,
        remark: impl Into<Html>,
    ) -> Tiles {
        self.push("", &name.into(), &value.into(), &remark.into())
    }

    /// The same, in the colour of a verdict.
    #[must_use]
    pub fn judged(
        self,
        verdict: Verdict,
        name: impl Into<Html>,
        value: impl Into<Html>,
        remark: impl Into<Html>,
    ) -> Tiles {
        let remark = badge(verdict).and(Html::trusted(" ")).and(remark);
        self.push(verdict.word(), &name.into(), &value.into(), &remark)
    }

    fn push(mut self, class: &str, name: &Html, value: &Html, remark: &Html) -> Tiles {
        self.0.push(format!(
            "<div class=\"tile {class}\"><dt>{name}</dt><dd class=\"value\">{value}</dd>\
             <dd class=\"remark\">{remark}</dd></div>"
        ));
        self
    }
}

impl From<Tiles> for Html {
    fn from(tiles: Tiles) -> Html {
        Html::trusted(format!("<dl class=\"tiles\">{}</dl>\n", tiles.0.concat()))
    }
}

/// A verdict as a small coloured label: sign and word, never colour alone.
#[must_use]
pub fn badge(verdict: Verdict) -> Html {
    let (word, sign) = (verdict.word(), verdict.sign());
    Html::trusted(format!(
        "<span class=\"badge {word}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>"
    ))
}

impl From<Verdict> for Html {
    fn from(verdict: Verdict) -> Html {
        badge(verdict)
    }
}

/// A remark set apart, in the colour of its verdict: advice, a warning, an explanation.
#[derive(Clone, Debug)]
pub struct Note {
    verdict: Verdict,
    body: Html,
}

impl Note {
    /// Something to know.
    pub fn new(verdict: Verdict, body: impl Into<Html>) -> Note {
        Note { verdict, body: body.into() }
    }
}

impl From<Note> for Html {
    fn from(note: Note) -> Html {
        Html::trusted(format!(
            "<div class=\"note {}\" role=\"note\">{}</div>\n",
            note.verdict.word(),
            note.body
        ))
    }
}

/// What most readers skip, folded away under a line that says what it is.
#[derive(Clone, Debug)]
pub struct Details {
    summary: Html,
    body: Html,
    open: bool,
}

impl Details {
    /// Folded.
    pub fn new(summary: impl Into<Html>) -> Details {
        Details { summary: summary.into(), body: Html::default(), open: false }
    }

    /// Unfolded at first.
    #[must_use]
    pub fn open(mut self) -> Details {
        self.open = true;
        self
    }

    /// Any block inside.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "adds a block; no arithmetic in sight")]
    pub fn add(mut self, block: impl Into<Html>) -> Details {
        self.body.push(block);
        self
    }

    /// A paragraph inside.
    #[must_use]
    pub fn text(self, text: impl Into<Html>) -> Details {
        self.add(Html::paragraph(text))
    }
}

impl From<Details> for Html {
    fn from(details: Details) -> Html {
        let open = if details.open { " open" } else { "" };
        Html::trusted(format!(
            "<details{open}><summary>{}</summary>\n<div class=\"inside\">{}</div></details>\n",
            details.summary, details.body
        ))
    }
}

/// Text as it is, in the code face, with a button that copies it: commands, transcripts, FENs.
#[derive(Clone, Debug)]
pub struct Code {
    text: String,
    label: String,
}

impl Code {
    /// The text; line breaks stay.
    pub fn new(text: impl Into<String>) -> Code {
        Code { text: text.into(), label: "Code".to_owned() }
    }

    /// What it is, for screen readers and the copy button's name.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Code {
        self.label = label.into();
        self
    }
}

impl From<Code> for Html {
    fn from(code: Code) -> Html {
        let (label, text) = (escape(&code.label), escape(&code.text));
        Html::trusted(format!(
            "<div class=\"code\" data-copy=\"{label}\"><pre tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\
             <code>{text}</code></pre></div>\n"
        ))
    }
}

/// Blocks side by side where the width allows, below each other where it does not.
#[derive(Clone, Debug)]
pub struct Row {
    class: &'static str,
    blocks: Vec<Html>,
}

impl Row {
    /// For charts and tables.
    #[must_use]
    pub fn new() -> Row {
        Row { class: "row", blocks: Vec::new() }
    }

    /// For boards, which need less width.
    #[must_use]
    pub fn of_boards(boards: impl IntoIterator<Item = Board>) -> Row {
        Row { class: "row boards", blocks: boards.into_iter().map(Html::from).collect() }
    }

    /// The next block.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "adds a block; no arithmetic in sight")]
    pub fn add(mut self, block: impl Into<Html>) -> Row {
        self.blocks.push(block.into());
        self
    }
}

impl Default for Row {
    fn default() -> Row {
        Row::new()
    }
}

impl From<Row> for Html {
    fn from(row: Row) -> Html {
        let inside: Html = row.blocks.into_iter().collect();
        Html::trusted(format!("<div class=\"{}\">{inside}</div>\n", row.class))
    }
}
