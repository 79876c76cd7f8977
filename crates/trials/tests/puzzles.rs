//! Puzzles converted, run and mined.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_driver::{EngineSpec, Go, Settings};
use dyno_formats::epd::EpdRecord;
use dyno_trials::puzzles::{
    ConvertEvent, ConvertPlan, ConvertResult, MineEvent, MinePlan, MinedKind, PuzzleVerdict,
    RunEvent, RunPlan, Selection, convert, mine, run,
};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The first is a mate in two, the second a mate in one with two keys, the third no mate.
const ROWS: &str = "\
00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate mateIn2 middlegame short,https://lichess.org/yyznGmXs/black#34
two,6k1/p1p3pp/4N3/1p6/2q1r1n1/2B5/PPr3PP/3R1R1K b - - 0 1,c2c1 d1d8,900,80,83,72,mate mateIn1,https://lichess.org/x
00008,r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24,f2g3 e6e7 b2b1 b3c1 b1c1 h6c1,1800,77,95,8421,crushing hangingPiece long middlegame,https://lichess.org/787zsVup/black#48
";

/// A file for one test, removed at the end.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str, bytes: &[u8]) -> Temp {
        let name = format!("dyno-puzzles-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
        Temp(path)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Converted {
    result: ConvertResult,
    lines: Vec<(u32, String)>,
    rejects: Vec<(u64, &'static str)>,
}

fn convert_file(path: &Path, plan: &ConvertPlan) -> Converted {
    let (mut lines, mut rejects) = (Vec::new(), Vec::new());
    let opened = dyno_formats::open(path).unwrap();
    let result = convert(plan, "test", opened, &mut |event| {
        match event {
            ConvertEvent::Position { mate_in, text } => lines.push((mate_in, text.to_owned())),
            ConvertEvent::Rejected(row) => rejects.push((row.line, row.reject.reason())),
            ConvertEvent::Progress { .. } => {}
        }
        Ok(())
    });
    Converted { result: result.unwrap(), lines, rejects }
}

fn convert_text(name: &str, text: &str, plan: &ConvertPlan) -> Converted {
    convert_file(&Temp::new(name, text.as_bytes()).0, plan)
}

fn plan() -> ConvertPlan {
    ConvertPlan { workers: 2, ..ConvertPlan::default() }
}

fn record(line: &str) -> EpdRecord {
    EpdRecord::parse(1, line).unwrap().unwrap()
}

#[test]
fn rows_become_positions() {
    let done = convert_text("rows", ROWS, &plan());
    assert_eq!((done.result.rows, done.result.written, done.result.not_mate), (3, 2, 1));
    assert_eq!(
        done.lines[0].1,
        "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - - bm Be6+; pv Be6+ Kd8 Qf8#; dm 2; \
         id \"00sHx\"; c0 \"rating 1760\"; c1 \"mate mateIn2 middlegame short\"; \
         c2 \"https://lichess.org/yyznGmXs/black#34\";\n"
    );
    // Both mates in one, the row's own first.
    let two = record(&done.lines[1].1);
    let keys: Vec<String> = two.best_moves().moves.iter().map(|mv| two.position.san(*mv)).collect();
    assert_eq!(keys[0], "Rd8#");
    assert!(keys.contains(&"Rf8#".to_owned()), "{keys:?}");
    assert_eq!(done.result.disputed, 0);
}

#[test]
fn every_layout_gives_the_same() {
    let expected = convert_text("plain", ROWS, &plan()).lines;
    let header = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl";
    let with_header = format!("{header}\n{ROWS}");
    let eleven = format!(
        "{header},OpeningTags,DailyDate\n{}",
        ROWS.lines().map(|row| format!("{row},Some_Opening,2024-01-01\n")).collect::<String>()
    );
    let quoted: String = ROWS
        .lines()
        .map(|row| row.split(',').map(|f| format!("\"{f}\"")).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let crlf = ROWS.replace('\n', "\r\n");
    let marked = format!("\u{feff}{with_header}");
    let unended = ROWS.trim_end().to_owned();
    for (name, text) in [
        ("header", &with_header),
        ("eleven", &eleven),
        ("quoted", &quoted),
        ("crlf", &crlf),
        ("marked", &marked),
        ("unended", &unended),
    ] {
        assert_eq!(convert_text(name, text, &plan()).lines, expected, "{name}");
    }
    let zst = Temp::new("zst", &zstd::encode_all(with_header.as_bytes(), 3).unwrap());
    assert_eq!(convert_file(&zst.0, &plan()).lines, expected);
}

#[test]
fn bad_rows_are_counted_by_reason() {
    let good = ROWS.lines().next().unwrap();
    let rows = [
        good.to_owned(),
        good.replace("5K2 b", "5K3 b"),
        good.replace("e8d7", "e8e7"),
        good.replace("e8d7", "castle"),
        good.replace(" f7f8", ""),
        good.replace("f7f8", "f7e7"),
        good.replace("e8d7 a2e6 d7d8 f7f8", ""),
        "only,two".to_owned(),
        "\"open,x".to_owned(),
        good.replace("1760", "hard"),
    ];
    let mut bytes = rows.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n\xff\xfe,x,y\n");
    let done = convert_file(&Temp::new("bad", &bytes).0, &plan());
    assert_eq!((done.result.rows, done.result.written), (11, 2));
    assert_eq!(done.result.ignored_numbers, 1);
    let expected = [
        (2, "bad FEN"),
        (3, "illegal move"),
        (4, "not a move"),
        (5, "odd number of moves"),
        (6, "mate that is not a mate"),
        (7, "no moves"),
        (8, "too few columns"),
        (9, "open quote"),
        (11, "not text"),
    ];
    assert_eq!(done.rejects, expected);
    assert_eq!(done.result.rejected, 9);
}

#[test]
fn impossible_castling_rights_are_repaired_if_asked() {
    let row = ROWS.lines().next().unwrap().replace(" b k - ", " b kq - ");
    assert_eq!(convert_text("strict", &row, &plan()).rejects, [(1, "bad FEN")]);
    let done = convert_text("repair", &row, &ConvertPlan { repair: true, ..plan() });
    assert_eq!((done.result.written, done.result.repaired), (1, 1));
}

#[test]
fn selection_and_limit() {
    let ids = |plan: &ConvertPlan, name: &str| -> Vec<String> {
        let lines = convert_text(name, ROWS, plan).lines;
        lines.iter().map(|(_, line)| record(line).id().unwrap().into_owned()).collect()
    };
    let select = |themes: &[&[&str]], rating: Option<&str>| ConvertPlan {
        selection: Selection {
            themes: themes.iter().map(|l| l.iter().map(|t| (*t).to_owned()).collect()).collect(),
            rating: rating.map(|text| text.parse().unwrap()),
        },
        all: true,
        ..plan()
    };
    assert_eq!(ids(&select(&[], None), "s0"), ["00sHx", "two", "00008"]);
    assert_eq!(ids(&select(&[&["matein1", "crushing"]], None), "s1"), ["two", "00008"]);
    assert_eq!(ids(&select(&[&["mate"], &["short"]], None), "s2"), ["00sHx"]);
    assert_eq!(ids(&select(&[], Some("1000..1760")), "s3"), ["00sHx"]);
    let limited = ConvertPlan { limit: Some(1), ..select(&[], None) };
    assert_eq!(ids(&limited, "s4"), ["00sHx"]);
}

/// Blocks are worked on side by side and written in order, whatever the number of workers.
#[test]
fn large_files_keep_their_order() {
    let mut text = String::new();
    for number in 0..3000 {
        for row in ROWS.lines() {
            text.push_str(&format!("{number}-{row}\n"));
        }
    }
    let one = convert_text("one", &text, &ConvertPlan { workers: 1, ..plan() });
    let many = convert_text("many", &text, &ConvertPlan { workers: 4, ..plan() });
    assert_eq!((one.result.rows, one.result.written), (9000, 6000));
    assert!(one.lines == many.lines);
    assert!(one.lines[5999].1.contains("id \"2999-two\""));
}

#[test]
fn all_keys_come_from_the_solver() {
    let done = convert_text("keys", ROWS, &ConvertPlan { all_keys: true, ..plan() });
    assert_eq!((done.result.disputed, done.result.unsettled), (0, 0));
    let first = record(&done.lines[0].1);
    assert!(!first.best_moves().moves.is_empty());
}

fn stockfish() -> Option<EngineSpec> {
    let path = Path::new("/usr/games/stockfish");
    if path.exists() {
        return Some(EngineSpec::program(path));
    }
    eprintln!("skipped: stockfish is absent");
    None
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

#[test]
fn our_mates_in_one_are_stockfishs() {
    let Some(spec) = stockfish() else { return };
    for path in ["open/lichess/synthetic_lichess_puzzles.csv", "test-only/lichess/sample.csv"] {
        let Some(path) = shared(path) else { continue };
        let selection =
            Selection { themes: vec![vec!["mateIn1".to_owned()]], ..Selection::default() };
        let ours = ConvertPlan { selection, limit: Some(60), ..plan() };
        let theirs = ConvertPlan {
            stockfish: Some(spec.clone()),
            settings: Settings::default(),
            ..ours.clone()
        };
        let (ours, theirs) = (convert_file(&path, &ours), convert_file(&path, &theirs));
        assert!(ours.lines.len() > 10);
        assert_eq!(ours.lines, theirs.lines);
    }
}

#[test]
fn real_rows_convert_whole() {
    for (path, rows) in [("sample.csv", 1000), ("sample-2021-no-header.csv", 1000)] {
        let Some(path) = shared(&format!("test-only/lichess/{path}")) else { return };
        let done = convert_file(&path, &plan());
        assert_eq!((done.result.rows, done.result.rejected, done.result.disputed), (rows, 0, 0));
        for (mate_in, line) in &done.lines {
            let record = record(line);
            assert_eq!(record.mate(), Some(*mate_in as i32));
            assert_eq!(record.best_moves().defects, []);
            assert_eq!(record.line().moves.len() as u32, 2 * mate_in - 1);
        }
    }
}

#[test]
fn an_engine_is_led_through_every_move() {
    let Some(engine) = stockfish() else { return };
    let plan = |concurrency| RunPlan {
        engine: engine.clone(),
        settings: Settings::default(),
        limit: Go::nodes(20_000),
        selection: Selection::default(),
        most: None,
        repair: false,
        concurrency,
    };
    // The fourth puzzle's "solution" throws the queen away; the last row is none.
    let wrong = ROWS.lines().next().unwrap().replace("a2e6 d7d8 f7f8", "f7f3");
    let wrong = wrong.replace("mate mateIn2", "crushing");
    let text = format!("{ROWS}{wrong}\nbad,row\n");
    let file = Temp::new("run", text.as_bytes());
    for concurrency in [1, 3] {
        let mut seen = Vec::new();
        let opened = dyno_formats::open(&file.0).unwrap();
        let done = run(&plan(concurrency), "test", opened, &mut |event| {
            if let RunEvent::Attempt(attempt) = event {
                seen.push((attempt.line, attempt.verdict, attempt.found));
            }
        });
        let (result, failure) = done.unwrap();
        assert!(failure.is_none());
        let solved = |line, found| (line, PuzzleVerdict::Solved, found);
        assert_eq!(seen, [solved(1, 2), solved(2, 1), solved(3, 3), (4, PuzzleVerdict::Failed, 0)]);
        assert_eq!((result.total.tried, result.total.solved), (4, 3));
        assert_eq!(result.by_rating[&1600].tried, 2);
        assert_eq!(result.by_theme["mate"].tried, 2);
        assert_eq!(result.rejected["too few columns"], 1);
        assert!(result.performance.unwrap().error.is_some());
    }
}

fn mine_plan(engine: Option<EngineSpec>, mate: u32) -> MinePlan {
    MinePlan {
        engine,
        settings: Settings::default(),
        depth: 10,
        gap: 200,
        held: 3,
        mate,
        nodes: 200_000,
        skip: 0,
        limit: None,
        workers: 2,
        repair: false,
    }
}

const GAMES: &str = "\
[White \"Morphy\"]\n[Black \"Allies\"]\n[Event \"Opera\"]\n[Date \"1858.??.??\"]\n\n\
1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 \
10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 \
17. Rd8# 1-0\n\n[White \"Bad\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qh8 1-0\n";

#[test]
fn mates_are_mined_and_proved() {
    let file = Temp::new("games.pgn", GAMES.as_bytes());
    let (mut found, mut bad) = (Vec::new(), Vec::new());
    let opened = dyno_formats::open(&file.0).unwrap();
    let result = mine(&mine_plan(None, 2), "test", opened, &mut |event| {
        match event {
            MineEvent::Found(mined) => found.push(mined.clone()),
            MineEvent::BadGame(error) => bad.push(error.to_owned()),
            MineEvent::Trouble(_) | MineEvent::Progress(_) => {}
        }
        Ok(())
    })
    .unwrap();
    assert_eq!((result.games, result.bad_games), (1, 1));
    assert!(bad[0].starts_with("game 2, line 10: move 3.: \"Qh8\""), "{bad:?}");
    // Qb8+, then Rd8#; and Qxe5# in the second game, whose moves up to the fault are sound.
    let lines: Vec<EpdRecord> = found.iter().map(|mined| record(&mined.line)).collect();
    let told: Vec<(i32, String, String)> = lines
        .iter()
        .map(|r| {
            let best = r.best_moves().moves[0];
            (r.mate().unwrap(), r.position.san(best), r.text("c0").unwrap().into_owned())
        })
        .collect();
    let opera = "Morphy - Allies, Opera, 1858.??.??, move";
    assert_eq!(told[0], (2, "Qb8+".into(), format!("{opera} 16.")));
    assert_eq!(told[1], (1, "Rd8#".into(), format!("{opera} 17.")));
    assert_eq!(told[2].1, "Qxe5#");
    assert!(lines.iter().all(|r| r.line().defects.is_empty()));
}

#[test]
fn tactics_are_mined_by_an_engine() {
    let Some(engine) = stockfish() else { return };
    let file = Temp::new("tactics.pgn", GAMES.as_bytes());
    let mut tactics = Vec::new();
    let opened = dyno_formats::open(&file.0).unwrap();
    let result = mine(&mine_plan(Some(engine), 0), "test", opened, &mut |event| {
        if let MineEvent::Found(mined) = event {
            assert_eq!(mined.kind, MinedKind::Tactic);
            tactics.push(record(&mined.line));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(result.tactics as usize, tactics.len());
    assert!(!tactics.is_empty());
    for record in tactics {
        assert_eq!(record.best_moves().moves.len(), 1, "{}", record.raw);
        assert!(record.text("c0").is_some() && record.evaluation().is_some(), "{}", record.raw);
    }
}
