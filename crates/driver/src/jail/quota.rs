//! How much an engine in the jail may write in all. The system limits files one by one, so the folder
//! is looked at every second, and an engine that has filled it is killed.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// What an engine may write in all: bytes on the disk, and files and folders.
pub(crate) const MOST_BYTES: u64 = 2 << 30;
const MOST_FILES: u64 = 1_000;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The watch over one folder, until it is dropped.
#[derive(Debug)]
pub(crate) struct Quota {
    is_exceeded: Arc<AtomicBool>,
    _watched: mpsc::Sender<()>,
}

impl Quota {
    /// Watches the folder of a process.
    pub(crate) fn watch(folder: &Path, pid: u32) -> io::Result<Self> {
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let process = process.ok_or(io::ErrorKind::InvalidInput)?;
        // The number may be another's by the time of the signal; this stays the engine's.
        let process = pidfd_open(process, PidfdFlags::empty())?;
        let (watched, is_over) = mpsc::channel();
        let quota = Self { is_exceeded: Arc::default(), _watched: watched };
        let (folder, is_exceeded) = (folder.to_owned(), Arc::clone(&quota.is_exceeded));
        thread::Builder::new().name("scratch quota".to_owned()).spawn(move || {
            while is_over.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if is_full(&folder, MOST_BYTES, MOST_FILES) {
                    is_exceeded.store(true, Ordering::Relaxed);
                    // One that has ended by itself is beyond it.
                    let _ = pidfd_send_signal(&process, Signal::KILL);
                    return;
                }
            }
        })?;
        Ok(quota)
    }

    /// Why the engine was killed, if it was.
    pub(crate) fn verdict(&self) -> Option<String> {
        self.is_exceeded.load(Ordering::Relaxed).then(|| {
            format!(
                "it was killed: an engine in the jail may write {} GB and {MOST_FILES} files in all",
                MOST_BYTES >> 30
            )
        })
    }
}

/// Whether there is more in a folder than this; counted only so far.
fn is_full(folder: &Path, mut bytes: u64, mut files: u64) -> bool {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder).into_iter().flatten().flatten() {
            // Not through links.
            let Ok(meta) = entry.metadata() else { continue };
            // What is sparse takes no room.
            let (Some(left), Some(fewer)) =
                (bytes.checked_sub(512 * meta.blocks()), files.checked_sub(1))
            else {
                return true;
            };
            (bytes, files) = (left, fewer);
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    false
}

/// An engine may make folders that their owner cannot look into.
fn entries(folder: &Path) -> io::Result<fs::ReadDir> {
    fs::read_dir(folder).or_else(|_| {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        fs::read_dir(folder)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn everything_below_counts() {
        let folder = std::env::temp_dir().join(format!("dyno-quota-{}", std::process::id()));
        let inner = folder.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let file = fs::File::create(inner.join("sparse")).unwrap();
        file.set_len(1 << 30).unwrap();
        fs::write(inner.join("full"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/", inner.join("link")).unwrap();
        fs::set_permissions(folder.join("a"), fs::Permissions::from_mode(0o300)).unwrap();
        assert!(!is_full(&folder, 1 << 20, 5));
        assert!(is_full(&folder, 50_000, 5), "bytes");
        assert!(is_full(&folder, 1 << 20, 4), "files, folders and links");
        fs::remove_dir_all(&folder).unwrap();
    }
}
