-- fragment: lease_column_types
holder      varchar(200) {exact},
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL

-- name: create_lock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) {exact} NOT NULL PRIMARY KEY,
    owner       varchar(32) {exact},
    {lease_column_types}
) ENGINE = InnoDB;

-- name: create_once
CREATE TABLE IF NOT EXISTS {prefix}once (
    name         varchar(200) {exact} NOT NULL PRIMARY KEY,
    owner        varchar(32) {exact},
    {lease_column_types},
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000) {exact},
    duration_ms  bigint
) ENGINE = InnoDB;

-- name: create_permit
CREATE TABLE IF NOT EXISTS {prefix}permit (
    name        varchar(200) {exact} NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar(32) {exact},
    {lease_column_types},
    PRIMARY KEY (name, slot)
) ENGINE = InnoDB;

-- name: create_gate
CREATE TABLE IF NOT EXISTS {prefix}gate (
    name        varchar(200) {exact} NOT NULL PRIMARY KEY,
    owner       varchar(32) {exact},
    {lease_column_types}
) ENGINE = InnoDB;

-- name: create_reader
CREATE TABLE IF NOT EXISTS {prefix}reader (
    name        varchar(200) {exact} NOT NULL,
    owner       varchar(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- name: create_ticket
CREATE TABLE IF NOT EXISTS {prefix}ticket (
    name        varchar(200) {exact} NOT NULL,
    owner       varchar(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- name: create_claim
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) {exact} NOT NULL,
    row_key     varchar(400) {exact} NOT NULL,
    token       varchar(32) {exact} NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) ENGINE = InnoDB;

-- name: create_range
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       varchar(200) {exact} NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) {exact},
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) ENGINE = InnoDB;

-- name: create_run
CREATE TABLE IF NOT EXISTS {prefix}run (
    name         varchar(200) {exact} NOT NULL PRIMARY KEY,
    state        varchar(10) {exact} NOT NULL,
    changed_by   varchar(200) {exact},
    changed_at   bigint NOT NULL,
    reason       varchar(1000) {exact},
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

-- name: create_run_worker
CREATE TABLE IF NOT EXISTS {prefix}run_worker (
    run         varchar(200) {exact} NOT NULL,
    worker      varchar(32) {exact} NOT NULL,
    label       varchar(200) {exact} NOT NULL,
    started_at  bigint NOT NULL,
    seen_at     bigint NOT NULL,
    left_at     bigint,
    done        bigint NOT NULL,
    failed      bigint NOT NULL,
    rate        bigint NOT NULL,
    in_hand     varchar(400) {exact},
    error       varchar(1000) {exact},
    PRIMARY KEY (run, worker)
) ENGINE = InnoDB;

-- name: create_run_row
CREATE TABLE IF NOT EXISTS {prefix}run_row (
    run         varchar(200) {exact} NOT NULL,
    row_key     varchar(400) {exact} NOT NULL,
    state       varchar(10) {exact} NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000) {exact},
    PRIMARY KEY (run, row_key)
) ENGINE = InnoDB;

-- name: create_run_error
CREATE TABLE IF NOT EXISTS {prefix}run_error (
    run         varchar(200) {exact} NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    row_key     varchar(400) {exact} NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) {exact} NOT NULL,
    error_class varchar(300) {exact} NOT NULL,
    message     varchar(1000) {exact},
    stack       varchar(4000) {exact},
    PRIMARY KEY (run, failed_at, id)
) ENGINE = InnoDB;

-- name: create_token
CREATE TABLE IF NOT EXISTS {prefix}token (
    purpose      varchar(200) {exact} NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) {exact} NOT NULL,
    subject      varchar(200) {exact} NOT NULL,
    payload      varchar(4000) {exact},
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) {exact},
    used_at      bigint,
    owner        varchar(32) {exact},
    attempt      varchar(200) {exact},
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB;

-- fragment: current_schema
database()

-- fragment: folded
-- Schemas are folders, and lower_case_table_names says how they compare.
'#'

-- fragment: columns_there
-- The names are compared as they stand, so that the catalog looks at one table and does not open all. An engine other
-- than InnoDB has no transactions, or no row locks.
SELECT '{table}' AS in_table, c.column_name AS name,
       CASE WHEN t.table_type <> 'BASE TABLE' THEN t.table_type
            WHEN t.engine <> 'InnoDB' THEN concat('engine ', t.engine)
            WHEN t.create_options LIKE '%partitioned%' THEN 'partitioned' ELSE '' END AS form
  FROM information_schema.columns AS c, information_schema.tables AS t
 WHERE c.table_schema = {table_schema} AND c.table_name = '{table_name}'
   AND t.table_schema = {table_schema} AND t.table_name = '{table_name}'
