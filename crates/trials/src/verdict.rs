//! The four verdicts of a check, in one wording for every trial and every report.

use serde::{Deserialize, Serialize};

/// How a check, a position or a test came out. Ordered from worst to best news.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The rule is broken.
    Fail,
    /// The rule is bent, or keeps only by luck.
    Warn,
    /// Not examined, for a reason that is given.
    Skip,
    /// The rule is kept.
    Pass,
}

impl Verdict {
    /// All verdicts, worst first.
    pub const ALL: [Verdict; 4] = [Verdict::Fail, Verdict::Warn, Verdict::Skip, Verdict::Pass];

    /// The word people read: `pass`, `fail`, `warn` or `skip`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fail => "fail",
            Verdict::Warn => "warn",
            Verdict::Skip => "skip",
            Verdict::Pass => "pass",
        }
    }

    /// A sign beside the word, so that colour is never the only difference.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Verdict::Fail => "✗",
            Verdict::Warn => "!",
            Verdict::Skip => "–",
            Verdict::Pass => "✓",
        }
    }

    /// Pass when `ok`, fail otherwise.
    #[must_use]
    pub fn of(ok: bool) -> Verdict {
        if ok { Verdict::Pass } else { Verdict::Fail }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}
