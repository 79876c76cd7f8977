//! What may be said beside `--resume`: what changes how the match is played on, not what it is.

use super::engine_words::entry;
use super::request::Request;
use super::words::{Flag, Result, fail};
use dyno_tournament::{EngineEntry, Plan};

/// Flags that decide what a match is, and where their values stand in its plan.
const FIXED: [(&str, &str); 25] = [
    ("games", "/tournament/games"),
    ("repeat", "/tournament/repeat"),
    ("noswap", "/tournament/swap"),
    ("reverse", "/tournament/reverse"),
    ("seeds", "/tournament/seeds"),
    ("tournament", "/tournament/format"),
    ("wait", "/tournament/wait_ms"),
    ("variant", "/variant"),
    ("srand", "/seed"),
    ("seed", "/seed"),
    ("openings", "/openings"),
    ("sprt", "/sprt"),
    ("draw", "/adjudication/draw"),
    ("resign", "/adjudication/resign"),
    ("maxmoves", "/adjudication/maxmoves"),
    ("tb", "/adjudication/tb"),
    ("tbpieces", "/adjudication/tbpieces"),
    ("tbignore50", "/adjudication/tbignore50"),
    ("tbadjudicate", "/adjudication/tbadjudicate"),
    ("check-mate-pvs", "/check_mate_pvs"),
    ("pgnout", "/output/pgn"),
    ("epdout", "/output/epd"),
    ("livepgn", "/output/livepgn"),
    ("event", "/event"),
    ("site", "/site"),
];

/// Refuses, by its name, what would make another match of it. The same as in the plan is no change.
pub fn check(request: &Request, plan: &Plan) -> Result<()> {
    let json = |plan: &Plan| serde_json::to_value(plan).unwrap_or_default();
    let (asked, planned) = (json(&request.plan), json(plan));
    for (flag, place) in FIXED {
        let given = request.given.iter().any(|name| name == flag);
        if given && asked.pointer(place) != planned.pointer(place) {
            return refuse(flag);
        }
    }
    let each = Flag { name: "each".into(), words: request.each_words.clone() };
    if request.engine_words.is_empty() {
        for engine in &plan.engines {
            if entry(engine.clone(), each.settings())? != *engine {
                return refuse("each");
            }
        }
        return Ok(());
    }
    let mut asked = Plan::default();
    for words in &request.engine_words {
        let own = Flag { name: "engine".into(), words: words.clone() };
        let engine = entry(EngineEntry::default(), each.settings().chain(own.settings()))?;
        asked.engines.push(engine);
    }
    asked.name_engines();
    if asked.engines == plan.engines { Ok(()) } else { refuse("engine") }
}

fn refuse<T>(flag: &str) -> Result<T> {
    fail(format!(
        "-{flag} is not what the journal says: it would make another match of it; leave it out to go \
         on, or start a new match (-concurrency, -rounds and what is shown can change)"
    ))
}
