//! A table of counts that all threads share without locks.
//!
//! An entry is two words: the data, and a check word that is the upper half of the position's
//! 128-bit key mixed with the data. Two threads that write at once leave a pair that does not
//! match and is ignored. The lower half of the key chooses the bucket and the upper one must
//! match whole, so that a wrong match needs more than 64 equal bits: for a count of 10^12 visits
//! its probability is below 10^-6.

#![allow(unsafe_code, reason = "zeroed, aligned memory straight from the system; prefetching")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

const WAYS: usize = 4;
const HUGE_PAGE: usize = 2 << 20;

#[repr(C, align(64))]
struct Bucket([Entry; WAYS]);

#[repr(C)]
struct Entry {
    check: AtomicU64,
    /// The count in the upper 56 bits, the depth in the lower eight.
    data: AtomicU64,
}

/// A table of counts that all threads share.
pub struct Table {
    memory: *mut u8,
    layout: Layout,
    buckets: *const Bucket,
    /// One less than the number of buckets, which is a power of two.
    mask: usize,
}

// SAFETY: the buckets are atomics; the rest never changes after `new`.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

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
    /// A table of at most the given number of mebibytes: the next power of two below.
    pub fn new(megabytes: usize) -> Result<Table, NoMemory> {
        let failed = NoMemory { megabytes };
        let bytes = megabytes.max(1).checked_mul(1 << 20).ok_or(failed)?;
        let buckets = 1usize << (bytes / size_of::<Bucket>()).ilog2();
        let size = buckets * size_of::<Bucket>();
        let layout = Layout::from_size_align(size + HUGE_PAGE, 16).map_err(|_| failed)?;
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(failed);
        }
        // Asking for plain alignment leaves the zeroing to the system, page by page as they are
        // touched; the start is then moved to where huge pages can begin.
        let shift = memory.align_offset(HUGE_PAGE);
        // SAFETY: the allocation is one huge page longer than the table.
        let start = unsafe { memory.add(shift) };
        want_huge_pages(start, size);
        Ok(Table { memory, layout, buckets: start.cast(), mask: buckets - 1 })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        (self.mask + 1) * size_of::<Bucket>()
    }

    #[inline(always)]
    fn bucket(&self, key: u128) -> &Bucket {
        // SAFETY: the index is masked to the number of buckets, all of which are zeroed memory,
        // which is a valid `Bucket`, for as long as the table lives.
        unsafe { &*self.buckets.add(key as usize & self.mask) }
    }

    /// Fetches a bucket that will be asked for soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u128) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing and any address will do.
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(key)).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The count of a position at a depth, if it is known.
    #[inline(always)]
    pub(super) fn get(&self, key: u128, depth: u32) -> Option<u64> {
        let high = (key >> 64) as u64;
        for entry in &self.bucket(key).0 {
            let data = entry.data.load(Ordering::Relaxed);
            let check = entry.check.load(Ordering::Relaxed);
            if check ^ data == high && data as u8 == depth as u8 {
                return Some(data >> 8);
            }
        }
        None
    }

    /// Keeps a count, in place of the smallest of its bucket.
    #[inline(always)]
    pub(super) fn put(&self, key: u128, depth: u32, count: u64) {
        if count >> 56 != 0 || depth > 255 {
            return;
        }
        let data = count << 8 | u64::from(depth);
        let bucket = self.bucket(key);
        let mut smallest = &bucket.0[0];
        let mut least = u64::MAX;
        for entry in &bucket.0 {
            let kept = entry.data.load(Ordering::Relaxed);
            if kept < least {
                (smallest, least) = (entry, kept);
            }
        }
        smallest.data.store(data, Ordering::Relaxed);
        smallest.check.store((key >> 64) as u64 ^ data, Ordering::Relaxed);
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.memory, self.layout) }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} MiB)", self.bytes() >> 20)
    }
}

/// Nearly every access misses the cache; with small pages it would also miss the page tables.
#[cfg(target_os = "linux")]
fn want_huge_pages(start: *mut u8, size: usize) {
    use core::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(start: *mut c_void, size: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    // SAFETY: the range was allocated by us and the advice does not change its contents; where
    // it is refused nothing is lost but speed.
    let _ = unsafe { madvise(start.cast(), size, MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn want_huge_pages(_: *mut u8, _: usize) {}
