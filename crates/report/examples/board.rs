//! A board as an SVG file: `cargo run -p dyno-report --example board > board.svg`.

use dyno_report::html::{Arrow, Board};

#[allow(clippy::print_stdout, reason = "an example whose output is the picture")]
fn main() {
    let board = Board::new("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1")
        .uci_arrow("g3g6", Arrow::Expected)
        .uci_arrow("e5f7", Arrow::Played);
    println!("{}", board.svg());
}
