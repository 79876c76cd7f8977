//! The suites that come with Dyno: the commented text files of this folder, embedded.
//!
//! A new one is a file here and an entry below; `dyno suites` lists and exports it. They are a
//! crate so that what reads them can be published: a package has only the files of its folder.

#![deny(missing_docs)]

/// What a suite is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Counts for `dyno perft --suite`.
    Perft,
    /// Positions with best moves for `dyno suite`.
    Epd,
    /// Mates for `dyno mate`.
    Mate,
    /// Openings for `dyno match`.
    Openings,
    /// Positions for `dyno bench`.
    Bench,
}

impl Kind {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Perft => "perft",
            Kind::Epd => "epd",
            Kind::Mate => "mate",
            Kind::Openings => "openings",
            Kind::Bench => "bench",
        }
    }
}

/// A suite that can be named instead of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinSuite {
    /// What it is for.
    pub kind: Kind,
    /// What to write on the command line.
    pub name: &'static str,
    /// Another name people use.
    pub alias: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Where it comes from.
    pub origin: &'static str,
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
pub const BUILTIN_SUITES: &[BuiltinSuite] = &[
    BuiltinSuite {
        kind: Kind::Perft,
        name: "standard",
        alias: "perft-standard",
        title: "Perft counts, standard chess",
        origin: "the documents; Debian source package ethereal-chess",
        text: include_str!("perft/standard.epd"),
    },
    BuiltinSuite {
        kind: Kind::Perft,
        name: "chess960",
        alias: "perft-chess960",
        title: "Perft counts, Chess960",
        origin: "Debian source package ethereal-chess",
        text: include_str!("perft/chess960.epd"),
    },
    BuiltinSuite {
        kind: Kind::Epd,
        name: "wac",
        alias: "win-at-chess",
        title: "Win at Chess: tactics",
        origin: "crate littlewing (MIT)",
        text: include_str!("wac.epd"),
    },
    BuiltinSuite {
        kind: Kind::Epd,
        name: "bk",
        alias: "bratko-kopec",
        title: "Bratko-Kopec: tactics and pawn levers",
        origin: "PyPI package chess",
        text: include_str!("bratko-kopec.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mate-in-1",
        alias: "mate1",
        title: "Mates in 1, with all mating moves",
        origin: "Debian package pychess; proved by our solver",
        text: include_str!("mate/mate-in-1.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mate-in-2",
        alias: "mate2",
        title: "Mates in 2",
        origin: "Debian package pychess; proved by our solver",
        text: include_str!("mate/mate-in-2.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mate-in-3",
        alias: "mate3",
        title: "Mates in 3",
        origin: "Debian package pychess; proved by our solver",
        text: include_str!("mate/mate-in-3.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mate-in-4",
        alias: "mate4",
        title: "Mates in 4",
        origin: "Debian package pychess; proved by our solver",
        text: include_str!("mate/mate-in-4.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mate-in-5",
        alias: "mate5",
        title: "Mates in 5",
        origin: "made by ourselves; proved by our solver",
        text: include_str!("mate/mate-in-5.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "mated",
        alias: "mated-in-n",
        title: "The side to move is mated in 1 to 3",
        origin: "Debian package pychess; proved by our solver",
        text: include_str!("mate/mated.epd"),
    },
    BuiltinSuite {
        kind: Kind::Mate,
        name: "documents",
        alias: "published-mates",
        title: "Published examples of mates, three of them wrong",
        origin: "the documents",
        text: include_str!("mate/documents.epd"),
    },
    BALANCED_OPENINGS,
    BENCH_POSITIONS,
];

/// The positions of a bench that brings none.
pub const BENCH_POSITIONS: BuiltinSuite = BuiltinSuite {
    kind: Kind::Bench,
    name: "bench",
    alias: "bench-positions",
    title: "Positions of every phase, for speed and signatures",
    origin: "the documents, and our own choice",
    text: include_str!("bench/positions.epd"),
};

/// The openings of a match that brings none.
pub const BALANCED_OPENINGS: BuiltinSuite = BuiltinSuite {
    kind: Kind::Openings,
    name: "balanced",
    alias: "balanced-openings",
    title: "Balanced openings, 8 to 12 half-moves",
    origin: "lines of the Polyglot book of PyPI package chess, checked for balance",
    text: include_str!("openings/balanced.epd"),
};

/// Names of openings by their moves, in a layout of its own that its first lines explain.
pub const ECO: &str = include_str!("openings/eco.txt");

/// The suites of a kind.
pub fn builtins(kind: Kind) -> impl Iterator<Item = &'static BuiltinSuite> {
    BUILTIN_SUITES.iter().filter(move |suite| suite.kind == kind)
}

impl BuiltinSuite {
    /// Whether it goes by that name, whatever its case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.alias.eq_ignore_ascii_case(name)
    }
}

/// The suite of best moves of that name, whatever its case.
#[must_use]
pub fn builtin_suite(name: &str) -> Option<BuiltinSuite> {
    builtins(Kind::Epd).find(|suite| suite.is_named(name)).copied()
}
