//! Colour symmetry by one move alone. Where nothing can be taken and no check given after it, a
//! search of depth 1 that is held to one move by `searchmoves` is the evaluation one move later,
//! whatever the order of moves: every difference is one of the evaluation.

use super::Stop;
use super::mirror::{ROUNDING, first_score};
use super::outcome::{Finding, Findings};
use super::scores::cleared;
use super::script::Script;
use super::session::Session;
use dyno_chess::{Move, Position, SplitMix64};

/// Fewer may be chance.
const SURE: usize = 3;
/// Beyond this a difference is not a matter of rounding its parts, in centipawns.
const GRAVE: f64 = 5.0;

/// A position and a move after which nothing can be taken.
#[derive(Clone, Debug)]
struct Calm {
    position: Position,
    word: String,
}

/// What evaluations have terms for, several of a kind; the king steps aside.
const FEATURES: &[&str] = &[
    // Outposts, by rank.
    "6k1/pp3ppp/3N4/4P3/8/8/PP3PPP/6K1 w - - 0 1",
    "6k1/pp3ppp/8/3N4/4P3/8/PP3PPP/6K1 w - - 0 1",
    "6k1/pp3ppp/8/8/3N4/4P3/PP3PPP/6K1 w - - 0 1",
    "r5k1/pp3ppp/8/4N3/3P4/8/PP3PPP/R5K1 w - - 0 1",
    "6k1/pp3ppp/8/3B4/4P3/8/PP3PPP/6K1 w - - 0 1",
    "6k1/pp3ppp/3B4/4P3/8/8/PP3PPP/6K1 w - - 0 1",
    "r5k1/pp3ppp/8/4B3/3P4/8/PP3PPP/R5K1 w - - 0 1",
    // Passed pawns, by rank.
    "6k1/5ppp/8/8/8/3P4/5PPP/6K1 w - - 0 1",
    "6k1/5ppp/8/8/3P4/8/5PPP/6K1 w - - 0 1",
    "6k1/5ppp/8/3P4/8/8/5PPP/6K1 w - - 0 1",
    "6k1/5ppp/3P4/8/8/8/5PPP/6K1 w - - 0 1",
    "r5k1/5ppp/8/1PP5/8/8/5PPP/3R2K1 w - - 0 1",
    // Isolated, doubled, backward and connected pawns.
    "6k1/p1p2ppp/8/8/8/2P5/2P2PPP/6K1 w - - 0 1",
    "6k1/pp3ppp/8/8/P1P5/8/5PPP/6K1 w - - 0 1",
    "6k1/ppp2ppp/8/8/2P5/1P1P4/5PPP/6K1 w - - 0 1",
    "6k1/p2p1ppp/8/8/1PP5/8/5PPP/6K1 w - - 0 1",
    // Rooks on open files and on the seventh rank.
    "6k1/pp1R1ppp/8/8/8/8/PP3PPP/6K1 w - - 0 1",
    "r5k1/p4ppp/8/8/8/8/P4PPP/3R2K1 w - - 0 1",
    "r5k1/pp4pp/8/8/8/8/PP4PP/5RK1 w - - 0 1",
    "6k1/3R1ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1",
    // A pair of bishops, and kings with and without their pawns.
    "6k1/pp3ppp/8/8/8/8/PPBB1PPP/6K1 w - - 0 1",
    "rq4k1/pp3p1p/3p2p1/8/8/8/PP3PPP/R2Q2K1 w - - 0 1",
    "rq4k1/pp3ppp/3p4/8/8/6P1/PP3P1P/R2Q2K1 w - - 0 1",
    "rq4k1/pp3pp1/3p3p/8/8/8/PP4PP/R2Q2K1 w - - 0 1",
];

/// What to send: the position and its search, and the same with colours exchanged.
type Question = [(String, String); 2];

impl Calm {
    fn questions(&self) -> Question {
        let ask = |position: &Position, word: &str| {
            (format!("position fen {}", position.fen()), format!("go depth 1 searchmoves {word}"))
        };
        [ask(&self.position, &self.word), ask(&self.position.mirrored(), &turned_over(&self.word))]
    }
}

/// A move as the other colour makes it.
fn turned_over(word: &str) -> String {
    word.chars()
        .map(|c| match c.to_digit(10) {
            Some(rank @ 1..=8) => char::from_digit(9 - rank, 10).unwrap_or(c),
            _ => c,
        })
        .collect()
}

/// Compares scores of both colours, and says whether there was anything to tell. An engine with a
/// network may see colours otherwise, and is not asked.
pub(super) fn by_one_move(session: &mut Session<'_>, findings: &Findings) -> Result<bool, Stop> {
    let count = session.profile().choose(120, 400, 1500);
    let half = session.left() / 2;
    let mut wrong: Vec<(Calm, f64, f64)> = Vec::new();
    for calm in features().chain(calm_positions(count, session.plan.seed)) {
        if session.left() < half {
            break;
        }
        let Some((a, b)) = scores(session, &calm)? else { continue };
        findings.judge();
        // What does not repeat is not the evaluation.
        if (a - b).abs() > ROUNDING && scores(session, &calm)? == Some((a, b)) {
            wrong.push((calm, a, b));
        }
    }
    wrong.sort_by(|(_, a, b), (_, c, d)| (c - d).abs().total_cmp(&(a - b).abs()));
    let Some((calm, a, b)) = wrong.first().filter(|_| wrong.len() >= SURE) else {
        return Ok(false);
    };
    let text = format!(
        "{a:.0} centipawns after {}, and {b:.0} with colours exchanged: {} positions differ",
        calm.word,
        wrong.len()
    );
    let finding = if (a - b).abs() > GRAVE { Finding::fail(text) } else { Finding::warn(text) };
    let [one, other] = calm.questions();
    let script = Script::of_search(&one.0, &one.1).new_game().search(&other.0, &other.1);
    findings.push(
        finding
            .expected("the same number for the side to move")
            .cause(
                "a table of squares or ranks that is not mirrored for Black, a term counted for \
                 one colour only, or a sign lost",
            )
            .board(&calm.position)
            .evidence(wrong.iter().map(|(calm, a, b)| {
                format!("{} {}: {a:.0}, exchanged {b:.0}", calm.position.fen(), calm.word)
            }))
            .root("asymmetric evaluation")
            .shown_by(script, |replay| {
                let searches = replay.searches();
                let (a, b) = (first_score(searches.first()?)?, first_score(searches.get(1)?)?);
                ((a - b).abs() > ROUNDING).then(|| format!("{a:.0}, exchanged {b:.0}"))
            }),
    );
    Ok(true)
}

fn scores(session: &mut Session<'_>, calm: &Calm) -> Result<Option<(f64, f64)>, Stop> {
    let mut scores = [None; 2];
    for (score, (position, go)) in scores.iter_mut().zip(calm.questions()) {
        *score = first_score(&cleared(session, &position, &go)?);
    }
    Ok(scores[0].zip(scores[1]))
}

fn features() -> impl Iterator<Item = Calm> {
    let positions = FEATURES.iter().filter_map(|fen| Position::from_fen(fen).ok());
    positions.map(|position| Calm { position, word: "g1h1".to_owned() })
}

/// Positions with many pieces and pawns, each with such a move; the same for the same seed.
fn calm_positions(count: usize, seed: u64) -> impl Iterator<Item = Calm> {
    let mut random = SplitMix64::new(seed ^ 0x6361_6c6d);
    let found = std::iter::repeat_with(move || calm(&mut random)).take(400 * count).flatten();
    found.take(count)
}

fn calm(random: &mut SplitMix64) -> Option<Calm> {
    let position = crowded(random)?;
    if position.is_check() {
        return None;
    }
    let moves = position.legal_moves();
    let start = random.below(moves.len().max(1));
    let mv =
        moves.iter().cycle().skip(start).take(moves.len()).find(|mv| is_calm(&position, **mv))?;
    Some(Calm { word: position.uci(*mv), position })
}

/// Whether a move takes nothing, gives no check and leaves nothing to take and no check to give:
/// many look at checks before they evaluate, and what they find depends on the order of the moves.
fn is_calm(position: &Position, mv: Move) -> bool {
    let takes = |position: &Position, mv: Move| position.is_capture(mv) || mv.promotion().is_some();
    let next = position.play(mv);
    let replies = next.legal_moves();
    !takes(position, mv)
        && !next.is_check()
        && !replies.is_empty()
        && !replies.iter().any(|reply| takes(&next, *reply) || next.play(*reply).is_check())
}

/// Kings, two to four pieces and two to six pawns a side, wherever they fall.
fn crowded(random: &mut SplitMix64) -> Option<Position> {
    let mut letters = vec!['K', 'k'];
    for (kinds, count) in
        [(["N", "B", "R", "Q"].concat(), 2 + random.below(3)), ("P".into(), 2 + random.below(5))]
    {
        let kinds: Vec<char> = kinds.chars().collect();
        for _ in 0..count {
            letters.push(kinds[random.below(kinds.len())]);
            letters.push(kinds[random.below(kinds.len())].to_ascii_lowercase());
        }
    }
    super::mirror::scattered(random, &letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_turned_over() {
        assert_eq!(turned_over("g1f3"), "g8f6");
        assert_eq!(turned_over("a4a5"), "a5a4");
    }

    #[test]
    fn nothing_can_be_taken_afterwards() {
        let found: Vec<Calm> = features().chain(calm_positions(120, 1)).collect();
        assert_eq!(found.len(), FEATURES.len() + 120);
        for calm in found {
            let mv = calm.position.parse_uci(&calm.word);
            assert!(mv.is_ok_and(|mv| is_calm(&calm.position, mv)), "{calm:?}");
            let mirrored = calm.position.mirrored();
            assert!(mirrored.parse_uci(&turned_over(&calm.word)).is_ok(), "{calm:?}");
        }
    }
}
