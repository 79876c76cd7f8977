//! Who an engine is: what it says of itself, and what a result records of it. A result without
//! this cannot be compared with another.

use crate::program::find_program;
use crate::spec::{EngineSpec, Program, Protocol};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What an engine says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub name: Option<String>,
    pub author: Option<String>,
}

/// The identity of an engine as it took part in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineIdentity {
    /// What reports call it.
    pub name: String,
    /// What it calls itself, if it says so.
    pub id: Option<String>,
    /// Its author, by its own account.
    pub author: Option<String>,
    /// The command line that runs it.
    pub command: String,
    /// The program file.
    pub path: Option<String>,
    /// A checksum of that file (64-bit FNV-1a), which tells builds apart. Early journals call it
    /// `hash`.
    #[serde(alias = "hash")]
    pub file_hash: Option<String>,
    /// What it speaks.
    pub protocol: Protocol,
    /// The options that were set.
    pub options: Vec<(String, String)>,
}

/// The program file of a specification.
pub(crate) fn program_file(spec: &EngineSpec) -> Option<PathBuf> {
    match &spec.program {
        Program::Builtin => std::env::current_exe().ok(),
        Program::Path(path) => find_program(path),
    }
}

/// A checksum of a file's bytes; `None` when it cannot be read.
#[must_use]
pub fn file_hash(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0u8; 1 << 16];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    loop {
        let count = file.read(&mut buffer).ok()?;
        if count == 0 {
            return Some(format!("{hash:016x}"));
        }
        for byte in &buffer[..count] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
