//! Lines over an axis: LLR over games, Elo with its error band, speed per run, pass curves.

use std::fmt::Write as _;

use super::frame::{Area, Scale, Size, area, draw_x, draw_y, text_width};
use super::{Drawing, figure, standalone};
use crate::html::markup::{Html, escape};
use crate::number;

/// A line chart.
#[derive(Clone, Debug, Default)]
pub struct LineChart {
    title: String,
    x_name: String,
    y_name: String,
    series: Vec<Series>,
    bounds: Vec<(f64, String)>,
    marks: Vec<(f64, String)>,
    y_range: Option<(f64, f64)>,
    is_percent: bool,
}

/// One line and how it is drawn.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    band: Vec<(f64, f64, f64)>,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Line,
    Steps,
    Dots,
}

impl Series {
    /// Points `(x, y)` in the order of x, joined by a line. What is not finite is left out.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let finite = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        Series { name: name.into(), points: finite, band: Vec::new(), style: Style::Line }
    }

    /// Holds each value until the next one.
    #[must_use]
    pub fn steps(mut self) -> Series {
        self.style = Style::Steps;
        self
    }

    /// Dots only.
    #[must_use]
    pub fn dots(mut self) -> Series {
        self.style = Style::Dots;
        self
    }

    /// A shaded band `(x, low, high)`: the error of the line.
    #[must_use]
    pub fn band(mut self, band: impl IntoIterator<Item = (f64, f64, f64)>) -> Series {
        self.band = band
            .into_iter()
            .filter(|(x, l, h)| x.is_finite() && l.is_finite() && h.is_finite())
            .collect();
        self
    }

    fn words(&self) -> String {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return format!("{}: no points.", self.name);
        };
        let (low, high) = self
            .points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.1), h.max(p.1)));
        format!(
            "{}: {} points, from {} at {} to {} at {}; lowest {}, highest {}.",
            self.name,
            number::count(self.points.len()),
            number::figure(first.1),
            number::figure(first.0),
            number::figure(last.1),
            number::figure(last.0),
            number::figure(low),
            number::figure(high),
        )
    }
}

impl LineChart {
    /// An empty chart.
    pub fn new(title: impl Into<String>) -> LineChart {
        LineChart { title: title.into(), ..LineChart::default() }
    }

    /// The name of the horizontal axis.
    #[must_use]
    pub fn x(mut self, name: impl Into<String>) -> LineChart {
        self.x_name = name.into();
        self
    }

    /// The name of the vertical axis.
    #[must_use]
    pub fn y(mut self, name: impl Into<String>) -> LineChart {
        self.y_name = name.into();
        self
    }

    /// The next line. Up to six are told apart by colour and dashes.
    #[must_use]
    pub fn series(mut self, series: Series) -> LineChart {
        self.series.push(series);
        self
    }

    /// A dashed line across at a height that decides something; its name may be empty.
    #[must_use]
    pub fn bound(mut self, height: f64, name: impl Into<String>) -> LineChart {
        if height.is_finite() {
            self.bounds.push((height, name.into()));
        }
        self
    }

    /// A dashed line down at a place where something happened, with its name.
    #[must_use]
    pub fn mark(mut self, place: f64, name: impl Into<String>) -> LineChart {
        if place.is_finite() {
            self.marks.push((place, name.into()));
        }
        self
    }

    /// The vertical axis covers at least this.
    #[must_use]
    pub fn y_range(mut self, low: f64, high: f64) -> LineChart {
        self.y_range = Some((low, high));
        self
    }

    /// Values are shares from 0 to 1, written as percentages.
    #[must_use]
    pub fn percent(mut self) -> LineChart {
        self.is_percent = true;
        self
    }

    /// The chart as an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        standalone(self)
    }

    fn scales(&self, size: Size) -> (Scale, Scale) {
        let xs = || self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
        let is_whole = xs().all(|x| x == x.trunc());
        let x = Scale::covering(xs(), size.width / 85.0, false, is_whole);
        let ys = self.series.iter().flat_map(|s| {
            s.points
                .iter()
                .map(|p| p.1)
                .chain(s.band.iter().flat_map(|&(_, low, high)| [low, high]))
        });
        let fixed = self
            .bounds
            .iter()
            .map(|bound| bound.0)
            .chain(self.y_range.into_iter().flat_map(|(l, h)| [l, h]));
        let y = Scale::covering(ys.chain(fixed), size.height / 55.0, true, false)
            .percent(self.is_percent);
        (x, y)
    }
}

impl Drawing for LineChart {
    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let mut text = format!(
            "Line chart of {} over {}.",
            or(&self.y_name, "values"),
            or(&self.x_name, "their order")
        );
        for series in &self.series {
            let _ = write!(text, " {}", series.words());
        }
        for (height, name) in &self.bounds {
            let name = if name.is_empty() { "unnamed" } else { name };
            let _ = write!(text, " Bound at {}: {name}.", number::figure(*height));
        }
        for (place, name) in &self.marks {
            let _ = write!(text, " Marked at {}: {name}.", number::figure(*place));
        }
        text
    }

    fn draw(&self, size: Size) -> String {
        let mut out = String::new();
        if self.series.iter().all(|series| series.points.is_empty()) {
            let (x, y) = (size.width / 2.0, size.height / 2.0);
            return format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data yet</text>");
        }
        let (x, y) = self.scales(size);
        let legend = self.legend(size);
        let head = legend.height + if self.y_name.is_empty() { 0.0 } else { 18.0 };
        let area = area(size, &y, &self.x_name, head);
        out.push_str(&legend.markup);
        draw_y(area, &y, (&self.x_name, &self.y_name), &mut out);
        draw_x(area, &x, &mut out);
        let canvas = Canvas { area, x: &x, y: &y };
        for (index, series) in self.series.iter().enumerate() {
            canvas.draw(series, index % 6 + 1, &mut out);
        }
        for (height, name) in &self.bounds {
            canvas.draw_bound(*height, name, &mut out);
        }
        for (place, name) in &self.marks {
            canvas.draw_mark(*place, name, &mut out);
        }
        out
    }
}

struct Legend {
    markup: String,
    height: f64,
}

impl LineChart {
    /// Line samples with names, in as many rows as the width needs; none for a single line.
    fn legend(&self, size: Size) -> Legend {
        let mut markup = String::new();
        if self.series.len() < 2 {
            return Legend { markup, height: 0.0 };
        }
        let (mut x, mut y) = (12.0, 16.0);
        for (index, series) in self.series.iter().enumerate() {
            let width = 34.0 + text_width(&series.name) + 16.0;
            if x + width > size.width && x > 12.0 {
                (x, y) = (12.0, y + 20.0);
            }
            let tone = index % 6 + 1;
            let sample = if series.style == Style::Dots {
                format!(
                    "<circle class=\"f{tone}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>",
                    x + 14.0,
                    y - 4.5
                )
            } else {
                format!("<path class=\"trace t{tone}\" d=\"M{x:.1} {:.1}h28\"/>", y - 4.5)
            };
            let _ = write!(
                markup,
                "{sample}<text class=\"value\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                x + 34.0,
                escape(&series.name)
            );
            x += width;
        }
        Legend { markup, height: y + 6.0 }
    }
}

struct Canvas<'a> {
    area: Area,
    x: &'a Scale,
    y: &'a Scale,
}

impl Canvas<'_> {
    /// More points than this on a line cannot be seen apart.
    const MOST_POINTS: usize = 700;
    /// So few points that each deserves its own dot.
    const FEW_POINTS: usize = 24;

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let Area { left, right, top, bottom } = self.area;
        (left + self.x.at(x) * (right - left), bottom - self.y.at(y) * (bottom - top))
    }

    fn draw(&self, series: &Series, tone: usize, out: &mut String) {
        if !series.band.is_empty() {
            let upper = series.band.iter().map(|&(x, _, high)| (x, high));
            let lower = series.band.iter().rev().map(|&(x, low, _)| (x, low));
            let outline = self.path(upper.chain(lower), Style::Line);
            let _ = write!(out, "<path class=\"band f{tone}\" d=\"{outline}Z\"/>");
        }
        if series.style != Style::Dots {
            let line =
                self.path(thinned(&series.points, Self::MOST_POINTS).into_iter(), series.style);
            let _ = write!(out, "<path class=\"trace t{tone}\" d=\"{line}\"/>");
        }
        if series.style == Style::Dots || series.points.len() <= Self::FEW_POINTS {
            for &point in &thinned(&series.points, Self::MOST_POINTS) {
                let (x, y) = self.place(point);
                let value = format!(
                    "{}: {} at {}",
                    series.name,
                    number::figure(point.1),
                    number::figure(point.0)
                );
                let _ = write!(
                    out,
                    "<circle class=\"f{tone}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"><title>{}</title></circle>",
                    escape(&value)
                );
            }
        }
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>, style: Style) -> String {
        let mut path = String::new();
        for (index, point) in points.enumerate() {
            let (x, y) = self.place(point);
            let _ = match (index, style) {
                (0, _) => write!(path, "M{x:.1} {y:.1}"),
                (_, Style::Steps) => write!(path, "H{x:.1}V{y:.1}"),
                _ => write!(path, "L{x:.1} {y:.1}"),
            };
        }
        path
    }

    /// The name stands beside its line, towards the middle of the chart.
    fn draw_mark(&self, place: f64, name: &str, out: &mut String) {
        let (x, _) = self.place((place, self.y.low));
        let (top, bottom) = (self.area.top, self.area.bottom);
        let is_left_half = x < (self.area.left + self.area.right) / 2.0;
        let (anchor, text_x) = if is_left_half { ("start", x + 5.0) } else { ("end", x - 5.0) };
        let _ = write!(
            out,
            "<path class=\"limit\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>\
             <text class=\"limit-name\" text-anchor=\"{anchor}\" x=\"{text_x:.1}\" y=\"{:.1}\">{}</text>",
            bottom - 6.0,
            escape(name)
        );
    }

    /// The bound's name sits on the side of its line that has room.
    fn draw_bound(&self, height: f64, name: &str, out: &mut String) {
        let (_, y) = self.place((self.x.low, height));
        let (left, right) = (self.area.left, self.area.right);
        let _ = write!(out, "<path class=\"limit\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
        if !name.is_empty() {
            let is_upper_half = y < (self.area.top + self.area.bottom) / 2.0;
            // Below the lowest line stand the numbers of the axis.
            let fits_below = y + 15.0 < self.area.bottom;
            let text_y = if is_upper_half || !fits_below { y - 5.0 } else { y + 15.0 };
            let _ = write!(
                out,
                "<text class=\"limit-name\" x=\"{:.1}\" y=\"{text_y:.1}\">{}</text>",
                left + 6.0,
                escape(name)
            );
        }
    }
}

/// At most about `most` points that look the same: of each stretch the first, lowest, highest
/// and last stay.
fn thinned(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(most / 4);
    let mut kept = Vec::with_capacity(most + 4);
    for chunk in points.chunks(stretch) {
        let by_height = |a: &usize, b: &usize| chunk[*a].1.total_cmp(&chunk[*b].1);
        let low = (0..chunk.len()).min_by(by_height).unwrap_or(0);
        let high = (0..chunk.len()).max_by(by_height).unwrap_or(0);
        let mut picks = [0, low, high, chunk.len() - 1];
        picks.sort_unstable();
        let mut last = usize::MAX;
        for pick in picks {
            if pick != last {
                kept.push(chunk[pick]);
                last = pick;
            }
        }
    }
    kept
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

impl From<LineChart> for Html {
    fn from(chart: LineChart) -> Html {
        figure(&chart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_ends_and_extremes() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|n| (f64::from(n), 0.0)).collect();
        points[5_003].1 = 9.0;
        points[7_777].1 = -9.0;
        let kept = thinned(&points, 700);
        assert!(kept.len() <= 704);
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9_999]));
        assert!(kept.contains(&(5_003.0, 9.0)) && kept.contains(&(7_777.0, -9.0)));
    }

    #[test]
    fn draws_bounds_bands_and_words() {
        let chart = LineChart::new("LLR")
            .x("games")
            .y("LLR")
            .series(
                Series::new("a<b", [(0.0, 0.0), (2.0, 1.5)])
                    .steps()
                    .band([(0.0, -1.0, 1.0), (2.0, 1.0, 2.0)]),
            )
            .bound(2.94, "accept H1");
        let svg = chart.svg();
        assert!(svg.contains("class=\"band f1\"") && svg.contains("class=\"limit\""));
        assert!(svg.contains("a&lt;b: 2 points, from 0 at 0 to 1.50 at 2"));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn no_data_is_said() {
        let svg =
            LineChart::new("t").series(Series::new("s", [(f64::NAN, 1.0)])).bound(1.0, "b").svg();
        assert!(svg.contains("no data yet"));
    }
}
