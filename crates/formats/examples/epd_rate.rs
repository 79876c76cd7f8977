//! How many EPD lines a second: `cargo run --profile fast --example epd_rate -- FILE [TIMES]`.
#![allow(clippy::print_stdout, reason = "an example")]

use dyno_formats::epd::EpdReader;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: epd_rate FILE [TIMES]")?;
    let times: usize = args.next().unwrap_or_else(|| "100".into()).parse()?;
    let bytes = std::fs::read(path)?;
    let (mut records, mut moves) = (0u64, 0usize);
    let start = Instant::now();
    for _ in 0..times {
        for record in EpdReader::new(&bytes[..]).flatten() {
            records += 1;
            moves += record.best_moves().moves.len();
        }
    }
    let rate = records as f64 / start.elapsed().as_secs_f64();
    println!("{records} records with {moves} best moves: {rate:.0} lines/s");
    Ok(())
}
