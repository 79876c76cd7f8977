//! The gallery page in a real browser, as wide as a phone and as wide as a desk: it sorts,
//! filters, draws, fits, and can be read. Skips where there is no Chromium.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

#[path = "../examples/gallery.rs"]
mod gallery;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SELFTEST: &str = include_str!("selftest.js");

#[test]
fn gallery_on_a_phone() {
    examine(390);
}

#[test]
fn gallery_on_a_desk() {
    examine(1280);
}

fn examine(width: u32) {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium on PATH");
        return;
    };
    let folder = scratch(width);
    let script = SELFTEST.replace("EXPECTED_WIDTH", &width.to_string());
    let page =
        gallery::page().render().replace("</body>", &format!("<script>{script}</script></body>"));
    let file = folder.join("frame.html");
    std::fs::write(&file, framed(&page, width)).unwrap();
    let dom = dump_dom(&browser, &folder, &file);
    let _ = std::fs::remove_dir_all(&folder);

    let found =
        dom.split("<pre id=\"selftest\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let Some(found) = found else {
        panic!(
            "the page did not run its checks; the browser said: {}",
            &dom[..dom.len().min(2000)]
        );
    };
    let faults: Vec<&str> = found.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert!(faults.is_empty(), "at width {width}:\n{}", faults.join("\n"));
    assert!(found.lines().count() > 30, "checks are missing:\n{found}");
}

/// A page of exactly that width: browsers refuse to make windows as narrow as a phone.
fn framed(page: &str, width: u32) -> String {
    let source = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!doctype html><iframe width=\"{width}\" height=\"900\" style=\"border:0\" srcdoc=\"{source}\"></iframe>"
    )
}

/// The page after its scripts have run.
fn dump_dom(browser: &Path, folder: &Path, file: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--window-size=1400,1000")
        .arg(format!("file://{}", file.display()))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file())
}

fn scratch(width: u32) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dyno-browser-{}-{width}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
