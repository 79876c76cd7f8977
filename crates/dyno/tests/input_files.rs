//! Every command that reads a file reads it plain, compressed, zipped and from standard input,
//! and names it when it cannot.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Folder;
use dyno_testkit::scripted;
use std::io::Write as _;
use std::process::{Command, Stdio};

const EPD: &str = "\
6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; dm 1; id \"one\";
7k/8/6K1/8/8/8/8/R7 w - - bm Ra8#; dm 1; id \"two\";
";
const COUNTS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";
const GAMES: &str = "\
[Event \"t\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n
[Event \"t\"]\n[White \"B\"]\n[Black \"A\"]\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n
";
const PUZZLES: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate mateIn2,https://lichess.org/yyznGmXs/black#34,
";

/// A command, the file it reads, and what stands for that file among the words.
struct Reader {
    words: &'static str,
    file: &'static str,
    text: &'static str,
}

const FILE: &str = "{file}";

const READERS: &[Reader] = &[
    Reader { words: "suite --engine {engine} --depth 1 --epd {file}", file: "a.epd", text: EPD },
    Reader { words: "mate --engine {engine} --depth 1 --epd {file}", file: "a.epd", text: EPD },
    Reader { words: "bench --engine {engine} --depth 1 --epd {file}", file: "a.epd", text: EPD },
    Reader { words: "perft --suite {file}", file: "counts.epd", text: COUNTS },
    Reader { words: "puzzles convert {file} -o - -q", file: "p.csv", text: PUZZLES },
    Reader { words: "elo --pgn {file}", file: "g.pgn", text: GAMES },
    Reader { words: "ratings {file}", file: "g.pgn", text: GAMES },
    Reader { words: "sprt status {file}", file: "g.pgn", text: GAMES },
];

/// What the command says of the input, without the figures that change from run to run.
fn run(reader: &Reader, file: &str, input: &[u8]) -> (i32, String, String) {
    let words = reader.words.split(' ').map(|word| match word {
        FILE => file.to_owned(),
        "{engine}" => scripted::command(&[]),
        word => word.to_owned(),
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its file does not read it to the end.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let without_times = |text: String| -> String {
        // Figures, units and the rules of tables, whose width follows from the figures.
        let varies = |word: &&str| {
            word.trim_end_matches(',').len() < 3
                || word.contains(|c: char| !c.is_ascii() || c.is_ascii_digit())
        };
        let words = text.split_ascii_whitespace().filter(|word| !varies(word));
        let names_file = |word: &str| match file {
            "-" => word.contains(",-,") || word.contains("standard") || word.starts_with("input"),
            path => word.contains(path),
        };
        words.filter(|word| !names_file(word)).collect::<Vec<_>>().join(" ")
    };
    let answer = without_times(text(output.stdout));
    (output.status.code().unwrap(), answer, text(output.stderr))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text).unwrap();
    gz.finish().unwrap()
}

/// An archive with one stored file, which is all that is needed here.
fn zipped(name: &str, text: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(text).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn every_wrapping_gives_the_same() {
    let folder = Folder::new("input-files");
    for reader in READERS {
        let text = reader.text.as_bytes();
        let name = reader.file;
        let (code, expected, err) = run(reader, &folder.file(name, text), b"");
        assert_eq!(code, reader.expected(), "{}: {err}", reader.words);
        assert!(!expected.is_empty(), "{}: {err}", reader.words);
        let wrapped = [
            (format!("{name}.gz"), gzip(text)),
            (format!("{name}.zst"), zstd::encode_all(text, 3).unwrap()),
            (format!("{name}.zip"), zipped(name, text)),
        ];
        for (wrapped_name, bytes) in &wrapped {
            let (code, answer, err) = run(reader, &folder.file(wrapped_name, bytes), b"");
            assert_eq!(code, reader.expected(), "{} {wrapped_name}: {err}", reader.words);
            assert_eq!(answer, expected, "{} {wrapped_name}: {err}", reader.words);
        }
        for bytes in wrapped.iter().map(|(_, bytes)| bytes.as_slice()).chain([text]) {
            let (code, answer, err) = run(reader, "-", bytes);
            assert_eq!(code, reader.expected(), "{} from a pipe: {err}", reader.words);
            assert_eq!(answer, expected, "{} from a pipe: {err}", reader.words);
        }
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new("input-faults");
    std::fs::create_dir_all(folder.path("dir")).unwrap();
    for reader in READERS {
        let xz = format!("{}.xz", reader.file);
        folder.file(&xz, b"\xfd7zXZ\0rest");
        let torn = format!("torn-{}.zip", reader.file);
        folder.file(&torn, &zipped(reader.file, reader.text.as_bytes())[..60]);
        for name in ["dir", &xz, &torn] {
            let (code, _, err) = run(reader, &folder.path(name), b"");
            assert_eq!(code, 2, "{} {name}: {err}", reader.words);
            assert!(err.contains(name), "{} {name}: {err}", reader.words);
        }
    }
}

#[test]
fn a_compressed_journal_is_a_journal() {
    let folder = Folder::new("input-journal");
    let command = scripted::command(&[]);
    let played = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .current_dir(&folder.0)
        .args(["match", "-engine", &format!("cmd={command}"), "name=a"])
        .args(["-engine", &format!("cmd={command}"), "name=b", "-each", "depth=1"])
        .args(["-games", "2", "-journal", "g.journal", "-maxmoves", "5"])
        .output()
        .unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let journal = std::fs::read(folder.path("g.journal")).unwrap();
    let reader = Reader { words: "ratings {file}", file: "", text: "" };
    let plain = run(&reader, &folder.path("g.journal"), b"");
    assert_eq!(plain.0, 0, "{}", plain.2);
    let packed = run(&reader, &folder.file("g.journal.gz", gzip(&journal)), b"");
    assert_eq!((packed.0, packed.1), (0, plain.1));
}

impl Reader {
    /// Too few games to decide a sequential test; all else succeeds.
    fn expected(&self) -> i32 {
        if self.words.starts_with("sprt") { 5 } else { 0 }
    }
}
