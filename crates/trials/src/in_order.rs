//! Many workers, one order: work is done side by side and delivered as if done one by one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far a fast worker may run ahead of a slow one, in jobs for each worker. It bounds what
/// waits for delivery, so that memory does not grow with the number of jobs.
const AHEAD: usize = 64;

/// Jobs not yet taken, and how far things have come.
struct Queue<I> {
    jobs: I,
    taken: usize,
    delivered: usize,
    closed: bool,
}

/// Does every job on one of several workers and delivers the results in the order of the jobs, on
/// the caller's thread. Each worker has a state of its own (an engine, a solver), made on its
/// thread by `hire`. When `deliver` breaks off, no further job is begun.
///
/// ```
/// use std::ops::ControlFlow;
/// let mut seen = Vec::new();
/// dyno_trials::in_order(3, 0..100, |_| (), |(), n| n * n, |square| {
///     seen.push(square);
///     ControlFlow::Continue(())
/// });
/// assert_eq!(seen, (0..100).map(|n| n * n).collect::<Vec<_>>());
/// ```
pub fn in_order<J, R: Send, W>(
    workers: usize,
    jobs: impl Iterator<Item = J> + Send,
    hire: impl Fn(usize) -> W + Sync,
    work: impl Fn(&mut W, J) -> R + Sync,
    mut deliver: impl FnMut(R) -> ControlFlow<()>,
) {
    let workers = workers.max(1);
    let queue = Mutex::new(Queue { jobs, taken: 0, delivered: 0, closed: false });
    let moved_on = Condvar::new();
    let (sender, receiver) = crossbeam_channel::bounded(workers * 2);
    std::thread::scope(|scope| {
        for number in 0..workers {
            let (queue, moved_on, hire, work) = (&queue, &moved_on, &hire, &work);
            let sender = sender.clone();
            scope.spawn(move || {
                let mut worker = hire(number);
                while let Some((index, job)) = take(queue, moved_on, workers * AHEAD) {
                    if sender.send((index, work(&mut worker, job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        'results: for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                if deliver(result).is_break() {
                    break 'results;
                }
            }
            locked(&queue).delivered = next;
            moved_on.notify_all();
        }
        locked(&queue).closed = true;
        moved_on.notify_all();
    });
}

/// The next job with its number; waits while delivery lags too far behind.
fn take<J>(
    queue: &Mutex<Queue<impl Iterator<Item = J>>>,
    moved_on: &Condvar,
    ahead: usize,
) -> Option<(usize, J)> {
    let mut queue = locked(queue);
    while !queue.closed && queue.taken >= queue.delivered + ahead {
        queue = moved_on.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
    if queue.closed {
        return None;
    }
    let job = queue.jobs.next()?;
    queue.taken += 1;
    Some((queue.taken - 1, job))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_slow_first_job_holds_back_delivery_but_not_order() {
        let mut seen = Vec::new();
        let gate = Mutex::new(());
        let guard = locked(&gate);
        let done = AtomicUsize::new(0);
        let mut guard = Some(guard);
        std::thread::scope(|scope| {
            let (done, gate) = (&done, &gate);
            let handle = scope.spawn(move || {
                let mut seen = Vec::new();
                in_order(
                    2,
                    0..1000usize,
                    |_| (),
                    |(), n| {
                        if n == 0 {
                            drop(locked(gate));
                        }
                        done.fetch_add(1, Ordering::SeqCst);
                        n
                    },
                    |n| {
                        seen.push(n);
                        ControlFlow::Continue(())
                    },
                );
                seen
            });
            // The other worker stops at the window, not at the end.
            while done.load(Ordering::SeqCst) < 2 * AHEAD - 1 {
                std::thread::yield_now();
            }
            drop(guard.take());
            seen = handle.join().unwrap_or_default();
        });
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn breaking_off_stops_taking_jobs() {
        let taken = AtomicUsize::new(0);
        let jobs = std::iter::repeat_with(|| taken.fetch_add(1, Ordering::SeqCst));
        let mut delivered = 0;
        in_order(
            4,
            jobs,
            |_| (),
            |(), n| n,
            |_| {
                delivered += 1;
                if delivered == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(delivered, 10);
        assert!(taken.load(Ordering::SeqCst) < 10 + 5 * AHEAD);
    }
}
