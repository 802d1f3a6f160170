-- The tables of Dibs 0.1.0. A released file does not change.

CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_once (
    name         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    duration_ms  bigint
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_permit (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, slot)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_gate (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_reader (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_ticket (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_claim (
    scope       varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    row_key     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    token       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_range (
    scope       varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    id          varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_run (
    name         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    state        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    changed_by   varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    changed_at   bigint NOT NULL,
    reason       varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
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
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_run_worker (
    run         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    worker      varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    label       varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    started_at  bigint NOT NULL,
    seen_at     bigint NOT NULL,
    left_at     bigint,
    done        bigint NOT NULL,
    failed      bigint NOT NULL,
    rate        bigint NOT NULL,
    in_hand     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    error       varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    PRIMARY KEY (run, worker)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_run_row (
    run         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    row_key     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    state       varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    PRIMARY KEY (run, row_key)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_run_error (
    run         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    row_key     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    error_class varchar(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    message     varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    stack       varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    PRIMARY KEY (run, failed_at, id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    used_at      bigint,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB;
