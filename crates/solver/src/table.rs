//! What the search remembers of a position: proofs, refutations and how hard it looked.

use dyno_chess::memory::{prefetch, want_huge_pages};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Proof numbers from here on mean "impossible".
pub(crate) const INFINITE: u32 = u32::MAX / 4;

/// How hard it still is to prove the mate and to refute it, in leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    pub proof: u32,
    pub refutation: u32,
}

impl Effort {
    pub(crate) const PROVED: Effort = Effort { proof: 0, refutation: INFINITE };
    pub(crate) const REFUTED: Effort = Effort { proof: INFINITE, refutation: 0 };

    pub(crate) fn settled(mate: bool) -> Effort {
        if mate { Effort::PROVED } else { Effort::REFUTED }
    }

    /// Whether there is a mate, once that is known.
    pub(crate) fn verdict(self) -> Option<bool> {
        match (self.proof, self.refutation) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    effort: Effort,
    /// Positions searched below; what cost most is kept longest.
    work: u32,
    /// The attacker's moves left.
    moves: u16,
    /// The problem it belongs to; 0 in an empty entry.
    generation: u16,
}

/// An entry as the table stores it. Threads write without locks; the first word is the key combined
/// with the others, so that an entry written by two at once belongs to no position.
type Words = [u64; 3];

/// An entry in its place.
#[derive(Default)]
struct Slot([AtomicU64; 3]);

impl Slot {
    fn load(&self) -> Entry {
        Entry::unpack(self.0.each_ref().map(|word| word.load(Relaxed)))
    }

    fn store(&self, entry: Entry) {
        for (word, value) in self.0.iter().zip(entry.pack()) {
            word.store(value, Relaxed);
        }
    }
}

impl Entry {
    fn unpack([mixed, effort, rest]: Words) -> Entry {
        Entry {
            key: mixed ^ effort ^ rest,
            effort: Effort { proof: effort as u32, refutation: (effort >> 32) as u32 },
            work: rest as u32,
            moves: (rest >> 32) as u16,
            generation: (rest >> 48) as u16,
        }
    }

    fn pack(self) -> Words {
        let effort = u64::from(self.effort.proof) | u64::from(self.effort.refutation) << 32;
        let rest =
            u64::from(self.work) | u64::from(self.moves) << 32 | u64::from(self.generation) << 48;
        [self.key ^ effort ^ rest, effort, rest]
    }

    /// Whether this entry of the same position makes the older one useless.
    fn covers(&self, old: &Entry) -> bool {
        match self.effort.verdict() {
            Some(true) => old.moves >= self.moves && old.effort.verdict() != Some(false),
            Some(false) => old.moves <= self.moves && old.effort.verdict() != Some(true),
            None => old.moves == self.moves,
        }
    }
}

const BUCKET: usize = 4;

/// A fixed-size table of buckets. All entries of a position share a bucket, whatever the number of
/// moves they speak of, so that one look finds every proof and refutation that covers the question.
pub(crate) struct Table {
    buckets: Vec<[Slot; BUCKET]>,
    generation: u16,
}

impl Table {
    pub(crate) fn new(megabytes: usize) -> Table {
        let wanted = (megabytes.max(1) << 20) / size_of::<[Slot; BUCKET]>();
        let count = if wanted.is_power_of_two() { wanted } else { wanted.next_power_of_two() / 2 };
        let mut buckets = Vec::with_capacity(count);
        want_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Default::default);
        Table { buckets, generation: 1 }
    }

    /// Forgets everything, at no cost.
    pub(crate) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.buckets.fill_with(Default::default);
            self.generation = 1;
        }
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Has the processor fetch what is known about a position while other work is done.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.buckets[self.index(key)]);
    }

    /// What is known about a mate in at most `moves`.
    pub(crate) fn get(&self, key: u64, moves: u32) -> Option<Effort> {
        let mut found = None;
        for slot in &self.buckets[self.index(key)] {
            let entry = slot.load();
            if entry.key != key || entry.generation != self.generation {
                continue;
            }
            let known = u32::from(entry.moves);
            match entry.effort.verdict() {
                // A mate in three is a mate in at most five; no mate in five is none in three.
                Some(true) if known <= moves => return Some(Effort::PROVED),
                Some(false) if known >= moves => return Some(Effort::REFUTED),
                None if known == moves => found = Some(entry.effort),
                _ => {}
            }
        }
        found
    }

    pub(crate) fn put(&self, key: u64, moves: u32, effort: Effort, work: u64) {
        let generation = self.generation;
        let index = self.index(key);
        let new = Entry {
            key,
            effort,
            work: u32::try_from(work).unwrap_or(u32::MAX),
            moves: u16::try_from(moves).unwrap_or(u16::MAX),
            generation,
        };
        let bucket = &self.buckets[index];
        let superseded = bucket
            .iter()
            .map(Slot::load)
            .position(|old| old.key == key && old.generation == generation && new.covers(&old));
        let slot = superseded.unwrap_or_else(|| {
            let worth = |slot: usize| {
                let entry = bucket[slot].load();
                if entry.generation == generation { entry.work } else { 0 }
            };
            (0..BUCKET).min_by_key(|&slot| worth(slot)).unwrap_or(0)
        });
        bucket[slot].store(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_covers_longer_mates_and_a_refutation_shorter_ones() {
        let mut table = Table::new(1);
        table.put(7, 3, Effort::PROVED, 1);
        table.put(7, 1, Effort::REFUTED, 1);
        assert_eq!(table.get(7, 5), Some(Effort::PROVED));
        assert_eq!(table.get(7, 3), Some(Effort::PROVED));
        assert_eq!(table.get(7, 2), None);
        assert_eq!(table.get(7, 1), Some(Effort::REFUTED));
        assert_eq!(table.get(8, 3), None);
        table.clear();
        assert_eq!(table.get(7, 3), None);
    }

    #[test]
    fn what_cost_most_stays() {
        let table = Table::new(1);
        let step = table.buckets.len() as u64;
        table.put(step, 3, Effort::PROVED, 1_000_000);
        for i in 2..100 {
            table.put(i * step, 3, Effort::REFUTED, i);
        }
        assert_eq!(table.get(step, 3), Some(Effort::PROVED));
    }
}
