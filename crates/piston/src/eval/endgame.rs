//! Endgames that the general terms misjudge: the bare king, and material that does not win.

use super::geometry::distance;
use crate::score::Value;
use dyno_chess::{Bitboard, Color, Position, Role, Square};

const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);
/// Roughly the worth of each role in an endgame.
const WORTH: [Value; 5] = [100, 300, 320, 520, 1000];

fn count(pos: &Position, color: Color, role: Role) -> Value {
    pos.pieces(color, role).count() as Value
}

/// The material of a side other than pawns.
fn force(pos: &Position, color: Color) -> Value {
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| count(pos, color, role) * WORTH[role.index()])
        .sum()
}

/// How far a square is from the centre: 0 to 6, the corners having 6.
fn edge(square: Square) -> Value {
    let off = |index: usize| (3 - index as Value).max(index as Value - 4);
    off(square.file().index()) + off(square.rank().index())
}

/// White's score in an endgame that is known outright: a bare king against mating force.
pub(super) fn known(pos: &Position) -> Option<Value> {
    let bare = Color::ALL.into_iter().find(|&c| !pos.by_color(c).many())?;
    let strong = !bare;
    if pos.pieces(strong, Role::Pawn).any() {
        return None;
    }
    let value = if can_mate(pos, strong) {
        let near = 7 - distance(pos.king(strong), pos.king(bare)) as Value;
        5_000 + force(pos, strong) + 20 * near + 30 * corner(pos, strong, pos.king(bare))
    } else {
        0
    };
    Some(if strong == Color::White { value } else { -value })
}

/// Whether the pieces of a side can force mate against a bare king.
fn can_mate(pos: &Position, strong: Color) -> bool {
    let bishops = pos.pieces(strong, Role::Bishop);
    let pair = (bishops & LIGHT).any() && (bishops - LIGHT).any();
    let knights = count(pos, strong, Role::Knight);
    let heavy = pos.pieces(strong, Role::Queen) | pos.pieces(strong, Role::Rook);
    heavy.any() || pair || (bishops.any() && knights > 0) || knights > 2
}

/// How well the bare king is driven: to any edge, but to the bishop's corner by bishop and knight.
fn corner(pos: &Position, strong: Color, king: Square) -> Value {
    let bishops = pos.pieces(strong, Role::Bishop);
    let heavy = pos.pieces(strong, Role::Queen) | pos.pieces(strong, Role::Rook);
    let one_shade = (bishops & LIGHT).is_empty() || (bishops - LIGHT).is_empty();
    if heavy.any() || bishops.is_empty() || !one_shade {
        return edge(king);
    }
    let corners: [usize; 2] = if (bishops & LIGHT).any() { [7, 56] } else { [0, 63] };
    let nearest = corners.into_iter().map(|c| {
        let corner = Square::from_index(c);
        let files = corner.file().index().abs_diff(king.file().index());
        let ranks = corner.rank().index().abs_diff(king.rank().index());
        (files + ranks) as Value
    });
    edge(king) + 2 * (14 - nearest.min().unwrap_or(0))
}

/// How much of an endgame advantage counts, in 64ths.
#[inline(always)]
pub(super) fn scale(pos: &Position, endgame: Value) -> Value {
    let strong = if endgame > 0 { Color::White } else { Color::Black };
    let weak = !strong;
    let pawns = pos.pieces(strong, Role::Pawn);

    if pawns.is_empty() {
        let ahead = force(pos, strong) - force(pos, weak);
        // Without pawns a minor piece more does not win.
        let alone = force(pos, strong) <= WORTH[Role::Bishop.index()];
        let two_knights = force(pos, strong) == 2 * WORTH[Role::Knight.index()]
            && count(pos, strong, Role::Knight) == 2;
        if alone || two_knights {
            return 0;
        }
        if ahead <= WORTH[Role::Bishop.index()] {
            return 8;
        }
    }
    if is_wrong_bishop(pos, strong) {
        return 0;
    }
    if are_opposite_bishops(pos) {
        let others = pos.by_role(Role::Queen) | pos.by_role(Role::Rook) | pos.by_role(Role::Knight);
        return if others.is_empty() {
            (20 + 6 * pawns.count() as Value).min(44)
        } else {
            (40 + 3 * pawns.count() as Value).min(58)
        };
    }
    // Fewer pawns, fewer chances to win with a small advantage.
    (44 + 5 * pawns.count() as Value).min(64)
}

/// Rook pawns only, a bishop that does not guard their corner, and the weak king in it.
fn is_wrong_bishop(pos: &Position, strong: Color) -> bool {
    let pawns = pos.pieces(strong, Role::Pawn);
    let a_file = Bitboard(0x0101_0101_0101_0101);
    let file = match pawns {
        p if (p - a_file).is_empty() => 0,
        p if (p - Bitboard(a_file.0 << 7)).is_empty() => 7,
        _ => return false,
    };
    let bishops = pos.pieces(strong, Role::Bishop);
    let only_bishops = force(pos, strong) == count(pos, strong, Role::Bishop) * WORTH[2];
    if pawns.is_empty() || !only_bishops || force(pos, !strong) > 0 {
        return false;
    }
    let rank = if strong == Color::White { 7 } else { 0 };
    let corner = Square::from_index(8 * rank + file);
    let shade = if LIGHT.contains(corner) { LIGHT } else { !LIGHT };
    let weak_king = pos.king(!strong);
    (bishops & shade).is_empty() && distance(weak_king, corner) <= 1 && bishops.any()
}

fn are_opposite_bishops(pos: &Position) -> bool {
    let white = pos.pieces(Color::White, Role::Bishop);
    let black = pos.pieces(Color::Black, Role::Bishop);
    white.count() == 1 && black.count() == 1 && (white & LIGHT).any() != (black & LIGHT).any()
}
