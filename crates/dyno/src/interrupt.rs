//! Ctrl-C and termination. Most of the time there is nothing to save, and a signal ends the process
//! at once. While a trial holds it, the signal is only counted: the trial stops by itself, and what
//! it has found is reported.

use crate::exit::Exit;
use dyno_report::terminal::eprintln;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

static COUNT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
static HOLDERS: AtomicUsize = AtomicUsize::new(0);
/// What one signal adds to the counter.
static STEP: AtomicUsize = AtomicUsize::new(STOP_NOW);

/// Games that run are finished at 1 and broken off at 2.
const STOP_NOW: usize = 2;

/// A trial that has not stopped by then waits for something that cannot be interrupted.
const PATIENCE: Duration = Duration::from_millis(900);

/// Signals closer together than this are one: `timeout -s INT` signals its child and then the
/// child's group. Two presses of Ctrl-C are further apart.
const ONE_WISH: Duration = Duration::from_millis(100);

/// The counter of interrupts so far; trials are given a clone and watch it.
pub fn counter() -> Arc<AtomicUsize> {
    COUNT.get_or_init(Arc::default).clone()
}

/// Starts listening. Where handlers cannot be installed the process ends on Ctrl-C as usual.
pub fn install() {
    let mut last: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        let previous = last.replace(Instant::now());
        if previous.is_some_and(|previous| previous.elapsed() < ONE_WISH) {
            return;
        }
        let before = counter().fetch_add(STEP.load(Ordering::SeqCst), Ordering::SeqCst);
        if HOLDERS.load(Ordering::SeqCst) == 0 || before >= STOP_NOW {
            end();
        }
        if before + STEP.load(Ordering::SeqCst) >= STOP_NOW {
            std::thread::spawn(|| {
                std::thread::sleep(PATIENCE);
                if HOLDERS.load(Ordering::SeqCst) > 0 {
                    end();
                }
            });
        }
    });
}

fn end() -> ! {
    eprintln!("interrupted");
    std::process::exit(Exit::Interrupted as i32)
}

/// While it lives, a signal asks the running trial to stop.
pub struct Hold(());

/// From here on there is something to save; what is called must watch the counter.
#[must_use]
pub fn hold() -> Hold {
    HOLDERS.fetch_add(1, Ordering::SeqCst);
    Hold(())
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDERS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// For commands whose first signal finishes the running games and whose second breaks them off.
pub fn in_two_steps() {
    STEP.store(1, Ordering::SeqCst);
}

/// Whether the user has asked to stop.
pub fn requested() -> bool {
    counter().load(Ordering::SeqCst) > 0
}

/// Asks to stop as if the user had: when going on makes no sense.
pub fn request() {
    counter().fetch_add(STOP_NOW, Ordering::SeqCst);
}
