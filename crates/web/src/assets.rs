//! Style and script: those of the reports, and what the site has beside them.

use dyno_report::html;

/// A file by its name: what it is, and its text.
pub fn find(name: &str) -> Option<(&'static str, String)> {
    const CSS: &str = "text/css; charset=utf-8";
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Some(match name {
        "report.css" => (CSS, html::stylesheet()),
        "report.js" => (SCRIPT, html::script().to_owned()),
        "site.css" => (CSS, include_str!("assets/site.css").to_owned()),
        "site.js" => (SCRIPT, include_str!("assets/site.js").to_owned()),
        _ => return None,
    })
}
