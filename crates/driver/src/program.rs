//! The file of a program.

use std::env;
use std::path::{Path, PathBuf};

/// Debian installs engines here, and often leaves it off the PATH.
const GAMES: &str = "/usr/games";

/// The file of a program: a path as it stands, a bare name looked up on the PATH and then in
/// Debian's folder of games. `None` when there is no such executable file.
#[must_use]
pub fn find_program(program: &Path) -> Option<PathBuf> {
    let is_bare = program.components().count() == 1 && !program.is_absolute();
    let dotted = program.to_string_lossy().starts_with('.');
    if !is_bare || dotted {
        return executable(program);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from(GAMES)])
        .find_map(|folder| executable(&folder.join(program)))
        .or_else(|| executable(program))
}

#[cfg(unix)]
fn executable(path: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let meta = path.metadata().ok()?;
    (meta.is_file() && meta.permissions().mode() & 0o111 != 0).then(|| absolute(path))
}

#[cfg(not(unix))]
fn executable(path: &Path) -> Option<PathBuf> {
    // Appended: of `engine-1.2` the `.2` is not an ending.
    let mut with_suffix = path.as_os_str().to_owned();
    with_suffix.push(".exe");
    [path.to_owned(), with_suffix.into()].into_iter().find(|p| p.is_file()).map(|p| absolute(&p))
}

/// Absolute, because the engine may be started in another folder.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn bare_names_are_looked_up() {
        assert!(find_program(Path::new("sh")).is_some_and(|p| p.is_absolute()));
        assert_eq!(find_program(Path::new("no-such-engine-anywhere")), None);
        assert_eq!(find_program(Path::new("./sh")), None);
        assert_eq!(find_program(Path::new("/etc/passwd")), None);
    }
}
