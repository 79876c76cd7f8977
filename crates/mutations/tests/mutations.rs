//! All bugs can still be planted, and a few of them are: each is found by a check that names it.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_mutations::{Judgement, Mutation, Surface, Workshop, examine, patches};
use dyno_trials::check::find_check;
use std::sync::Mutex;

/// There is one copy of the sources.
static COPY: Mutex<()> = Mutex::new(());

#[test]
fn every_patch_applies_and_names_checks() {
    let _one = COPY.lock();
    let mut workshop = Workshop::open().unwrap();
    let mutations = Mutation::read_all(&patches()).unwrap();
    assert!(mutations.len() >= 60, "{}", mutations.len());
    for mutation in &mutations {
        let is_known = mutation.named_by.iter().any(|id| find_check(id).is_some());
        assert!(is_known, "{}: there is no such check", mutation.name);
        workshop.fits(mutation).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_few_bugs_are_named_by_their_checks() {
    let _one = COPY.lock();
    let mut workshop = Workshop::open().unwrap();
    let mut wrong = String::new();
    for mutation in Mutation::read_all(&patches()).unwrap().iter().filter(|one| one.in_tests) {
        let engine = workshop.engine(Some(mutation)).unwrap_or_else(|error| panic!("{error}"));
        let sound = workshop.engine(None).unwrap_or_else(|error| panic!("{error}"));
        let exam = examine(&engine, Surface::Bare, &mutation.named_by).unwrap();
        let without = examine(&sound, Surface::Bare, &mutation.named_by).unwrap();
        if Judgement::of(mutation, &exam, &without) != Judgement::Named {
            wrong += &format!("{}: {exam:?}, sound: {without:?}\n", mutation.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
