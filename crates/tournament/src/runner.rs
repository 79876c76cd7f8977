//! Carrying out a plan: boards play, one thread collects, the journal remembers.

use super::adjudication::Rules;
use super::advice::{self, Advice};
use super::check::PlanError;
use super::control::Control;
use super::engine_slot;
use super::event::Event;
use super::evidence::Evidence;
use super::journal::{Header, Home, Journal, JournalError, SCHEMA};
use super::live::LiveBoard;
use super::openings::{Book, BookError, Openings, PersonalBook};
use super::outputs::{OutputError, Outputs};
use super::plan::{Plan, Variant};
use super::play::House;
use super::record::{FaultKind, GameRecord};
use super::schedule::Schedule;
use super::standings::Standings;
use super::summary::{self, Ending, GameFault, SprtSummary, Summary};
use super::tablebase::{Tablebase, TablebaseError};
use super::workers::{Desk, Hall, Message, work};
use crossbeam_channel::bounded;
use dyno_driver::{Engine, EngineError, EngineIdentity, Log, RunHeader};
use dyno_stats::Verdict;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Why a match could not be played, or not to the end. Finished games are in the journal.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Tables(#[from] TablebaseError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a run needs beyond its plan.
pub struct Setup<'a> {
    pub control: &'a Control,
    /// Where the journal is created; none is kept without.
    pub journal: Option<PathBuf>,
    /// Transcript of everything said.
    pub log: Option<Log>,
}

/// How often the collector looks up when nothing happens.
const GLANCE: Duration = Duration::from_millis(50);
/// Reports that may wait to be collected: enough for a hiccup, little enough for the memory.
const BACKLOG: usize = 32;

/// Plays a match.
pub fn run(
    plan: &Plan,
    setup: Setup<'_>,
    sink: &mut dyn FnMut(&Event<'_>),
) -> Result<Summary, MatchError> {
    plan.check()?;
    let openings = load_openings(plan)?;
    let (ids, warnings) = meet_engines(plan)?;
    let outputs = Outputs::open(plan)?;
    let (pgn_start, epd_start) = outputs.starts();
    let journal = match &setup.journal {
        None => None,
        Some(path) => {
            let header = Header {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                created: now_ms(),
                plan: plan.clone(),
                engines: ids.clone(),
                pgn_start,
                epd_start,
                home: Home::here(path),
            };
            Some(Journal::create(path, &header)?)
        }
    };
    let collector = Collector::new(plan, ids, journal, outputs);
    collector.play(Schedule::new(plan), openings, warnings, &setup, sink)
}

/// Goes on with the match of a journal: exactly the games it still owes. `adjust` may change what
/// does not touch the games, such as the concurrency.
pub fn resume(
    path: &Path,
    adjust: impl FnOnce(&mut Plan),
    setup: Setup<'_>,
    sink: &mut dyn FnMut(&Event<'_>),
) -> Result<Summary, MatchError> {
    let (mut journal, header) = Journal::reopen(path)?;
    let mut plan = header.plan.clone();
    adjust(&mut plan);
    plan.check()?;
    let openings = load_openings(&plan)?;
    let (ids, mut warnings) = meet_engines(&plan)?;
    let mut schedule = Schedule::new(&plan);
    let mut outputs = Outputs::open(&plan)?;
    outputs.rewind(header.pgn_start, header.epd_start)?;
    let mut standings = Standings::new(&plan);
    let (mut fault, mut strangers) = (None, 0);
    let damaged = journal.replay(|record| {
        if !schedule.owes(&record.slot) {
            strangers += 1;
            return;
        }
        schedule.record(&record.slot, record.result.points);
        standings.add(&record, &|number| schedule.partner(number));
        fault = fault.take().or(outputs.add(&record, &plan).err());
    })?;
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let mut warn =
        |message: String| warnings.push(Advice { code: "journal-damaged".into(), message });
    for (line, reason) in &damaged {
        warn(format!("{}:{line}: unreadable, its game is played again: {reason}", path.display()));
    }
    if strangers > 0 {
        warn(format!("{}: {strangers} games are there twice or not of this match", path.display()));
    }
    warnings.extend(changed_engines(&header.engines, &ids));
    let mut collector = Collector::new(&plan, ids, Some(journal), outputs);
    collector.standings = standings;
    collector.play(schedule, openings, warnings, &setup, sink)
}

fn load_openings(plan: &Plan) -> Result<(Openings, Vec<Advice>), MatchError> {
    let book = Book::load(plan)?;
    if let Some(start) = plan.openings.start
        && start > book.len() as u64
    {
        return Err(PlanError::Start { start, length: book.len() }.into());
    }
    let mut warnings = Vec::new();
    if book.skipped_count > 0 {
        let named: Vec<&str> = book.skipped.iter().take(3).map(String::as_str).collect();
        let message = format!(
            "{} of {} openings were skipped: {}{}",
            book.skipped_count,
            book.skipped_count + book.len() as u64,
            named.join("; "),
            if book.skipped_count > 3 { "; …" } else { "" },
        );
        warnings.push(Advice { code: "openings-skipped".into(), message });
    }
    Ok((Openings::new(book, &plan.openings, plan.seed), warnings))
}

/// Starts every engine once: to know that it runs, who it is, and what to warn about.
fn meet_engines(plan: &Plan) -> Result<(Vec<EngineIdentity>, Vec<Advice>), MatchError> {
    let mut ids = Vec::new();
    let mut warnings = Vec::new();
    for (index, entry) in plan.engines.iter().enumerate() {
        let spec = entry.spec_for(plan.variant);
        let settings = engine_slot::settings(&plan.machine, None, None, None, Vec::new());
        let engine = Engine::start(&spec, &settings)?;
        if entry.limits.nodes.is_some() && !engine.capabilities().node_limit {
            return Err(PlanError::XboardNodes(entry.name().to_owned()).into());
        }
        warnings.extend(advice::of_engine(&engine, plan, index));
        ids.push(EngineIdentity { name: entry.name().to_owned(), ..engine.record() });
        engine.quit();
    }
    Ok((ids, warnings))
}

fn changed_engines(then: &[EngineIdentity], now: &[EngineIdentity]) -> Vec<Advice> {
    let changed = then.iter().zip(now).filter(|(a, b)| a.file_hash != b.file_hash);
    let warn = |(a, _): (&EngineIdentity, _)| Advice {
        code: "engine-changed".into(),
        message: format!(
            "{}: the program is not the one that played the first games of this match",
            a.name
        ),
    };
    changed.map(warn).collect()
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// The one who listens to all boards and writes everything down.
struct Collector<'p> {
    plan: &'p Plan,
    ids: Vec<EngineIdentity>,
    journal: Option<Journal>,
    outputs: Outputs,
    standings: Standings,
    advice: Vec<Advice>,
    ending: Ending,
    /// The user has been told that the running games are being finished.
    winding_down: bool,
}

impl<'p> Collector<'p> {
    fn new(
        plan: &'p Plan,
        ids: Vec<EngineIdentity>,
        journal: Option<Journal>,
        outputs: Outputs,
    ) -> Self {
        let standings = Standings::new(plan);
        let (advice, ending) = (Vec::new(), Ending::Completed);
        Self { plan, ids, journal, outputs, standings, advice, ending, winding_down: false }
    }

    fn play(
        mut self,
        schedule: Schedule,
        (openings, skipped): (Openings, Vec<Advice>),
        warnings: Vec<Advice>,
        setup: &Setup<'_>,
        sink: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Summary, MatchError> {
        let began = Instant::now();
        let plan = self.plan.clone();
        let seed = Some(plan.seed);
        let mut header = RunHeader::begin(summary::KIND, plan).seed(seed);
        let total = schedule.total();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let journal = self.journal.as_ref().map(|j| j.path().to_owned());
        sink(&Event::MatchStarted {
            engines: &self.ids,
            total,
            done: self.standings.games,
            openings: openings.len(),
            seed: self.plan.seed,
            journal: journal.as_deref(),
        });
        let before = advice::before(self.plan, openings.len(), cores);
        for advice in skipped.into_iter().chain(warnings).chain(before) {
            self.warn(advice, sink);
        }
        let hall = Hall {
            plan: self.plan,
            house: self.house(journal.as_deref())?,
            openings,
            control: setup.control,
            log: setup.log.clone(),
            desk: Mutex::new(Desk { schedule, closed: false }),
            news: Condvar::new(),
            stop_now: Arc::new(AtomicUsize::new(0)),
        };
        if self.is_decided() {
            hall.close();
        }
        let outcome = self.collect(&hall, total, sink);
        if let Some(live) = &hall.house.live {
            live.close();
        }
        if let Some(journal) = &mut self.journal {
            journal.sync()?;
        }
        self.outputs.sync()?;
        outcome?;
        for advice in advice::after(self.plan, &self.standings) {
            self.warn(advice, sink);
        }
        let champion = hall.with_schedule(|schedule| schedule.champion());
        header.seconds = began.elapsed().as_secs_f64();
        let summary = self.summarize(header, total, champion);
        sink(&Event::MatchEnded { summary: &summary, games: summary.games });
        Ok(summary)
    }

    fn house(&self, journal: Option<&Path>) -> Result<House, MatchError> {
        let plan = self.plan;
        let tables = Tablebase::open(&plan.adjudication)?.map(Arc::new);
        let books: Result<Vec<_>, BookError> = plan
            .engines
            .iter()
            .map(|c| c.book.as_deref().map(|p| PersonalBook::open(p, c.bookdepth)).transpose())
            .collect();
        Ok(House {
            names: plan.engines.iter().map(|e| e.name().to_owned()).collect(),
            rules: Rules::new(&plan.adjudication, tables),
            chess960: plan.variant == Variant::FischeRandom,
            keep_pv: plan.output.pgn.as_ref().is_some_and(|p| p.pv),
            evidence: Evidence::beside(journal),
            books: books?.into_iter().map(|b| b.map(Arc::new)).collect(),
            live: plan.output.livepgn.clone().map(|path| LiveBoard::new(path, &plan.event)),
        })
    }

    fn warn(&mut self, advice: Advice, sink: &mut dyn FnMut(&Event<'_>)) {
        sink(&Event::Warning { advice: &advice });
        self.advice.push(advice);
    }

    /// Runs the boards and takes in what they report until the last one has left.
    fn collect(
        &mut self,
        hall: &Hall<'_>,
        total: Option<u64>,
        sink: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), MatchError> {
        let (report, news) = bounded(BACKLOG);
        std::thread::scope(|scope| {
            let mut boards = BTreeSet::new();
            let mut more = true;
            let mut failure = None;
            loop {
                let wanted = 0..hall.control.concurrency();
                for board in wanted.filter(|_| more) {
                    if boards.insert(board) {
                        let report = report.clone();
                        scope.spawn(move || work(hall, board, &report));
                    }
                }
                if boards.is_empty() {
                    break;
                }
                match news.recv_timeout(GLANCE).ok() {
                    None => {}
                    Some(Message::Left { board, for_good }) => {
                        boards.remove(&board);
                        more &= !for_good;
                    }
                    Some(message) => {
                        let taken = self.take_in(hall, message, total, sink);
                        if let Err(error) = taken {
                            // What cannot be written down must not be played on.
                            hall.stop();
                            failure.get_or_insert(error);
                        }
                    }
                }
                self.obey(hall, boards.len(), sink);
            }
            failure.map_or(Ok(()), Err)
        })
    }

    fn take_in(
        &mut self,
        hall: &Hall<'_>,
        message: Message,
        total: Option<u64>,
        sink: &mut dyn FnMut(&Event<'_>),
    ) -> Result<(), MatchError> {
        let name = |index: usize| self.plan.engines[index].name();
        match message {
            Message::Started(slot) => sink(&Event::GameStarted {
                slot: &slot,
                white_name: name(slot.white),
                black_name: name(slot.black),
                total,
            }),
            Message::Finished(record) => {
                // The journal first: what it does not hold has not happened.
                if let Some(journal) = &mut self.journal {
                    journal.append(&record)?;
                }
                self.outputs.add(&record, self.plan)?;
                hall.with_schedule(|schedule| {
                    schedule.record(&record.slot, record.result.points);
                    self.standings.add(&record, &|number| schedule.partner(number));
                });
                sink(&Event::GameFinished {
                    game: &record,
                    white_name: name(record.slot.white),
                    black_name: name(record.slot.black),
                    standings: &self.standings,
                    total,
                });
                self.after_game(hall, &record);
            }
            Message::Abandoned(slot) => {
                hall.with_schedule(|schedule| schedule.put_back(&slot));
                sink(&Event::GameAbandoned { slot: &slot });
            }
            Message::Failed(error) => {
                hall.stop();
                return Err(error.into());
            }
            Message::Left { .. } => {}
        }
        Ok(())
    }

    fn after_game(&mut self, hall: &Hall<'_>, record: &GameRecord) {
        if self.is_decided() {
            self.ending = Ending::Decided;
            hall.stop();
        }
        let broke = |kind| matches!(kind, FaultKind::Crash | FaultKind::Hang);
        if !self.plan.machine.recover && record.faults.iter().any(|f| broke(f.kind)) {
            self.ending = Ending::Fault;
            hall.stop();
        }
    }

    fn is_decided(&self) -> bool {
        self.standings.sprt.as_ref().is_some_and(|s| s.verdict() != Verdict::Continue)
    }

    /// Does what the user wants.
    fn obey(&mut self, hall: &Hall<'_>, boards: usize, sink: &mut dyn FnMut(&Event<'_>)) {
        if let Some(journal) = &mut self.journal {
            // A failure shows itself again, and is reported, with the next game.
            let _ = journal.tick();
        }
        if let Some(live) = &hall.house.live {
            live.catch_up();
        }
        if hall.control.stopping_now() {
            hall.stop();
        } else if hall.control.winding_down() && !std::mem::replace(&mut self.winding_down, true) {
            sink(&Event::WindingDown { running: boards });
        }
    }

    fn summarize(
        mut self,
        header: RunHeader<Plan>,
        total: Option<u64>,
        champion: Option<usize>,
    ) -> Summary {
        let standings = &self.standings;
        let complete = total.is_none_or(|total| standings.games >= total);
        if standings.sprt.as_ref().is_some_and(|s| s.verdict() != Verdict::Continue) {
            self.ending = Ending::Decided;
        } else if self.ending == Ending::Completed
            && (!complete || (total.is_none() && champion.is_none()))
        {
            self.ending = Ending::Interrupted;
        }
        let standings = self.standings;
        Summary {
            header: header.engines(self.ids),
            ending: self.ending,
            games: standings.games,
            total,
            plies: standings.plies,
            ranking: standings.ranking(),
            versus: summary::versus(&standings),
            white: standings.white,
            sprt: SprtSummary::of(&standings),
            engines: standings.engines,
            ends: standings.ends,
            terminations: standings.terminations,
            champion,
            trace: standings.trace,
            faults: standings
                .faults
                .into_iter()
                .map(|(number, fault)| GameFault { game: number + 1, fault })
                .collect(),
            advice: self.advice,
            journal: self.journal.map(|j| j.path().display().to_string()),
        }
    }
}
