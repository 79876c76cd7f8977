//! Standard error, of which only the end is kept.

/// The end of what an engine wrote to its standard error.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    tail: Vec<u8>,
    /// Arrived since the last look.
    fresh: Vec<u8>,
}

impl StderrTail {
    const KEPT: usize = 4 * 1024;

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in [&mut self.tail, &mut self.fresh] {
            part.extend_from_slice(bytes);
            if part.len() > 2 * Self::KEPT {
                part.drain(..part.len() - Self::KEPT);
            }
        }
    }

    /// What came since the last call.
    pub(crate) fn take_fresh(&mut self) -> Option<Vec<u8>> {
        (!self.fresh.is_empty()).then(|| std::mem::take(&mut self.fresh))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.tail).trim_end().to_owned()
    }
}

/// What runtimes begin the report of a crash with; what follows is a stack, or advice.
const REPORTS: [&str; 6] = [
    "panicked at ",
    "panic: ",
    "fatal error: ",
    "terminate called ",
    "Assertion ",
    "ERROR: AddressSanitizer",
];

/// Whether this is what a runtime says of a crash, and not a line of the engine's own.
pub fn is_crash_report(text: &str) -> bool {
    REPORTS.iter().any(|report| text.contains(report))
}

/// The words that say why a process has ended: the report of a crash where there is one, otherwise
/// the last line.
pub(crate) fn last_words(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let report = lines.iter().enumerate().find_map(|(number, line)| {
        let at = REPORTS.iter().filter_map(|report| line.find(report)).min()?;
        // An assertion names its place before itself.
        let from = if line[at..].starts_with("Assertion ") { 0 } else { at };
        Some((number, &line[from..]))
    });
    let Some((number, line)) = report else { return lines.last().map(|&line| line.to_owned()) };
    // A panic of Rust names the place, and says in the next line what is wrong, as C++ does of an
    // exception.
    let next = lines.get(number + 1);
    let next = next.filter(|next| line.ends_with(':') || next.starts_with("what():"));
    Some(next.map_or_else(|| line.to_owned(), |next| format!("{line} {next}")))
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn the_report_of_a_crash_is_told_and_not_its_stack() {
        for (text, words) in [
            ("a\nb\n\n", "b"),
            (
                "\nthread 'main' (7) panicked at src/board.rs:10:5:\nindex out of bounds\nnote: run \
                 with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
                "panicked at src/board.rs:10:5: index out of bounds",
            ),
            (
                "panic: runtime error: index out of range [64]\n\ngoroutine 6 [running]:\nmain.go:252",
                "panic: runtime error: index out of range [64]",
            ),
            (
                "terminate called without an active exception",
                "terminate called without an active exception",
            ),
            (
                "terminate called after throwing an instance of 'E'\n  what():  no king\n",
                "terminate called after throwing an instance of 'E' what():  no king",
            ),
            (
                "e: board.cpp:12: f: Assertion `x' failed.",
                "e: board.cpp:12: f: Assertion `x' failed.",
            ),
            (
                "Traceback (most recent call last):\n  File x\nKeyError: 'moves'",
                "KeyError: 'moves'",
            ),
        ] {
            assert_eq!(last_words(text).as_deref(), Some(words));
        }
        assert_eq!(last_words(" \n"), None);
    }
}
