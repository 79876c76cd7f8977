//! What a worker can do to others: nothing, by its key or by what it sends.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use async_nats::jetstream::consumer::pull;
use common::{game, nats_program, plan};
use dyno_chess::SplitMix64;
use dyno_cluster::{
    Address, ClusterError, ClusterPool, Connection, Order, PairResult, PoolSetup, Server,
    ServerSetup, decode, encode, subjects,
};
use dyno_tournament::{
    Advice, ClusterPlan, Control, Envelope, Fanout, Journal, Listener, MatchEvent, OutputError,
    Setup,
};
use futures_util::{FutureExt as _, StreamExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server with keys, gone with the test.
struct Keyed(PathBuf);

impl Drop for Keyed {
    fn drop(&mut self) {
        let _ = Server::at(&self.0).down();
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

async fn connect(invitation: &str) -> async_nats::Client {
    let address = Address::parse(invitation).unwrap();
    let opened = Connection::open(&address, "test", false).await;
    opened.unwrap_or_else(|error| panic!("{error}")).0.client
}

/// Where a worker called w1 has no business to write.
const FORBIDDEN: [&str; 26] = [
    "dyno.result.w2.r.0.1",
    "dyno.event.w2.r",
    "dyno.work.r.0",
    "dyno.news",
    "_INBOX.w2.x",
    "_INBOX.coordinator.x",
    "$KV.dyno-workers.w2",
    "$KV.dyno-matches.r",
    "$O.dyno-files.C.x",
    "$O.dyno-files.M.x",
    "$JS.ACK.dyno-results.r.1.1.1.1.0",
    "$JS.API.STREAM.MSG.GET.dyno-work",
    "$JS.API.STREAM.MSG.GET.dyno-results",
    "$JS.API.DIRECT.GET.dyno-work",
    "$JS.API.DIRECT.GET.dyno-results",
    "$JS.API.CONSUMER.MSG.NEXT.dyno-results.r",
    "$JS.API.CONSUMER.CREATE.dyno-results",
    "$JS.API.CONSUMER.CREATE.dyno-work",
    "$JS.API.CONSUMER.DURABLE.CREATE.dyno-work.r",
    "$JS.API.CONSUMER.DELETE.dyno-work.r",
    "$JS.API.STREAM.CREATE.other",
    "$JS.API.STREAM.UPDATE.dyno-work",
    "$JS.API.STREAM.PURGE.dyno-work",
    "$JS.API.STREAM.PURGE.OBJ_dyno-files",
    "$JS.API.STREAM.MSG.DELETE.dyno-results",
    "$JS.API.STREAM.DELETE.dyno-results",
];

#[test]
fn a_key_opens_its_own_doors_only() {
    if nats_program().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("dyno-security-{}", std::process::id()));
    let keyed = Keyed(folder);
    let listen = Some(([127, 0, 0, 1], 0).into());
    let setup = ServerSetup { folder: keyed.0.clone(), listen, host: None, workers: 2 };
    let started = Server::up(&setup).unwrap_or_else(|error| panic!("{error}"));
    runtime().block_on(async {
        // What answers at the address must be the server of the invitation.
        let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let mut elsewhere = Address::parse(&started.workers[0].1).unwrap();
        elsewhere.certificate = Some(other.cert.pem());
        let refused = Connection::open(&elsewhere, "test", false).await.map(drop).unwrap_err();
        assert!(matches!(refused, ClusterError::OtherServer { .. }), "{refused}");
        let coordinator = connect(started.coordinator.to_str().unwrap()).await;
        let worker = connect(&started.workers[0].1).await;
        let mut all = coordinator.subscribe(">").await.unwrap();
        // A subscription holds once what its own connection sends after it is heard.
        coordinator.publish("dyno.event.test", "subscribed".into()).await.unwrap();
        while &all.next().await.unwrap().payload[..] != b"subscribed" {}
        for subject in FORBIDDEN {
            worker.publish(subject, "forged".into()).await.unwrap();
        }
        worker.publish("dyno.event.w1.r", "own".into()).await.unwrap();
        loop {
            let message = all.next().await.unwrap();
            assert_ne!(&message.payload[..], b"forged", "{}", message.subject);
            if &message.payload[..] == b"own" {
                break;
            }
        }
        // Nor does it hear what is not for it.
        let mut news = worker.subscribe(subjects::NEWS).await.unwrap();
        let mut ears = Vec::new();
        for subject in ["dyno.result.>", "dyno.work.>", "$KV.>", "_INBOX.>", "_INBOX.w2.>", ">"] {
            ears.push(worker.subscribe(subject).await.unwrap());
        }
        worker.flush().await.unwrap();
        // The coordinator may, so that the silence above was not for want of an address.
        for subject in FORBIDDEN {
            coordinator.publish(subject, "allowed".into()).await.unwrap();
        }
        let mut heard = std::collections::BTreeSet::new();
        while heard.len() < FORBIDDEN.len() {
            let message = tokio::time::timeout(Duration::from_secs(600), all.next()).await;
            let message = message.unwrap_or_else(|_| panic!("only {heard:?}")).unwrap();
            if &message.payload[..] == b"allowed" {
                heard.insert(message.subject.to_string());
            }
        }
        // It hears the news, once its subscription has arrived.
        let heard = loop {
            coordinator.publish(subjects::NEWS, "allowed".into()).await.unwrap();
            if let Ok(news) = tokio::time::timeout(Duration::from_millis(200), news.next()).await {
                break news.unwrap();
            }
        };
        assert_eq!(&heard.payload[..], b"allowed");
        for mut ear in ears {
            let overheard = ear.next().now_or_never().flatten();
            assert!(overheard.is_none(), "{overheard:?}");
        }
    });
}

/// What the users of a match are warned about.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<Advice>>>);

impl Listener for Warnings {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        if let MatchEvent::Warning { advice } = &envelope.event {
            self.0.lock().unwrap().push(advice.clone());
        }
        Ok(())
    }
}

/// Plays a match of two pairs as its coordinator.
fn coordinate(server: String, journal: &Path, warnings: Warnings) {
    let (plan, control) = (plan(2), Control::new(Arc::default(), 1));
    let pool = ClusterPool::connect(PoolSetup {
        plan: plan.clone(),
        cluster: ClusterPlan { server, ..ClusterPlan::default() },
        control: control.clone(),
        interrupts: Arc::default(),
        log: None,
        say: Box::new(|_| {}),
    });
    let pool = pool.unwrap_or_else(|error| panic!("{error}"));
    let journal = Some(journal.to_owned());
    let setup = Setup { journal, pool: Some(Box::new(pool)), ..Setup::new(&control) };
    dyno_tournament::run(&plan, setup, Fanout::new().direct(warnings)).unwrap();
}

type Found = Result<(String, async_nats::jetstream::consumer::Consumer<pull::Config>), ()>;

/// The match at hand, once its coordinator has announced it.
async fn find_match(jetstream: &async_nats::jetstream::Context) -> Found {
    let stream = jetstream.get_stream(subjects::WORK).await.map_err(drop)?;
    let run = stream.consumer_names().next().await.ok_or(())?.map_err(drop)?;
    let consumer = stream.get_consumer(&run).await.map_err(drop)?;
    Ok((run, consumer))
}

#[test]
fn forged_results_count_for_nothing_and_blame_only_their_sender() {
    let Some(server) = common::Server::start() else { return };
    let (journal, warnings) = (server.folder.join("match.journal"), Warnings::default());
    let coordinator = {
        let (url, journal, warnings) = (server.url(), journal.clone(), warnings.clone());
        std::thread::spawn(move || coordinate(url, &journal, warnings))
    };
    runtime().block_on(async {
        let address = Address::parse(&server.url()).unwrap();
        let (connection, _states) = Connection::open(&address, "test", false).await.unwrap();
        let (run, consumer) = loop {
            match find_match(&connection.jetstream).await {
                Ok(found) => break found,
                Err(()) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        let put = |worker: &str, pair, issue, payload| {
            let subject = subjects::result(worker, &run, pair, issue);
            let jetstream = connection.jetstream.clone();
            async move { jetstream.publish(subject, payload).await.unwrap().await.unwrap() }
        };
        for issue in 1..=3 {
            let (run, token) = (run.clone(), "0".repeat(32));
            let forged = PairResult { run, pair: 0, issue, token, games: Vec::new() };
            put("evil", 0, issue, encode(&forged).unwrap()).await;
            put("honest", 0, 90 + issue, "no result".into()).await;
        }
        let mut random = SplitMix64::new(1);
        let mut is_first = true;
        while !coordinator.is_finished() {
            // What arrives after the request has ended comes again only once its lease is over.
            let batch = consumer.batch().max_messages(4).expires(Duration::from_secs(5));
            let Ok(mut messages) = batch.messages().await else { continue };
            while let Some(Ok(message)) = messages.next().await {
                let order: Order = decode(&message.payload).unwrap();
                let mut games: Vec<_> =
                    order.games.iter().map(|assignment| game(assignment, &mut random)).collect();
                if std::mem::replace(&mut is_first, false) {
                    games[0].moves[0].uci = "a1a8".to_owned();
                }
                let Order { run, pair, issue, token, .. } = order;
                let result = PairResult { run, pair, issue, token, games };
                put("honest", pair, issue, encode(&result).unwrap()).await;
                message.ack().await.unwrap();
            }
        }
    });
    coordinator.join().unwrap();
    let mut players = Vec::new();
    Journal::read(&journal, |record| players.push(record.worker.unwrap().name)).unwrap();
    assert_eq!(players, ["honest"; 4]);
    let told = warnings.0.lock().unwrap();
    let told = |code: &str| -> Vec<&str> {
        told.iter().filter(|a| a.code == code).map(|a| a.message.as_str()).collect()
    };
    assert_eq!(told("message-unreadable").len(), 3);
    let refused = told("result-refused");
    assert_eq!(refused.iter().filter(|text| text.contains("did not hold the lease")).count(), 3);
    assert_eq!(refused.iter().filter(|text| text.contains("worker honest")).count(), 1);
    let excluded = told("worker-excluded");
    assert!(matches!(excluded[..], [text] if text.contains("worker evil")), "{excluded:?}");
}
