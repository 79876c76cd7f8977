//! Lying bars by name: themes, phases, engines. A table to read aloud, with a bar in each row.

use std::fmt::Write as _;

use crate::Verdict;
use crate::html::markup::{Html, escape};

/// Bars with a name before and a figure behind; one or several a name.
#[derive(Clone, Debug)]
pub struct BarChart {
    title: String,
    series: Vec<String>,
    rows: Vec<(Html, Vec<Bar>)>,
    full: Option<f64>,
    mark: Option<(f64, String)>,
}

#[derive(Clone, Debug)]
struct Bar {
    value: f64,
    text: String,
    class: String,
}

impl BarChart {
    /// An empty chart.
    pub fn new(title: impl Into<String>) -> BarChart {
        BarChart {
            title: title.into(),
            series: Vec::new(),
            rows: Vec::new(),
            full: None,
            mark: None,
        }
    }

    /// The value of a full bar; without it, the largest value is.
    #[must_use]
    pub fn full(mut self, value: f64) -> BarChart {
        self.full = Some(value);
        self
    }

    /// A line across all bars at a value that matters, such as the score to reach.
    #[must_use]
    pub fn mark(mut self, value: f64, name: impl Into<String>) -> BarChart {
        self.mark = Some((value, name.into()));
        self
    }

    /// The names of the bars where each row has several: engines, versions.
    #[must_use]
    pub fn series<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> BarChart {
        self.series = names.into_iter().map(Into::into).collect();
        self
    }

    /// The next row: a name, its value, and the value as text.
    #[must_use]
    pub fn bar(self, name: impl Into<Html>, value: f64, text: impl Into<String>) -> BarChart {
        self.bars(name, [(value, text)])
    }

    /// The same, in the colour of a verdict.
    #[must_use]
    pub fn judged(
        mut self,
        name: impl Into<Html>,
        value: f64,
        text: impl Into<String>,
        verdict: Verdict,
    ) -> BarChart {
        let bar = Bar { value, text: text.into(), class: verdict.word().to_owned() };
        self.rows.push((name.into(), vec![bar]));
        self
    }

    /// The next row with a bar for each of the series.
    #[must_use]
    pub fn bars<S: Into<String>>(
        mut self,
        name: impl Into<Html>,
        bars: impl IntoIterator<Item = (f64, S)>,
    ) -> BarChart {
        let bars = bars
            .into_iter()
            .enumerate()
            .map(|(index, (value, text))| Bar {
                value,
                text: text.into(),
                class: format!("f{}", index % 6 + 1),
            })
            .collect();
        self.rows.push((name.into(), bars));
        self
    }

    fn largest(&self) -> f64 {
        let values = self.rows.iter().flat_map(|(_, bars)| bars.iter().map(|bar| bar.value));
        let values =
            values.chain(self.mark.as_ref().map(|mark| mark.0)).filter(|value| value.is_finite());
        let largest = self.full.unwrap_or_else(|| values.fold(0.0, f64::max));
        if largest > 0.0 { largest } else { 1.0 }
    }

    fn draw_bar(&self, bar: &Bar, largest: f64) -> String {
        let percent = |value: f64| (value / largest * 100.0).clamp(0.0, 100.0);
        let width = if bar.value.is_finite() { percent(bar.value) } else { 0.0 };
        let mut out = format!(
            "<svg class=\"bar\" height=\"14\" width=\"100%\" aria-hidden=\"true\"><rect class=\"track\" width=\"100%\" \
             height=\"14\" rx=\"3\"/><rect class=\"{}\" width=\"{width:.2}%\" height=\"14\" rx=\"3\"/>",
            bar.class
        );
        if let Some((value, _)) = &self.mark {
            let at = percent(*value);
            let _ = write!(
                out,
                "<line class=\"mark\" x1=\"{at:.2}%\" x2=\"{at:.2}%\" y1=\"0\" y2=\"14\"/>"
            );
        }
        out.push_str("</svg>");
        out
    }

    /// Coloured squares with the names of the series, and the line's name.
    fn legend(&self) -> String {
        let mut out = String::new();
        for (index, name) in self.series.iter().enumerate() {
            let _ = write!(
                out,
                "<span class=\"key\"><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"f{}\" width=\"12\" \
                 height=\"12\" rx=\"2\"/></svg> {}</span>",
                index % 6 + 1,
                escape(name)
            );
        }
        if let Some((_, name)) = &self.mark {
            let _ = write!(
                out,
                "<span class=\"key\"><svg width=\"12\" height=\"14\" aria-hidden=\"true\"><line class=\"mark\" x1=\"6\" x2=\"6\" \
                 y1=\"0\" y2=\"14\"/></svg> {}</span>",
                escape(name)
            );
        }
        if out.is_empty() { out } else { format!("<span class=\"keys\">{out}</span>") }
    }
}

impl From<BarChart> for Html {
    fn from(chart: BarChart) -> Html {
        let largest = chart.largest();
        let mut body = String::new();
        for (name, bars) in &chart.rows {
            let span = bars.len().max(1);
            let _ = write!(body, "<tr><th scope=\"row\" rowspan=\"{span}\">{name}</th>");
            for (index, bar) in bars.iter().enumerate() {
                let next = if index > 0 { "</tr><tr>" } else { "" };
                let whose = match chart.series.get(index) {
                    Some(series) if chart.series.len() > 1 => {
                        format!("<span class=\"visually-hidden\">{}: </span>", escape(series))
                    }
                    _ => String::new(),
                };
                let _ = write!(
                    body,
                    "{next}<td>{}</td><td class=\"number\">{whose}{}</td>",
                    chart.draw_bar(bar, largest),
                    escape(&bar.text)
                );
            }
            body.push_str("</tr>\n");
        }
        Html::trusted(format!(
            "<div class=\"bars\"><table><caption>{}{}</caption><tbody>\n{body}</tbody></table></div>\n",
            escape(&chart.title),
            chart.legend(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_shares_of_the_full_one() {
        let html = Html::from(
            BarChart::new("t").full(100.0).bar("<x>", 25.0, "25 %").bar("y", 400.0, "400 %").bar(
                "z",
                f64::NAN,
                "–",
            ),
        );
        let html = html.as_str();
        assert!(html.contains("&lt;x&gt;") && html.contains("width=\"25.00%\""));
        assert!(
            html.contains("width=\"100.00%\"")
                && html.contains("width=\"0.00%\"")
                && !html.contains("NaN")
        );
    }

    #[test]
    fn all_zero_draws_nothing_wild() {
        let html = Html::from(BarChart::new("t").bar("x", 0.0, "0"));
        assert!(html.as_str().contains("width=\"0.00%\""));
    }
}
