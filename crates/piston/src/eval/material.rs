//! The material, and what the kinds of pieces are worth beside and against each other.

use super::packed::Packed;
use super::sink::{Sink, Sum};
use super::terms::*;
use crate::score::Value;
use dyno_chess::{Color, Position, Role};

/// What follows from the material alone.
#[derive(Clone, Copy, Default)]
pub struct Material {
    /// The key it goes by.
    pub key: u64,
    /// The sum of its terms, White's minus Black's.
    pub score: Packed,
    /// How far from the endgame, from 24 with all pieces on the board down to 0.
    pub phase: Value,
}

impl Material {
    /// Works out the material.
    pub fn summed(pos: &Position) -> Material {
        let mut sum = Sum::default();
        tell(pos, &mut sum);
        Material { key: pos.material_key(), score: sum.total(), phase: phase(pos) }
    }
}

/// How far from the endgame, from 24 with all pieces on the board down to 0.
pub(super) fn phase(pos: &Position) -> Value {
    let count = |role: Role| pos.by_role(role).count() as Value;
    let weight =
        count(Role::Knight) + count(Role::Bishop) + 2 * count(Role::Rook) + 4 * count(Role::Queen);
    weight.min(24)
}

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
                sink.add(us, OWN_IMBALANCE + pair, count * own[lesser]);
                sink.add(us, ENEMY_IMBALANCE + pair, count * enemy[lesser]);
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
