//! What the page costs, as processor time: `cargo test -p dyno-cli --test live -- --ignored --nocapture`.

#![cfg(target_os = "linux")]

use crate::common::Folder;
use crate::server::Serving;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of processor time in a second, as Linux counts them for users.
const TICKS: f64 = 100.0;

/// Seconds of processor time of a process or thread, its children not included.
fn cpu_seconds(stat: &Path) -> f64 {
    let text = std::fs::read_to_string(stat).unwrap_or_default();
    // The name in front may contain spaces.
    let Some((_, rest)) = text.rsplit_once(')') else { return 0.0 };
    let field = |at: usize| rest.split_whitespace().nth(at).and_then(|f| f.parse::<f64>().ok());
    (field(11).unwrap_or(0.0) + field(12).unwrap_or(0.0)) / TICKS
}

/// What a whole match takes of the processor in the runner itself.
fn cpu_of_match(folder: &Folder, more: &[&str]) -> f64 {
    let toy = format!("cmd={}", dyno_testkit::toy::command(None));
    let mut args = vec!["match", "-engine", "name=A", &toy, "-engine", "name=B", &toy];
    args.extend(["-each", "depth=1", "-srand", "1", "-rounds", "150", "--no-journal", "--quiet"]);
    args.extend(more);
    let mut child = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(&args)
        .current_dir(&folder.0)
        .env("DYNO_HISTORY", folder.path(".dyno/history.db"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until it is reaped, what it took can be read, to the end.
    let stat = format!("/proc/{}/stat", child.id());
    let is_over = || std::fs::read_to_string(&stat).unwrap().contains(") Z ");
    while !is_over() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let cpu = cpu_seconds(Path::new(&stat));
    assert!(child.wait().unwrap().success());
    cpu
}

#[test]
#[ignore = "minutes: matches with and without the page, in turn"]
fn the_page_without_viewers_costs_the_runner_little() {
    let folder = Folder::new("live-figures");
    let kinds: [&[&str]; 3] =
        [&["--no-history"], &["--no-history", "--live", "0"], &["--live", "0"]];
    let mut sums = [0.0; 3];
    for turn in 0..6 {
        for (sum, more) in sums.iter_mut().zip(kinds) {
            let cpu = cpu_of_match(&folder, more);
            eprintln!("turn {turn}: {more:?}: {cpu:.2} s");
            *sum += cpu;
        }
    }
    let [without, with, told] = sums;
    eprintln!("--live: {:.3} of without; with the history: {:.3}", with / without, told / without);
    assert!(with < 1.1 * without, "{with:.2} s with the page, {without:.2} s without");
}

#[test]
#[ignore = "half a minute: fifty viewers"]
fn fifty_viewers_cost_little() {
    const VIEWERS: usize = 50;
    const WATCHED: Duration = Duration::from_secs(20);
    let folder = Folder::new("live-crowd");
    let args = ["-each", "st=0.1", "-rounds", "500", "-concurrency", "2", "--no-journal"];
    let dyno = Serving::toy_match(&folder.0, &args);
    let run = dyno.run(&[]);
    let request = format!("GET /live/{run}/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let viewers: Vec<_> = (0..VIEWERS)
        .map(|_| {
            let mut stream = TcpStream::connect(dyno.host()).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            std::thread::spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                let mut bytes = 0;
                while let Ok(read @ 1..) = stream.read(&mut buffer) {
                    bytes += read;
                }
                bytes
            })
        })
        .collect();
    let web = web_thread(dyno.pid());
    let (began, before) = (Instant::now(), cpu_seconds(&web));
    std::thread::sleep(WATCHED);
    let share = (cpu_seconds(&web) - before) / began.elapsed().as_secs_f64();
    drop(dyno);
    let bytes: usize = viewers.into_iter().map(|viewer| viewer.join().unwrap()).sum();
    assert!(bytes > VIEWERS * 10_000, "{bytes} bytes: nothing was sent");
    eprintln!("{:.1} % of a core, {} KB a viewer", 100.0 * share, bytes / VIEWERS / 1000);
    assert!(share < 0.05, "{:.1} % of a core", 100.0 * share);
}

/// The thread that answers.
fn web_thread(pid: u32) -> std::path::PathBuf {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let mut threads = threads.map(|thread| thread.unwrap().path());
    let named = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "web")
    };
    threads.find(named).unwrap().join("stat")
}
