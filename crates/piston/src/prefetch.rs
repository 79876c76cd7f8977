//! Having memory fetched before it is needed.

/// Has the processor fetch what is referred to while other work is done.
#[inline]
pub fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "a hint for the cache; it reads nothing")]
    // SAFETY: the address is that of something alive, and the hint has no effect on memory.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
