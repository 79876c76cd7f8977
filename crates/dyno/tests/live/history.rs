//! `dyno serve`: past runs, and what runs in other processes.

use crate::browser::Browser;
use crate::common::Folder;
use crate::server::{Serving, status};
use std::process::{Command, Stdio};

/// Runs a command in a folder, recorded in the history of a project.
fn dyno(folder: &Folder, project: &Folder, args: &[&str]) {
    let done = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(args)
        .current_dir(&folder.0)
        .env("DYNO_HISTORY", project.path(".dyno/history.db"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(done.success(), "{args:?}");
}

#[test]
fn games_of_a_finished_match_can_be_played_through() {
    let folder = Folder::new("serve-archive");
    folder.file("dyno.toml", "");
    let elsewhere = Folder(folder.0.join("matches"));
    std::fs::create_dir_all(&elsewhere.0).unwrap();
    let toy = format!("cmd={}", dyno_testkit::toy::command(None));
    let args = ["match", "-engine", "name=A", &toy, "-engine", "name=B", &toy, "-each", "depth=1"];
    let more = ["-rounds", "2", "-maxmoves", "20", "--quiet", "-pgnout", "games.pgn"];
    dyno(&elsewhere, &folder, &[&args[..], &more[..]].concat());
    assert!(elsewhere.0.join("dyno-journals/games.journal.zst").is_file());
    let serve = Serving::start(&folder.0, &["serve", "0"]);
    let games = serve.get("/run/last/games");
    assert!(status(&games) == 200 && games.contains("/run/last/game/4"), "{games}");
    let game = serve.get("/run/last/game/4.pgn");
    assert!(status(&game) == 200 && game.contains("[White "), "{game}");
}

#[test]
fn past_runs_have_their_pages() {
    let folder = Folder::new("serve-history");
    folder.file("dyno.toml", "");
    std::fs::create_dir_all(folder.0.join(".dyno")).unwrap();
    let toy = format!("cmd={}", dyno_testkit::toy::command(None));
    for seed in ["1", "2"] {
        let name = format!("match-{seed}.json");
        let journal = format!("match-{seed}.journal");
        dyno(
            &folder,
            &folder,
            &[
                "match",
                "-engine",
                "name=<b>Piston</b>",
                "cmd=builtin",
                "-engine",
                "name=Toy",
                &toy,
                "-each",
                "depth=1",
                "-rounds",
                "4",
                "-srand",
                seed,
                "--quiet",
                "--journal",
                &journal,
                "--report-json",
                &name,
            ],
        );
        dyno(&folder, &folder, &["history", "import", &name]);
    }
    dyno(
        &folder,
        &folder,
        &[
            "suite",
            "--epd",
            "wac",
            "--nodes",
            "50",
            "--limit",
            "10",
            "--quiet",
            "--report-json",
            "suite.json",
        ],
    );
    dyno(&folder, &folder, &["history", "import", "suite.json"]);
    let serve = Serving::start(&folder.0, &["serve", "0"]);
    let list = serve.get("/");
    assert!(status(&list) == 200 && list.contains("Finished") && list.contains("/run/"), "{list}");
    assert!(list.contains("&lt;b&gt;Piston") && !list.contains("<b>Piston"));
    let Some(mut browser) = Browser::start("serve") else { return };
    browser.open(&serve.url);
    browser.wait_for("document.querySelectorAll('tbody tr').length >= 3");
    browser.assert_healthy("all runs");
    let all = "[...document.querySelectorAll('tbody tr')]";
    let run = browser.eval(&format!(
        "{all}.find((row) => row.textContent.includes('match')).querySelector('a').href"
    ));
    browser.open(run.as_str().unwrap());
    browser.wait_for("document.querySelector('figure.chart')");
    browser.wait_for("document.querySelector('main').textContent.includes('In the history')");
    browser.assert_healthy("a match of the past");
    browser.open(&format!("{}/games", run.as_str().unwrap()));
    browser.wait_for("document.querySelectorAll('tbody tr').length === 8");
    browser.open(&format!("{}/game/3", run.as_str().unwrap()));
    browser.wait_for("document.querySelector('#viewer').dataset.ply === '0'");
    for (path, wanted) in [
        ("trends", "tbody a"),
        ("trends?metric=elo", "figure.chart"),
        ("engines", "tbody a[href^=\"/?text=\"]"),
        ("?text=wac", "tbody a[href^=\"/run/\"]"),
        ("compare?a=last&b=last", "tbody tr"),
    ] {
        browser.open(&format!("{}{path}", serve.base()));
        browser.wait_for(&format!("document.querySelector('{wanted}')"));
        browser.assert_healthy(path);
    }
    for path in ["/run/nothing", "/compare?a=nothing&b=last", "/run/x/games"] {
        assert_eq!(status(&serve.get(path)), 404, "{path}");
    }
}

#[test]
fn what_other_processes_do_is_shown_while_they_do_it() {
    let folder = Folder::new("serve-running");
    let serve = Serving::start(&folder.0, &["serve", "0"]);
    assert!(serve.get("/").contains("Nothing runs at the moment"));
    let toy = format!("cmd={}", dyno_testkit::toy::command(None));
    let long: [&[&str]; 2] = [
        &[
            "match",
            "-engine",
            "name=Piston",
            "cmd=builtin",
            "-engine",
            "name=Toy",
            &toy,
            "-each",
            "st=0.2",
            "-rounds",
            "500",
            "--quiet",
        ],
        &["suite", "--epd", "wac", "--movetime", "300", "--quiet"],
    ];
    let Some(mut browser) = Browser::start("running") else { return };
    for args in long {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(args)
            .current_dir(&folder.0)
            .env("DYNO_HISTORY", folder.path(".dyno/history.db"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        browser.open(&serve.url);
        while browser.eval("Boolean(document.querySelector('a[href^=\"/live/\"]'))") != true {
            std::thread::sleep(std::time::Duration::from_millis(300));
            browser.open(&serve.url);
        }
        let address = browser.eval("document.querySelector('a[href^=\"/live/\"]').href");
        browser.open(address.as_str().unwrap());
        let moving = match args[0] {
            "match" => "Number(document.querySelector('.game')?.dataset.plies) > 3",
            _ => "document.querySelectorAll('#panel-rows tbody tr').length > 2",
        };
        browser.wait_for(moving);
        browser.assert_healthy(args[0]);
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_dir_all(folder.0.join(".dyno/live")).unwrap();
    }
}
