//! The history of a project, page by page.

use crate::games::Games;
use crate::live::RunHead;
use crate::pages::{PROJECT, plain, send};
use crate::site::Project;
use axum::http::StatusCode;
use axum::response::Response;
use dyno_report::history::{Comparison, html, outcomes};
use dyno_store::{Filter, History, Run, StoreError, TrendQuery};
use std::path::Path;

/// Runs on the front page.
const LISTED: usize = 1000;

/// All runs, those that go on first.
pub fn list(project: &Project, running: &[RunHead]) -> Response {
    let heads: Vec<[&str; 4]> =
        running.iter().map(|h| [&*h.id, &*h.kind, &*h.title, &*h.line]).collect();
    let filter = Filter { limit: Some(LISTED), ..Filter::default() };
    // A project without a history yet has nothing but what runs.
    let runs = match project.history.exists() {
        true => open(project).and_then(|history| history.runs(&filter)),
        false => Ok(Vec::new()),
    };
    match runs {
        Ok(runs) => send(&html::list(&runs, &heads), PROJECT),
        Err(error) => broken(&error),
    }
}

/// The runs with an engine, build, commit or title of that name.
pub fn found(project: Option<&Project>, text: &str) -> Response {
    with(project, |history| {
        let (wanted, limit) = (Some(text.to_owned()), Some(LISTED));
        let runs = history.runs(&Filter { text: wanted, limit, ..Filter::default() })?;
        Ok(send(&html::found(&runs, text), PROJECT))
    })
}

/// One run.
pub fn run(project: Option<&Project>, id: &str) -> Response {
    with(project, |history| {
        let run = history.run(id)?;
        let games = format!("/run/{}/games", run.id);
        let before = earlier(history, &run)?;
        let before = before.map(|before| format!("/compare?a={}&b={}", before.id, run.id));
        let mut links = PROJECT.to_vec();
        if journal(&run).is_some() {
            links.push(("Games", &games));
        }
        if let Some(before) = &before {
            links.push(("Compare with the one before", before));
        }
        Ok(send(&html::run(&run), &links))
    })
}

/// The run of the same plan before this one.
fn earlier(history: &History, run: &Run) -> Result<Option<Run>, StoreError> {
    let (kind, plan_hash) = (Some(run.kind.clone()), Some(run.plan_hash()));
    let runs = history.runs(&Filter { kind, plan_hash, ..Filter::default() })?;
    Ok(runs.into_iter().find(|other| (other.started_ms, other.id) < (run.started_ms, run.id)))
}

/// The games of a match, where its journal is still there.
pub fn games(project: Option<&Project>, id: &str) -> Option<(String, Games)> {
    let run = open(project?).and_then(|history| history.run(id)).ok()?;
    let games = Games::open(Path::new(&journal(&run)?))?;
    Some((run.title, games))
}

fn journal(run: &Run) -> Option<String> {
    let kept = run.artefacts.iter().find(|artefact| artefact.kind == "journal");
    let told = || run.detail.as_ref()?.get("journal")?.as_str().map(str::to_owned);
    let path = kept.map(|artefact| artefact.path.clone()).or_else(told)?;
    Path::new(&path).is_file().then_some(path)
}

/// The figures, or one of them over time.
pub fn trends(
    project: Option<&Project>,
    metric: Option<&String>,
    subject: Option<&String>,
) -> Response {
    with(project, |history| {
        let metrics = history.metrics()?;
        let series = match metric {
            None => Vec::new(),
            Some(metric) => {
                let (metric, subject) = (metric.clone(), subject.cloned());
                history.trend(&TrendQuery { metric, subject, ..TrendQuery::default() })?
            }
        };
        Ok(send(&html::trends(&metrics, metric.map(String::as_str), &series), PROJECT))
    })
}

/// Two runs side by side.
pub fn compare(project: Option<&Project>, a: Option<&String>, b: Option<&String>) -> Response {
    let (Some(a), Some(b)) = (a, b) else {
        return plain(StatusCode::BAD_REQUEST, "which runs? /compare?a=RUN&b=RUN");
    };
    with(project, |history| {
        let (a, b) = (history.run(a)?, history.run(b)?);
        Ok(send(&html::compare(&Comparison::new(&a, &b, outcomes)), PROJECT))
    })
}

/// Every build.
pub fn engines(project: Option<&Project>) -> Response {
    with(project, |history| Ok(send(&html::builds(&history.builds()?), PROJECT)))
}

fn open(project: &Project) -> Result<History, StoreError> {
    History::open_existing(&project.history)
}

fn with(
    project: Option<&Project>,
    answer: impl FnOnce(&History) -> Result<Response, StoreError>,
) -> Response {
    let Some(project) = project else {
        let why = "this server shows one run only: `dyno serve` shows the history";
        return plain(StatusCode::NOT_FOUND, why);
    };
    match open(project).and_then(|history| answer(&history)) {
        Ok(response) => response,
        Err(error) => broken(&error),
    }
}

fn broken(error: &StoreError) -> Response {
    let status = match error {
        StoreError::NoSuchRun(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    plain(status, &error.to_string())
}
