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

use crate::Position;
use crate::memory::{prefetch, want_huge_pages};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

const MEBIBYTE: usize = 1 << 20;
const HUGE_PAGE: usize = 2 * MEBIBYTE;

/// Entries of depth 2, on two neighbouring lines of the cache.
#[repr(C, align(128))]
struct Shallow([Place; SHALLOW]);

const SHALLOW: usize = 16;

/// One of them: the check in the upper 46 bits, and the count plus one.
#[repr(transparent)]
pub(super) struct Place(AtomicU64);

const COUNT_BITS: u32 = 18;

/// Deeper entries.
#[repr(C, align(64))]
struct Deep([Entry; DEEP]);

const DEEP: usize = 4;

#[repr(C)]
struct Entry {
    check: AtomicU64,
    /// The count in the upper 56 bits, the depth in the lower eight.
    data: AtomicU64,
}

/// A table of counts that all threads share.
pub struct Table {
    shallow: Buckets<Shallow>,
    deep: Buckets<Deep>,
}

/// The system has not enough memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// How much was wanted.
    pub megabytes: usize,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is not enough memory for a table of {} MiB", self.megabytes)
    }
}

impl std::error::Error for NoMemory {}

impl Table {
    /// A table of that many mebibytes.
    pub fn new(megabytes: usize) -> Result<Table, NoMemory> {
        let failed = NoMemory { megabytes };
        let bytes = megabytes.max(1).checked_mul(MEBIBYTE).ok_or(failed)?;
        Table::of(bytes).ok_or(failed)
    }

    /// A table of at most that many mebibytes, but no larger than the count can use: memory that
    /// is only touched, and never read again, costs more than it saves.
    pub fn fitting(position: &Position, depth: u32, megabytes: usize) -> Result<Table, NoMemory> {
        let failed = NoMemory { megabytes };
        let most = megabytes.max(1).checked_mul(MEBIBYTE).ok_or(failed)?;
        let plies = depth.saturating_sub(2);
        let known = plies.min(4);
        let nodes = super::perft(position, known) as f64;
        // Lines meet again, the more the longer they are.
        let share = if plies > known { 0.96 - 0.012 * f64::from(plies) } else { 0.95 };
        let distinct = nodes.powf(share.max(0.7) * f64::from(plies) / f64::from(known.max(1)));
        let useful = (distinct * 1.2 * 8.0 * 5.0 / 4.0).clamp(MEBIBYTE as f64, most as f64);
        Table::of(useful as usize).ok_or(failed)
    }

    /// One part in five is for the deeper entries, which are fewer but twice as large.
    fn of(bytes: usize) -> Option<Table> {
        Some(Table { shallow: Buckets::new(bytes / 5 * 4)?, deep: Buckets::new(bytes / 5)? })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.shallow.bytes() + self.deep.bytes()
    }

    /// How many counts of more than depth 2 it can hold.
    pub(super) fn deep_entries(&self) -> usize {
        self.deep.count * DEEP
    }

    /// Fetches a bucket that will be asked for soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u128, depth: u32) {
        if depth == 2 {
            prefetch(&self.shallow.at(key).0[Shallow::first(key)]);
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
            if let Err(place) = self.pairs(key) {
                place.keep(key, count);
            }
        } else if count >> 56 == 0 && depth < 256 {
            self.deep.at(key).put(key, depth, count);
        }
    }

    /// The count of a position at depth 2, or the place to keep it.
    #[inline(always)]
    pub(super) fn pairs(&self, key: u128) -> Result<u64, &Place> {
        self.shallow.at(key).find(key)
    }
}

impl Shallow {
    /// Entries are filled from the one that the key picks, in a ring, and never emptied: behind a
    /// free one there is nothing. So most are found where they are looked for first, which lets the
    /// processor guess right. Where none is free, the first gives way.
    #[inline(always)]
    fn find(&self, key: u128) -> Result<u64, &Place> {
        let check = Place::check(key);
        let first = Shallow::first(key);
        for turn in 0..SHALLOW {
            let place = &self.0[(first + turn) % SHALLOW];
            let word = place.0.load(Ordering::Relaxed);
            if word == 0 {
                return Err(place);
            }
            if word >> COUNT_BITS == check {
                return Ok((word & ((1 << COUNT_BITS) - 1)) - 1);
            }
        }
        Err(&self.0[first])
    }

    #[inline(always)]
    fn first(key: u128) -> usize {
        (key >> 64) as usize % SHALLOW
    }
}

impl Place {
    #[inline(always)]
    fn check(key: u128) -> u64 {
        ((key >> 64) as u64) >> COUNT_BITS
    }

    /// Keeps a count, if it fits. It is kept plus one, so that no entry looks like a free one.
    #[inline(always)]
    pub(super) fn keep(&self, key: u128, count: u64) {
        let count = count + 1;
        if count >> COUNT_BITS == 0 {
            self.0.store(Place::check(key) << COUNT_BITS | count, Ordering::Relaxed);
        }
    }
}

impl Deep {
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
struct Buckets<B> {
    memory: *mut u8,
    layout: Layout,
    first: *const B,
    count: usize,
}

// SAFETY: buckets are atomics; the rest never changes after `new`.
unsafe impl<B> Send for Buckets<B> {}
// SAFETY: as above.
unsafe impl<B> Sync for Buckets<B> {}

impl<B> Buckets<B> {
    fn new(bytes: usize) -> Option<Buckets<B>> {
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
        // SAFETY: the range is allocated and zeroed, and nobody else knows of it yet.
        want_huge_pages(unsafe { std::slice::from_raw_parts_mut(start, size) });
        Some(Buckets { memory, layout, first: start.cast(), count })
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

impl<B> Drop for Buckets<B> {
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
