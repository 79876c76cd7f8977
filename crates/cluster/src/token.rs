//! What proves that a result comes from the holder of a lease.
//!
//! Only the worker that took an order from the queue has seen its token, and only those who hold
//! the coordinator's key can make one. It follows from key and order alone, so that a coordinator
//! that was stopped and resumed knows the tokens of before, and with the games of the order in it
//! a result of an order of before is told from a forged one.

use dyno_tournament::{Assignment, GameRecord, OptionOverrides, Slot, Start};

/// Makes tokens.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

/// What an order says of a game, and its result must say too.
pub type Terms<'a> = (&'a Slot, &'a Start, &'a OptionOverrides);

pub fn ordered(game: &Assignment) -> Terms<'_> {
    (&game.slot, &game.start, &game.options)
}

pub fn played(game: &GameRecord) -> Terms<'_> {
    (&game.slot, &game.start, &game.options)
}

impl TokenKey {
    /// The key behind the coordinator's secret. An open server has none: anyone who reaches it is
    /// trusted.
    pub fn new(secret: Option<&str>) -> Self {
        let secret = secret.unwrap_or_default();
        Self(blake3::derive_key("dyno cluster 2026 lease token", secret.as_bytes()))
    }

    pub fn token<'a>(
        &self,
        run: &str,
        pair: u64,
        issue: u32,
        games: impl Iterator<Item = Terms<'a>>,
    ) -> String {
        let games: Vec<Terms<'_>> = games.collect();
        let text = serde_json::json!([run, pair, issue, games]).to_string();
        blake3::keyed_hash(&self.0, text.as_bytes()).to_hex()[..32].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_follow_from_key_and_order() {
        let start = Start::default();
        let options = OptionOverrides::default();
        let slot = |index: u32| Slot {
            number: 1,
            white: 0,
            black: 1,
            round: 1,
            encounter: 0,
            index,
            opening: 0,
            partner: None,
        };
        let token = |key: &TokenKey, run: &str, pair, issue, index| {
            let slot = slot(index);
            key.token(run, pair, issue, [(&slot, &start, &options)].into_iter())
        };
        let key = TokenKey::new(Some("a"));
        let one = token(&key, "r", 1, 1, 0);
        assert_eq!(one, token(&TokenKey::new(Some("a")), "r", 1, 1, 0));
        let others = [
            token(&key, "r", 1, 2, 0),
            token(&key, "r", 11, 1, 0),
            token(&key, "s", 1, 1, 0),
            token(&key, "r", 1, 1, 1),
            token(&TokenKey::new(None), "r", 1, 1, 0),
        ];
        assert!(others.iter().all(|other| *other != one));
    }
}
