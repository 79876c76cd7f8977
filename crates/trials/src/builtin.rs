//! The suites that come with Dyno: commented text files under `suites/`, embedded.

/// A suite that can be named instead of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinSuite {
    /// What to write on the command line.
    pub name: &'static str,
    /// Another name people use.
    pub alias: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The file, comments and all.
    pub text: &'static str,
}

impl BuiltinSuite {
    /// Positions in it.
    #[must_use]
    pub fn positions(&self) -> usize {
        let is_position = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', ';']);
        self.text.lines().filter(is_position).count()
    }
}

/// All of them, in the order they are listed.
pub const BUILTIN_SUITES: [BuiltinSuite; 2] = [
    BuiltinSuite {
        name: "wac",
        alias: "win-at-chess",
        title: "Win at Chess: tactics",
        text: include_str!("../../../suites/wac.epd"),
    },
    BuiltinSuite {
        name: "bk",
        alias: "bratko-kopec",
        title: "Bratko-Kopec: tactics and pawn levers",
        text: include_str!("../../../suites/bratko-kopec.epd"),
    },
];

/// The suite of that name, whatever its case.
#[must_use]
pub fn builtin_suite(name: &str) -> Option<BuiltinSuite> {
    let is_named =
        |s: &BuiltinSuite| s.name.eq_ignore_ascii_case(name) || s.alias.eq_ignore_ascii_case(name);
    BUILTIN_SUITES.into_iter().find(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_formats::epd::EpdReader;

    #[test]
    fn every_line_is_sound() {
        for suite in BUILTIN_SUITES {
            let mut count = 0;
            for record in EpdReader::new(suite.text.as_bytes()) {
                let record = record.unwrap_or_else(|e| panic!("{}: {e}", suite.name));
                let moves = record.best_moves();
                assert!(moves.defects.is_empty() && !moves.moves.is_empty(), "{}", record.raw);
                count += 1;
            }
            assert_eq!(count, suite.positions(), "{}", suite.name);
        }
        assert_eq!(builtin_suite("WAC").map(|s| s.positions()), Some(300));
        assert_eq!(builtin_suite("bratko-kopec").map(|s| s.positions()), Some(24));
    }
}
