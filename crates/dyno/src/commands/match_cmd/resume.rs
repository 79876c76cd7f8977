//! What may be said beside `--resume`: what changes how the match is played on, not what it is.

use super::engine_words::entry;
use super::flags::{self, Resumed, Row};
use super::request::Request;
use super::words::{Flag, Result, fail};
use dyno_tournament::{EngineEntry, Plan};

/// Refuses, by its name, what would make another match of it. The same value as in the plan is accepted.
pub fn check(request: &Request, plan: &Plan) -> Result<()> {
    let json = |plan: &Plan| serde_json::to_value(plan).unwrap_or_default();
    let (asked, planned) = (json(&request.plan), json(plan));
    for flag in given(request) {
        match flag.resumed {
            Resumed::Same(place) if asked.pointer(place) != planned.pointer(place) => {
                return refuse(flag.name);
            }
            Resumed::Refused => {
                return fail(format!("-{} belongs to a new match, not to --resume", flag.name));
            }
            Resumed::Same(_) | Resumed::Taken(_) | Resumed::Acts => {}
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

/// Takes over what can change: how the machine is used, what is written and shown, more rounds.
pub fn adjust(plan: &mut Plan, request: &Request) {
    for flag in given(request) {
        if let Resumed::Taken(take) = flag.resumed {
            take(plan, request.plan.clone());
        }
    }
}

fn given(request: &Request) -> impl Iterator<Item = &'static Row> {
    flags::all().filter(|flag| request.given.contains(&flag.name))
}

fn refuse<T>(flag: &str) -> Result<T> {
    fail(format!(
        "-{flag} is not what the journal says: it would make another match of it; leave it out to go \
         on, or start a new match (-concurrency, -rounds, files and what is shown can change)"
    ))
}
