//! Standard output as other programs read it.

use std::io::{self, Write as _};

use anyhow::Context as _;

/// Writes everything. A reader that has seen enough (`dyno … | head`) is not an error.
pub fn write_all(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Writes a report: to machines as JSON, to people as text, with colours where they can be seen.
pub fn report(
    value: &(impl serde::Serialize + std::fmt::Display),
    json: bool,
) -> anyhow::Result<()> {
    if json { self::json(value) } else { text(value) }
}

/// Writes a value for programs.
pub fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value).context("cannot write the report as JSON")?;
    text.push(b'\n');
    write_all(&text)
}

/// Writes a text for people, with colours where they can be seen.
pub fn text(text: &impl std::fmt::Display) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}
