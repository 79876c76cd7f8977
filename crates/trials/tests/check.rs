//! The examination, tried on engines with planted faults: each is found by the check it belongs to.

#![allow(clippy::unwrap_used, reason = "tests")]

mod raw;

use dyno_driver::Settings;
use dyno_testkit::protocol_faults::{self, ProtocolFault};
use dyno_testkit::scripted;
use dyno_testkit::toy::{self, Bug};
use dyno_trials::check::{self, CheckPlan, Profile, ReportCard, Verdict};
use std::sync::Mutex;

fn examine(command: &str, only: &[&str]) -> ReportCard {
    examine_by(Profile::Quick, command, only)
}

fn examine_by(profile: Profile, command: &str, only: &[&str]) -> ReportCard {
    let plan = CheckPlan {
        engine: command.parse().unwrap(),
        settings: Settings::default(),
        profile,
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        skip: Vec::new(),
        seed: 1,
        concurrency: 1,
        games: Some(2),
        slowness: 1.0,
    };
    check::run(&plan, |_| {}).unwrap()
}

fn verdict(card: &ReportCard, id: &str) -> Verdict {
    card.checks.iter().find(|check| check.id == id).unwrap().outcome.verdict
}

/// The check that finds each bug that shows only outside the move lists.
const TOY: &[(Bug, &str, Verdict)] = &[
    (Bug::HashEnPassantNotRemoved, "hash.by-moves", Verdict::Fail),
    (Bug::HashCastlingNotUpdated, "hash.by-moves", Verdict::Fail),
    (Bug::HashCaptureNotRemoved, "hash.by-moves", Verdict::Fail),
    (Bug::HashPromotionAsPawn, "hash.by-moves", Verdict::Fail),
    (Bug::HashCastlingRookForgotten, "hash.by-moves", Verdict::Fail),
    (Bug::HashIgnoresSide, "hash.distinct", Verdict::Fail),
    (Bug::HashIgnoresCastling, "hash.distinct", Verdict::Fail),
    (Bug::EvalAsymmetric, "search.mirror", Verdict::Fail),
    (Bug::EvalPathDependent, "search.path-independent", Verdict::Fail),
    (Bug::CastlingRightAfterCapture, "legality.perft", Verdict::Fail),
    (Bug::EnPassantExposesKing, "legality.perft", Verdict::Fail),
    (Bug::NoUnderpromotion, "legality.perft", Verdict::Fail),
    // Without perft: what breaks a rule finds a way out of a mate, what forgets one sees no move.
    (Bug::PinnedPieceMoves, "legality.ended", Verdict::Fail),
    (Bug::DoubleCheckBlocked, "legality.ended", Verdict::Fail),
    (Bug::KingBackAlongLine, "legality.ended", Verdict::Fail),
    (Bug::EnPassantExposesKing, "legality.ended", Verdict::Fail),
    (Bug::DoubleStepJumps, "legality.ended", Verdict::Fail),
    (Bug::DoubleStepRankOffByOne, "legality.ended", Verdict::Fail),
    (Bug::PawnPushTakes, "legality.ended", Verdict::Fail),
    (Bug::KnightWraps, "legality.ended", Verdict::Fail),
    (Bug::EnPassantForgotten, "legality.special", Verdict::Fail),
    (Bug::PromotionCaptureForgotten, "legality.special", Verdict::Fail),
];

#[test]
fn planted_bugs_are_found_by_their_checks() {
    let mut missed = String::new();
    for (bug, id, expected) in TOY {
        let card = examine(&toy::command(Some(*bug)), &[id]);
        let found = verdict(&card, id);
        missed += &raw::not_shown(bug.name(), &card);
        if found != *expected {
            missed += &format!(
                "{}: {id} says {found:?}: {}\n",
                bug.name(),
                card.checks[0].outcome.summary
            );
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

#[test]
fn the_sound_toy_passes_the_same_checks() {
    let ids: Vec<&str> = TOY.iter().map(|(_, id, _)| *id).collect();
    let card = examine(&toy::command(None), &ids);
    for result in &card.checks {
        assert_eq!(
            result.outcome.verdict,
            Verdict::Pass,
            "{}: {}",
            result.id,
            result.outcome.summary
        );
    }
}

/// Faults of conversation, by the words of the scripted engine.
const SCRIPTED: &[(&[&str], &str, Verdict)] = &[
    (&["illegal-move"], "legality.special", Verdict::Fail),
    (&["null-move"], "legality.special", Verdict::Fail),
    (&["crash@3"], "protocol.limits", Verdict::Fail),
    (&["ignore-stop"], "protocol.stop", Verdict::Fail),
    (&["ignore-quit"], "startup.quit", Verdict::Fail),
    (&["ignore-quit"], "startup.end-of-input", Verdict::Warn),
    (&["twice"], "protocol.limits", Verdict::Fail),
    (&["spawn-child"], "startup.leftovers", Verdict::Fail),
    (&["none-move"], "legality.random", Verdict::Fail),
];

#[test]
fn faults_of_conversation_are_found() {
    let mut missed = String::new();
    for (words, id, expected) in SCRIPTED {
        let card = examine(&scripted::command(words), &[id]);
        let found = verdict(&card, id);
        missed += &raw::not_shown(&words.join(" "), &card);
        if found != *expected {
            missed +=
                &format!("{words:?}: {id} says {found:?}: {}\n", card.checks[0].outcome.summary);
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

/// Bad manners of an engine that is sound in everything else.
const MANNERS: &[(ProtocolFault, &str, &[Verdict])] = &[
    (ProtocolFault::LeaksMemory, "stability.memory", FAIL),
    (ProtocolFault::IgnoresHash, "stability.hash", WARN),
    (ProtocolFault::HashTooLarge, "stability.hash", FAIL),
    (ProtocolFault::MovetimeUnused, "time.movetime", WARN),
    (ProtocolFault::MovetimeOverstepped, "time.movetime", WARN),
    (ProtocolFault::MovesToGoOverstepped, "time.clock", FAIL),
    (ProtocolFault::IncrementUnread, "time.clock", WARN),
    (ProtocolFault::MovesToGoUnread, "time.clock", WARN),
    (ProtocolFault::DepthUnread, "protocol.depth", FAIL),
    (ProtocolFault::LinesBreakOff, "search.lines", FAIL),
    (ProtocolFault::NodesIgnored, "time.nodes", FAIL),
    (ProtocolFault::CapitalMoves, "legality.special", FAIL),
    (ProtocolFault::PromotionWithoutPiece, "legality.special", FAIL),
    (ProtocolFault::CastlingAsRookTaken, "protocol.castling", FAIL),
    (ProtocolFault::LinesOutOfOrder, "protocol.multipv", WARN),
    (ProtocolFault::LinesAlike, "protocol.multipv", FAIL),
    (ProtocolFault::AnswersEveryStop, "protocol.stop-twice", FAIL),
    (ProtocolFault::InfiniteEnds, "protocol.infinite", FAIL),
    (ProtocolFault::PonderEnds, "protocol.ponder", FAIL),
    (ProtocolFault::PonderHitIgnored, "protocol.ponder", FAIL),
    (ProtocolFault::ReadyAfterSearch, "protocol.isready-while-searching", FAIL),
    (ProtocolFault::SearchMovesIgnored, "protocol.searchmoves", WARN),
    (ProtocolFault::IllegalTail, "protocol.info", FAIL),
    (ProtocolFault::TableCollides, "stability.self-play", WARN),
    (ProtocolFault::MateSignLost, "protocol.mate-scores", FAIL),
    (ProtocolFault::MateInPlies, "protocol.mate-scores", FAIL),
    (ProtocolFault::NodesFall, "protocol.info", WARN),
    (ProtocolFault::DepthFalls, "protocol.info", WARN),
    (ProtocolFault::NotDeterministic, "search.deterministic", WARN),
    (ProtocolFault::ExitCode, "startup.quit", WARN),
    (ProtocolFault::StaysAtEndOfInput, "startup.end-of-input", WARN),
    (ProtocolFault::AbortsOnUnknown, "protocol.unknown-commands", FAIL),
    (ProtocolFault::AbortsOnRubbish, "protocol.option-values", WARN),
    (ProtocolFault::AbortsOnNewGames, "stability.new-games", FAIL),
    (ProtocolFault::MovesWhenOver, "legality.ended", FAIL),
    (ProtocolFault::BadDeclaration, "protocol.options", FAIL),
    (ProtocolFault::LovesWhite, "search.mirror", FAIL),
    (ProtocolFault::KeepsSearchMoves, "protocol.searchmoves-once", FAIL),
    (ProtocolFault::DepthIgnored, "protocol.depth", FAIL),
    (ProtocolFault::DepthBeyond, "protocol.depth", WARN),
    (ProtocolFault::MovetimeIgnored, "time.movetime", FAIL),
    (ProtocolFault::NodesLoose, "time.nodes", FAIL),
    (ProtocolFault::OpponentsClock, "time.clock", FAIL),
    (ProtocolFault::OpponentsIncrement, "time.clock", FAIL),
    (ProtocolFault::LoopsAfter32, "stability.many-searches", FAIL),
    (ProtocolFault::AbortsAfter100, "stability.many-searches", FAIL),
    (ProtocolFault::AbortsOnLongGames, "stability.long-games", FAIL),
    (ProtocolFault::CutsLongLines, "stability.long-games", FAIL),
    (ProtocolFault::NoMoveWhenStopped, "protocol.stop", FAIL),
    (ProtocolFault::StopsLate, "protocol.stop", WARN),
    (ProtocolFault::IsReadyStops, "protocol.isready-while-searching", FAIL),
    (ProtocolFault::SwallowsIsReady, "protocol.isready-while-searching", FAIL),
    (ProtocolFault::KeepsMovetime, "protocol.limits-once", FAIL),
    (ProtocolFault::NodesEndAtOnce, "time.nodes", FAIL),
    (ProtocolFault::Microseconds, "protocol.info-clock", FAIL),
    (ProtocolFault::SpeedTimesTen, "protocol.info-clock", FAIL),
    (ProtocolFault::HashfullTooLarge, "protocol.info", WARN),
    (ProtocolFault::OtherMove, "protocol.info", WARN),
    (ProtocolFault::IllegalPonder, "stability.self-play", FAIL),
    (ProtocolFault::IllegalWithThreads, "stability.threads", FAIL),
    (ProtocolFault::DeafWithThreads, "stability.threads", FAIL),
    (ProtocolFault::MultiPvSticks, "protocol.multipv", FAIL),
    (ProtocolFault::AbortsOnHashChange, "protocol.option-changes", FAIL),
    (ProtocolFault::AbortsOnOptionInSearch, "protocol.option-changes", WARN),
    (ProtocolFault::NoName, "startup.handshake", FAIL),
    (ProtocolFault::SlowReady, "startup.ready", WARN),
    (ProtocolFault::AbortsOnQuit, "startup.quit", FAIL),
    (ProtocolFault::QuitIgnoredInSearch, "startup.quit-while-searching", FAIL),
    (ProtocolFault::AnswersUnknown, "protocol.unknown-commands", FAIL),
    (ProtocolFault::AbortsOnBadFen, "stability.hostile", WARN),
    (ProtocolFault::MissesMates, "tactics.mates", FAIL),
    (ProtocolFault::CastlingPlainIn960, "protocol.castling", FAIL),
    (ProtocolFault::LeaksPerGame, "stability.memory", FOUND),
    (ProtocolFault::DepthShort, "protocol.depth", FAIL),
    (ProtocolFault::DepthLong, "protocol.depth", WARN),
    (ProtocolFault::HashCapped, "stability.hash", WARN),
    (ProtocolFault::HashSetOnce, "stability.hash", WARN),
    (ProtocolFault::LeaksTables, "stability.hash", FAIL),
    (ProtocolFault::AbortsOnQuietGames, "stability.long-games", WARN),
    (ProtocolFault::DividesByMovesToGo, "protocol.odd-limits", WARN),
    (ProtocolFault::BelowZeroIsEndless, "protocol.odd-limits", WARN),
    (ProtocolFault::WordsInOrder, "protocol.odd-limits", FAIL),
    (ProtocolFault::AbortsOnUnknownLimit, "protocol.odd-limits", WARN),
    (ProtocolFault::AbortsOnSecondGo, "protocol.odd-limits", WARN),
    (ProtocolFault::SpendsIncrement, "time.clock", FAIL),
    (ProtocolFault::ClockOverflows, "time.clock", FAIL),
    (ProtocolFault::ClockHardlyUsed, "time.clock", WARN),
    (ProtocolFault::WorseWithThreads, "stability.threads", FAIL),
    (ProtocolFault::KeepsBoard, "protocol.position", FAIL),
    (ProtocolFault::WantsCounters, "protocol.position", WARN),
    (ProtocolFault::SplitsAtSpaces, "protocol.position", WARN),
    (ProtocolFault::CaseOfOptions, "protocol.option-changes", WARN),
    (ProtocolFault::WrongCurrentMove, "protocol.info", WARN),
    (ProtocolFault::ShallowSelectiveDepth, "protocol.info", WARN),
    (ProtocolFault::LosesPonderHit, "protocol.ponder", FAIL),
    (ProtocolFault::ForgetsCastling, "legality.listed-moves", FAIL),
    (ProtocolFault::FirstSearchMove, "protocol.searchmoves", FAIL),
    (ProtocolFault::OpponentsIncrementCapped, "time.clock", FAIL),
    (ProtocolFault::IsReadyStopsLater, "protocol.isready-while-searching", FAIL),
    (ProtocolFault::IgnoresIsReady, "protocol.isready-while-searching", FAIL),
    (ProtocolFault::StaleMove, "legality.ended", FAIL),
];

const FAIL: &[Verdict] = &[Verdict::Fail];
const WARN: &[Verdict] = &[Verdict::Warn];
const FOUND: &[Verdict] = &[Verdict::Fail, Verdict::Warn];

#[test]
fn bad_manners_are_found_by_their_checks() {
    // Most of it is waiting for answers that never come.
    let (faults, missed) = (Mutex::new(MANNERS.iter()), Mutex::new(String::new()));
    let next = || faults.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((fault, id, expected)) = next() {
                    let wrong = unlike_expected(*fault, id, expected);
                    missed.lock().unwrap().push_str(&wrong);
                }
            });
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{missed}");
}

/// What a check says of a fault, where that is not what is expected or cannot be typed again.
fn unlike_expected(fault: ProtocolFault, id: &str, expected: &[Verdict]) -> String {
    let command = protocol_faults::command(Some(fault));
    let mut card = examine(&command, &[id]);
    // The quick profile has no time for it on a machine that is busy enough.
    if verdict(&card, id) == Verdict::Skip && !expected.contains(&Verdict::Skip) {
        card = examine_by(Profile::Standard, &command, &[id]);
    }
    let outcome = &card.checks.iter().find(|check| check.id == id).unwrap().outcome;
    let mut wrong = raw::not_shown(fault.name(), &card);
    if !expected.contains(&outcome.verdict) {
        let (name, verdict, summary) = (fault.name(), outcome.verdict, &outcome.summary);
        wrong += &format!("{name}: {id} says {verdict:?}: {summary}\n");
    }
    wrong
}

#[test]
fn good_manners_pass() {
    let ids: Vec<&str> = MANNERS.iter().map(|(_, id, _)| *id).collect();
    let card = examine(&protocol_faults::command(None), &ids);
    for result in &card.checks {
        // On a busy machine there may be no time for all of them.
        assert!(
            !matches!(result.outcome.verdict, Verdict::Fail | Verdict::Warn),
            "{}: {} {:?}",
            result.id,
            result.outcome.summary,
            result.outcome.evidence
        );
    }
}

/// Habits that a strict reading of the protocol does not forbid, and the checks that see them.
const HABITS: &[(ProtocolFault, &[&str])] = &[
    (ProtocolFault::PonderNone, &["stability.self-play", "legality.ponder"]),
    (ProtocolFault::NullMoveWhenOver, &["legality.ended"]),
    (ProtocolFault::DrawnIsOver, &["legality.special", "protocol.stop", "protocol.infinite"]),
    (ProtocolFault::LoadsLate, &["protocol.depth", "time.movetime"]),
];

#[test]
fn habits_that_are_no_faults_are_not_blamed() {
    for (habit, ids) in HABITS {
        let card = examine(&protocol_faults::command(Some(*habit)), ids);
        for result in &card.checks {
            let (verdict, summary) = (result.outcome.verdict, &result.outcome.summary);
            let is_blamed = matches!(verdict, Verdict::Fail | Verdict::Warn);
            assert!(!is_blamed, "{}: {}: {summary}", habit.name(), result.id);
        }
    }
}

/// What breaks a check that was asked for is said, also where the check that names it was not.
#[test]
fn a_cause_that_nothing_names_is_said_by_the_first_that_suffers() {
    let command = protocol_faults::command(Some(ProtocolFault::DepthIgnored));
    let card = examine(&command, &["protocol.multipv", "protocol.info"]);
    assert_eq!(card.count(Verdict::Fail), 1, "{card:?}");
    let told = card.checks.iter().find(|check| check.outcome.verdict == Verdict::Fail).unwrap();
    for other in card.checks.iter().filter(|check| check.id != told.id) {
        assert_eq!(other.outcome.because.as_deref(), Some(told.id.as_str()), "{other:?}");
    }
}

/// An engine that answers every `go` at once with the same move: its search is never under way, and
/// it keeps `searchmoves` only where that move is asked for.
#[cfg(unix)]
#[test]
fn what_cannot_be_judged_is_not_blamed() {
    use std::os::unix::fs::PermissionsExt;
    const HASTY: &str = "#!/bin/sh
while read -r line; do
  case \"$line\" in
    uci) echo 'id name Hasty'; echo uciok ;;
    isready) echo readyok ;;
    go*) echo 'bestmove a2a3' ;;
    quit) exit 0 ;;
  esac
done
";
    let path = std::env::temp_dir().join(format!("dyno-hasty-{}", std::process::id()));
    std::fs::write(&path, HASTY).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let innocent = [
        "protocol.isready-while-searching",
        "protocol.stop",
        "protocol.stop-twice",
        "protocol.castling",
        "legality.perft",
    ];
    let guilty = ["protocol.infinite", "protocol.searchmoves"];
    let card = examine(path.to_str().unwrap(), &[&innocent[..], &guilty[..]].concat());
    std::fs::remove_file(&path).unwrap();
    for id in innocent {
        assert_ne!(verdict(&card, id), Verdict::Fail, "{id}");
    }
    assert_eq!(verdict(&card, "protocol.infinite"), Verdict::Fail);
    assert_eq!(verdict(&card, "protocol.searchmoves"), Verdict::Warn);
}

/// An engine that leaves its answers in a buffer is told so, not that it is silent.
#[test]
fn an_engine_that_does_not_flush_is_told_so() {
    let command = protocol_faults::command(Some(ProtocolFault::NeverFlushes));
    let handshake = std::time::Duration::from_millis(500);
    let settings = Settings { handshake, ..Settings::default() };
    let engine: dyno_driver::EngineSpec = command.parse().unwrap();
    let error = dyno_driver::Engine::start(&engine, &settings).unwrap_err().to_string();
    assert!(error.contains("does not flush its output"), "{error}");
}

/// One cause fails one check; those that suffer from it say because of what.
#[test]
fn one_cause_is_named_once() {
    for (fault, guilty, suffering) in [
        (ProtocolFault::DepthIgnored, "protocol.depth", &["protocol.multipv", "protocol.info"][..]),
        (
            ProtocolFault::ReadyAfterSearch,
            "protocol.isready-while-searching",
            &["protocol.stop", "protocol.stop-twice"],
        ),
        (ProtocolFault::NodesIgnored, "time.nodes", &["protocol.limits", "tactics.mates"]),
        (
            ProtocolFault::KeepsSearchMoves,
            "protocol.searchmoves-once",
            &["protocol.limits", "protocol.castling"],
        ),
    ] {
        let command = protocol_faults::command(Some(fault));
        let card = examine(&command, &[&[guilty][..], suffering].concat());
        for result in &card.checks {
            let is_guilty = result.id == guilty;
            let verdict = result.outcome.verdict;
            assert_eq!(verdict == Verdict::Fail, is_guilty, "{fault:?}: {result:?}");
            if verdict == Verdict::Skip {
                assert_eq!(result.outcome.because.as_deref(), Some(guilty), "{result:?}");
            }
        }
    }
}
