//! Whether the table takes the memory that the option Hash gives it: at the start, later, and no
//! more than once.

use super::engine::Memory;
use super::outcome::{Finding, Findings, OUT_OF_TIME};
use super::positions::SEARCHED;
use super::replay::Replay;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::{CheckOutcome, Checked};
use dyno_uci::OptionKind;

/// Two sizes of the table, in megabytes.
#[derive(Clone, Copy)]
struct Sizes {
    small: i64,
    large: i64,
}

impl Sizes {
    /// Whether the memory with the large table is more than that with the small one, as it should
    /// be. Some round a size down to a power of two; some touch the table only as it fills, so
    /// that it shows in what was asked for, where a heap for each thread may show as well.
    fn follows(self, with_small: &Memory, with_large: &Memory) -> bool {
        let step = (self.large - self.small) as f64;
        with_large.resident > with_small.resident + 0.25 * step
            || with_large.writable > with_small.writable + 0.25 * step
            || with_large.mapped > with_small.mapped + 0.6 * step
    }
}

pub(super) fn hash_honoured(session: &mut Session<'_>) -> Checked {
    let Some(option) = session.engine()?.option("Hash").cloned() else {
        return Ok(CheckOutcome::skip("the engine does not declare the option Hash"));
    };
    let OptionKind::Spin { min, max, .. } = option.kind else {
        return Ok(CheckOutcome::of(Finding::fail("the option Hash is not a spin")));
    };
    let sizes = Sizes { small: min.max(1), large: 128.min(max) };
    let Sizes { small, large } = sizes;
    if large < small + 32 {
        return Ok(CheckOutcome::skip(format!(
            "Hash goes from {min} to {max}: too narrow to compare"
        )));
    }
    let findings = session.findings("table sizes");
    let mut held = Vec::new();
    for megabytes in [small, large] {
        // One size says nothing.
        let Some(replay) = carried_out(session, &sized(megabytes))? else {
            return Ok(CheckOutcome::skip(OUT_OF_TIME));
        };
        if let Some(how) = replay.exited() {
            return Ok(CheckOutcome::of(
                Finding::fail(format!("with Hash {megabytes}: {how}"))
                    .expected("a table of the size asked for")
                    .cause("the new table is not there yet when the search begins")
                    .root("ends setoption name Hash")
                    .shown_by(sized(megabytes), |replay| replay.exited().map(str::to_owned)),
            ));
        }
        let Some((_, after)) = replay.memory else {
            return Ok(CheckOutcome::skip("memory cannot be read on this system"));
        };
        held.push(after);
    }
    findings.judge_many(held.len());
    let (with_small, with_large) = (held[0], held[1]);
    let text = format!(
        "{:.0} MB with Hash {small}, {:.0} MB with Hash {large}",
        with_small.resident, with_large.resident
    );
    let most = large as f64 + with_small.resident + 128.0;
    if with_large.resident > most {
        findings.push(
            Finding::fail(format!("{text}: far more than asked for"))
                .expected(format!("some {large} MB"))
                .cause("megabytes are mistaken for entries, or the old table is kept beside the new one")
                .root("too much hash")
                .shown_by(sized(large), move |replay| {
                    let held = replay.memory?.1.resident;
                    (held > most).then(|| format!("{held:.0} MB"))
                }),
        );
    } else if !sizes.follows(&with_small, &with_large) {
        if !session.can_fill(sizes)? {
            return Ok(CheckOutcome::skip(format!("{text}: too slow to fill a larger table")));
        }
        findings.push(
            Finding::warn(format!("{text}: the memory used does not follow Hash"))
                .expected("memory that follows the option")
                .cause("the option is read but the table never resized, or not beyond a size of its own")
                .root("hash ignored")
                .shown_by(sized(large), move |replay| {
                    let held = replay.memory?.1;
                    (!sizes.follows(&with_small, &held)).then(|| format!("{:.0} MB", held.resident))
                }),
        );
    } else {
        set_later(session, &findings, sizes, with_small)?;
        set_often(session, &findings, with_small)?;
    }
    Ok(findings.outcome(text))
}

impl Session<'_> {
    /// Whether a search touches enough pages for a table that is filled lazily to show its size.
    fn can_fill(&mut self, sizes: Sizes) -> Result<bool, Stop> {
        let nodes = self.reach()?.speed.map(|speed| speed * SEARCH_MS as f64 / 1000.0);
        let step = (sizes.large - sizes.small) as f64 * 1_048_576.0;
        Ok(nodes.is_none_or(|nodes| nodes * PAGE > 0.5 * step))
    }
}

/// How long a table is used, in milliseconds.
const SEARCH_MS: u64 = 300;
/// What a store into a table touches first, in bytes.
const PAGE: f64 = 4096.0;

fn set(megabytes: i64) -> String {
    format!("setoption name Hash value {megabytes}")
}

/// A table of this size, in use.
fn sized(megabytes: i64) -> Script {
    let position = format!("position fen {}", SEARCHED[1]);
    Script::new()
        .send(set(megabytes))
        .new_game()
        .search(&position, &format!("go movetime {SEARCH_MS}"))
}

/// What comes of a script, or nothing where there is no time for it.
fn carried_out(session: &mut Session<'_>, script: &Script) -> Result<Option<Replay>, Stop> {
    match session.fresh().and_then(|engine| Replay::of(engine, script)) {
        Err(Stop::OutOfTime) => Ok(None),
        other => other.map(Some),
    }
}

/// The size is changed when the table has been in use.
fn set_later(
    session: &mut Session<'_>,
    findings: &Findings,
    sizes: Sizes,
    with_small: Memory,
) -> Result<(), Stop> {
    let script = sized(sizes.small).and(sized(sizes.large));
    let too_small = move |replay: &Replay| {
        let held = replay.memory?.1;
        (!sizes.follows(&with_small, &held)).then(|| format!("{:.0} MB", held.resident))
    };
    let Some(replay) = carried_out(session, &script)? else { return Ok(()) };
    findings.judge();
    if let Some(held) = too_small(&replay) {
        let Sizes { small, large } = sizes;
        findings.push(
            Finding::warn(format!("{held} when Hash goes from {small} to {large} after a search"))
                .expected("as much as when it is set at the start")
                .cause("the table is allocated once, with the first search or the first isready")
                .root("hash set once")
                .shown_by(script, too_small),
        );
    }
    Ok(())
}

/// How often the size is changed, and to what.
const CHANGES: usize = 8;
const TO_AND_FRO: [i64; 2] = [64, 16];
/// How many times longer the second run is, where the first has left much memory in use.
const LONGER: usize = 3;

/// The size is changed again and again: what is never freed adds up.
fn set_often(
    session: &mut Session<'_>,
    findings: &Findings,
    with_small: Memory,
) -> Result<(), Stop> {
    let all: i64 = TO_AND_FRO.iter().sum::<i64>() * CHANGES as i64;
    let script = |times: usize| {
        let change = TO_AND_FRO.into_iter().fold(Script::new(), |script, mb| script.ask(&set(mb)));
        Script::new().repeat(times * CHANGES, change)
    };
    let too_much = |times: usize| {
        let most = with_small.writable + times as f64 * all as f64 / 2.0;
        move |replay: &Replay| {
            let held = replay.memory?.1;
            (held.writable > most).then(|| format!("{:.0} MB", held.writable))
        }
    };
    let Some(replay) = carried_out(session, &script(1))? else { return Ok(()) };
    findings.judge();
    if too_much(1)(&replay).is_none() {
        return Ok(());
    }
    // A garbage collector keeps some of it for a while, a leak all of it: it goes on growing.
    let (script, too_much) = (script(LONGER), too_much(LONGER));
    let seen =
        move |replay: &Replay| replay.exited().map(str::to_owned).or_else(|| too_much(replay));
    let Some(replay) = carried_out(session, &script)? else {
        let text = format!(
            "much memory is held after Hash has changed {CHANGES} times; there was no time to see \
             whether it goes on growing"
        );
        findings.push(Finding::warn(text).root("leaks tables"));
        return Ok(());
    };
    if let Some(held) = seen(&replay) {
        let ([large, small], changes) = (TO_AND_FRO, LONGER * CHANGES);
        findings.push(
            Finding::fail(format!(
                "{held} after Hash has changed between {large} and {small} {changes} times"
            ))
            .expected(format!("some {small} MB, and what the engine needs besides"))
            .cause("the old table is never freed when a new one is allocated")
            .root("leaks tables")
            .shown_by(script, seen),
        );
    }
    Ok(())
}
