//! What every chart with axes shares: the canvas, scales, round ticks, grid and names.

use std::fmt::Write as _;

use crate::html::markup::escape;
use crate::number;

/// The size of a canvas in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Size {
    pub(super) const FULL: Size = Size { width: 1080.0, height: 320.0 };
    pub(super) const WIDE: Size = Size { width: 600.0, height: 270.0 };
    pub(super) const NARROW: Size = Size { width: 340.0, height: 250.0 };
}

/// The part of the canvas between the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Values from `low` to `high`, and how they are written.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    step: f64,
    is_percent: bool,
}

impl Scale {
    /// A scale that covers the values and has about `wanted` ticks. `stretch` moves both ends
    /// out to a tick; `is_whole` allows no ticks between whole numbers.
    pub(super) fn covering(
        values: impl IntoIterator<Item = f64>,
        wanted: f64,
        stretch: bool,
        is_whole: bool,
    ) -> Scale {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (mut low, mut high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 * high.abs().max(low.abs()).max(1e-9) {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            (low, high) = (low - room, high + room);
        }
        let step = round_step((high - low) / wanted.max(1.0), is_whole);
        if stretch {
            low = (low / step + 1e-9).floor() * step;
            high = (high / step - 1e-9).ceil() * step;
        }
        Scale { low, high, step, is_percent: false }
    }

    pub(super) fn percent(mut self, is_percent: bool) -> Scale {
        self.is_percent = is_percent;
        self
    }

    /// Where a value lies between the ends, 0 to 1.
    pub(super) fn at(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The round values between the ends.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step - 1e-6).ceil() as i64;
        let last = (self.high / self.step + 1e-6).floor() as i64;
        (first..=last.min(first + 40)).map(|n| n as f64 * self.step).collect()
    }

    /// A value as the axis writes it, with the decimals that its step needs.
    pub(super) fn write(&self, value: f64) -> String {
        let (value, step) =
            if self.is_percent { (value * 100.0, self.step * 100.0) } else { (value, self.step) };
        let text = if step >= 100.0 && self.high.abs().max(self.low.abs()) >= 10_000.0 {
            number::compact(value)
        } else {
            number::fixed(value, (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize)
        };
        if self.is_percent { format!("{text} %") } else { text }
    }
}

/// The next step of the kind 1, 2, 5, 10 … at or above `rough`.
fn round_step(rough: f64, is_whole: bool) -> f64 {
    let rough = if rough.is_finite() && rough > 0.0 { rough } else { 1.0 };
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&step| step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    if is_whole { step.max(1.0) } else { step }
}

/// How wide a text will be, roughly, at the charts' text size.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 7.4
}

/// Room for the scale's figures on the left, for both axes' names, and `head` pixels on top.
pub(super) fn area(size: Size, y: &Scale, x_name: &str, head: f64) -> Area {
    let figures = y.ticks().iter().map(|&tick| text_width(&y.write(tick))).fold(0.0, f64::max);
    Area {
        left: (figures + 14.0).max(34.0),
        right: size.width - 14.0,
        top: head + 10.0,
        bottom: size.height - if x_name.is_empty() { 26.0 } else { 46.0 },
    }
}

/// The horizontal lines with their figures, and the names of the axes.
pub(super) fn draw_y(area: Area, y: &Scale, names: (&str, &str), out: &mut String) {
    for tick in y.ticks() {
        let height = area.bottom - y.at(tick) * (area.bottom - area.top);
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{:.1} {height:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            area.left,
            area.right,
            area.left - 7.0,
            height + 4.5,
            escape(&y.write(tick)),
        );
    }
    let (x_name, y_name) = names;
    if !y_name.is_empty() {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            area.left,
            area.top - 12.0,
            escape(y_name)
        );
    }
    if !x_name.is_empty() {
        let middle = (area.left + area.right) / 2.0;
        let _ = write!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            area.bottom + 40.0,
            escape(x_name)
        );
    }
}

/// The lower axis with a figure at each tick.
pub(super) fn draw_x(area: Area, x: &Scale, out: &mut String) {
    let _ = write!(
        out,
        "<path class=\"axis\" d=\"M{:.1} {:.1}H{:.1}\"/>",
        area.left, area.bottom, area.right
    );
    for tick in x.ticks() {
        let at = area.left + x.at(tick) * (area.right - area.left);
        let text = x.write(tick);
        // A figure at the very edge would be cut off: it moves inwards.
        let anchor =
            if at + text_width(&text) / 2.0 > area.right + 12.0 { "end" } else { "middle" };
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{at:.1} {:.1}v5\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            area.bottom,
            area.bottom + 20.0,
            escape(&text)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::covering([-2.94, 2.94, 0.3], 5.0, true, false);
        assert_eq!(scale.ticks(), [-4.0, -2.0, 0.0, 2.0, 4.0]);
        let whole = Scale::covering([1.0, 3.0], 8.0, false, true);
        assert_eq!(whole.ticks(), [1.0, 2.0, 3.0]);
        let small = Scale::covering([0.0, 0.034], 4.0, true, false);
        assert_eq!(small.write(small.ticks()[1]), "0.01");
    }

    #[test]
    fn degenerate_data_still_makes_a_scale() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![0.0],
            vec![5.0, 5.0],
            vec![1e300, -1e300],
            vec![f64::INFINITY],
        ] {
            let scale = Scale::covering(values.clone(), 5.0, true, false);
            assert!(scale.low < scale.high, "{values:?}");
            assert!(
                !scale.ticks().is_empty() && scale.ticks().len() <= 41,
                "{values:?}: {scale:?}"
            );
        }
    }

    #[test]
    fn large_figures_are_short_on_the_axis() {
        let scale = Scale::covering([1_000_000.0, 1_900_000.0], 4.0, true, false);
        assert_eq!(scale.write(1_500_000.0), "1.5M");
        assert_eq!(Scale::covering([0.0, 1.0], 4.0, true, false).percent(true).write(0.5), "50 %");
    }
}
