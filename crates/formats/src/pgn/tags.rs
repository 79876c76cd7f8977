//! The tags of a game.

/// The tags every game has, in their order.
pub const SEVEN_TAGS: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tags in their order; a name occurs once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of a tag, whatever the case of its name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// Sets a tag: in place if it is there, at the end otherwise.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The tags, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the tag at the start of a text that begins with `[`: name, value and the text after it.
/// The value may hold escaped quotes, stray quotes, or have lost its quotes or its bracket.
pub(super) fn read_tag(text: &str) -> Option<(&str, String, &str)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let end = inside.find(|c: char| c.is_whitespace() || matches!(c, '"' | ']'))?;
    let (name, rest) = inside.split_at(end);
    let is_name =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '#' | '=' | ':' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let rest = rest.trim_start();
    match rest.strip_prefix('"') {
        Some(body) => {
            let (value, after) = quoted(body);
            Some((name, value, after))
        }
        None => {
            let (value, after) = rest.split_once(']').unwrap_or((rest, ""));
            Some((name, value.trim_end().to_owned(), after))
        }
    }
}

/// The value up to the quote that a bracket follows, and the text after the bracket.
fn quoted(body: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((at, letter)) = chars.next() {
        match (letter, chars.peek()) {
            ('\\', Some(&(_, next @ ('"' | '\\')))) => {
                // `\"]` at the very end is a path's backslash, not an escaped quote.
                let closes = next == '"' && matches!(body[at + 2..].trim(), "]" | "");
                if closes {
                    value.push('\\');
                } else {
                    value.push(next);
                    chars.next();
                }
            }
            ('"', _) => {
                let after = body[at + 1..].trim_start();
                if let Some(after) = after.strip_prefix(']') {
                    return (value, after);
                }
                if after.is_empty() {
                    return (value, "");
                }
                value.push('"');
            }
            _ => value.push(letter),
        }
    }
    // Neither quote nor bracket to be found: the value is what there is.
    let kept = value.trim_end().trim_end_matches(']').trim_end_matches('"').len();
    value.truncate(kept);
    (value, "")
}
