-- The tables: one statement for each table or index, in the order in which they must run. Each can be run again.
--
-- A line "capability" begins the tables of one capability, which are created and checked together. A user of one
-- capability needs its tables and those of the capabilities that it needs, and no others. A dialect's own schema.sql
-- need not repeat these lines. What is asked of a table that is there, such as its drift, is in tables.sql.

-- fragment: lease_columns
-- What every table of leases has besides the key. The end of the lease is the last one.
owner, holder, fence, acquired_at, held_until

-- fragment: l_lease_columns
-- The same, where the table is called l.
l.owner, l.holder, l.fence, l.acquired_at, l.held_until

-- fragment: lease_column_types
-- Their types, after that of the owner: a reader always has one.
holder      varchar(200) {prose},
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL

-- capability: locks

-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed. A release sets that to 0.
--   name         exact: case, blanks and all
--   owner        the owner token: random, one for each acquisition; NULL after a release. Every write needs it
--   holder       a label for people: which process has the lock
--   fence        the fencing token: it grows with every acquisition of the name
--   acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        {exact_text}(200) {exact} NOT NULL PRIMARY KEY,
    owner       {exact_text}(32) {exact},
    {lease_column_types}
) {engine} {free_space};

-- capability: once

-- name: create_once
-- One row is work that is done once a period: when it was last done, and who does it now. Columns as in lock, and
--   succeeded_at the last success, or NULL
--   retry_at     not due before, after a failure
--   failures     failures since the last success
--   failed_at, error   the last failure
--   duration_ms  of the last success: it began at succeeded_at - duration_ms
CREATE TABLE IF NOT EXISTS {prefix}once (
    name         {exact_text}(200) {exact} NOT NULL PRIMARY KEY,
    owner        {exact_text}(32) {exact},
    {lease_column_types},
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000) {prose},
    duration_ms  bigint
) {engine} {free_space};

-- capability: semaphores

-- name: create_permit
-- One row is one slot of a semaphore, held or not. Columns as in lock, and
--   slot         0 for the first one; a semaphore of N permits uses those below N
CREATE TABLE IF NOT EXISTS {prefix}permit (
    name        {exact_text}(200) {exact} NOT NULL,
    slot        bigint NOT NULL,
    owner       {exact_text}(32) {exact},
    {lease_column_types},
    PRIMARY KEY (name, slot)
) {engine} {free_space};

-- capability: read_write_locks

-- name: create_gate
-- One row is the gate of a read-write lock. Columns as in lock. The gate is open for readers while it has no owner; an
-- expired owner still keeps it closed. The owner is a writer, or a writer that waits for the last reader to leave.
CREATE TABLE IF NOT EXISTS {prefix}gate (
    name        {exact_text}(200) {exact} NOT NULL PRIMARY KEY,
    owner       {exact_text}(32) {exact},
    {lease_column_types}
) {engine} {free_space};

-- name: create_reader
-- One row is one reader behind that gate; its release deletes it. While the row exists, no writer writes. Columns as in
-- lock, and
--   fence        the gate's fence when the row was added
CREATE TABLE IF NOT EXISTS {prefix}reader (
    name        {exact_text}(200) {exact} NOT NULL,
    owner       {exact_text}(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) {engine} {free_space};

-- capability: fair_locks needs locks

-- name: create_ticket
-- One row is a waiter for a fair lock; its release deletes it. Columns as in lock, and
--   fence        the ticket's number: the lowest one is first
CREATE TABLE IF NOT EXISTS {prefix}ticket (
    name        {exact_text}(200) {exact} NOT NULL,
    owner       {exact_text}(32) {exact} NOT NULL,
    {lease_column_types},
    PRIMARY KEY (name, owner)
) {engine} {free_space};

-- capability: claims
-- Only claims that are not stored in the user's own table need them.

-- name: create_claim
-- One row is a claim on a row of a user's table, if claims are not stored in that table itself. No row: the user's row
-- is free.
--   scope        the user's table, as the program names it
--   row_key      the key of the row as one text
--   token        the random token of the claim; dibs-later: postponed; dibs-dead: a dead row, which no claim gets
--   held_until   milliseconds since 1970 UTC by this database's clock; when it has passed, the row is free
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       {exact_text}(200) {exact} NOT NULL,
    row_key     {exact_text}(400) {exact} NOT NULL,
    token       {exact_text}(32) {exact} NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) {engine} {free_space};

-- name: create_range
-- One row is a claimed range of keys, both ends included, or the cursor: all keys up to it have been claimed.
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       {exact_text}(200) {exact} NOT NULL,
    id          {exact_text}(32) {exact} NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       {exact_text}(32) {exact},
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) {engine} {free_space};

-- capability: runs

-- name: create_run
-- One row is one run. Every worker reads it once a batch.
--   state        running, paused or stopped; changed_by, changed_at and reason say who changed it, when and why
--   batch        rows in a claim
--   rate         rows in 1000 seconds over all workers; 0 for no limit
--   max_failures, max_percent   the run stops at so many failed attempts; 0 for no limit
--   forgiven     the failed attempts before it was resumed, which no longer count
--   done_before, failed_before   counts of the workers in run_worker that are not of this pass
--   total        the rows at the start, or NULL if they were not counted
--   next_at      microseconds: when the rate allows the next claim
CREATE TABLE IF NOT EXISTS {prefix}run (
    name         {exact_text}(200) {exact} NOT NULL PRIMARY KEY,
    state        varchar(10) {prose} NOT NULL,
    changed_by   varchar(200) {prose},
    changed_at   bigint NOT NULL,
    reason       varchar(1000) {prose},
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
) {engine} {free_space};

-- name: create_run_worker
-- One row is one worker of a run: a thread that claims rows. Only that worker writes it.
--   worker       random, for each start
--   done, failed rows completed, and attempts that failed
--   rate         rows in 1000 seconds, lately
--   seen_at      when it last reported
--   left_at      when it ended normally, or NULL
--   in_hand      the key of its current row
--   error        the error that ended it, if there was one
CREATE TABLE IF NOT EXISTS {prefix}run_worker (
    run         {exact_text}(200) {exact} NOT NULL,
    worker      {exact_text}(32) {exact} NOT NULL,
    label       varchar(200) {prose} NOT NULL,
    started_at  bigint NOT NULL,
    seen_at     bigint NOT NULL,
    left_at     bigint,
    done        bigint NOT NULL,
    failed      bigint NOT NULL,
    rate        bigint NOT NULL,
    in_hand     varchar(400) {prose},
    error       varchar(1000) {prose},
    PRIMARY KEY (run, worker)
) {engine} {free_space};

-- name: create_run_row
-- One row is a row of the user's table that has failed and is not completed yet. Only the worker that has claimed that
-- row writes this one.
--   state        retry: it is tried again by itself; dead: no more attempts; again: a dead row that is to be tried again
CREATE TABLE IF NOT EXISTS {prefix}run_row (
    run         {exact_text}(200) {exact} NOT NULL,
    row_key     {exact_text}(400) {exact} NOT NULL,
    state       varchar(10) {prose} NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000) {prose},
    PRIMARY KEY (run, row_key)
) {engine};

-- name: create_run_error
-- One row is one failed attempt; without a row_key, the error that ended a worker.
CREATE TABLE IF NOT EXISTS {prefix}run_error (
    run         {exact_text}(200) {exact} NOT NULL,
    failed_at   bigint NOT NULL,
    id          {exact_text}(32) {exact} NOT NULL,
    row_key     {exact_text}(400) {exact} NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) {prose} NOT NULL,
    error_class varchar(300) {prose} NOT NULL,
    message     varchar(1000) {prose},
    stack       varchar(4000) {prose},
    PRIMARY KEY (run, failed_at, id)
) {engine};

-- capability: tokens needs locks
-- A lock keeps two processes from purging at the same time.

-- name: create_token
-- One row is a one-time token or a short code, live or ended. It is live while ended is NULL and ends_at has not
-- passed.
--   digest       of a token its SHA-256, of a code a keyed hash: neither reveals the secret
--   id           random; sole: the one live token of a subject that may have only one; code: the subject's code
--   ends_at      when it expires; once it was revoked, when that was
--   ended        used or revoked; NULL: neither
--   used_at      when it was used. It has no index, so that a use need not write one
--   owner        the random token of the one call that has used it
--   attempt      the name that the program gave to that call's attempt, or the owner again
--   replays      0. Earlier builds counted here, and the tables that they made need a value
--   tries        of a code: the wrong tries since the window began, for this code and those before it
--   window_until of a code: when the count restarts
-- The last index is for the purge. It ends with the digest so that it is unique, and can stand here on every database.
CREATE TABLE IF NOT EXISTS {prefix}token (
    purpose      {exact_text}(200) {exact} NOT NULL,
    digest       {digest_type} NOT NULL,
    id           {exact_text}(32) {exact} NOT NULL,
    subject      {exact_text}(200) {exact} NOT NULL,
    payload      varchar(4000) {prose},
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        {exact_text}(10) {exact},
    used_at      bigint,
    owner        {exact_text}(32) {exact},
    attempt      {exact_text}(200) {exact},
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) {engine} {free_space};

-- fragment: current_schema
-- From here on: finds out which tables exist. The schema of a table that is named without one.
current_schema

-- fragment: folded
-- A schema's name that stands without quotes, #, as the catalog has it.
upper('#')

-- fragment: columns_there
-- The columns of one table; no row if the table does not exist. {table} is its full name within a literal, {table_name}
-- is the last part within a literal, and {table_schema} is the schema as the catalog has it. form is empty for an
-- ordinary table; else it is the database's word for the table.
SELECT '{table}' AS in_table, c.column_name AS name,
       CASE WHEN t.table_type = 'BASE TABLE' THEN '' ELSE t.table_type END AS form
  FROM information_schema.columns AS c
  JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
 WHERE c.table_schema = {table_schema} AND upper(c.table_name) = upper('{table_name}')

-- name: find_columns
-- A row for each column of each table of Dibs that exists, with the table's form; a missing table is no error.
-- {each_table} are the queries of the tables.
{each_table};
