//! What a check is: its name, its group, its guide, and its place in the examination.

use super::Checked;
use super::needs::Need;
use super::session::Session;

/// What belongs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Group {
    Startup,
    Protocol,
    Legality,
    Identity,
    Consistency,
    Tactics,
    Time,
    Stability,
    Speed,
}

impl Group {
    /// All groups, in the order of the examination.
    pub const ALL: [Group; 9] = [
        Group::Startup,
        Group::Protocol,
        Group::Legality,
        Group::Identity,
        Group::Consistency,
        Group::Tactics,
        Group::Time,
        Group::Stability,
        Group::Speed,
    ];

    /// The name on the command line and in ids.
    pub fn name(self) -> &'static str {
        match self {
            Group::Startup => "startup",
            Group::Protocol => "protocol",
            Group::Legality => "legality",
            Group::Identity => "hash",
            Group::Consistency => "search",
            Group::Tactics => "tactics",
            Group::Time => "time",
            Group::Stability => "stability",
            Group::Speed => "speed",
        }
    }

    /// The heading on the card.
    pub fn title(self) -> &'static str {
        match self {
            Group::Startup => "Start-up and shut-down",
            Group::Protocol => "Protocol",
            Group::Legality => "Legality",
            Group::Identity => "Hash and position",
            Group::Consistency => "Search consistency",
            Group::Tactics => "Tactics",
            Group::Time => "Time",
            Group::Stability => "Stability",
            Group::Speed => "Speed",
        }
    }
}

/// What the guide says about a check.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// The rule.
    pub rule: &'static str,
    /// Why engines break it.
    pub causes: &'static str,
    /// What to do.
    pub fix: &'static str,
}

type Run = fn(&mut Session<'_>) -> Checked;

/// One check.
pub struct CheckSpec {
    /// Its stable name, `group.what`.
    pub id: &'static str,
    /// Where it belongs.
    pub group: Group,
    /// The rule in a few words.
    pub title: &'static str,
    /// What the guide says.
    pub guide: Guide,
    /// What it needs the engine to do: where another check has found that it does not, this one
    /// is put down to that.
    pub(super) needs: &'static [Need],
    /// Its share of the time, in seconds of the quick profile.
    pub(super) share: f64,
    pub(super) run: Run,
}

/// The share of a check that asks for none.
pub(super) const SHARE: f64 = 2.0;

impl CheckSpec {
    /// Whether a name from the command line means this check or its group.
    pub fn is_named(&self, name: &str) -> bool {
        name == self.id
            || name == self.group.name()
            || (name.ends_with('.') && self.id.starts_with(name))
    }
}

/// The checks that ask nothing of an engine but moves, and so fit XBoard, too.
pub(super) const FIT_XBOARD: &[&str] = &[
    "startup.handshake",
    "startup.quit",
    "startup.end-of-input",
    "legality.special",
    "legality.random",
    "tactics.wac",
    "tactics.mates",
    "time.movetime",
    "time.fast-games",
    "stability.self-play",
    "stability.memory",
    "speed.nps",
];

impl CheckSpec {
    pub(super) fn fits_xboard(&self) -> bool {
        FIT_XBOARD.contains(&self.id)
    }
}

/// The checks that name what others suffer from, and those that must not be left out; they come
/// first.
pub(super) const CAUSES: &[&str] = &[
    "startup.handshake",
    "protocol.depth",
    "stability.many-searches",
    "protocol.infinite",
    "protocol.isready-while-searching",
    "protocol.stop",
    "time.nodes",
    "protocol.limits-once",
    "protocol.searchmoves",
    // A lost sign is never left for want of time.
    "search.point-of-view",
    "tactics.captures",
];

/// The checks that take what time is left: those that need a new process for every question, so
/// that an engine which is slow to start is asked for its chess first, values that no GUI sends,
/// and many samples of what others look at before.
pub(super) const LAST: &[&str] = &[
    "startup.quit",
    "startup.quit-while-searching",
    "startup.end-of-input",
    "startup.leftovers",
    "protocol.option-changes",
    "protocol.unknown-commands",
    "protocol.position",
    "protocol.odd-limits",
    "protocol.option-values",
    "legality.random",
    "stability.memory",
    "stability.new-games",
    "stability.hostile",
    "time.fast-games",
    "stability.self-play",
    "speed.nps",
    "speed.time-to-depth",
];

impl CheckSpec {
    /// Its place in the examination: causes first, then the catalogue's order, then what can wait.
    pub(super) fn turn(&self) -> usize {
        let cause = CAUSES.iter().position(|id| *id == self.id);
        let last = LAST.iter().position(|id| *id == self.id);
        cause.or(last.map(|place| 1000 + place)).unwrap_or(500)
    }
}

impl std::fmt::Debug for CheckSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CheckSpec").field(&self.id).finish()
    }
}
