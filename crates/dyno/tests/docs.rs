//! The guide's links lead somewhere.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Markdown file that readers start from.
fn pages() -> Vec<PathBuf> {
    let in_docs =
        std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let at_root = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    in_docs.chain(at_root).filter(|path| path.extension().is_some_and(|e| e == "md")).collect()
}

/// The targets of `[text](target)` that are files of ours, without their `#part`.
fn local_links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| {
            !target.contains("://") && !target.starts_with('#') && !target.contains(' ')
        })
        .filter_map(|target| target.split('#').next())
        .collect()
}

#[test]
fn links_lead_to_files() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in local_links(&text) {
            if !page.parent().unwrap().join(link).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_index_lists_every_page() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    let links = local_links(&index);
    let missing: Vec<String> = pages()
        .iter()
        .filter(|page| page.parent().unwrap().ends_with("docs"))
        .map(|page| page.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "README.md" && !links.contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/README.md does not mention: {}", missing.join(", "));
}
