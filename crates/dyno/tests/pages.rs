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

#[test]
fn two_engines_share_a_board_of_the_suite_page() {
    let toy = dyno_testkit::toy::command(None);
    let args = ["suite", "wac", "--nodes", "50", "--limit", "40", "--engine", "builtin"];
    let page = page_of("suite-two", &[&args[..], &["--engine", &toy]].concat());
    let extra = "check('both moves are on a board', all('.position').some((p) => one('.arrow.played', p) && one('.arrow.second', p)));\n\
                 check('the verdict comes first', one('h1').nextElementSibling.classList.contains('verdict'));\n";
    harness::assert_healthy("dyno suite with two engines", &page, extra);
}

#[test]
fn tournament_page_is_healthy() {
    let toy = dyno_testkit::toy::command(None);
    let mut args = vec!["match", "--engine", "builtin", "--engine", &toy, "--engine", &toy];
    args.extend(["-each", "depth=1", "-games", "2", "-maxmoves", "20", "-srand", "1"]);
    args.extend(["--no-journal", "--quiet"]);
    let extra = "const captions = all('caption').map((c) => c.textContent);\n\
                 for (const name of ['Crosstable', 'Ends by engine', 'Faults by engine', 'Meetings'])\n\
                 check(name, captions.some((c) => c.startsWith(name)), captions.join());\n\
                 const facts = all('.facts dt').map((d) => d.textContent);\n\
                 for (const name of ['Date', 'Machine', 'Command']) check(name, facts.includes(name), facts.join());\n";
    harness::assert_healthy("a tournament", &page_of("tournament", &args), extra);
}

#[test]
fn perft_pages_are_healthy() {
    let suite = ["perft", "--suite", "standard", "--max-nodes", "3000", "--quiet"];
    let extra = "check('passed', one('.verdict.pass').textContent.startsWith('PASSED: '));\n";
    harness::assert_healthy("dyno perft --suite", &page_of("perft-suite", &suite), extra);
    let broken = dyno_testkit::toy::command(Some(dyno_testkit::toy::Bug::NoUnderpromotion));
    let engine = [&suite[..], &["--engine", &broken]].concat();
    let extra = "check('failed', one('.verdict.fail').textContent.startsWith('FAILED: '));\n\
                 check('the rule has its board', all('.card svg.board').length >= 1);\n";
    harness::assert_healthy("dyno perft --engine", &page_of("perft-engine", &engine), extra);
    let count = page_of("perft-count", &["perft", "2", "--quiet"]);
    let extra = "check('right', one('.verdict.pass').textContent.includes('400'));\n";
    harness::assert_healthy("dyno perft", &count, extra);
}

#[test]
fn ratings_page_is_healthy() {
    let pgn = std::env::temp_dir().join(format!("dyno-page-{}.pgn", std::process::id()));
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n"
        )
    };
    let games = [("A", "B", "1-0"), ("B", "C", "1/2-1/2"), ("C", "A", "0-1"), ("B", "A", "1-0")];
    let text: String =
        games.iter().map(|(white, black, result)| game(white, black, result)).collect();
    std::fs::write(&pgn, text).unwrap();
    let page = page_of("ratings", &["ratings", pgn.to_str().unwrap(), "--quiet"]);
    std::fs::remove_file(&pgn).unwrap();
    let extra = "check('who met whom', all('caption').some((c) => c.textContent.startsWith('Crosstable')));\n\
                 check('who leads', one('.verdict').textContent.includes('leads'));\n";
    harness::assert_healthy("dyno ratings", &page, extra);
}

#[test]
fn regress_page_is_healthy() {
    let config = std::env::temp_dir().join(format!("dyno-page-{}.toml", std::process::id()));
    let text = "[engine]\ncommand = \"builtin\"\n\n[perft]\ndepth = 3\n\n[[suite]]\nepd = \"wac\"\nnodes = 50\n\
                limit = 10\nmin_score = 100\n";
    std::fs::write(&config, text).unwrap();
    let args = ["regress", "--config", config.to_str().unwrap(), "--baseline", "none", "--quiet"];
    let page = page_of("regress", &args);
    std::fs::remove_file(&config).unwrap();
    let extra = "check('failed', one('.verdict.fail').textContent.startsWith('FAILED: 1 of 2'), one('.verdict').textContent);\n\
                 check('every step is listed', all('tbody tr').length >= 4);\n";
    harness::assert_healthy("dyno regress", &page, extra);
}
