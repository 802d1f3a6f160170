-- The tables of Dibs 0.1.0. A released file does not change.

IF object_id(N'dibs_lock', N'U') IS NULL
CREATE TABLE dibs_lock (
    name_key    nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

IF object_id(N'dibs_once', N'U') IS NULL
CREATE TABLE dibs_once (
    name_key     nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
    name         nvarchar(200) NOT NULL,
    owner        varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    succeeded_at bigint NULL,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint NULL,
    error        nvarchar(1000) NULL,
    duration_ms  bigint NULL
);

IF object_id(N'dibs_permit', N'U') IS NULL
CREATE TABLE dibs_permit (
    name_key    nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL,
    slot        bigint NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name_key, slot)
);

IF object_id(N'dibs_gate', N'U') IS NULL
CREATE TABLE dibs_gate (
    name_key    nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

IF object_id(N'dibs_reader', N'U') IS NULL
CREATE TABLE dibs_reader (
    name_key    nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name_key, owner)
);

IF object_id(N'dibs_ticket', N'U') IS NULL
CREATE TABLE dibs_ticket (
    name_key    nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name_key, owner)
);

IF object_id(N'dibs_claim', N'U') IS NULL
CREATE TABLE dibs_claim (
    row_no      bigint IDENTITY NOT NULL,
    scope       nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    row_key     nvarchar(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    token       varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY NONCLUSTERED (scope, row_key),
    INDEX row_numbers CLUSTERED (row_no)
);

IF object_id(N'dibs_range', N'U') IS NULL
CREATE TABLE dibs_range (
    scope       nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    id          varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
);

IF object_id(N'dibs_run', N'U') IS NULL
CREATE TABLE dibs_run (
    name         nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
    state        varchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL,
    changed_by   nvarchar(200) NULL,
    changed_at   bigint NOT NULL,
    reason       nvarchar(1000) NULL,
    batch        bigint NOT NULL,
    rate         bigint NOT NULL,
    max_failures bigint NOT NULL,
    max_percent  bigint NOT NULL,
    forgiven     bigint NOT NULL,
    total        bigint NULL,
    started_at   bigint NOT NULL,
    finished_at  bigint NULL,
    next_at      bigint NOT NULL,
    done_before  bigint NOT NULL DEFAULT 0,
    failed_before bigint NOT NULL DEFAULT 0
);

IF object_id(N'dibs_run_worker', N'U') IS NULL
CREATE TABLE dibs_run_worker (
    run         nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    worker      varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    label       nvarchar(200) NOT NULL,
    started_at  bigint NOT NULL,
    seen_at     bigint NOT NULL,
    left_at     bigint NULL,
    done        bigint NOT NULL,
    failed      bigint NOT NULL,
    rate        bigint NOT NULL,
    in_hand     nvarchar(400) NULL,
    error       nvarchar(1000) NULL,
    PRIMARY KEY (run, worker)
);

IF object_id(N'dibs_run_row', N'U') IS NULL
CREATE TABLE dibs_run_row (
    row_no      bigint IDENTITY NOT NULL,
    run         nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    row_key     nvarchar(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    state       varchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     nvarchar(1000) NULL,
    PRIMARY KEY NONCLUSTERED (run, row_key),
    INDEX row_numbers CLUSTERED (row_no)
);

IF object_id(N'dibs_run_error', N'U') IS NULL
CREATE TABLE dibs_run_error (
    run         nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    row_key     nvarchar(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    attempt     bigint NOT NULL,
    worker      nvarchar(200) NOT NULL,
    error_class nvarchar(300) NOT NULL,
    message     nvarchar(1000) NULL,
    stack       nvarchar(4000) NULL,
    PRIMARY KEY (run, failed_at, id)
);

IF object_id(N'dibs_token', N'U') IS NULL
CREATE TABLE dibs_token (
    purpose      nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    subject      nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    payload      nvarchar(4000) NULL,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE Latin1_General_100_BIN2 NULL,
    used_at      bigint NULL,
    owner        varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    attempt      nvarchar(200) COLLATE Latin1_General_100_BIN2 NULL,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
);
