//! Waiting before another try: longer each time, and never in step with the others.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// A number from 0 to 1 that differs from call to call and from process to process.
pub fn chance() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}

/// The delay, between a half and one and a half of it.
pub fn jittered(delay: Duration) -> Duration {
    delay.mul_f64(0.5 + chance())
}

#[derive(Clone, Debug)]
pub struct Backoff {
    next: Duration,
    most: Duration,
}

impl Backoff {
    pub fn new() -> Self {
        Self { next: Duration::from_millis(100), most: Duration::from_secs(10) }
    }

    pub fn delay(&mut self) -> Duration {
        let delay = self.next;
        self.next = (self.next * 2).min(self.most);
        jittered(delay)
    }

    pub async fn wait(&mut self) {
        tokio::time::sleep(self.delay()).await;
    }
}

/// The same by the number of tries so far, for callbacks without a memory.
pub fn after(tries: usize) -> Duration {
    let mut backoff = Backoff::new();
    let mut delay = Duration::ZERO;
    (0..=tries.min(10)).for_each(|_| delay = backoff.delay());
    delay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_limit_and_differ() {
        for tries in [0, 3, 100] {
            let delay = after(tries);
            let middle =
                Duration::from_millis(100 * (1 << tries.min(10))).min(Duration::from_secs(10));
            assert!(delay >= middle / 2 && delay <= middle * 3 / 2, "{tries}: {delay:?}");
        }
        assert_ne!(chance(), chance());
    }
}
