//! Finished journals: compressed, and all in one folder beside the others.

use super::journal::{Journal, JournalError};
use dyno_formats::{open, pack};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of finished journals.
pub const FOLDER: &str = "dyno-journals";
const ENDING: &str = "journal.zst";

/// Folders hold matches by the dozen, not by the thousand.
const MOST_NAMES: u32 = 10_000;

/// Compresses a finished journal into its folder and removes the plain file; says where it is now.
/// What an earlier run of the same match put there is replaced.
pub fn put_away(journal: &Path, run: &str) -> io::Result<PathBuf> {
    let folder = journal.with_file_name(FOLDER);
    fs::create_dir_all(&folder)?;
    let stem = journal.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_ours = |path: &Path| Journal::header_of(path).is_ok_and(|header| header.run_id() == run);
    let target = (1..MOST_NAMES)
        .map(|number| folder.join(numbered(&stem, number)))
        .find(|path| !path.exists() || is_ours(path))
        .ok_or_else(|| io::Error::other("no free name"))?;
    pack(journal, &target)?;
    fs::remove_file(journal)?;
    Ok(target)
}

/// The newest finished journal of that name.
pub fn find(journal: &Path) -> Option<PathBuf> {
    let folder = journal.with_file_name(FOLDER);
    let stem = journal.file_stem()?.to_string_lossy().into_owned();
    (1..MOST_NAMES)
        .map(|number| folder.join(numbered(&stem, number)))
        .take_while(|path| path.is_file())
        .max_by_key(|path| path.metadata().and_then(|meta| meta.modified()).ok())
}

/// Unpacks a compressed journal, to go on with it; says where it is now.
pub fn take_out(packed: &Path) -> Result<PathBuf, JournalError> {
    let fault = |path: &Path, source| JournalError::Io { path: path.to_owned(), source };
    let folder = packed.parent().unwrap_or(Path::new(""));
    let is_archive = folder.file_name().is_some_and(|name| name == FOLDER);
    let place = if is_archive { folder.parent().unwrap_or(Path::new("")) } else { folder };
    let name = packed.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".zst").trim_end_matches(".journal");
    let opened = open(packed).map_err(|e| fault(packed, io::Error::other(e)));
    let mut reader = opened?.reader;
    for number in 1..MOST_NAMES {
        let path = place.join(numbered(name, number)).with_extension("");
        match File::create_new(&path) {
            Ok(mut file) => {
                io::copy(&mut reader, &mut file).map_err(|e| fault(&path, e))?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fault(&path, error)),
        }
    }
    Err(fault(packed, io::Error::other("no free name to unpack it to")))
}

fn numbered(stem: &str, number: u32) -> String {
    match number {
        1 => format!("{stem}.{ENDING}"),
        _ => format!("{stem}-{number}.{ENDING}"),
    }
}
