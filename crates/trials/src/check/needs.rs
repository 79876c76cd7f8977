//! What a check needs the engine to do. Each is found out once; where the engine does not, the
//! check that names it fails, and those that need it are put down to that one.

use super::outcome::{Confirmation, Finding};
use super::positions::SEARCHED;
use super::protocol::best_moves;
use super::script::{Awaited, Script};
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, finish, listen, ready_or_not, search};
use super::{CheckOutcome, CheckSpec, Verdict, find_check};
use dyno_driver::EngineError;
use std::time::{Duration, Instant};

/// Something that a check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// `go depth` ends by itself.
    Depth,
    /// `go nodes` does.
    Nodes,
    /// `go movetime` does.
    Movetime,
    /// `go infinite` goes on.
    Infinite,
    /// Input is read during a search.
    ReadsInput,
    /// `stop` ends a search.
    Stop,
    /// `searchmoves` restricts the search.
    SearchMoves,
}

impl Need {
    /// The check that names it when it is broken.
    pub fn check(self) -> &'static str {
        match self {
            Need::Depth => "protocol.depth",
            Need::Nodes => "time.nodes",
            Need::Movetime => "time.movetime",
            Need::Infinite => "protocol.infinite",
            Need::ReadsInput => "protocol.isready-while-searching",
            Need::Stop => "protocol.stop",
            Need::SearchMoves => "protocol.searchmoves",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Need::Depth => "go depth is not kept",
            Need::Nodes => "go nodes is not kept",
            Need::Movetime => "go movetime does not end the search",
            Need::Infinite => "no search goes on until stop",
            Need::ReadsInput => "input is not read during a search",
            Need::Stop => "stop does not end a search",
            Need::SearchMoves => "searchmoves is ignored",
        }
    }
}

/// What has been found out so far.
#[derive(Debug, Default)]
pub(super) struct Needs(Vec<Probed>);

#[derive(Debug)]
struct Probed {
    need: Need,
    /// What is wrong with it.
    finding: Option<Finding>,
    /// The check that has told it in place of the one that names it.
    told_by: Option<&'static str>,
}

const SECOND: Duration = Duration::from_secs(1);

impl Session<'_> {
    /// The check that names a need as broken, and why. A need is not broken by what was seen once
    /// and could not be shown again.
    pub fn broken(&mut self, need: Need) -> Result<Option<(&'static str, String)>, Stop> {
        let finding = self.probe(need)?;
        let is_shown = |finding: &Finding| finding.confirmation != Confirmation::NotShown;
        Ok(finding.filter(is_shown).map(|_| (need.check(), need.why().to_owned())))
    }

    /// Whether `searchmoves` can be relied on. An engine that fails over it is the business of the
    /// check that names it.
    pub fn keeps_searchmoves(&mut self) -> Result<bool, Stop> {
        match self.broken(Need::SearchMoves) {
            Err(stop) if !stop.is_interrupt() => {
                self.discard_engine();
                Ok(false)
            }
            other => Ok(other?.is_none()),
        }
    }

    /// What is wrong with a need, found out once and shown again at once: half of the card may
    /// hang on it.
    pub fn probe(&mut self, need: Need) -> Result<Option<Finding>, Stop> {
        if let Some(known) = self.needs.0.iter().find(|known| known.need == need) {
            return Ok(known.finding.clone());
        }
        if need == Need::Nodes && !self.engine()?.capabilities().node_limit {
            return Ok(Some(Finding::warn("the protocol knows no limit of nodes")));
        }
        let probed = self.aside(15 * SECOND, |session| match need {
            Need::Depth => session.keeps_depth(),
            Need::Movetime => session.ends_by("go movetime 100", 4 * SECOND),
            Need::Nodes => session.keeps_nodes(),
            Need::Infinite => session.goes_on(),
            Need::ReadsInput => session.reads_input(),
            Need::Stop => session.stops(),
            Need::SearchMoves => session.keeps_to_searchmoves(),
        });
        let mut finding = match probed.map_err(Stop::failure) {
            Ok(finding) => finding,
            // The running check tells of an engine that ends or hangs over it; the others do not
            // ask it again.
            Err(Ok(error)) => {
                let mut finding = self.failure(&error);
                self.discard_engine();
                self.aside(15 * SECOND, |session| session.confirm_finding(&mut finding))?;
                self.needs.0.push(Probed { need, finding: Some(finding), told_by: None });
                return Err(error.into());
            }
            // Nor is one that is too slow for it.
            Err(Err(stop)) => {
                self.needs.0.push(Probed { need, finding: None, told_by: None });
                return Err(stop);
            }
        };
        if let Some(finding) = &mut finding {
            self.aside(15 * SECOND, |session| session.confirm_finding(finding))?;
        }
        if need == Need::Stop && finding.is_none() {
            self.shared.heeds_stop();
        }
        let is_chance = |f: &Finding| f.proof.as_ref().is_some_and(|proof| proof.is_perhaps_chance);
        finding = finding.filter(|f| !(is_chance(f) && f.confirmation == Confirmation::NotShown));
        self.needs.0.push(Probed { need, finding: finding.clone(), told_by: None });
        Ok(finding)
    }

    /// What comes of a check that needs what the engine does not do, if there is such a need. The
    /// check that names it fails; where that one was not asked for, the first that suffers does.
    pub fn unmet(&mut self, check: &CheckSpec) -> Result<Option<CheckOutcome>, Stop> {
        for need in check.needs {
            let Some((id, why)) = self.broken(*need)?.filter(|(id, _)| *id != check.id) else {
                continue;
            };
            let asked_for = find_check(id).is_none_or(|named| !self.plan.leaves_out(named));
            let probed = self.needs.0.iter_mut().find(|probed| probed.need == *need);
            let failed = |probed: &&mut Probed| {
                probed.finding.as_ref().is_some_and(|finding| finding.verdict == Verdict::Fail)
            };
            let Some(probed) = probed.filter(failed).filter(|_| !asked_for) else {
                return Ok(Some(CheckOutcome::because(id, why)));
            };
            return Ok(Some(match (&probed.told_by, &probed.finding) {
                (None, Some(finding)) => {
                    probed.told_by = Some(check.id);
                    CheckOutcome::of(finding.clone())
                }
                (told_by, _) => CheckOutcome::because(told_by.unwrap_or(id), why),
            }));
        }
        Ok(None)
    }

    /// `go depth` ends by itself, after a search.
    fn keeps_depth(&mut self) -> Result<Option<Finding>, Stop> {
        match self.ends_by("go depth 1", 5 * SECOND)? {
            None => self.unsearched("go depth 10"),
            finding => Ok(finding),
        }
    }

    /// A limit with which the engine answers at once and says nothing, though it tells what it
    /// searches when it has a clock.
    fn unsearched(&mut self, go: &str) -> Result<Option<Finding>, Stop> {
        let position = format!("position fen {}", SEARCHED[3]);
        let mut asked = |go| match search(self.engine()?, &position, go, SECOND) {
            Err(Stop::Engine(EngineError::Hung { .. })) => {
                self.discard_engine();
                Ok(None)
            }
            other => other.map(Some),
        };
        let Some(found) = asked(go)?.filter(|found| is_unsearched(found).is_some()) else {
            return Ok(None);
        };
        let tells =
            |found: Search| found.thoughts.iter().any(|t| t.depth.is_some() || t.nodes.is_some());
        if !asked("go wtime 10000 btime 10000")?.is_some_and(tells) {
            return Ok(None);
        }
        let word = go.split_whitespace().nth(1).unwrap_or_default();
        Ok(Some(
            Finding::fail(format!("{go} is answered at once, without a search"))
                .expected("info lines and a move, as with a clock")
                .cause(format!(
                    "{word} is not read, and a go without a limit that is known ends at once"
                ))
                .root(format!("ignores {word}"))
                .of(&found, is_unsearched),
        ))
    }

    /// A search that has to end by itself.
    fn ends_by(&mut self, go: &str, patience: Duration) -> Result<Option<Finding>, Stop> {
        let overran = match search(self.engine()?, "position startpos", go, patience) {
            Ok(found) => found.overran,
            // `stop` did not end it either: what names that is another check.
            Err(Stop::Engine(EngineError::Hung { .. })) => {
                self.discard_engine();
                true
            }
            Err(stop) => return Err(stop),
        };
        if !overran {
            return Ok(None);
        }
        let seconds = patience.as_secs();
        let script = Script::new()
            .send("position startpos")
            .send(go)
            .wait_for(Awaited::BestMove, patience)
            .send("stop")
            .best_move();
        let seen = format!("{go} does not end the search: no bestmove for {seconds} s");
        Ok(Some(
            Finding::fail(seen)
                .expected("a bestmove when the limit is reached")
                .cause("the word after go is not read, so that the search has no limit; or the limit is checked too rarely")
                .shown_by(script, |replay| {
                    replay.last_search()?.overran.then(|| "no bestmove".to_owned())
                })
                .perhaps_chance(),
        ))
    }

    /// Ends a search that has served its purpose. Where `stop` does not, the next question goes to
    /// a new process: the check of `stop` names it.
    fn stop_or_discard(&mut self) -> Result<(), Stop> {
        match stop(self.engine()?) {
            Ok(_) => Ok(()),
            Err(Stop::Engine(EngineError::Hung { .. })) => {
                self.discard_engine();
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// A node limit, small enough for the engine's speed.
    fn keeps_nodes(&mut self) -> Result<Option<Finding>, Stop> {
        let nodes = self.node_limit()?;
        let go = format!("go nodes {nodes}");
        if let Some(finding) = self.ends_by(&go, 5 * SECOND)? {
            return Ok(Some(finding.root("ignores nodes")));
        }
        // Read as another limit, or as none at all, it ends at once.
        let found =
            search(self.engine()?, &format!("position fen {}", SEARCHED[3]), &go, 5 * SECOND)?;
        // One that had to be stopped has not ended by itself; one that took its time has searched
        // more than its last line tells.
        let speed = self.reach()?.speed.unwrap_or(nodes as f64);
        let at_once = Duration::from_secs_f64(0.4 * nodes as f64 / speed.max(1.0));
        let unused = move |search: &Search| {
            let ended = !search.overran && search.own_time() < at_once;
            let used = search.nodes().filter(|_| ended)?;
            (20 * used < nodes).then(|| format!("{go} ends after {used} nodes"))
        };
        let Some(seen) = unused(&found) else { return self.unsearched(MANY_NODES) };
        Ok(Some(
            Finding::fail(seen)
                .expected(format!("a search of about {nodes} nodes"))
                .cause("nodes is not read, and a go without a limit that is known ends at once")
                .root("ignores nodes")
                .of(&found, unused),
        ))
    }

    /// As many nodes as the engine searches in a fifth of a second; a thousand where its speed is
    /// unknown.
    pub fn node_limit(&mut self) -> Result<u64, Stop> {
        let nodes = self.reach()?.speed.map_or(1000.0, |speed| speed / 5.0);
        Ok(nodes.clamp(1.0, 100_000.0) as u64)
    }

    fn goes_on(&mut self) -> Result<Option<Finding>, Stop> {
        let engine = self.engine()?;
        engine.send_line("position startpos\ngo infinite")?;
        // Long enough for a search of a fixed depth: what ends by itself is not ended by `stop`.
        let said = listen(engine, SECOND)?;
        let Some(early) = best_moves(&said).into_iter().next() else {
            self.stop_or_discard()?;
            return Ok(None);
        };
        let script =
            Script::new().send("position startpos").send("go infinite").pause(1000).ready();
        Ok(Some(
            Finding::fail(format!("go infinite ends by itself: {early}"))
                .expected("no bestmove before stop")
                .cause("infinite is not read, or the search ends at a depth of its own")
                .shown_by(script, |replay| {
                    (replay.count("bestmove") > 0).then(|| "bestmove without stop".to_owned())
                }),
        ))
    }

    fn reads_input(&mut self) -> Result<Option<Finding>, Stop> {
        if self.broken(Need::Infinite)?.is_some() {
            return Ok(None);
        }
        let engine = self.engine()?;
        engine.send_line("position startpos\ngo infinite")?;
        listen(engine, Duration::from_millis(100))?;
        let (said, answered) = ready_or_not(engine, 3 * SECOND)?;
        // Input that ends the search has been read.
        if !best_moves(&said).is_empty() {
            self.discard_engine();
            return Ok(None);
        }
        if answered {
            self.stop_or_discard()?;
            return Ok(None);
        }
        let heeds_stop = match stop(self.engine()?) {
            Ok(_) => true,
            Err(Stop::Engine(EngineError::Hung { .. })) => false,
            Err(other) => return Err(other),
        };
        self.discard_engine();
        // It reads, and throws this word away: another check tells so.
        if heeds_stop {
            return Ok(None);
        }
        Ok(Some(
            unanswered_isready(
                "isready is not answered during a search: input is not read while searching",
            )
            .cause("search and input share one thread, or the search looks at the input too rarely")
            .root(DEAF),
        ))
    }

    fn stops(&mut self) -> Result<Option<Finding>, Stop> {
        if self.broken(Need::Infinite)?.is_some() {
            return Ok(None);
        }
        let engine = self.engine()?;
        engine.send_line("position startpos\ngo infinite")?;
        listen(engine, Duration::from_millis(100))?;
        match stop(engine) {
            Ok(_) => return Ok(None),
            Err(Stop::Engine(EngineError::Hung { .. })) => self.discard_engine(),
            Err(other) => return Err(other),
        }
        let script = Script::new()
            .send("position startpos")
            .send("go infinite")
            .pause(100)
            .send("stop")
            .wait_for(Awaited::BestMove, 3 * SECOND);
        Ok(Some(
            Finding::fail("stop does not end the search: no bestmove within 3 s")
                .expected("a bestmove as soon as possible")
                .cause("the stop flag is looked at too rarely or not at all, or input is not read while searching")
                .root(DEAF)
                .shown_by(script, |replay| {
                    replay.silent().map(|what| format!("no {what} after stop"))
                }),
        ))
    }

    /// One move might be the engine's choice anyway; two cannot both be.
    fn keeps_to_searchmoves(&mut self) -> Result<Option<Finding>, Stop> {
        // A process of its own: an engine may keep the restriction.
        let mut engine = self.fresh()?;
        for asked in ["a2a3", "h2h4"] {
            let go = format!("go depth 2 searchmoves {asked}");
            let found = search(&mut engine, "position startpos", &go, 5 * SECOND)?;
            if found.best == asked {
                continue;
            }
            let seen = format!("searchmoves {asked} is ignored: bestmove {}", found.best);
            return Ok(Some(
                Finding::warn(seen)
                    .expected(format!("bestmove {asked}, the only move to search"))
                    .cause("searchmoves is skipped when go is read; filter the root moves by it")
                    .of(&found, move |search| {
                        (search.best != asked).then(|| format!("bestmove {}", search.best))
                    }),
            ));
        }
        Ok(None)
    }
}

/// The cause of everything that waits for `stop` or `isready` during a search.
pub(super) const DEAF: &str = "deaf while searching";

/// More nodes than any engine searches before it says something.
const MANY_NODES: &str = "go nodes 1000000";

/// What is seen of an answer that came too soon for a search, and without a word about one.
fn is_unsearched(search: &Search) -> Option<String> {
    let is_silent = search.thoughts.iter().all(|t| t.depth.is_none() && t.nodes.is_none());
    let is_quick = !search.overran && search.own_time() < Duration::from_millis(50);
    (is_silent && is_quick).then(|| format!("bestmove {} and no info line", search.best))
}

/// No `readyok` while a search goes on.
pub(super) fn unanswered_isready(seen: &str) -> Finding {
    let script = Script::new()
        .send("position startpos")
        .send("go infinite")
        .pause(100)
        .send("isready")
        .wait_for(Awaited::ReadyOk, 3 * SECOND);
    Finding::fail(seen).expected("readyok at once, while the search goes on").shown_by(
        script,
        |replay| {
            let ended = replay.count("bestmove") > 0;
            let silent = replay.silent().filter(|_| !ended);
            silent.map(|what| format!("no {what} during the search"))
        },
    )
}

/// Stops a running search and waits for its answer.
pub(super) fn stop(engine: &mut super::engine::TestedEngine) -> Result<Search, Stop> {
    let began: Instant = engine.send_line("stop")?;
    finish(engine, Search { overran: true, ..Search::default() }, began, 3 * SECOND)
}
