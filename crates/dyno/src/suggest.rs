//! Unknown names, answered with the nearest known one.

use dyno_uci::nearest_name;

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
