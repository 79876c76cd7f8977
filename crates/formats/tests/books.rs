//! Polyglot books, and files that are opened whatever wraps them.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_chess::Position;
use dyno_formats::epd::EpdReader;
use dyno_formats::pgn::{HeaderReader, PgnReader};
use dyno_formats::polyglot::{Book, BookError, Entry};
use dyno_formats::{OpenError, open, open_text};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::path::PathBuf;

fn shared(path: &str) -> Option<PathBuf> {
    let path =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

fn entry(position: &Position, text: &str, weight: u16) -> Entry {
    Entry::new(position, position.parse_uci(text).unwrap(), weight)
}

#[test]
fn castling_and_promotion_survive_the_encoding() {
    let position = Position::from_fen("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let texts = ["e1g1", "e1c1", "b7a8q", "b7b8n", "b7b8r", "b7b8b", "e1e2"];
    let weights = 1..;
    let book = Book::new(texts.iter().zip(weights).map(|(t, w)| entry(&position, t, w)).collect());
    let mut bytes = Vec::new();
    book.write(&mut bytes).unwrap();
    let again = Book::read(&bytes[..]).unwrap();
    let moves: Vec<String> =
        again.moves(&position).iter().map(|(mv, _)| position.uci(*mv)).collect();
    let heaviest_first: Vec<&str> = texts.iter().rev().copied().collect();
    assert_eq!(moves, heaviest_first);
    // e1h1 in the file is castling; so is e1g1, as some programs write it.
    let e1g1 = Entry { code: 6 | 4 << 6, ..book.entries()[0] };
    assert!(e1g1.mv(&position).unwrap().is_castling());
}

#[test]
fn lines_are_distinct_and_bounded() {
    let start = Position::startpos();
    let play =
        |moves: &[&str]| moves.iter().fold(start, |p, text| p.play(p.parse_uci(text).unwrap()));
    let book = Book::new(vec![
        entry(&start, "d2d4", 2),
        entry(&start, "c2c4", 1),
        entry(&start, "a2a3", 0),
        entry(&play(&["d2d4"]), "d7d5", 1),
        entry(&play(&["c2c4"]), "d7d5", 1),
        entry(&play(&["d2d4", "d7d5"]), "c2c4", 1),
        entry(&play(&["c2c4", "d7d5"]), "d2d4", 1),
    ]);
    assert!(!book.was_sorted());
    assert_eq!(book.lines(&start, 3, 100).len(), 1, "transpositions count once");
    assert_eq!(book.lines(&start, 2, 100).len(), 2);
    assert_eq!(book.lines(&start, 2, 1).len(), 1);
    assert_eq!(book.lines(&start, 9, 100)[0].len(), 3);
    let chosen: Vec<_> = (0..3).map(|n| book.choose(&start, n).unwrap()).collect();
    assert_eq!(
        chosen.iter().map(|mv| start.uci(*mv)).collect::<Vec<_>>(),
        ["d2d4", "d2d4", "c2c4"]
    );
    assert_eq!(book.choose(&play(&["e2e4"]), 7), None);
}

#[test]
fn a_real_book_gives_real_moves() {
    let Some(path) = shared("open/polyglot/performance.bin") else { return };
    let book = Book::open(&path).unwrap();
    assert_eq!(book.entries().len(), 92_954);
    assert!(book.was_sorted());
    let start = Position::startpos();
    let moves: Vec<_> = book.moves(&start).iter().map(|(mv, w)| (start.san(*mv), *w)).collect();
    assert_eq!(moves, ["e4", "d4", "c4"].map(|text| (text.to_owned(), 1)));
    // The same counts as python-chess gives when it walks the book.
    let counts = [4, 6, 8, 10, 12].map(|plies| book.lines(&start, plies, 5000).len());
    assert_eq!(counts, [20, 60, 136, 244, 441]);
}

#[test]
fn what_is_no_book_is_refused() {
    assert!(matches!(Book::read(&b""[..]), Err(BookError::Empty)));
    let error = Book::read(&[0u8; 33][..]).unwrap_err().to_string();
    let expected = "33 bytes are 2 entries of 16 bytes and 1 over";
    assert!(error.ends_with(expected), "{error}");
    if let Some(path) = shared("open/polyglot/truncated.bin") {
        assert!(matches!(Book::open(&path), Err(BookError::Size { size: 38_673 })));
    }
}

/// A folder for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("dyno-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn files_open_whatever_wraps_them() {
    let folder = Folder::new("open");
    let text = "8/8/8/8/8/8/8/8 w - -\n".repeat(10_000);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    let zst = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let readme = ("README.txt", "about this");
    for path in [
        folder.file("a.epd", text.as_bytes()),
        folder.file("a.epd.gz", &gz.finish().unwrap()),
        folder.file("a.epd.zst", &zst),
        folder.file("a.zip", &zip(&[("dir/a.epd", &text)])),
        folder.file("b.zip", &zip(&[readme, ("a.epd", &text)])),
    ] {
        let mut opened = open(&path).unwrap();
        let mut read = String::new();
        opened.reader.read_to_string(&mut read).unwrap();
        assert!(read == text, "{}", path.display());
        assert_eq!(opened.name, "a.epd", "{}", path.display());
        assert_eq!(Some(opened.progress.read()), opened.progress.total(), "{}", path.display());
    }
    // A name that promises what the file does not hold.
    let mut opened = open(&folder.file("plain.gz", text.as_bytes())).unwrap();
    assert_eq!(opened.reader.read_to_end(&mut Vec::new()).unwrap(), text.len());

    let several = folder.file("c.zip", &zip(&[("a.epd", "x"), ("b.epd", "y")]));
    assert!(matches!(open(&several), Err(OpenError::Several { .. })));
    assert!(matches!(open(&folder.0.join("absent")), Err(OpenError::Io { .. })));
    assert!(matches!(open(&folder.0), Err(OpenError::Folder { .. })));
    let cut = folder.file("cut.zst", &zst[..zst.len() / 2]);
    assert!(open(&cut).unwrap().reader.read_to_end(&mut Vec::new()).is_err());
    let cut = open(&cut).unwrap().into_text().unwrap_err().to_string();
    assert!(cut.contains("cut.zst"), "{cut}");
    let torn = folder.file("torn.zip", &zip(&[("a.epd", &text)])[..60]);
    assert!(matches!(open(&torn), Err(OpenError::Archive { .. })));
}

#[test]
fn what_is_not_text_is_refused_even_when_compressed() {
    let folder = Folder::new("open-binary");
    let program: Vec<u8> = (0..=255).collect();
    for path in [
        folder.file("a.epd", &program),
        folder.file("b.epd.zst", &zstd::encode_all(&program[..], 1).unwrap()),
    ] {
        let error = open_text(&path).unwrap_err();
        assert!(matches!(error, OpenError::Binary { .. }), "{error}");
        assert!(error.to_string().contains(".epd"), "{error}");
        assert_eq!(open(&path).unwrap().reader.bytes().count(), program.len());
    }
    assert_eq!(open_text(&folder.file("empty.epd", b"")).unwrap().into_text().unwrap(), "");
    let xz = open_text(&folder.file("a.epd.xz", b"\xfd7zXZ\0rest")).unwrap_err().to_string();
    assert!(xz.contains("a.epd.xz") && xz.contains("unpack it"), "{xz}");
}

#[test]
fn real_opening_books_read_whole() {
    if let Some(path) = shared("test-only/books/noob_3moves.epd.zip") {
        let records = EpdReader::new(open(&path).unwrap().reader);
        assert_eq!(records.flatten().count(), 150_932);
    }
    if let Some(path) = shared("test-only/books/8moves_v3.pgn.zip") {
        let opened = open(&path).unwrap();
        assert_eq!(opened.name, "8moves_v3.pgn");
        let games = PgnReader::new(opened.reader);
        assert_eq!(
            games.map(|game| game.unwrap().line.moves.len()).filter(|n| *n == 16).count(),
            34_700
        );
        assert_eq!(HeaderReader::new(open(&path).unwrap().reader).count(), 34_700);
    }
}

proptest! {
    #[test]
    fn no_bytes_break_a_book(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(book) = Book::read(&bytes[..]) {
            book.moves(&Position::startpos());
            for entry in book.entries() {
                let _ = entry.mv(&Position::startpos());
            }
        }
    }
}
