//! The transposition table: what is known of positions already searched.
//!
//! Shared by all threads without locks. An entry is two words, the key xor the data and the data;
//! a torn write by two threads at once no longer matches its key and is simply not found.

use crate::score::Value;
use dyno_chess::{Move, memory};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What a stored score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// Only the move and the evaluation are known.
    None,
    /// At least the score.
    Lower,
    /// At most the score.
    Upper,
    /// The score itself.
    Exact,
}

impl Bound {
    fn from_bits(bits: u64) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        }
    }

    /// Whether the true score is at least the stored one.
    #[inline]
    pub fn is_lower(self) -> bool {
        self as u8 & 1 != 0
    }

    /// Whether the true score is at most the stored one.
    #[inline]
    pub fn is_upper(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether a stored score settles that the true one reaches the threshold, or does not.
    #[inline]
    pub fn settles(self, value: Value, threshold: Value) -> bool {
        if value >= threshold { self.is_lower() } else { self.is_upper() }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, if one was found; nothing says it is legal here.
    pub mv: Option<Move>,
    /// The score, mates counted from this position.
    pub value: Value,
    /// The static evaluation, if it was worked out.
    pub eval: Option<Value>,
    /// How deep the search was.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// Whether the position was on a principal variation.
    pub pv: bool,
}

const WAYS: usize = 4;
const NO_EVAL: i16 = i16::MIN;
const AGES: u8 = 32;
/// Depths are stored with this much added, as quiescence goes below zero.
const DEPTH_OFFSET: i32 = 8;

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The table.
pub struct Table {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

fn pack(entry: &Entry, age: u8) -> u64 {
    let mv = entry.mv.map_or(0, Move::to_bits);
    let eval = entry.eval.map_or(NO_EVAL, |eval| eval as i16);
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    u64::from(mv)
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(eval as u16) << 32
        | depth << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.pv) << 58
        | u64::from(age) << 59
}

fn unpack(data: u64) -> Entry {
    let mv = data as u16;
    let eval = (data >> 32) as u16 as i16;
    Entry {
        mv: (mv != 0).then(|| Move::from_bits(mv)),
        value: Value::from((data >> 16) as u16 as i16),
        eval: (eval != NO_EVAL).then(|| Value::from(eval)),
        depth: depth_of(data),
        bound: Bound::from_bits(data >> 56),
        pv: data >> 58 & 1 != 0,
    }
}

#[inline]
fn depth_of(data: u64) -> i32 {
    (data >> 48 & 0xff) as i32 - DEPTH_OFFSET
}

impl Table {
    /// An empty table of this many mebibytes; `None` when there is not the memory for it.
    pub fn new(megabytes: usize) -> Option<Table> {
        let count = (megabytes.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        memory::want_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Some(Table { buckets, age: AtomicU8::new(0) })
    }

    /// A table of one bucket, to stand in while another is made.
    pub fn empty() -> Table {
        Table { buckets: vec![Bucket::default()], age: AtomicU8::new(0) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for bucket in &mut self.buckets {
            *bucket = Bucket::default();
        }
        self.age = AtomicU8::new(0);
    }

    /// Marks what is stored from now on as younger than all the rest.
    pub fn grow_older(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Has the processor fetch what is known of the position while other work is done.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.bucket(key));
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key && data != 0 {
                return Some(unpack(data));
            }
        }
        None
    }

    /// Keeps what was found, in place of the least worth keeping.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let age = self.age.load(Relaxed);
        let bucket = self.bucket(key);
        let mut victim = &bucket.0[0];
        let mut least = i32::MAX;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key {
                let old_age = (data >> 59) as u8;
                let old_depth = depth_of(data);
                let shallower = entry.depth + 4 + 2 * i32::from(entry.pv) <= old_depth;
                if entry.bound != Bound::Exact && shallower && old_age == age {
                    return;
                }
                // A move once found is better than none.
                if entry.mv.is_none() {
                    entry.mv = unpack(data).mv;
                }
                victim = slot;
                break;
            }
            let years = i32::from((AGES + age - (data >> 59) as u8) % AGES);
            let worth = if data == 0 { i32::MIN } else { depth_of(data) - 8 * years };
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        let data = pack(&entry, age);
        victim.data.store(data, Relaxed);
        victim.check.store(key ^ data, Relaxed);
    }

    /// How full the table is with entries of the present search, in per mille of a sample.
    pub fn per_mille_full(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.buckets.len().min(1000);
        let used = self.buckets[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| {
                let data = slot.data.load(Relaxed);
                data != 0 && (data >> 59) as u8 == age
            })
            .count();
        (used * 1000 / (sample * WAYS)) as u32
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn entry(depth: i32, value: Value) -> Entry {
        let mv = Some(Move::from_bits(796));
        Entry { mv, value, eval: Some(-12), depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1).unwrap();
        for (key, depth, value) in [(1, 0, 0), (1 << 63, 127, -31_990), (77, -3, 31_990)] {
            table.store(key, entry(depth, value));
            assert_eq!(table.probe(key), Some(entry(depth, value)));
        }
        assert_eq!(table.probe(2), None);
    }

    #[test]
    fn deep_entries_outlive_shallow_ones_until_they_are_old() {
        let table = Table::new(1).unwrap();
        table.store(1, entry(30, 5));
        for key in 2..100 {
            table.store(key, entry(2, 5));
        }
        assert!(table.probe(1).is_some());
        for _ in 0..8 {
            table.grow_older();
        }
        for key in 2..100 {
            table.store(key, entry(2, 5));
        }
        assert!(table.probe(1).is_none());
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = Table::new(1).unwrap();
        table.store(9, entry(3, 5));
        table.bucket(9).0[0].data.store(0x1234_5678, Relaxed);
        assert_eq!(table.probe(9), None);
    }

    #[test]
    fn fullness_counts_the_present_search_only() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.per_mille_full(), 0);
        for i in 0..65_536u64 {
            table.store(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1, 0));
        }
        assert!(table.per_mille_full() > 500);
        table.grow_older();
        assert_eq!(table.per_mille_full(), 0);
    }
}
