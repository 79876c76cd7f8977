//! Every part of the HTML kit on one page:
//! `cargo run -p dyno-report --example gallery > gallery.html`.

use std::time::Duration;

use dyno_report::html::{
    Arrow, BarChart, Board, Card, Cards, Code, Column, ColumnChart, Details, Html, LineChart, Note,
    Page, Row, Section, Series, Table, Tiles,
};
use dyno_report::{Verdict, cells};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// What a hostile engine might call itself.
const HOSTILE: &str = "<script>document.title='owned'</script> & \"Co\"";

#[allow(clippy::print_stdout, reason = "an example whose output is the page")]
#[allow(dead_code, reason = "the browser test includes this file as a module")]
fn main() {
    print!("{}", page().render());
}

/// The page, also driven by the browser test.
pub fn page() -> Page {
    Page::new(format!("Gallery of {HOSTILE}"))
        .command("suite")
        .lead("254 of 300 positions solved; every part of the kit on one page.")
        .fact("Engine", HOSTILE)
        .fact("Suite", Html::code("suites/wac.epd"))
        .fact("Limit", "100,000 nodes a position, Hash 16 MB, 1 thread")
        .fact("Seed", "42")
        .add(tiles())
        .section(tables())
        .section(boards())
        .section(charts())
        .section(misses())
        .section(blocks())
        .foot("dyno suite --epd wac --nodes 100000 --report-html gallery.html")
}

fn tiles() -> Tiles {
    Tiles::new()
        .judged(Verdict::Pass, "Solved", "254 / 300", "84.7 %")
        .judged(Verdict::Warn, "Time to solution", "12.4 ms", "median")
        .judged(Verdict::Fail, "Crashes", "1", "at WAC.100")
        .tile("Speed", "1,234,567", "nodes a second")
}

fn tables() -> Section {
    let rows = (0..60_u64).map(|n| {
        let verdict = match n % 7 {
            0 => Verdict::Fail,
            3 => Verdict::Warn,
            5 => Verdict::Skip,
            _ => Verdict::Pass,
        };
        let depth = (n % 11 != 4).then_some(n % 17 + 4);
        cells![
            format!("WAC.{:03}", n * 37 % 300),
            if n == 2 { HOSTILE } else { "Qxh7+" },
            n * n * 7_919 % 1_234_567,
            Duration::from_micros(n * 7_331 % 90_000 + 15),
            depth,
            verdict,
        ]
    });
    let columns = [
        Column::code("Id"),
        Column::code("Engine's move"),
        Column::number("Nodes"),
        Column::number("Time").hint("from go to bestmove"),
        Column::number("Depth"),
        Column::choice("Verdict"),
    ];
    let small = Table::new("By theme", [Column::text("Theme"), Column::number("Score")])
        .row(cells!["Undermining", dyno_report::html::Cell::share(81, 100)])
        .row(cells!["Open files and diagonals", dyno_report::html::Cell::share(9, 100)])
        .row(cells!["Knight outposts", dyno_report::html::Cell::share(100, 100)]);
    let long = Table::new("A long list", [Column::number("Row"), Column::number("Square")])
        .rows((1..=450_u64).map(|n| cells![n, n * n]));
    Section::new("Tables")
        .text("Click a head to sort; type to filter.")
        .add(Table::new("Positions", columns).rows(rows))
        .add(small)
        .add(long)
}

fn boards() -> Section {
    Section::new("Boards").add(Row::of_boards([
        Board::new(START).last_move("e2", "e4"),
        Board::new(KIWIPETE)
            .arrow("e2", "a6", Arrow::Expected)
            .arrow("e5", "g6", Arrow::Played)
            .legend(Arrow::Expected, "expected Bxa6")
            .legend(Arrow::Played, "engine Nxg6"),
        Board::new("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1")
            .mover_below()
            .uci_arrow("h4g3", Arrow::Expected)
            .uci_arrow("f4f3", Arrow::Played),
        Board::new(KIWIPETE).bare().caption("without coordinates"),
        Board::new(HOSTILE),
    ]))
}

fn misses() -> Section {
    let card = |n: usize| {
        Card::new(format!("WAC.{n:03}"))
            .verdict(if n.is_multiple_of(4) { Verdict::Fail } else { Verdict::Warn })
            .add(
                Board::new("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1")
                    .uci_arrow("h6h7", Arrow::Expected)
                    .uci_arrow("d3g6", Arrow::Played)
                    .legend(Arrow::Expected, "expected Qxh7+")
                    .legend(Arrow::Played, "engine Bxg6"),
            )
            .fact("Score", "+1.23")
            .fact("Depth", "14")
            .add(
                Code::new("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1")
                    .label("FEN"),
            )
    };
    Section::new("Misses").add(Cards::new("Missed positions").cards((1..=9).map(card)))
}

fn blocks() -> Section {
    Section::new("Other blocks")
        .add(Note::new(Verdict::Warn, "3 time losses: the machine may be overloaded; try --concurrency 1."))
        .add(Note::new(Verdict::Fail, Html::paragraph("The engine answered an illegal move.")))
        .add(Note::new(Verdict::Pass, "Nothing to complain about."))
        .add(Note::new(Verdict::Skip, "No perft: the engine does not understand go perft."))
        .add(
            Details::new("How to reproduce")
                .open()
                .text("Run this in a shell:")
                .add(Code::new("dyno suite --engine ./build/engine --epd wac --id WAC.004 --nodes 100000 --log transcript.txt\n> position startpos\n< bestmove e2e4").label("Command")),
        )
        .add(Details::new("Folded").text("Here is what most readers skip."))
}

fn charts() -> Section {
    let themes = BarChart::new("By theme")
        .full(100.0)
        .mark(80.0, "to reach: 80 %")
        .bar("Undermining", 81.0, "81.0 % (81/100)")
        .bar("Open files and diagonals", 63.0, "63.0 % (63/100)")
        .bar(HOSTILE, 7.5, "7.5 % (3/40)")
        .judged("Knight outposts", 100.0, "100.0 % (100/100)", Verdict::Pass);
    let engines = BarChart::new("Two engines side by side")
        .series(["Piston 0.1", HOSTILE])
        .full(100.0)
        .bars("Opening", [(55.0, "55.0 %"), (71.0, "71.0 %")])
        .bars("Endgame", [(82.0, "82.0 %"), (64.0, "64.0 %")]);
    let walk = |n: u32| f64::from(n) * 0.00075 + (f64::from(n) / 90.0).sin() * 0.3;
    let llr = LineChart::new("LLR over the match")
        .x("games")
        .y("LLR")
        .series(Series::new("LLR", (0..4210).map(|n| (f64::from(n), walk(n)))))
        .bound(2.94, "accept H1 (2.94)")
        .bound(-2.94, "accept H0 (-2.94)");
    let error = |n: u32| 120.0 / f64::from(n).sqrt();
    let elo = |n: u32| 4.0 + 20.0 * (f64::from(n) / 150.0).sin() / f64::from(n).sqrt();
    let games = || (4..800).step_by(4);
    let elo_chart = LineChart::new("Elo difference with its 95 % error")
        .x("pairs")
        .y("Elo")
        .series(
            Series::new("Elo", games().map(|n| (f64::from(n), elo(n))))
                .band(games().map(|n| (f64::from(n), elo(n) - error(n), elo(n) + error(n)))),
        )
        .bound(0.0, "");
    let pass = |elo0: f64, slope: f64| {
        (-20..=20).map(move |n| {
            let x = f64::from(n) / 2.0;
            (x, 1.0 / (1.0 + (-(x - elo0) * slope).exp()))
        })
    };
    let curve = LineChart::new("Probability of passing")
        .x("true Elo")
        .percent()
        .series(Series::new("logistic [0, 5]", pass(2.5, 1.2)))
        .series(Series::new("logistic [-3, 1]", pass(-1.0, 1.4)))
        .series(Series::new("simulated", pass(2.4, 1.1).step_by(5)).dots());
    let speed = LineChart::new("Nodes a second per run")
        .x("run")
        .y("nodes/s")
        .series(Series::new(
            "old",
            (1..=10).map(|n| (f64::from(n), 1.21e6 + f64::from(n * 7919 % 31) * 900.0)),
        ))
        .series(Series::new(
            "new",
            (1..=10).map(|n| (f64::from(n), 1.29e6 + f64::from(n * 104_729 % 37) * 900.0)),
        ));
    let times = (0..500_u32).map(|n| f64::from(n * 7919 % 1009).sqrt() * 3.1);
    Section::new("Charts")
        .add(themes)
        .add(engines)
        .add(Row::new().add(llr).add(elo_chart).add(curve).add(speed))
        .add(ColumnChart::pentanomial("Results of pairs", [12, 103, 410, 131, 17]))
        .add(ColumnChart::histogram("Time a move", times, 16).x("ms"))
        .add(LineChart::new("Nothing yet"))
}
