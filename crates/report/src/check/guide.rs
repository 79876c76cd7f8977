//! The guide: what each check is about, in Markdown and on the terminal.

use dyno_trials::check::{CATALOGUE, CheckSpec, Group};
use std::fmt::Write as _;

/// One check, explained.
#[must_use]
pub fn explain(check: &CheckSpec) -> String {
    let guide = &check.guide;
    format!(
        "{}: {}\n\nThe rule: {}\nUsual causes: {}\nThe fix: {}\n",
        check.id, check.title, guide.rule, guide.causes, guide.fix
    )
}

/// The guide page `docs/checks.md`; a test keeps the file equal to this.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(
        "# Every check, explained\n\n\
         `dyno check` gives each finding an id. This page says what rule each check examines, why \
         engines usually break it, and what to do. `dyno check --explain ID` prints the same on the \
         terminal. The page is made from the catalogue in `crates/trials/src/check/catalogue.rs`.\n",
    );
    for group in Group::ALL {
        let _ = write!(text, "\n## {} (`{}`)\n", group.title(), group.name());
        for check in CATALOGUE.iter().filter(|check| check.group == group) {
            let guide = &check.guide;
            let _ = write!(text, "\n### `{}`: {}\n\n", check.id, check.title);
            let _ = writeln!(text, "- **The rule.** {}", guide.rule);
            if guide.causes != "–" {
                let _ = writeln!(text, "- **Usual causes.** {}", guide.causes);
                let _ = writeln!(text, "- **The fix.** {}", guide.fix);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/checks.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == super::page(),
            "docs/checks.md is stale: cargo run -- check --guide > docs/checks.md"
        );
    }
}
