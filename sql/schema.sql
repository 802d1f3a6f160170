-- The tables. One statement a table or index, in the order in which they must run; each can be run again.

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
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

-- name: columns_of_lock
-- No row, but the columns that are there.
SELECT * FROM {prefix}lock WHERE 1 = 0;

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

-- name: columns_of_range
-- No row, but the columns that are there.
SELECT * FROM {prefix}range WHERE 1 = 0;

-- name: create_run
-- One row is one run, whoever works on it. Every worker reads it once a batch.
--   state        running, paused or stopped; changed_by, changed_at and reason say how it came to that
--   batch        rows in a claim
--   rate         rows in 1000 seconds over all workers; 0 for no limit
--   max_failures, max_percent   the run stops at so many failed attempts; 0 for no limit
--   forgiven     the failed attempts before it was resumed
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
    next_at      bigint NOT NULL
);

-- name: columns_of_run
-- No row, but the columns that are there.
SELECT * FROM {prefix}run WHERE 1 = 0;

-- name: create_run_worker
-- One row is one worker of a run: a thread that claims rows. Nobody else writes it.
--   worker       random, for each start
--   done, failed rows completed, and attempts that failed
--   rate         rows in 1000 seconds, lately
--   seen_at      when it last said that it is alive
--   left_at      when it ended in good order, or NULL
--   in_hand      the key of the row that it works on
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
    PRIMARY KEY (run, worker)
);

-- name: columns_of_run_worker
-- No row, but the columns that are there.
SELECT * FROM {prefix}run_worker WHERE 1 = 0;

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

-- name: columns_of_run_row
-- No row, but the columns that are there.
SELECT * FROM {prefix}run_row WHERE 1 = 0;

-- name: create_run_error
-- Every attempt that failed.
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

-- name: columns_of_run_error
-- No row, but the columns that are there.
SELECT * FROM {prefix}run_error WHERE 1 = 0;
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

-- name: columns_of_claim
-- No row, but the columns that are there.
SELECT * FROM {prefix}claim WHERE 1 = 0;
