//! A tuning, as people and other programs read it.

mod export;
pub mod html;
pub mod terminal;

pub use export::{csv, openbench, setoptions, toml};

use crate::number;

/// A value with as many digits as its range makes sensible.
fn value(value: f64, range: f64) -> String {
    let decimals = (2.0 - range.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0);
    number::fixed(value, decimals as usize)
}
