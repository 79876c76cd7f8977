//! A limit holds for the search it comes with: kept in a global that nothing resets, it ends the
//! next one.

use super::Checked;
use super::depths::deepest;
use super::limits::kind;
use super::needs::Need;
use super::outcome::Finding;
use super::positions::SEARCHED;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, search};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(8);

/// What a search that was cut short by an earlier limit is called.
pub(super) const KEPT: &str = "keeps limits";

/// A limit that is over soon, and the search after it, which must not end as soon.
struct Pair {
    first: String,
    then: String,
}

/// Middlegames, so that no search comes to its end early.
const THEN: [&str; 3] = [SEARCHED[3], SEARCHED[1], SEARCHED[7]];

pub(super) fn limits_once(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("pairs of searches");
    for (pair, fen) in pairs(session)?.into_iter().zip(THEN.into_iter().cycle()) {
        if session.time_is_up() {
            break;
        }
        let first = format!("position fen {}", SEARCHED[5]);
        let then = format!("position fen {fen}");
        let mut engine = session.fresh()?;
        let alone = deepest(&search(&mut engine, &then, &pair.then, PATIENCE)?);
        let mut engine = session.fresh()?;
        search(&mut engine, &first, &pair.first, PATIENCE)?;
        let after = search(&mut engine, &then, &pair.then, PATIENCE)?;
        if alone < LEAST {
            continue;
        }
        findings.judge();
        let Some(seen) = cut_short(&after, &pair, alone) else { continue };
        findings.push(
            Finding::fail(seen)
                .expected(format!("depth {alone}, as in a process that was not asked before"))
                .cause(format!(
                    "the {} of the last go is kept in a global and never reset: set all limits anew with every go",
                    kind(&pair.first)
                ))
                .root(KEPT)
                .shown_by(
                    Script::new().search(&first, &pair.first).search(&then, &pair.then),
                    move |replay| cut_short(&replay.last_search()?, &pair, alone),
                ),
        );
    }
    Ok(findings.outcome_or_skip(
        "every limit holds for its own search alone",
        "every search is too shallow to tell whether a limit was kept",
    ))
}

/// A search that ends below this tells nothing.
const LEAST: u32 = 4;

fn pairs(session: &mut Session<'_>) -> Result<Vec<Pair>, Stop> {
    let deep = session.depth_within(250)?.unwrap_or(0);
    let mut pairs = Vec::new();
    let mut add = |first: &str, then: &str| {
        pairs.push(Pair { first: first.to_owned(), then: then.to_owned() });
    };
    let by_depth = format!("go depth {deep}");
    if session.broken(Need::Movetime)?.is_none() {
        add("go depth 1", "go movetime 400");
        add("go movetime 10", &by_depth);
    }
    if session.broken(Need::Nodes)?.is_none() {
        add("go nodes 50", &by_depth);
    }
    add("go wtime 100 btime 100", &by_depth);
    Ok(pairs)
}

/// A search that was cut short. One by time may come less far on a busy machine, but further than
/// the first depth; one by depth may fail to tell its last.
fn cut_short(found: &Search, pair: &Pair, alone: u32) -> Option<String> {
    let reached = deepest(found);
    let is_short = match pair.then.starts_with("go depth") {
        true => reached + 2 <= alone,
        false => reached <= 1,
    };
    (is_short && !found.overran).then(|| {
        format!("`{}` ends at depth {reached} after `{}` instead of {alone}", pair.then, pair.first)
    })
}
