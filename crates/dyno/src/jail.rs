//! `--jail`: what it can do here, said before the first engine starts.

use crate::exit::{Coded, Exit};
use dyno_report::terminal::{eprintln, warning_mark};
use std::sync::Once;

/// Refuses where there is no jail, and says once what this system cannot enforce.
pub fn require() -> anyhow::Result<()> {
    let gaps = dyno_driver::jail_gaps().map_err(|error| Coded {
        exit: Exit::Usage,
        message: format!("--jail: {error}; without --jail engines run like any program of yours"),
    })?;
    static SAID: Once = Once::new();
    SAID.call_once(|| gaps.iter().for_each(|gap| eprintln!("{} --jail: {gap}", warning_mark())));
    Ok(())
}
