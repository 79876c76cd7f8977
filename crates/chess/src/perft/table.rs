//! A table of counts that all threads share without locks.
//!
//! It has two parts. Most entries are of depth 2, whose counts are small: they take one word, 46
//! bits of the position's key and the count. Deeper ones take two words: the data, and a check
//! word that is the upper half of the 128-bit key mixed with the data, so that two threads that
//! write at once leave a pair that does not match and is ignored.
//!
//! The lower half of the key chooses the bucket, so that a wrong match needs more equal bits than
//! the check has: its probability is about 10^-13 a look-up at depth 2 and 10^-18 above. Counting
//! the start position to depth 8 looks up some 2 x 10^7 times.

#![allow(unsafe_code, reason = "zeroed, aligned memory straight from the system")]

use crate::memory::{prefetch, want_huge_pages};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

const MEBIBYTE: usize = 1 << 20;
const HUGE_PAGE: usize = 2 * MEBIBYTE;

/// Entries of depth 2, on two neighbouring lines of the cache.
#[repr(C, align(128))]
struct ShallowBucket([Slot; SLOTS]);

const SLOTS: usize = 16;

/// One of them: the check in the upper 46 bits, and the count plus one.
#[repr(transparent)]
pub(super) struct Slot(AtomicU64);

const COUNT_BITS: u32 = 18;

/// Deeper entries.
#[repr(C, align(64))]
struct DeepBucket([Entry; 4]);

#[repr(C)]
struct Entry {
    check: AtomicU64,
    /// The count in the upper 56 bits, the depth in the lower eight.
    data: AtomicU64,
}

/// A table of counts that all threads share.
pub struct Table {
    shallow: BucketArray<ShallowBucket>,
    deep: BucketArray<DeepBucket>,
}

/// The system does not have enough memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How much was wanted.
    pub megabytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is not enough memory for a table of {} MiB", self.megabytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Table {
    /// A table of that many mebibytes.
    pub fn new(megabytes: usize) -> Result<Table, OutOfMemory> {
        Table::with_bytes(megabytes.max(1).saturating_mul(MEBIBYTE))
            .ok_or(OutOfMemory { megabytes })
    }

    /// A table of at most that many mebibytes, but no larger than a count that looks up this many
    /// different positions at depth 2 can use: memory that is only written, and never read again,
    /// costs more than it saves.
    pub(super) fn at_most(megabytes: usize, positions: f64) -> Result<Table, OutOfMemory> {
        let limit = megabytes.max(1).saturating_mul(MEBIBYTE);
        // Buckets do not fill evenly, and one part in five is for deeper entries.
        let useful = positions * 1.2 * size_of::<Slot>() as f64 * 5.0 / 4.0;
        Table::with_bytes(useful.clamp(MEBIBYTE as f64, limit as f64) as usize)
            .ok_or(OutOfMemory { megabytes })
    }

    /// One part in five is for the deeper entries, which are fewer but twice as large.
    fn with_bytes(bytes: usize) -> Option<Table> {
        Some(Table {
            shallow: BucketArray::new(bytes / 5 * 4)?,
            deep: BucketArray::new(bytes / 5)?,
        })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.shallow.bytes() + self.deep.bytes()
    }

    /// Fetches a bucket that will be asked for soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u128, depth: u32) {
        if depth == 2 {
            prefetch(&self.shallow.at(key).0[ShallowBucket::first(key)]);
        } else {
            prefetch(self.deep.at(key));
        }
    }

    /// The count of a position at a depth, if it is known.
    #[inline(always)]
    pub(super) fn get(&self, key: u128, depth: u32) -> Option<u64> {
        if depth == 2 { self.pairs(key).ok() } else { self.deep.at(key).get(key, depth) }
    }

    /// Keeps a count, if it fits.
    #[inline(always)]
    pub(super) fn put(&self, key: u128, depth: u32, count: u64) {
        if depth == 2 {
            if let Err(slot) = self.pairs(key) {
                slot.store(key, count);
            }
        } else if count >> 56 == 0 && depth < 256 {
            self.deep.at(key).put(key, depth, count);
        }
    }

    /// The count of a position at depth 2, or the slot for it.
    #[inline(always)]
    pub(super) fn pairs(&self, key: u128) -> Result<u64, &Slot> {
        self.shallow.at(key).find(key)
    }
}

impl ShallowBucket {
    /// Entries are filled from the one that the key picks, in a ring, and never emptied: behind a
    /// free one there is nothing. So most are found where they are looked for first, which lets the
    /// processor guess right. Where none is free, the first gives way.
    #[inline(always)]
    fn find(&self, key: u128) -> Result<u64, &Slot> {
        let check = Slot::check(key);
        let first = ShallowBucket::first(key);
        for turn in 0..SLOTS {
            let slot = &self.0[(first + turn) % SLOTS];
            let word = slot.0.load(Ordering::Relaxed);
            if word == 0 {
                return Err(slot);
            }
            if word >> COUNT_BITS == check {
                return Ok((word & ((1 << COUNT_BITS) - 1)) - 1);
            }
        }
        Err(&self.0[first])
    }

    #[inline(always)]
    fn first(key: u128) -> usize {
        (key >> 64) as usize % SLOTS
    }
}

impl Slot {
    #[inline(always)]
    fn check(key: u128) -> u64 {
        ((key >> 64) as u64) >> COUNT_BITS
    }

    /// Keeps a count, if it fits. It is kept plus one, so that no entry looks like a free one.
    #[inline(always)]
    pub(super) fn store(&self, key: u128, count: u64) {
        let count = count + 1;
        if count >> COUNT_BITS == 0 {
            self.0.store(Slot::check(key) << COUNT_BITS | count, Ordering::Relaxed);
        }
    }
}

impl DeepBucket {
    #[inline(always)]
    fn get(&self, key: u128, depth: u32) -> Option<u64> {
        let high = (key >> 64) as u64;
        for entry in &self.0 {
            let data = entry.data.load(Ordering::Relaxed);
            let check = entry.check.load(Ordering::Relaxed);
            if check ^ data == high && data as u8 == depth as u8 {
                return Some(data >> 8);
            }
        }
        None
    }

    /// Keeps a count in place of the smallest.
    #[inline(always)]
    fn put(&self, key: u128, depth: u32, count: u64) {
        let data = count << 8 | u64::from(depth);
        let mut smallest = &self.0[0];
        let mut least = u64::MAX;
        for entry in &self.0 {
            let kept = entry.data.load(Ordering::Relaxed);
            if kept < least {
                (smallest, least) = (entry, kept);
            }
        }
        smallest.data.store(data, Ordering::Relaxed);
        smallest.check.store((key >> 64) as u64 ^ data, Ordering::Relaxed);
    }
}

/// An array of buckets, zeroed, that begins where a huge page can.
struct BucketArray<B> {
    memory: *mut u8,
    layout: Layout,
    first: *const B,
    count: usize,
}

// SAFETY: buckets are atomics; the rest never changes after `new`.
unsafe impl<B> Send for BucketArray<B> {}
// SAFETY: as above.
unsafe impl<B> Sync for BucketArray<B> {}

impl<B> BucketArray<B> {
    fn new(bytes: usize) -> Option<BucketArray<B>> {
        let count = (bytes / size_of::<B>()).max(1);
        let size = count * size_of::<B>();
        let layout = Layout::from_size_align(size.checked_add(HUGE_PAGE)?, 16).ok()?;
        // Asking for plain alignment leaves the zeroing to the system, page by page as they are
        // touched; the start is then moved to where huge pages can begin.
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return None;
        }
        // SAFETY: the allocation is one huge page longer than the buckets.
        let start = unsafe { memory.add(memory.align_offset(HUGE_PAGE)) };
        // SAFETY: the range is allocated and zeroed, and not shared yet.
        want_huge_pages(unsafe { std::slice::from_raw_parts_mut(start, size) });
        Some(BucketArray { memory, layout, first: start.cast(), count })
    }

    fn bytes(&self) -> usize {
        self.count * size_of::<B>()
    }

    #[inline(always)]
    fn at(&self, key: u128) -> &B {
        let index = (u128::from(key as u64) * self.count as u128) >> 64;
        // SAFETY: the index is below the count; zeroed memory is a valid bucket and lives as long
        // as the table.
        unsafe { &*self.first.add(index as usize) }
    }
}

impl<B> Drop for BucketArray<B> {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.memory, self.layout) }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} MiB)", self.bytes() / MEBIBYTE)
    }
}
