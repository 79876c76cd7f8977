//! One figure over time, as a line and as a table of its changes.

use super::when;
use crate::number;
use crate::row;
use crate::terminal::{LinePlot, Table, bold, clean, left, right};
use dyno_store::Series;
use std::fmt;

/// A figure's series, one plot each.
#[derive(Clone, Copy, Debug)]
pub struct TrendView<'a> {
    /// The figure.
    pub metric: &'a str,
    /// Its series.
    pub series: &'a [Series],
    /// Letters across.
    pub columns: usize,
}

/// Rows of a table that a reader takes in; the plot shows the others.
const LATEST: usize = 12;

impl fmt::Display for TrendView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, series) in self.series.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.write_series(f, series)?;
        }
        Ok(())
    }
}

impl TrendView<'_> {
    fn write_series(&self, f: &mut fmt::Formatter<'_>, series: &Series) -> fmt::Result {
        let subject = match series.subject.as_str() {
            "" => String::new(),
            subject => format!(" of {subject}"),
        };
        let title = format!("{}{subject}", self.metric);
        let runs = series.points.len();
        let under = format!(
            "{} of {}, plan {}, on {}",
            number::plural(runs as u64, "run", "runs"),
            series.kind,
            series.plan_hash,
            series.machine.name
        );
        writeln!(f, "{}\n{}", bold(clean(&title)), clean(&under))?;
        let corrected = series.corrected();
        let plain = || series.points.iter().map(|point| point.value).collect();
        let values: Vec<f64> = corrected.clone().unwrap_or_else(plain);
        if corrected.is_some() {
            writeln!(f, "corrected by the machine's speed of the moment")?;
        }
        if runs > 1 {
            let points = values.iter().enumerate();
            let points = points.map(|(i, value)| (i as f64 + 1.0, *value));
            write!(f, "{}", LinePlot::new(points).size(self.columns, 10).x("run"))?;
        }
        let heads = [right("#"), left("when (UTC)"), left("build"), right(self.metric), left("")];
        let mut table = Table::new(heads);
        let note = |at: usize| {
            let change = series.changes.iter().find(|change| change.at == at)?;
            Some(format!("changed here: {:+.1} %", change.relative() * 100.0))
        };
        for (index, point) in series.points.iter().enumerate() {
            let note = note(index);
            if index + LATEST >= runs || note.is_some() {
                table.push(row![
                    number::grouped(index as i64 + 1),
                    when(point.started_ms),
                    point.build.as_str(),
                    number::figure(values[index]),
                    note.unwrap_or_default(),
                ]);
            }
        }
        write!(f, "{table}")?;
        match series.changes.as_slice() {
            [] if runs < 6 => writeln!(f, "Too few runs to tell a change from noise."),
            [] => writeln!(f, "No change beyond noise."),
            changes => {
                let named = changes.iter().map(|change| {
                    let build = &series.points[change.at].build;
                    format!("{build} ({:+.1} %)", change.relative() * 100.0)
                });
                writeln!(f, "Changed at {}.", named.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
