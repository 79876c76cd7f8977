//! Files opened as what they hold, plain or compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads are large, so that decompression and system calls cost little.
const BUFFER: usize = 1 << 17;

/// What chess files are called inside an archive.
const KNOWN_ENDINGS: &[&str] = &["epd", "pgn", "csv", "bin", "fen", "txt"];

/// An open file: its text, decompressed on the way.
pub struct Opened {
    /// What it holds.
    pub reader: Box<dyn BufRead + Send>,
    /// The name of the file inside, without the ending of the compression: `book.epd` for
    /// `book.epd.zst` or for an archive with that file.
    pub name: String,
    /// How much of the file on disk has been read.
    pub progress: Progress,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How far a file has been read, in bytes on disk; shared with whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Progress {
    /// Bytes read so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// The size of the file, where it has one.
    pub fn total(&self) -> Option<u64> {
        self.total
    }
}

/// Why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file itself.
    #[error("cannot open {}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// The archive is damaged or of a kind that is not read.
    #[error("cannot read the archive {}: {reason}", .path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The archive holds more than one file.
    #[error("{} holds several files ({}): unpack the one you want", .path.display(), .names.join(", "))]
    Several {
        /// The file.
        path: PathBuf,
        /// What is in it.
        names: Vec<String>,
    },
}

/// Counts what passes through.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Opens a file, or standard input for `-`. Gzip, Zstandard and zip are recognised by what the file
/// holds, whatever it is called.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.as_os_str() == "-" {
        return decompressed(io::stdin(), "standard input", None).map_err(failed);
    }
    let mut file = File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.is_dir() {
        return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
    }
    if !meta.is_file() {
        // A pipe: it has no size and cannot be wound back.
        return decompressed(file, &name, None).map_err(failed);
    }
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if magic == b"PK\x03\x04" {
        return open_archive(path, file);
    }
    decompressed(file, &name, Some(meta.len())).map_err(failed)
}

fn decompressed(
    input: impl Read + Send + 'static,
    name: &str,
    total: Option<u64>,
) -> io::Result<Opened> {
    let progress = Progress { read: Arc::default(), total };
    let counted = Counted { inner: input, read: progress.read.clone() };
    let mut raw = BufReader::with_capacity(BUFFER, counted);
    let start = fill(&mut raw)?;
    let (reader, ending): (Box<dyn BufRead + Send>, &str) = match start {
        [0x1f, 0x8b, ..] => {
            let inner = flate2::bufread::MultiGzDecoder::new(raw);
            (Box::new(BufReader::with_capacity(BUFFER, inner)), ".gz")
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let mut inner = zstd::Decoder::with_buffer(raw)?;
            // Files made with a long window are read too.
            inner.window_log_max(31)?;
            (Box::new(BufReader::with_capacity(BUFFER, inner)), ".zst")
        }
        _ => (Box::new(raw), ""),
    };
    let name = name.strip_suffix(ending).unwrap_or(name).to_owned();
    Ok(Opened { reader, name, progress })
}

/// The first bytes, without taking them.
fn fill<R: Read>(raw: &mut BufReader<R>) -> io::Result<&[u8]> {
    loop {
        match raw.fill_buf() {
            Ok(_) => return Ok(raw.buffer()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The one file of an archive; beside others, the one that is called like a chess file.
fn open_archive(path: &Path, file: File) -> Result<Opened, OpenError> {
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
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    file.seek(SeekFrom::Start(start)).map_err(failed)?;

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
    Ok(Opened { reader, name, progress })
}
