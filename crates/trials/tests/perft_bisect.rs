//! Perft bisection against engines with planted bugs, and against real ones.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use dyno_chess::Position;
use dyno_driver::{Engine, Settings, find_program};
use dyno_testkit::scripted;
use dyno_testkit::toy::{self, Bug};
use dyno_trials::perft_bisect::{
    self, AskError, BisectEvent, BisectJob, BisectOptions, BisectResult,
};

fn jobs() -> Vec<BisectJob> {
    // Shallow, but between them they need every rule.
    let cases = [
        ("startpos", dyno_chess::STARTPOS, 3),
        ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
        ("position3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
        ("position4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3),
        ("promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 3),
        ("rook taken", "4k3/8/8/8/8/8/6b1/4K2R b K - 0 1", 3),
        ("double check", "4k3/8/8/8/4r3/5n2/8/2B1K2R w K - 0 1", 2),
        ("there and back", "7k/7p/7P/8/8/8/7P/4K2R w K - 0 1", 5),
        ("third rank", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1", 1),
        ("in check", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", 1),
        ("rook attacked", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", 2),
    ];
    cases
        .into_iter()
        .map(|(name, fen, depth)| BisectJob {
            name: name.into(),
            position: Position::from_fen(fen).unwrap(),
            depth,
        })
        .collect()
}

fn bisect(command: &str) -> Result<BisectResult, AskError> {
    let mut engine = Engine::start(&command.parse().unwrap(), &Settings::default()).unwrap();
    perft_bisect::run(&mut engine, &jobs(), |_| {})
}

/// The kind of fault by which each bug of the rules should be called.
const EXPECTED: &[(Bug, &str)] = &[
    (Bug::EnPassantExposesKing, "EnPassantExposesKing"),
    (Bug::EnPassantForgotten, "EnPassant"),
    (Bug::EnPassantStale, "EnPassantNotPossible"),
    (Bug::CastlingThroughAttack, "CastlingThroughAttack"),
    (Bug::CastlingOutOfCheck, "CastlingOutOfCheck"),
    (Bug::CastlingThroughPiece, "CastlingThroughPiece"),
    (Bug::CastlingRookAttacked, "CastlingRookAttacked"),
    (Bug::CastlingRightAfterCapture, "CastlingRightAfterRookTaken"),
    (Bug::CastlingRightAfterRookMove, "CastlingRightAfterRookMoved"),
    (Bug::CastlingRightAfterKingMove, "CastlingRightAfterKingMoved"),
    (Bug::NoUnderpromotion, "Underpromotion"),
    (Bug::PromotionCaptureForgotten, "PromotionCapture"),
    (Bug::PromotionMissing, "PromotionMissing"),
    (Bug::PinnedPieceMoves, "PinnedPieceMoves"),
    (Bug::DoubleCheckBlocked, "DoubleCheckNotByKing"),
    (Bug::KingBackAlongLine, "KingBackAlongLine"),
    (Bug::DoubleStepRankOffByOne, "PawnDoubleStepFromWrongRank"),
    (Bug::DoubleStepJumps, "PawnDoubleStepOverPiece"),
    (Bug::KnightWraps, "WrapsAround"),
    (Bug::PawnPushTakes, "PawnPushesIntoPiece"),
];

#[test]
fn every_planted_bug_is_found_and_named() {
    let mut unnamed = String::new();
    for (bug, kind) in EXPECTED {
        let result = bisect(&toy::command(Some(*bug))).unwrap();
        let kinds: Vec<&str> = result
            .comparisons
            .iter()
            .filter_map(|c| c.fault.as_ref())
            .flat_map(|fault| fault.missing.iter().chain(&fault.surplus))
            .map(|wrong| wrong.kind.as_str())
            .collect();
        if !kinds.contains(kind) {
            unnamed += &format!("{}: wanted {kind}, got {kinds:?}\n", bug.name());
        }
    }
    assert!(unnamed.is_empty(), "{unnamed}");
}

#[test]
fn the_sound_engine_has_no_fault() {
    let result = bisect(&toy::command(None)).unwrap();
    assert_eq!(result.faults(), 0, "{:?}", result.comparisons);
    assert_eq!(result.dialect.command, "go perft");
}

#[test]
fn the_smallest_witness_is_small_and_true() {
    let result = bisect(&toy::command(Some(Bug::CastlingRightAfterCapture))).unwrap();
    let fault = result.comparisons.iter().find_map(|c| c.fault.as_ref()).unwrap();
    assert!(fault.needs_moves && !fault.smallest_moves.is_empty(), "{fault:?}");
    let mut position = Position::from_fen(&fault.smallest_fen).unwrap();
    assert!(position.occupied().count() <= 4, "{fault:?}");
    for word in &fault.smallest_moves {
        position = position.play(position.parse_uci(word).unwrap());
    }
    assert!(position.parse_uci(&fault.surplus[0].mv).is_err());
}

fn bisect_with(command: &str, options: BisectOptions) -> BisectResult {
    let mut engine = Engine::start(&command.parse().unwrap(), &Settings::default()).unwrap();
    perft_bisect::bisect(&mut engine, &jobs(), options, |_| {}).unwrap()
}

const SURVIVES: BisectOptions =
    BisectOptions { fail_fast: false, survives: true, shrink_for: None };

#[test]
fn each_rule_is_found_once_and_counted() {
    let result = bisect(&toy::command(Some(Bug::NoUnderpromotion))).unwrap();
    let [finding] = &result.rules[..] else { panic!("{:?}", result.rules) };
    assert_eq!(finding.rule.kind, "Underpromotion");
    assert!(finding.positions > 1 && finding.positions == result.faults(), "{finding:?}");
    let new = result.comparisons.iter().filter_map(|c| c.fault.as_ref());
    assert_eq!(new.filter(|fault| !fault.new_rules.is_empty()).count(), 1);
    assert!(finding.reproduce[0].starts_with("position fen "), "{finding:?}");
}

#[test]
fn a_bisection_can_end_at_the_first_fault_and_tells_each_as_it_is_found() {
    let command = toy::command(Some(Bug::NoUnderpromotion));
    let mut engine = Engine::start(&command.parse().unwrap(), &Settings::default()).unwrap();
    let options = BisectOptions { fail_fast: true, ..SURVIVES };
    let mut told = 0;
    let result = perft_bisect::bisect(&mut engine, &jobs(), options, |event| {
        told += usize::from(matches!(event, BisectEvent::Compared { .. }));
    });
    let result = result.unwrap();
    assert_eq!((result.faults(), told), (1, result.comparisons.len()));
    assert!(told < jobs().len());
}

#[test]
fn an_engine_that_crashes_is_asked_on_until_the_move_is_known() {
    let result = bisect_with(&toy::command_with(None, &["crashes-on-castling"]), SURVIVES);
    assert_eq!(result.comparisons.len(), jobs().len());
    let crash = result.rules.iter().find(|finding| finding.rule.kind == "Crash").unwrap();
    assert!(crash.positions > 1, "{crash:?}");
    let first = result.comparisons.iter().find_map(|c| c.fault.as_ref()).unwrap();
    let breakdown = first.breakdown.as_ref().unwrap();
    let mv = breakdown.mv.as_deref().unwrap();
    assert!(["e1g1", "e1c1", "e8g8", "e8c8"].contains(&mv), "{breakdown:?}");
    let position = Position::from_fen(&crash.smallest_fen).unwrap();
    assert!(position.occupied().count() <= 4, "{crash:?}");
    // Nothing else is wrong with it.
    assert_eq!(result.rules.len(), 1, "{:?}", result.rules);
}

#[test]
fn totals_alone_lead_to_the_move() {
    let bugs = [
        (Bug::EnPassantForgotten, "EnPassant"),
        (Bug::CastlingThroughAttack, "CastlingThroughAttack"),
        (Bug::EnPassantExposesKing, "EnPassantExposesKing"),
        (Bug::CastlingRookAttacked, "CastlingRookAttacked"),
        (Bug::PinnedPieceMoves, "PinnedPieceMoves"),
    ];
    // Most of it is waiting for answers to commands that the engine does not know.
    std::thread::scope(|scope| {
        for (bug, kind) in bugs {
            scope.spawn(move || {
                let result = bisect_with(&toy::command_with(Some(bug), &["totals"]), SURVIVES);
                assert!(!result.dialect.divides);
                let kinds: Vec<&str> = result.rules.iter().map(|f| f.rule.kind.as_str()).collect();
                assert!(kinds.contains(&kind), "{}: {kinds:?}", bug.name());
            });
        }
    });
}

#[test]
fn other_ways_to_ask_for_a_divide_are_recognised() {
    let result = bisect_with(&toy::command_with(None, &["div"]), SURVIVES);
    assert_eq!((result.dialect.line(3).as_str(), result.dialect.divides), ("perft 3 div", true));
    assert_eq!(result.faults(), 0, "{:?}", result.comparisons);
}

#[test]
fn a_pause_after_the_first_move_is_not_an_end() {
    let result = bisect_with(&toy::command_with(None, &["pauses"]), SURVIVES);
    assert_eq!(result.faults(), 0, "{:?}", result.comparisons);
}

#[test]
fn an_engine_without_perft_is_told_so() {
    let error = bisect(&scripted::command(&[])).unwrap_err();
    assert!(matches!(error, AskError::NoPerft { .. }), "{error}");
}

#[test]
fn a_perft_that_does_not_look_at_the_board_is_not_called_wrong() {
    let error = bisect(&toy::command_with(None, &["counts-the-start"])).unwrap_err();
    assert!(error.to_string().contains("counts the same in every position"), "{error}");
}

/// An engine that is ready at once and counts meanwhile, with a pause, as any does on a busy machine.
#[cfg(unix)]
const PAUSES: &str = r#"
moves="a2a3 b2b3 c2c3 d2d3 e2e3 f2f3 g2g3 h2h3 a2a4 b2b4 c2c4 d2d4 e2e4 f2f4 g2g4 h2h4"
moves="$moves b1a3 b1c3 g1f3 g1h3"
pause=0
count() {
    for move in $moves; do
        echo "$move: 20"
        if [ "$move" = a2a4 ]; then sleep "$1"; fi
    done
    echo "Nodes searched: 400"
}
while read -r line; do
    case $line in
        uci) echo "id name Pauses"; echo uciok ;;
        isready) echo readyok ;;
        "position fen 4k3"*) pawn=yes ;;
        position*) pawn= ;;
        "go perft 2")
            if [ "$pawn" ]; then echo "Nodes searched: 30"; else count "$pause" & pause=0.5; fi ;;
        quit) exit ;;
    esac
done
"#;

#[test]
#[cfg(unix)]
fn a_pause_does_not_end_an_answer() {
    let script = std::env::temp_dir().join(format!("dyno-pauses-{}.sh", std::process::id()));
    std::fs::write(&script, PAUSES).unwrap();
    let command = format!("sh {}", script.display());
    let mut engine = Engine::start(&command.parse().unwrap(), &Settings::default()).unwrap();
    let start = BisectJob { name: "start".into(), position: Position::startpos(), depth: 2 };
    let result = perft_bisect::run(&mut engine, &[start.clone(), start], |_| {}).unwrap();
    engine.quit();
    std::fs::remove_file(&script).unwrap();
    assert!(result.dialect.sums_up);
    assert_eq!(result.faults(), 0, "{:?}", result.comparisons);
}

#[test]
fn real_engines_agree_or_say_that_they_lack_perft() {
    for (name, knows) in [
        ("stockfish", true),
        ("fairy-stockfish", true),
        ("ethereal-chess", true),
        ("toga2", false),
        ("glaurung", false),
    ] {
        if find_program(name.as_ref()).is_none() {
            eprintln!("skipped: {name} is not installed");
            continue;
        }
        match bisect(name) {
            Ok(result) => {
                assert!(knows, "{name} has learnt perft");
                assert_eq!(result.faults(), 0, "{name}: {:?}", result.comparisons);
            }
            Err(AskError::NoPerft { .. }) => assert!(!knows, "{name} has perft"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
