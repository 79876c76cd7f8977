//! `cargo run -p dyno-mutations`: plants every bug, examines every engine, prints the table.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use dyno_mutations::{
    Exam, Exams, Judgement, Mutation, Score, Surface, Workshop, examine, patches,
};
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc};

const HELP: &str = "\
Plants bugs in Piston one by one and scores `dyno check` by them.

Usage: cargo run -p dyno-mutations -- [OPTIONS] [NAME]...

  NAME          only bugs whose name contains it
  --named       only the checks that should name each bug: much quicker
  --bare        only with UCI alone; --full: only with `go perft`, `d` and `eval`
  --build       only build the engines
  --jobs N      examinations at a time (1)";

struct Args {
    names: Vec<String>,
    named_only: bool,
    build_only: bool,
    surfaces: Vec<Surface>,
    jobs: usize,
}

fn parse() -> Result<Option<Args>, String> {
    let mut args = Args {
        names: Vec::new(),
        named_only: false,
        build_only: false,
        surfaces: vec![Surface::Full, Surface::Bare],
        jobs: 1,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--named" => args.named_only = true,
            "--build" => args.build_only = true,
            "--bare" => args.surfaces = vec![Surface::Bare],
            "--full" => args.surfaces = vec![Surface::Full],
            "--jobs" => {
                let number = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                args.jobs = number.ok_or("--jobs takes a number from 1 on")?;
            }
            other if other.starts_with('-') => return Err(format!("unknown option {other}")),
            _ => args.names.push(word),
        }
    }
    Ok(Some(args))
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(args) = parse()? else {
        println!("{HELP}");
        return Ok(());
    };
    let wanted = |mutation: &Mutation| {
        args.names.is_empty() || args.names.iter().any(|name| mutation.name.contains(name))
    };
    let mutations: Vec<Mutation> =
        Mutation::read_all(&patches())?.into_iter().filter(wanted).collect();
    if mutations.is_empty() {
        return Err("no bug has such a name".into());
    }
    let mut workshop = Workshop::open()?;
    let sound = workshop.engine(None)?;
    if args.build_only {
        for mutation in &mutations {
            println!("{}", workshop.engine(Some(mutation))?.display());
        }
        return Ok(());
    }
    let mut baseline = Vec::new();
    for &surface in &args.surfaces {
        let exam = examine(&sound, surface, &[])?;
        eprintln!("sound, {surface:?}: {}", told(&exam));
        baseline.push((surface, exam));
    }
    let score = Mutex::new(Score::default());
    let (send, receive) = mpsc::sync_channel::<(Mutation, PathBuf)>(args.jobs);
    let receive = Mutex::new(receive);
    std::thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                loop {
                    let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((mutation, engine)) = next else { break };
                    let exams = exams(&mutation, &engine, &baseline, args.named_only);
                    score.lock().unwrap_or_else(PoisonError::into_inner).add(mutation, exams);
                }
            });
        }
        for mutation in mutations {
            match workshop.engine(Some(&mutation)) {
                Ok(engine) => send.send((mutation, engine))?,
                Err(error) => eprintln!("{error}"),
            }
        }
        drop(send);
        Ok(())
    })?;
    println!("{}", score.into_inner().unwrap_or_else(PoisonError::into_inner).markdown());
    Ok(())
}

/// The examinations of one bug, told as they are made.
fn exams(
    mutation: &Mutation,
    engine: &std::path::Path,
    baseline: &[(Surface, Exam)],
    named_only: bool,
) -> Exams {
    let only = if named_only { &mutation.named_by[..] } else { &[] };
    let mut done = Vec::new();
    for (surface, sound) in baseline {
        match examine(engine, *surface, only) {
            Ok(exam) => {
                let judgement = Judgement::of(mutation, &exam, sound);
                eprintln!("{}, {surface:?}: {judgement:?} by {}", mutation.name, told(&exam));
                done.push((*surface, judgement, exam));
            }
            // An engine that cannot even be started is found by anyone.
            Err(error) => eprintln!("{}, {surface:?}: {error}", mutation.name),
        }
    }
    done
}

fn told(exam: &Exam) -> String {
    let list = |ids: &std::collections::BTreeSet<String>| {
        ids.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    format!("FAIL [{}] warn [{}] in {} s", list(&exam.failed), list(&exam.warned), exam.seconds)
}
