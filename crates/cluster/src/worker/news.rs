//! What a worker tells its user.

/// What a worker has to say to its user.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerNews {
    Connected {
        server: String,
        name: String,
        boards: usize,
    },
    /// There is nothing to connect to, or nothing to do there yet.
    Waiting(String),
    /// What the jail of engines cannot enforce here.
    JailGap(String),
    Lost,
    Back,
    Preparing {
        run: String,
        name: String,
    },
    Ready {
        run: String,
        factor: f64,
        nps: Option<u64>,
    },
    Unfit {
        run: String,
        reason: String,
    },
    Finished {
        run: String,
        pair: u64,
        results: Vec<String>,
    },
    MatchOver {
        run: String,
    },
    /// The running pairs are being finished.
    Leaving {
        pairs: usize,
    },
}
