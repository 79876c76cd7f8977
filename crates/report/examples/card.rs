//! A report card with every verdict: `cargo run -p dyno-report --example card > card.svg`.

use dyno_report::{Verdict, svg_card::ReportCard};

#[allow(clippy::print_stdout, reason = "an example whose output is the picture")]
fn main() {
    let card = ReportCard::new("Report card · dyno check", "My engine <0.1>")
        .score(41, 46)
        .check("Legal moves", Verdict::Pass, "126 positions, 1,234,567,890 nodes")
        .check("Protocol", Verdict::Fail, "2 of 31 rules broken")
        .check("Hash and position", Verdict::Skip, "the engine prints no key")
        .check("Time", Verdict::Warn, "overruns movetime by 12 ms")
        .check("Stability", Verdict::Pass, "20 games, no crash, no illegal move")
        .foot("dyno check --engine ./build/engine");
    print!("{}", card.svg());
}
