-- The tables. One statement a table or index, in the order in which they must run; each can be run again.
--
-- A line "capability" opens the tables of one capability, which are made and checked together. A user of one capability needs its
-- tables and those of the capabilities that it needs, and no others. A dialect's own schema.sql need not repeat these lines.

-- fragment: lease_columns
-- What every table of leases has besides the name and the owner.
holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL

-- capability: locks

-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed: released and abandoned are the same thing.
--   name         exact: case, blanks and all
--   owner        the random token of one acquisition; NULL when released. Only who knows it may write
--   holder       a label for people: who has it
--   fence        grows with every acquisition of the name
--   acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    {lease_columns}
);

-- capability: once

-- name: create_once
-- One row is something that is done once a period: when it was last done, and who is at it now. Columns as in lock, and
--   succeeded_at the last success, or NULL
--   retry_at     not before, after a failure
--   failures     in a row, without a success in between
--   failed_at, error   the last failure
--   duration_ms  of the last run that ended
CREATE TABLE IF NOT EXISTS {prefix}once (
    name         varchar(200) NOT NULL PRIMARY KEY,
    owner        varchar(32),
    {lease_columns},
    succeeded_at bigint,
    retry_at     bigint DEFAULT 0 NOT NULL,
    failures     bigint DEFAULT 0 NOT NULL,
    failed_at    bigint,
    error        varchar(1000),
    duration_ms  bigint
);

-- capability: semaphores

-- name: create_permit
-- One row is one slot of a semaphore, held or not. Columns as in lock, and
--   slot         0 for the first one; a semaphore of N permits uses those below N
CREATE TABLE IF NOT EXISTS {prefix}permit (
    name        varchar(200) NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar(32),
    {lease_columns},
    PRIMARY KEY (name, slot)
);

-- capability: read_write_locks

-- name: create_gate
-- One row is the gate of a read-write lock: columns as in lock. It is open for readers while it has no owner; that its owner's time
-- has passed does not open it. The owner is a writer, or one that waits for the last reader to leave.
CREATE TABLE IF NOT EXISTS {prefix}gate (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    {lease_columns}
);

-- name: create_reader
-- One row is one reader behind that gate; its release deletes it. As long as the row is there no writer gets in.
--   fence        the gate's when the row was made
CREATE TABLE IF NOT EXISTS {prefix}reader (
    name        varchar(200) NOT NULL,
    owner       varchar(32) NOT NULL,
    {lease_columns},
    PRIMARY KEY (name, owner)
);

-- capability: fair_locks needs locks

-- name: create_ticket
-- One row is somebody who waits for a fair lock; its release deletes it.
--   fence        the number: the lowest one is first
CREATE TABLE IF NOT EXISTS {prefix}ticket (
    name        varchar(200) NOT NULL,
    owner       varchar(32) NOT NULL,
    {lease_columns},
    PRIMARY KEY (name, owner)
);

-- capability: claims
-- Only claims that are not kept in a table of the user's need them.

-- name: create_claim
-- One row is a claim on a row of a table of the user's, if claims are not kept in that table itself. No row: it is free.
--   scope        the user's table, as the program names it
--   row_key      the key of the row as one text
--   token        the random token of the claim; dibs-later: it is put off; dibs-dead: nobody gets it
--   held_until   milliseconds since 1970 UTC by this database's clock; when it has passed the row is free
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) NOT NULL,
    row_key     varchar(400) NOT NULL,
    token       varchar(32) NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
);

-- name: create_range
-- One row is a range of keys that somebody works on, both ends included, or the cursor behind which all is claimed.
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       varchar(200) NOT NULL,
    id          varchar(32) NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32),
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
);

-- capability: runs

-- name: create_run
-- One row is one run, whoever works on it. Every worker reads it once a batch.
--   state        running, paused or stopped; changed_by, changed_at and reason say how it came to that
--   batch        rows in a claim
--   rate         rows in 1000 seconds over all workers; 0 for no limit
--   max_failures, max_percent   the run stops at so many failed attempts; 0 for no limit
--   forgiven     the failed attempts before it was resumed
--   done_before, failed_before   what the workers in run_worker have counted that is not of this pass
--   total        the rows at the start, or NULL if nobody has counted
--   next_at      microseconds: when the rate allows the next claim
CREATE TABLE IF NOT EXISTS {prefix}run (
    name         varchar(200) NOT NULL PRIMARY KEY,
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

-- name: create_run_worker
-- One row is one worker of a run: a thread that claims rows. Nobody else writes it.
--   worker       random, for each start
--   done, failed rows completed, and attempts that failed
--   rate         rows in 1000 seconds, lately
--   seen_at      when it last said that it is alive
--   left_at      when it ended in good order, or NULL
--   in_hand      the key of the row that it works on
--   error        why it ended, if that was a mistake that it could not go on with
CREATE TABLE IF NOT EXISTS {prefix}run_worker (
    run         varchar(200) NOT NULL,
    worker      varchar(32) NOT NULL,
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

-- name: create_run_row
-- A row of the user's that has failed and is not completed yet. Only who has claimed that row writes this one.
--   state        retry: it comes back by itself; dead: no more attempts; again: dead, and somebody wants it to be tried again
CREATE TABLE IF NOT EXISTS {prefix}run_row (
    run         varchar(200) NOT NULL,
    row_key     varchar(400) NOT NULL,
    state       varchar(10) NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000),
    PRIMARY KEY (run, row_key)
);

-- name: create_run_error
-- Every attempt that failed; without a row_key, why a worker ended.
CREATE TABLE IF NOT EXISTS {prefix}run_error (
    run         varchar(200) NOT NULL,
    failed_at   bigint NOT NULL,
    id          varchar(32) NOT NULL,
    row_key     varchar(400) NOT NULL,
    attempt     bigint NOT NULL,
    worker      varchar(200) NOT NULL,
    error_class varchar(300) NOT NULL,
    message     varchar(1000),
    stack       varchar(4000),
    PRIMARY KEY (run, failed_at, id)
);

-- capability: tokens needs locks
-- A lock keeps two processes from purging at the same time.

-- name: create_token
-- One row is a one-time token or a short code, or what is left of one. It is live while nothing has ended it and ends_at lies
-- ahead.
--   digest       of a token its SHA-256, of a code a keyed hash: neither leads back to the secret
--   id           random; sole: the one live token of its subject where there may be just one; code: the subject's code
--   ends_at      when it expires; once something has ended it, when that was
--   ended        used or revoked; NULL: neither
--   owner        the random token of the one call that has used it
--   attempt      how that call's program named its attempt, or the owner again
--   replays      how often somebody tried to use it after that
--   tries        of a code: how often a wrong one was given, of this code and those before it, since the window began
--   window_until of a code: when the count begins anew
-- The last index is for the purge; the digest is in it so that it can stand here on every database.
CREATE TABLE IF NOT EXISTS {prefix}token (
    purpose      varchar(200) NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) NOT NULL,
    subject      varchar(200) NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10),
    owner        varchar(32),
    attempt      varchar(200),
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
);

-- The rest tells which tables are there.

-- fragment: current_schema
-- Where a table is that is named without its schema.
current_schema

-- fragment: columns_there
-- The columns of one table that are there: no row if it is not. {table} is its full name, {table_name} and {table_schema} are the parts.
SELECT '{table}' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE upper(table_schema) = upper({table_schema}) AND upper(table_name) = upper('{table_name}')

-- name: find_columns
-- A row for each column of a table of ours that is there, with no error where a table is not. {each_table} are the parts.
{each_table};
