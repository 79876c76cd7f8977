//! What may be said beside `--resume`: what changes how the match is played on, not what it is.

use super::engine_words::entry;
use super::flags;
use super::request::Request;
use super::words::{Flag, Result, fail};
use dyno_tournament::{EngineEntry, Plan};

/// Refuses, by its name, what would make another match of it. The same value as in the plan is accepted.
pub fn check(request: &Request, plan: &Plan) -> Result<()> {
    let json = |plan: &Plan| serde_json::to_value(plan).unwrap_or_default();
    let (asked, planned) = (json(&request.plan), json(plan));
    for flag in flags::all().filter(|flag| request.given.contains(&flag.name)) {
        let differs = |place: &&str| asked.pointer(place) != planned.pointer(place);
        if flag.fixed.as_ref().is_some_and(differs) {
            return refuse(flag.name);
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
