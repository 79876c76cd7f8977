//! What large tables ask of the processor and of the system: hints that change nothing but speed.

#![allow(unsafe_code, reason = "prefetching, and advice to the system about memory")]

/// Has the processor fetch what is referred to while other work is done.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and any address will do.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks the system for huge pages where the memory, best not yet touched, has room for them.
/// Nearly every access to a large table misses the cache; with small pages it would also miss the
/// page tables.
#[cfg(target_os = "linux")]
pub fn want_huge_pages<T>(memory: &mut [T]) {
    use core::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(start: *mut c_void, size: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    /// Advice must begin at a page; none of the usual systems has larger ones.
    const PAGE: usize = 1 << 16;
    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    if let Some(size) = size_of_val(memory).checked_sub(skipped) {
        // SAFETY: the range lies within the memory, which is borrowed for writing, and the advice
        // does not change its contents; where it is refused nothing is lost but speed.
        let _ = unsafe { madvise(start.add(skipped).cast(), size, MADV_HUGEPAGE) };
    }
}

/// Asks the system for huge pages; not available here.
#[cfg(not(target_os = "linux"))]
pub fn want_huge_pages<T>(_: &mut [T]) {}
