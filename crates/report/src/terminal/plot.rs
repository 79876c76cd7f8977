//! Drawings in letters: bars, a line over two axes, the LLR between its bounds.

use std::fmt;

use unicode_width::UnicodeWidthStr;

use super::style::{clean, cut};
use crate::number;

/// The widest name before a bar.
const LONGEST_NAME: usize = 28;

/// Bars by name, each with its figure behind; `full` is the value of a whole bar.
///
/// ```
/// let text = dyno_report::terminal::bars([("Pawns", 50.0, "50 %"), ("Rooks", 100.0, "100 %")], 100.0, 8);
/// assert_eq!(text, "Pawns  ████      50 %\nRooks  ████████  100 %\n");
/// ```
pub fn bars<N: AsRef<str>, T: AsRef<str>>(
    rows: impl IntoIterator<Item = (N, f64, T)>,
    full: f64,
    columns: usize,
) -> String {
    let rows: Vec<(String, f64, T)> = rows
        .into_iter()
        .map(|(name, value, text)| (cut(&clean(name.as_ref()), LONGEST_NAME), value, text))
        .collect();
    let widest = rows.iter().map(|row| row.0.width()).max().unwrap_or(0);
    let line = |(name, value, text): &(String, f64, T)| {
        let room = " ".repeat(widest - name.width());
        format!("{name}{room}  {}  {}\n", bar(value / full, columns), clean(text.as_ref()))
    };
    rows.iter().map(line).collect()
}

/// A share of a bar, to an eighth of a letter.
fn bar(share: f64, columns: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * columns as f64 * 8.0).round() as usize;
    let text = "█".repeat(eighths / 8) + PARTS[eighths % 8];
    let room = columns - text.chars().count();
    text + &" ".repeat(room)
}

/// Where the log-likelihood ratio stands between its bounds: from zero towards the one it
/// is nearing.
#[must_use]
pub fn llr_bar(llr: f64, lower: f64, upper: f64, columns: usize) -> String {
    let columns = columns.max(5);
    let is_usable = llr.is_finite() && lower < 0.0 && upper > 0.0;
    let zero = if is_usable {
        (-lower / (upper - lower) * (columns - 1) as f64).round() as usize
    } else {
        columns / 2
    };
    let (on_left, on_right) = (zero, columns - 1 - zero);
    let filled = if is_usable { llr } else { 0.0 };
    let towards_upper = bar(filled / upper, on_right).replace(' ', "·");
    let towards_lower = mirrored_bar(filled / lower, on_left);
    format!(
        "{} [{towards_lower}│{towards_upper}] {}",
        number::fixed(lower, 2),
        number::fixed(upper, 2)
    )
}

/// A bar that grows to the left; there are no left-growing eighths, so whole letters only.
fn mirrored_bar(share: f64, columns: usize) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let full = (share * columns as f64).round() as usize;
    "·".repeat(columns - full) + &"█".repeat(full)
}

/// A line over two axes in braille dots: pass curves, LLR over games.
///
/// ```
/// use dyno_report::terminal::LinePlot;
/// let plot = LinePlot::new([(0.0, 0.0), (1.0, 1.0)]).size(20, 4).x("true Elo");
/// assert_eq!(plot.to_string().lines().count(), 4 + 3);
/// ```
#[derive(Clone, Debug)]
pub struct LinePlot {
    points: Vec<(f64, f64)>,
    y_range: Option<(f64, f64)>,
    columns: usize,
    lines: usize,
    x_name: String,
    is_percent: bool,
}

impl LinePlot {
    /// Points in the order of x; what is not finite is left out.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> LinePlot {
        LinePlot {
            points: points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect(),
            y_range: None,
            columns: 60,
            lines: 12,
            x_name: String::new(),
            is_percent: false,
        }
    }

    /// Letters across and down, axes not counted.
    #[must_use]
    pub fn size(mut self, columns: usize, lines: usize) -> LinePlot {
        (self.columns, self.lines) = (columns.max(4), lines.max(2));
        self
    }

    /// The name under the horizontal axis.
    #[must_use]
    pub fn x(mut self, name: impl Into<String>) -> LinePlot {
        self.x_name = name.into();
        self
    }

    /// The vertical axis covers at least this.
    #[must_use]
    pub fn y_range(mut self, low: f64, high: f64) -> LinePlot {
        self.y_range = Some((low, high));
        self
    }

    /// Values are shares from 0 to 1, written as percentages.
    #[must_use]
    pub fn percent(mut self) -> LinePlot {
        self.is_percent = true;
        self
    }

    fn write_y(&self, value: f64) -> String {
        if self.is_percent {
            format!("{} %", number::fixed(value * 100.0, 0))
        } else {
            number::figure(value)
        }
    }

    /// Fills the dots that the line passes.
    fn dots(&self, x: (f64, f64), y: (f64, f64)) -> Vec<Vec<u8>> {
        let (wide, high) = (self.columns * 2, self.lines * 4);
        let mut grid = vec![vec![0_u8; self.columns]; self.lines];
        let place = |point: &(f64, f64)| {
            let across = (point.0 - x.0) / (x.1 - x.0) * (wide - 1) as f64;
            let up = (point.1 - y.0) / (y.1 - y.0) * (high - 1) as f64;
            (across, (high - 1) as f64 - up)
        };
        let mut set = |across: f64, down: f64| {
            let (column, line) = (across.round().max(0.0) as usize, down.round().max(0.0) as usize);
            if column < wide && line < high {
                grid[line / 4][column / 2] |= braille_bit(column % 2, line % 4);
            }
        };
        for pair in self.points.windows(2) {
            let (from, to) = (place(&pair[0]), place(&pair[1]));
            let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0) as usize;
            for step in 0..=steps {
                let t = step as f64 / steps as f64;
                set(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
            }
        }
        if let [only] = self.points.as_slice() {
            let (across, down) = place(only);
            set(across, down);
        }
        grid
    }
}

/// The bit of a dot in its braille letter, which is two dots wide and four high.
fn braille_bit(column: usize, line: usize) -> u8 {
    const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    BITS[column][line]
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if high - low > 0.0 { (low, high) } else { (low - 1.0, low + 1.0) }
}

impl fmt::Display for LinePlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.points.is_empty() {
            return writeln!(f, "(no data)");
        }
        let x = range(self.points.iter().map(|p| p.0));
        let y = range(
            self.points
                .iter()
                .map(|p| p.1)
                .chain(self.y_range.into_iter().flat_map(|(l, h)| [l, h])),
        );
        let names: Vec<String> = (0..self.lines)
            .map(|line| match line {
                0 => self.write_y(y.1),
                l if l + 1 == self.lines => self.write_y(y.0),
                l if self.lines % 2 == 1 && l == self.lines / 2 => self.write_y((y.0 + y.1) / 2.0),
                _ => String::new(),
            })
            .collect();
        let margin = names.iter().map(|name| name.width()).max().unwrap_or(0);
        for (name, line) in names.iter().zip(self.dots(x, y)) {
            let letters: String = line
                .iter()
                .map(|&bits| char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' '))
                .collect();
            let letters = letters.replace('\u{2800}', " ");
            let room = " ".repeat(margin - name.width());
            writeln!(f, "{room}{name} ┤{}", letters.trim_end())?;
        }
        let indent = " ".repeat(margin + 1);
        writeln!(f, "{indent}└{}", "─".repeat(self.columns))?;
        let (from, to) = (number::figure(x.0), number::figure(x.1));
        let between = self.columns.saturating_sub(from.width() + to.width());
        writeln!(f, "{indent} {from}{}{to}", " ".repeat(between))?;
        let name = clean(&self.x_name);
        let centre = " ".repeat(self.columns.saturating_sub(name.width()) / 2);
        writeln!(f, "{}", format!("{indent} {centre}{name}").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_eighths_and_keep_their_width() {
        assert_eq!(bar(0.5, 4), "██  ");
        assert_eq!(bar(1.0 / 16.0, 4), "▎   ");
        assert_eq!(bar(f64::NAN, 3), "   ");
        assert_eq!(bar(7.0, 3), "███");
    }

    #[test]
    fn the_llr_bar_grows_from_zero_to_either_side() {
        assert_eq!(llr_bar(0.0, -2.94, 2.94, 11), "-2.94 [·····│·····] 2.94");
        assert_eq!(llr_bar(2.94, -2.94, 2.94, 11), "-2.94 [·····│█████] 2.94");
        assert_eq!(llr_bar(-9.0, -2.94, 2.94, 11), "-2.94 [█████│·····] 2.94");
        assert_eq!(llr_bar(f64::NAN, -2.94, 2.94, 11), "-2.94 [·····│·····] 2.94");
    }

    #[test]
    fn a_rising_line_rises() {
        let text = LinePlot::new((0..=10).map(|n| (f64::from(n), f64::from(n))))
            .size(10, 3)
            .x("n")
            .to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("10 ┤") && lines[2].starts_with(" 0 ┤"), "{text}");
        let indent = |line: &str| line.chars().skip(4).take_while(|c| *c == ' ').count();
        assert!(
            indent(lines[0]) > indent(lines[1]) && indent(lines[1]) > indent(lines[2]),
            "{text}"
        );
        assert_eq!(LinePlot::new([]).to_string(), "(no data)\n");
        assert!(LinePlot::new([(1.0, 1.0)]).to_string().lines().count() > 3);
    }
}
