//! The HTML pages that commands really write, examined in a real browser at two widths.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

#[path = "../../report/tests/browser/harness.rs"]
mod harness;

use std::process::Command;

/// Runs a command that writes a page and returns the page.
fn page_of(name: &str, args: &[&str]) -> String {
    let file = std::env::temp_dir().join(format!("dyno-page-{}-{name}.html", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(args)
        .arg("--report-html")
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let page =
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}: {said}"));
    std::fs::remove_file(&file).unwrap();
    page
}

#[test]
fn suite_page_is_healthy() {
    let args = ["suite", "--epd", "wac", "--nodes", "50", "--limit", "40"];
    let extra = "check('misses are drawn', all('.card svg.board').length > 5);\n";
    harness::assert_healthy("dyno suite", &page_of("suite", &args), extra);
}

#[test]
fn bench_page_is_healthy() {
    let toy = dyno_testkit::toy::command(None);
    let broken = dyno_testkit::toy::command(Some(dyno_testkit::toy::Bug::NoUnderpromotion));
    let args = ["bench", "--engine", &toy, "--engine", &broken, "--depth", "2", "--runs", "3"];
    let extra = "check('speed by run and by position', all('figure.chart, div.bars').length >= 2);\n\
                 check('every position of both', all('tbody tr').length >= 48);\n";
    harness::assert_healthy("dyno bench", &page_of("bench", &args), extra);
}

#[test]
fn mate_page_is_healthy() {
    let args =
        ["mate", "--epd", "mate-in-3", "--epd", "documents", "--nodes", "30", "--limit", "12"];
    let extra = "check('misses are drawn', all('svg.board').length > 2);\n\
                 check('mates are counted by depth', document.body.textContent.includes('By mate depth'));\n";
    harness::assert_healthy("dyno mate", &page_of("mate", &args), extra);
}

#[test]
fn match_page_is_healthy() {
    let toy = format!("cmd={}", dyno_testkit::toy::command(None));
    let mut args =
        vec!["match", "-engine", "name=Piston", "cmd=builtin", "-engine", "name=Toy", &toy];
    args.extend([
        "-each",
        "depth=1",
        "-games",
        "8",
        "-maxmoves",
        "40",
        "-srand",
        "1",
        "--no-journal",
    ]);
    args.extend(["-sprt", "elo0=0", "elo1=50", "--quiet"]);
    let extra = "check('the course of the match is drawn', all('figure.chart').length >= 1);\n\
                 check('both players are listed', document.body.textContent.includes('Piston') && document.body.textContent.includes('Toy'));\n";
    harness::assert_healthy("dyno match", &page_of("match", &args), extra);
}

#[test]
fn check_page_is_healthy() {
    let broken = dyno_testkit::toy::command(Some(dyno_testkit::toy::Bug::NoUnderpromotion));
    let args =
        ["check", "--engine", &broken, "--only", "startup", "--only", "legality.perft", "--quiet"];
    let extra = "check('the fault is shown', document.body.textContent.includes('promotion'));\n\
                 check('every check is listed', all('tbody tr, .card, details').length >= 4);\n";
    harness::assert_healthy("dyno check", &page_of("check", &args), extra);
}
