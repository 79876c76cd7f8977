//! A jail for engines of strangers: `dyno` starts itself again, gives up what an engine does not
//! need, and then becomes the engine.
//!
//! Landlock restricts files, seccomp system calls, resource limits memory and file sizes, and a look
//! every second what is written in all. None of it needs root, and all of it is inherited by whatever the engine does next.

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod limits;
mod policy;
#[cfg(target_os = "linux")]
mod quota;
mod scratch;
#[cfg(target_os = "linux")]
mod system_calls;

pub(crate) use policy::Policy;
pub(crate) use scratch::ScratchFolder;

use std::ffi::OsString;

/// The word after `dyno` that starts the helper; not for people.
pub(crate) const HELPER: &str = "jailed-engine";

/// Why there is no jail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoJail {
    #[error("there is no jail on {}: landlock and seccomp are Linux's", std::env::consts::OS)]
    System,
    #[error(
        "this kernel has no landlock, or it is switched off (lsm=… on the kernel's command line)"
    )]
    Landlock,
    #[error("system calls cannot be filtered: {0}")]
    Seccomp(String),
    #[error("{0}")]
    Other(String),
}

/// What the system cannot enforce, a sentence each; nothing when the jail is whole.
///
/// Tried for real, on a thread that ends right away: landlock and seccomp bind one thread.
pub fn jail_gaps() -> Result<Vec<String>, NoJail> {
    #[cfg(target_os = "linux")]
    {
        let inside = std::thread::spawn(|| {
            let mut gaps = limits::gaps();
            gaps.extend(files::restrict(&Policy::default())?);
            system_calls::restrict()?;
            Ok(gaps)
        });
        inside.join().unwrap_or_else(|_| Err(NoJail::Other("the jail cannot be tried".to_owned())))
    }
    #[cfg(not(target_os = "linux"))]
    Err(NoJail::System)
}

/// Becomes the engine that the arguments of this process name, if they are the helper's: to be
/// called first thing in `main`. Returns only where there is nothing to become, or where it fails.
pub fn become_jailed_engine(mut args: impl Iterator<Item = OsString>) -> Result<(), String> {
    if args.nth(1).is_none_or(|word| word != HELPER) {
        return Ok(());
    }
    let policy = args.next().and_then(|text| serde_json::from_str(text.to_str()?).ok());
    match (policy, args.next()) {
        (Some(policy), Some(program)) => Err(enter(&policy, &program, args)),
        _ => Err(format!("{HELPER} is what Dyno calls itself with; use --jail")),
    }
}

/// Gives everything up and executes the program; says why it could not.
#[cfg(target_os = "linux")]
fn enter(
    policy: &Policy,
    program: &std::ffi::OsStr,
    args: impl Iterator<Item = OsString>,
) -> String {
    use std::os::unix::process::CommandExt;
    let restricted = limits::restrict(policy)
        .and_then(|()| files::restrict(policy))
        .and_then(|_| system_calls::restrict());
    match restricted {
        Ok(()) => {
            let env = policy.env.iter().map(|(name, value)| (name, value));
            let error = std::process::Command::new(program).args(args).envs(env).exec();
            format!("{} cannot be executed in the jail: {error}", program.display())
        }
        Err(error) => error.to_string(),
    }
}

#[cfg(not(target_os = "linux"))]
fn enter(_: &Policy, _: &std::ffi::OsStr, _: impl Iterator<Item = OsString>) -> String {
    NoJail::System.to_string()
}
