//! Upright columns: histograms, the five results of a pair, counts by kind.

use std::fmt::Write as _;

use super::frame::{Scale, Size, area, draw_y, text_width};
use super::{Drawing, figure, standalone};
use crate::Verdict;
use crate::html::markup::{Html, escape};
use crate::number;

/// Columns with a label below and their value above.
#[derive(Clone, Debug)]
pub struct ColumnChart {
    title: String,
    x_name: String,
    y_name: String,
    columns: Vec<Column>,
    /// A histogram's columns touch and its labels stand at their left edges; this is the
    /// right edge of the last one.
    last_edge: Option<String>,
}

#[derive(Clone, Debug)]
struct Column {
    label: String,
    value: f64,
    class: &'static str,
}

impl ColumnChart {
    /// An empty chart.
    pub fn new(title: impl Into<String>) -> ColumnChart {
        ColumnChart {
            title: title.into(),
            x_name: String::new(),
            y_name: String::new(),
            columns: Vec::new(),
            last_edge: None,
        }
    }

    /// How often values fall into equal bins of round width, about as many as asked for.
    pub fn histogram(
        title: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
        bins: usize,
    ) -> ColumnChart {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let mut chart = ColumnChart::new(title).y("count");
        if values.is_empty() {
            return chart;
        }
        let edges_scale =
            Scale::covering(values.iter().copied(), bins.clamp(1, 40) as f64, true, false);
        let edges = edges_scale.ticks();
        let mut counts = vec![0_u64; edges.len().saturating_sub(1).max(1)];
        for &value in &values {
            let bin = edges.partition_point(|&edge| edge <= value).saturating_sub(1);
            let last = counts.len() - 1;
            counts[bin.min(last)] += 1;
        }
        chart.last_edge = edges.last().map(|&edge| edges_scale.write(edge));
        for (&edge, count) in edges.iter().zip(counts) {
            #[allow(clippy::cast_precision_loss, reason = "drawn in pixels")]
            chart.push(edges_scale.write(edge), count as f64, "f1");
        }
        chart
    }

    /// The five results of a pair of games, from two losses to two wins.
    pub fn pentanomial(title: impl Into<String>, counts: [u64; 5]) -> ColumnChart {
        const LABELS: [(&str, &str); 5] = [
            ("LL", "fail"),
            ("LD", "fail half"),
            ("WL, DD", "skip"),
            ("WD", "pass half"),
            ("WW", "pass"),
        ];
        let mut chart = ColumnChart::new(title).x("result of a pair").y("pairs");
        for ((label, class), count) in LABELS.into_iter().zip(counts) {
            #[allow(clippy::cast_precision_loss, reason = "drawn in pixels")]
            chart.push(label.to_owned(), count as f64, class);
        }
        chart
    }

    /// The next column. What is not finite counts as zero.
    #[must_use]
    pub fn column(mut self, label: impl Into<String>, value: f64) -> ColumnChart {
        self.push(label.into(), value, "f1");
        self
    }

    /// The next column, in the colour of a verdict.
    #[must_use]
    pub fn judged(mut self, label: impl Into<String>, value: f64, verdict: Verdict) -> ColumnChart {
        self.push(label.into(), value, verdict.word());
        self
    }

    /// The name of the horizontal axis.
    #[must_use]
    pub fn x(mut self, name: impl Into<String>) -> ColumnChart {
        self.x_name = name.into();
        self
    }

    /// The name of the vertical axis.
    #[must_use]
    pub fn y(mut self, name: impl Into<String>) -> ColumnChart {
        self.y_name = name.into();
        self
    }

    /// The chart as an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        standalone(self)
    }

    fn push(&mut self, label: String, value: f64, class: &'static str) {
        let value = if value.is_finite() { value } else { 0.0 };
        self.columns.push(Column { label, value, class });
    }
}

impl Drawing for ColumnChart {
    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let values =
            self.columns.iter().map(|c| format!("{}: {}", c.label, number::figure(c.value)));
        format!("Column chart. {}.", values.collect::<Vec<_>>().join("; "))
    }

    fn draw(&self, size: Size) -> String {
        if self.columns.is_empty() {
            let (x, y) = (size.width / 2.0, size.height / 2.0);
            return format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data yet</text>");
        }
        let is_whole = self.columns.iter().all(|c| c.value == c.value.trunc());
        let values = self.columns.iter().map(|c| c.value).chain([0.0]);
        let y = Scale::covering(values, size.height / 60.0, true, is_whole);
        let head = if self.y_name.is_empty() { 8.0 } else { 22.0 };
        let area = area(size, &y, &self.x_name, head);
        let mut out = String::new();
        draw_y(area, &y, (&self.x_name, &self.y_name), &mut out);

        let slot = (area.right - area.left) / self.columns.len() as f64;
        let gap = if self.last_edge.is_some() { 1.0 } else { slot * 0.2 };
        let widest = self.columns.iter().map(|c| text_width(&c.label)).fold(0.0, f64::max);
        let every = ((widest + 10.0) / slot).ceil().max(1.0) as usize;
        let values_fit =
            self.columns.iter().all(|c| text_width(&number::figure(c.value)) < slot + 4.0);
        let height = |value: f64| area.bottom - y.at(value) * (area.bottom - area.top);
        for (index, column) in self.columns.iter().enumerate() {
            let x = area.left + slot * index as f64;
            let (top, floor) = (height(column.value.max(0.0)), height(column.value.min(0.0)));
            let text = number::figure(column.value);
            let _ = write!(
                out,
                "<rect class=\"{}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"2\"><title>{}: {}</title></rect>",
                column.class,
                x + gap / 2.0,
                (slot - gap).max(1.0),
                floor - top,
                escape(&column.label),
                escape(&text),
            );
            if values_fit {
                let _ = write!(
                    out,
                    "<text class=\"value\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    x + slot / 2.0,
                    top - 5.0,
                    escape(&text)
                );
            }
            if index.is_multiple_of(every) {
                let at = if self.last_edge.is_some() { x } else { x + slot / 2.0 };
                let _ = write!(
                    out,
                    "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    area.bottom + 19.0,
                    escape(&column.label)
                );
            }
        }
        if let Some(edge) =
            self.last_edge.as_ref().filter(|_| self.columns.len().is_multiple_of(every))
        {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                area.right,
                area.bottom + 19.0,
                escape(edge)
            );
        }
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{:.1} {:.1}H{:.1}\"/>",
            area.left,
            height(0.0),
            area.right
        );
        out
    }
}

impl From<ColumnChart> for Html {
    fn from(chart: ColumnChart) -> Html {
        figure(&chart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_every_value_once() {
        let chart = ColumnChart::histogram("t", (0..1000).map(|n| f64::from(n % 97)), 10);
        let total: f64 = chart.columns.iter().map(|c| c.value).sum();
        assert_eq!(total, 1000.0);
        let single = ColumnChart::histogram("t", [5.0], 10);
        assert_eq!(single.columns.iter().map(|c| c.value).sum::<f64>(), 1.0);
        assert!(ColumnChart::histogram("t", [f64::NAN], 10).svg().contains("no data yet"));
    }

    #[test]
    fn pentanomial_shows_all_five() {
        let svg = ColumnChart::pentanomial("pairs", [1, 2, 30_000, 4, 5]).svg();
        assert_eq!(svg.matches("<rect class=").count(), 6, "five columns and the paper");
        assert!(svg.contains("WL, DD: 30,000"));
    }
}
