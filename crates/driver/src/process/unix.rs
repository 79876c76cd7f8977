//! Unix: process groups, death with the parent, usage.

use super::{Activity, Usage};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Starts the child in a group of its own: Ctrl-C in the terminal reaches Dyno alone, and one
/// signal reaches everything the engine starts.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    return linux::spawn_mortal(command);
    #[cfg(not(target_os = "linux"))]
    command.spawn()
}

/// Looks without waiting for it, so that the number stays reserved until the group is dealt with.
pub(super) fn has_ended(child: &mut Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

pub(super) fn terminate_group(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
}

pub(super) fn kill_group(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// A small shell that outlives Dyno by a moment. It is told which groups run; when Dyno is gone,
/// however it went, the pipe closes and the shell kills those left. This covers what an engine
/// itself started, such as the real engine behind a wrapper script.
static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

const GUARD_SCRIPT: &str = r#"trap '' INT TERM HUP
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done"#;

fn start_guard() -> Option<Mutex<ChildStdin>> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD_SCRIPT, "dyno-guard"]).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()?.stdin.take().map(Mutex::new)
}

fn tell_guard(sign: char, child: &Child) {
    if let Some(guard) = GUARD.get_or_init(start_guard) {
        let mut pipe = guard.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = pipe.write_all(format!("{sign} {}\n", child.id()).as_bytes());
    }
}

pub(super) fn guard(child: &Child) {
    tell_guard('+', child);
}

pub(super) fn unguard(child: &Child) {
    tell_guard('-', child);
}

#[cfg(target_os = "linux")]
pub(super) use linux::{activity, usage};

#[cfg(not(target_os = "linux"))]
pub(super) fn usage(_: u32) -> Option<Usage> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn activity(_: u32) -> Option<Activity> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Activity, Child, Command, CommandExt, OnceLock, Signal, Usage, io};
    use std::fs;
    use std::sync::mpsc::{Sender, channel};
    use std::thread;
    use std::time::Duration;

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
    pub(super) fn spawn_mortal(mut command: Command) -> io::Result<Child> {
        die_with_parent(&mut command);
        let (send, receive) = channel();
        let job: Job = Box::new(move || drop(send.send(command.spawn())));
        let gone = |_| io::Error::other("the thread that starts engines is gone");
        spawner().send(job).map_err(|_| gone(()))?;
        receive.recv().map_err(|_| gone(()))?
    }

    #[allow(unsafe_code, reason = "the only way to run code between fork and exec")]
    fn die_with_parent(command: &mut Command) {
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

    /// The state, the group and the processor time of a process or thread.
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

    /// The real engine may be the child of a script, so the whole group is looked at; and a thread
    /// that others keep from the processor is at work, too.
    pub(in super::super) fn activity(group: u32) -> Option<Activity> {
        let mut activity: Option<Activity> = None;
        for pid in numbers_in("/proc") {
            let Some((_, _, cpu)) =
                stat(&format!("/proc/{pid}/stat")).filter(|(_, its, _)| *its == group)
            else {
                continue;
            };
            let tasks = format!("/proc/{pid}/task");
            let runs = |id: &u32| {
                stat(&format!("{tasks}/{id}/stat"))
                    .is_some_and(|(state, _, _)| "RD".contains(state))
            };
            let all = activity.get_or_insert_default();
            all.cpu += cpu;
            all.runs |= numbers_in(&tasks).iter().any(runs);
        }
        activity
    }

    pub(in super::super) fn usage(pid: u32) -> Option<Usage> {
        let (_, _, cpu) = stat(&format!("/proc/{pid}/stat"))?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|p| p.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        Some(Usage { cpu, peak_memory: kib.unwrap_or(0) * 1024 })
    }
}
