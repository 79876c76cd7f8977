//! What is done before the first game of a match.

use super::advice::Advice;
use super::check::PlanError;
use super::error::MatchError;
use super::openings::{Book, OpeningSequence};
use super::plan::Plan;
use dyno_driver::{EngineIdentity, file_hash};
use std::hash::{BuildHasher, Hasher, RandomState};

/// A name for a match that no other has: its time, and chance.
pub fn new_run_id(created_ms: u64) -> String {
    format!("{created_ms:011x}-{:016x}", RandomState::new().build_hasher().finish())
}

/// The openings of a plan, and notes about them.
pub fn load_openings(plan: &Plan) -> Result<(OpeningSequence, Vec<Advice>), MatchError> {
    let book = Book::load(plan)?;
    if let Some(start) = plan.openings.start
        && start > book.len() as u64
    {
        return Err(PlanError::Start { start, length: book.len() }.into());
    }
    let skipped = (book.skipped_count > 0).then(|| {
        let named: Vec<&str> = book.skipped.iter().take(3).map(String::as_str).collect();
        let message = format!(
            "{} of {} openings were skipped: {}{}",
            book.skipped_count,
            book.skipped_count + book.len() as u64,
            named.join("; "),
            if book.skipped_count > 3 { "; …" } else { "" },
        );
        Advice { code: "openings-skipped".into(), message }
    });
    let repaired = book.first_repaired.as_ref().map(|first| {
        let count = book.repaired_count;
        let message = format!("{count} fields of the openings were repaired, the first on {first}");
        Advice { code: "openings-repaired".into(), message }
    });
    let advice = skipped.into_iter().chain(repaired).collect();
    Ok((OpeningSequence::new(book, &plan.openings, plan.seed), advice))
}

/// A checksum of the book, where the plan has one.
pub fn book_hash(plan: &Plan) -> Option<String> {
    plan.openings.file.as_deref().and_then(file_hash)
}

/// Engines whose programs have changed since the match began.
pub fn changed_engines(then: &[EngineIdentity], now: &[EngineIdentity]) -> Vec<Advice> {
    let changed = then.iter().zip(now).filter(|(a, b)| a.file_hash != b.file_hash);
    let warn = |(a, _): (&EngineIdentity, _)| Advice {
        code: "engine-changed".into(),
        message: format!(
            "{}: the program is not the one that played the first games of this match",
            a.name
        ),
    };
    changed.map(warn).collect()
}
