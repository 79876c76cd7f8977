//! The files that a worker keeps: each in a folder of its own, called by the hash of its content.

use super::error::ClusterError;
use super::ship::FileRef;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What was used within this time may be in use.
pub const FRESH: Duration = Duration::from_secs(3600);

/// A folder of files, pruned to a size.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

/// Where a worker keeps its files unless told otherwise.
pub fn default_folder() -> PathBuf {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else {
        var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")))
    };
    base.unwrap_or_else(std::env::temp_dir).join("dyno").join("worker")
}

impl Cache {
    pub fn open(folder: &Path, most_bytes: u64) -> Result<Self, ClusterError> {
        fs::create_dir_all(folder).map_err(ClusterError::io(folder))?;
        Ok(Self { folder: folder.to_owned(), most_bytes })
    }

    /// Where a file is, or would be.
    fn path(&self, file: &FileRef) -> PathBuf {
        self.folder.join(&file.hash).join(&file.name)
    }

    /// The file, if it is there; it counts as used now.
    pub fn get(&self, file: &FileRef) -> Option<PathBuf> {
        let path = self.path(file);
        let whole = fs::metadata(&path).is_ok_and(|meta| meta.len() == file.size);
        if whole {
            self.touch(file);
        }
        whole.then_some(path)
    }

    /// The file counts as used now, if it is there.
    pub fn touch(&self, file: &FileRef) {
        let _ = fs::File::options()
            .append(true)
            .open(self.folder.join(&file.hash).join(".used"))
            .and_then(|used| used.set_modified(SystemTime::now()));
    }

    /// Keeps a file whose content has arrived, after checking that it is the one.
    pub fn put(&self, file: &FileRef, content: &[u8]) -> Result<PathBuf, ClusterError> {
        if blake3::hash(content).to_hex().as_str() != file.hash {
            return Err(ClusterError::Damaged { name: file.name.clone() });
        }
        let folder = self.folder.join(&file.hash);
        fs::create_dir_all(&folder).map_err(ClusterError::io(&folder))?;
        let (path, fresh) = (self.path(file), folder.join(format!(".{}", std::process::id())));
        fs::write(&fresh, content).map_err(ClusterError::io(&fresh))?;
        make_executable(&fresh).map_err(ClusterError::io(&fresh))?;
        // Whole or not there: another worker of this machine may look at the same time.
        fs::rename(&fresh, &path).map_err(ClusterError::io(&path))?;
        fs::write(folder.join(".used"), b"").map_err(ClusterError::io(&path))?;
        Ok(path)
    }

    /// Removes what was used longest ago until the rest fits. What is `needed` stays in any case, and what
    /// was used lately: it may be that of another match, or of another worker.
    pub fn prune(&self, needed: &[&FileRef]) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut found: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .map(|entry| (last_used(&entry.path()), size(&entry.path()), entry.path()))
            .collect();
        found.sort();
        let mut total: u64 = found.iter().map(|(_, size, _)| size).sum();
        let is_needed = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            needed.iter().any(|file| name == file.hash.as_str())
        };
        for (used, size, path) in found {
            if total <= self.most_bytes {
                break;
            }
            let is_fresh = used.elapsed().map_or(true, |age| age < FRESH);
            if !(is_fresh || is_needed(&path)) && fs::remove_dir_all(&path).is_ok() {
                total -= size;
            }
        }
    }
}

fn last_used(folder: &Path) -> SystemTime {
    let of = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    of(&folder.join(".used")).or_else(|_| of(folder)).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).sum()
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn file(name: &str, content: &[u8]) -> FileRef {
        FileRef {
            hash: blake3::hash(content).to_hex().to_string(),
            name: name.to_owned(),
            size: content.len() as u64,
        }
    }

    #[test]
    fn files_are_checked_kept_and_pruned_by_last_use() {
        let folder = std::env::temp_dir().join(format!("dyno-cache-{}", std::process::id()));
        let cache = Cache::open(&folder, 2500).unwrap();
        let contents: Vec<Vec<u8>> = (0u8..3).map(|i| vec![i; 1000]).collect();
        let files: Vec<FileRef> = contents.iter().map(|c| file("engine", c)).collect();
        let damaged = cache.put(&files[0], &contents[1]).unwrap_err();
        assert!(matches!(damaged, ClusterError::Damaged { .. }));
        for (file, content) in files.iter().zip(&contents) {
            assert_eq!(cache.get(file), None);
            let path = cache.put(file, content).unwrap();
            assert_eq!(fs::read(path).unwrap(), *content);
        }
        let age = |file: &FileRef, seconds| {
            let used = fs::File::options().append(true).open(folder.join(&file.hash).join(".used"));
            used.unwrap().set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        age(&files[0], 3 * 3600);
        age(&files[1], 2 * 3600);
        age(&files[2], 3600 + 60);
        cache.touch(&files[1]);
        cache.prune(&[&files[0]]);
        let left: Vec<bool> = files.iter().map(|file| cache.get(file).is_some()).collect();
        assert_eq!(left, [true, true, false], "needed, in use by another, oldest of the others");
        let crowded = Cache::open(&folder, 0).unwrap();
        crowded.prune(&[]);
        assert!(crowded.get(&files[0]).is_some(), "what is in use stays, whatever its size");
        fs::remove_dir_all(&folder).unwrap();
    }
}
