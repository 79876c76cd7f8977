//! Opens a report page in headless Chromium at a given width and lets it examine itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

const HEALTH: &str = include_str!("health.js");
const MEASURE: &str = include_str!("measure.js");

/// As wide as a phone and as wide as a desk.
pub const WIDTHS: [u32; 2] = [390, 1280];

/// Fails unless the page is healthy at both widths: it fits, sorts, filters, draws, and can
/// be read in light and dark. `extra` are further checks in JavaScript, see `gallery.js`.
/// Skips where there is no Chromium.
pub fn assert_healthy(name: &str, page: &str, extra: &str) {
    let Some(browser) = browser() else {
        eprintln!("skipped: {name}: no chromium on PATH");
        return;
    };
    for width in WIDTHS {
        let found = examine(&browser, page, extra, width);
        let faults: Vec<&str> = found.lines().filter(|line| !line.starts_with("ok ")).collect();
        assert!(faults.is_empty(), "{name} at width {width}:\n{}", faults.join("\n"));
        assert!(found.lines().count() >= 18, "{name}: checks are missing:\n{found}");
    }
}

/// What the page says of itself, a line a check.
fn examine(browser: &Path, page: &str, extra: &str, width: u32) -> String {
    let folder = scratch();
    let script = HEALTH
        .replace("MEASURE\n", MEASURE)
        .replace("EXPECTED_WIDTH", &width.to_string())
        .replace("EXTRA\n", extra);
    let page = page.replace("</body>", &format!("<script>{script}</script></body>"));
    let file = folder.join("frame.html");
    std::fs::write(&file, framed(&page, width)).unwrap();
    let dom = dump_dom(browser, &folder, &file);
    let _ = std::fs::remove_dir_all(&folder);

    let found =
        dom.split("<pre id=\"health\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    match found {
        Some(found) => found.to_owned(),
        None => panic!("the page did not examine itself; the browser left {} bytes", dom.len()),
    }
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

fn scratch() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("dyno-browser-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
