//! What the tests of the cluster share: a server, a plan, and games without engines.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says what it leaves out")]

use dyno_chess::{Color, SplitMix64};
use dyno_driver::EngineSpec;
use dyno_tournament::{
    Assignment, End, EngineEntry, GameRecord, GameResult, Limits, MoveRecord, Plan,
};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub fn plan(rounds: u32) -> Plan {
    let spec: EngineSpec = dyno_testkit::scripted::command(&[]).parse().unwrap();
    let limits = Limits { nodes: Some(100), ..Limits::default() };
    let engines = ["A", "B"].map(|name| EngineEntry::new(name, &spec, limits.clone()));
    let mut plan = Plan { engines: engines.into(), seed: 1, ..Plan::default() };
    plan.tournament.rounds = rounds;
    plan
}

/// Sixty random legal moves, then the side to move gives up: a game that anyone can check.
pub fn game(assignment: &Assignment, random: &mut SplitMix64) -> GameRecord {
    let mut record = GameRecord {
        slot: assignment.slot,
        result: GameResult::loss(Color::White, End::Resignation),
        started: 0,
        lasted: 0,
        start: assignment.start.clone(),
        options: assignment.options.clone(),
        moves: Vec::new(),
        faults: Vec::new(),
        worker: None,
    };
    let mut game = record.opening(false).unwrap();
    for _ in 0..60 {
        if let Some(outcome) = game.adjudicated() {
            record.result = GameResult::by_rule(outcome);
            return record;
        }
        let moves = game.position().legal_moves();
        let mv = moves[random.below(moves.len())];
        let uci = game.position().uci(mv);
        let nanos = random.next_u64() % 400_000_000;
        record.moves.push(MoveRecord {
            uci,
            nanos,
            nodes: Some(nanos / 7),
            depth: Some(14),
            ..MoveRecord::default()
        });
        game.play(mv);
    }
    record.result = match game.adjudicated() {
        Some(outcome) => GameResult::by_rule(outcome),
        None => GameResult::loss(game.position().side_to_move(), End::Resignation),
    };
    record
}

/// The server's program; says so where there is none.
pub fn nats_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: nats-server is not installed (Debian: nats-server)");
    }
    found
}

/// A nats-server of the test's own.
pub struct Server {
    child: Child,
    pub folder: PathBuf,
    port: u16,
}

impl Server {
    pub fn start() -> Option<Self> {
        let program = nats_program()?;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let folder = std::env::temp_dir().join(format!("dyno-load-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let child = Command::new(program)
            .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(600);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { child, folder, port })
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
