//! Charts as inline SVG. Each is drawn three times, for a desk, for half of it and for a phone, so
//! that its text keeps its size; the page shows the one that fits.

mod bars;
mod columns;
mod frame;
mod line;

pub use bars::BarChart;
pub use columns::ColumnChart;
pub use line::{LineChart, Series};

use super::markup::{Html, escape};
use frame::Size;

/// The rules for lines, bars and text of charts; part of every page's style.
pub(super) const STYLE: &str = include_str!("chart.css");

/// The colours for a chart that stands alone; in a page they come from the page.
const COLOURS: &str = "svg{--surface:#fff;--ink:#1c2128;--muted:#565e69;--line:#d9dbdf;--c1:#1f5fbf;--c2:#b24a06;\
    --c3:#177245;--c4:#7440b5;--c5:#0a6e80;--c6:#565e69;--pass:#126b39;--fail:#ab2219;--warn:#7d4b00}\
    @media(prefers-color-scheme:dark){svg{--surface:#1a1f26;--ink:#e6e9ee;--muted:#a4adb9;--line:#343c47;\
    --c1:#82b4ff;--c2:#ffa866;--c3:#6fd597;--c4:#c9a2ff;--c5:#5fd0dd;--c6:#aeb7c2;--pass:#6fd597;--fail:#ff9f95;--warn:#f0c063}}";

/// What a kind of chart must say of itself; the rest is the same for all.
trait Drawing {
    fn title(&self) -> &str;
    /// The chart in words, for those who cannot see it.
    fn description(&self) -> String;
    /// The marks, for a canvas of that size.
    fn draw(&self, size: Size) -> String;
}

fn svg(drawing: &dyn Drawing, size: Size, attributes: &str, extra: &str) -> String {
    format!(
        "<svg{attributes} viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"system-ui, sans-serif\">\
         <title>{}</title><desc>{}</desc>{extra}{}</svg>",
        size.width,
        size.height,
        escape(drawing.title()),
        escape(&drawing.description()),
        drawing.draw(size),
    )
}

fn figure(drawing: &dyn Drawing) -> Html {
    Html::trusted(format!(
        "<figure class=\"chart\"><figcaption>{}</figcaption>{}{}{}</figure>\n",
        escape(drawing.title()),
        svg(drawing, Size::FULL, " class=\"full\"", ""),
        svg(drawing, Size::WIDE, " class=\"wide\"", ""),
        svg(drawing, Size::NARROW, " class=\"narrow\"", ""),
    ))
}

/// The chart as a file of its own, with its title, light and dark.
fn standalone(drawing: &dyn Drawing) -> String {
    let size = Size::WIDE;
    let full = Size { width: size.width, height: size.height + 36.0 };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\"><title>{title}</title><desc>{desc}</desc>\
         <style>{COLOURS}{STYLE}</style><rect class=\"paper\" width=\"{w}\" height=\"{h}\" rx=\"10\"/>\
         <text class=\"heading\" x=\"16\" y=\"26\">{title}</text><g transform=\"translate(0 36)\">{body}</g></svg>\n",
        w = full.width,
        h = full.height,
        title = escape(drawing.title()),
        desc = escape(&drawing.description()),
        body = drawing.draw(size),
    )
}
