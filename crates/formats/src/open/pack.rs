//! Writing a compressed copy of a file.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Quick, and within a few percent of the smallest on lines of JSON.
const LEVEL: i32 = 3;

/// Writes a Zstandard copy of a file, whole or not at all; [`open`](super::open) reads it back.
pub fn pack(source: &Path, target: &Path) -> io::Result<()> {
    let mut part = OsString::from(target);
    part.push(".part");
    let copied = write_packed(source, Path::new(&part)).and_then(|()| fs::rename(&part, target));
    if copied.is_err() {
        let _ = fs::remove_file(&part);
    }
    copied
}

fn write_packed(source: &Path, target: &Path) -> io::Result<()> {
    let mut input = File::open(source)?;
    let mut encoder = zstd::Encoder::new(File::create(target)?, LEVEL)?;
    encoder.include_checksum(true)?;
    io::copy(&mut input, &mut encoder)?;
    encoder.finish()?.sync_all()
}
