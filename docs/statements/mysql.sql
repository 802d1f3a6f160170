-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed: released and abandoned are the same thing.
-- name         exact: case, blanks and all
-- owner        the random token of one acquisition; NULL when released. Only who knows it may write
-- holder       a label for people: who has it
-- fence        grows with every acquisition of the name
-- acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;

-- name: create_once
-- One row is something that is done once a period: when it was last done, and who is at it now. Columns as in lock, and
-- succeeded_at the last success, or NULL
-- retry_at     not before, after a failure
-- failures     in a row, without a success in between
-- failed_at, error   the last failure
-- duration_ms  of the last run that ended
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

-- name: create_permit
-- One row is one slot of a semaphore, held or not. Columns as in lock, and
-- slot         0 for the first one; a semaphore of N permits uses those below N
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

-- name: create_gate
-- One row is the gate of a read-write lock: columns as in lock. It is open for readers while it has no owner; that its owner's time
-- has passed does not open it. The owner is a writer, or one that waits for the last reader to leave.
CREATE TABLE IF NOT EXISTS dibs_gate (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;

-- name: create_reader
-- One row is one reader behind that gate; its release deletes it. As long as the row is there no writer gets in.
-- fence        the gate's when the row was made
CREATE TABLE IF NOT EXISTS dibs_reader (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- name: create_ticket
-- One row is somebody who waits for a fair lock; its release deletes it.
-- fence        the number: the lowest one is first
CREATE TABLE IF NOT EXISTS dibs_ticket (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- name: create_claim
-- One row is a claim on a row of a table of the user's, if claims are not kept in that table itself. No row: it is free.
-- scope        the user's table, as the program names it
-- row_key      the key of the row as one text
-- token        the random token of the claim; dibs-later: it is put off; dibs-dead: nobody gets it
-- held_until   milliseconds since 1970 UTC by this database's clock; when it has passed the row is free
CREATE TABLE IF NOT EXISTS dibs_claim (
    scope       varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    row_key     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    token       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) ENGINE = InnoDB;

-- name: create_range
-- One row is a range of keys that somebody works on, both ends included, or the cursor behind which all is claimed.
CREATE TABLE IF NOT EXISTS dibs_range (
    scope       varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    id          varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) ENGINE = InnoDB;

-- name: create_run
-- One row is one run, whoever works on it. Every worker reads it once a batch.
-- state        running, paused or stopped; changed_by, changed_at and reason say how it came to that
-- batch        rows in a claim
-- rate         rows in 1000 seconds over all workers; 0 for no limit
-- max_failures, max_percent   the run stops at so many failed attempts; 0 for no limit
-- forgiven     the failed attempts before it was resumed
-- done_before, failed_before   what the workers in run_worker have counted that is not of this pass
-- total        the rows at the start, or NULL if nobody has counted
-- next_at      microseconds: when the rate allows the next claim
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

-- name: create_run_worker
-- One row is one worker of a run: a thread that claims rows. Nobody else writes it.
-- worker       random, for each start
-- done, failed rows completed, and attempts that failed
-- rate         rows in 1000 seconds, lately
-- seen_at      when it last said that it is alive
-- left_at      when it ended in good order, or NULL
-- in_hand      the key of the row that it works on
-- error        why it ended, if that was a mistake that it could not go on with
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

-- name: create_run_row
-- A row of the user's that has failed and is not completed yet. Only who has claimed that row writes this one.
-- state        retry: it comes back by itself; dead: no more attempts; again: dead, and somebody wants it to be tried again
CREATE TABLE IF NOT EXISTS dibs_run_row (
    run         varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    row_key     varchar(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    state       varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    PRIMARY KEY (run, row_key)
) ENGINE = InnoDB;

-- name: create_run_error
-- Every attempt that failed; without a row_key, why a worker ended.
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

-- name: create_token
-- One row is a one-time token or a short code, or what is left of one. It is live while nothing has ended it and ends_at lies
-- ahead.
-- digest       of a token its SHA-256, of a code a keyed hash: neither leads back to the secret
-- id           random; sole: the one live token of its subject where there may be just one; code: the subject's code
-- ends_at      when it expires; once something has ended it, when that was
-- ended        used or revoked; NULL: neither
-- owner        the random token of the one call that has used it
-- attempt      how that call's program named its attempt, or the owner again
-- replays      how often somebody tried to use it after that
-- tries        of a code: how often a wrong one was given, of this code and those before it, since the window began
-- window_until of a code: when the count begins anew
-- The last index is for the purge; the digest is in it so that it can stand here on every database.
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB;

-- name: find_columns
-- A row for each column of a table of ours that is there, with no error where a table is not. {each_table} are the parts.
SELECT 'dibs_lock' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_lock'
UNION ALL
SELECT 'dibs_once' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_once'
UNION ALL
SELECT 'dibs_permit' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_permit'
UNION ALL
SELECT 'dibs_gate' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_gate'
UNION ALL
SELECT 'dibs_reader' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_reader'
UNION ALL
SELECT 'dibs_ticket' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_ticket'
UNION ALL
SELECT 'dibs_claim' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_claim'
UNION ALL
SELECT 'dibs_range' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_range'
UNION ALL
SELECT 'dibs_run' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_run'
UNION ALL
SELECT 'dibs_run_worker' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_run_worker'
UNION ALL
SELECT 'dibs_run_row' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_run_row'
UNION ALL
SELECT 'dibs_run_error' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_run_error'
UNION ALL
SELECT 'dibs_token' AS in_table, column_name AS name
  FROM information_schema.columns
 WHERE table_schema = database() AND table_name = 'dibs_token';

-- name: retake_lock
-- Takes :name again for :lease milliseconds if its row is still as this program gave it back: without an owner, passed, and with
-- :known_fence, the fence of the lease that was given back, since nobody has had the lock after that. One row = it is ours, and this is its
-- new fence. None, or an error that says "rolled back" = it is not so or somebody has it locked, nothing was changed, and acquire_lock tells
-- the rest. Not to be sent after a lease that was guarded: its guard may still be open, and a plain UPDATE may pass under it.
-- A plain UPDATE, which fails at once if somebody has the row locked. The fence comes back with the count: no second statement.
-- Nothing keeps an UPDATE of MySQL's from waiting for a locked row. The fence comes back with the count: no second statement.
-- key: fence
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, :owner, :holder, greatest(l.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.fence = :known_fence AND l.owner IS NULL AND l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = last_insert_id(VALUES(fence)),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until);

-- name: look_locks
-- Those of the list that are there, as they are.
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l ON l.name = pair.name;

-- name: make_locks
-- Makes the rows of the list that are not there, free. Error: somebody else made one at the same instant; ask again.
-- What is there is found without a lock first: an INSERT that meets it would wait for whoever has it locked. The variable is read by
-- nobody else.
SELECT json_arrayagg(json_object('name', pair.name)) INTO @dibs_new
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  LEFT JOIN dibs_lock AS l ON l.name = pair.name
 WHERE l.name IS NULL
-- then
INSERT IGNORE INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT missing.name, NULL, NULL, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
  FROM JSON_TABLE(@dibs_new, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS missing;

-- name: acquire_locks
-- Takes those of the list, sorted by name, that have passed and that nobody has locked; returns them. Fewer than asked for: none may be
-- kept. Since nobody waits for a row, the order in which others take theirs does not matter.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, pair.owner, :holder, greatest(l.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l ON l.name = pair.name
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l ON l.name = pair.name
 WHERE l.owner = pair.owner;

-- name: acquire_ticket
-- A ticket for :lease milliseconds, with the clock as its number. Two of the same microsecond go by their tokens.
INSERT INTO dibs_ticket (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_ticket
 WHERE name = :name AND owner = :owner;

-- name: look_turn
-- Who is in the way of the ticket of :owner with the :number: whoever has the lock (ahead = 0), and one of those who wait and came
-- before (ahead = 1). No row: it is worth to ask.
SELECT 0 AS ahead, name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
UNION ALL
(SELECT 1 AS ahead, name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FROM dibs_ticket
  WHERE name = :name AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
    AND (fence < :number OR (fence = :number AND owner < :owner))
  LIMIT 1);

-- name: acquire_reader
-- Lets a reader in for :lease milliseconds. A row with owner = :owner: it is in, and the fence is its number. Another row: the gate
-- of a writer, or of one that waits to write. No row: the gate was made, or freed of an owner that had passed; ask again.
-- Whoever runs the steps stops after the second one if it answers with a row that is held, its own or the gate's: the third one takes
-- the reader's own row away again.
-- Each statement of the block is a transaction of its own. An INSERT that selects from the gate would lock it; one that frees it runs
-- only if its time has passed.
-- The first step reads the gate, since an INSERT that selects from it would lock it. The third one is the look that decides.
-- The gate is made last: an INSERT waits for a row that is there and locked.
SELECT max(fence) INTO @dibs_fence FROM dibs_gate WHERE name = :name AND owner IS NULL
-- then
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, :owner, :holder, @dibs_fence, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM DUAL
 WHERE @dibs_fence IS NOT NULL
-- then
SELECT r.name, r.owner, r.holder, g.fence, r.acquired_at, r.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate AS g JOIN dibs_reader AS r ON r.name = g.name
 WHERE g.name = :name AND g.owner IS NULL AND r.owner = :owner
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
  FROM dibs_gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
DELETE FROM dibs_reader WHERE name = :name AND owner = :owner
-- else
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
  FROM dibs_gate AS l
 WHERE l.name = :name AND l.owner IS NOT NULL AND l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE owner = NULL
-- else
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT IGNORE INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, NULL, NULL, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000));

-- name: release_readers
-- The same for many (name, owner) pairs; returns the names that were let go.
SET @dibs_readers = :pairs, @dibs_before = 9223372036854775807
-- then
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until <= @dibs_before
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN json_arrayagg(json_object('name', l.name, 'owner', l.owner)) INTO @dibs_readers
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until = 0
-- then
DELETE l
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  STRAIGHT_JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name AND l.owner = pair.owner;

-- name: enter_gate
-- May who has the gate write now? Sent again and again by a writer until it may. The row of the gate, with owner = :owner: no reader
-- is left. Another row: somebody is still there. No row: the gate is not :owner's any more. Readers whose time has passed are
-- removed, but not one that is locked, as by a guarded transaction.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner = :owner AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   AND NOT EXISTS (SELECT 1 FROM dibs_reader WHERE name = :name)
UNION ALL
(SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FROM dibs_reader
  WHERE name = :name AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
  LIMIT 1)
-- else
SELECT (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), json_arrayagg(json_object('name', name, 'owner', owner)) INTO @dibs_before, @dibs_readers
  FROM dibs_reader
 WHERE name = :name AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- else
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until <= @dibs_before
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- else
SELECT STRAIGHT_JOIN json_arrayagg(json_object('name', l.name, 'owner', l.owner)) INTO @dibs_readers
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until = 0
-- else
DELETE l
  FROM JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  STRAIGHT_JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name AND l.owner = pair.owner
-- else
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner = :owner AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   AND NOT EXISTS (SELECT 1 FROM dibs_reader WHERE name = :name)
UNION ALL
(SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FROM dibs_reader
  WHERE name = :name
  LIMIT 1);

-- name: downgrade_gate
-- Makes the writer :writer a reader too, while it has the gate; it gives that up when it knows that this is done. One row: it is in.
SELECT max(fence) INTO @dibs_fence FROM dibs_gate WHERE name = :name AND owner = :writer AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, :owner, :holder, @dibs_fence, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM DUAL
 WHERE @dibs_fence IS NOT NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_reader
 WHERE name = :name AND owner = :owner;

-- name: acquire_once
-- Takes :name for :lease milliseconds if it is due. Of the rows that come back, one with owner = :owner means that it is ours to do;
-- another one is the row as it was before. If none is ours, that one tells: it has an owner whose time has not come, or it is not
-- due, or somebody is just taking it. Who takes it from somebody who has not answered counts that as a failure.
-- As acquire_lock: locks the row only if it is due.
-- As acquire_lock. The first step answers alone if it is held or not due.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 WHERE name = :name
-- else
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, retry_at, failures)
SELECT :name, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease, 0, 0
-- then
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, retry_at, failures)
SELECT past.name, :owner, :holder, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease, 0,
       past.failures + CASE WHEN past.owner IS NULL THEN 0 ELSE 1 END
  FROM dibs_once AS past
 WHERE past.name = :name AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND retry_at <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND coalesce(succeeded_at + :every, 0) <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
       AND :due <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND (:seen = -2 OR coalesce(succeeded_at, -1) = :seen)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until), failures = VALUES(failures)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 WHERE name = :name AND owner = :owner;

-- name: look_once
-- The row as it is.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 WHERE name = :name;

-- name: complete_once
-- It is done. One row = it was still ours. No row = it is not ours any more, or locked just now.
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, duration_ms)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 0, 0, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - l.acquired_at
  FROM dibs_once AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       held_until = VALUES(held_until), succeeded_at = VALUES(succeeded_at), retry_at = VALUES(retry_at),
       failures = VALUES(failures), duration_ms = VALUES(duration_ms), owner = NULL;

-- name: fail_once
-- It was tried in vain, and is due again after :delay milliseconds. The same answer.
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, retry_at, failures, failed_at, error, duration_ms)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :delay, l.failures + 1, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), :error,
       (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - l.acquired_at
  FROM dibs_once AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       held_until = VALUES(held_until), retry_at = VALUES(retry_at), failures = VALUES(failures), failed_at = VALUES(failed_at),
       error = VALUES(error), duration_ms = VALUES(duration_ms), owner = NULL;

-- name: forget_once
-- As if it had never been done, nor been tried in vain: due at once. The same answer: no row = it is not there, or somebody is at it.
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, NULL, 0, l.failures
  FROM dibs_once AS l
 WHERE l.name = :name AND l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       succeeded_at = VALUES(succeeded_at), retry_at = VALUES(retry_at);

-- name: list_onces
-- All of them, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 ORDER BY name;

-- name: acquire_permit
-- Takes the lowest slot below :permits that has passed for :lease milliseconds; else the lowest that was never used. Of the rows that
-- come back, one with owner = :owner means that it is ours; another one is the slot as it was before. If none is ours, the other one
-- tells: held, so all are, or one above is; passed, so it was locked or is just being taken, and should be asked for again. No row at
-- all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- As acquire_lock. The slots that have passed are found without a lock, then locked one by one: a search that locks would lock every
-- slot that it passes.
-- The first step answers alone if all are held, or one above is. The next two take the first slot that has passed and is not locked;
-- they are found without a lock, since a search that locks would lock every slot that it passes. Only if there was none the last but
-- one makes a row; a lost race is error 1062, to be asked again. The variables are read by nobody else.
SELECT name, slot, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND (slot >= :permits AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
        OR slot < :permits AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
        OR slot < :permits AND (SELECT count(*) FROM dibs_permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)
 ORDER BY CASE WHEN slot >= :permits THEN 0 WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN slot ELSE held_until END
 LIMIT 1
-- then
SELECT (SELECT json_arrayagg(json_object('slot', slot))
          FROM (SELECT slot FROM dibs_permit
                 WHERE name = :name AND slot < :permits AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND NOT EXISTS (SELECT 1 FROM dibs_permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
                 ORDER BY slot LIMIT 1000) AS free),
       (SELECT gap.slot FROM (SELECT min(c.slot) AS slot
   FROM (SELECT 0 AS slot UNION ALL SELECT b.slot + 1 FROM dibs_permit AS b WHERE b.name = :name) AS c
  WHERE c.slot < :permits
    AND NOT EXISTS (SELECT 1 FROM dibs_permit AS d WHERE d.name = :name AND d.slot = c.slot)) AS gap WHERE NOT EXISTS (SELECT 1 FROM dibs_permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)))
  INTO @dibs_free, @dibs_gap
-- then
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN past.name, past.slot, :owner, :holder, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(@dibs_free, '$[*]' COLUMNS (slot bigint PATH '$.slot')) AS free
  JOIN dibs_permit AS past ON past.slot = free.slot
 WHERE past.name = :name AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 LIMIT 1
   FOR UPDATE OF past SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT name, slot, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND owner = :owner
-- then
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT :name, @dibs_gap, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM DUAL
 WHERE @dibs_gap IS NOT NULL
-- then
SELECT name, slot, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND owner = :owner;

-- name: look_permit
-- The row that tells, if there is one. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, slot, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND (slot >= :permits AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
        OR slot < :permits AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
        OR slot < :permits AND (SELECT count(*) FROM dibs_permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)
 ORDER BY CASE WHEN slot >= :permits THEN 0 WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN slot ELSE held_until END
 LIMIT 1;

-- name: begin_run
-- Makes the run's row if there is none. Two who are first at the same instant may meet a duplicate key, which is fine.
INSERT INTO dibs_run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 'started', :batch, :rate, :max_failures, :max_percent, 0, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 0
  FROM DUAL
 WHERE NOT EXISTS (SELECT 1 FROM dibs_run WHERE name = :run);

-- name: read_run
-- The run as it is.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) AS read_micros
  FROM dibs_run
 WHERE name = :run;

-- name: list_runs
-- All of them, by name.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) AS read_micros
  FROM dibs_run
 ORDER BY name;

-- name: change_run
-- Runs, pauses or stops it. What has failed before it was started again is forgiven.
UPDATE dibs_run
   SET state = :state, changed_by = :by, changed_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), reason = :reason,
       forgiven = CASE WHEN :state = 'running'
                       THEN (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w WHERE w.run = :run)
                       ELSE forgiven END
 WHERE name = :run;

-- name: stop_failing_run
-- Stops it if it is running still, since too much has failed.
UPDATE dibs_run
   SET state = 'stopped', changed_by = :by, changed_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), reason = :reason
 WHERE name = :run AND state = 'running';

-- name: set_run_batch
-- For the next claim of every worker.
UPDATE dibs_run SET batch = :value WHERE name = :run;

-- name: set_run_rate
-- For the next claim of every worker.
UPDATE dibs_run SET rate = :value, next_at = 0 WHERE name = :run;

-- name: set_run_failures
-- For the next failure.
UPDATE dibs_run SET max_failures = :value WHERE name = :run;

-- name: set_run_percent
-- For the next failure.
UPDATE dibs_run SET max_percent = :value WHERE name = :run;

-- name: set_run_total
-- By whoever counted first.
UPDATE dibs_run SET total = :value WHERE name = :run AND total IS NULL;

-- name: take_allowance
-- Takes what the rate allows from :from to :to, if nobody has been faster; then the run must be read again.
UPDATE dibs_run SET next_at = :to WHERE name = :run AND next_at = :from;

-- name: finish_run
-- Nothing was left.
UPDATE dibs_run SET finished_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) WHERE name = :run AND finished_at IS NULL;

-- name: reopen_run
-- Something is left again.
UPDATE dibs_run SET finished_at = NULL WHERE name = :run AND finished_at IS NOT NULL;

-- name: begin_pass
-- The run had ended at :ended, and is started again: from here on it counts anew. Of all who saw that end only the first one finds it
-- still there. Workers that have ended go. Those that have not count on, so that what they have counted is remembered.
-- Errors of rows that have not come through stay.
UPDATE dibs_run SET next_at = 0 WHERE name = :run AND finished_at = :ended
-- then
DELETE FROM dibs_run_worker
 WHERE run = :run AND left_at IS NOT NULL
   AND EXISTS (SELECT 1 FROM dibs_run WHERE name = :run AND finished_at = :ended)
-- then
DELETE FROM dibs_run_error
 WHERE run = :run AND row_key NOT IN (SELECT row_key FROM dibs_run_row WHERE run = :run)
   AND EXISTS (SELECT 1 FROM dibs_run WHERE name = :run AND finished_at = :ended)
-- then
UPDATE dibs_run
   SET finished_at = NULL, total = NULL, started_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000),
       done_before = (SELECT coalesce(sum(w.done), 0) FROM dibs_run_worker AS w WHERE w.run = :run),
       failed_before = (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w WHERE w.run = :run),
       forgiven = (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w WHERE w.run = :run)
 WHERE name = :run AND finished_at = :ended;

-- name: purge_run
-- Workers that ended or were last seen a week ago, and errors of a month ago whose rows have come through. What the workers had
-- counted stays in the sum. The run is locked first, so that each of them is taken off once.
UPDATE dibs_run SET next_at = next_at WHERE name = :run
-- then
UPDATE dibs_run
   SET done_before = done_before - (SELECT coalesce(sum(w.done), 0) FROM dibs_run_worker AS w
                                     WHERE w.run = :run AND w.seen_at < :worker_before),
       failed_before = failed_before - (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w
                                         WHERE w.run = :run AND w.seen_at < :worker_before),
       forgiven = forgiven - (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w
                               WHERE w.run = :run AND w.seen_at < :worker_before)
 WHERE name = :run
-- then
DELETE FROM dibs_run_worker WHERE run = :run AND seen_at < :worker_before
-- then
DELETE FROM dibs_run_error
 WHERE run = :run AND failed_at < :error_before
   AND row_key NOT IN (SELECT row_key FROM dibs_run_row WHERE run = :run);

-- name: reset_run
-- Forgets the run. Rows that it has given up are tried again by whoever works on it next, which knows the table.
DELETE FROM dibs_run WHERE name = :run
-- then
DELETE FROM dibs_run_worker WHERE run = :run
-- then
DELETE FROM dibs_run_error WHERE run = :run
-- then
DELETE FROM dibs_run_row WHERE run = :run AND state = 'retry'
-- then
UPDATE dibs_run_row SET state = 'again' WHERE run = :run AND state = 'dead';

-- name: enter_worker
-- A worker begins.
INSERT INTO dibs_run_worker (run, worker, label, started_at, seen_at, done, failed, rate)
VALUES (:run, :worker, :label, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 0, 0, 0);

-- name: count_work
-- What it has done so far: the whole, so that a count which is sent twice counts once.
UPDATE dibs_run_worker
   SET done = :done, failed = :failed
 WHERE run = :run AND worker = :worker;

-- name: settle_worker
-- What it has counted, once a transaction of its own that was not answered has ended: the update waits for that.
UPDATE dibs_run_worker SET seen_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) WHERE run = :run AND worker = :worker
-- then
SELECT done, failed FROM dibs_run_worker WHERE run = :run AND worker = :worker;

-- name: see_worker
-- It is alive.
UPDATE dibs_run_worker
   SET seen_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), rate = :rate, in_hand = :in_hand
 WHERE run = :run AND worker = :worker;

-- name: leave_worker
-- A worker ends: in good order, or for the reason :error.
UPDATE dibs_run_worker
   SET seen_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), left_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), done = :done, failed = :failed, rate = 0, in_hand = NULL, error = :error
 WHERE run = :run AND worker = :worker;

-- name: list_workers
-- All that ever were, the latest first.
SELECT worker AS dibs_worker, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_run_worker
 WHERE run = :run
 ORDER BY started_at DESC, worker;

-- name: list_all_workers
-- Of all runs, each run's as list_workers has them.
SELECT run AS dibs_run, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_run_worker
 ORDER BY run, started_at DESC, worker;

-- name: sum_work
-- What all of them have done.
SELECT cast(coalesce(sum(done), 0) AS signed) AS done, cast(coalesce(sum(failed), 0) AS signed) AS failed
  FROM dibs_run_worker
 WHERE run = :run;

-- name: count_run_rows
-- How many failed rows are in which state.
SELECT state AS dibs_state, count(*) AS how_many
  FROM dibs_run_row
 WHERE run = :run
 GROUP BY state;

-- name: count_all_run_rows
-- Of all runs, how many failed rows are in which state.
SELECT run AS dibs_run, state, count(*) AS how_many
  FROM dibs_run_row
 GROUP BY run, state;

-- name: read_run_row
-- A row that failed before.
SELECT row_key AS dibs_row, state, attempts, failed_at, message
  FROM dibs_run_row
 WHERE run = :run AND row_key = :row_key;

-- name: list_run_rows
-- Failed rows in one state, the oldest failure first.
SELECT row_key AS dibs_row, state, attempts, failed_at, message
  FROM dibs_run_row
 WHERE run = :run AND state = :state
 ORDER BY failed_at, row_key
 LIMIT :n;

-- name: add_run_row
-- A row has failed for the first time.
INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), :message);

-- name: change_run_row
-- A row has failed again.
UPDATE dibs_run_row
   SET state = :state, attempts = :attempts, failed_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), message = :message
 WHERE run = :run AND row_key = :row_key;

-- name: forget_run_row
-- A row that had failed is completed, or begins from the start.
DELETE FROM dibs_run_row WHERE run = :run AND row_key = :row_key;

-- name: forget_wanted_row
-- A row that somebody wanted to be tried again is back in the pool, and has not failed since.
DELETE FROM dibs_run_row WHERE run = :run AND row_key = :row_key AND state = 'again';

-- name: forget_retries
-- Nothing is left, so that no row can come back.
DELETE FROM dibs_run_row WHERE run = :run AND state = 'retry';

-- name: want_dead_rows
-- Somebody wants the dead rows to be tried again. A worker does that: it knows the table.
UPDATE dibs_run_row SET state = 'again' WHERE run = :run AND state = 'dead';

-- name: add_run_error
-- For the ledger.
INSERT INTO dibs_run_error (run, failed_at, id, row_key, attempt, worker, error_class, message, stack)
VALUES (:run, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), :id, :row_key, :attempt, :worker, :error_class, :message, :stack);

-- name: list_run_errors
-- The latest first.
SELECT row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM dibs_run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id
 LIMIT :n;

-- name: issue_new_token
-- Adds a token of random bits. If its key is there already, then this was sent before and has arrived: to look first would cost a
-- quarter more.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :ttl, 0, 0, 0);

-- name: issue_token
-- Adds a token that may have been issued before, unless it is there.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :ttl, 0, 0, 0)
    ON DUPLICATE KEY UPDATE replays = replays;

-- name: supersede_token
-- Revokes the one live token of a subject, and makes room for another; not that other one itself, if this is sent again.
UPDATE dibs_token
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = least(ends_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole' AND digest <> :digest;

-- name: find_token
-- One row = it is there.
SELECT id AS dibs_token FROM dibs_token WHERE purpose = :purpose AND digest = :digest;

-- name: consume_token
-- Uses a live token up: the row comes back, its owner is ours. A token that was used before counts one replay more, unless by
-- the same attempt. Any other comes back as it is. No row: there is no such token.
UPDATE dibs_token
   SET ended = 'used', ends_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = :owner, attempt = :attempt
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest AND owner = :owner
-- else
UPDATE dibs_token
   SET replays = replays + 1
 WHERE purpose = :purpose AND digest = :digest AND ended = 'used' AND attempt <> :attempt
-- else
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest
  LOCK IN SHARE MODE;

-- name: consume_each_token
-- The same for a list of tokens at once, each token once, each for itself. It waits for nobody and counts no replay. A row for each
-- :owner of which is certain what it is told, with nothing but the asker if there is no such token. No row: the token is locked, or was
-- used before by another attempt; its caller asks by consume_token. An error is one for all: nothing was used.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- The INSERT never inserts: it meets only rows that it has locked already. The answer is read without a lock.
BEGIN NOT ATOMIC
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    INSERT INTO dibs_token
           (purpose, digest, id, subject, issued_at, ends_at, ended, owner, attempt, replays, tries, window_until)
    SELECT STRAIGHT_JOIN t.purpose, t.digest, t.id, t.subject, t.issued_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 'used', one.owner, one.attempt,
           t.replays, t.tries, t.window_until
      FROM JSON_TABLE(:tokens, '$[*]' COLUMNS (
           purpose varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.purpose',
           digest varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.digest',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner',
           attempt varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.attempt')) AS one JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = unhex(one.digest)
     WHERE t.ended IS NULL AND t.ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
       FOR UPDATE SKIP LOCKED
        ON DUPLICATE KEY UPDATE
           ended = VALUES(ended), ends_at = VALUES(ends_at), owner = VALUES(owner), attempt = VALUES(attempt);
    SELECT STRAIGHT_JOIN one.owner AS asker, t.subject, t.payload, t.issued_at, t.ends_at, t.ended, t.owner, t.attempt, t.replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
      FROM JSON_TABLE(:tokens, '$[*]' COLUMNS (
           purpose varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.purpose',
           digest varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.digest',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner',
           attempt varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.attempt')) AS one LEFT JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = unhex(one.digest)
     WHERE t.digest IS NULL OR t.ended = 'revoked' OR t.ended = 'used' AND t.attempt = one.attempt
        OR t.ended IS NULL AND t.ends_at <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    COMMIT;
END;

-- name: peek_token
-- The token as it is.
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest;

-- name: revoke_token
-- Ends a live token. A row changed, or one returned = it was live.
UPDATE dibs_token
   SET ended = 'revoked', ends_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: revoke_tokens
-- Ends all live tokens and codes of a subject, as many as rows are changed or returned.
UPDATE dibs_token
   SET ended = 'revoked', ends_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: list_tokens
-- The latest of a subject.
SELECT id, issued_at, ends_at, ended, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND subject = :subject
 ORDER BY issued_at DESC, id
 LIMIT :n;

-- name: count_tokens
-- How many tokens of a purpose are in which state: live, used, revoked, expired.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token
         WHERE purpose = :purpose) AS token
 GROUP BY purpose, state;

-- name: count_all_tokens
-- The same of every purpose.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token) AS token
 GROUP BY purpose, state
 ORDER BY purpose;

-- name: issue_code
-- Gives the subject a code, in place of the former one. Wrong tries of the former count on until their window has passed; a new
-- window begins with the next wrong try. Two who are first at the same instant may meet a duplicate key: ask again.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :ttl, 0, 0, 0)
    ON DUPLICATE KEY UPDATE
       digest = VALUES(digest), payload = VALUES(payload), issued_at = VALUES(issued_at), ends_at = VALUES(ends_at),
       ended = NULL, owner = NULL, attempt = NULL, replays = 0,
       tries = CASE WHEN window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 0 ELSE tries END;

-- name: try_code
-- Uses a live code up if the digest is its own, and counts a wrong try if not, of which the last one ends the code: so the
-- count can not be got round by asking many times at once. A code that is not live, or for which :tries wrong ones were given,
-- comes back as it is. No row: the subject has no code.
UPDATE dibs_token
   SET ended = CASE WHEN digest = :digest THEN 'used'
                    WHEN CASE WHEN window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 0 ELSE tries END + 1 >= :tries THEN 'revoked' END,
       ends_at = CASE WHEN digest = :digest THEN (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) ELSE ends_at END,
       owner = CASE WHEN digest = :digest THEN :owner END,
       attempt = CASE WHEN digest = :digest THEN :attempt END,
       tries = CASE WHEN window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 0 ELSE tries END + CASE WHEN digest = :digest THEN 0 ELSE 1 END,
       window_until = CASE WHEN window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND digest <> :digest THEN (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :window ELSE window_until END
 WHERE purpose = :purpose AND subject = :subject AND id = 'code' AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   AND (tries < :tries OR window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
-- then
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at, tries, window_until, CASE WHEN digest = :digest THEN 1 ELSE 0 END AS is_right
  FROM dibs_token
 WHERE purpose = :purpose AND subject = :subject AND id = 'code';

-- name: purge_tokens
-- Deletes up to :batch tokens of a purpose that ended :retention milliseconds ago, skipping locked ones. A used one stays for a
-- minute at least, a code for as long as its wrong tries count. Rows changed, or one returned that says how many, mean that there may be more. That
-- row may also say up to which ends_at the batch went, for the next one to go on from there (:since).
-- By MERGE: an IN (SELECT ..) is asked anew for every row of the table here.
-- It meets no row but those that it deletes, along the index. One that somebody has locked at that moment is waited for, which
-- delays nothing but the purge.
DELETE FROM dibs_token
 WHERE purpose = :purpose AND ends_at <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention AND window_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND (coalesce(ended, 'expired') <> 'used' OR ends_at <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - 60000)
 LIMIT :batch;

-- name: listen
-- On the connection that is kept. One channel a database; what is not waited for is passed over.
LISTEN dibs;

-- name: unlisten
-- Before that connection goes back to its pool.
UNLISTEN dibs;

-- name: notify_listener
-- Sends :word to all who listen; one of them knows it: to see that notifications come through, or that somebody began to wait.
SELECT pg_notify('dibs', :word) AS sent;

-- name: mark_waiting
-- On the connection that is kept: asks that releases of :name, of the :kind that has a table of that name, are told from now on, by the number that
-- comes back. Not marked: one is just being released; ask again in a moment.
SELECT k.number, pg_try_advisory_lock_shared(k.number) AS marked
  FROM (SELECT hashtextextended(:name, to_regclass('dibs_' || :kind)::oid::bigint) AS number) AS k;

-- name: unmark_waiting
-- On the same connection. Once for each time that it was marked.
SELECT pg_advisory_unlock_shared(:number) AS unmarked;

-- name: read_clock
-- What the database's clock says.
SELECT (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at;

-- name: check_settings
-- A row a finding: level (ok, note, warning, error), subject, message, remedy.
SELECT CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN 'ok' ELSE 'warning' END AS level,
       'innodb_flush_log_at_trx_commit' AS subject,
       CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN '1'
            ELSE concat(@@innodb_flush_log_at_trx_commit,
                        ': after a crash a lock that was granted can be granted again') END AS message,
       CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN ''
            ELSE 'Set innodb_flush_log_at_trx_commit = 1' END AS remedy
UNION ALL
SELECT CASE WHEN @@sync_binlog = 1 THEN 'ok' ELSE 'warning' END, 'sync_binlog',
       CASE WHEN @@sync_binlog = 1 THEN '1'
            ELSE concat(@@sync_binlog, ': after a crash of the machine, recovery takes back what the binary log has not')
            END,
       CASE WHEN @@sync_binlog = 1 THEN '' ELSE 'Set sync_binlog = 1' END
  FROM DUAL WHERE @@log_bin = 1
UNION ALL
SELECT 'error', 'read_only', 'this server is read-only: it can not be written to', 'Give the primary''s address'
  FROM DUAL WHERE @@read_only = 1
UNION ALL
SELECT CASE WHEN @@wait_timeout > 3600 THEN 'note' ELSE 'ok' END, 'wait_timeout',
       CASE WHEN @@wait_timeout > 3600
            THEN concat(@@wait_timeout, ' s: so long a holder that hangs inside a guarded transaction keeps the lock')
            ELSE concat(@@wait_timeout, ' s') END,
       CASE WHEN @@wait_timeout > 3600
            THEN 'Set wait_timeout to the longest that a connection of yours sits idle, as in 600' ELSE '' END;

-- name: find_index_filters
-- The conditions of the table's indexes, where the driver does not tell them.
SELECT '' AS index_name, '' AS filter
  FROM (SELECT CAST(:table AS char(1000)) AS of_table) AS nothing
 WHERE 1 = 0;

-- name: check_claimed_table
-- A row a finding, as above, on how the table is stored. :token and :until are the columns in which claims are kept.
SELECT 'note' AS level, '' AS subject, '' AS message, '' AS remedy
  FROM (SELECT CAST(:table AS char(1000)) AS of_table, CAST(:token AS char(1000)) AS token,
               CAST(:until AS char(1000)) AS until_when) AS nothing
 WHERE 1 = 0;

-- name: acquire_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- Looks without a lock first, and locks the row only if it has passed: a try on a held lock locks and writes nothing. A locking search
-- alone would lock a held row for an instant, and its release would skip it.
-- SELECT .. INTO does not lock; IF EXISTS (SELECT ..) would.
-- The clock is read once: a column each would be torn when it ticks in between.
-- The first step answers alone if the lock is held; else it shows the predecessor. If the name is new the second one makes
-- the row; a lost race is error 1062, to be asked again. The third one takes the row if it has passed.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name
-- else
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT past.name, :owner, :holder, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM dibs_lock AS past
 WHERE past.name = :name AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner = :owner;

-- name: look_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name;

-- name: renew_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_locks tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_unguarded_lock
-- The same for a lease that was never guarded and is not being renewed, so that nobody else should have its row locked: where that
-- is less work, by a plain UPDATE. An error that says "rolled back" = locked just now, too. For locks.
-- It fails at once if somebody has the row locked.
-- Nothing keeps an UPDATE of MySQL's from waiting for a locked row.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner IS NULL;

-- name: list_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name)) INTO @dibs_passed
  FROM (SELECT name FROM dibs_lock WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS passed
  STRAIGHT_JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = passed.name
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: acquire_held_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- Looks without a lock first, and locks the row only if it has passed: a try on a held lock locks and writes nothing. A locking search
-- alone would lock a held row for an instant, and its release would skip it.
-- SELECT .. INTO does not lock; IF EXISTS (SELECT ..) would.
-- The clock is read once: a column each would be torn when it ticks in between.
-- The first step answers alone if the lock is held; else it shows the predecessor. If the name is new the second one makes
-- the row; a lost race is error 1062, to be asked again. The third one takes the row if it has passed.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name
-- else
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT past.name, :owner, :holder, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM dibs_lock AS past
 WHERE past.name = :name AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner = :owner;

-- name: look_held_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name;

-- name: renew_held_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_held_locks tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, greatest(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease)
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_held_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_held_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, greatest((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), l.acquired_at + :hold)
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_held_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, greatest((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), l.acquired_at + :hold)
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_held_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_held_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_lock AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = :name AND owner IS NULL;

-- name: list_held_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_held_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name)) INTO @dibs_passed
  FROM (SELECT name FROM dibs_lock WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS passed
  STRAIGHT_JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = passed.name
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: look_ticket
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_ticket
 WHERE name = :name;

-- name: renew_tickets
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_tickets tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_ticket (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_ticket AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_ticket AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_tickets
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_ticket AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_ticket
-- In the place of release_ticket, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
-- The key is compared with values alone: with a variable the DELETE would lock every row of the name.
INSERT INTO dibs_ticket (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_ticket AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT max(owner) INTO @dibs_gone FROM dibs_ticket WHERE name = :name AND owner = :owner AND held_until = 0
-- then
DELETE FROM dibs_ticket WHERE name = :name AND owner = :owner AND @dibs_gone IS NOT NULL;

-- name: guard_ticket
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name, owner FROM dibs_ticket WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_ticket AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_ticket
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_ticket
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_ticket (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_ticket AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_ticket
 WHERE name = :name AND owner IS NULL;

-- name: list_tickets
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_ticket
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_tickets
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name, 'owner', owner)) INTO @dibs_passed
  FROM (SELECT name, owner FROM dibs_ticket WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name', owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS passed
  STRAIGHT_JOIN dibs_ticket AS l FORCE INDEX (PRIMARY) ON l.name = passed.name AND l.owner = passed.owner
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: acquire_gate
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- Looks without a lock first, and locks the row only if it has passed: a try on a held lock locks and writes nothing. A locking search
-- alone would lock a held row for an instant, and its release would skip it.
-- SELECT .. INTO does not lock; IF EXISTS (SELECT ..) would.
-- The clock is read once: a column each would be torn when it ticks in between.
-- The first step answers alone if the lock is held; else it shows the predecessor. If the name is new the second one makes
-- the row; a lost race is error 1062, to be asked again. The third one takes the row if it has passed.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name
-- else
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, :owner, :holder, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
-- then
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT past.name, :owner, :holder, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM dibs_gate AS past
 WHERE past.name = :name AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner = :owner;

-- name: look_gate
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name;

-- name: renew_gates
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_gates tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_gate AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_gate AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_gates
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_gate AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_gate
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_gate AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_gates
-- The same for many (name, owner) pairs; returns the names that were let go.
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_gate AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_gate
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name FROM dibs_gate WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_gate AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_gate
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_gate AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner IS NULL;

-- name: list_gates
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_gate
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_gates
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name)) INTO @dibs_passed
  FROM (SELECT name FROM dibs_gate WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS passed
  STRAIGHT_JOIN dibs_gate AS l FORCE INDEX (PRIMARY) ON l.name = passed.name
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: look_reader
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_reader
 WHERE name = :name;

-- name: renew_readers
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_readers tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_readers
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_reader
-- In the place of release_reader, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
-- The key is compared with values alone: with a variable the DELETE would lock every row of the name.
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_reader AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT max(owner) INTO @dibs_gone FROM dibs_reader WHERE name = :name AND owner = :owner AND held_until = 0
-- then
DELETE FROM dibs_reader WHERE name = :name AND owner = :owner AND @dibs_gone IS NOT NULL;

-- name: guard_reader
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name, owner FROM dibs_reader WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_reader AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_reader
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_reader
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_reader AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_reader
 WHERE name = :name AND owner IS NULL;

-- name: list_readers
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_reader
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_readers
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name, 'owner', owner)) INTO @dibs_passed
  FROM (SELECT name, owner FROM dibs_reader WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name', owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS passed
  STRAIGHT_JOIN dibs_reader AS l FORCE INDEX (PRIMARY) ON l.name = passed.name AND l.owner = passed.owner
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: renew_onces
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_onces tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_once AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_once AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_onces
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_once AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_once
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_once AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_onces
-- The same for many (name, owner) pairs; returns the names that were let go.
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_once AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_once
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name FROM dibs_once WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_once AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_once
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_once AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_once
 WHERE name = :name AND owner IS NULL;

-- name: purge_onces
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name)) INTO @dibs_passed
  FROM (SELECT name FROM dibs_once WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS passed
  STRAIGHT_JOIN dibs_once AS l FORCE INDEX (PRIMARY) ON l.name = passed.name
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;

-- name: renew_permits
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_permits tells which.
-- What was renewed is what ends at least :lease after the first step. The variable is read by nobody else.
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
-- then
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.slot, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_permit AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_permit AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: find_permits
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT STRAIGHT_JOIN l.name, slot AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_permit AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);

-- name: release_permit
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.slot, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_permit AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_permits
-- The same for many (name, owner) pairs; returns the names that were let go.
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.slot, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_permit AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_permit
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name, slot FROM dibs_permit WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_permit AS g ON g.name = seen.name AND g.slot = seen.slot
 WHERE g.owner = :owner AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE;

-- name: break_permit
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.slot, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_permit AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE name = :name AND owner IS NULL;

-- name: list_permits
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_permit
 WHERE owner IS NOT NULL AND held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
 ORDER BY name;

-- name: purge_permits
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first, and the rows are found by the
-- key, however small the table is: a scan waits for the first locked row and meanwhile keeps all before it locked. A row that has
-- passed for so long and is locked at that moment is waited for.
SELECT json_arrayagg(json_object('name', name, 'slot', slot)) INTO @dibs_passed
  FROM (SELECT name, slot FROM dibs_permit WHERE held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention LIMIT :batch) AS passed
-- then
DELETE l
  FROM JSON_TABLE(@dibs_passed, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name', slot bigint PATH '$.slot')) AS passed
  STRAIGHT_JOIN dibs_permit AS l FORCE INDEX (PRIMARY) ON l.name = passed.name AND l.slot = passed.slot
 WHERE l.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) - :retention;
