-- Machines are told apart by what decides a speed, not by their address.
CREATE TABLE machines (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL,
    cpu      TEXT NOT NULL,
    cores    INTEGER NOT NULL,
    system   TEXT NOT NULL,
    UNIQUE (name, cpu, cores, system)
) STRICT;

-- One program file as it was at one commit.
CREATE TABLE builds (
    id         INTEGER PRIMARY KEY,
    file_hash  TEXT NOT NULL,
    uci_name   TEXT NOT NULL,
    git_commit TEXT NOT NULL DEFAULT '',
    branch     TEXT NOT NULL DEFAULT '',
    dirty      INTEGER NOT NULL DEFAULT 0,
    signature  INTEGER,
    UNIQUE (file_hash, uci_name, git_commit, branch, dirty)
) STRICT;

CREATE TABLE runs (
    id         INTEGER PRIMARY KEY,
    uuid       TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    title      TEXT NOT NULL,
    dyno       TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    machine    INTEGER NOT NULL REFERENCES machines (id),
    plan       TEXT NOT NULL,
    plan_hash  TEXT NOT NULL,
    ending     TEXT NOT NULL,
    exit_code  INTEGER NOT NULL,
    baseline   INTEGER NOT NULL DEFAULT 0,
    artefacts  TEXT NOT NULL,
    -- The whole result as JSON, compressed by zstd; NULL once pruned.
    detail     BLOB
) STRICT;
CREATE INDEX runs_by_time ON runs (started_ms);
CREATE INDEX runs_by_plan ON runs (kind, plan_hash, machine, started_ms);

-- The engines of a run, in their order.
CREATE TABLE run_builds (
    run   INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    name  TEXT NOT NULL,
    build INTEGER NOT NULL REFERENCES builds (id),
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE measures (
    run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    metric    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    value     REAL NOT NULL,
    low       REAL,
    high      REAL,
    n         INTEGER,
    -- The value in units of the machine's speed of that moment, and what that unit was.
    pace      REAL,
    yardstick TEXT,
    PRIMARY KEY (run, metric, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX measures_by_metric ON measures (metric, subject, run);
