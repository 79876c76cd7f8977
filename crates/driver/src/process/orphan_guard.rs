//! Kills what engines leave behind when Dyno itself is killed.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A small shell that outlives Dyno by a moment. It is told which process groups run; when Dyno is
/// gone, however it ended, the pipe closes and the shell kills the groups left, and their leaders,
/// which may be in other groups by then. The death signal reaches the child alone; this covers what
/// it started, such as the engine behind a wrapper script.
static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

const GUARD_SCRIPT: &str = r#"trap '' INT TERM HUP
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group" "$group" 2>/dev/null; done"#;

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

/// The group that the child leads is killed when Dyno ends.
pub(super) fn register_group(child: &Child) {
    tell_guard('+', child);
}

/// The group has ended.
pub(super) fn unregister_group(child: &Child) {
    tell_guard('-', child);
}
