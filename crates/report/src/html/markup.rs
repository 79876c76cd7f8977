//! Markup that is safe by construction: plain text gets in only through escaping.

use std::fmt::{self, Display};

/// A piece of finished markup. Made from text (escaped) or by this kit's own blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Any text, escaped.
    pub fn text(text: impl Display) -> Html {
        Html(escape(&text.to_string()))
    }

    /// Markup written by us. Never pass anything that came from outside unescaped.
    pub fn trusted(markup: impl Into<String>) -> Html {
        Html(markup.into())
    }

    /// A paragraph of text.
    pub fn paragraph(text: impl Into<Html>) -> Html {
        Html(format!("<p>{}</p>\n", text.into()))
    }

    /// Text in the code face: moves, FENs, options, file names.
    pub fn code(text: impl Display) -> Html {
        Html(format!("<code>{}</code>", Html::text(text)))
    }

    /// Text with weight.
    pub fn strong(text: impl Into<Html>) -> Html {
        Html(format!("<strong>{}</strong>", text.into()))
    }

    /// A link to a place in the page, a relative file or a web address. Any other kind of
    /// address (`javascript:` …) leaves only the label.
    pub fn link(label: impl Into<Html>, address: &str) -> Html {
        let label = label.into();
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        let is_near = !address.split(['/', '?', '#']).next().unwrap_or("").contains(':');
        if is_web || is_near {
            Html(format!("<a href=\"{}\">{label}</a>", escape(address)))
        } else {
            label
        }
    }

    /// Appends more markup.
    #[must_use]
    pub fn and(mut self, more: impl Into<Html>) -> Html {
        self.push(more);
        self
    }

    /// Appends more markup in place.
    pub fn push(&mut self, more: impl Into<Html>) {
        self.0.push_str(&more.into().0);
    }

    /// The markup.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Html {
        Html::text(text)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Html {
        Html::text(text)
    }
}

impl From<&String> for Html {
    fn from(text: &String) -> Html {
        Html::text(text)
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Html {
        Html(parts.into_iter().map(|part| part.0).collect())
    }
}

/// Text made safe for element content and for attributes in double quotes. Control
/// characters, which no page may contain, are shown as U+FFFD; so are the invisible ones
/// that reorder the text around them.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            '\r' => {}
            c if c.is_control() || is_bidi_control(c) || is_noncharacter(c) => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}

fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// XML, and so a standalone SVG, forbids these.
fn is_noncharacter(letter: char) -> bool {
    matches!(u32::from(letter) & 0xffff, 0xfffe | 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let hostile = "<script>alert(\"x\")</script>&'\u{0}\u{1b}[31m\u{202e}";
        let safe = Html::from(hostile).to_string();
        assert_eq!(
            safe,
            "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;\u{fffd}\u{fffd}[31m\u{fffd}"
        );
    }

    #[test]
    fn links_go_only_where_links_may_go() {
        assert_eq!(Html::link("x", "javascript:alert(1)").as_str(), "x");
        assert_eq!(Html::link("x", "JaVaScRiPt:alert(1)").as_str(), "x");
        assert_eq!(Html::link("x", "data:text/html,x").as_str(), "x");
        assert_eq!(Html::link("x", "#a\"b").as_str(), "<a href=\"#a&quot;b\">x</a>");
        assert!(Html::link("x", "https://example.org/a:b").as_str().starts_with("<a "));
    }
}
