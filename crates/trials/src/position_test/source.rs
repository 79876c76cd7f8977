//! Where positions come from, and which of them are wanted.

use super::theme::theme_of;
use dyno_chess::SplitMix64;
use dyno_formats::{OpenError, Opened, open_text};
use std::io::BufRead;
use std::path::PathBuf;

/// A file of positions.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// A suite that is built in.
    Builtin {
        /// Its name.
        name: &'static str,
        /// Its text.
        text: &'static str,
    },
}

impl Source {
    /// What reports call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Builtin { name, .. } => (*name).to_owned(),
        }
    }

    /// Opens it: its content, and the name of the file without path and compression.
    pub fn open(&self) -> Result<(Box<dyn BufRead + Send>, String), OpenError> {
        Ok(match self {
            Source::File(path) => {
                let Opened { reader, name, .. } = open_text(path)?;
                (reader, name)
            }
            Source::Builtin { name, text } => (Box::new(text.as_bytes()), (*name).to_owned()),
        })
    }

    /// The error of a source that turns out to be damaged while it is read.
    #[must_use]
    pub fn damaged(&self, error: std::io::Error) -> OpenError {
        let path = match self {
            Source::File(path) => path.clone(),
            Source::Builtin { name, .. } => PathBuf::from(name),
        };
        OpenError::Read { path, error }
    }

    /// Whether it can be read more than once: standard input and other pipes cannot.
    #[must_use]
    pub fn can_reread(&self) -> bool {
        match self {
            Source::File(path) => path.as_os_str() != "-" && path.is_file(),
            Source::Builtin { .. } => true,
        }
    }

    /// Says before any engine is started whether it can be read. A pipe is left alone, because it
    /// can be read only once.
    pub(super) fn check(&self) -> Result<(), OpenError> {
        let is_pipe = |path: &PathBuf| path.as_os_str() == "-" || path.exists() && !path.is_dir();
        match self {
            Source::File(path) if !self.can_reread() && is_pipe(path) => Ok(()),
            _ => self.open().map(drop),
        }
    }
}

/// Which positions of the sources are wanted, and in which order.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Any of these in the id, whatever the case; everything when empty.
    pub ids: Vec<String>,
    /// Any of these in the theme.
    pub themes: Vec<String>,
    /// At most this many positions.
    pub most: Option<u64>,
    /// Shuffle by this seed.
    pub seed: Option<u64>,
}

impl Selection {
    /// Whether a position of that name is wanted. A line without a name, because it cannot be
    /// read, is wanted only where every line is.
    pub(super) fn wants(&self, id: &str) -> bool {
        let has = |texts: &[String], whole: &str| {
            let whole = whole.to_lowercase();
            texts.is_empty() || texts.iter().any(|text| whole.contains(&text.to_lowercase()))
        };
        self.is_whole() || !id.is_empty() && has(&self.ids, id) && has(&self.themes, &theme_of(id))
    }

    fn is_whole(&self) -> bool {
        self.ids.is_empty() && self.themes.is_empty()
    }
}

/// Shuffles in place; the same seed gives the same order.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = SplitMix64::new(seed);
    for last in (1..items.len()).rev() {
        let wide = u128::from(rng.next_u64()) * (last as u128 + 1);
        items.swap(last, (wide >> 64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_is_a_permutation_by_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(shuffled(7), shuffled(7));
        assert_ne!(shuffled(7), shuffled(8));
        let mut sorted = shuffled(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn ids_and_themes_select() {
        let selection = Selection { ids: vec!["wac.00".into()], ..Selection::default() };
        assert!(selection.wants("WAC.007") && !selection.wants("WAC.107"));
        assert!(!selection.wants(""), "an unreadable line cannot be asked for by name");
        assert!(Selection::default().wants(""));
    }
}
