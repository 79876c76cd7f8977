//! What `--tunable` offers as UCI options: every number of the search and the weights of the
//! evaluation, so that `dyno tune` can find better ones.

use crate::eval::terms::{ENEMY_KING_PSQT, OWN_KING_PSQT, TERMS};
use crate::eval::{Packed, WEIGHTS, set_weight, weight};
use crate::parameters::{self, PARAMETERS};
use dyno_chess::Role;

/// A number that can be set at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name as an option: `razoring_base`, `material_knight_mg`, `passed_5_eg`.
    pub name: String,
    /// Its value, unless set.
    pub default: i32,
    /// The least value worth trying.
    pub min: i32,
    /// The greatest.
    pub max: i32,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Parameter(usize),
    Middlegame(usize),
    Endgame(usize),
}

/// The least that a weight may be moved either way.
const NARROWEST: i32 = 60;

/// All of them. Where pieces stand is left out: thousands of weights that only a fit of their own
/// could tune.
#[must_use]
pub fn tunables() -> Vec<Tunable> {
    let search = PARAMETERS.iter().enumerate().map(|(index, p)| Tunable {
        name: p.name.to_owned(),
        default: p.default,
        min: p.min,
        max: p.max,
        place: Place::Parameter(index),
    });
    let terms = TERMS.iter().filter(|term| ![OWN_KING_PSQT, ENEMY_KING_PSQT].contains(&term.first));
    let weights = terms.flat_map(|term| {
        (0..term.len).flat_map(move |index| {
            let mut name = term.name.to_ascii_lowercase();
            match (name.as_str(), term.len) {
                ("material", _) => name += &format!("_{:?}", Role::ALL[index]).to_ascii_lowercase(),
                (_, 1) => {}
                _ => name += &format!("_{index}"),
            }
            let at = term.first + index;
            let packed = WEIGHTS[at];
            [
                of_weight(format!("{name}_mg"), packed.middlegame(), Place::Middlegame(at)),
                of_weight(format!("{name}_eg"), packed.endgame(), Place::Endgame(at)),
            ]
        })
    });
    search.chain(weights).collect()
}

fn of_weight(name: String, default: i32, place: Place) -> Tunable {
    let span = default.abs().max(NARROWEST);
    Tunable { name, default, min: default - span, max: default + span, place }
}

impl Tunable {
    /// Sets it for everything that is searched and evaluated from now on; what was kept of earlier
    /// evaluations is out of date.
    pub fn set(&self, value: i32) {
        match self.place {
            Place::Parameter(index) => parameters::set(index, value),
            Place::Middlegame(at) => set_weight(at, Packed::new(value, weight(at).endgame())),
            Place::Endgame(at) => set_weight(at, Packed::new(weight(at).middlegame(), value)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn names_are_unique_and_defaults_within_bounds() {
        let all = tunables();
        assert!(all.len() > PARAMETERS.len() + 300, "{}", all.len());
        let mut names: Vec<&str> = all.iter().map(|tunable| tunable.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|t| (t.min..=t.max).contains(&t.default)));
        let knight = all.iter().find(|tunable| tunable.name == "material_knight_mg").unwrap();
        assert_eq!(knight.default, WEIGHTS[1].middlegame());
    }
}
