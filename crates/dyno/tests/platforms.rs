//! What is particular to a system stands behind a mark, so that the others can be built for.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

/// A family of systems: words of the sources that exist there only, and words of `#[cfg(…)]` that
/// stand for it.
struct Family {
    name: &'static str,
    words: &'static [&'static str],
    marks: &'static [&'static str],
}

const UNIX: Family = Family {
    name: "Unix",
    words: &["std::os::unix", "std::os::fd", "std::os::linux", "rustix::", "libc::"],
    marks: &["unix", "target_os", "target_family"],
};

const WINDOWS: Family =
    Family { name: "Windows", words: &["std::os::windows", "windows_sys::"], marks: &["windows"] };

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
fn is_mark(line: &str, family: &Family) -> bool {
    let line = line.trim();
    let names = |word: &&str| line.contains(*word) && !line.contains(&format!("not({word})"));
    line.starts_with("#[cfg(") && family.marks.iter().any(names)
}

/// Lines that name a family outside of an item marked for it.
fn unmarked(text: &str, family: &Family) -> Vec<usize> {
    let mut found = Vec::new();
    // Of the marked item we are in: how deep it is indented, and whether its body has begun.
    let mut item: Option<(usize, bool)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if is_mark(line, family) {
            item = Some((indent, false));
            continue;
        }
        let names_family = !line.trim_start().starts_with("//")
            && family.words.iter().any(|word| line.contains(word));
        if names_family && item.is_none() {
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
fn is_marked_module(path: &Path, family: &Family) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap();
    let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
    parents.iter().filter_map(|parent| std::fs::read_to_string(parent).ok()).any(|text| {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let declares = |line: &str| line.ends_with(&format!("mod {name};"));
        lines.windows(2).any(|pair| is_mark(pair[0], family) && declares(pair[1]))
    })
}

#[test]
fn a_system_stands_in_marked_places() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).unwrap() {
        let src = entry.unwrap().path().join("src");
        if src.is_dir() {
            sources(&src, &mut files);
        }
    }
    assert!(files.len() > 100, "only {} sources found", files.len());
    for family in [UNIX, WINDOWS] {
        let mut faults = Vec::new();
        for file in files.iter().filter(|file| !is_marked_module(file, &family)) {
            let text = std::fs::read_to_string(file).unwrap();
            let lines = unmarked(&text, &family);
            faults.extend(lines.iter().map(|line| format!("{}:{line}", file.display())));
        }
        assert!(faults.is_empty(), "{} without its mark:\n{}", family.name, faults.join("\n"));
    }
}

#[test]
fn the_test_sees_what_is_not_marked() {
    let good = "#[cfg(unix)]\nfn a() {\n    use std::os::unix::fs::X;\n}\n\nfn b() {}\n";
    let bad = "#[cfg(unix)]\nfn a() {\n}\n\nfn b() {\n    rustix::process::getpid();\n}\n";
    assert_eq!(unmarked(good, &UNIX), Vec::<usize>::new());
    assert_eq!(unmarked(bad, &UNIX), vec![6]);
    let other = "#[cfg(not(windows))]\nfn a() {\n    windows_sys::b();\n}\n";
    assert_eq!(unmarked(other, &WINDOWS), vec![3]);
    assert_eq!(unmarked(&other.replace("not(windows)", "windows"), &WINDOWS), Vec::<usize>::new());
}
