//! A running match in a real browser.

use crate::browser::Browser;
use crate::common::Folder;
use crate::server::{Serving, status};
use serde_json::Value;

#[test]
fn the_numbers_are_those_of_the_report_and_a_reload_loses_nothing() {
    let folder = Folder::new("live-numbers");
    let Some(mut browser) = Browser::start("numbers") else { return };
    let report = folder.path("report.json");
    let more = ["-each", "depth=1", "-rounds", "100", "-concurrency", "2", "-wait", "100"];
    let test = ["-sprt", "elo0=-1", "elo1=0.1", "--report-json", &report];
    let mut dyno = Serving::toy_match(&folder.0, &[&more[..], &test].concat());
    browser.open(&dyno.url);
    browser.wait_for("document.querySelector('#games')?.value >= 20");
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait_for("document.querySelector('#live')?.dataset.seen");
    let after = browser.eval("Number(document.querySelector('#games').value)");
    assert!(after.as_f64().unwrap() >= 20.0, "after the reload: {after}");
    browser.wait_for("document.querySelector('#live').dataset.over");
    dyno.wait();
    let told: Value = serde_json::from_str(&folder.read("report.json")).unwrap();
    let mut shown = |id: &str| {
        let value = browser.eval(&format!("document.querySelector('data#{id}').value"));
        value.as_str().unwrap().parse::<f64>().unwrap()
    };
    let duel = &told["versus"][0];
    let sprt = &told["sprt"];
    for (id, wanted) in [
        ("games", &told["games"]),
        ("wins", &duel["tally"]["wins"]),
        ("losses", &duel["tally"]["losses"]),
        ("draws", &duel["tally"]["draws"]),
        ("elo", &duel["estimate"]["elo"]),
        ("los", &duel["estimate"]["los"]),
        ("llr", &sprt["llr"]),
    ] {
        assert_eq!(shown(id), wanted.as_f64().unwrap(), "{id}");
    }
    assert_eq!(told["games"], 200);
    let pairs: f64 =
        sprt["tally"]["pairs"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert_eq!(shown("counted"), pairs);
    let bars = "[...document.querySelectorAll('#panel-course figure.chart')].pop().querySelector('desc').textContent";
    let bars = browser.eval(bars).as_str().unwrap().to_owned();
    for (kind, count) in
        ["LL", "LD", "WL, DD", "WD", "WW"].iter().zip(duel["tally"]["pairs"].as_array().unwrap())
    {
        assert!(bars.contains(&format!("{kind}: {count}")), "{bars}: {kind} {count}");
    }
    browser.assert_healthy("a match that is over");
}

#[test]
fn boards_move_and_names_are_text() {
    let folder = Folder::new("live-boards");
    let Some(mut browser) = Browser::start("boards") else { return };
    let hostile = "name=<img src=x onerror=document.title='owned'>";
    let args = [
        "-engine",
        hostile,
        "cmd=builtin",
        "-each",
        "st=0.3",
        "-rounds",
        "50",
        "-concurrency",
        "2",
    ];
    let dyno = Serving::toy_match(&folder.0, &args);
    browser.open(&dyno.url);
    browser.wait_for("document.querySelectorAll('.game').length === 2");
    browser.wait_for("Number(document.querySelector('.game').dataset.plies) > 2");
    let state = "(() => { const card = document.querySelector('.game'); return [card.dataset.game, Number(card.dataset.plies), card.querySelector('.pieces').innerHTML]; })()";
    let before = browser.eval(state);
    browser.wait_for(&format!(
        "Number(document.querySelector('.game').dataset.plies) > {}",
        before[1]
    ));
    let after = browser.eval(state);
    assert_eq!(before[0], after[0], "the same game");
    assert_ne!(before[2], after[2], "its pieces have moved");
    browser.wait_for("document.querySelector('.game .said').textContent.includes('depth')");
    // The opponent is a toy that says little; the page is of both.
    assert_eq!(browser.eval("document.querySelectorAll('main img, main script').length"), 0);
    assert_ne!(browser.eval("document.title"), "owned");
    let names = browser.eval("document.querySelector('#panel-engines').textContent");
    assert!(names.as_str().unwrap().contains("<img src=x onerror"), "{names}");
    let names = "#dyno-names";
    assert_eq!(
        browser.eval(
            "document.querySelector('.game use[href^=\"#dyno-names\"]').getAttribute('href')"
        ),
        names
    );
    browser.eval("document.querySelector('.game .turn').click()");
    let turned = browser
        .eval("document.querySelector('.game use[href^=\"#dyno-names\"]').getAttribute('href')");
    assert_eq!(turned, "#dyno-names-flipped");
    browser.eval("document.querySelector('.game h3 button').click()");
    browser.wait_for("document.querySelector('#large').open && document.querySelectorAll('#large .moves button').length > 0");
    browser.key("ArrowLeft");
    browser.wait_for("document.querySelector('#large .viewer').dataset.ply !== ''");
    browser.assert_healthy("the larger view");
    browser.eval("document.querySelector('#large').close()");
    browser.assert_healthy("a running match");
}

#[test]
fn a_finished_game_is_played_through_with_keys_and_can_be_downloaded() {
    let folder = Folder::new("live-viewer");
    let Some(mut browser) = Browser::start("viewer") else { return };
    for journal in ["--journal=kept.journal", "--no-journal"] {
        let args = ["-each", "depth=1", "-rounds", "500", "-wait", "300", journal];
        let dyno = Serving::toy_match(&folder.0, &args);
        browser.open(&dyno.url);
        browser.wait_for("document.querySelector('#panel-results a')");
        let address = browser.eval("document.querySelector('#panel-results tbody a').href");
        browser.open(address.as_str().unwrap());
        browser.wait_for("document.querySelector('#viewer').dataset.ply === '0'");
        for (key, ply) in
            [("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1"), ("Home", "0")]
        {
            browser.key(key);
            assert_eq!(browser.eval("document.querySelector('#viewer').dataset.ply"), ply, "{key}");
        }
        browser.key("End");
        let (last, moves) = (
            browser.eval("document.querySelector('#viewer').dataset.ply"),
            browser.eval("String(document.querySelectorAll('#viewer .moves button').length)"),
        );
        assert!(last == moves && last != "0", "{last} of {moves}");
        browser.assert_healthy("a finished game");
        let path = address.as_str().unwrap().split_once(&dyno.host()).unwrap().1.to_owned();
        let pgn = dyno.get(&format!("{path}.pgn"));
        assert_eq!(status(&pgn), 200);
        assert!(
            pgn.contains("content-disposition: attachment") && pgn.contains("[White \""),
            "{pgn}"
        );
        assert_eq!(status(&dyno.get(&format!("{path}9999"))), 404);
        browser.open(&format!("{}games", address.as_str().unwrap().split("game/").next().unwrap()));
        browser.wait_for("document.querySelectorAll('tbody tr').length > 0");
        browser.assert_healthy("all games");
    }
}
