//! The weights in use: those of the table, unless [`crate::tunables`] has changed them. Reading one
//! is a plain load, as it is from the table.

use super::packed::Packed;
use super::terms::COUNT;
use super::weights::WEIGHTS;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

static IN_USE: [AtomicI32; COUNT] = {
    let mut table = [const { AtomicI32::new(0) }; COUNT];
    let mut term = 0;
    while term < COUNT {
        table[term] = AtomicI32::new(WEIGHTS[term].bits());
        term += 1;
    }
    table
};

/// The weight of a term.
#[inline(always)]
pub(crate) fn weight(term: usize) -> Packed {
    Packed::from_bits(IN_USE[term].load(Relaxed))
}

/// Sets a weight for all evaluations from now on.
pub(crate) fn set_weight(term: usize, weight: Packed) {
    IN_USE[term].store(weight.bits(), Relaxed);
}
