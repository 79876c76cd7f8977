//! What proves that a result comes from the holder of a lease.
//!
//! Only the worker that took an order from the queue has seen its token, and only those who hold
//! the coordinator's key can make one. It follows from key and order alone, so that a coordinator
//! that was stopped and resumed knows the tokens of before.

/// Makes tokens.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// The key behind the coordinator's secret. An open server has none: anyone who reaches it is
    /// trusted.
    pub fn new(secret: Option<&str>) -> Self {
        let secret = secret.unwrap_or_default();
        Self(blake3::derive_key("dyno cluster 2026 lease token", secret.as_bytes()))
    }

    pub fn token(&self, run: &str, pair: u64, issue: u32) -> String {
        let text = format!("{run} {pair} {issue}");
        blake3::keyed_hash(&self.0, text.as_bytes()).to_hex()[..32].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_follow_from_key_and_order() {
        let key = TokenKey::new(Some("a"));
        assert_eq!(key.token("r", 1, 1), TokenKey::new(Some("a")).token("r", 1, 1));
        let others = [key.token("r", 1, 2), key.token("r", 11, 1), key.token("s", 1, 1)];
        assert!(others.iter().all(|other| *other != key.token("r", 1, 1)));
        assert_ne!(key.token("r", 1, 1), TokenKey::new(None).token("r", 1, 1));
    }
}
