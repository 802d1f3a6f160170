-- The tables of Dibs 0.1.0. A released file does not change.

CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar_casesensitive(200) NOT NULL PRIMARY KEY,
    owner       varchar_casesensitive(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS dibs_once (
    name         varchar_casesensitive(200) NOT NULL PRIMARY KEY,
    owner        varchar_casesensitive(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000),
    duration_ms  bigint
);

CREATE TABLE IF NOT EXISTS dibs_permit (
    name        varchar_casesensitive(200) NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar_casesensitive(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, slot)
);

CREATE TABLE IF NOT EXISTS dibs_gate (
    name        varchar_casesensitive(200) NOT NULL PRIMARY KEY,
    owner       varchar_casesensitive(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS dibs_reader (
    name        varchar_casesensitive(200) NOT NULL,
    owner       varchar_casesensitive(32) NOT NULL,
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
);

CREATE TABLE IF NOT EXISTS dibs_ticket (
    name        varchar_casesensitive(200) NOT NULL,
    owner       varchar_casesensitive(32) NOT NULL,
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
);

CREATE TABLE IF NOT EXISTS dibs_claim (
    scope       varchar_casesensitive(200) NOT NULL,
    row_key     varchar_casesensitive(400) NOT NULL,
    token       varchar_casesensitive(32) NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
);

CREATE TABLE IF NOT EXISTS dibs_range (
    scope       varchar_casesensitive(200) NOT NULL,
    id          varchar_casesensitive(32) NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar_casesensitive(32),
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
);

CREATE TABLE IF NOT EXISTS dibs_run (
    name         varchar_casesensitive(200) NOT NULL PRIMARY KEY,
    state        varchar(10) NOT NULL,
    changed_by   varchar(200),
    changed_at   bigint NOT NULL,
    reason       varchar(1000),
    batch        bigint NOT NULL,
    rate         bigint NOT NULL,
    max_failures bigint NOT NULL,
    max_percent  bigint NOT NULL,
    forgiven     bigint NOT NULL,
    total        bigint,
    started_at   bigint NOT NULL,
    finished_at  bigint,
    next_at      bigint NOT NULL,
    done_before  bigint DEFAULT 0 NOT NULL,
    failed_before bigint DEFAULT 0 NOT NULL
);

CREATE TABLE IF NOT EXISTS dibs_run_worker (
    run         varchar_casesensitive(200) NOT NULL,
    worker      varchar_casesensitive(32) NOT NULL,
    label       varchar(200) NOT NULL,
    started_at  bigint NOT NULL,
    seen_at     bigint NOT NULL,
    left_at     bigint,
    done        bigint NOT NULL,
    failed      bigint NOT NULL,
    rate        bigint NOT NULL,
    in_hand     varchar(400),
    error       varchar(1000),
    PRIMARY KEY (run, worker)
);

CREATE TABLE IF NOT EXISTS dibs_run_row (
    run         varchar_casesensitive(200) NOT NULL,
    row_key     varchar_casesensitive(400) NOT NULL,
    state       varchar(10) NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000),
    PRIMARY KEY (run, row_key)
);

CREATE TABLE IF NOT EXISTS dibs_run_error (
    run         varchar_casesensitive(200) NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar_casesensitive(32) NOT NULL,
    row_key     varchar_casesensitive(400) NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) NOT NULL,
    error_class varchar(300) NOT NULL,
    message     varchar(1000),
    stack       varchar(4000),
    PRIMARY KEY (run, failed_at, id)
);

CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar_casesensitive(200) NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar_casesensitive(32) NOT NULL,
    subject      varchar_casesensitive(200) NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar_casesensitive(10),
    used_at      bigint,
    owner        varchar_casesensitive(32),
    attempt      varchar_casesensitive(200),
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
);
