//! Reports made again from saved results: one trait, one file a format.

mod csv;
mod html;
mod junit;
mod markdown;

use crate::saved::SavedResult;

pub use csv::CsvExporter;
pub use html::HtmlExporter;
pub use junit::JunitExporter;
pub use markdown::MarkdownExporter;

/// A format that results can be written in.
pub trait Exporter {
    /// What the format is called on the command line.
    fn name(&self) -> &'static str;

    /// The report, the same that the run itself would have written; nothing where results of this
    /// kind have no report in this format.
    fn export(&self, saved: &SavedResult) -> Option<String>;
}

/// Every format.
pub const EXPORTERS: [&dyn Exporter; 4] =
    [&HtmlExporter, &CsvExporter, &JunitExporter, &MarkdownExporter];
