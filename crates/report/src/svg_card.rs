//! A report card as a picture of its own: an SVG for a README, a wiki or a forum post.
//!
//! It has its own paper and follows the reader's light or dark setting, so that it is
//! readable wherever it is placed.
//!
//! ```
//! use dyno_report::{Verdict, svg_card::ReportCard};
//!
//! let svg = ReportCard::new("Report card", "Piston 0.1")
//!     .score(2, 3)
//!     .check("Legal moves", Verdict::Pass, "126 positions, 1,234,567,890 nodes")
//!     .check("Protocol", Verdict::Pass, "31 of 31 rules kept")
//!     .check("Time", Verdict::Warn, "overruns movetime by 12 ms")
//!     .svg();
//! assert!(svg.starts_with("<svg ") && svg.contains("Piston 0.1"));
//! ```

use std::fmt::Write as _;

use crate::Verdict;
use crate::html::Html;

const WIDTH: f64 = 720.0;
const HEAD: f64 = 128.0;
const ROW: f64 = 36.0;
const FOOT: f64 = 46.0;

/// What the card says.
#[derive(Clone, Debug)]
pub struct ReportCard {
    title: String,
    engine: String,
    score: Option<(u64, u64)>,
    checks: Vec<(String, Verdict, String)>,
    foot: String,
}

impl ReportCard {
    /// A card with its title and the engine it is about.
    pub fn new(title: impl Into<String>, engine: impl Into<String>) -> ReportCard {
        ReportCard {
            title: title.into(),
            engine: engine.into(),
            score: None,
            checks: Vec::new(),
            foot: String::new(),
        }
    }

    /// A share of a whole, drawn as a dial.
    #[must_use]
    pub fn score(mut self, reached: u64, possible: u64) -> ReportCard {
        self.score = Some((reached, possible));
        self
    }

    /// The next line: what was checked, how it came out, the figure behind it.
    #[must_use]
    pub fn check(
        mut self,
        name: impl Into<String>,
        verdict: Verdict,
        figure: impl Into<String>,
    ) -> ReportCard {
        self.checks.push((name.into(), verdict, figure.into()));
        self
    }

    /// The line at the foot: the command that made it.
    #[must_use]
    pub fn foot(mut self, foot: impl Into<String>) -> ReportCard {
        self.foot = foot.into();
        self
    }

    /// The file.
    #[must_use]
    pub fn svg(&self) -> String {
        let height = HEAD + ROW * self.checks.len() as f64 + FOOT;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif\">\
             <title>{}</title><desc>{}</desc><style>{STYLE}</style>\
             <rect class=\"paper\" x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"16\"/>",
            Html::text(format!("{}: {}", self.title, self.engine)),
            Html::text(self.words()),
            WIDTH - 2.0,
            height - 2.0,
        );
        self.draw_head(&mut out);
        for (index, check) in self.checks.iter().enumerate() {
            draw_check(HEAD + ROW * index as f64, check, &mut out);
        }
        let foot =
            if self.foot.is_empty() { "the test bench for chess engines" } else { &self.foot };
        let _ = writeln!(
            out,
            "<text class=\"muted small\" x=\"32\" y=\"{0:.1}\">{1}</text>\
             <text class=\"muted small\" x=\"{2}\" y=\"{0:.1}\" text-anchor=\"end\">Dyno {3}</text></svg>",
            height - 18.0,
            cut(foot, 82),
            WIDTH - 32.0,
            env!("CARGO_PKG_VERSION"),
        );
        out
    }

    fn words(&self) -> String {
        let score = self
            .score
            .map_or(String::new(), |(reached, possible)| format!("{reached} of {possible}. "));
        let checks = self
            .checks
            .iter()
            .map(|(name, verdict, figure)| format!("{name}: {verdict}, {figure}."));
        score + &checks.collect::<Vec<_>>().join(" ")
    }

    fn draw_head(&self, out: &mut String) {
        let _ = write!(
            out,
            "<text class=\"muted\" x=\"32\" y=\"50\" font-size=\"16\">{}</text>\
             <text class=\"ink\" x=\"32\" y=\"86\" font-size=\"30\" font-weight=\"650\">{}</text>",
            cut(&self.title, 60),
            cut(&self.engine, if self.score.is_some() { 32 } else { 40 }),
        );
        if let Some((reached, possible)) = self.score {
            draw_dial(reached, possible, out);
        }
        let _ = write!(out, "<path class=\"rule\" d=\"M32 {0}H{1}\"/>", HEAD - 14.0, WIDTH - 32.0);
    }
}

/// Three quarters of a ring, filled as far as the score goes.
fn draw_dial(reached: u64, possible: u64, out: &mut String) {
    const RADIUS: f64 = 38.0;
    let (x, y) = (WIDTH - 78.0, 60.0);
    let whole = std::f64::consts::TAU * RADIUS * 0.75;
    #[allow(clippy::cast_precision_loss, reason = "drawn in pixels")]
    let share =
        if possible == 0 { 0.0 } else { (reached as f64 / possible as f64).clamp(0.0, 1.0) };
    let class = if reached == possible {
        "pass"
    } else if share >= 0.8 {
        "warn"
    } else {
        "fail"
    };
    // From the lower left, clockwise, to the lower right.
    let offset = RADIUS * std::f64::consts::FRAC_1_SQRT_2;
    let arc = format!(
        "M{:.1} {:.1}A{RADIUS} {RADIUS} 0 1 1 {:.1} {:.1}",
        x - offset,
        y + offset,
        x + offset,
        y + offset
    );
    let _ = write!(
        out,
        "<path class=\"dial\" d=\"{arc}\"/><path class=\"dial {class}\" d=\"{arc}\" stroke-dasharray=\"{:.1} {:.1}\"/>\
         <text class=\"ink\" x=\"{x}\" y=\"{}\" font-size=\"24\" font-weight=\"650\" text-anchor=\"middle\">{reached}</text>\
         <text class=\"muted\" x=\"{x}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\">of {possible}</text>",
        whole * share,
        whole * 2.0,
        y + 5.0,
        y + 24.0,
    );
}

fn draw_check(top: f64, (name, verdict, figure): &(String, Verdict, String), out: &mut String) {
    let middle = top + ROW / 2.0;
    let class = verdict.word();
    let sign = match verdict {
        Verdict::Pass => "m-5.5 .5 3.5 4 7-8",
        Verdict::Fail => "m-4.5-4.5 9 9m0-9-9 9",
        Verdict::Warn => "m0-6v7.5m0 4v.1",
        Verdict::Skip => "m-5 0h10",
    };
    let _ = write!(
        out,
        "<circle class=\"{class}\" cx=\"44\" cy=\"{middle:.1}\" r=\"12\"/><path class=\"sign\" d=\"M44 {middle:.1}{sign}\"/>\
         <text class=\"ink\" x=\"70\" y=\"{0:.1}\" font-size=\"16\">{1}</text>\
         <text class=\"muted\" x=\"{2}\" y=\"{0:.1}\" font-size=\"15\" text-anchor=\"end\">{3}</text>",
        middle + 5.5,
        cut(name, 30),
        WIDTH - 32.0,
        cut(figure, 42),
    );
}

/// Text that fits, escaped. A picture cannot wrap its lines.
fn cut(text: &str, letters: usize) -> Html {
    if text.chars().count() <= letters {
        return Html::text(text);
    }
    let start: String = text.chars().take(letters.saturating_sub(1)).collect();
    Html::text(format!("{}…", start.trim_end()))
}

const STYLE: &str = ".paper{fill:#fff;stroke:#d9dbdf;stroke-width:2}.ink{fill:#1c2128}.muted{fill:#565e69}\
    .small{font-size:13px}.rule{stroke:#d9dbdf;stroke-width:1.5}\
    .dial{fill:none;stroke:#eaecef;stroke-width:10;stroke-linecap:round}\
    circle.pass{fill:#16803f}circle.fail{fill:#c02a20}circle.warn{fill:#a86600}circle.skip{fill:#6b7480}\
    .dial.pass{stroke:#16803f}.dial.warn{stroke:#c27a00}.dial.fail{stroke:#c02a20}\
    .sign{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}\
    @media(prefers-color-scheme:dark){.paper{fill:#1a1f26;stroke:#343c47}.ink{fill:#e6e9ee}.muted{fill:#a4adb9}\
    .rule{stroke:#343c47}.dial{stroke:#2d343e}circle.pass{fill:#2a9d57}circle.fail{fill:#d9483c}circle.warn{fill:#bf7d12}\
    .dial.pass{stroke:#4cc27c}.dial.warn{stroke:#e0a23a}.dial.fail{stroke:#f0685c}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_and_endless_names_stay_text_and_fit() {
        let hostile = format!("<script>{}", "x".repeat(500));
        let svg = ReportCard::new(&hostile, &hostile)
            .score(0, 0)
            .check(&hostile, Verdict::Skip, &hostile)
            .foot(&hostile)
            .svg();
        assert!(!svg.contains("<script>") && svg.contains('…') && !svg.contains("NaN"));
    }

    #[test]
    fn the_card_can_be_read_aloud() {
        let svg = ReportCard::new("Report card", "E")
            .score(1, 2)
            .check("Protocol", Verdict::Fail, "3 faults")
            .svg();
        assert!(svg.contains("<desc>1 of 2. Protocol: fail, 3 faults.</desc>"));
    }
}
