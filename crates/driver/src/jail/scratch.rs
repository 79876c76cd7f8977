//! A folder of its own for an engine in the jail.

use std::fs::{self, DirBuilder, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Once;

const PREFIX: &str = "dyno-scratch-";

/// A new folder below the system's temporary one; removed with everything in it when dropped.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
    /// Held as long as the folder is in use: what can be locked was left by a Dyno that was
    /// killed. Some file systems have no locks.
    _lock: Option<File>,
    #[cfg(target_os = "linux")]
    quota: Option<super::quota::Quota>,
}

impl ScratchFolder {
    pub(crate) fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir();
        SWEPT.call_once(|| sweep(&place));
        loop {
            let path = place.join(format!("{PREFIX}{:016x}", RandomState::new().hash_one(())));
            match folder_of_ours().create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            // Another Dyno may sweep it away before it is locked.
            match lock(&path) {
                Ok(lock) if path.is_dir() => return Ok(Self::locked(path, Some(lock))),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock || !path.is_dir() => {}
                Err(_) => return Ok(Self::locked(path, None)),
            }
        }
    }

    fn locked(path: PathBuf, lock: Option<File>) -> Self {
        Self {
            path,
            _lock: lock,
            #[cfg(target_os = "linux")]
            quota: None,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// From now on the process is killed if it writes too much.
    #[cfg(target_os = "linux")]
    pub(crate) fn limit(&mut self, pid: u32) -> io::Result<()> {
        self.quota = Some(super::quota::Quota::watch(&self.path, pid)?);
        Ok(())
    }

    /// Why the process was killed, if it wrote too much.
    #[cfg(target_os = "linux")]
    pub(crate) fn verdict(&self) -> Option<String> {
        self.quota.as_ref()?.verdict()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn limit(&mut self, _: u32) -> io::Result<()> {
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn verdict(&self) -> Option<String> {
        None
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn folder_of_ours() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is Unix's"))]
    let mut folder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder
}

/// Whether a folder has such a name as only this file gives.
fn is_ours(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX);
    number.is_some_and(|text| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes the folders that are not in use.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        if is_ours(&entry.file_name().to_string_lossy())
            && let Ok(_lock) = lock(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

#[cfg(not(unix))]
fn lock(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

/// An engine may make folders that their owner cannot look into.
#[cfg(unix)]
fn open_up(folder: &Path) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    let _ = fs::set_permissions(folder, mode);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Not through links.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_in_use_stays_and_the_rest_is_swept() {
        let place = std::env::temp_dir().join(format!("dyno-sweep-{}", std::process::id()));
        let [used, left, other] = ["0123456789abcdef", "fedcba9876543210", "of-another-kind"]
            .map(|end| place.join(format!("{PREFIX}{end}")));
        for folder in [&used, &left, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        let lock = lock(&used).unwrap();
        sweep(&place);
        assert_eq!([&used, &left, &other].map(|folder| folder.is_dir()), [true, false, true]);
        drop(lock);
        sweep(&place);
        assert!(!used.is_dir());
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn closed_folders_are_removed_too() {
        let scratch = ScratchFolder::new().unwrap();
        let path = scratch.path().to_owned();
        let inner = path.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::set_permissions(path.join("a"), PermissionsExt::from_mode(0o300)).unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
