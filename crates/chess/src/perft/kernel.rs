//! Perft's hot functions, compiled once for each kind of processor.
//!
//! A [`Kernel`] is a function together with its arguments. [`Processor::run`] calls it as it was
//! compiled for one kind of processor; all that is inlined into it is compiled for that kind too.
//! Code inside a kernel calls other kernels through its own `Processor`, so that the processor is
//! asked once, in [`run`], and never on the hot path.

#![allow(unsafe_code, reason = "calls into code compiled for what the processor was asked for")]

use crate::sliders::{Magic, Sliders};

/// A function with its arguments. `call` should be `#[inline(always)]`: what is not inlined is
/// compiled for any processor.
pub(super) trait Kernel {
    type Output;
    fn call<P: Processor>(self) -> Self::Output;
}

/// A kind of processor.
pub(super) trait Processor: Sliders {
    fn run<K: Kernel>(kernel: K) -> K::Output;
}

impl Processor for Magic {
    #[inline(always)]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        #[inline(never)]
        fn compiled<K: Kernel>(kernel: K) -> K::Output {
            kernel.call::<Magic>()
        }
        compiled(kernel)
    }
}

#[cfg(target_arch = "x86_64")]
impl Processor for crate::sliders::Pext {
    #[inline(always)]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
        #[inline(never)]
        fn compiled<K: Kernel>(kernel: K) -> K::Output {
            kernel.call::<crate::sliders::Pext>()
        }
        // SAFETY: only `run` below chooses `Pext`, after asking the processor for these features.
        unsafe { compiled(kernel) }
    }
}

/// Runs a kernel as compiled for this processor.
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if crate::sliders::pext_is_fast() {
        return crate::sliders::Pext::run(kernel);
    }
    Magic::run(kernel)
}
