//! A pool of boards on other machines.

use super::address::{Address, Connection, LinkState};
use super::error::ClusterError;
use super::files;
use super::ledger::{Ledger, pair_of};
use super::link::{Heard, Link};
use super::message::{MatchInfo, Order, PairResult, Score, WorkerBeat, WorkerEvent, now_ms};
use super::ship::Shipment;
use super::signature::{self, Measured};
use super::streams::{MAX_DELIVER, Streams};
use super::token::TokenKey;
use async_nats::jetstream::message::Acker;
use crossbeam_channel::{Receiver, Sender, unbounded};
use dyno_driver::{Interrupt, Log, Settings};
use dyno_tournament::{
    Advice, Assignment, ClusterPlan, Control, Envelope, GameContext, GameRecord, Introduction,
    KeepMoves, Limits, Listener, LocalPool, MatchError, MatchEvent, OutputError, Plan, PoolReport,
    Slot, SprtTrack, TimeControl, WorkerPool, verify,
};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// A pair without a move for this long is given to another worker.
const LEASE: Duration = Duration::from_secs(30);
/// What a worker's news may be late before its lease is taken from here.
const NEWS_LATE: Duration = Duration::from_secs(10);
/// A worker that has not spoken for this long is not counted on.
const ABSENT: Duration = Duration::from_secs(20);
/// How often leases are looked at, and how often the match is announced with its score.
const GLANCE: Duration = Duration::from_secs(1);
const SCORE_EVERY: Duration = Duration::from_secs(3);
/// Refused results after which a worker gets no more work of the match.
const MOST_REFUSED: u32 = 3;
/// Pairs given out while no worker has spoken yet.
const FIRST_PAIRS: usize = 8;

/// What a pool needs beyond the plan.
pub struct PoolSetup {
    pub plan: Plan,
    pub cluster: ClusterPlan,
    pub control: Control,
    /// Counts Ctrl-C.
    pub interrupts: Arc<AtomicUsize>,
    pub log: Option<Log>,
    /// Is told what takes a while.
    pub say: Box<dyn Fn(&str)>,
}

/// Boards of workers, through a server of NATS.
pub struct ClusterPool {
    setup: PoolSetup,
    runtime: Runtime,
    link: Link,
    states: Option<mpsc::UnboundedReceiver<LinkState>>,
    tell: Sender<Heard>,
    heard: Receiver<Heard>,
    tokens: TokenKey,
    info: Option<MatchInfo>,
    ledger: Ledger,
    /// What the runner has not been told yet, with what to acknowledge once it has dealt with it.
    reports: VecDeque<(PoolReport, Option<Acker>)>,
    /// Told to the runner, which has written it down when it asks for more.
    told: Vec<Acker>,
    /// Results of pairs that were not given out again yet: they were played while no match listened.
    early: BTreeMap<u64, (String, PairResult, Acker)>,
    counted: HashSet<u64>,
    workers: BTreeMap<String, (WorkerBeat, Instant)>,
    unfit: BTreeSet<(String, String)>,
    refused: BTreeMap<String, u32>,
    most_pairs: usize,
    score: ClusterScore,
    glanced: Instant,
    announced: Instant,
    began: Instant,
    lost: bool,
    warned_alone: bool,
    is_stopped: bool,
}

impl ClusterPool {
    /// Connects to the cluster of a plan.
    pub fn connect(setup: PoolSetup) -> Result<Self, ClusterError> {
        let address = Address::parse(&setup.cluster.server)?;
        let runtime = runtime()?;
        let insecure = setup.cluster.insecure;
        let (connection, states) =
            runtime.block_on(Connection::open(&address, "dyno match", insecure))?;
        let streams = runtime.block_on(Streams::ensure(&connection.jetstream))?;
        let (tell, heard) = unbounded();
        let now = Instant::now();
        Ok(Self {
            tokens: TokenKey::new(address.key.as_deref()),
            most_pairs: most_pairs(&setup.plan),
            setup,
            runtime,
            link: Link::new(connection, streams),
            states: Some(states),
            tell,
            heard,
            info: None,
            ledger: Ledger::default(),
            reports: VecDeque::new(),
            told: Vec::new(),
            early: BTreeMap::new(),
            counted: HashSet::new(),
            workers: BTreeMap::new(),
            unfit: BTreeSet::new(),
            refused: BTreeMap::new(),
            score: ClusterScore::default(),
            glanced: now,
            announced: now,
            began: now,
            lost: false,
            warned_alone: false,
            is_stopped: false,
        })
    }

    /// A listener that keeps `dyno cluster status` up to date.
    pub fn score(&self) -> ClusterScore {
        self.score.clone()
    }

    /// Measures the engines, stores their files and announces the match.
    fn open(&mut self, run: &str, advice: &mut Vec<Advice>) -> Result<(), ClusterError> {
        let plan = self.setup.plan.clone();
        let shipment = Shipment::of(&plan)?;
        advice.extend(shipment.advice.iter().cloned());
        let measured = self.measure(&plan)?;
        for (entry, measured) in plan.engines.iter().zip(&measured) {
            if measured.signature.is_none() {
                advice.push(Advice {
                    code: "no-signature".into(),
                    message: format!(
                        "{} does not search the same nodes twice: workers cannot prove that they run the same engine",
                        entry.name()
                    ),
                });
            }
        }
        let cluster = &self.setup.cluster;
        let info = MatchInfo {
            run: run.to_owned(),
            files: shipment.engines.clone(),
            signatures: measured.iter().map(|m| m.signature.clone()).collect(),
            speeds: speeds(&measured, cluster.reference_nps),
            scale: cluster.scale,
            share: cluster.share.clamp(0.001, 1000.0),
            priority: cluster.priority,
            lease: lease(&plan).as_secs(),
            watch: false,
            stopped: false,
            excluded: Vec::new(),
            score: Score { at: now_ms(), ..Score::default() },
            // Workers need not know how a coordinator gets in.
            plan: Plan { cluster: None, ..plan },
        };
        let states = self.states.take();
        self.runtime.block_on(async {
            files::prune(&self.link.streams.files, &self.link.matches().await).await;
            files::upload(&self.link.streams.files, &shipment, &*self.setup.say).await?;
            let states = states.unwrap_or_else(|| mpsc::unbounded_channel().1);
            self.link.listen(&info, states, self.tell.clone()).await?;
            self.link.announce(&info).await
        })?;
        self.info = Some(info);
        Ok(())
    }

    /// The signature and the speed of each engine here; engines that are the same are asked once.
    fn measure(&self, plan: &Plan) -> Result<Vec<Measured>, ClusterError> {
        (self.setup.say)("measuring the engines");
        let mut known: Vec<(dyno_driver::EngineSpec, Measured)> = Vec::new();
        let mut all = Vec::new();
        for entry in &plan.engines {
            let mut spec = entry.spec_for(plan.variant);
            spec.name = None;
            if let Some((_, measured)) = known.iter().find(|(other, _)| *other == spec) {
                all.push(measured.clone());
                continue;
            }
            let settings = settings(plan, Interrupt::new(Arc::clone(&self.setup.interrupts), 1));
            let measured = signature::reference(&spec, &settings, is_timed(plan)).map_err(
                |error| match error {
                    dyno_driver::EngineError::Interrupted => ClusterError::Interrupted,
                    error => ClusterError::Server(format!("{}: {error}", entry.name())),
                },
            )?;
            known.push((spec, measured.clone()));
            all.push(measured);
        }
        Ok(all)
    }

    fn order(&self, number: u64) -> Option<Order> {
        let (info, pair) = (self.info.as_ref()?, self.ledger.get(number)?);
        Some(Order {
            run: info.run.clone(),
            pair: number,
            issue: pair.issue,
            token: self.tokens.token(&info.run, number, pair.issue),
            games: pair.games.clone(),
            side_by_side: info.plan.machine.concurrency > 1,
        })
    }

    /// Takes the lease of a pair away and puts it into the queue again.
    fn reissue(&mut self, number: u64) {
        self.ledger.reissue(number, Instant::now());
        let Some(order) = self.order(number) else { return };
        let link = self.link.clone();
        self.runtime.spawn(async move {
            link.withdraw(&order.run, number).await;
            link.publish(order).await;
        });
    }

    fn warn(&mut self, code: &'static str, message: String) {
        let advice = Advice { code: code.into(), message };
        self.reports.push_back((PoolReport::Warning(advice), None));
    }

    fn hear(&mut self, heard: Heard) {
        let now = Instant::now();
        match heard {
            Heard::Result { worker, result: Ok(result), acker } => {
                self.take_result(worker, result, acker);
            }
            Heard::Result { worker, result: Err(error), acker } => {
                self.acknowledge(acker);
                self.refuse(&worker, None, &error.to_string());
            }
            Heard::Event { worker, event } => self.take_event(&worker, event, now),
            Heard::Beat(beat) => {
                if let Some(info) = &self.info {
                    for pair in beat.pairs.iter().filter(|pair| pair.run == info.run) {
                        self.ledger.progress(pair.pair, &beat.name, pair.moves, now);
                    }
                }
                self.workers.insert(beat.name.clone(), (beat, now));
            }
            Heard::Parked(number) => match self.ledger.park(number, now) {
                Some(false) => {
                    self.warn("pair-parked", format!(
                        "{MAX_DELIVER} workers took game {} and none finished it: it is put at the end of the queue once more",
                        number + 1
                    ));
                    self.reissue(number);
                }
                Some(true) => self.warn(
                    "pair-parked",
                    format!(
                        "game {} is parked: again {MAX_DELIVER} workers did not finish it",
                        number + 1
                    ),
                ),
                None => {}
            },
            Heard::Present { pairs, drained } => {
                let patience = 4 * lease(&self.setup.plan);
                for number in self.ledger.audit(&pairs, drained, patience, now) {
                    self.reissue(number);
                }
            }
            Heard::State(LinkState::Lost) => {
                if !std::mem::replace(&mut self.lost, true) {
                    self.warn("connection-lost", "the server of the cluster is gone; what is played meanwhile comes in when it is back".to_owned());
                }
            }
            Heard::State(LinkState::Back) => {
                if std::mem::replace(&mut self.lost, false) {
                    self.warn("connection-back", "the server of the cluster is back".to_owned());
                }
            }
        }
    }

    fn take_event(&mut self, worker: &str, event: WorkerEvent, now: Instant) {
        match event {
            WorkerEvent::Started { pair, game } => {
                if let Some(assignment) = self.ledger.started(pair, worker, game, now) {
                    self.reports.push_back((PoolReport::Started(assignment), None));
                }
            }
            WorkerEvent::Move { pair, made } => {
                let is_known = self.ledger.get(pair).is_some_and(|pair| {
                    pair.games.iter().any(|game| game.slot.number == made.number)
                });
                if is_known {
                    self.reports.push_back((PoolReport::Move(*made), None));
                }
            }
            WorkerEvent::Returned { pair } => self.ledger.returned(pair, worker, now),
            WorkerEvent::Unfit { reason } => {
                let reason: String = reason.chars().take(300).collect();
                if self.unfit.insert((worker.to_owned(), reason.clone())) && self.unfit.len() < 50 {
                    self.warn("worker-unfit", format!("worker {worker} does not play: {reason}"));
                }
            }
        }
    }

    /// A result counts if it is of a pair that is owed, from one who had it, and can be played.
    fn take_result(&mut self, worker: String, result: PairResult, acker: Acker) {
        let number = result.pair;
        if self.counted.contains(&number) {
            return self.acknowledge(acker);
        }
        let Some(pair) = self.ledger.get(number) else {
            self.early.insert(number, (worker, result, acker));
            return;
        };
        let Some(info) = &self.info else { return };
        let refusal = if result.run != info.run
            || result.token != self.tokens.token(&info.run, number, result.issue)
        {
            Some("it did not hold the lease".to_owned())
        } else if info.excluded.contains(&worker) {
            Some("it is excluded".to_owned())
        } else {
            unplayable(&result, &pair.games, &info.plan)
        };
        if let Some(reason) = refusal {
            self.acknowledge(acker);
            self.refuse(&worker, Some(number), &reason);
            return;
        }
        self.ledger.close(number);
        self.counted.insert(number);
        let keep = self.setup.cluster.keep;
        let mut acker = Some(acker);
        let last = result.games.len().saturating_sub(1);
        for (place, mut record) in result.games.into_iter().enumerate() {
            // Its name is the one that its key allows, whatever it says.
            record.worker.get_or_insert_default().name.clone_from(&worker);
            strip(&mut record, keep);
            let done = if place == last { acker.take() } else { None };
            self.reports.push_back((PoolReport::Finished(Box::new(record)), done));
        }
    }

    fn refuse(&mut self, worker: &str, pair: Option<u64>, reason: &str) {
        let count = self.refused.entry(worker.to_owned()).or_default();
        *count += 1;
        let count = *count;
        let of = pair.map_or_else(String::new, |number| format!(" of game {}", number + 1));
        if count <= MOST_REFUSED {
            self.warn("result-refused", format!(
                "a result{of} from worker {worker} was refused: {reason}; the game is played elsewhere"
            ));
        }
        if count == MOST_REFUSED {
            self.warn(
                "worker-excluded",
                format!("worker {worker} is excluded: {count} of its results were refused"),
            );
            if let Some(info) = &mut self.info {
                info.excluded.push(worker.to_owned());
            }
            self.announce();
        }
        if let Some(number) = pair {
            self.reissue(number);
        }
    }

    fn acknowledge(&self, acker: Acker) {
        self.runtime.spawn(async move { acker.ack().await });
    }

    /// Announces the match with its present state.
    fn announce(&mut self) {
        self.announced = Instant::now();
        let Some(info) = &mut self.info else { return };
        let (playing, queued, parked) = self.ledger.counts();
        let refused = self.refused.values().map(|count| u64::from(*count)).sum();
        let told = self.score.get();
        info.score = Score { at: now_ms(), playing, queued, parked, refused, ..told };
        let (link, info) = (self.link.clone(), info.clone());
        self.runtime.spawn(async move { link.announce_quietly(&info).await });
    }

    /// What is due by time.
    fn glance(&mut self) {
        let now = Instant::now();
        if now - self.glanced < GLANCE || self.info.is_none() {
            return;
        }
        self.glanced = now;
        for number in self.ledger.stalled(lease(&self.setup.plan) + NEWS_LATE, now) {
            self.reissue(number);
        }
        if now - self.announced >= SCORE_EVERY {
            self.announce();
        }
        if !self.warned_alone && self.workers.is_empty() && now - self.began > ABSENT {
            self.warned_alone = true;
            self.warn("no-workers", "no worker has been heard of yet: start one with `dyno worker` and the address of the cluster".to_owned());
        }
        if self.ledger.is_stuck() && self.reports.is_empty() {
            let (_, _, parked) = self.ledger.counts();
            let games: Vec<String> = parked.iter().map(|number| (number + 1).to_string()).collect();
            let message = format!(
                "no worker could finish the pairs of these games: {}; everything else is played, and --resume tries them again",
                games.join(", ")
            );
            for slot in self.ledger.drain() {
                self.reports.push_back((PoolReport::Returned(slot), None));
            }
            self.reports.push_back((PoolReport::Failed(MatchError::Pool(message)), None));
        }
    }

    /// Boards of the workers that are there for this match.
    fn boards(&self) -> usize {
        let Some(info) = &self.info else { return 0 };
        let counts = |(beat, at): &&(WorkerBeat, Instant)| {
            at.elapsed() < ABSENT
                && !beat.leaving
                && !beat.unfit.iter().any(|(run, _)| *run == info.run)
        };
        self.workers.values().filter(counts).map(|(beat, _)| beat.boards).sum()
    }
}

impl WorkerPool for ClusterPool {
    fn introduce(&mut self, first: Option<&Assignment>) -> Result<Introduction, MatchError> {
        let PoolSetup { plan, control, log, .. } = &self.setup;
        let mut local = LocalPool::new(GameContext::new(plan, control, log.clone())?);
        let mut introduction = local.introduce(first)?;
        local.close();
        if let Some(first) = first {
            let opened = self.open(&first.run, &mut introduction.advice);
            opened.map_err(|error| MatchError::Pool(error.to_string()))?;
        }
        Ok(introduction)
    }

    fn watch_moves(&mut self) {
        if let Some(info) = &mut self.info {
            info.watch = true;
        }
        self.announce();
    }

    fn room(&self) -> usize {
        if self.setup.control.is_paused() || self.is_stopped {
            return 0;
        }
        let boards = self.boards();
        // Some wait at the server, so that no board waits for the coordinator.
        let wanted = (boards + boards / 2 + FIRST_PAIRS).min(self.most_pairs);
        let room = wanted.saturating_sub(self.ledger.len());
        // The other game of a pair always finds room.
        room.max(usize::from(self.ledger.has_halves()))
    }

    fn submit(&mut self, assignment: Assignment) {
        let number = pair_of(&assignment.slot);
        self.counted.remove(&number);
        if let Some(complete) = self.ledger.submit(assignment, Instant::now()) {
            self.hand_out(complete);
        }
    }

    fn report(&mut self, patience: Duration) -> Option<PoolReport> {
        // What was told before is in the journal now.
        for acker in std::mem::take(&mut self.told) {
            self.acknowledge(acker);
        }
        // The coordinator had its chance to hand out the other halves.
        for number in self.ledger.submit_halves(Instant::now()) {
            self.hand_out(number);
        }
        let deadline = Instant::now() + patience;
        loop {
            self.glance();
            if let Some((report, acker)) = self.reports.pop_front() {
                self.told.extend(acker);
                return Some(report);
            }
            match self.heard.recv_deadline(deadline) {
                Ok(heard) => self.hear(heard),
                Err(_) => return None,
            }
        }
    }

    fn running(&self) -> usize {
        self.ledger.running()
    }

    fn is_idle(&self) -> bool {
        self.ledger.is_empty() && self.reports.is_empty()
    }

    fn recall(&mut self, unwanted: &dyn Fn(&Slot) -> bool) {
        let Some(run) = self.info.as_ref().map(|info| info.run.clone()) else { return };
        let mut slots = self.ledger.recall_halves(unwanted);
        let recalled = self.ledger.recall(unwanted);
        let numbers: Vec<u64> = recalled.iter().map(|(number, _)| *number).collect();
        slots.extend(recalled.into_iter().flat_map(|(_, pair)| pair.games).map(|game| game.slot));
        let link = self.link.clone();
        self.runtime.spawn(async move {
            for number in numbers {
                link.withdraw(&run, number).await;
            }
        });
        for slot in slots {
            self.reports.push_back((PoolReport::Returned(slot), None));
        }
    }

    fn stop(&mut self) {
        if std::mem::replace(&mut self.is_stopped, true) {
            return;
        }
        for slot in self.ledger.drain() {
            self.reports.push_back((PoolReport::Returned(slot), None));
        }
        if let Some(info) = &mut self.info {
            info.stopped = true;
            let (link, info) = (self.link.clone(), info.clone());
            self.runtime.spawn(async move {
                let _ = link.announce(&info).await;
                link.withdraw_all(&info.run).await;
            });
        }
    }

    fn close(&mut self) {
        let told = std::mem::take(&mut self.told);
        let Some(info) = self.info.take() else { return };
        let is_complete = !self.is_stopped && self.ledger.is_empty();
        // A server that is gone must not hold up the end.
        self.runtime.block_on(async {
            let goodbye = async {
                for acker in told {
                    let _ = acker.ack().await;
                }
                self.link.end(&info.run, is_complete).await;
                let _ = self.link.connection.client.flush().await;
            };
            let _ = tokio::time::timeout(Duration::from_secs(2), goodbye).await;
        });
    }
}

impl ClusterPool {
    /// Puts a pair into the queue, unless its result is here already.
    fn hand_out(&mut self, number: u64) {
        match self.early.remove(&number) {
            Some((worker, result, acker)) => self.take_result(worker, result, acker),
            None => {
                if let Some(order) = self.order(number) {
                    self.runtime.spawn(self.link.clone().publish(order));
                }
            }
        }
    }
}

impl Link {
    /// Announces a match without waking the workers.
    async fn announce_quietly(&self, info: &MatchInfo) {
        if let Ok(bytes) = super::message::encode(info) {
            let _ = self.streams.matches.put(&info.run, bytes).await;
        }
    }
}

/// A small runtime: the work is done elsewhere.
pub fn runtime() -> Result<Runtime, ClusterError> {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    built.map_err(|e| ClusterError::Server(e.to_string()))
}

/// How engines are started for a measurement.
pub fn settings(plan: &Plan, interrupt: Interrupt) -> Settings {
    Settings {
        handshake: Duration::from_millis(plan.machine.startup_ms),
        ready: Duration::from_millis(plan.machine.ready_ms),
        interrupt: Some(interrupt),
        ..Settings::default()
    }
}

/// Whether speed matters to the games.
pub fn is_timed(plan: &Plan) -> bool {
    plan.engines.iter().any(|engine| engine.limits.tc.is_some() || engine.limits.st.is_some())
}

/// How long a pair may go without a move: half a minute, or longer where a single move may take
/// longer than that.
fn lease(plan: &Plan) -> Duration {
    let longest = |limits: &Limits| {
        let clock = limits.tc.as_ref().map(TimeControl::longest_move).unwrap_or_default();
        let fixed = limits.st.and_then(|st| Duration::try_from_secs_f64(st).ok());
        clock.max(fixed.unwrap_or_default())
    };
    let longest = plan.engines.iter().map(|engine| longest(&engine.limits)).max();
    LEASE.max(longest.unwrap_or_default().mul_f64(1.5)).min(Duration::from_secs(24 * 3600))
}

/// Pairs of a sequential test that may be out at once: a tenth of the games it is expected to take.
/// More would be played in vain once it is decided.
pub fn most_pairs(plan: &Plan) -> usize {
    match plan.sprt.as_ref().and_then(SprtTrack::expected_games) {
        Some(games) => ((games / 10.0) as usize).max(1),
        None => usize::MAX,
    }
}

/// The speeds that time limits are meant for, given that of the first engine.
fn speeds(measured: &[Measured], reference_nps: Option<u64>) -> Vec<Option<u64>> {
    let first = measured.first().and_then(|m| m.nps);
    let ratio = match (reference_nps, first) {
        (Some(wanted), Some(here)) => wanted as f64 / here.max(1) as f64,
        _ => 1.0,
    };
    measured.iter().map(|m| m.nps.map(|nps| (nps as f64 * ratio) as u64)).collect()
}

/// Why a result cannot be of the games that were asked for.
fn unplayable(result: &PairResult, games: &[Assignment], plan: &Plan) -> Option<String> {
    if result.games.len() != games.len() {
        return Some(format!("{} games where {} were asked for", result.games.len(), games.len()));
    }
    let checked = games.iter().zip(&result.games).try_for_each(|(assignment, record)| {
        let players = [assignment.slot.white, assignment.slot.black];
        if !record.faults.iter().all(|fault| players.contains(&fault.engine)) {
            return Err("a fault is put down to an engine that did not play".to_owned());
        }
        verify(record, assignment, plan).map_err(|error| error.to_string())
    });
    checked.err()
}

/// Drops the moves that are not to be kept.
fn strip(record: &mut GameRecord, keep: KeepMoves) {
    let drop = match keep {
        KeepMoves::All => false,
        KeepMoves::Faults => record.faults.is_empty(),
        KeepMoves::None => true,
    };
    if drop {
        record.moves.clear();
    }
}

/// How the match stands, as its listeners are told.
#[derive(Clone, Default)]
pub struct ClusterScore(Arc<Mutex<Score>>);

impl ClusterScore {
    fn get(&self) -> Score {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Listener for ClusterScore {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &envelope.event {
            MatchEvent::MatchStarted { total, done, .. } => {
                (told.total, told.games) = (*total, *done);
            }
            MatchEvent::GameFinished { score, .. } => {
                told.games = score.games;
                told.llr = score.sprt.map(|sprt| sprt.llr);
                told.waiting_pairs = score.sprt.map_or(0, |sprt| sprt.waiting_pairs);
                let tally = score.engines.first().map(|engine| engine.tally);
                told.tally = tally.map_or_else(String::new, |t| {
                    format!("{} - {} - {}", t.wins, t.losses, t.draws)
                });
            }
            _ => {}
        }
        Ok(())
    }
}
