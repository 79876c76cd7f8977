//! Words of a line, with the offsets needed to slice runs of words without copying them.

/// A cursor over the words of a line.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word together with the offset where it starts.
    pub(crate) fn next_at(&mut self) -> Option<(usize, &'a str)> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while is_space(*bytes.get(start)?) {
            start += 1;
        }
        self.at = start;
        while bytes.get(self.at).is_some_and(|b| !is_space(*b)) {
            self.at += 1;
        }
        Some((start, &self.text[start..self.at]))
    }

    /// The next word, left in place.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The next word if `wanted` holds for it; else it is left in place.
    pub(crate) fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
        let before = self.at;
        let word = self.next().filter(|word| wanted(word));
        if word.is_none() {
            self.at = before;
        }
        word
    }

    /// Everything not read yet, without the spaces around it.
    pub(crate) fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
        self.at = self.text.len();
        rest
    }

    /// The run of words up to the first one for which `ends` holds, as one slice.
    pub(crate) fn run_until(&mut self, ends: impl Fn(&str) -> bool) -> &'a str {
        let mut run: Option<(usize, usize)> = None;
        loop {
            let before = self.at;
            match self.next_at() {
                Some((_, word)) if ends(word) => {
                    self.at = before;
                    break;
                }
                Some((start, _)) => run = Some((run.map_or(start, |(s, _)| s), self.at)),
                None => break,
            }
        }
        run.map_or("", |(start, end)| &self.text[start..end])
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.next_at().map(|(_, word)| word)
    }
}

/// Engines separate words with spaces, tabs and, when they are confused, stray control bytes.
fn is_space(byte: u8) -> bool {
    byte <= b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_runs() {
        let mut tokens = Tokens::new("  pv e2e4\te7e5  nodes 3 ");
        assert_eq!(tokens.next(), Some("pv"));
        assert_eq!(tokens.run_until(|w| w == "nodes"), "e2e4\te7e5");
        assert_eq!(tokens.peek(), Some("nodes"));
        assert_eq!(tokens.rest(), "nodes 3");
        assert_eq!(tokens.next(), None);
        assert_eq!(Tokens::new("pv").run_until(|w| w == "pv"), "");
    }

    #[test]
    fn survives_wide_characters() {
        let mut tokens = Tokens::new("é ü\u{a0}x ");
        assert_eq!(tokens.next(), Some("é"));
        assert_eq!(tokens.rest(), "ü\u{a0}x");
    }
}
