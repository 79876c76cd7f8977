//! Runs in a table, and one of them in full.

use super::{engines, value, when};
use crate::number;
use crate::row;
use crate::terminal::{Table, bold, clean, left, right};
use dyno_store::Run;
use std::fmt;
use std::time::Duration;

/// Runs, a line each.
#[derive(Clone, Copy, Debug)]
pub struct RunList<'a> {
    /// The latest first.
    pub runs: &'a [Run],
}

impl fmt::Display for RunList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["run", "when (UTC)", "kind", "ended", "what", "engines"];
        let mut table = Table::new(heads.map(left));
        for run in self.runs {
            let ended = if run.baseline {
                format!("{} ★", run.ending.name())
            } else {
                run.ending.name().into()
            };
            table.push(row![
                run.id.short(),
                when(run.started_ms),
                run.kind.as_str(),
                ended,
                run.title.as_str(),
                engines(run),
            ]);
        }
        write!(f, "{table}")
    }
}

/// One run with its figures.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The run.
    pub run: &'a Run,
}

impl fmt::Display for RunView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run;
        writeln!(f, "{}", bold(clean(&run.title)))?;
        let took = Duration::from_millis(u64::try_from(run.elapsed_ms).unwrap_or_default());
        let machine = &run.machine;
        let facts = [
            ("run", format!("{} ({})", run.id, run.kind)),
            ("when", format!("{} UTC, {}", when(run.started_ms), number::duration(took))),
            ("ended", format!("{}, exit code {}", run.ending.name(), run.exit_code)),
            (
                "machine",
                format!(
                    "{}: {}, {} cores, {}",
                    machine.name, machine.cpu, machine.cores, machine.system
                ),
            ),
            ("dyno", run.dyno.clone()),
            ("plan", format!("{} {}", run.plan_hash(), run.plan)),
        ];
        for (name, fact) in facts {
            writeln!(f, "  {name:<8} {}", clean(&fact))?;
        }
        for part in &run.builds {
            let build = &part.build;
            let commit = match build.commit.as_str() {
                "" => String::new(),
                commit => format!(
                    ", commit {}{} on {}",
                    &commit.chars().take(12).collect::<String>(),
                    if build.dirty { " with changes" } else { "" },
                    build.branch
                ),
            };
            let signature =
                build.signature.map_or_else(String::new, |nodes| format!(", bench {nodes}"));
            let text = format!(
                "{}: {} (file {}{commit}{signature})",
                part.name, build.uci_name, build.file_hash
            );
            writeln!(f, "  {:<8} {}", "engine", clean(&text))?;
        }
        for artefact in &run.artefacts {
            writeln!(f, "  {:<8} {}", artefact.kind, clean(&artefact.path))?;
        }
        let mut table = Table::new([left("figure"), left("of"), right("value [95 %]"), right("n")]);
        for measure in &run.measures {
            let n = measure.n.map(number::grouped);
            table.push(row![
                measure.metric.as_str(),
                measure.subject.as_str(),
                value(measure),
                n.unwrap_or_default(),
            ]);
        }
        if !table.is_empty() {
            write!(f, "\n{table}")?;
        }
        if run.detail.is_none() {
            writeln!(f, "\nIts details have been pruned; the figures stay.")?;
        }
        Ok(())
    }
}
