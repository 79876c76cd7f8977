//! Where the journal of a match is.

use super::request::{JournalChoice, Request};
use dyno_tournament::{Journal, archive, pgn};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Folders hold matches by the dozen, not by the thousand.
const MOST_NAMES: u32 = 10_000;

/// The file for a new match, and what the user should know about it. A journal that is already
/// there is never touched: the new one gets a number.
pub fn choose(request: &Request) -> (Option<PathBuf>, Vec<String>) {
    let wanted = match &request.journal {
        JournalChoice::Nowhere => return (None, Vec::new()),
        JournalChoice::File(path) => path.clone(),
        JournalChoice::Usual => match &request.plan.output.pgn {
            Some(output) => output.file.with_extension("journal"),
            None => PathBuf::from(format!("match-{}.journal", stamp())),
        },
    };
    let mut notes = Vec::new();
    if wanted.is_file()
        && let Some((done, total)) = progress(&wanted)
        && done < total
    {
        let path = wanted.display();
        notes.push(format!("{path} holds an unfinished match ({done} of {total} games): `dyno match --resume {path}` goes on with it; this is a new one"));
    }
    let numbered = |n: u32| {
        let stem = wanted.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let extension = wanted.extension().map(|e| format!(".{}", e.to_string_lossy()));
        wanted.with_file_name(format!("{stem}-{n}{}", extension.unwrap_or_default()))
    };
    let free = (2..MOST_NAMES).map(numbered).find(|p| !p.exists());
    // What is there and no file (a folder, a device) is left to the error of opening it.
    let path = if wanted.is_file() { free } else { Some(wanted) };
    (path, notes)
}

fn stamp() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (date, time) = pgn::utc(now.as_millis() as u64);
    format!("{}-{}", date.replace('.', ""), time.replace(':', ""))
}

/// Games played and games planned.
fn progress(path: &Path) -> Option<(u64, u64)> {
    let mut done = 0;
    let (header, _) = Journal::read(path, |_| done += 1).ok()?;
    Some((done, header.plan.schedule().total()?))
}

/// The journal that `--resume` means: the one named, the one of a PGN named, or the one that
/// other options name.
pub fn to_resume(request: &Request) -> anyhow::Result<PathBuf> {
    let named = request.resume.clone().flatten();
    if let (Some(path), JournalChoice::File(other)) = (&named, &request.journal)
        && ["resume", "journal"].iter().all(|flag| request.given.contains(flag))
        && path != other
    {
        let (path, other) = (path.display(), other.display());
        anyhow::bail!(
            "--resume {path} --journal {other}: the match goes on in its own journal; leave --journal out"
        );
    }
    let path = match (named, &request.journal, &request.plan.output.pgn) {
        (Some(path), _, _) => path,
        (None, JournalChoice::File(path), _) => path.clone(),
        (None, _, Some(output)) => output.file.with_extension("journal"),
        _ => anyhow::bail!(
            "--resume: which match? Give its journal: dyno match --resume results.journal"
        ),
    };
    let is_pgn = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pgn"));
    let path = if is_pgn { path.with_extension("journal") } else { path };
    let path = if path.is_file() { path } else { archive::find(&path).unwrap_or(path) };
    if !path.is_file() {
        anyhow::bail!(
            "--resume {}: no such file; the journal of a match was named when it started",
            path.display()
        );
    }
    let is_packed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zst"));
    if is_packed { Ok(archive::take_out(&path)?) } else { Ok(path) }
}
