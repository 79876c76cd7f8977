//! Why a move list is wrong: names the kind of a move that a generator forgot or invented.
//!
//! A difference in perft counts ends at one position and a few moves; what helps the author is
//! the rule that was broken.

use crate::make::castling_targets;
use crate::{Bitboard, Color, File, Move, Position, Rank, Role, Square, attacks};
use std::fmt;

/// What kind of move a legal one is that was not generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Missing {
    EnPassantEvasion,
    EnPassant,
    CastlingRookAttacked,
    Castling960,
    CastlingKingside,
    CastlingQueenside,
    Underpromotion,
    PromotionCapture,
    Promotion,
    CapturesChecker,
    BlocksCheck,
    KingEvasion,
    PinnedAlongLine,
    KingMove,
    DoubleStep,
    PawnCapture,
    Capture,
    Quiet,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::EnPassantEvasion => "an en-passant capture that answers a check is forgotten",
            Missing::EnPassant => "an en-passant capture is forgotten",
            Missing::CastlingRookAttacked => {
                "castling is forgotten though only the rook, not the king, crosses an attacked square"
            }
            Missing::Castling960 => "a Chess960 castling move is forgotten",
            Missing::CastlingKingside => "castling on the king's side is forgotten",
            Missing::CastlingQueenside => "castling on the queen's side is forgotten",
            Missing::Underpromotion => "a promotion to a piece other than the queen is forgotten",
            Missing::PromotionCapture => "a promotion by capture is forgotten",
            Missing::Promotion => "a promotion is forgotten",
            Missing::CapturesChecker => "a capture of the checking piece is forgotten",
            Missing::BlocksCheck => "a move that blocks a check is forgotten",
            Missing::KingEvasion => "a king's escape from check is forgotten",
            Missing::PinnedAlongLine => "a pinned piece's move along the line of the pin is forgotten",
            Missing::KingMove => "a king's move is forgotten",
            Missing::DoubleStep => "a pawn's double step is forgotten",
            Missing::PawnCapture => "a pawn's capture is forgotten",
            Missing::Capture => "a capture is forgotten",
            Missing::Quiet => "an ordinary move is forgotten",
        })
    }
}

/// What is wrong with a move that was generated but is not legal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Surplus {
    NotAMove,
    EmptySquare,
    EnemyPiece,
    WrapsAround,
    TakesOwnPiece,
    JumpsOverPiece,
    PawnDoubleStepOverPiece,
    PawnDoubleStepFromWrongRank,
    PawnPushesIntoPiece,
    PawnTakesNothing,
    EnPassantNotPossible,
    PromotionMissing,
    PromotionToWrongPiece,
    PromotionBeforeLastRank,
    WrongGeometry { role: Role },
    EnPassantExposesKing,
    PinnedPieceMoves { role: Role },
    DoubleCheckNotByKing,
    CheckNotAnswered,
    KingBackAlongLine,
    KingIntoAttack,
    KingsAdjacent,
    CastlingRightAfterRookTaken,
    CastlingRightAfterRookMoved,
    CastlingRightAfterKingMoved,
    CastlingWithoutRight,
    CastlingOutOfCheck,
    CastlingThroughAttack,
    CastlingIntoCheck,
    CastlingThroughPiece,
    CastlingPinnedRook,
    Duplicate,
}

impl fmt::Display for Surplus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Surplus::*;
        f.write_str(match self {
            NotAMove => "the text is not a move",
            EmptySquare => "no piece stands on the square it leaves",
            EnemyPiece => "it moves a piece of the other side",
            WrapsAround => "it wraps around the edge of the board",
            TakesOwnPiece => "it takes a piece of its own side",
            JumpsOverPiece => "a sliding piece jumps over another",
            PawnDoubleStepOverPiece => "a pawn's double step jumps over a piece",
            PawnDoubleStepFromWrongRank => "a pawn's double step does not start on its home rank",
            PawnPushesIntoPiece => "a pawn's push takes the piece before it",
            PawnTakesNothing => "a pawn moves diagonally though there is nothing to take",
            EnPassantNotPossible => "en passant though the last move was no double step beside it",
            PromotionMissing => "a pawn reaches the last rank without promoting",
            PromotionToWrongPiece => "a promotion to a king or a pawn",
            PromotionBeforeLastRank => "a promotion before the last rank",
            WrongGeometry { role } => return write!(f, "a {role} does not move like that"),
            EnPassantExposesKing => "en passant exposes the king: both pawns leave its line",
            PinnedPieceMoves { role } => return write!(f, "a pinned {role} leaves its line"),
            DoubleCheckNotByKing => "a double check is answered by a piece other than the king",
            CheckNotAnswered => "the king stays in check",
            KingBackAlongLine => "the king steps back along the line of the piece that checks it",
            KingIntoAttack => "the king moves to an attacked square",
            KingsAdjacent => "the king moves next to the other king",
            CastlingRightAfterRookTaken => "a castling right is kept after the rook was captured",
            CastlingRightAfterRookMoved => "a castling right is kept after the rook moved",
            CastlingRightAfterKingMoved => "a castling right is kept after the king moved",
            CastlingWithoutRight => "castling without the right to castle",
            CastlingOutOfCheck => "castling out of check",
            CastlingThroughAttack => "castling through an attacked square",
            CastlingIntoCheck => "castling into check",
            CastlingThroughPiece => "castling through a piece",
            CastlingPinnedRook => "castling with a rook that shields the king on its rank",
            Duplicate => "the same move is generated twice",
        })
    }
}

/// Names the kind of a legal move that was not generated.
pub fn missing(position: &Position, mv: Move) -> Missing {
    let us = position.side_to_move();
    let role = position.role_at(mv.from()).unwrap_or(Role::Pawn);
    if mv.is_en_passant() {
        return if position.is_check() { Missing::EnPassantEvasion } else { Missing::EnPassant };
    }
    if mv.is_castling() {
        return missing_castling(position, mv);
    }
    match mv.promotion() {
        Some(Role::Queen) if position.is_capture(mv) => return Missing::PromotionCapture,
        Some(Role::Queen) => return Missing::Promotion,
        Some(_) => return Missing::Underpromotion,
        None => {}
    }
    if role == Role::King {
        return if position.is_check() { Missing::KingEvasion } else { Missing::KingMove };
    }
    if position.checkers().contains(mv.to()) {
        return Missing::CapturesChecker;
    }
    if position.is_check() {
        return Missing::BlocksCheck;
    }
    if pinner(position, us, mv.from()).is_some() {
        return Missing::PinnedAlongLine;
    }
    match role {
        Role::Pawn if position.is_capture(mv) => Missing::PawnCapture,
        Role::Pawn if mv.from().index().abs_diff(mv.to().index()) == 16 => Missing::DoubleStep,
        _ if position.is_capture(mv) => Missing::Capture,
        _ => Missing::Quiet,
    }
}

fn missing_castling(position: &Position, mv: Move) -> Missing {
    let (king, rook) = (mv.from(), mv.to());
    let (_, rook_to) = castling_targets(king, rook);
    let enemy = !position.side_to_move();
    let rook_path = attacks::between(rook, rook_to) | rook.into();
    if king.file() != File::E || !matches!(rook.file(), File::A | File::H) {
        Missing::Castling960
    } else if rook_path.into_iter().any(|square| position.is_attacked(square, enemy)) {
        Missing::CastlingRookAttacked
    } else if rook > king {
        Missing::CastlingKingside
    } else {
        Missing::CastlingQueenside
    }
}

/// Names what is wrong with a move that is not legal here. The moves that led here, each with the
/// position it was played in, tell why a castling right should be gone; they may be left out.
pub fn surplus(position: &Position, text: &str, past: &[(Position, Move)]) -> Surplus {
    let Some((from, to, promotion)) = squares(text) else { return Surplus::NotAMove };
    let us = position.side_to_move();
    let Some(piece) = position.piece_at(from) else { return Surplus::EmptySquare };
    if piece.color != us {
        return Surplus::EnemyPiece;
    }
    if piece.role == Role::King && is_castling_like(position, from, to) {
        return wrong_castling(position, from, to, past);
    }
    if position.by_color(us).contains(to) {
        return Surplus::TakesOwnPiece;
    }
    if piece.role == Role::Pawn {
        match wrong_pawn(position, from, to, promotion) {
            // The square was crossed by an earlier double step.
            Some(Surplus::PawnTakesNothing)
                if past.iter().any(|(before, _)| before.ep_square() == Some(to)) =>
            {
                return Surplus::EnPassantNotPossible;
            }
            Some(wrong) => return wrong,
            None => {}
        }
    } else if promotion.is_some() {
        return Surplus::PromotionToWrongPiece;
    } else if !attacks::of(piece.role, us, from, position.occupied()).contains(to) {
        return wrong_geometry(piece.role, from, to);
    }
    leaves_king_in_check(position, from, to, piece.role)
}

/// The squares of a text, and the letter after them if there is one.
fn squares(text: &str) -> Option<(Square, Square, Option<char>)> {
    let text = text.trim();
    let from = text.get(..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    Some((from, to, text.chars().nth(4)))
}

fn is_castling_like(position: &Position, from: Square, to: Square) -> bool {
    let us = position.side_to_move();
    let own_rook = position.pieces(us, Role::Rook).contains(to);
    let far = from.index().abs_diff(to.index()) > 1;
    from.rank() == Rank::First.relative_to(us) && to.rank() == from.rank() && (own_rook || far)
}

fn wrong_castling(
    position: &Position,
    king: Square,
    to: Square,
    past: &[(Position, Move)],
) -> Surplus {
    let us = position.side_to_move();
    let kingside = to > king;
    let home = Bitboard::rank(Rank::First.relative_to(us)) & position.by_color(us);
    let rights = position.castling_rooks() & home;
    let Some(rook) = rights.into_iter().find(|rook| (*rook > king) == kingside) else {
        return lost_right(us, kingside, past);
    };
    if position.is_check() {
        return Surplus::CastlingOutOfCheck;
    }
    let (king_to, rook_to) = castling_targets(king, rook);
    let others = position.occupied() - king.into() - rook.into();
    let king_path = attacks::between(king, king_to) | king_to.into();
    let rook_path = attacks::between(rook, rook_to) | rook_to.into();
    if ((king_path | rook_path) & others).any() {
        return Surplus::CastlingThroughPiece;
    }
    let attacked = position.attacked_by(!us, position.occupied() - king.into());
    if (attacks::between(king, king_to) & attacked).any() {
        Surplus::CastlingThroughAttack
    } else if attacked.contains(king_to) {
        Surplus::CastlingIntoCheck
    } else {
        Surplus::CastlingPinnedRook
    }
}

/// Which move took the castling right away.
fn lost_right(us: Color, kingside: bool, past: &[(Position, Move)]) -> Surplus {
    let wing = if kingside { crate::Wing::King } else { crate::Wing::Queen };
    for (before, mv) in past.iter().rev() {
        let Some(rook) = before.castling_rook(us, wing) else { continue };
        // The last position that still had the right: its move is the reason.
        return if mv.to() == rook && before.side_to_move() != us {
            Surplus::CastlingRightAfterRookTaken
        } else if mv.from() == rook {
            Surplus::CastlingRightAfterRookMoved
        } else {
            Surplus::CastlingRightAfterKingMoved
        };
    }
    Surplus::CastlingWithoutRight
}

fn wrong_pawn(
    position: &Position,
    from: Square,
    to: Square,
    promotion: Option<char>,
) -> Option<Surplus> {
    let us = position.side_to_move();
    let last = to.rank() == Rank::Eighth.relative_to(us);
    let straight = from.file() == to.file();
    let (ranks, files) = (
        from.rank().index().abs_diff(to.rank().index()),
        from.file().index().abs_diff(to.file().index()),
    );
    let ahead = if us == Color::White { to > from } else { to < from };
    let occupied = position.occupied();
    let wrong = if !ahead || ranks > 2 || files > 1 || (ranks == 2 && files > 0) {
        if files >= 6 { Surplus::WrapsAround } else { Surplus::WrongGeometry { role: Role::Pawn } }
    } else if straight && ranks == 2 && from.rank() != Rank::Second.relative_to(us) {
        Surplus::PawnDoubleStepFromWrongRank
    } else if straight && occupied.contains(to) {
        Surplus::PawnPushesIntoPiece
    } else if straight && ranks == 2 && (attacks::between(from, to) & occupied).any() {
        Surplus::PawnDoubleStepOverPiece
    } else if !straight && !occupied.contains(to) && position.ep_square() != Some(to) {
        let neighbour = Square::new(to.file(), from.rank());
        if position.pieces(!us, Role::Pawn).contains(neighbour)
            && from.rank() == Rank::Fifth.relative_to(us)
        {
            Surplus::EnPassantNotPossible
        } else {
            Surplus::PawnTakesNothing
        }
    } else if last && promotion.is_none() {
        Surplus::PromotionMissing
    } else if last && promotion.is_some_and(|c| matches!(c.to_ascii_lowercase(), 'k' | 'p')) {
        Surplus::PromotionToWrongPiece
    } else if !last && promotion.is_some() {
        Surplus::PromotionBeforeLastRank
    } else {
        return None;
    };
    Some(wrong)
}

fn wrong_geometry(role: Role, from: Square, to: Square) -> Surplus {
    let files = from.file().index().abs_diff(to.file().index());
    let on_empty_board = attacks::of(role, Color::White, from, Bitboard::EMPTY);
    if on_empty_board.contains(to) {
        Surplus::JumpsOverPiece
    } else if matches!(role, Role::Knight | Role::King) && files >= 6 {
        Surplus::WrapsAround
    } else {
        Surplus::WrongGeometry { role }
    }
}

fn leaves_king_in_check(position: &Position, from: Square, to: Square, role: Role) -> Surplus {
    let us = position.side_to_move();
    if role == Role::King {
        let enemy = position.by_color(!us);
        let behind = position.occupied() - from.into();
        let on_line = (position.attackers_to(to, behind) & position.checkers()).any();
        return if attacks::king(to).contains(position.king(!us)) {
            Surplus::KingsAdjacent
        } else if on_line && (position.attackers_to(to, position.occupied()) & enemy).is_empty() {
            Surplus::KingBackAlongLine
        } else {
            Surplus::KingIntoAttack
        };
    }
    if role == Role::Pawn && from.file() != to.file() && !position.occupied().contains(to) {
        return Surplus::EnPassantExposesKing;
    }
    if position.checkers().many() {
        Surplus::DoubleCheckNotByKing
    } else if pinner(position, us, from).is_some() {
        Surplus::PinnedPieceMoves { role }
    } else {
        Surplus::CheckNotAnswered
    }
}

/// The piece that pins the one on a square to its king.
fn pinner(position: &Position, us: Color, square: Square) -> Option<Square> {
    let king = position.king(us);
    let without = position.occupied() - square.into();
    let sliders = position.by_color(!us)
        - position.by_role(Role::Pawn)
        - position.by_role(Role::Knight)
        - position.by_role(Role::King);
    (position.attackers_to(king, without) & (sliders - position.checkers()))
        .into_iter()
        .find(|slider| attacks::between(king, *slider).contains(square))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn surplus_of(fen: &str, text: &str) -> Surplus {
        let position = Position::from_fen(fen).unwrap();
        assert!(position.parse_uci(text).is_err(), "{text} is legal in {fen}");
        surplus(&position, text, &[])
    }

    #[test]
    fn surplus_moves_are_named() {
        use Surplus::*;
        let cases = [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "xx", NotAMove),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "a2a3", EmptySquare),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e8d8", EnemyPiece),
            ("4k3/8/8/8/8/8/7N/4K3 w - - 0 1", "h2a4", WrapsAround),
            ("4k3/8/8/8/8/7P/8/4K3 w - - 0 1", "h3a4", WrapsAround),
            ("3k4/8/8/8/8/8/4R3/4K3 w - - 0 1", "e1e2", TakesOwnPiece),
            ("4k3/8/8/8/8/4P3/4R3/4K3 w - - 0 1", "e2e5", JumpsOverPiece),
            ("4k3/8/8/8/4p3/4p3/4P3/4K3 w - - 0 1", "e2e3", PawnPushesIntoPiece),
            ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4", PawnDoubleStepOverPiece),
            ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", PawnDoubleStepFromWrongRank),
            ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3d4", PawnTakesNothing),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", EnPassantNotPossible),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", PromotionMissing),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", PromotionToWrongPiece),
            ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "a6a7q", PromotionBeforeLastRank),
            ("4k3/8/8/8/8/8/N7/4K3 w - - 0 1", "a2a3", WrongGeometry { role: Role::Knight }),
            ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5d6", EnPassantExposesKing),
            ("4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1", "e2d3", PinnedPieceMoves { role: Role::Bishop }),
            ("4k3/8/8/8/4r3/5n2/8/R3K3 w - - 0 1", "a1a2", DoubleCheckNotByKing),
            ("4k3/8/8/8/4r3/8/8/R3K3 w - - 0 1", "a1a2", CheckNotAnswered),
            ("4k3/8/8/8/4r3/8/4K3/8 w - - 0 1", "e2e1", KingBackAlongLine),
            ("4k3/8/8/8/8/8/3r4/5K2 w - - 0 1", "f1f2", KingIntoAttack),
            ("8/8/8/4k3/8/4K3/8/8 w - - 0 1", "e3e4", KingsAdjacent),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", CastlingWithoutRight),
            ("4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", "e1g1", CastlingOutOfCheck),
            ("4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", "e1g1", CastlingThroughAttack),
            ("4k3/8/8/8/6r1/8/8/4K2R w K - 0 1", "e1g1", CastlingIntoCheck),
            ("4k3/8/8/8/8/8/8/4K1NR w K - 0 1", "e1g1", CastlingThroughPiece),
            ("4k3/8/8/8/8/8/8/qR1K4 w B - 0 1", "d1b1", CastlingPinnedRook),
        ];
        for (fen, text, expected) in cases {
            assert_eq!(surplus_of(fen, text), expected, "{text} in {fen}");
        }
    }

    #[test]
    fn lost_castling_rights_are_explained_by_the_past() {
        let cases = [
            (
                "4k3/8/8/8/8/8/6b1/R3K2R b KQ - 0 1",
                "g2h1 e1e2 e8d8",
                "",
                Surplus::CastlingRightAfterRookTaken,
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "h1h2 e8d8 h2h1 d8e8",
                "e1g1",
                Surplus::CastlingRightAfterRookMoved,
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1e2 e8d8 e2e1 d8e8",
                "e1g1",
                Surplus::CastlingRightAfterKingMoved,
            ),
        ];
        for (fen, line, text, expected) in cases {
            let mut position = Position::from_fen(fen).unwrap();
            let mut past = Vec::new();
            for word in line.split(' ').take(if text.is_empty() { 1 } else { 9 }) {
                let mv = position.parse_uci(word).unwrap();
                past.push((position, mv));
                position = position.play(mv);
            }
            let text = if text.is_empty() { "e1g1" } else { text };
            assert_eq!(surplus(&position, text, &past), expected, "{line}");
        }
    }

    #[test]
    fn missing_moves_are_named() {
        use Missing::*;
        let cases = [
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", EnPassant),
            ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", EnPassantEvasion),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", CastlingKingside),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", CastlingQueenside),
            ("4k3/8/8/8/1r6/8/8/R3K3 w Q - 0 1", "e1c1", CastlingRookAttacked),
            ("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "e1b1", Castling960),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", Underpromotion),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", PromotionCapture),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", Promotion),
            ("4k3/8/8/8/R3r3/8/8/4K3 w - - 0 1", "a4e4", CapturesChecker),
            ("4k3/8/8/8/4r3/8/R7/4K3 w - - 0 1", "a2e2", BlocksCheck),
            ("4k3/8/8/8/4r3/8/R7/4K3 w - - 0 1", "e1d1", KingEvasion),
            ("4k3/8/8/8/4r3/8/4R3/4K3 w - - 0 1", "e2e3", PinnedAlongLine),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1d1", KingMove),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a4", DoubleStep),
            ("4k3/8/8/8/8/1p6/P7/4K3 w - - 0 1", "a2b3", PawnCapture),
            ("4k3/8/8/8/8/1p6/8/1R2K3 w - - 0 1", "b1b3", Capture),
            ("4k3/8/8/8/8/1p6/8/1R2K3 w - - 0 1", "b1b2", Quiet),
        ];
        for (fen, text, expected) in cases {
            let position = Position::from_fen(fen).unwrap();
            let mv = position.parse_uci(text).unwrap();
            assert_eq!(missing(&position, mv), expected, "{text} in {fen}");
        }
    }
}
