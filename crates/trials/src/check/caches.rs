//! Evaluations that are kept: of pawns, of kings, of material. A position is scored alike whatever
//! was evaluated before it; where it is not, an entry was taken for another one's.

use super::Checked;
use super::mix_ups::from_scratch;
use super::needs::Need;
use super::outcome::Finding;
use super::scores::told;
use super::script::Script;
use super::session::Session;
use dyno_uci::Score;

/// A position, and another one that moves lead to, with what a poor key would not tell apart. They
/// are too many moves apart for a search of one ply to connect them.
struct Walk {
    start: &'static str,
    moves: &'static str,
    /// A move that changes nothing of it.
    neutral: &'static str,
    what: &'static str,
}

const KINGS: &str = "pawns and kings are evaluated together, and a king's move does not change \
                     the key";
const TAKEN: &str = "a pawn that is taken, or that moves, stays in the key of the pawns";
const PROMOTED: &str = "a promotion does not change the key of the pawns or of the material";

const WALKS: &[Walk] = &[
    Walk {
        start: "1rq1k3/8/8/8/8/8/5PPP/1RQ3K1 w - - 0 1",
        moves: "g1f1 e8e7 f1e1 e7e8 e1d2 e8e7",
        neutral: "h2h3",
        what: KINGS,
    },
    Walk {
        start: "4k3/8/8/8/8/8/PPP5/1K6 w - - 0 1",
        moves: "b1c1 e8e7 c1d2 e7e8 d2e3 e8e7 e3f4 e7e8",
        neutral: "c2c3",
        what: KINGS,
    },
    Walk {
        start: "4k2r/5bp1/8/3P4/8/8/5BP1/K6R w - - 0 1",
        moves: "a1b2 e8f8 b2c3 f8e7 c3d4 e7f6",
        neutral: "g2g3",
        what: KINGS,
    },
    Walk {
        start: "r3k3/1n4p1/8/8/3p4/8/1N4P1/R3K3 b - - 0 1",
        moves: "e8d7 e1f2 d7d6 f2g3 d6d5 g3h4",
        neutral: "g7g6",
        what: KINGS,
    },
    Walk {
        start: "r3k2r/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPP2PPP/R3K2R w KQkq - 0 1",
        moves: "e1g1 e8c8 a1e1 h8e8",
        neutral: "e1d1",
        what: KINGS,
    },
    Walk {
        start: "2r2rk1/pp3ppp/2n1b3/8/3P4/2N1B3/PP3PPP/2R2RK1 b - - 0 1",
        moves: "c6d4 e3d4 e6a2 c3a2 c8c1 a2c1",
        neutral: "f8e8",
        what: TAKEN,
    },
    Walk {
        start: "6k1/5ppp/8/pp6/PP6/8/5PPP/3R2K1 w - - 0 1",
        moves: "a4b5 g8f8 b4a5 f8e7 d1d3 e7e6",
        neutral: "h2h3",
        what: TAKEN,
    },
    Walk {
        start: "8/1P4kp/6p1/8/8/6P1/1p4KP/8 w - - 0 1",
        moves: "b7b8q b2b1q b8c7 g7h6",
        neutral: "c7d6",
        what: PROMOTED,
    },
];

/// What corrections learnt by a search of one ply may add, in centipawns.
const LEARNT: i32 = 24;

/// Both scores, where they are too far apart.
fn stale(cold: Option<Score>, warm: Option<Score>) -> Option<String> {
    let (Some(Score::Cp(a)), Some(Score::Cp(b))) = (cold, warm) else { return None };
    let differs = (a - b).abs() > LEARNT.max(a.abs() / 20);
    differs.then(|| format!("{}, but {} when nothing was evaluated before", told(warm), told(cold)))
}

pub(super) fn caches(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let can_ask = session.broken(Need::SearchMoves)?.is_none();
    let first = "go depth 1";
    // What is kept is not always cleared by `ucinewgame`: one process sees the ends alone.
    let (mut fresh, mut used) = (session.fresh()?, session.fresh()?);
    let mut wrong = Vec::new();
    for walk in WALKS {
        if session.time_is_up() {
            break;
        }
        let start = format!("position fen {}", walk.start);
        let end = format!("{start} moves {}", walk.moves);
        let go = match can_ask {
            true => format!("{first} searchmoves {}", walk.neutral),
            false => first.to_owned(),
        };
        let cold = from_scratch(&mut fresh, &[(&end, &go)])?.score();
        let warm = from_scratch(&mut used, &[(&start, first), (&end, &go)])?.score();
        if cold.is_none() || warm.is_none() {
            continue;
        }
        findings.judge();
        let Some(seen) = stale(cold, warm) else { continue };
        wrong.push((walk, seen, cold, Script::new().search(&start, first).search(&end, &go)));
    }
    fresh.into_engine().kill();
    used.into_engine().kill();
    // One may be chance: a sound engine may have learnt more from a search than others do.
    let is_sure = wrong.len() > 1;
    for (walk, seen, cold, script) in wrong {
        let text = format!("{seen}: {} moves {}", walk.start, walk.moves);
        let finding = if is_sure { Finding::fail(text) } else { Finding::warn(text) };
        findings.push(
            finding
                .expected("one score, whatever was evaluated before")
                .cause(format!("an evaluation is kept for too long: {}", walk.what))
                .root("stale evaluations")
                .shown_by(script, move |replay| stale(cold, replay.last_search()?.score())),
        );
    }
    Ok(findings.outcome_or_skip("scored alike, whatever came before", "the engine tells no scores"))
}

#[cfg(test)]
mod tests {
    use super::super::transcript::asked_position;
    use super::*;

    #[test]
    fn every_walk_can_be_played() {
        for Walk { start, moves, neutral, .. } in WALKS {
            let text = format!("position fen {start} moves {moves} {neutral}");
            assert!(asked_position(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_learnt_is_not_stale() {
        let cp = |a| Some(Score::Cp(a));
        assert_eq!(stale(cp(10), cp(30)), None);
        assert!(stale(cp(254), cp(287)).is_some());
        assert_eq!(stale(cp(2000), cp(2080)), None);
        assert_eq!(stale(cp(1), None), None);
    }
}
