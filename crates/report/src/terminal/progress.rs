//! Progress on long work: a bar with rate and time left, on a terminal's standard error only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::style::clean;

/// A progress bar. In pipes and logs, and when `quiet`, it shows nothing.
///
/// ```
/// use dyno_report::terminal::Progress;
/// let progress = Progress::new("positions", Some(300), false);
/// progress.set(254);
/// progress.note("251 solved (98.8 %)");
/// progress.finish();
/// ```
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Work on this many things; `None` when their number is unknown.
    #[must_use]
    pub fn new(things: &str, total: Option<u64>, quiet: bool) -> Progress {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(total, target);
        // A brace in the name would be read as part of the template.
        let things = clean(things).replace(['{', '}'], "");
        let template = match total {
            Some(_) => format!(
                "{{bar:24}} {{human_pos}}/{{human_len}} {things} · {{per_sec}} · {{eta}} left  {{wide_msg}}"
            ),
            None => format!(
                "{{spinner}} {{human_pos}} {things} · {{per_sec}} · {{elapsed}}  {{wide_msg}}"
            ),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let style = style.progress_chars("█▉▊▋▌▍▎▏░");
            bar.set_style(style.with_key("per_sec", rate));
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Progress { bar }
    }

    /// A line of free text instead of a bar, below lines that scroll: see [`Progress::note`].
    #[must_use]
    pub fn status_line(quiet: bool) -> Progress {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// Prints in some other way, without the bar getting in its way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// This many are done.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// One more is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// The total became known, or changed.
    pub fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// What stands behind the bar: the running score.
    pub fn note(&self, text: impl AsRef<str>) {
        self.bar.set_message(clean(text.as_ref()));
    }

    /// A line that stays, above the bar; printed on standard error also where there is no bar.
    pub fn line(&self, text: impl AsRef<str>) {
        self.bar.suspend(|| anstream::eprintln!("{}", text.as_ref()));
    }

    /// A line that stays, on standard output, without the bar getting in its way.
    pub fn print(&self, text: impl AsRef<str>) {
        use std::io::Write as _;
        // A reader that has seen enough is not a reason to end.
        self.bar.suspend(|| drop(writeln!(anstream::stdout(), "{}", text.as_ref())));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a rate for people")]
fn rate(state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write) {
    let per_second = state.per_sec();
    let text = if per_second < 10.0 {
        crate::number::fixed(per_second, 1)
    } else {
        crate::number::fixed(per_second, 0)
    };
    let _ = write!(out, "{text}/s");
}
