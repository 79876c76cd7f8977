//! Where the history of runs is kept.

use std::path::PathBuf;

/// Where the history is: as `DYNO_HISTORY` says, in the project, or in the user's data folder.
pub fn path() -> Option<PathBuf> {
    match std::env::var_os("DYNO_HISTORY") {
        Some(off) if off.eq_ignore_ascii_case("off") => None,
        Some(file) if !file.is_empty() => Some(file.into()),
        _ => project().or_else(user_data).map(|folder| folder.join("history.db")),
    }
}

/// The `.dyno` folder of the project that the user is in: beside the nearest `dyno.toml` above.
fn project() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = here.ancestors().find(|folder| folder.join("dyno.toml").is_file())?;
    Some(root.join(".dyno"))
}

fn user_data() -> Option<PathBuf> {
    let from = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        from("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")))
    };
    folder.map(|folder| folder.join("dyno"))
}
