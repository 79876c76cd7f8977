//! Linux: death with the parent, usage and activity from /proc.

use super::usage::{Activity, Usage};
use rustix::process::Signal;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use std::{fs, io, thread};

type Job = Box<dyn FnOnce() + Send>;

/// The kernel sends the death signal when the *thread* that started the child ends, so all
/// children are started by one thread that lives as long as the process.
static SPAWNER: OnceLock<Sender<Job>> = OnceLock::new();

fn spawner() -> &'static Sender<Job> {
    SPAWNER.get_or_init(|| {
        let (send, receive) = channel::<Job>();
        thread::spawn(move || receive.into_iter().for_each(|job| job()));
        send
    })
}

/// Starts a child that the kernel kills when Dyno dies, be it by SIGKILL.
pub(super) fn spawn_with_death_signal(mut command: Command) -> io::Result<Child> {
    set_death_signal(&mut command);
    let (send, receive) = channel();
    let job: Job = Box::new(move || drop(send.send(command.spawn())));
    let gone = |_| io::Error::other("the thread that starts engines is gone");
    spawner().send(job).map_err(|_| gone(()))?;
    receive.recv().map_err(|_| gone(()))?
}

#[allow(unsafe_code, reason = "the only way to run code between fork and exec")]
fn set_death_signal(command: &mut Command) {
    let parent = rustix::process::getpid();
    let at_birth = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the line above.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::Error::other("the parent is gone"));
        }
        Ok(())
    };
    // SAFETY: the closure runs in the child between fork and exec, where only
    // async-signal-safe calls are allowed. It makes two system calls (prctl, getppid) and
    // allocates only on the path where the child is about to die anyway.
    unsafe {
        command.pre_exec(at_birth);
    }
}

/// The state, the group and the CPU time of a process or thread.
fn stat(path: &str) -> Option<(char, u32, Duration)> {
    let stat = fs::read_to_string(path).ok()?;
    // The name in parentheses may hold anything, even parentheses.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let cpu = Duration::from_millis((ticks(11)? + ticks(12)?) * 10);
    Some((fields.first()?.chars().next()?, fields.get(2)?.parse().ok()?, cpu))
}

fn numbers_in(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The engine may be the child of a wrapper script, so the whole group is looked at; and a thread
/// that waits for a CPU is at work, too.
pub(super) fn activity(group: u32) -> Option<Activity> {
    let mut activity: Option<Activity> = None;
    for pid in numbers_in("/proc") {
        let Some((_, _, cpu)) =
            stat(&format!("/proc/{pid}/stat")).filter(|(_, its, _)| *its == group)
        else {
            continue;
        };
        let tasks = format!("/proc/{pid}/task");
        let runs = |id: &u32| {
            stat(&format!("{tasks}/{id}/stat")).is_some_and(|(state, _, _)| "RD".contains(state))
        };
        let all = activity.get_or_insert_default();
        all.cpu += cpu;
        all.runs |= numbers_in(&tasks).iter().any(runs);
    }
    activity
}

/// The processor time of the threads that are alive, to the nanosecond.
fn scheduled(pid: u32) -> Option<Duration> {
    let tasks = format!("/proc/{pid}/task");
    let of = |id: &u32| {
        let text = fs::read_to_string(format!("{tasks}/{id}/schedstat")).ok()?;
        text.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    numbers_in(&tasks).iter().map(of).sum::<Option<u64>>().map(Duration::from_nanos)
}

/// The sum over the threads is exact, but knows nothing of those that have ended; the count in
/// ticks knows them, in steps of ten milliseconds.
fn exact(ticks: Duration, threads: Option<Duration>) -> Duration {
    const STEPS: Duration = Duration::from_millis(20);
    threads.filter(|threads| *threads + STEPS >= ticks).unwrap_or(ticks)
}

pub(super) fn usage(pid: u32) -> Option<Usage> {
    let (_, _, ticks) = stat(&format!("/proc/{pid}/stat"))?;
    let cpu = exact(ticks, scheduled(pid));
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|p| p.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Some(Usage { cpu, peak_memory: kib.unwrap_or(0) * 1024 })
}
