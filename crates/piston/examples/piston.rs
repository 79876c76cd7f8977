//! Piston on its own, without the rest of Dyno: quick to build while working on the engine.

use dyno_piston::uci_loop;
use std::io::{self, BufReader};

fn main() -> Result<(), uci_loop::UciError> {
    uci_loop::run(BufReader::new(io::stdin()), io::stdout(), None, false)
}
