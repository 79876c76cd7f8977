//! The engine that is built with a bug in it: Piston, with the commands beside UCI or, given
//! `--bare`, without them. Copied into the tree where the bugs are planted, and built only there.

use dyno_piston::uci_loop;
use std::io::{self, BufRead, BufReader, Read};

/// The input without the commands that most engines do not have.
struct Bare<R> {
    input: R,
    line: Vec<u8>,
    read: usize,
}

fn is_extra(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("d" | "eval" | "perft" | "bench") => true,
        Some("go") => words.next() == Some("perft"),
        _ => false,
    }
}

impl<R: BufRead> BufRead for Bare<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.line.len() {
            self.line.clear();
            self.read = 0;
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                break;
            }
            if is_extra(&String::from_utf8_lossy(&self.line)) {
                self.line.clear();
            }
        }
        Ok(&self.line[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}

impl<R: BufRead> Read for Bare<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

fn main() -> Result<(), uci_loop::UciError> {
    let input = BufReader::new(io::stdin());
    if std::env::args().any(|word| word == "--bare") {
        uci_loop::run(Bare { input, line: Vec::new(), read: 0 }, io::stdout(), None, false)
    } else {
        uci_loop::run(input, io::stdout(), None, false)
    }
}
