//! What is particular to a system stands behind a mark, so that the others can be built for.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

/// Words of the sources that exist on Unix only.
const OF_UNIX: [&str; 5] = ["std::os::unix", "std::os::fd", "std::os::linux", "rustix::", "libc::"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Whether a line opens an item that only such systems see.
fn is_mark(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("#[cfg(") && !line.contains("not(unix") && {
        ["unix", "target_os", "target_family"].iter().any(|word| line.contains(word))
    }
}

/// Lines that name Unix outside of an item marked for it.
fn unmarked(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    // Of the marked item we are in: how deep it is indented, and whether its body has begun.
    let mut item: Option<(usize, bool)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if is_mark(line) {
            item = Some((indent, false));
            continue;
        }
        let names_unix =
            !line.trim_start().starts_with("//") && OF_UNIX.iter().any(|word| line.contains(word));
        if names_unix && item.is_none() {
            found.push(number + 1);
        }
        if let Some((depth, begun)) = &mut item
            && indent == *depth
            && !line.trim().is_empty()
        {
            // An item ends with the brace or the semicolon that stands as far left as its mark.
            let opens = line.trim_end().ends_with(['{', '(', '[']);
            let ends = line.trim_end().ends_with([';', '}', ',']);
            if ends && (!opens || *begun) {
                item = None;
            } else if opens {
                *begun = true;
            }
        }
    }
    found
}

/// Modules that their parents mark as a whole: `#[cfg(unix)] mod unix;`.
fn is_marked_module(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap();
    let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
    parents.iter().filter_map(|parent| std::fs::read_to_string(parent).ok()).any(|text| {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let declares = |line: &str| line.ends_with(&format!("mod {name};"));
        lines.windows(2).any(|pair| is_mark(pair[0]) && declares(pair[1]))
    })
}

#[test]
fn unix_stands_in_marked_places() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).unwrap() {
        let src = entry.unwrap().path().join("src");
        if src.is_dir() {
            sources(&src, &mut files);
        }
    }
    assert!(files.len() > 100, "only {} sources found", files.len());
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| !is_marked_module(file)) {
        let text = std::fs::read_to_string(file).unwrap();
        faults.extend(unmarked(&text).iter().map(|line| format!("{}:{line}", file.display())));
    }
    assert!(faults.is_empty(), "Unix outside of #[cfg(unix)]:\n{}", faults.join("\n"));
}

#[test]
fn the_test_sees_what_is_not_marked() {
    let good = "#[cfg(unix)]\nfn a() {\n    use std::os::unix::fs::X;\n}\n\nfn b() {}\n";
    let bad = "#[cfg(unix)]\nfn a() {\n}\n\nfn b() {\n    rustix::process::getpid();\n}\n";
    assert_eq!(unmarked(good), Vec::<usize>::new());
    assert_eq!(unmarked(bad), vec![6]);
}
