//! Zip archives: the one file in them that is meant.

use super::{BUFFER, Counted, OpenError, Opened, Progress};
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// What chess files are called inside an archive.
const KNOWN_ENDINGS: &[&str] = &["epd", "pgn", "csv", "bin", "fen", "txt", "json"];

/// A larger archive is not taken from a pipe: its directory is at its end, so that all of it has
/// to be kept in memory.
const LARGEST_PIPED: u64 = 1 << 28;

/// Whether a file that begins like this is a zip archive.
pub(super) fn is_archive(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

/// Opens an archive that comes through a pipe.
pub(super) fn from_pipe(path: &Path, input: impl Read) -> Result<Opened, OpenError> {
    let mut bytes = Vec::new();
    let mut limited = input.take(LARGEST_PIPED + 1);
    limited.read_to_end(&mut bytes).map_err(|error| OpenError::read(path, error))?;
    if bytes.len() as u64 > LARGEST_PIPED {
        let reason = "too large for a pipe: write it to a file first".to_owned();
        return Err(OpenError::Archive { path: path.to_owned(), reason });
    }
    open(path, Cursor::new(bytes))
}

/// The one file of an archive; beside others, the one that is called like a chess file.
pub(super) fn open(
    path: &Path,
    file: impl Read + Seek + Send + 'static,
) -> Result<Opened, OpenError> {
    let broken = |reason: String| OpenError::Archive { path: path.to_owned(), reason };
    let mut archive = zip::ZipArchive::new(file).map_err(|error| broken(error.to_string()))?;
    let mut names: Vec<String> = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.into_owned()))
        .filter(|name| !name.ends_with('/') && !name.starts_with("__MACOSX"))
        .collect();
    if names.len() > 1 {
        let known = |name: &&String| {
            let ending = Path::new(name.as_str()).extension().unwrap_or_default();
            KNOWN_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
                && !name.to_ascii_lowercase().contains("readme")
        };
        let chess: Vec<String> = names.iter().filter(known).cloned().collect();
        if !chess.is_empty() {
            names = chess;
        }
    }
    let name = match &names[..] {
        [] => return Err(broken("it is empty".into())),
        [name] => name.clone(),
        _ => return Err(OpenError::Several { path: path.to_owned(), names }),
    };
    let member = archive.by_name(&name).map_err(|error| broken(error.to_string()))?;
    if member.encrypted() {
        return Err(broken(format!("{name} is encrypted")));
    }
    let (method, size) = (member.compression(), member.compressed_size());
    let start = member.data_start().ok_or_else(|| broken(format!("{name} has no data")))?;
    drop(member);
    let mut file = archive.into_inner();
    file.seek(SeekFrom::Start(start)).map_err(|error| OpenError::read(path, error))?;

    let progress = Progress { read: Arc::default(), total: Some(size) };
    let counted = Counted { inner: file.take(size), read: progress.read.clone() };
    let raw = BufReader::with_capacity(BUFFER, counted);
    let reader: Box<dyn BufRead + Send> = match method {
        zip::CompressionMethod::Stored => Box::new(raw),
        zip::CompressionMethod::Deflated => {
            let inner = flate2::bufread::DeflateDecoder::new(raw);
            Box::new(BufReader::with_capacity(BUFFER, inner))
        }
        other => return Err(broken(format!("{name} is compressed with {other:?}"))),
    };
    let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
    Ok(Opened { reader, name, progress, path: path.to_owned() })
}
