//! A cluster with simulated workers: how many pairs it carries.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says what it leaves out, and the figures")]

mod common;

use async_nats::jetstream::consumer::pull;
use common::{Server, game, plan};
use dyno_chess::SplitMix64;
use dyno_cluster::{
    Address, ClusterPool, Connection, Order, PairResult, PoolSetup, WorkerBeat, WorkerEvent,
    decode, encode, subjects,
};
use dyno_tournament::{ClusterPlan, Control, Fanout, GameRecord, Setup};
use futures_util::StreamExt as _;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Load {
    workers: usize,
    boards: usize,
    /// The mean time that a pair takes.
    pair: Duration,
    pairs: u32,
}

/// The coordinator, in a process of its own so that its processor time can be told apart.
#[test]
#[ignore = "a part of the tests below, which start it"]
fn coordinator_process() {
    let Ok(server) = std::env::var("DYNO_SIM_SERVER") else { return };
    let rounds = std::env::var("DYNO_SIM_PAIRS").unwrap().parse().unwrap();
    let journal = PathBuf::from(std::env::var("DYNO_SIM_JOURNAL").unwrap());
    let plan = plan(rounds);
    let interrupts = Arc::<AtomicUsize>::default();
    let control = Control::new(Arc::clone(&interrupts), 1);
    let pool = ClusterPool::connect(PoolSetup {
        plan: plan.clone(),
        cluster: ClusterPlan { server, ..ClusterPlan::default() },
        control: control.clone(),
        interrupts,
        log: None,
        say: Box::new(|_| {}),
    });
    let pool = pool.unwrap_or_else(|error| panic!("{error}"));
    let setup =
        Setup { journal: Some(journal), pool: Some(Box::new(pool)), ..Setup::new(&control) };
    dyno_tournament::run(&plan, setup, Fanout::new()).unwrap();
}

/// Seconds of processor time and the most memory in megabytes of a process.
fn usage(pid: u32) -> Option<(f64, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: u64 = peak.split_whitespace().nth(1)?.parse().ok()?;
    Some((ticks / 100.0, kilobytes / 1024))
}

fn carry(load: &Load) {
    let Some(server) = Server::start() else { return };
    let journal = server.folder.join("load.journal");
    let mut coordinator = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "coordinator_process", "--ignored"])
        .env("DYNO_SIM_SERVER", server.url())
        .env("DYNO_SIM_PAIRS", load.pairs.to_string())
        .env("DYNO_SIM_JOURNAL", &journal)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.unwrap();
    let finished = Arc::<AtomicU64>::default();
    let address = Address::parse(&server.url()).unwrap();
    for number in 0..load.workers {
        let (address, finished) = (address.clone(), Arc::clone(&finished));
        let (boards, pair) = (load.boards, load.pair);
        runtime.spawn(async move {
            let mut delay = Duration::from_millis(50);
            while simulate(&address, number, boards, pair, &finished).await.is_err() {
                tokio::time::sleep(delay).await;
                delay = (delay * 2).min(Duration::from_secs(2));
            }
        });
    }
    let mut measured: Option<(Instant, u64, f64)> = None;
    let (mut last, mut figures) = (None, (0.0, 0.0, 0));
    let status = loop {
        if let Some(status) = coordinator.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(100));
        let Some((seconds, memory)) = usage(coordinator.id()) else { continue };
        let done = finished.load(Ordering::Relaxed);
        // All boards are at work between a quarter and nine tenths of the pairs.
        if measured.is_none() && done * 4 > u64::from(load.pairs) {
            measured = Some((Instant::now(), done, seconds));
        }
        if let Some((began, before, spent)) = measured
            && done * 10 < u64::from(load.pairs) * 9
        {
            let elapsed = began.elapsed().as_secs_f64().max(0.1);
            figures = ((done - before) as f64 / elapsed, (seconds - spent) / elapsed, memory);
        }
        last = Some(memory);
    };
    assert!(status.success());
    let text = std::fs::read_to_string(&journal).unwrap();
    let number = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).ok()?.get("game")?["number"].as_u64()
    };
    let numbers: Vec<u64> = text.lines().filter_map(number).collect();
    assert_eq!(numbers.len() as u32, 2 * load.pairs, "every game");
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len(), "and none twice");
    eprintln!(
        "{} workers x {} boards: {:.0} pairs/s; coordinator {:.1} % of a core, {} MB (most {last:?})",
        load.workers,
        load.boards,
        figures.0,
        100.0 * figures.1,
        figures.2
    );
}

/// A worker without engines.
async fn simulate(
    address: &Address,
    number: usize,
    boards: usize,
    pair: Duration,
    finished: &Arc<AtomicU64>,
) -> Result<(), async_nats::Error> {
    let name = format!("s{number}");
    let (connection, _states) = Connection::open(address, &name, false).await?;
    let (client, jetstream) = (connection.client.clone(), connection.jetstream.clone());
    let stream = jetstream.get_stream(subjects::WORK).await?;
    let run = stream.consumer_names().next().await.ok_or("no match yet")??;
    let consumer = stream.get_consumer::<pull::Config>(&run).await?;
    let free = Arc::new(AtomicUsize::new(boards));
    let mut beaten = None::<Instant>;
    let mut random = SplitMix64::new(number as u64 + 1);
    loop {
        if beaten.is_none_or(|at| at.elapsed() > Duration::from_secs(5)) {
            beaten = Some(Instant::now());
            let beat = WorkerBeat { name: name.clone(), boards, ..WorkerBeat::default() };
            client.publish(subjects::kv(subjects::WORKERS, &name), encode(&beat)?).await?;
        }
        let count = free.load(Ordering::Relaxed);
        if count == 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        }
        // One request for all free boards.
        let batch = consumer.batch().max_messages(count).expires(Duration::from_secs(2));
        let mut messages = batch.messages().await?;
        while let Some(message) = messages.next().await {
            let (message, acker) = message?.split();
            let order: Order = decode(&message.payload)?;
            free.fetch_sub(1, Ordering::Relaxed);
            let (pair_number, token) = (order.pair, order.token.clone());
            let started = WorkerEvent::Started {
                pair: pair_number,
                issue: order.issue,
                token,
                game: pair_number,
            };
            client.publish(subjects::event(&name, &run), encode(&started)?).await?;
            let lasts = pair.mul_f64(0.5 + random.unit());
            let games: Vec<GameRecord> =
                order.games.iter().map(|assignment| game(assignment, &mut random)).collect();
            let (free, finished) = (Arc::clone(&free), Arc::clone(finished));
            let (jetstream, name) = (jetstream.clone(), name.clone());
            tokio::spawn(async move {
                let until = tokio::time::Instant::now() + lasts;
                while tokio::time::Instant::now() + Duration::from_secs(5) < until {
                    tokio::time::sleep(Duration::from_secs(5)).await;
                    let _ = acker.ack_with(async_nats::jetstream::AckKind::Progress).await;
                }
                tokio::time::sleep_until(until).await;
                let Order { run, pair, issue, token, .. } = order;
                let subject = subjects::result(&name, &run, pair, issue);
                if let Ok(payload) = encode(&PairResult { run, pair, issue, token, games })
                    && let Ok(sent) = jetstream.publish(subject, payload).await
                    && sent.await.is_ok()
                {
                    let _ = acker.ack().await;
                    finished.fetch_add(1, Ordering::Relaxed);
                }
                free.fetch_add(1, Ordering::Relaxed);
            });
        }
    }
}

#[test]
fn a_small_crowd_of_workers_is_carried_without_duplicates() {
    carry(&Load { workers: 10, boards: 8, pair: Duration::from_millis(300), pairs: 300 });
}

#[test]
#[ignore = "minutes: 1,000 workers with 8 boards each"]
fn a_thousand_workers_are_carried() {
    carry(&Load { workers: 1000, boards: 8, pair: Duration::from_secs(45), pairs: 30_000 });
}
