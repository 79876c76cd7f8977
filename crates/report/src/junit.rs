//! JUnit XML: test results as CI servers show them.
//!
//! ```
//! use dyno_report::{Verdict, junit::{Case, Suite, to_xml}};
//!
//! let suite = Suite::new("dyno check: my engine")
//!     .case(Case::new("protocol.isready", Verdict::Pass))
//!     .case(Case::new("perft.kiwipete", Verdict::Fail).message("depth 3: 97,862 expected, 97,861 counted"));
//! let xml = to_xml("dyno check", [suite]).unwrap();
//! assert!(xml.contains("failures=\"1\""));
//! ```

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::Verdict;

/// Writing XML into memory failed; nothing a user can cause.
#[derive(Debug, thiserror::Error)]
#[error("JUnit report: {0}")]
pub struct Error(#[from] quick_junit::SerializeError);

/// Cases that belong together: one engine, one suite.
#[derive(Clone, Debug)]
pub struct Suite {
    name: String,
    cases: Vec<Case>,
    properties: Vec<(String, String)>,
}

impl Suite {
    /// No cases yet.
    pub fn new(name: impl Into<String>) -> Suite {
        Suite { name: name.into(), cases: Vec::new(), properties: Vec::new() }
    }

    /// The next case.
    #[must_use]
    pub fn case(mut self, case: Case) -> Suite {
        self.cases.push(case);
        self
    }

    /// Many cases.
    #[must_use]
    pub fn cases(mut self, cases: impl IntoIterator<Item = Case>) -> Suite {
        self.cases.extend(cases);
        self
    }

    /// A fact of the run: engine, seed, limits.
    #[must_use]
    pub fn property(mut self, name: impl Into<String>, value: impl Into<String>) -> Suite {
        self.properties.push((name.into(), value.into()));
        self
    }
}

/// One check and how it came out.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    class: Option<String>,
    verdict: Verdict,
    message: Option<String>,
    details: Option<String>,
    time: Option<Duration>,
}

impl Case {
    /// A case by its id.
    pub fn new(name: impl Into<String>, verdict: Verdict) -> Case {
        Case { name: name.into(), class: None, verdict, message: None, details: None, time: None }
    }

    /// The group that CI servers sort by.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Case {
        self.class = Some(class.into());
        self
    }

    /// One line: what is wrong, or why it was skipped.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Case {
        self.message = Some(message.into());
        self
    }

    /// The evidence and how to reproduce it; may be long.
    #[must_use]
    pub fn details(mut self, details: impl Into<String>) -> Case {
        self.details = Some(details.into());
        self
    }

    /// How long it took.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Case {
        self.time = Some(time);
        self
    }

    fn into_xml(self) -> TestCase {
        let mut status = match self.verdict {
            Verdict::Pass | Verdict::Warn => TestCaseStatus::success(),
            Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Verdict::Skip => TestCaseStatus::skipped(),
        };
        // JUnit knows no warning: the case passes and its output says what to mind.
        let mut output = None;
        match self.verdict {
            Verdict::Pass | Verdict::Warn => {
                let lines: Vec<String> = self.message.into_iter().chain(self.details).collect();
                let text = lines.join("\n");
                let mark = if self.verdict == Verdict::Warn { "warning: " } else { "" };
                output = (!text.is_empty()).then(|| format!("{mark}{text}"));
            }
            Verdict::Fail | Verdict::Skip => {
                self.message.map(|message| status.set_message(message));
                self.details.map(|details| status.set_description(details));
            }
        }
        let mut case = TestCase::new(self.name, status);
        self.class.map(|class| case.set_classname(class));
        self.time.map(|time| case.set_time(time));
        output.map(|output| case.set_system_out(output));
        case
    }
}

/// The XML of all suites under one name.
///
/// # Errors
/// Only if the XML cannot be written to memory.
pub fn to_xml(name: &str, suites: impl IntoIterator<Item = Suite>) -> Result<String, Error> {
    let mut report = Report::new(name);
    for suite in suites {
        let mut xml = TestSuite::new(suite.name);
        for property in suite.properties {
            xml.add_property(property);
        }
        xml.add_test_cases(suite.cases.into_iter().map(Case::into_xml));
        report.add_test_suite(xml);
    }
    Ok(report.to_string()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_verdict_has_its_place() {
        let suite = Suite::new("s")
            .property("engine", "<x>")
            .case(Case::new("a", Verdict::Pass).class("g").time(Duration::from_millis(1500)))
            .case(Case::new("b", Verdict::Fail).message("m \u{1b}[31m <bad>").details("d"))
            .case(Case::new("c", Verdict::Skip).message("no perft"))
            .case(Case::new("d", Verdict::Warn).message("slow"));
        let xml = to_xml("dyno check", [suite]).unwrap();
        assert!(
            xml.contains("tests=\"4\"")
                && xml.contains("failures=\"1\"")
                && xml.contains("skipped=\"1\""),
            "{xml}"
        );
        assert!(xml.contains("&lt;bad&gt;") && !xml.contains('\u{1b}'), "{xml}");
        assert!(xml.contains("warning: slow") && xml.contains("time=\"1.500\""), "{xml}");
    }
}
