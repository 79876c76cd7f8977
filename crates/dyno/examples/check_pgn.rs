//! Replays the games of a match with shakmaty and checks every result and termination:
//! `cargo run --example check_pgn -- results.pgn`

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/oracle/mod.rs"]
mod oracle;

#[allow(clippy::print_stdout, reason = "a program of its own")]
fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let games = oracle::check_results(&std::fs::read_to_string(&path)?);
        println!("{path}: {games} games, every result and termination is right");
    }
    Ok(())
}
