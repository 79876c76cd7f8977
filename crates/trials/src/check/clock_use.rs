//! How the time on the clock is used: whose clock it is, whether it is used at all, and what is
//! kept back.

use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::SEARCHED;
use super::protocol::best_moves;
use super::replay::Replay;
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::timing::{BLACK, WHITE};
use super::transcript::{Search, finish, listen, search, until_ready};
use dyno_uci::OptionKind;
use std::time::Duration;

fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

/// Clocks with plenty of time, the first as in a game, the last as in one by correspondence.
const PLENTY: [(&str, u64); 2] = [("two minutes", 120_000), ("two weeks", 1_209_600_000)];

/// A move that comes sooner was not thought about.
const AT_ONCE: Duration = Duration::from_millis(100);

/// With plenty of time on its clock an engine thinks, and does not answer at once.
pub(super) fn plenty(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    if session.broken(Need::Stop)?.is_some() {
        return Ok(());
    }
    let mut thinks = false;
    for (name, left) in PLENTY {
        let go = format!("go wtime {left} btime {left}");
        let mut quick = 0;
        for fen in [SEARCHED[3], SEARCHED[7]] {
            let engine = session.engine()?;
            engine.new_game()?;
            until_ready(engine, Duration::from_secs(5))?;
            let began = engine.send_line(&format!("position fen {fen}\n{go}"))?;
            let early = best_moves(&listen(engine, AT_ONCE)?);
            if early.is_empty() {
                let running = Search { overran: true, ..Search::default() };
                engine.send_line("stop")?;
                finish(engine, running, began, Duration::from_secs(4))?;
            }
            quick += usize::from(!early.is_empty());
        }
        findings.judge();
        if quick == 2 {
            findings.push(hardly_thinks(name, &go, thinks));
        }
        thinks |= quick == 0;
    }
    Ok(())
}

/// The finding, where an engine answers at once; less time may have made it think.
fn hardly_thinks(name: &str, go: &str, thinks_with_less: bool) -> Finding {
    let seen = format!("answers within {:.0} ms with {name} on its clock", ms(AT_ONCE));
    let (finding, cause) = match thinks_with_less {
        true => (
            Finding::fail(format!("{seen}, and thinks with two minutes")),
            "the time overflows 32 bits, at the latest where it is multiplied",
        ),
        false => (
            Finding::warn(seen),
            "the time is divided twice or taken for seconds, or a depth of its own ends the search",
        ),
    };
    finding
        .expected("a good part of a second at least")
        .cause(cause)
        .root("clock hardly used")
        .shown_by(Script::of_search(&format!("position fen {}", SEARCHED[3]), go), |replay| {
            let last = replay.last_search()?;
            (!last.overran && last.elapsed < AT_ONCE).then(|| format!("{:.0} ms", ms(last.elapsed)))
        })
        .every_time()
}

/// Two clocks that differ in whose the plenty is: with its own, an engine thinks longer.
struct Whose {
    what: &'static str,
    /// What White has, what Black has.
    whites: &'static str,
    blacks: &'static str,
}

const WHOSE: [Whose; 2] = [
    Whose {
        what: "increment",
        whites: "go wtime 1500 btime 1500 winc 700 binc 0",
        blacks: "go wtime 1500 btime 1500 winc 0 binc 700",
    },
    Whose { what: "clock", whites: "go wtime 8000 btime 400", blacks: "go wtime 400 btime 8000" },
];

const PATIENCE: Duration = Duration::from_secs(6);

/// An engine that looks at the opponent's clock or increment may still keep within its own: then
/// it thinks longer the less it has.
pub(super) fn whose(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    for Whose { what, whites, blacks } in &WHOSE {
        for (side, own, other) in [(WHITE, whites, blacks), (BLACK, blacks, whites)] {
            if session.time_is_up() {
                return Ok(());
            }
            let position = format!("position fen {side}");
            let mut used = Vec::new();
            for go in [own, other] {
                let engine = session.engine()?;
                engine.new_game()?;
                used.push(search(engine, &position, go, PATIENCE)?.elapsed);
            }
            findings.judge();
            if !is_longer(used[1], used[0]) {
                continue;
            }
            let script =
                Script::new().new_game().search(&position, own).new_game().search(&position, other);
            findings.push(
                Finding::fail(format!(
                    "thinks {:.0} ms with `{other}`, and {:.0} ms with `{own}`, though the {what} is its own there",
                    ms(used[1]), ms(used[0])
                ))
                .expected("more time for a move the more the side to move has")
                .cause(format!("the opponent's {what} is read instead of the own one"))
                .root(format!("other {what}"))
                .shown_by(script, |replay| {
                    let used: Vec<Duration> = replay.searches().iter().map(|s| s.elapsed).collect();
                    let [.., own, other] = used[..] else { return None };
                    is_longer(other, own).then(|| format!("{:.0} ms, {:.0} ms", ms(own), ms(other)))
                })
                .every_time(),
            );
        }
    }
    Ok(())
}

/// A word of `go` that gives more time for the move, beside the same clock without it.
const PROMISES: [(&str, &str); 2] = [
    ("an increment", "go wtime 1500 btime 1500 winc 800 binc 800"),
    ("movestogo", "go wtime 1500 btime 1500 movestogo 2"),
];
const NOTHING_PROMISED: &str = "go wtime 1500 btime 1500";
/// A clock on which any engine that looks at its time thinks longer.
const MUCH_MORE: &str = "go wtime 20000 btime 20000";

/// Time that is promised is used: an engine that does not read the word thinks as long without it.
pub(super) fn promised(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    if session.time_is_up() {
        return Ok(());
    }
    let position = format!("position fen {WHITE}");
    let mut used = |go: &str| -> Result<Duration, Stop> {
        let engine = session.engine()?;
        engine.new_game()?;
        Ok(search(engine, &position, go, PATIENCE)?.own_time())
    };
    let without = used(NOTHING_PROMISED)?;
    if !is_more(used(MUCH_MORE)?, without) {
        return Ok(());
    }
    for (what, with) in PROMISES {
        findings.judge();
        let took = used(with)?;
        if is_more(took, without) {
            continue;
        }
        let script = Script::new()
            .new_game()
            .search(&position, NOTHING_PROMISED)
            .new_game()
            .search(&position, with);
        findings.push(
            Finding::warn(format!(
                "thinks {:.0} ms with `{with}`, and {:.0} ms without {what}",
                ms(took),
                ms(without)
            ))
            .expected(format!("more time for a move with {what} than without"))
            .cause(format!("{what} is not read, or does not enter into the time for a move"))
            .root(format!("{what} unused"))
            .shown_by(script, |replay| {
                let used: Vec<Duration> = replay.searches().iter().map(|s| s.elapsed).collect();
                let [.., without, with] = used[..] else { return None };
                (!is_more(with, without))
                    .then(|| format!("{:.0} ms, {:.0} ms", ms(without), ms(with)))
            })
            .every_time(),
        );
    }
    Ok(())
}

/// Single searches vary by a factor of two; the promised time is worth a factor of five or more.
fn is_more(this: Duration, that: Duration) -> bool {
    this > that.mul_f64(2.5) + Duration::from_millis(15)
}

fn is_longer(this: Duration, that: Duration) -> bool {
    this > 2 * that + Duration::from_millis(200)
}

/// A move that comes so near to the end of the clock comes too late now and then.
const NEAR: f64 = 2.0;

/// How near to the end of the clock a move came that had all of it to itself, if very near.
pub(super) fn keeps_no_margin(found: &Search) -> Option<String> {
    let left = super::overtime::time_limit(found.asked.first()?, found.asked.get(1)?)?;
    let margin = ms(left) - ms(found.own_time());
    (margin < NEAR && !found.overran).then(|| format!("{margin:.1} ms are left"))
}

/// The last move before the time control takes all there is.
pub(super) fn no_margin(found: &Search) -> Finding {
    Finding::warn(format!(
        "{} of the clock when the last move before the time control is sent",
        keeps_no_margin(found).unwrap_or_default()
    ))
    .expected("some ten milliseconds are kept back for the way to the GUI")
    .cause("no overhead is subtracted where movestogo is 1, or from the clock at all")
    .root("no margin")
    .of(found, keeps_no_margin)
    .every_time()
}

/// An option that keeps time back has to do so.
pub(super) fn overhead(session: &mut Session<'_>, findings: &Findings) -> Result<(), Stop> {
    let options = session.engine()?.options();
    let found = options.iter().find(|o| o.name.to_ascii_lowercase().contains("overhead")).cloned();
    let Some(option) = found else { return Ok(()) };
    let OptionKind::Spin { max, .. } = option.kind else { return Ok(()) };
    let kept = max.min(800);
    if kept < 400 || session.time_is_up() {
        return Ok(());
    }
    let left = kept + 200;
    let set = format!("setoption name {} value {kept}", option.name);
    let go = format!("go wtime {left} btime {left} movestogo 1");
    let position = format!("position fen {WHITE}");
    let mut engine = session.fresh()?;
    engine.send_line(&set)?;
    until_ready(&mut engine, Duration::from_secs(5))?;
    let used = search(&mut engine, &position, &go, PATIENCE)?.elapsed;
    findings.judge();
    // Half of what was to be kept is more than any iteration takes beyond its time.
    let most = Duration::from_millis((left - kept / 2).unsigned_abs());
    if used > most {
        let script = Script::new().ask(&set).search(&position, &go);
        findings.push(
            Finding::fail(format!("`{set}` has no effect: {:.0} of {left} ms are used", ms(used)))
                .expected(format!("a move within {} ms", left - kept))
                .cause("the option is read, but not subtracted from the time for a move")
                .root("overhead ignored")
                .shown_by(script, move |replay: &Replay| {
                    let used = replay.last_search()?.elapsed;
                    (used > most).then(|| format!("{:.0} ms", ms(used)))
                })
                .every_time(),
        );
    }
    Ok(())
}
