//! The live page and the history in a browser: what is shown, and who may see it.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

mod browser;
#[path = "../common/mod.rs"]
mod common;
mod figures;
mod history;
mod pages;
mod security;
mod server;
