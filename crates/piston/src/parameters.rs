//! The numbers that the search goes by, in one table.
//!
//! Each is a function. [`crate::tunables`] can set them at run time, so that `dyno tune` can play for
//! better ones. Reductions are in 1024ths of a ply, scores in centipawns, histories on the scale of
//! [`crate::history::LIMIT`].

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// One of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, which is that of its function.
    pub name: &'static str,
    /// Its value in the shipped build.
    pub default: i32,
    /// The least value worth trying.
    pub min: i32,
    /// The greatest.
    pub max: i32,
}

macro_rules! parameters {
    ($($(#[$doc:meta])+ $name:ident = $default:literal in $min:literal..=$max:literal;)+) => {
        /// All parameters, in order.
        pub const PARAMETERS: &[Parameter] = &[
            $(Parameter {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
            }),+
        ];

        $(
            $(#[$doc])+
            #[inline(always)]
            pub fn $name() -> i32 {
                VALUES[Index::$name as usize].load(Relaxed)
            }
        )+

        #[allow(non_camel_case_types, reason = "named by the functions")]
        enum Index {
            $($name),+
        }

        /// The values in use.
        static VALUES: [AtomicI32; PARAMETERS.len()] = [$(AtomicI32::new($default)),+];
    };
}

/// Sets a parameter, by its place in [`PARAMETERS`], for all searches from now on.
pub(crate) fn set(index: usize, value: i32) {
    VALUES[index].store(value, Relaxed);
}

parameters! {
    /// Beyond this score the game is decided and only mates matter, which guesses by margins would
    /// miss.
    decided = 3_000 in 1_000..=10_000;

    /// Aspiration windows are used from this iteration on.
    aspiration_min_iteration = 4 in 2..=10;
    /// Half the width of the first window.
    aspiration_delta = 14 in 5..=60;
    /// Large scores get a wider window: the score divided by this is added...
    aspiration_score_divisor = 100 in 25..=400;
    /// ...but no more than this.
    aspiration_score_max = 30 in 0..=100;
    /// Beyond this score a window is opened altogether.
    aspiration_limit = 3_000 in 1_000..=10_000;

    /// Internal iterative reduction: nodes without a table move are reduced from this depth on.
    iir_min_depth = 4 in 2..=8;

    /// Reverse futility pruning: up to this depth.
    reverse_futility_max_depth = 8 in 4..=14;
    /// How far above beta the evaluation must be, for each ply.
    reverse_futility_margin = 70 in 30..=150;

    /// Razoring: up to this depth.
    razoring_max_depth = 4 in 1..=8;
    /// How far below alpha the evaluation must be...
    razoring_base = 180 in 50..=500;
    /// ...and how much further, times the square of the depth.
    razoring_depth_squared = 200 in 50..=500;

    /// Null move: from this depth on.
    null_min_depth = 3 in 1..=6;
    /// The static evaluation must reach beta plus this...
    null_eval_base = 120 in 0..=300;
    /// ...less this for each ply.
    null_eval_depth = 20 in 0..=50;
    /// The search after it is this many plies shallower...
    null_reduction = 4 in 2..=7;
    /// ...and by the depth divided by this...
    null_depth_divisor = 4 in 2..=8;
    /// ...and by the evaluation's lead over beta divided by this...
    null_eval_divisor = 200 in 80..=400;
    /// ...which is no more than this.
    null_eval_max = 3 in 1..=6;
    /// From this depth on the result is verified without null moves.
    null_verification_depth = 12 in 6..=20;

    /// ProbCut: from this depth on.
    probcut_min_depth = 5 in 3..=9;
    /// How far above beta a capture must come.
    probcut_margin = 180 in 80..=350;
    /// How much less when the side to move is improving.
    probcut_improving = 50 in 0..=150;
    /// How much shallower the search of the capture is.
    probcut_reduction = 4 in 2..=6;

    /// Late move pruning: up to this depth.
    late_move_max_depth = 10 in 4..=16;
    /// The quiet moves tried are the square of the depth and this; half as many when not improving.
    late_move_base = 4 in 1..=10;

    /// Futility pruning of quiet moves: up to this reduced depth.
    futility_max_depth = 8 in 4..=14;
    /// How far below alpha the evaluation must be...
    futility_base = 90 in 20..=250;
    /// ...and how much further for each ply...
    futility_depth = 80 in 30..=200;
    /// ...and by the move's history divided by this.
    futility_history_divisor = 256 in 64..=1_024;

    /// History pruning of quiet moves: up to this reduced depth.
    history_pruning_max_depth = 4 in 2..=8;
    /// How bad the history must be, for each ply.
    history_pruning_margin = 3_500 in 1_000..=8_000;

    /// Exchange pruning of quiet moves: up to this reduced depth.
    quiet_see_max_depth = 8 in 4..=14;
    /// What a quiet move may lose, times the square of the depth.
    quiet_see_margin = 25 in 10..=60;
    /// Exchange pruning of captures: up to this depth.
    capture_see_max_depth = 7 in 3..=12;
    /// What a capture may lose, for each ply.
    capture_see_margin = 90 in 40..=200;

    /// Singular extensions: from this depth on.
    singular_min_depth = 6 in 4..=10;
    /// The table's entry may be this much shallower.
    singular_table_depth = 3 in 1..=6;
    /// How far below the table's score all other moves must stay, for each ply.
    singular_margin = 2 in 1..=6;
    /// So much further, and the extension is of two plies.
    singular_double_margin = 20 in 5..=80;

    /// Late move reductions: from this depth on.
    lmr_min_depth = 2 in 1..=5;
    /// The reduction of every late move...
    lmr_base = 650 in 200..=1_500;
    /// ...and the product of the logarithms of depth and number, divided by this.
    lmr_divisor = 2_500 in 1_200..=5_000;
    /// More when the side to move is not improving.
    lmr_not_improving = 512 in 0..=2_048;
    /// More when most replies so far were refutations.
    lmr_refuted = 1_024 in 0..=2_048;
    /// How many refutations are most.
    lmr_refutations = 3 in 1..=6;
    /// More when the table's move is a capture.
    lmr_table_capture = 256 in 0..=1_024;
    /// Less at the root.
    lmr_root = 1_024 in 0..=2_048;
    /// Less on the principal variation.
    lmr_pv = 1_024 in 0..=2_048;
    /// Less where the principal variation once was.
    lmr_was_pv = 1_024 in 0..=2_048;
    /// Less for checks.
    lmr_check = 1_536 in 0..=3_072;
    /// Less for pawns near promotion.
    lmr_advanced_pawn = 1_024 in 0..=2_048;
    /// Less for killer moves.
    lmr_killer = 1_024 in 0..=2_048;
    /// Less by the move's history divided by this.
    lmr_history_divisor = 10 in 4..=30;
    /// A reduced move that beats the best by this is searched a ply deeper...
    lmr_deeper_margin = 60 in 20..=150;
    /// ...and one that does not beat it by this, a ply shallower.
    lmr_shallower_margin = 8 in 0..=30;

    /// Quiescence: a capture must bring the score at least this near to alpha.
    delta_margin = 110 in 40..=300;

    /// A cutoff is learnt by this for each ply...
    history_bonus_depth = 200 in 80..=400;
    /// ...less this...
    history_bonus_offset = 80 in 0..=300;
    /// ...and no more than this.
    history_bonus_max = 2_200 in 800..=4_000;
    /// The last move is learnt by what it did to the evaluation, times this...
    eval_history_factor = 5 in 1..=15;
    /// ...no more than this...
    eval_history_max = 600 in 100..=2_000;
    /// ...and this.
    eval_history_base = 100 in 0..=300;
    /// Corrections of the evaluation move by the depth plus one, but no more than this, in 256ths.
    correction_max_weight = 16 in 4..=64;

    /// The order of captures: the worth of what is won, times this, beside the history.
    capture_order_worth = 64 in 16..=256;
    /// The order of quiet moves: a queen leaves an attack by something lesser.
    escape_queen = 6_000 in 0..=16_000;
    /// The same for a rook.
    escape_rook = 4_500 in 0..=16_000;
    /// The same for a bishop or knight.
    escape_minor = 3_500 in 0..=16_000;

    /// Exchanges: a pawn.
    see_pawn = 100 in 60..=150;
    /// Exchanges: a knight.
    see_knight = 320 in 200..=450;
    /// Exchanges: a bishop.
    see_bishop = 330 in 200..=450;
    /// Exchanges: a rook.
    see_rook = 500 in 350..=700;
    /// Exchanges: a queen.
    see_queen = 950 in 700..=1_300;

    /// The evaluation fades with the half-move clock as if it were worth nothing after this many
    /// half-moves.
    fifty_move_fade = 220 in 110..=500;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_defaults_within_bounds() {
        for (index, parameter) in PARAMETERS.iter().enumerate() {
            let Parameter { name, default, min, max } = *parameter;
            assert!(min <= default && default <= max && min < max, "{name}");
            assert!(PARAMETERS[..index].iter().all(|other| other.name != name), "{name}");
        }
    }
}
