//! The one place where files are opened: plain or compressed, from disk or standard input.

mod archive;
mod error;
mod pack;

pub use error::OpenError;
pub use pack::pack;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads are large, so that decompression and system calls cost little.
const BUFFER: usize = 1 << 17;

/// No text that is read as a whole is larger: what is must be something else.
const LONGEST_TEXT: u64 = 1 << 30;

/// An open file: its content, decompressed on the way.
pub struct Opened {
    /// What it holds.
    pub reader: Box<dyn BufRead + Send>,
    /// The name of the file inside, without the ending of the compression: `book.epd` for
    /// `book.epd.zst` or for an archive with that file.
    pub name: String,
    /// How much of the file on disk has been read.
    pub progress: Progress,
    path: PathBuf,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Opened {
    /// The first bytes, without taking them.
    pub fn start(&mut self) -> Result<&[u8], OpenError> {
        fill(&mut self.reader).map_err(|error| OpenError::read(&self.path, error))
    }

    /// The whole content as text. Bytes that are not UTF-8 become replacement characters.
    pub fn into_text(self) -> Result<String, OpenError> {
        let mut bytes = Vec::new();
        let mut limited = self.reader.take(LONGEST_TEXT + 1);
        limited.read_to_end(&mut bytes).map_err(|error| OpenError::read(&self.path, error))?;
        if bytes.len() as u64 > LONGEST_TEXT {
            return Err(OpenError::TooLong { path: self.path });
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }
}

/// How far a file has been read, in bytes on disk; shared with a progress bar.
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

/// Opens a file, or standard input for `-`. Gzip, Zstandard and zip are recognised by their
/// content, whatever the file is called.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    if path.as_os_str() == "-" {
        return decompressed(path, io::stdin(), "standard input", None);
    }
    let failed = |error| OpenError::Io { path: path.to_owned(), error };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.is_dir() {
        return Err(OpenError::Folder { path: path.to_owned() });
    }
    if !meta.is_file() {
        // A pipe: it has no size and cannot be rewound.
        return decompressed(path, file, &name, None);
    }
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic).map_err(|error| OpenError::read(path, error))?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if archive::is_archive(&magic) {
        return archive::open(path, file);
    }
    decompressed(path, file, &name, Some(meta.len()))
}

/// Opens a file that should hold text. A folder, a program or a picture is refused here, because
/// every one of its lines would be reported as a bad one.
pub fn open_text(path: &Path) -> Result<Opened, OpenError> {
    const LOOKED_AT: usize = 1024;
    const TOLERATED: usize = 7;
    let mut opened = open(path)?;
    let start = opened.start()?;
    let start = &start[..start.len().min(LOOKED_AT)];
    let is_odd = |byte: &&u8| byte.is_ascii_control() && !b"\t\n\r\x0c\x1a\0".contains(byte);
    if start.iter().filter(is_odd).count() > TOLERATED {
        return Err(OpenError::Binary { path: path.to_owned() });
    }
    Ok(opened)
}

fn decompressed(
    path: &Path,
    input: impl Read + Send + 'static,
    name: &str,
    total: Option<u64>,
) -> Result<Opened, OpenError> {
    let failed = |error| OpenError::read(path, error);
    let progress = Progress { read: Arc::default(), total };
    let counted = Counted { inner: input, read: progress.read.clone() };
    let mut raw = BufReader::with_capacity(BUFFER, counted);
    let start = fill(&mut raw).map_err(failed)?;
    let (reader, ending): (Box<dyn BufRead + Send>, &str) = match start {
        [0x1f, 0x8b, ..] => {
            let inner = flate2::bufread::MultiGzDecoder::new(raw);
            (Box::new(BufReader::with_capacity(BUFFER, inner)), ".gz")
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let mut inner = zstd::Decoder::with_buffer(raw).map_err(failed)?;
            // Files made with a long window are read too.
            inner.window_log_max(31).map_err(failed)?;
            (Box::new(BufReader::with_capacity(BUFFER, inner)), ".zst")
        }
        start if archive::is_archive(start) => return archive::from_pipe(path, raw),
        _ => match unknown_compression(start) {
            Some(format) => {
                return Err(OpenError::UnknownCompression { path: path.to_owned(), format });
            }
            None => (Box::new(raw), ""),
        },
    };
    let name = name.strip_suffix(ending).unwrap_or(name).to_owned();
    Ok(Opened { reader, name, progress, path: path.to_owned() })
}

/// The first bytes, without taking them; none at the end of the input.
fn fill(input: &mut impl BufRead) -> io::Result<&[u8]> {
    let is_empty = loop {
        match input.fill_buf() {
            Ok(bytes) => break bytes.is_empty(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    // Asked again at its end, a terminal would wait for more.
    if is_empty { Ok(&[]) } else { input.fill_buf() }
}

/// Compressions that people use and that are not read here.
fn unknown_compression(start: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 4] = [
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"BZh", "bzip2"),
    ];
    KNOWN.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, name)| *name)
}
