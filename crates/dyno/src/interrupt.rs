//! Ctrl-C and termination: the first asks the running trial to stop and save, and is only a flag.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static COUNT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// The counter of interrupts so far; trials are given a clone and watch it.
pub fn counter() -> Arc<AtomicUsize> {
    COUNT.get_or_init(Arc::default).clone()
}

/// Starts listening. Where handlers cannot be installed the process ends on Ctrl-C as usual.
pub fn install() {
    let counter = counter();
    let _ = ctrlc::set_handler(move || {
        if AT_ONCE.load(Ordering::SeqCst) {
            std::process::exit(crate::exit::Exit::Interrupted as i32);
        }
        counter.fetch_add(1, Ordering::SeqCst);
    });
}

/// For commands with nothing to save: from now on an interrupt ends the process.
pub fn exit_at_once() {
    AT_ONCE.store(true, Ordering::SeqCst);
}

/// Whether the user has asked to stop.
pub fn requested() -> bool {
    counter().load(Ordering::SeqCst) > 0
}

/// Asks to stop as if the user had: when going on makes no sense.
pub fn request() {
    counter().fetch_add(1, Ordering::SeqCst);
}
