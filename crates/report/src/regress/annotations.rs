//! The findings of a battery as workflow commands of GitHub Actions, which mark them on the file
//! that set the bar.

use super::{findings, title};
use crate::Verdict;
use dyno_trials::regress::RegressResult;
use std::fmt::Write;
use std::path::Path;

/// Lines of evidence under one finding: an annotation is a note, the summary has it all.
const MOST_DETAILS: usize = 10;

/// One line a finding, errors and warnings.
#[must_use]
pub fn report(result: &RegressResult, config: &Path) -> String {
    let file = property(&config.to_string_lossy());
    let mut out = String::new();
    for step in &result.steps {
        for case in findings(step) {
            let command = if case.verdict == Verdict::Fail { "error" } else { "warning" };
            let head = property(&format!("{} · {}", title(step), case.id));
            let mut text = case.summary.clone();
            for line in case.shown(MOST_DETAILS) {
                text.push('\n');
                text.push_str(&line);
            }
            let _ = writeln!(out, "::{command} file={file},title={head}::{}", message(&text));
        }
    }
    out
}

/// Text that an engine may have chosen, kept from ending the command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_stays_one_command() {
        assert_eq!(message("50 %\n::error::x"), "50 %25%0A::error::x");
        assert_eq!(property("a:b,c\r\n"), "a%3Ab%2Cc%0D%0A");
    }
}
