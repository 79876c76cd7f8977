//! Standard output as other programs read it.

use std::io::{self, Write as _};

use anyhow::Context as _;

/// Writes everything. A reader that has seen enough (`dyno … | head`) is no error.
pub fn write_all(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}
