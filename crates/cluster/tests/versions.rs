//! Machines with another Dyno are told apart, and their users told.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, reason = "shared with tests that play")]
mod common;

use common::Server;
use dyno_cluster::{Address, Connection, PROTOCOL, WorkerBeat, encode, status, subjects};

#[test]
fn workers_and_matches_of_another_version_are_shown() {
    let Some(server) = Server::start() else { return };
    let address = Address::parse(&server.url()).unwrap();
    let seen = || status(&address, false).unwrap_or_else(|error| panic!("{error}"));
    assert!(seen().unreadable.is_empty(), "and the streams are there");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let opened = Connection::open(&address, "test", false).await;
        let (connection, _states) = opened.unwrap_or_else(|error| panic!("{error}"));
        let mut newer = encode(&WorkerBeat::default()).unwrap().to_vec();
        newer[2] = PROTOCOL + 1;
        for subject in
            [subjects::kv(subjects::WORKERS, "late"), subjects::kv(subjects::MATCHES, "soon")]
        {
            let sent = connection.jetstream.publish(subject, newer.clone().into()).await;
            sent.unwrap().await.unwrap();
        }
    });
    let seen = seen();
    assert!(seen.workers.is_empty() && seen.matches.is_empty());
    for (told, name) in seen.unreadable.iter().zip(["match soon: ", "worker late: "]) {
        assert!(told.starts_with(name) && told.contains("install the same Dyno"), "{told}");
    }
    assert_eq!(seen.unreadable.len(), 2);
}
