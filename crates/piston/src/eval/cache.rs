//! What changes rarely from one position to the next, kept between evaluations.

use super::king_bucket::KingBucket;
use super::material::Material;
use super::pawns::Pawns;
use crate::score::Value;
use dyno_chess::{Position, memory};

/// The pawn structures and the material seen lately.
pub struct Cache {
    pawns: Vec<Pawns>,
    material: Vec<Material>,
    /// Whether the processor counts squares by itself.
    counts: bool,
}

/// Asks whether the processor counts squares by itself.
fn can_count() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

const PAWNS: usize = 1 << 13;
const MATERIAL: usize = 1 << 11;

impl Default for Cache {
    fn default() -> Self {
        Cache {
            pawns: vec![Pawns::default(); PAWNS],
            material: vec![Material::default(); MATERIAL],
            counts: can_count(),
        }
    }
}

impl Cache {
    /// Whether the processor has popcnt, lzcnt, BMI1 and BMI2: asked once, when the cache was made.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only asked there"))]
    #[inline]
    pub(super) fn can_count(&self) -> bool {
        self.counts
    }

    /// The pawns of the position.
    #[inline(always)]
    pub(super) fn pawns(&mut self, pos: &Position, buckets: [KingBucket; 2]) -> &mut Pawns {
        let key = Pawns::key(pos, buckets);
        let entry = &mut self.pawns[key as usize % PAWNS];
        if entry.key != key {
            *entry = Pawns::summed(pos, buckets);
        }
        entry
    }

    /// Has the processor fetch what is known of the position's pawns.
    #[inline]
    pub fn prefetch_pawns(&self, pos: &Position) {
        let key = Pawns::key(pos, KingBucket::both(pos));
        memory::prefetch(&self.pawns[key as usize % PAWNS]);
    }

    /// The material of the position.
    #[inline(always)]
    pub(super) fn material(&mut self, pos: &Position) -> Material {
        let key = pos.material_key();
        let entry = &mut self.material[key as usize % MATERIAL];
        if entry.key != key {
            *entry = Material::summed(pos);
        }
        *entry
    }
}

/// What whole positions seen lately are worth: the search asks for about one in five again.
pub struct Values(Vec<u64>);

const VALUES: usize = 1 << 16;
/// The rest of a word, above the value, is the position's key.
const VALUE_BITS: u32 = 16;

impl Default for Values {
    fn default() -> Self {
        Values(vec![0; VALUES])
    }
}

impl Values {
    /// What the position with the key is worth, if it is known.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Value> {
        let word = self.0[key as usize % VALUES];
        (word >> VALUE_BITS == key >> VALUE_BITS).then_some(Value::from(word as i16))
    }

    /// Has the processor fetch what is known of the position with the key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(&self.0[key as usize % VALUES]);
    }

    /// Keeps what the position with the key is worth.
    #[inline]
    pub fn keep(&mut self, key: u64, value: Value) {
        let word = (key >> VALUE_BITS << VALUE_BITS) | u64::from(value as u16);
        self.0[key as usize % VALUES] = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::EVAL_LIMIT;

    #[test]
    fn values_come_back_for_their_key_alone() {
        let mut values = Values::default();
        let key = 0x0123_4567_89ab_cdef;
        assert_eq!(values.get(key), None);
        for value in [0, 1, -1, EVAL_LIMIT, -EVAL_LIMIT] {
            values.keep(key, value);
            assert_eq!(values.get(key), Some(value));
            assert_eq!(values.get(key ^ 1 << 63), None);
            assert_eq!(values.get(key ^ 1), None);
        }
    }
}
