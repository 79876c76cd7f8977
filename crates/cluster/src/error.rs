//! What can go wrong between machines, in words that say what to do.

use super::message::PROTOCOL;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "{0:?} is not a cluster: give the address of a NATS server (nats://host:4222), or an invitation or its file from `dyno cluster up`"
    )]
    Address(String),
    #[error("the invitation is damaged ({0}): paste it again, whole")]
    Invitation(String),
    #[error("{server}: cannot be reached: {reason}")]
    Unreachable { server: String, reason: String },
    #[error(
        "{server}: the server refuses this key: paste the line that `dyno cluster up` printed, or make a new key there"
    )]
    WrongKey { server: String },
    #[error(
        "{server}: this is not the server that the invitation is for ({reason}): paste the line that `dyno cluster up` prints there now"
    )]
    OtherServer { server: String, reason: String },
    #[error(
        "the key of {name} lets a worker in, not a match: use the file `coordinator` that `dyno cluster up` wrote"
    )]
    WorkerKey { name: String },
    #[error(
        "{server}: the server has no JetStream: start it with `dyno cluster up`, or as `nats-server -js`"
    )]
    NoJetStream { server: String },
    #[error(
        "{server}: the server is open to everyone who can reach it: set it up with `dyno cluster up`, or use it all the same with --insecure"
    )]
    OpenServer { server: String },
    #[error(
        "the other side speaks version {found} of the cluster's language and this Dyno version {PROTOCOL}: install the same Dyno on all machines"
    )]
    Protocol { found: u8 },
    #[error("a message that cannot be read: {0}")]
    Message(String),
    #[error(
        "the object store of the cluster is full: {0} could not be stored; give the server more room (max_file_store), or end old matches"
    )]
    StoreFull(String),
    #[error("{what}: {reason}")]
    JetStream { what: &'static str, reason: String },
    #[error("{name} arrived damaged: its content is not what its hash says")]
    Damaged { name: String },
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "engine {engine} has no program for this machine ({platform}), which has to measure it: add cmd=PROGRAM, or cmd.{platform}=PROGRAM"
    )]
    NoProgram { engine: String, platform: String },
    #[error(
        "a worker runs other people's programs, and there is no jail here to run them in ({0}): use --trust if you know who gives out the work"
    )]
    NoJail(String),
    #[error("{0}")]
    Server(String),
    #[error("interrupted")]
    Interrupted,
}

impl ClusterError {
    pub(crate) fn jetstream(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::JetStream { what, reason: reason.to_string() }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
