//! The bounds within which a score matters.

use crate::score::Value;

/// A score at or below alpha is too bad to be chosen, one at or above beta too good to be allowed.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    /// The window that only asks whether the score reaches beta.
    pub fn null(beta: Value) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// The same window from the opponent's point of view.
    pub fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    pub fn is_null(self) -> bool {
        self.beta - self.alpha <= 1
    }
}
