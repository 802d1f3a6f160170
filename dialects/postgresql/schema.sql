-- name: create_lock
-- Collation "C" compares bytes. The free space on each page lets an update stay on it, without touching the index.
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    {lease_column_types}
) WITH (fillfactor = 70);

-- name: create_once
CREATE TABLE IF NOT EXISTS {prefix}once (
    name         varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner        varchar(32) COLLATE "C",
    {lease_column_types},
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000),
    duration_ms  bigint
) WITH (fillfactor = 70);

-- name: create_permit
CREATE TABLE IF NOT EXISTS {prefix}permit (
    name        varchar(200) COLLATE "C" NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar(32) COLLATE "C",
    {lease_column_types},
    PRIMARY KEY (name, slot)
) WITH (fillfactor = 70);

-- name: create_gate
CREATE TABLE IF NOT EXISTS {prefix}gate (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    {lease_column_types}
) WITH (fillfactor = 70);

-- name: create_reader
CREATE TABLE IF NOT EXISTS {prefix}reader (
    name        varchar(200) COLLATE "C" NOT NULL,
    owner       varchar(32) COLLATE "C" NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) WITH (fillfactor = 70);

-- name: create_ticket
CREATE TABLE IF NOT EXISTS {prefix}ticket (
    name        varchar(200) COLLATE "C" NOT NULL,
    owner       varchar(32) COLLATE "C" NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) WITH (fillfactor = 70);

-- name: create_claim
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    token       varchar(32) COLLATE "C" NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) WITH (fillfactor = 70);

-- name: create_range
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       varchar(200) COLLATE "C" NOT NULL,
    id          varchar(32) COLLATE "C" NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) COLLATE "C",
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) WITH (fillfactor = 70);

-- name: create_run
CREATE TABLE IF NOT EXISTS {prefix}run (
    name         varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
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
) WITH (fillfactor = 70);

-- name: create_run_worker
CREATE TABLE IF NOT EXISTS {prefix}run_worker (
    run         varchar(200) COLLATE "C" NOT NULL,
    worker      varchar(32) COLLATE "C" NOT NULL,
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
) WITH (fillfactor = 70);

-- name: create_run_row
CREATE TABLE IF NOT EXISTS {prefix}run_row (
    run         varchar(200) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    state       varchar(10) NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000),
    PRIMARY KEY (run, row_key)
);

-- name: create_run_error
CREATE TABLE IF NOT EXISTS {prefix}run_error (
    run         varchar(200) COLLATE "C" NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) NOT NULL,
    error_class varchar(300) NOT NULL,
    message     varchar(1000),
    stack       varchar(4000),
    PRIMARY KEY (run, failed_at, id)
);

-- name: create_token
CREATE TABLE IF NOT EXISTS {prefix}token (
    purpose      varchar(200) COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    id           varchar(32) COLLATE "C" NOT NULL,
    subject      varchar(200) COLLATE "C" NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE "C",
    used_at      bigint,
    owner        varchar(32) COLLATE "C",
    attempt      varchar(200) COLLATE "C",
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) WITH (fillfactor = 70);

-- fragment: columns_there
-- to_regclass finds the table as a query would, by the search path. A key is not unique over the tables that inherit
-- from one another.
SELECT '{table}' AS in_table, a.attname::text AS name,
       CASE c.relkind WHEN 'r' THEN CASE WHEN c.relispartition THEN 'a partition'
                                         WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
                                         THEN 'inherited' ELSE '' END
                      WHEN 'p' THEN 'partitioned' WHEN 'f' THEN 'a foreign table' ELSE 'a view' END AS form
  FROM pg_attribute AS a
  JOIN pg_class AS c ON c.oid = a.attrelid
 WHERE c.oid = to_regclass('{table}') AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege(c.oid, a.attnum, 'SELECT')
