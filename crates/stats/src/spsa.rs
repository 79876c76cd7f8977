//! One step of SPSA, the tuning of parameters by games between two perturbed versions.

/// The schedule of one tuned parameter, given as fishtest does: by its perturbation and its rate
/// at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spsa {
    /// The number of iterations planned.
    pub iterations: f64,
    /// How fast the rate falls; 0.602 is usual.
    pub alpha: f64,
    /// How fast the perturbation shrinks; 0.101 is usual.
    pub gamma: f64,
    /// Iterations by which the fall of the rate is delayed; a tenth of all is usual.
    pub stability: f64,
    /// The perturbation at the end.
    pub c_end: f64,
    /// The rate at the end.
    pub r_end: f64,
}

/// The perturbation and the rate at one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpsaStep {
    /// How far the two versions are from the present value.
    pub c: f64,
    /// The rate: how far a result moves the value, in units of `c`.
    pub rate: f64,
}

impl Spsa {
    /// The step at this iteration, counted from 1.
    ///
    /// ```
    /// use dyno_stats::Spsa;
    /// let spsa = Spsa { iterations: 5000.0, alpha: 0.602, gamma: 0.101, stability: 500.0,
    ///                   c_end: 0.5, r_end: 0.002 };
    /// let step = spsa.step(5000.0);
    /// assert_eq!(step.c, 0.5);
    /// // The version that went up won two games more than it lost.
    /// assert!((step.moved(10.0, 2.0, true) - 10.002).abs() < 1e-12);
    /// ```
    pub fn step(&self, iteration: f64) -> SpsaStep {
        let c = self.c_end * (self.iterations / iteration).powf(self.gamma);
        let fall = (self.stability + self.iterations) / (self.stability + iteration);
        SpsaStep { c, rate: self.r_end * (self.c_end / c).powi(2) * fall.powf(self.alpha) }
    }
}

impl SpsaStep {
    /// The new value after games whose wins less losses for the first version are `result`;
    /// `up` says whether that version had the value raised.
    pub fn moved(&self, value: f64, result: f64, up: bool) -> f64 {
        let direction = if up { 1.0 } else { -1.0 };
        value + self.rate * self.c * result * direction
    }
}
