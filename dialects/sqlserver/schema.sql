-- fragment: lease_column_types
holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL

-- name: create_lock
-- Even a binary collation ignores trailing blanks in a comparison, so the key is the name and a full stop.
IF object_id(N'{prefix_text}lock', N'U') IS NULL
CREATE TABLE {prefix}lock (
    name_key    nvarchar(201) {exact} NOT NULL PRIMARY KEY,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NULL,
    {lease_column_types}
);

-- name: create_once
IF object_id(N'{prefix_text}once', N'U') IS NULL
CREATE TABLE {prefix}once (
    name_key     nvarchar(201) {exact} NOT NULL PRIMARY KEY,
    name         nvarchar(200) NOT NULL,
    owner        varchar(32) {exact} NULL,
    {lease_column_types},
    succeeded_at bigint NULL,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint NULL,
    error        nvarchar(1000) NULL,
    duration_ms  bigint NULL
);

-- name: create_permit
IF object_id(N'{prefix_text}permit', N'U') IS NULL
CREATE TABLE {prefix}permit (
    name_key    nvarchar(201) {exact} NOT NULL,
    slot        bigint NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NULL,
    {lease_column_types},
    PRIMARY KEY (name_key, slot)
);

-- name: create_gate
IF object_id(N'{prefix_text}gate', N'U') IS NULL
CREATE TABLE {prefix}gate (
    name_key    nvarchar(201) {exact} NOT NULL PRIMARY KEY,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NULL,
    {lease_column_types}
);

-- name: create_reader
IF object_id(N'{prefix_text}reader', N'U') IS NULL
CREATE TABLE {prefix}reader (
    name_key    nvarchar(201) {exact} NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name_key, owner)
);

-- name: create_ticket
IF object_id(N'{prefix_text}ticket', N'U') IS NULL
CREATE TABLE {prefix}ticket (
    name_key    nvarchar(201) {exact} NOT NULL,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name_key, owner)
);

-- name: create_claim
-- A clustered key may have 900 bytes, a nonclustered one 1700; this one has up to 1200. Without a clustered index, pages
-- that deletes have emptied would stay. It is on a number by which nobody searches. On a part of the key, a locking
-- search might use it and lock rows of other scopes.
IF object_id(N'{prefix_text}claim', N'U') IS NULL
CREATE TABLE {prefix}claim (
    row_no      bigint IDENTITY NOT NULL,
    scope       nvarchar(200) {exact} NOT NULL,
    row_key     nvarchar(400) {exact} NOT NULL,
    token       varchar(32) {exact} NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY NONCLUSTERED (scope, row_key),
    INDEX row_numbers CLUSTERED (row_no)
);

-- name: create_range
IF object_id(N'{prefix_text}range', N'U') IS NULL
CREATE TABLE {prefix}range (
    scope       nvarchar(200) {exact} NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) {exact} NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
);

-- name: create_run
-- The name of a run does not end with a blank, so the binary collation is exact enough.
IF object_id(N'{prefix_text}run', N'U') IS NULL
CREATE TABLE {prefix}run (
    name         nvarchar(200) {exact} NOT NULL PRIMARY KEY,
    state        varchar(10) {exact} NOT NULL,
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

-- name: create_run_worker
IF object_id(N'{prefix_text}run_worker', N'U') IS NULL
CREATE TABLE {prefix}run_worker (
    run         nvarchar(200) {exact} NOT NULL,
    worker      varchar(32) {exact} NOT NULL,
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

-- name: create_run_row
-- Keys as in claim.
IF object_id(N'{prefix_text}run_row', N'U') IS NULL
CREATE TABLE {prefix}run_row (
    row_no      bigint IDENTITY NOT NULL,
    run         nvarchar(200) {exact} NOT NULL,
    row_key     nvarchar(400) {exact} NOT NULL,
    state       varchar(10) {exact} NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     nvarchar(1000) NULL,
    PRIMARY KEY NONCLUSTERED (run, row_key),
    INDEX row_numbers CLUSTERED (row_no)
);

-- name: create_run_error
IF object_id(N'{prefix_text}run_error', N'U') IS NULL
CREATE TABLE {prefix}run_error (
    run         nvarchar(200) {exact} NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    row_key     nvarchar(400) {exact} NOT NULL,
    attempt     bigint NOT NULL,
    worker      nvarchar(200) NOT NULL,
    error_class nvarchar(300) NOT NULL,
    message     nvarchar(1000) NULL,
    stack       nvarchar(4000) NULL,
    PRIMARY KEY (run, failed_at, id)
);

-- name: create_token
-- Neither a purpose nor a subject ends with a blank, so the binary collation is exact enough.
IF object_id(N'{prefix_text}token', N'U') IS NULL
CREATE TABLE {prefix}token (
    purpose      nvarchar(200) {exact} NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) {exact} NOT NULL,
    subject      nvarchar(200) {exact} NOT NULL,
    payload      nvarchar(4000) NULL,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) {exact} NULL,
    used_at      bigint NULL,
    owner        varchar(32) {exact} NULL,
    attempt      nvarchar(200) {exact} NULL,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
);

-- fragment: columns_there
-- object_id finds the table as a query would.
SELECT N'{table}' AS in_table, c.name, CASE WHEN o.type = 'U' THEN '' ELSE lower(o.type_desc) END AS form
  FROM sys.columns AS c
  JOIN sys.objects AS o ON o.object_id = c.object_id
 WHERE c.object_id = object_id(N'{table}')
