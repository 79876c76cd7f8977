//! The material, and what the kinds of pieces are worth beside and against each other.

use super::Sink;
use super::terms::*;
use dyno_chess::{Color, Position, Role};

/// The roles that are counted.
const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Tells the material of both sides.
pub(super) fn tell<S: Sink>(pos: &Position, sink: &mut S) {
    let counts = Color::ALL.map(|side| ROLES.map(|role| pos.pieces(side, role).count() as i32));
    for us in Color::ALL {
        let (own, enemy) = (&counts[us.index()], &counts[1 - us.index()]);
        let mut pair = 0;
        for (role, &count) in own.iter().enumerate() {
            sink.add(us, MATERIAL + role, count);
            for lesser in 0..role {
                sink.add(us, BESIDE + pair, count * own[lesser]);
                sink.add(us, AGAINST + pair, count * enemy[lesser]);
                pair += 1;
            }
        }
        for role in [Role::Knight, Role::Rook, Role::Queen] {
            if own[role.index()] > 1 {
                sink.add(us, TWO_OF_A_KIND + role.index(), 1);
            }
        }
    }
}
