//! A pool of boards on other machines.

mod incoming;
mod score;

pub use score::ClusterScore;

use super::address::{Address, Connection, LinkState};
use super::error::ClusterError;
use super::files;
use super::ledger::{Ledger, pair_of};
use super::link::{Heard, Link};
use super::message::{MatchInfo, Order, PairResult, Score, WorkerBeat, now_ms};
use super::runtime::runtime;
use super::ship::Shipment;
use super::signature::{self, Measured};
use super::streams::Streams;
use super::terms::{LEASE, SLOWEST, longest_move, most_pairs};
use super::token::{TokenKey, ordered};
use async_nats::jetstream::message::Acker;
use crossbeam_channel::{Receiver, Sender, unbounded};
use dyno_driver::{EngineError, Interrupt, Log};
use dyno_tournament::{
    Advice, Assignment, ClusterPlan, Control, Ending, GameContext, Introduction, LocalPool,
    MatchError, Plan, PoolReport, Slot, WorkerPool,
};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// What a worker's news may be late before its lease is taken from here.
const NEWS_LATE: Duration = Duration::from_secs(10);
/// A worker that has not spoken for this long is not counted on.
const ABSENT: Duration = Duration::from_secs(20);
/// One that has not spoken for this long is gone, perhaps to come back under another name.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// How often leases are looked at, and how often the match is announced with its score.
const GLANCE: Duration = Duration::from_secs(1);
const SCORE_EVERY: Duration = Duration::from_secs(3);
/// Boards whose moves are told while someone looks, about.
const BOARDS_SHOWN: u64 = 64;
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
    /// What is on its way to the server.
    errands: JoinSet<()>,
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
    /// Messages among the results that cannot be read.
    unreadable: u64,
    most_pairs: usize,
    score: ClusterScore,
    glanced: Instant,
    announced: Instant,
    began: Instant,
    lost: bool,
    /// How often the connection was lost.
    losses: u32,
    /// Moves are wanted when someone looks.
    wants_moves: bool,
    warned_alone: bool,
    is_stopped: bool,
}

impl ClusterPool {
    /// Connects to the cluster of a plan.
    pub fn connect(setup: PoolSetup) -> Result<Self, ClusterError> {
        let address = Address::parse(&setup.cluster.server)?;
        if let Some(name) = address.worker() {
            return Err(ClusterError::WorkerKey { name: name.to_owned() });
        }
        let runtime = runtime()?;
        let insecure = setup.cluster.insecure;
        let (connection, states) =
            runtime.block_on(Connection::open(&address, "dyno match", insecure))?;
        let streams = runtime.block_on(Streams::ensure(&connection.jetstream))?;
        let (tell, heard) = unbounded();
        let now = Instant::now();
        Ok(Self {
            tokens: TokenKey::new(address.secret()),
            most_pairs: most_pairs(&setup.plan),
            setup,
            runtime,
            errands: JoinSet::new(),
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
            unreadable: 0,
            score: ClusterScore::default(),
            glanced: now,
            announced: now,
            began: now,
            lost: false,
            losses: 0,
            wants_moves: false,
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
        (self.setup.say)("measuring the engines");
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
            speeds: self.announced_speeds(run, &shipment, &measured),
            scale: cluster.scale,
            share: cluster.share.clamp(0.001, 1000.0),
            priority: cluster.priority,
            watch: 0,
            stopped: false,
            excluded: cluster.exclude.clone(),
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

    /// The speeds that time limits are meant for. A match whose coordinator was killed keeps those that
    /// its workers know: measured again they would be others, if only by chance.
    fn announced_speeds(
        &self,
        run: &str,
        shipment: &Shipment,
        measured: &[Measured],
    ) -> Vec<Option<u64>> {
        let before = self.runtime.block_on(self.link.matches());
        let before = before.into_iter().find(|info| info.run == run);
        match before.filter(|info| info.files == shipment.engines) {
            Some(info) if self.setup.cluster.reference_nps.is_none() => info.speeds,
            _ => speeds(measured, self.setup.cluster.reference_nps),
        }
    }

    /// How long a worker may go without a move: as long as it says a move may take, within reason.
    fn patience(&self, worker: &str) -> Duration {
        let Some(info) = &self.info else { return LEASE };
        let told = self.workers.get(worker).and_then(|(beat, _)| {
            let told = beat.longest_moves.iter().find(|(run, _)| *run == info.run);
            told.map(|(_, seconds)| Duration::from_secs(*seconds))
        });
        let slowest: Vec<Option<u64>> =
            info.speeds.iter().map(|nps| nps.map(|nps| nps / SLOWEST as u64)).collect();
        let most = longest_move(&info.plan, SLOWEST, &slowest);
        let usual = || longest_move(&info.plan, 1.0, &info.speeds);
        told.unwrap_or_else(usual).clamp(LEASE, most) + NEWS_LATE
    }

    /// The signature and the speed of each engine here.
    fn measure(&self, plan: &Plan) -> Result<Vec<Measured>, ClusterError> {
        let interrupt = Interrupt::new(Arc::clone(&self.setup.interrupts), 1);
        signature::of_engines(plan, &interrupt, signature::reference).map_err(
            |fault| match *fault {
                (_, EngineError::Interrupted) => ClusterError::Interrupted,
                (engine, error) => ClusterError::Server(format!("{engine}: {error}")),
            },
        )
    }

    fn order(&self, number: u64) -> Option<Order> {
        let (info, pair) = (self.info.as_ref()?, self.ledger.get(number)?);
        Some(Order {
            run: info.run.clone(),
            pair: number,
            issue: pair.issue,
            token: self.tokens.token(&info.run, number, pair.issue, pair.games.iter().map(ordered)),
            games: pair.games.clone(),
            side_by_side: info.plan.machine.concurrency > 1,
        })
    }

    /// Puts a pair into the queue, unless its result is here already.
    fn hand_out(&mut self, number: u64) {
        match self.early.remove(&number) {
            Some((worker, result, acker)) => self.take_result(worker, result, acker),
            None => {
                if let Some(order) = self.order(number) {
                    self.send(self.link.clone().publish(order));
                }
            }
        }
    }

    /// Takes the lease of a pair away and puts it into the queue again.
    fn reissue(&mut self, number: u64) {
        self.ledger.reissue(number, Instant::now());
        let Some(order) = self.order(number) else { return };
        let link = self.link.clone();
        self.send(async move {
            link.withdraw(&order.run, number).await;
            link.publish(order).await;
        });
    }

    fn warn(&mut self, code: &'static str, message: String) {
        let advice = Advice { code: code.into(), message };
        self.reports.push_back((PoolReport::Warning(advice), None));
    }

    /// Has something done at the server. It is broken off when the match ends: an announcement or an
    /// order that came after the end would make the match look alive.
    fn send(&mut self, errand: impl Future<Output = ()> + Send + 'static) {
        while self.errands.try_join_next().is_some() {}
        self.errands.spawn_on(errand, self.runtime.handle());
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
        self.send(async move { link.announce_quietly(&info).await });
    }

    /// What is due by time.
    fn glance(&mut self) {
        let now = Instant::now();
        if now - self.glanced < GLANCE || self.info.is_none() {
            return;
        }
        self.glanced = now;
        for number in self.ledger.stalled(|worker| self.patience(worker), now) {
            self.reissue(number);
        }
        self.workers.retain(|_, (_, at)| now - *at < FORGOTTEN);
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
        local.close(None);
        if let Some(first) = first {
            let opened = self.open(&first.run, &mut introduction.advice);
            opened.map_err(|error| MatchError::Pool(error.to_string()))?;
        }
        Ok(introduction)
    }

    fn watch_moves(&mut self) {
        self.wants_moves = true;
    }

    fn looked_at(&mut self, someone: bool) {
        let is_wanted = someone && self.wants_moves;
        // While someone looks, workers that come and go change nothing.
        if self.info.as_ref().is_none_or(|info| (info.watch > 0) == is_wanted) {
            return;
        }
        let one_in = (self.boards() as u64).div_ceil(BOARDS_SHOWN).max(1);
        let Some(info) = &mut self.info else { return };
        info.watch = if is_wanted { one_in } else { 0 };
        let (link, info) = (self.link.clone(), info.clone());
        self.send(async move { drop(link.announce(&info).await) });
    }

    fn room(&self) -> usize {
        if self.is_stopped {
            return 0;
        }
        if self.setup.control.is_paused() {
            return usize::from(self.ledger.awaits_other());
        }
        let boards = self.boards();
        // Some wait at the server, so that no board waits for the coordinator.
        let wanted = (boards + boards / 2 + FIRST_PAIRS).min(self.most_pairs);
        let room = wanted.saturating_sub(self.ledger.len());
        // The other game of a pair always finds room.
        room.max(usize::from(self.ledger.awaits_other()))
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
        self.send(async move {
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
            self.send(async move {
                let _ = link.announce(&info).await;
                link.withdraw_all(&info.run).await;
            });
        }
    }

    fn close(&mut self, ending: Option<Ending>) {
        // What could not be written down waits at the server.
        let told = ending.map(|_| std::mem::take(&mut self.told)).unwrap_or_default();
        let Some(info) = self.info.take() else { return };
        let is_complete = ending.is_some_and(Ending::is_over);
        // A server that is gone must not hold up the end, a busy one may.
        let patience = Duration::from_secs(if self.lost { 2 } else { 20 });
        self.runtime.block_on(async {
            self.errands.shutdown().await;
            let goodbye = async {
                for acker in told {
                    let _ = acker.ack().await;
                }
                self.link.end(&info.run, is_complete).await;
                let _ = self.link.connection.client.flush().await;
            };
            let _ = tokio::time::timeout(patience, goodbye).await;
        });
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
