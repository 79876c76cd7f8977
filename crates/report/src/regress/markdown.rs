//! The battery as Markdown: for a comment on a pull request, or the summary of a CI run.

use super::{findings, headline, title};
use crate::number;
use dyno_trials::regress::{RegressResult, Step};
use std::fmt::Write;
use std::time::Duration;

/// Lines of evidence under one finding.
const MOST_DETAILS: usize = 40;

/// The whole report.
#[must_use]
pub fn report(result: &RegressResult) -> String {
    let (verdict, text) = headline(result);
    let mut out = format!("## {} Dyno: {text}\n\n", verdict.sign());
    let _ = write!(out, "Engine: **{}**", escape(&result.engine.name));
    if let Some(baseline) = &result.baseline {
        let _ = write!(out, ", against the baseline of **{}**", escape(baseline));
    }
    out += "\n\n| Step | Verdict | Result | Time |\n|---|---|---|---:|\n";
    for step in &result.steps {
        let verdict = step.verdict;
        let time = number::duration(Duration::from_secs_f64(step.seconds.max(0.0)));
        let _ = writeln!(
            out,
            "| {} | {} {verdict} | {} | {time} |",
            escape(&title(step)),
            verdict.sign(),
            escape(&step.summary)
        );
    }
    for step in &result.steps {
        out += &details(step);
    }
    let seconds = number::duration(result.header.elapsed());
    let _ = write!(out, "\n{seconds}, Dyno {}\n", escape(&result.header.dyno_version));
    out
}

fn details(step: &Step) -> String {
    let mut out = String::new();
    for case in findings(step) {
        let verdict = case.verdict;
        let head = format!("{} · {}", title(step), case.id);
        let _ =
            write!(out, "\n{} **{}**: {}\n", verdict.sign(), escape(&head), escape(&case.summary));
        let shown = case.shown(MOST_DETAILS);
        if shown.is_empty() {
            continue;
        }
        let fence = fence(&shown);
        let _ = write!(out, "\n<details><summary>Evidence</summary>\n\n{fence}text\n");
        for line in &shown {
            let _ = writeln!(out, "{}", one_line(line));
        }
        let _ = write!(out, "{fence}\n\n</details>\n");
    }
    out
}

/// A fence longer than any run of backticks inside.
fn fence(lines: &[String]) -> String {
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text that an engine may have chosen, made harmless: no markup, no mentions, no new lines.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_writes_markup_for_us() {
        assert_eq!(escape("a|b\n<img> @all"), "a\\|b &lt;img&gt; &#64;all");
        assert_eq!(fence(&["x ```` y".to_owned()]), "`````");
        assert_eq!(fence(&[]), "```");
    }
}
