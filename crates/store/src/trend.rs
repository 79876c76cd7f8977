//! One figure over time, and where it changed.

use crate::run::{Machine, RunId};
use crate::{History, StoreError};
use dyno_stats::change_points;
use rusqlite::{Row, params};
use serde::Serialize;

/// Which figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrendQuery {
    /// Its name.
    pub metric: String,
    /// Of this subject only.
    pub subject: Option<String>,
    /// Of this kind of run only.
    pub kind: Option<String>,
    /// Of this plan only.
    pub plan_hash: Option<String>,
}

/// Figures that can be compared: the same plan on the same machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The kind of run.
    pub kind: String,
    /// Of what.
    pub subject: String,
    /// The plan they share.
    pub plan_hash: String,
    /// The machine they share.
    pub machine: Machine,
    /// Oldest first.
    pub points: Vec<Point>,
    /// Where it changed, oldest first.
    pub changes: Vec<Change>,
}

/// A figure of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The run.
    pub run: RunId,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// The build's commit, or the fingerprint of its file.
    pub build: String,
    /// The figure.
    pub value: f64,
    /// The ends of its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// In units of the machine's speed of that moment, and which unit.
    pace: Option<(f64, String)>,
}

/// A level that is left for another one, by more than chance explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The first point of the new level.
    pub at: usize,
    /// The mean before and after, in the figure's own units, or in paces where there are some.
    pub before: f64,
    /// The mean after it.
    pub after: f64,
}

impl Change {
    /// The new level over the old one, less one.
    #[must_use]
    pub fn relative(&self) -> f64 {
        self.after / self.before - 1.0
    }
}

/// A row of the table of measures with all that tells series apart.
struct Observation {
    kind: String,
    subject: String,
    plan_hash: String,
    machine_id: i64,
    machine: Machine,
    uuid: String,
    point: Point,
}

impl History {
    /// The figure's series, the one with the latest run first. Only finished runs count.
    pub fn trend(&self, query: &TrendQuery) -> Result<Vec<Series>, StoreError> {
        let found = (|| {
            self.connection
                .prepare(
                    "SELECT kind, subject, plan_hash, machine, machines.name, cpu, cores, system,
                            uuid, started_ms, value, low, high, pace, yardstick,
                            coalesce(nullif(git_commit, ''), file_hash, '') , coalesce(dirty, 0)
                     FROM measures
                     JOIN runs ON runs.id = measures.run
                     JOIN machines ON machines.id = machine
                     LEFT JOIN run_builds ON run_builds.run = runs.id AND place = coalesce(
                        (SELECT place FROM run_builds AS named
                         WHERE named.run = runs.id AND named.name = subject), 0)
                     LEFT JOIN builds ON builds.id = build
                     WHERE metric = ?1 AND (?2 IS NULL OR subject = ?2)
                       AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR plan_hash = ?4)
                       AND ending IN ('passed', 'failed')
                     ORDER BY kind, subject, plan_hash, machine, started_ms, runs.id",
                )?
                .query_map(
                    params![query.metric, query.subject, query.kind, query.plan_hash],
                    observation,
                )?
                .collect()
        })();
        let found: Vec<Observation> = self.sql(found)?;
        let mut series = Vec::new();
        for group in found.chunk_by(Observation::is_comparable) {
            series.push(Series::of(group)?);
        }
        series.sort_by_key(|s| std::cmp::Reverse(s.points.last().map(|p| p.started_ms)));
        Ok(series)
    }
}

impl Observation {
    fn is_comparable(&self, other: &Self) -> bool {
        let key = |o: &Self| (o.machine_id, o.kind.clone(), o.subject.clone(), o.plan_hash.clone());
        key(self) == key(other)
    }
}

impl Series {
    /// The figures as they would be on the machine at its usual speed, where every run measured
    /// that by the same yardstick: a busy week is then not a slower engine.
    #[must_use]
    pub fn corrected(&self) -> Option<Vec<f64>> {
        let unit = self.points.first()?.pace.as_ref().map(|(_, unit)| unit)?;
        let paces: Option<Vec<f64>> = self
            .points
            .iter()
            .map(|point| point.pace.as_ref().filter(|(_, its)| its == unit).map(|(pace, _)| *pace))
            .collect();
        let paces = paces?;
        let mut speeds: Vec<f64> =
            self.points.iter().zip(&paces).map(|(point, pace)| point.value / pace).collect();
        speeds.sort_by(f64::total_cmp);
        let usual = speeds[speeds.len() / 2];
        Some(paces.into_iter().map(|pace| pace * usual).collect())
    }

    fn of(group: &[Observation]) -> Result<Self, StoreError> {
        let named = |o: &Observation| match RunId::parse(&o.uuid) {
            Some(run) => Ok(Point { run, ..o.point.clone() }),
            None => Err(StoreError::Damaged { run: o.uuid.clone(), reason: "not a name".into() }),
        };
        let points = group.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let first = &group[0];
        Ok(Self {
            kind: first.kind.clone(),
            subject: first.subject.clone(),
            plan_hash: first.plan_hash.clone(),
            machine: first.machine.clone(),
            changes: changes(&points),
            points,
        })
    }
}

/// Paces are compared where there are some, each with those of its own yardstick; a machine that
/// was busy for a week is not a slower engine.
fn changes(points: &[Point]) -> Vec<Change> {
    let yardstick = |p: &Point| p.pace.as_ref().map(|(_, unit)| unit.clone());
    let mut units: Vec<Option<String>> = points.iter().map(yardstick).collect();
    units.sort();
    units.dedup();
    let mut changes = Vec::new();
    for unit in units {
        let judged: Vec<usize> =
            (0..points.len()).filter(|i| yardstick(&points[*i]) == unit).collect();
        let values: Vec<f64> = judged
            .iter()
            .map(|i| points[*i].pace.as_ref().map_or(points[*i].value, |(pace, _)| *pace))
            .collect();
        changes.extend(change_points(&values).into_iter().map(|change| Change {
            at: judged[change.at],
            before: change.before,
            after: change.after,
        }));
    }
    changes.sort_by_key(|change| change.at);
    changes
}

fn observation(row: &Row<'_>) -> rusqlite::Result<Observation> {
    let (low, high): (Option<f64>, Option<f64>) = (row.get(11)?, row.get(12)?);
    let (pace, yardstick): (Option<f64>, Option<String>) = (row.get(13)?, row.get(14)?);
    let (build, dirty): (String, bool) = (row.get(15)?, row.get(16)?);
    let build: String = build.chars().take(8).collect();
    Ok(Observation {
        kind: row.get(0)?,
        subject: row.get(1)?,
        plan_hash: row.get(2)?,
        machine_id: row.get(3)?,
        machine: Machine {
            name: row.get(4)?,
            cpu: row.get(5)?,
            cores: row.get(6)?,
            system: row.get(7)?,
        },
        uuid: row.get(8)?,
        point: Point {
            run: RunId::NIL,
            started_ms: row.get(9)?,
            build: if dirty { format!("{build}+") } else { build },
            value: row.get(10)?,
            interval: low.zip(high),
            pace: pace.zip(yardstick),
        },
    })
}
