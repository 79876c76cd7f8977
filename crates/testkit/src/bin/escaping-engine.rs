//! `escaping-engine`: tries to get at what is not its own, for tests of the jail. With the word
//! `leave-group` it does that alone, and then nothing any more.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use dyno_testkit::escapes;
    if std::env::args().nth(1).as_deref() == Some("leave-group") {
        while escapes::leave_group() {
            std::thread::park();
        }
        return std::process::ExitCode::from(4);
    }
    match escapes::run(std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(4),
    }
}

/// There is no jail to get out of.
#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(4)
}
