//! Names that are not known, answered with the nearest that is.

use anyhow::Context as _;
use dyno_uci::nearest_name;
use std::io::Read as _;
use std::path::Path;

/// `; did you mean wac?`, when a known name is near.
pub fn hint<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let nearest = nearest_name(wanted, names.into_iter());
    nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// Why `name` is neither a file nor one of the built-in suites.
pub fn no_such_suite(name: &str, builtin: &[&str]) -> String {
    format!(
        "{name}: no such file, and no built-in suite of that name ({}){}",
        builtin.join(", "),
        hint(name, builtin.iter().copied())
    )
}

/// Refuses folders, programs, pictures and the like where a text is wanted: every one of their
/// lines would be reported as a bad one. Compressed files and pipes are left to their readers.
pub fn ensure_text(path: &Path) -> anyhow::Result<()> {
    const LOOKED_AT: u64 = 1024;
    const TOLERATED: usize = 7;
    let name = path.display();
    anyhow::ensure!(!path.is_dir(), "{name}: a folder, where a file is wanted");
    if !path.is_file() {
        return Ok(());
    }
    let mut start = Vec::new();
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {name}"))?;
    file.take(LOOKED_AT).read_to_end(&mut start).with_context(|| format!("cannot read {name}"))?;
    let is_packed = matches!(
        start.as_slice(),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'P', b'K', 3, 4, ..]
    );
    let is_odd = |byte: &&u8| byte.is_ascii_control() && !b"\t\n\r\x0c\x1a\0".contains(byte);
    let odd = start.iter().filter(is_odd).count();
    anyhow::ensure!(is_packed || odd <= TOLERATED, "{name}: a binary file, where text is wanted");
    Ok(())
}
