//! The history as its users see it: recorded, found, followed, kept.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_store::{
    Artefact, Build, Ending, Filter, History, Machine, Measure, Retention, Run, RunBuild, RunId,
    StoreError, TrendQuery,
};
use serde_json::json;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(number: u64, metric: &str, value: f64) -> Run {
    Run {
        id: RunId::new(),
        kind: "bench".into(),
        title: "bench of Mine".into(),
        dyno: "0.2.0".into(),
        started_ms: 1_700_000_000_000 + number as i64 * 60_000,
        elapsed_ms: 1_000,
        machine: Machine { name: "box".into(), cpu: "x".into(), cores: 2, system: "linux".into() },
        plan: json!({"depth": 12}),
        ending: Ending::Passed,
        exit_code: 0,
        baseline: false,
        builds: vec![RunBuild {
            name: "Mine".into(),
            build: Build {
                file_hash: format!("{number:016x}"),
                uci_name: "Mine 1.0".into(),
                commit: format!("{:040x}", number * 7919),
                branch: "main".into(),
                dirty: false,
                signature: Some(u64::MAX - number),
            },
        }],
        artefacts: vec![Artefact { kind: "html".into(), path: "out.html".into() }],
        measures: vec![Measure::between(metric, "Mine", value, value - 1.0, value + 1.0).of(5)],
        detail: Some(json!({"text": "x".repeat(5_000), "number": number})),
    }
}

#[test]
fn what_is_recorded_is_found_again() {
    let path = folder("found").join(".dyno/history.db");
    assert!(matches!(History::open_existing(&path), Err(StoreError::Missing { .. })));
    let mut history = History::open(&path).unwrap();
    let runs: Vec<Run> = (0..5).map(|n| run(n, "nps", 100.0)).collect();
    for run in &runs {
        assert!(history.record(run).unwrap());
        assert!(!history.record(run).unwrap(), "counted once");
    }
    let other = Run { kind: "suite".into(), ending: Ending::Failed, ..run(9, "solved", 254.0) };
    history.record(&other).unwrap();
    assert_eq!(history.run(&runs[3].id.to_string()).unwrap(), runs[3]);
    assert_eq!(history.run(&runs[3].id.short()).unwrap(), runs[3]);
    assert_eq!(history.run("last").unwrap(), other);
    let found =
        |filter: Filter| history.runs(&filter).unwrap().iter().map(|r| r.id).collect::<Vec<_>>();
    let latest_first: Vec<RunId> = runs.iter().rev().map(|r| r.id).collect();
    assert_eq!(found(Filter { kind: Some("bench".into()), ..Filter::default() }), latest_first);
    assert_eq!(found(Filter { limit: Some(1), ..Filter::default() }), [other.id]);
    assert_eq!(found(Filter { ending: Some(Ending::Failed), ..Filter::default() }), [other.id]);
    let commit = Some(runs[2].builds[0].build.commit.clone());
    assert_eq!(found(Filter { text: commit, ..Filter::default() }), [runs[2].id]);
    assert_eq!(found(Filter { text: Some("MINE".into()), ..Filter::default() }).len(), 6);
    assert!(found(Filter { text: Some("%".into()), ..Filter::default() }).is_empty());
    assert!(matches!(history.run("zzz"), Err(StoreError::NoSuchRun(_))));
    assert!(matches!(history.run("0"), Err(StoreError::NoSuchRun(_))), "all begin with it");
    assert_eq!(history.builds().unwrap().len(), 6);
    assert_eq!(history.metrics().unwrap(), [("nps".into(), 5), ("solved".into(), 1)]);
    assert_eq!(history.integrity().unwrap(), None);
}

#[test]
fn a_newer_database_is_refused_and_left_alone() {
    let path = folder("newer").join("history.db");
    drop(History::open(&path).unwrap());
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    let before = std::fs::read(&path).unwrap();
    let error = History::open(&path).unwrap_err();
    assert!(error.to_string().contains("newer Dyno (version 99"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::write(&path, "this is a text file, and a long one at that, not a database").unwrap();
    assert!(matches!(History::open(&path), Err(StoreError::Sqlite { .. })));
}

#[test]
fn a_change_is_found_at_its_commit_and_only_there() {
    let mut history = History::open(&folder("trend").join("history.db")).unwrap();
    let mut commits = Vec::new();
    for n in 0..30 {
        let speed =
            if n < 17 { 1e6 } else { 0.97e6 } * (1.0 + 0.002 * ((n * 7 % 11) as f64 - 5.0) / 5.0);
        // The machine itself is slower for a while, which the yardstick sees too.
        let machine = if (5..12).contains(&n) { 0.8 } else { 1.0 };
        let mut run = run(n, "nps", speed * machine);
        run.measures[0].pace = Some(speed);
        run.measures[0].yardstick = Some("perft".into());
        commits.push(run.builds[0].build.commit[..8].to_owned());
        history.record(&run).unwrap();
        let elsewhere = Machine { name: "laptop".into(), ..run.machine.clone() };
        history.record(&Run { id: RunId::new(), machine: elsewhere, ..run.clone() }).unwrap();
        let deeper = json!({"depth": 13});
        history.record(&Run { id: RunId::new(), plan: deeper, ..run.clone() }).unwrap();
        let broken = Run { id: RunId::new(), ending: Ending::Interrupted, ..run };
        history.record(&broken).unwrap();
    }
    let query = TrendQuery { metric: "nps".into(), ..TrendQuery::default() };
    let series = history.trend(&query).unwrap();
    assert_eq!(series.len(), 3, "two machines and two plans are not mixed");
    for series in series {
        assert_eq!(series.points.len(), 30);
        assert_eq!(series.points.iter().map(|p| p.build.clone()).collect::<Vec<_>>(), commits);
        let found: Vec<usize> = series.changes.iter().map(|c| c.at).collect();
        assert_eq!(found, [17]);
        assert!((series.changes[0].relative() + 0.03).abs() < 0.002);
        // The slow week of the machine does not show in what is drawn.
        let drawn = series.corrected().unwrap();
        assert!(drawn.iter().all(|speed| (0.96e6..1.01e6).contains(speed)), "{drawn:?}");
    }
    let none = TrendQuery { metric: "elo".into(), ..TrendQuery::default() };
    assert!(history.trend(&none).unwrap().is_empty());
}

#[test]
fn pruning_keeps_summaries_figures_and_baselines() {
    let mut history = History::open(&folder("prune").join("history.db")).unwrap();
    let runs: Vec<Run> = (0..10).map(|n| run(n, "nps", n as f64)).collect();
    assert!(runs.iter().all(|run| history.record(run).unwrap()));
    history.set_baseline(runs[1].id).unwrap();
    history.set_baseline(runs[2].id).unwrap();
    let hash = runs[0].plan_hash();
    assert_eq!(history.baseline("bench", &hash).unwrap().unwrap().id, runs[2].id);
    assert_eq!(history.baseline("suite", &hash).unwrap(), None);
    assert_eq!(history.prune(Retention::default()).unwrap().runs, 0);
    let kept = Retention { since_ms: Some(runs[6].started_ms), latest: None };
    assert_eq!(history.prune(kept).unwrap().runs, 5);
    let kept = Retention { since_ms: None, latest: Some(2) };
    assert_eq!(history.prune(kept).unwrap().runs, 2);
    let detailed: Vec<bool> =
        runs.iter().map(|r| history.run(&r.id.to_string()).unwrap().detail.is_some()).collect();
    let expected: Vec<bool> = (0..10).map(|n| [2, 8, 9].contains(&n)).collect();
    assert_eq!(detailed, expected);
    let query = TrendQuery { metric: "nps".into(), ..TrendQuery::default() };
    assert_eq!(history.trend(&query).unwrap()[0].points.len(), 10);
}

#[test]
fn exported_runs_come_back_the_same() {
    let folder = folder("exchange");
    let mut history = History::open(&folder.join("a.db")).unwrap();
    let runs: Vec<Run> = (0..4).map(|n| run(n, "nps", n as f64)).collect();
    assert!(runs.iter().all(|run| history.record(run).unwrap()));
    let mut text = Vec::new();
    assert_eq!(history.export(&Filter::default(), &mut text).unwrap(), 4);
    let mut copy = History::open(&folder.join("b.db")).unwrap();
    copy.record(&runs[2]).unwrap();
    let imported = copy.import("a.jsonl", text.as_slice()).unwrap();
    assert_eq!((imported.new, imported.known), (3, 1));
    for run in &runs {
        assert_eq!(copy.run(&run.id.to_string()).unwrap(), *run);
    }
    let error = copy.import("x.jsonl", "\n{\"kind\": 7}\n".as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("x.jsonl:2: not an exported run"), "{error}");
}

/// Not a test by itself: the process that the tests below start, and kill.
#[test]
fn writer() {
    let Ok(path) = std::env::var("DYNO_TEST_WRITER") else { return };
    let count: u64 = std::env::var("DYNO_TEST_COUNT").unwrap().parse().unwrap();
    let finished = PathBuf::from(format!("{path}.{}.finished", std::process::id()));
    let mut history = History::open(&PathBuf::from(&path)).unwrap();
    let mut log = std::fs::File::create(finished).unwrap();
    for n in 0..count {
        let run = run(n, "nps", n as f64);
        history.record(&run).unwrap();
        // Only what record() has answered for may be counted on.
        std::io::Write::write_all(&mut log, format!("{}\n", run.id).as_bytes()).unwrap();
    }
}

fn start_writer(path: &std::path::Path, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env("DYNO_TEST_WRITER", path)
        .env("DYNO_TEST_COUNT", count.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn finished(path: &std::path::Path) -> Vec<String> {
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|f| f.unwrap().path());
    let logs = files.filter(|file| file.extension().is_some_and(|e| e == "finished"));
    logs.flat_map(|log| {
        let text = std::fs::read_to_string(log).unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]).to_owned();
        whole.lines().map(str::to_owned).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn a_writer_killed_at_any_moment_loses_no_finished_run() {
    let path = folder("killed").join("history.db");
    let kills: u32 = std::env::var("DYNO_KILLS").map_or(10, |n| n.parse().unwrap());
    for kill in 0..kills {
        let mut writer = start_writer(&path, u64::MAX);
        // Until it has written something of its own, then at some moment of the next writes.
        let before = finished(&path).len();
        while finished(&path).len() <= before && writer.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_micros(u64::from(kill * 7919 % 20_000)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let history = History::open_existing(&path).unwrap();
        assert_eq!(history.integrity().unwrap(), None);
    }
    let history = History::open_existing(&path).unwrap();
    let finished = finished(&path);
    assert!(finished.len() >= kills as usize);
    for id in finished {
        assert!(history.run(&id).unwrap().detail.is_some(), "{id}");
    }
}

#[test]
fn twenty_writers_at_once_lose_nothing() {
    let path = folder("crowd").join("history.db");
    let mut writers: Vec<Child> = (0..20).map(|_| start_writer(&path, 5)).collect();
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    let history = History::open_existing(&path).unwrap();
    assert_eq!(history.runs(&Filter::default()).unwrap().len(), 100);
    assert_eq!(finished(&path).len(), 100);
}

#[test]
fn trends_over_a_thousand_runs_are_quick() {
    let mut history = History::open(&folder("many").join("history.db")).unwrap();
    let kinds = [("bench", "nps"), ("suite", "solved"), ("check", "checks passed")];
    let more = [("match", "elo"), ("regress", "pace")];
    let kinds: Vec<_> = kinds.into_iter().chain(more).collect();
    let runs = (0..1_000).map(|n| {
        let (kind, metric) = kinds[n as usize % kinds.len()];
        let value = 1e6 + (n * 7919 % 1000) as f64;
        Run { kind: kind.into(), ..run(n, metric, value) }
    });
    assert_eq!(history.add(&runs.collect::<Vec<_>>()).unwrap().new, 1_000);
    for (kind, metric) in kinds {
        let query = TrendQuery { metric: metric.into(), ..TrendQuery::default() };
        let began = std::time::Instant::now();
        let series = history.trend(&query).unwrap();
        let took = began.elapsed();
        assert_eq!((series.len(), series[0].points.len()), (1, 200), "{kind}");
        // Fifty milliseconds, with room for a machine that has other things to do.
        assert!(took.as_millis() < 500, "{metric}: {took:?}");
    }
}
