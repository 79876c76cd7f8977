//! Report pages in a real browser, as wide as a phone and as wide as a desk. A new report
//! gets a test here: its page, and what must hold on it besides what holds on every page.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

#[path = "../../examples/gallery.rs"]
mod gallery;
mod harness;

#[test]
fn gallery_is_healthy() {
    harness::assert_healthy("gallery", &gallery::page().render(), include_str!("gallery.js"));
}

#[test]
fn an_empty_page_is_healthy() {
    let page = dyno_report::html::Page::new("Nothing yet").render();
    harness::assert_healthy("empty page", &page, "");
}
