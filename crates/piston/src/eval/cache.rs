//! What changes rarely from one position to the next, kept between evaluations.

use super::material::Material;
use super::pawns::Pawns;
use dyno_chess::Position;

/// The pawn structures and the material seen lately.
pub struct Cache {
    pawns: Vec<Pawns>,
    material: Vec<Material>,
}

const PAWNS: usize = 1 << 13;
const MATERIAL: usize = 1 << 11;

impl Default for Cache {
    fn default() -> Self {
        Cache {
            pawns: vec![Pawns::default(); PAWNS],
            material: vec![Material::default(); MATERIAL],
        }
    }
}

impl Cache {
    /// The pawns of the position.
    #[inline]
    pub(super) fn pawns(&mut self, pos: &Position) -> &Pawns {
        let key = Pawns::key(pos);
        let entry = &mut self.pawns[key as usize % PAWNS];
        if entry.key != key {
            *entry = Pawns::summed(pos);
        }
        entry
    }

    /// The material of the position.
    #[inline]
    pub(super) fn material(&mut self, pos: &Position) -> Material {
        let key = pos.material_key();
        let entry = &mut self.material[key as usize % MATERIAL];
        if entry.key != key {
            *entry = Material::summed(pos);
        }
        *entry
    }
}
