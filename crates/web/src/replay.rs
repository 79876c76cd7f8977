//! Moves as the page draws them: each with its notation, the position after it, and what the
//! engine thought.

use crate::live::{PlyView, SideView};
use dyno_chess::{Color, Position};
use dyno_driver::Score;
use dyno_report::number;
use dyno_tournament::MoveRecord;
use std::time::Duration;

/// Moves of a principal variation that are shown.
const PV_SHOWN: usize = 14;

/// The pieces of a position, as a FEN has them.
pub fn pieces(position: &Position) -> String {
    let fen = position.fen();
    fen.split(' ').next().unwrap_or_default().to_owned()
}

/// Plays a move given in UCI notation; `None` where it is not one.
pub fn play(position: &Position, uci: &str) -> Option<(Position, PlyView)> {
    let mv = position.parse_uci(uci).ok()?;
    let after = position.play(mv);
    let ply = PlyView {
        san: position.san(mv),
        uci: uci.to_owned(),
        board: pieces(&after),
        ..PlyView::default()
    };
    Some((after, ply))
}

/// What an engine said with a move it made in this position.
pub fn thought(before: &Position, record: &MoveRecord) -> SideView {
    let white = white_score(record.score, before.side_to_move());
    SideView {
        name: String::new(),
        clock_ms: record.left.map(|nanos| nanos / 1_000_000),
        score: white.map(score_text).unwrap_or_default(),
        depth: match (record.depth, record.seldepth) {
            (Some(depth), Some(most)) => format!("{depth}/{most}"),
            (Some(depth), None) => depth.to_string(),
            _ => String::new(),
        },
        nps: speed(record).map(|nps| number::compact(nps as f64)).unwrap_or_default(),
        time: number::duration(Duration::from_nanos(record.nanos)),
        pv: line(before, &record.pv),
    }
}

/// The score in White's eyes.
pub fn white_score(score: Option<Score>, mover: Color) -> Option<Score> {
    let turned = |value: i32| if mover == Color::White { value } else { value.saturating_neg() };
    score.map(|score| match score {
        Score::Cp(value) => Score::Cp(turned(value)),
        Score::Mate(moves) => Score::Mate(turned(moves)),
    })
}

/// A number to draw: mates beyond everything else.
pub fn centipawns(score: Score) -> i32 {
    const MATE: i32 = 32_000;
    match score {
        Score::Cp(value) => value.clamp(-30_000, 30_000),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(1000),
        Score::Mate(moves) => -MATE - moves.max(-1000),
    }
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => number::signed(f64::from(value) / 100.0, 2),
        Score::Mate(moves) if moves >= 0 => format!("+M{moves}"),
        Score::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
    }
}

/// Nodes a second: by the engine's own account, or else by the clock.
fn speed(record: &MoveRecord) -> Option<u64> {
    let counted = |nodes: u64| {
        let nanos = u128::from(record.nanos.max(1));
        u64::try_from(u128::from(nodes) * 1_000_000_000 / nanos).ok()
    };
    record.nps.or_else(|| record.nodes.and_then(counted))
}

/// A variation as people write it; what cannot be played is left as the engine wrote it.
fn line(before: &Position, pv: &str) -> String {
    let mut position = *before;
    let mut words = Vec::new();
    for word in pv.split_ascii_whitespace().take(PV_SHOWN) {
        match position.parse_uci(word) {
            Ok(mv) => {
                words.push(position.san(mv));
                position = position.play(mv);
            }
            Err(_) => {
                words.push(word.chars().take(20).collect());
                break;
            }
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn moves_become_what_people_read() {
        let start = Position::startpos();
        let (after, ply) = play(&start, "e2e4").unwrap();
        assert_eq!((ply.san.as_str(), ply.uci.as_str()), ("e4", "e2e4"));
        assert_eq!(ply.board, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        assert!(play(&start, "e2e5").is_none());
        let record = MoveRecord {
            score: Some(Score::Cp(35)),
            depth: Some(12),
            seldepth: Some(20),
            nodes: Some(1_000_000),
            nanos: 500_000_000,
            left: Some(9_500_000_000),
            pv: "e7e5 g1f3 <img".into(),
            ..MoveRecord::default()
        };
        let said = thought(&after, &record);
        assert_eq!((said.score.as_str(), said.depth.as_str()), ("-0.35", "12/20"), "Black's +0.35");
        assert_eq!((said.nps.as_str(), said.clock_ms), ("2M", Some(9_500)));
        assert_eq!(said.pv, "e5 Nf3 <img");
    }

    #[test]
    fn mates_are_drawn_beyond_everything_else() {
        assert_eq!(score_text(Score::Mate(-3)), "-M3");
        assert!(centipawns(Score::Mate(1)) > centipawns(Score::Mate(9)));
        assert!(centipawns(Score::Mate(9)) > centipawns(Score::Cp(i32::MAX)));
        assert!(centipawns(Score::Mate(-1)) < centipawns(Score::Mate(-9)));
    }
}
