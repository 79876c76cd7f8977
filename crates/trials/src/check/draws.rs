//! Draws by the rules of the game: repetition, fifty moves, material that cannot mate. Positions
//! that the rule decides, seen from both sides of the board.

use super::outcome::{Finding, Findings};
use super::positions::mirrored_command;
use super::scores::{cleared, told};
use super::session::Session;
use super::transcript::{Search, asked_position};
use super::{Checked, Stop};
use dyno_uci::Score;

/// What the score of a position has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Draw,
    /// The side to move wins.
    Won,
    /// It wins by mate in one.
    Mate,
}

/// A position decided by a rule.
struct Case {
    what: &'static str,
    position: &'static str,
    truth: Truth,
    cause: &'static str,
}

const fn case(
    what: &'static str,
    position: &'static str,
    truth: Truth,
    cause: &'static str,
) -> Case {
    Case { what, position, truth, cause }
}

/// A rook is worth five pawns, and contempt is never three.
const NEAR_ZERO: i32 = 300;
/// More than any contempt: this is not called a draw, though a network may think little of it.
const CLEARLY_WON: i32 = 80;

const NO_KEYS: &str = "the moves of `position … moves …` are played without keeping the keys of \
                       the positions they pass, or the search does not look them up";

const REPETITIONS: &[Case] = &[
    case(
        "a queen down, Black can bring a position about for the third time",
        "position fen 6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1 \
         moves g1h1 g8f8 h1g1 f8g8 g1h1 g8f8 h1g1",
        Truth::Draw,
        NO_KEYS,
    ),
    case(
        "a rook down, White can bring a position about for the third time",
        "position fen r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1 \
         moves a8b8 g1f1 b8a8 f1g1 a8b8 g1f1 b8a8",
        Truth::Draw,
        NO_KEYS,
    ),
    // What comes again is not where the moves begin, but where the last pawn move has led.
    case(
        "a queen down, Black can bring a later position about for the third time",
        "position fen 6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1 \
         moves a1a2 h7h6 g1h1 g8f8 h1g1 f8g8 g1h1 g8f8 h1g1",
        Truth::Draw,
        NO_KEYS,
    ),
];

const CLOCK_UNREAD: &str = "the half-move clock of the FEN is not read, or the search does not \
                            look at the clock";

const CLOCK_UNCOUNTED: &str = "the clock is not counted on while the moves of `position` are \
                               played, or the search does not look at it";

const FIFTY_MOVES: &[Case] = &[
    // First: it explains the others.
    case(
        "thirty-seven moves without a capture or a pawn move are not fifty, and a queen wins",
        "position fen 8/8/8/4k3/8/8/8/KQ6 w - - 74 90",
        Truth::Won,
        "the half-move clock is compared with 50, not with 100",
    ),
    case(
        "whatever is played, fifty moves are over without a capture or a pawn move",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 99 120",
        Truth::Draw,
        CLOCK_UNREAD,
    ),
    // No position comes twice.
    case(
        "whatever is played, fifty moves are over, all of them given by moves",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 0 1 moves \
         e3e4 e6d7 e4d3 d7c6 e2e5 c6d7 e5c5 d7e7 d3c4 e7f8 c4d4 f8g8 c5b5 g8g7 b5d5 g7f6 d5a5 \
         f6g7 d4c3 g7g8 c3b2 g8h7 b2b1 h7h8 a5e5 h8h7 e5e2 h7g7 b1c1 g7f8 c1c2 f8g8 c2d2 g8g7 \
         e2e8 g7f6 e8c8 f6g7 d2d1 g7f7 d1d2 f7f6 c8e8 f6g7 d2c2 g7h6 e8e1 h6h5 e1d1 h5h6 d1b1 \
         h6g7 b1b5 g7f8 b5h5 f8g7 c2b1 g7g8 h5h1 g8g7 b1a2 g7f8 h1b1 f8g7 b1b5 g7h6 a2a3 h6h7 \
         a3b4 h7g6 b5b7 g6h5 b4c3 h5h6 c3b3 h6g5 b3c3 g5f4 b7b5 f4g3 b5a5 g3h4 c3b3 h4g3 b3b4 \
         g3h4 a5a4 h4h3 b4a3 h3h2 a3b4 h2g1 a4a5 g1g2 a5a1 g2g3 b4a4 g3f2 a4a5",
        Truth::Draw,
        CLOCK_UNCOUNTED,
    ),
    case(
        "a capture begins a new count of fifty moves, and wins a queen",
        "position fen 8/8/4k3/8/q7/4K3/8/Q7 w - - 99 120",
        Truth::Won,
        "the half-move clock is not set to zero by a capture",
    ),
    case(
        "a pawn move begins a new count of fifty moves, and makes a queen",
        "position fen 8/1P6/4k3/8/8/4K3/8/8 w - - 99 120",
        Truth::Won,
        "the half-move clock is not set to zero by a pawn's move",
    ),
    case(
        "a mate counts, even on the last of the fifty moves",
        "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 120",
        Truth::Mate,
        "the fifty-move rule is applied before looking whether the side to move is mated",
    ),
];

const NOT_DEAD: &str = "the test for insufficient material takes what can mate for too little";
const DEAD: &str = "the evaluation counts material without asking whether it can mate";

const MATERIAL: &[Case] = &[
    case(
        "a rook is enough to mate",
        "position fen 8/8/4k3/8/8/4K3/4R3/8 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case(
        "a queen is enough to mate",
        "position fen 8/8/4k3/8/8/4K3/4Q3/8 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case(
        "a passed pawn near its promotion is enough to win",
        "position fen 8/8/1P6/8/5k2/8/8/K7 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case(
        "a bishop and a knight are enough to mate",
        "position fen 8/8/4k3/8/8/4K3/3BN3/8 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case(
        "two bishops are enough to mate",
        "position fen 8/8/4k3/8/8/4K3/3BB3/8 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case(
        "a pawn beside a knight is enough to win",
        "position fen 8/8/4k3/8/8/3PK3/4N3/8 w - - 0 1",
        Truth::Won,
        NOT_DEAD,
    ),
    case("two kings cannot mate", "position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1", Truth::Draw, DEAD),
    case(
        "a lone knight cannot mate",
        "position fen 8/8/4k3/8/8/4K3/4N3/8 w - - 0 1",
        Truth::Draw,
        DEAD,
    ),
    case(
        "a lone bishop cannot mate",
        "position fen 8/8/4k3/8/8/4K3/4B3/8 w - - 0 1",
        Truth::Draw,
        DEAD,
    ),
];

pub(super) fn repetition(session: &mut Session<'_>) -> Checked {
    examine(session, REPETITIONS, "the repetition is seen as a draw")
}

pub(super) fn fifty_moves(session: &mut Session<'_>) -> Checked {
    examine(session, FIFTY_MOVES, "the fifty-move rule is kept, and begins anew where it should")
}

pub(super) fn dead_positions(session: &mut Session<'_>) -> Checked {
    examine(session, MATERIAL, "what can mate and what cannot are told apart")
}

fn examine(session: &mut Session<'_>, cases: &'static [Case], passed: &str) -> Checked {
    let findings = session.findings("positions");
    let depth = session.depth_within(150)?.unwrap_or(4).clamp(3, 8);
    for case in cases {
        for position in [case.position.to_owned(), mirrored_command(case.position)] {
            if session.time_is_up() {
                break;
            }
            judge(session, &findings, case, &position, depth)?;
        }
    }
    Ok(findings.outcome_or_skip(passed, "the engine sends no exact scores"))
}

fn judge(
    session: &mut Session<'_>,
    findings: &Findings,
    case: &'static Case,
    position: &str,
    depth: u32,
) -> Result<(), Stop> {
    let found = cleared(session, position, &format!("go depth {depth}"))?;
    if found.score().is_none() {
        return Ok(());
    }
    findings.judge();
    let Some(seen) = contradiction(case.truth, &found) else { return Ok(()) };
    // A mate that is not told where the clock stands at zero either has nothing to do with draws.
    if case.truth == Truth::Mate {
        let fresh = position.replace(" 99 ", " 0 ");
        let fresh = cleared(session, &fresh, &format!("go depth {depth}"))?;
        if contradiction(case.truth, &fresh).is_some() {
            return Ok(());
        }
    }
    let text = format!("{seen}, but {}", case.what);
    // A minor piece that cannot mate is often counted all the same; a claim would correct it.
    let finding = match case.cause {
        DEAD => Finding::warn(text),
        _ => Finding::fail(text),
    };
    let finding = match asked_position(position) {
        Some(board) => finding.board(&board),
        None => finding,
    };
    findings.push(
        finding
            .expected(match case.truth {
                Truth::Draw => "a score near zero",
                Truth::Won => "a score that says the side to move wins",
                Truth::Mate => "score mate 1",
            })
            .cause(case.cause)
            .root(match case.cause {
                // An engine that knows nothing of fifty moves fails both.
                CLOCK_UNREAD | CLOCK_UNCOUNTED => "draw: fifty moves".to_owned(),
                cause => format!("draw: {cause}"),
            })
            .of(&found, move |search| contradiction(case.truth, search)),
    );
    Ok(())
}

/// What the score says, where that is not the truth.
fn contradiction(truth: Truth, found: &Search) -> Option<String> {
    let score = found.score()?;
    let is_true = match (truth, score) {
        (Truth::Draw, Score::Cp(cp)) => cp.abs() <= NEAR_ZERO,
        (Truth::Draw, Score::Mate(_)) => false,
        (Truth::Won, Score::Cp(cp)) => cp >= CLEARLY_WON,
        // Engines that have no words for mates give them a great score.
        (Truth::Mate, Score::Cp(cp)) => cp >= 5_000,
        // How mates are counted is the business of another check.
        (_, Score::Mate(moves)) => moves >= 0,
    };
    (!is_true).then(|| format!("score {}", told(Some(score))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_chess::Position;

    fn end(case: &Case) -> Position {
        asked_position(case.position).unwrap_or_else(|| panic!("{}", case.position))
    }

    #[test]
    fn the_cases_are_what_they_say() {
        for case in FIFTY_MOVES {
            assert!(matches!(end(case).halfmove_clock(), 74 | 99), "{}", case.what);
        }
        let mates = |p: &Position| p.legal_moves().iter().any(|mv| p.play(*mv).is_checkmate());
        for case in REPETITIONS.iter().chain(FIFTY_MOVES).chain(MATERIAL) {
            let position = end(case);
            assert!(position.has_legal_move(), "{}", case.what);
            assert_eq!(mates(&position), case.truth == Truth::Mate, "{}", case.what);
            let mirrored = asked_position(&mirrored_command(case.position));
            assert!(mirrored.is_some_and(|p| p.mirrored().is_same(&position)), "{}", case.what);
        }
        for case in MATERIAL {
            let dead = end(case).is_insufficient_material();
            assert_eq!(dead, case.truth == Truth::Draw, "{}", case.what);
        }
    }
}
