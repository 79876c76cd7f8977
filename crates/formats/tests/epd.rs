//! EPD as the standard has it and as real suites have it.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_formats::epd::{AnswerFault, EpdErrorReason, EpdReader, EpdRecord, Stated};
use proptest::prelude::*;
use std::io::BufReader;
use std::path::PathBuf;

const WAC1: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - -";

fn record(line: &str) -> EpdRecord {
    EpdRecord::parse(1, line).unwrap().unwrap_or_else(|error| panic!("{error}"))
}

/// The best moves in UCI notation; there must be no defect.
fn best(line: &str) -> Vec<String> {
    let record = record(line);
    let best = record.best_moves();
    assert_eq!(best.defects, [], "{line}");
    best.moves.iter().map(|mv| record.position.uci(*mv)).collect()
}

fn operations(line: &str) -> Vec<String> {
    record(line).operations().map(|op| format!("{}={}", op.opcode, op.text())).collect()
}

#[test]
fn the_standard_form() {
    let record = record(&format!("{WAC1} bm Qg6; id \"WAC.001\"; ce 32760; acd 12; acn 3; acs 4;"));
    assert_eq!(record.position.epd(), WAC1);
    assert_eq!(record.id().unwrap(), "WAC.001");
    assert_eq!(record.evaluation(), Some(Stated::Mate(4)));
    assert_eq!(record.analysis_depth(), Some(12));
    assert_eq!(record.analysis_nodes(), Some(3));
    assert_eq!(record.analysis_seconds(), Some(4));
}

#[test]
fn best_moves_in_every_notation() {
    for text in [
        "bm Qg6;",
        "bm Qg6",
        "bm g3g6;",
        "bm Qg3-g6;",
        "bm Qg3g6;",
        "bm Qg6!;",
        "bm 1.Qg6;",
        "bm 1. Qg6 ;",
        "bm \"Qg6\";",
        "bm: Qg6;",
        "BM Qg6;",
        "bm bm Qg6;",
        "bm Qg6 # said so",
        "bm Qg6; # said so",
        "bm Qg6 // said so",
        "bm Qg6 #;",
        "; bm Qg6;",
        "0 1; bm Qg6;",
        "0 1 bm Qg6;",
        "0 bm Qg6;",
        "- - bm Qg6;",
        "-1 12 bm Qg6;",
        "-1 bm Qg6;",
        "99999999999 1 bm Qg6;",
        "bm Qg6 +;",
        "bm Qg6 !?;",
        "bm Qg6 \"wins\";",
        "bm Qg6; \"wins\";",
        "\"wins\"; bm Qg6;",
        "bm Qg6; hmvc x; fmvn 1.5;",
        "id \"a; bm Qh4; b\"; bm Qg6;",
        "id \"not closed; bm Qg6;",
        "id \"C:\\\"; bm Qg6;",
        "id \"say \\\"a; b\\\"\"; bm Qg6;",
    ] {
        assert_eq!(best(&format!("{WAC1} {text}")), ["g3g6"], "{text}");
    }
}

#[test]
fn several_best_moves() {
    for text in [
        "bm Qg6 Qh4;",
        "bm Qg6, Qh4;",
        "bm Qg6,Qh4;",
        "bm Qg6; bm Qh4;",
        "bm Qg6 or Qh4;",
        "bm Qg6 Qg6 g3h4;",
        "bm Qg6, Qh4 id \"x\"",
        "bm Qg6 bm Qh4",
    ] {
        assert_eq!(best(&format!("{WAC1} {text}")), ["g3g6", "g3h4"], "{text}");
    }
}

#[test]
fn castling_and_promotion() {
    let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    for text in ["O-O", "0-0", "o-o", "O-O+", "e1g1", "e1h1"] {
        assert_eq!(best(&format!("{castle} bm {text};")), ["e1g1"], "{text}");
    }
    let promote = "7k/P7/8/8/8/8/8/K7 w - -";
    for text in
        ["a8=Q", "a8Q+", "a8/Q", "a7a8q", "a7-a8=Q", "a7a8Q", "a8(Q)", "a8 = Q", "a8= Q", "a8 =Q +"]
    {
        assert_eq!(best(&format!("{promote} bm {text};")), ["a7a8q"], "{text}");
    }
    let passing = "4k3/8/8/8/1pP5/8/8/4K3 b - c3";
    for text in ["bxc3", "b4xc3/ep", "bxc3/e.p.", "b4xc3/ep+", "bxc3 e.p.", "b4xc3ep"] {
        assert_eq!(best(&format!("{passing} bm {text};")), ["b4c3"], "{text}");
    }
}

#[test]
fn a_comment_is_no_list_of_points() {
    for note in [
        "http://www.stmintz.com/ccc/topic_show.pl?tid=18253",
        "after 1.e4 x=1",
        "best=10",
        "rating=2500, level=3",
    ] {
        assert_eq!(record(&format!("{WAC1} bm Qg6; c0 \"{note}\";")).points(), None, "{note}");
    }
    let typo = record(&format!("{WAC1} bm Qg6; c0 \"Qg6=10, Qh44=3\";")).points().unwrap();
    assert_eq!(typo.defects[0].to_string(), "c0 \"Qh44\": not a move");
}

/// Castling rights without a rook, a king away from home, an en-passant square without a pawn.
#[test]
fn impossible_rights_are_repaired_if_asked() {
    for (fields, repaired, count) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq -", "w Kkq -", 1),
        ("1nbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBN1 w KQkq -", "w - -", 4),
        ("rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQ1BNR w KQkq e6", "w kq -", 3),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq e3", "b KQkq -", 1),
    ] {
        let line = format!("{fields} bm e4;\n");
        let strict = EpdReader::new(line.as_bytes()).next().unwrap();
        assert!(matches!(strict.unwrap_err().reason, EpdErrorReason::Fen(_)), "{fields}");
        let record = EpdReader::new(line.as_bytes()).repairing(true).next().unwrap().unwrap();
        assert!(record.position.epd().ends_with(repaired), "{}", record.position.epd());
        assert_eq!(record.warnings.len(), count, "{:?}", record.warnings);
    }
    let told = |line: &str| {
        let record = EpdReader::new(line.as_bytes()).repairing(true).next().unwrap().unwrap();
        record.warnings[0].to_string()
    };
    assert_eq!(
        told("4k3/8/8/8/8/8/8/4K2R w KQ -"),
        "castling \"KQ\": castling right 'Q': White has no such rook on its first rank"
    );
    // What is wrong beyond that stays wrong.
    let hopeless = &b"4k3/8/8/8/8/8/8/4K2R w KQx -"[..];
    assert!(EpdReader::new(hopeless).repairing(true).next().unwrap().is_err());
}

#[test]
fn missing_semicolons_do_not_join_operations() {
    let line = format!("{WAC1} bm Qg6 id \"WAC.001\" c0 \"a\" dm 3");
    assert_eq!(operations(&line), ["bm=Qg6", "id=WAC.001", "c0=a", "dm=3"]);
    let line = format!("{WAC1} id WAC.001 bm Qg6");
    assert_eq!(operations(&line), ["id=WAC.001", "bm=Qg6"]);
}

#[test]
fn a_pawn_move_is_no_comment() {
    let position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(best(&format!("{position} bm e4 c4 d4;")), ["e2e4", "c2c4", "d2d4"]);
    let passed = "kBQ3K1/2p3p1/1p6/8/1pP5/5p2/p4b2/q7 b - c3 bm #-6;";
    assert_eq!(record(passed).mate(), Some(-6));
    let line = format!("{position} bm e4 c4 \"a note\"");
    assert_eq!(operations(&line), ["bm=e4", "c4=a note"]);
}

#[test]
fn unquoted_texts_stay_whole() {
    let line = format!("{WAC1} id Mate in ce 3 moves; bm Qg6; c0 the pv is long; D1 20 ;D2 400");
    let expected = ["id=Mate in ce 3 moves", "bm=Qg6", "c0=the pv is long", "D1=20", "D2=400"];
    assert_eq!(operations(&line), expected);
}

#[test]
fn mates_however_stated() {
    let mate = |text: &str| record(&format!("{WAC1} {text}")).mate();
    assert_eq!(mate("dm 3;"), Some(3));
    assert_eq!(mate("dm 0;"), None);
    assert_eq!(mate("bm #3;"), Some(3));
    assert_eq!(mate("bm #-2;"), Some(-2));
    assert_eq!(mate("bm #+12"), Some(12));
    assert_eq!(mate("ce +M2;"), Some(2));
    assert_eq!(mate("ce -M2;"), Some(-2));
    assert_eq!(mate("ce #-5;"), Some(-5));
    assert_eq!(mate("ce 32766;"), Some(1));
    assert_eq!(mate("ce -32765;"), Some(-1));
    assert_eq!(mate("bm Qg6; ce 150;"), None);
    assert!(!record(&format!("{WAC1} bm #3;")).has_solution());
    assert!(record(&format!("{WAC1} bm #3 Qg6;")).has_solution());
}

#[test]
fn the_line_is_played_out() {
    let record =
        record("8/8/8/8/1p1N4/1Bk1K3/3N4/b7 w - - pv Nd4-e6 Ba1-b2 Ne6-c5 Bb2-a1 Nc5-a4+;");
    let line = record.line();
    assert_eq!((line.moves.len(), line.defects.len()), (5, 0));
}

#[test]
fn points_of_either_layout() {
    let position = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -";
    let by_note = record(&format!("{position} c0 \"f5=10, Be5+=2, Bf2=3, f5=1\";"));
    let by_lists = record(&format!("{position} c8 \"10 2 3\"; c9 \"f4f5 d4e5 d4f2\";"));
    let by_san = record(&format!("{position} c7 \"f5 Be5+ Bf2\"; c8 \"10 2 3\";"));
    for record in [by_note, by_lists, by_san] {
        let points = record.points().unwrap();
        assert_eq!(points.defects, []);
        let of = |text| points.of(record.position.parse_san(text).unwrap());
        assert_eq!((of("f5"), of("Be5"), of("Bf2"), of("Kg2")), (10, 2, 3, 0));
        assert_eq!((points.best(), points.moves.len()), (10, 3));
    }
    assert_eq!(record(&format!("{position} c0 \"a comment, a=b\";")).points(), None);
    let unpaired = record(&format!("{position} c8 \"10 2\"; c9 \"f4f5\";")).points().unwrap();
    assert_eq!(unpaired.defects[0].fault, AnswerFault::Unpaired { moves: 1, points: 2 });
    let promotion = record("7k/P7/8/8/8/8/8/K7 w - - c0 \"a8=Q=10, a8=R=5\";").points().unwrap();
    assert_eq!(promotion.moves.iter().map(|(_, points)| *points).collect::<Vec<_>>(), [10, 5]);
}

#[test]
fn defects_name_the_token() {
    let record = record("4k3/8/8/8/8/8/8/R3K2R w - - bm Rd1 Rf1 Qg6 hello Rad2; am Kh5;");
    let best = record.best_moves();
    assert_eq!(best.moves.len(), 2);
    let told: Vec<String> = best.defects.iter().map(ToString::to_string).collect();
    let expected = [
        "bm \"Qg6\": not legal in the position",
        "bm \"hello\": not a move",
        "bm \"Rad2\": not legal in the position",
    ];
    assert_eq!(told, expected);
    assert_eq!(record.avoid_moves().defects[0].token, "Kh5");
    let twice = EpdRecord::parse(1, "4k3/8/8/8/8/R7/8/R3K3 w - - bm Ra2;").unwrap().unwrap();
    let fault = &twice.best_moves().defects[0].fault;
    assert!(
        matches!(fault, AnswerFault::Ambiguous { candidates } if candidates.len() == 2),
        "{fault:?}"
    );
}

#[test]
fn bad_lines_are_errors_and_reading_goes_on() {
    let file = b"\xef\xbb\xbf; a comment\r\n\
        \r\n\
        # another\r\n\
        9/8/8/8/8/8/8/8 w - - bm Qg6;\r\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"R\xe9ti\";\0\r\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w\r\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w KQ -\r\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w - e9\r\n\
        // a third\r\n\
        \x1a";
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for result in EpdReader::new(BufReader::with_capacity(7, &file[..])) {
        match result {
            Ok(record) => good.push((record.line, record.id().unwrap().into_owned())),
            Err(error) => bad.push((error.line, error.token.clone())),
        }
    }
    assert_eq!(good, [(5, "Réti".to_owned())]);
    let expected = [(4, "9/8/8/8/8/8/8/8"), (6, "w"), (7, "KQ"), (8, "e9")];
    assert_eq!(bad, expected.map(|(line, token)| (line, token.to_owned())));
}

#[test]
fn a_failing_stream_ends_with_its_error() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let mut records = EpdReader::new(BufReader::new(Broken));
    let error = records.next().unwrap().unwrap_err();
    assert!(matches!(error.reason, EpdErrorReason::Line(_)));
    assert_eq!(error.to_string(), "line 1: cannot read: unplugged");
    assert!(records.next().is_none());
}

#[test]
fn clocks_that_are_no_numbers_are_worth_a_warning() {
    let record = record(&format!("{WAC1} bm Qg6; hmvc x; fmvn 7;"));
    assert_eq!(record.warnings[0].to_string(), "hmvc \"x\": not a number");
    assert_eq!((record.position.halfmove_clock(), record.position.fullmove_number()), (0, 7));
}

#[test]
fn clocks_come_from_operations_too() {
    let record = record("rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 hmvc 7; fmvn 3;");
    let fen = record.position.fen();
    assert_eq!(fen, "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 7 3");
    assert_eq!(record.to_string(), record.raw);
}

#[test]
fn what_is_written_reads_the_same() {
    let line = format!("{WAC1} bm Qg6, Qh4 id say \"a\\\"b\" dm 3");
    let once = record(&line).to_string();
    assert_eq!(once, format!("{WAC1} bm Qg6 Qh4; id say \"a\\\"b\"; dm 3;"));
    assert_eq!(record(&once).to_string(), once);
}

fn shared(path: &str) -> Option<PathBuf> {
    let path =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

/// Reads a shared file without an error and gives its records.
fn shared_records(path: &str) -> Vec<EpdRecord> {
    let Some(path) = shared(path) else { return Vec::new() };
    let file = std::fs::File::open(path).unwrap();
    EpdReader::new(BufReader::new(file)).map(|r| r.unwrap_or_else(|e| panic!("{e}"))).collect()
}

#[test]
fn real_suites_read_whole() {
    for (path, count) in [
        ("open/suites/wac.epd", 300),
        ("open/suites/bratko-kopec.epd", 24),
        ("test-only/suites/sts-lan-v3.epd", 1500),
        ("test-only/suites/ecm.epd", 879),
        ("test-only/mates/mate_in_2.leorik.epd", 880),
        ("test-only/mates/mate_in_3.leorik.epd", 1277),
    ] {
        let records = shared_records(path);
        assert!(records.is_empty() || records.len() == count, "{path}: {}", records.len());
        for record in &records {
            let best = record.best_moves();
            assert_eq!(best.defects, [], "{path}:{}", record.line);
            assert!(record.has_solution(), "{path}:{}", record.line);
            assert_eq!(record.line().defects, [], "{path}:{}", record.line);
            assert_eq!(record.points().unwrap_or_default().defects, [], "{path}:{}", record.line);
        }
    }
    for record in shared_records("test-only/mates/mates2000.epd") {
        assert!(record.mate().is_some(), "{}", record.raw);
    }
}

#[test]
fn perft_counts_are_operations() {
    for record in shared_records("open/perft/standard.epd") {
        let counts = record.operations().filter(|op| op.opcode.starts_with('D')).count();
        assert!(counts > 0, "{}", record.raw);
    }
    for record in shared_records("open/perft/chess960.epd") {
        assert!(record.number("D6").is_some(), "{}", record.raw);
    }
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        exercise(&bytes);
    }

    #[test]
    fn no_operations_break_the_reader(tail in "[ -~é\";#\\\\]{0,80}") {
        exercise(format!("{WAC1} {tail}\n{WAC1} bm {tail}; pv {tail}; c0 \"{tail}\"").as_bytes());
    }

    #[test]
    fn written_records_are_stable(tail in "( (bm|id|c0|am|pv|x) [ -~]{0,20};){0,4}") {
        if let Some(Ok(record)) = EpdRecord::parse(1, &format!("{WAC1}{tail}")) {
            let once = record.to_string();
            let again = EpdRecord::parse(1, &once).unwrap().unwrap();
            prop_assert_eq!(again.to_string(), once);
        }
    }
}

/// Calls everything there is to call.
fn exercise(bytes: &[u8]) {
    for record in EpdReader::new(bytes).flatten() {
        let _ = (record.best_moves(), record.avoid_moves(), record.line(), record.points());
        let _ = (record.mate(), record.evaluation(), record.id(), record.label());
        let _ = (record.number("acd"), record.has_solution(), record.to_string());
    }
}
