//! Every part of the terminal kit: `cargo run -p dyno-report --example terminal`.

use std::time::Duration;

use dyno_report::terminal::{
    LinePlot, Progress, Table, bars, board, bold, dim, eprintln, left, llr_bar, println, right,
    verdict,
};
use dyno_report::{Verdict, row};

fn main() {
    let progress = Progress::new("positions", Some(300), false);
    for done in 0..=300 {
        progress.set(done);
        progress.note(format!("{} solved", done * 8 / 10));
        if done == 100 {
            progress.line("warning: WAC.100: the engine crashed and was started again");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    progress.finish();
    eprintln!("{}", dim("the bar was on standard error"));

    println!("{}", bold("Checks"));
    let table = Table::new([
        left("Check"),
        left("Engine said"),
        right("Nodes"),
        right("Time"),
        left("Verdict"),
    ])
    .row(row![
        "isready while searching",
        "readyok",
        4_865_609,
        Duration::from_micros(2300),
        Verdict::Pass
    ])
    .row(row!["quit", "\u{1b}[2Jgot you", None::<u64>, Duration::from_secs(65), Verdict::Fail])
    .row(row!["棋士 time", "bestmove e2e4", 12, Duration::ZERO, Verdict::Warn])
    .row(row!["perft", "", 0, None::<u64>, Verdict::Skip]);
    println!("{table}");
    println!("{} {}\n", verdict(Verdict::Fail), "1 check failed");
    if let Some(text) = board("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1") {
        println!("{text}");
    }
    println!(
        "{}",
        bars([("Undermining", 81.0, "81.0 %"), ("Open files", 63.0, "63.0 %")], 100.0, 30)
    );
    println!("LLR {}\n", llr_bar(1.87, -2.94, 2.94, 31));
    let pass =
        (-20..=20).map(|n| (f64::from(n) / 2.0, 1.0 / (1.0 + (2.5 - f64::from(n) / 2.0).exp())));
    println!("{}", LinePlot::new(pass).size(50, 11).percent().x("true Elo"));
}
