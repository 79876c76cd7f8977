//! What this build is, as `build.rs` found it out.

/// The version and the commit: `0.2.0 (04c61315e 2026-11-17)`.
pub const VERSION: &str = env!("DYNO_VERSION");

/// The same, with the profile, the target and the compiler in a line of their own.
pub const WITH_BUILD: &str = concat!(env!("DYNO_VERSION"), "\nbuild: ", env!("DYNO_BUILD"));
