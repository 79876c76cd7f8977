//! Where positions come from: files and built-in suites, read as a stream.

use super::question::{Question, line_defect};
use super::result::SuiteDefect;
use super::theme::theme_of;
use dyno_formats::epd::{EpdReader, EpdRecord};
use dyno_formats::{OpenError, open_text};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

/// An EPD suite.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// One that is built in.
    Builtin { name: &'static str, text: &'static str },
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

    /// Opens it for reading.
    pub fn open(&self) -> Result<Box<dyn BufRead + Send>, OpenError> {
        Ok(match self {
            Source::File(path) => open_text(path)?.reader,
            Source::Builtin { text, .. } => Box::new(text.as_bytes()),
        })
    }

    /// Whether it can be read more than once: standard input and other pipes cannot.
    #[must_use]
    pub fn can_reread(&self) -> bool {
        match self {
            Source::File(path) => path.as_os_str() != "-" && path.is_file(),
            Source::Builtin { .. } => true,
        }
    }

    /// Says before any engine is started whether it can be read. What can be read only once is
    /// left alone.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        if self.can_reread()
            || matches!(self, Source::File(path) if path.as_os_str() != "-" && !path.exists())
        {
            self.open()?;
        }
        Ok(())
    }
}

/// Which positions of the suites are wanted, and in what shape.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Any of these in the id, whatever the case; everything when empty.
    pub ids: Vec<String>,
    /// Any of these in the theme.
    pub themes: Vec<String>,
    /// Take away castling rights and en-passant squares that a position cannot have, with a
    /// warning, instead of leaving the position out.
    pub repair: bool,
}

impl Filter {
    fn wants(&self, record: &EpdRecord) -> bool {
        let has = |texts: &[String], whole: &str| {
            let whole = whole.to_lowercase();
            texts.is_empty() || texts.iter().any(|t| whole.contains(&t.to_lowercase()))
        };
        self.is_empty() || {
            let id = record.label();
            has(&self.ids, &id) && has(&self.themes, &theme_of(&id))
        }
    }

    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.themes.is_empty()
    }
}

/// One line of a suite.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Question(Box<Question>),
    Defect(SuiteDefect),
}

/// All wanted lines of the suites, one after the other.
pub(crate) fn items(
    sources: &[Source],
    filter: Filter,
) -> Result<impl Iterator<Item = Item> + Send + use<>, OpenError> {
    let mut streams = Vec::new();
    for source in sources {
        streams.push((Arc::<str>::from(source.name()), source.open()?));
    }
    Ok(streams.into_iter().flat_map(move |(name, stream)| {
        let filter = filter.clone();
        // What is not wanted is skipped before its solutions are read.
        EpdReader::new(stream).repairing(filter.repair).flat_map(move |line| match line {
            Ok(record) if !filter.wants(&record) => Vec::new(),
            Ok(record) => match Question::from_record(&name, &record) {
                Ok((question, warnings)) => {
                    let warnings = warnings.into_iter().map(Item::Defect);
                    warnings.chain([Item::Question(Box::new(question))]).collect()
                }
                Err(defect) => vec![Item::Defect(defect)],
            },
            // A line that cannot be read cannot be asked for by name.
            Err(error) if filter.is_empty() => vec![Item::Defect(line_defect(&name, &error))],
            Err(_) => Vec::new(),
        })
    }))
}

/// Shuffles in place; the same seed gives the same order.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    for last in (1..items.len()).rev() {
        let wide = u128::from(random()) * (last as u128 + 1);
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
}
