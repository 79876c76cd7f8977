//! Every file of the fuzz corpus, and small changes of it, through the functions of the fuzz targets.
//! It is here because this is the lowest room that sees everything they read.

#[path = "../../../fuzz/targets/mod.rs"]
mod targets;

use dyno_chess::SplitMix64;
use std::path::PathBuf;

/// How many changed copies of each file are tried.
const CHANGES: u64 = 200;

/// The corpus of a target, each file with its name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../fuzz/corpus", target].iter().collect();
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = files
        .flatten()
        .map(|file| (file.path().display().to_string(), std::fs::read(file.path())))
        .map(|(name, bytes)| (name, bytes.expect("a readable file")))
        .collect();
    files.sort();
    files
}

/// A few bytes of a text changed, removed, doubled or replaced by what parsers stumble over.
fn changed(text: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    const WORDS: [&[u8]; 10] = [
        b"\"",
        b"\\",
        b"\n",
        b"\0",
        b"99999999999999999999",
        b"-1",
        b"{",
        b";",
        b"\xff\xfe",
        b"\xc3\xa9",
    ];
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(12)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..end)),
            1 => {
                text.splice(at..at, WORDS[random.below(WORDS.len())].iter().copied()).for_each(drop)
            }
            2 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece).for_each(drop);
            }
            _ => {
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    text
}

#[test]
fn no_corpus_file_makes_a_target_panic() {
    for (name, _) in targets::TARGETS {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name} has no corpus");
        for (file, bytes) in files {
            let run = std::panic::catch_unwind(|| targets::run(name, &bytes));
            assert!(run.is_ok(), "{file}");
        }
    }
}

/// The seed is fixed, so that a failure can be repeated; `DYNO_FUZZ_SEED` and `DYNO_FUZZ_CHANGES` look
/// further.
#[test]
fn nor_does_a_changed_one() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let mut random = SplitMix64::new(number("DYNO_FUZZ_SEED", 1));
    for (name, _) in targets::TARGETS {
        for (file, bytes) in corpus(name) {
            for _ in 0..number("DYNO_FUZZ_CHANGES", CHANGES) {
                let text = changed(&bytes, &mut random);
                let run = std::panic::catch_unwind(|| targets::run(name, &text));
                assert!(run.is_ok(), "{file}, changed to {:?}", String::from_utf8_lossy(&text));
            }
        }
    }
}
