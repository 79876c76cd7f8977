//! Carrying out a plan: the coordinator says what is to be played, a pool plays it, the journal
//! remembers it, listeners are told.

use super::advice::{self, Advice};
use super::archive;
use super::context::GameContext;
use super::control::Control;
use super::coordinator::Coordinator;
use super::error::MatchError;
use super::event::MatchEvent;
use super::evidence::Evidence;
use super::journal::{Changes, GENERATION, Header, Home, Journal, SCHEMA};
use super::listener::Fanout;
use super::live::LivePgn;
use super::local_pool::LocalPool;
use super::outputs::Outputs;
use super::plan::Plan;
use super::pool::{Introduction, PoolReport, WorkerPool};
use super::preparation::{book_hash, changed_engines, load_openings, new_run_id};
use super::record::{FaultKind, GameRecord};
use super::schedule::Next;
use super::scoreboard::Scoreboard;
use super::slot::Slot;
use super::summary::{self, Ending, Summary};
use dyno_driver::{EngineIdentity, Log, RunHeader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a run needs beyond its plan.
pub struct Setup<'a> {
    pub control: &'a Control,
    /// Where the journal is created; none is kept without.
    pub journal: Option<PathBuf>,
    /// The journal of a match that was played to its end is compressed and put with the others.
    pub archive: bool,
    /// Transcript of everything said.
    pub log: Option<Log>,
    /// Where the games are played: on boards of this process when absent.
    pub pool: Option<Box<dyn WorkerPool + 'a>>,
}

impl<'a> Setup<'a> {
    /// Boards of this process, without journal and transcript.
    pub fn new(control: &'a Control) -> Self {
        Self { control, journal: None, archive: false, log: None, pool: None }
    }

    fn take_pool(&mut self, plan: &Plan) -> Result<Box<dyn WorkerPool + 'a>, MatchError> {
        match self.pool.take() {
            Some(pool) => Ok(pool),
            None => {
                let context = GameContext::new(plan, self.control, self.log.take())?;
                Ok(Box::new(LocalPool::new(context)))
            }
        }
    }
}

/// How often the controls are looked at when nothing happens.
const GLANCE: Duration = Duration::from_millis(50);

/// Plays a match.
pub fn run(plan: &Plan, mut setup: Setup<'_>, fanout: Fanout<'_>) -> Result<Summary, MatchError> {
    plan.check()?;
    let header = RunHeader::begin(summary::KIND, plan.clone()).seed(Some(plan.seed));
    let run = new_run_id(header.created_ms);
    let (openings, openings_advice) = load_openings(plan)?;
    let mut coordinator = Coordinator::new(&run, plan, openings);
    let mut pool = setup.take_pool(plan)?;
    let Introduction { engines, advice } = introduce(&mut coordinator, &mut *pool)?;
    let outputs = Outputs::open(plan)?;
    let (pgn_start, epd_start) = outputs.starts();
    let journal = match &setup.journal {
        None => None,
        Some(path) => {
            let header = Header {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                created: header.created_ms,
                run: Some(run.clone()),
                plan: plan.clone(),
                engines: engines.clone(),
                book: book_hash(plan),
                pgn_start,
                epd_start,
                generation: GENERATION,
                archive: setup.archive,
                home: Home::here(path),
            };
            Some(Journal::create(path, &header)?)
        }
    };
    let mut session = Session::new(plan, run, coordinator, journal, outputs, fanout);
    session.archive = setup.archive;
    let warnings = openings_advice.into_iter().chain(advice).collect();
    session.play(header.engines(engines), warnings, pool, setup.control)
}

/// Goes on with the match of a journal: exactly the games it still owes. `adjust` may change what
/// does not touch the games, such as the concurrency.
pub fn resume(
    path: &Path,
    adjust: impl FnOnce(&mut Plan),
    mut setup: Setup<'_>,
    fanout: Fanout<'_>,
) -> Result<Summary, MatchError> {
    let (mut journal, first_line) = Journal::reopen(path)?;
    let mut plan = first_line.plan.clone();
    let rounds = plan.tournament.rounds;
    adjust(&mut plan);
    plan.check()?;
    if plan.tournament.rounds < rounds {
        return Err(MatchError::FewerRounds { planned: rounds, wanted: plan.tournament.rounds });
    }
    if let Some(then) = &first_line.book
        && book_hash(&plan).as_ref() != Some(then)
    {
        let book = plan.openings.file.clone().unwrap_or_default();
        return Err(MatchError::BookChanged { book });
    }
    let run = first_line.run_id();
    let (openings, openings_advice) = load_openings(&plan)?;
    let mut coordinator = Coordinator::new(&run, &plan, openings);
    let mut outputs = Outputs::reopen(&plan, &first_line)?;
    let (mut fault, mut strangers) = (None, 0);
    let damaged = journal.replay(|record| match coordinator.record(&record) {
        Ok(()) => fault = fault.take().or(outputs.replay(&record).err()),
        Err(_) => strangers += 1,
    })?;
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let moved = outputs.end_replay()?;
    outputs.name_files(&mut plan.output);
    journal.change(&Changes::to(&first_line, &plan, outputs.starts()))?;
    let plan = &plan;
    let header = RunHeader::begin(summary::KIND, plan.clone()).seed(Some(plan.seed));
    let mut pool = setup.take_pool(plan)?;
    let Introduction { engines, advice } = introduce(&mut coordinator, &mut *pool)?;
    let mut warnings: Vec<Advice> = openings_advice.into_iter().chain(advice).collect();
    let mut warn =
        |message: String| warnings.push(Advice { code: "journal-damaged".into(), message });
    for (line, reason) in &damaged {
        warn(format!("{}:{line}: unreadable, its game is played again: {reason}", path.display()));
    }
    if strangers > 0 {
        warn(format!("{}: {strangers} games are there twice or not of this match", path.display()));
    }
    warnings.extend(changed_engines(&first_line.engines, &engines));
    warnings.extend(moved.into_iter().map(|(from, to)| Advice {
        code: "output-shared".into(),
        message: format!(
            "{} does not hold what this match wrote and is left as it is: the games of this match are in {}",
            from.display(),
            to.display()
        ),
    }));
    let mut session = Session::new(plan, run, coordinator, Some(journal), outputs, fanout);
    session.archive = first_line.archive;
    session.play(header.engines(engines), warnings, pool, setup.control)
}

/// Lets the pool find out who the engines are, with the first game in view.
fn introduce(
    coordinator: &mut Coordinator,
    pool: &mut dyn WorkerPool,
) -> Result<Introduction, MatchError> {
    match coordinator.next_game() {
        Next::Game(first) => {
            coordinator.put_aside(&first.slot);
            pool.introduce(Some(&first))
        }
        Next::Wait | Next::Done => pool.introduce(None),
    }
}

/// A match being played.
struct Session<'r> {
    plan: &'r Plan,
    run: String,
    coordinator: Coordinator,
    journal: Option<Journal>,
    /// The journal is put away in the end.
    archive: bool,
    evidence: Evidence,
    fanout: Fanout<'r>,
    advice: Vec<Advice>,
    ending: Ending,
    /// No more games are handed out.
    closed: bool,
    /// The user has been told that the running games are being finished.
    winding_down: bool,
}

impl<'r> Session<'r> {
    fn new(
        plan: &'r Plan,
        run: String,
        coordinator: Coordinator,
        journal: Option<Journal>,
        outputs: Outputs,
        mut fanout: Fanout<'r>,
    ) -> Self {
        fanout.first(outputs);
        if let Some(path) = plan.output.livepgn.clone() {
            fanout = fanout.threaded(LivePgn::new(path, plan));
        }
        Self {
            plan,
            run,
            coordinator,
            evidence: Evidence::beside(journal.as_ref().map(Journal::path)),
            journal,
            archive: false,
            fanout,
            advice: Vec::new(),
            ending: Ending::Completed,
            closed: false,
            winding_down: false,
        }
    }

    fn play(
        mut self,
        mut header: RunHeader<Plan>,
        warnings: Vec<Advice>,
        mut pool: Box<dyn WorkerPool + '_>,
        control: &Control,
    ) -> Result<Summary, MatchError> {
        let began = Instant::now();
        self.begin(&header.engines, warnings)?;
        if self.fanout.wants_moves() {
            pool.watch_moves();
        }
        self.closed = self.coordinator.is_decided();
        let outcome = self.play_games(&mut *pool, control);
        if outcome.is_err() {
            pool.stop();
        }
        self.settle_ending();
        pool.close(outcome.is_ok().then_some(self.ending));
        if let Some(journal) = &mut self.journal {
            journal.sync()?;
        }
        outcome?;
        for advice in advice::after(self.plan, self.coordinator.standings()) {
            self.warn(advice)?;
        }
        let journal = self.close_journal()?;
        let (games, ending) = (self.coordinator.standings().games, self.ending);
        self.tell(MatchEvent::MatchEnded { games, ending })?;
        header.seconds = began.elapsed().as_secs_f64();
        self.fanout.close()?;
        Ok(Summary::new(header, self.coordinator, ending, self.advice, journal))
    }

    /// Closes the journal and puts it away, if that is wanted and nothing is left to be played;
    /// says where it is.
    fn close_journal(&mut self) -> Result<Option<String>, MatchError> {
        let Some(journal) = self.journal.take() else { return Ok(None) };
        let path = journal.path().to_owned();
        drop(journal);
        if !(self.archive && self.ending.is_over()) {
            return Ok(Some(path.display().to_string()));
        }
        match archive::put_away(&path, &self.run) {
            Ok(packed) => Ok(Some(packed.display().to_string())),
            // It is there all the same.
            Err(error) => {
                let message = format!("{}: it could not be compressed: {error}", path.display());
                self.warn(Advice { code: "journal-not-archived".into(), message })?;
                Ok(Some(path.display().to_string()))
            }
        }
    }

    fn begin(
        &mut self,
        engines: &[EngineIdentity],
        warnings: Vec<Advice>,
    ) -> Result<(), MatchError> {
        let openings = self.coordinator.openings();
        self.tell(MatchEvent::MatchStarted {
            engines: engines.to_vec(),
            total: self.coordinator.total(),
            done: self.coordinator.standings().games,
            openings,
            seed: self.plan.seed,
            journal: self.journal.as_ref().map(|j| j.path().display().to_string()),
        })?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let before = advice::before(self.plan, openings, cores);
        warnings.into_iter().chain(before).try_for_each(|advice| self.warn(advice))
    }

    fn tell(&mut self, event: MatchEvent) -> Result<(), MatchError> {
        Ok(self.fanout.tell(&self.run, event)?)
    }

    fn warn(&mut self, advice: Advice) -> Result<(), MatchError> {
        self.advice.push(advice.clone());
        self.tell(MatchEvent::Warning { advice })
    }

    /// Hands out games and takes in what comes back, until nothing is left to be played. After a
    /// failure the games that still come back are awaited and written down.
    fn play_games(
        &mut self,
        pool: &mut dyn WorkerPool,
        control: &Control,
    ) -> Result<(), MatchError> {
        let mut outcome = Ok(());
        loop {
            outcome = outcome.and(self.obey(pool, control));
            let more = self.hand_out(pool, control);
            if pool.is_idle() && !more {
                return outcome;
            }
            if let Some(report) = pool.report(GLANCE)
                && let Err(error) = self.take_in(pool, report)
            {
                // What cannot be written down must not be played on.
                self.stop(pool);
                outcome = outcome.and(Err(error));
            }
        }
    }

    /// Fills the pool; returns whether there is more to come.
    fn hand_out(&mut self, pool: &mut dyn WorkerPool, control: &Control) -> bool {
        while !self.closed && pool.room() > 0 {
            match self.coordinator.next_game() {
                Next::Game(assignment) if may_start(&assignment.slot, control) => {
                    pool.submit(assignment);
                }
                Next::Game(assignment) => {
                    self.coordinator.put_aside(&assignment.slot);
                    self.close(pool, &|slot| !may_start(slot, control));
                }
                Next::Wait | Next::Done => return false,
            }
        }
        !self.closed
    }

    /// Hands out no more games and takes back those that have not begun, where they are unwanted.
    fn close(&mut self, pool: &mut dyn WorkerPool, unwanted: &dyn Fn(&Slot) -> bool) {
        self.closed = true;
        pool.recall(unwanted);
    }

    /// Breaks off the running games too.
    fn stop(&mut self, pool: &mut dyn WorkerPool) {
        self.closed = true;
        pool.stop();
    }

    fn take_in(&mut self, pool: &mut dyn WorkerPool, report: PoolReport) -> Result<(), MatchError> {
        match report {
            PoolReport::Started(assignment) => {
                let slot = assignment.slot;
                let event = MatchEvent::GameStarted {
                    slot,
                    white_name: self.name(slot.white),
                    black_name: self.name(slot.black),
                    total: self.coordinator.total(),
                    start: assignment.start,
                };
                self.tell(event)
            }
            PoolReport::Move(made) => self.tell(MatchEvent::MoveMade(made)),
            PoolReport::Finished(record) => {
                // Pools bring a record at least once.
                match self.coordinator.check(&record) {
                    Ok(()) => self.finished(pool, record),
                    Err(_) => Ok(()),
                }
            }
            PoolReport::Returned(slot) => {
                self.coordinator.give_back(&slot);
                self.tell(MatchEvent::GameAbandoned { slot })
            }
            PoolReport::Warning(advice) => self.warn(advice),
            PoolReport::Failed(error) => Err(error),
        }
    }

    fn finished(
        &mut self,
        pool: &mut dyn WorkerPool,
        mut record: Box<GameRecord>,
    ) -> Result<(), MatchError> {
        let plan = self.plan;
        self.evidence.keep(&mut record, &|engine| plan.engines[engine].name().to_owned());
        // The journal first: what it does not hold has not happened.
        if let Some(journal) = &mut self.journal {
            journal.append(&record)?;
        }
        // It was checked before it was written.
        let _ = self.coordinator.record(&record);
        if self.coordinator.is_decided() {
            self.stop(pool);
        }
        let broke = |kind| matches!(kind, FaultKind::Crash | FaultKind::Hang);
        if !plan.machine.recover && record.faults.iter().any(|f| broke(f.kind)) {
            self.ending = Ending::Fault;
            self.stop(pool);
        }
        let event = MatchEvent::GameFinished {
            white_name: self.name(record.slot.white),
            black_name: self.name(record.slot.black),
            game: record,
            score: Box::new(Scoreboard::of(self.coordinator.standings())),
        };
        self.tell(event)
    }

    fn name(&self, engine: usize) -> String {
        self.plan.engines[engine].name().to_owned()
    }

    /// Does what the user wants, and what is due by time.
    fn obey(&mut self, pool: &mut dyn WorkerPool, control: &Control) -> Result<(), MatchError> {
        if let Some(journal) = &mut self.journal {
            // A failure shows itself again, and is reported, with the next game.
            let _ = journal.tick();
        }
        pool.looked_at(self.fanout.is_looked_at());
        if control.stopping_now() {
            self.stop(pool);
        } else if control.winding_down() && !std::mem::replace(&mut self.winding_down, true) {
            let running = pool.running();
            self.close(pool, &|_| true);
            return self.tell(MatchEvent::WindingDown { running });
        }
        Ok(())
    }

    fn settle_ending(&mut self) {
        let games = self.coordinator.standings().games;
        let complete = match self.coordinator.total() {
            Some(total) => games >= total,
            None => self.coordinator.champion().is_some(),
        };
        if self.coordinator.is_decided() {
            self.ending = Ending::Decided;
        } else if self.ending == Ending::Completed && !complete {
            self.ending = Ending::Interrupted;
        }
    }
}

/// When the user wants to stop after the current pairs, only second games are still started.
fn may_start(slot: &Slot, control: &Control) -> bool {
    !control.is_stopping_after_pair() || slot.partner.is_some_and(|partner| partner < slot.number)
}
