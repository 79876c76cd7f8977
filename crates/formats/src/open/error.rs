//! Why a file cannot be opened or read.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be opened or read. Every message names the file.
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
    /// It opened, but its content cannot be read or decompressed.
    #[error("{}: cannot read: {error}", name(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A folder.
    #[error("{}: a folder, where a file is wanted", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// A program, a picture or the like, where text is wanted.
    #[error("{}: a binary file, where text is wanted", name(.path))]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// Longer than any text that is read as a whole.
    #[error("{}: too long to be read as one text", name(.path))]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// Compressed in a way that is not read.
    #[error("{}: compressed with {format}; unpack it first, or use gzip, zstd or zip", name(.path))]
    UnknownCompression {
        /// The file.
        path: PathBuf,
        /// The compression.
        format: &'static str,
    },
    /// The archive is damaged or of a kind that is not read.
    #[error("cannot read the archive {}: {reason}", name(.path))]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The archive holds more than one file.
    #[error("{} holds several files ({}): unpack the one you want", name(.path), .names.join(", "))]
    Several {
        /// The file.
        path: PathBuf,
        /// What is in it.
        names: Vec<String>,
    },
}

impl OpenError {
    pub(super) fn read(path: &Path, error: io::Error) -> Self {
        OpenError::Read { path: path.to_owned(), error }
    }
}

fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}
