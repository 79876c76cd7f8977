//! A match as a page.

use dyno_trials::tournament::Summary;

/// The page of a match.
pub fn page(summary: &Summary) -> String {
    crate::html::Page::new(summary.plan.event.clone()).command("match").render()
}
