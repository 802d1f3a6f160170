-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed: released and abandoned are the same thing.
-- name         exact: case, blanks and all
-- owner        the random token of one acquisition; NULL when released. Only who knows it may write
-- holder       a label for people: who has it
-- fence        grows with every acquisition of the name
-- acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
-- Collation "C" compares bytes. Room on each page lets an update stay on it, without touching the index.
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70);

-- name: create_once
-- One row is something that is done once a period: when it was last done, and who is at it now. Columns as in lock, and
-- succeeded_at the last success, or NULL
-- retry_at     not before, after a failure
-- failures     in a row, without a success in between
-- failed_at, error   the last failure
-- duration_ms  of the last run that ended
CREATE TABLE IF NOT EXISTS dibs_once (
    name         varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner        varchar(32) COLLATE "C",
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
) WITH (fillfactor = 70);

-- name: create_permit
-- One row is one slot of a semaphore, held or not. Columns as in lock, and
-- slot         0 for the first one; a semaphore of N permits uses those below N
CREATE TABLE IF NOT EXISTS dibs_permit (
    name        varchar(200) COLLATE "C" NOT NULL,
    slot        bigint NOT NULL,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, slot)
) WITH (fillfactor = 70);

-- name: create_gate
-- One row is the gate of a read-write lock: columns as in lock. It is open for readers while it has no owner; that its owner's time
-- has passed does not open it. The owner is a writer, or one that waits for the last reader to leave.
CREATE TABLE IF NOT EXISTS dibs_gate (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70);

-- name: create_reader
-- One row is one reader behind that gate; its release deletes it. As long as the row is there no writer gets in.
-- fence        the gate's when the row was made
CREATE TABLE IF NOT EXISTS dibs_reader (
    name        varchar(200) COLLATE "C" NOT NULL,
    owner       varchar(32) COLLATE "C" NOT NULL,
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) WITH (fillfactor = 70);

-- name: create_ticket
-- One row is somebody who waits for a fair lock; its release deletes it.
-- fence        the number: the lowest one is first
CREATE TABLE IF NOT EXISTS dibs_ticket (
    name        varchar(200) COLLATE "C" NOT NULL,
    owner       varchar(32) COLLATE "C" NOT NULL,
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (name, owner)
) WITH (fillfactor = 70);

-- name: create_claim
-- One row is a claim on a row of a table of the user's, if claims are not kept in that table itself. No row: it is free.
-- scope        the user's table, as the program names it
-- row_key      the key of the row as one text
-- token        the random token of the claim; dibs-later: it is put off; dibs-dead: nobody gets it
-- held_until   milliseconds since 1970 UTC by this database's clock; when it has passed the row is free
CREATE TABLE IF NOT EXISTS dibs_claim (
    scope       varchar(200) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    token       varchar(32) COLLATE "C" NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) WITH (fillfactor = 70);

-- name: create_range
-- One row is a range of keys that somebody works on, both ends included, or the cursor behind which all is claimed.
CREATE TABLE IF NOT EXISTS dibs_range (
    scope       varchar(200) COLLATE "C" NOT NULL,
    id          varchar(32) COLLATE "C" NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) COLLATE "C",
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) WITH (fillfactor = 70);

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
-- One row is one worker of a run: a thread that claims rows. Nobody else writes it.
-- worker       random, for each start
-- done, failed rows completed, and attempts that failed
-- rate         rows in 1000 seconds, lately
-- seen_at      when it last said that it is alive
-- left_at      when it ended in good order, or NULL
-- in_hand      the key of the row that it works on
-- error        why it ended, if that was a mistake that it could not go on with
CREATE TABLE IF NOT EXISTS dibs_run_worker (
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
-- A row of the user's that has failed and is not completed yet. Only who has claimed that row writes this one.
-- state        retry: it comes back by itself; dead: no more attempts; again: dead, and somebody wants it to be tried again
CREATE TABLE IF NOT EXISTS dibs_run_row (
    run         varchar(200) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    state       varchar(10) NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     varchar(1000),
    PRIMARY KEY (run, row_key)
);

-- name: create_run_error
-- Every attempt that failed; without a row_key, why a worker ended.
CREATE TABLE IF NOT EXISTS dibs_run_error (
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
    purpose      varchar(200) COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    id           varchar(32) COLLATE "C" NOT NULL,
    subject      varchar(200) COLLATE "C" NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE "C",
    owner        varchar(32) COLLATE "C",
    attempt      varchar(200) COLLATE "C",
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) WITH (fillfactor = 70);

-- name: find_columns
-- A row for each column of a table of ours that is there, with no error where a table is not. {each_table} are the parts.
SELECT 'dibs_lock' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_lock') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_once' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_once') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_permit' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_permit') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_gate' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_gate') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_reader' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_reader') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_ticket' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_ticket') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_claim' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_claim') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_range' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_range') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_run' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_run') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_run_worker' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_run_worker') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_run_row' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_run_row') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_run_error' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_run_error') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
UNION ALL
SELECT 'dibs_token' AS in_table, attname::text AS name
  FROM pg_attribute
 WHERE attrelid = to_regclass('dibs_token') AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT');

-- name: retake_lock
-- Takes :name again for :lease milliseconds if its row is still as this program gave it back: without an owner, passed, and with
-- :known_fence, the fence of the lease that was given back, since nobody has had the lock after that. One row = it is ours, and this is its
-- new fence. None, or an error that says "rolled back" = it is not so or somebody has it locked, nothing was changed, and acquire_lock tells
-- the rest. Not to be sent after a lease that was guarded: its guard may still be open, and a plain UPDATE may pass under it.
-- A plain UPDATE. It waits for each session that has the row locked, 50 ms at most, and then fails; the setting is for this transaction
-- only. It would pass under a guard by the owner (FOR KEY SHARE). But the lease with the known fence was never guarded, and whoever had the
-- lock after a guarded one has taken it by FOR UPDATE, so that its fence is another one.
UPDATE dibs_lock AS l
   SET owner = :owner,
       holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
 WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   AND set_config('lock_timeout', '50', true) IS NOT NULL
RETURNING fence;

-- name: look_locks
-- Those of the list that are there, as they are.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_lock
 WHERE name = ANY(:names);

-- name: make_locks
-- Makes the rows of the list that are not there, free. Error: somebody else made one at the same instant; ask again.
-- Sorted, so that two who make the same rows do not wait for each other.
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name, NULL, NULL, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
  FROM unnest(:names::text[], :owners::text[]) AS pair(name, owner)
 WHERE NOT EXISTS (SELECT 1 FROM dibs_lock AS l WHERE l.name = pair.name)
 ORDER BY pair.name COLLATE "C"
    ON CONFLICT (name) DO NOTHING;

-- name: acquire_locks
-- Takes those of the list, sorted by name, that have passed and that nobody has locked; returns them. Fewer than asked for: none may be
-- kept. Since nobody waits for a row, the order in which others take theirs does not matter.
-- All or none in one statement: it returns the rows as they were, and, if all were taken, as they are.
WITH pair AS MATERIALIZED (
    SELECT pair.name, pair.owner FROM unnest(:names::text[], :owners::text[]) AS pair(name, owner)
), seen AS MATERIALIZED (
    SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name
), free AS MATERIALIZED (
    SELECT l.name, pair.owner AS new_owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name
     WHERE l.held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       AND NOT EXISTS (SELECT 1 FROM seen AS s WHERE s.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
       AND (SELECT count(*) FROM seen) = (SELECT count(*) FROM pair)
     ORDER BY l.name
       FOR UPDATE OF l SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = free.new_owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name AND (SELECT count(*) FROM free) = (SELECT count(*) FROM pair)
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen;

-- name: acquire_ticket
-- A ticket for :lease milliseconds, with the clock as its number. Two of the same microsecond go by their tokens.
INSERT INTO dibs_ticket (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease)
RETURNING name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at;

-- name: look_turn
-- Who is in the way of the ticket of :owner with the :number: whoever has the lock (ahead = 0), and one of those who wait and came
-- before (ahead = 1). No row: it is worth to ask.
SELECT 0 AS ahead, name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = :name AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
UNION ALL
(SELECT 1 AS ahead, name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FROM dibs_ticket
  WHERE name = :name AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
    AND (fence < :number OR (fence = :number AND owner < :owner))
  FETCH FIRST 1 ROWS ONLY);

-- name: acquire_reader
-- Lets a reader in for :lease milliseconds. A row with owner = :owner: it is in, and the fence is its number. Another row: the gate
-- of a writer, or of one that waits to write. No row: the gate was made, or freed of an owner that had passed; ask again.
-- Whoever runs the steps stops after the second one if it answers with a row that is held, its own or the gate's: the third one takes
-- the reader's own row away again.
-- The gate is made without an error where two are first.
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT name, :owner, :holder, fence, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM dibs_gate
 WHERE name = :name AND owner IS NULL
-- then
SELECT r.name, r.owner, r.holder, g.fence, r.acquired_at, r.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_gate AS g JOIN dibs_reader AS r ON r.name = g.name
 WHERE g.name = :name AND g.owner IS NULL AND r.owner = :owner
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
  FROM dibs_gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
-- then
DELETE FROM dibs_reader WHERE name = :name AND owner = :owner
-- else
WITH stale AS MATERIALIZED (
    SELECT name
      FROM dibs_gate
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
)
UPDATE dibs_gate AS g
   SET owner = NULL
  FROM stale
 WHERE g.name = stale.name
-- else
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, NULL, NULL, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
    ON CONFLICT (name) DO NOTHING;

-- name: release_readers
-- The same for many (name, owner) pairs; returns the names that were let go.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.name, l.owner
      FROM pair JOIN dibs_reader AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR UPDATE OF l SKIP LOCKED
)
DELETE FROM dibs_reader AS l
 USING mine
 WHERE l.name = mine.name AND l.owner = mine.owner
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_reader'::regclass::oid::bigint))::text) AS woken;

-- name: enter_gate
-- May who has the gate write now? Sent again and again by a writer until it may. The row of the gate, with owner = :owner: no reader
-- is left. Another row: somebody is still there. No row: the gate is not :owner's any more. Readers whose time has passed are
-- removed, but not one that is locked, as by a guarded transaction.
WITH swept AS (
    DELETE FROM dibs_reader
     WHERE ctid = ANY (ARRAY(
        SELECT ctid
          FROM dibs_reader
         WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
           FOR UPDATE SKIP LOCKED))
 RETURNING owner
), remaining AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_reader
     WHERE name = :name AND owner NOT IN (SELECT owner FROM swept)
     LIMIT 1
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM remaining
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
  FROM dibs_gate
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AND NOT EXISTS (SELECT 1 FROM remaining);

-- name: downgrade_gate
-- Makes the writer :writer a reader too, while it has the gate; it gives that up when it knows that this is done. One row: it is in.
INSERT INTO dibs_reader (name, owner, holder, fence, acquired_at, held_until)
SELECT name, :owner, :holder, fence, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM dibs_gate
 WHERE name = :name AND owner = :writer AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at;

-- name: acquire_once
-- Takes :name for :lease milliseconds if it is due. Of the rows that come back, one with owner = :owner means that it is ours to do;
-- another one is the row as it was before. If none is ours, that one tells: it has an owner whose time has not come, or it is not
-- due, or somebody is just taking it. Who takes it from somebody who has not answered counts that as a failure.
-- One statement, no wait and no error on any path, as acquire_lock.
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms
      FROM dibs_once
     WHERE name = :name
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms
      FROM dibs_once
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AND retry_at <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AND coalesce(succeeded_at + :every, 0) <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       AND :due <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AND (cast(:seen AS bigint) = -2 OR coalesce(succeeded_at, -1) = :seen)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_once AS l
       SET failures = l.failures + CASE WHEN l.owner IS NULL THEN 0 ELSE 1 END,
           owner = :owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM (SELECT name AS free_name FROM free) AS f
     WHERE l.name = f.free_name
 RETURNING name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms
), made AS (
    INSERT INTO dibs_once (name, owner, holder, fence, acquired_at, held_until, retry_at, failures)
    SELECT :name, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease, 0, 0
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms
)
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: look_once
-- The row as it is.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_once
 WHERE name = :name;

-- name: complete_once
-- It is done. One row = it was still ours. No row = it is not ours any more, or locked just now.
-- It waits for the disk: what is done must not be undone by a crash.
WITH mine AS MATERIALIZED (
    SELECT name
      FROM dibs_once
     WHERE name = :name AND owner = :owner
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE dibs_once AS l
   SET duration_ms = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint - l.acquired_at,
       succeeded_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
       retry_at = 0,
       failures = 0,
       held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint),
       owner = NULL
  FROM mine
 WHERE l.name = mine.name;

-- name: fail_once
-- It was tried in vain, and is due again after :delay milliseconds. The same answer.
WITH mine AS MATERIALIZED (
    SELECT name
      FROM dibs_once
     WHERE name = :name AND owner = :owner
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE dibs_once AS l
   SET duration_ms = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint - l.acquired_at,
       failed_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
       error = :error,
       retry_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :delay,
       failures = l.failures + 1,
       held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint),
       owner = NULL
  FROM mine
 WHERE l.name = mine.name;

-- name: forget_once
-- As if it had never been done, nor been tried in vain: due at once. The same answer: no row = it is not there, or somebody is at it.
WITH idle AS MATERIALIZED (
    SELECT name
      FROM dibs_once
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE dibs_once AS l
   SET succeeded_at = NULL,
       retry_at = 0
  FROM idle
 WHERE l.name = idle.name;

-- name: list_onces
-- All of them, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_once
 ORDER BY name;

-- name: acquire_permit
-- Takes the lowest slot below :permits that has passed for :lease milliseconds; else the lowest that was never used. Of the rows that
-- come back, one with owner = :owner means that it is ours; another one is the slot as it was before. If none is ours, the other one
-- tells: held, so all are, or one above is; passed, so it was locked or is just being taken, and should be asked for again. No row at
-- all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- One statement, no wait and no error on any path, as acquire_lock.
WITH seen AS MATERIALIZED (
    SELECT name, slot, owner, holder, fence, acquired_at, held_until
      FROM dibs_permit
     WHERE name = :name AND (slot >= :permits AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
        OR slot < :permits AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
        OR slot < :permits AND (SELECT count(*) FROM dibs_permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)
     ORDER BY CASE WHEN slot >= :permits THEN 0 WHEN held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN slot ELSE held_until END
     LIMIT 1
), free AS MATERIALIZED (
    SELECT name, slot, owner, holder, fence, acquired_at, held_until
      FROM dibs_permit
     WHERE name = :name AND slot < :permits AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AND NOT EXISTS (SELECT 1 FROM dibs_permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
     ORDER BY slot
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_permit AS l
       SET owner = :owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name AND l.slot = free.slot
 RETURNING l.name, l.slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)
    SELECT :name, gap.slot, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM (SELECT min(c.slot) AS slot
   FROM (SELECT 0 AS slot UNION ALL SELECT b.slot + 1 FROM dibs_permit AS b WHERE b.name = :name) AS c
  WHERE c.slot < :permits
    AND NOT EXISTS (SELECT 1 FROM dibs_permit AS d WHERE d.name = :name AND d.slot = c.slot)) AS gap
     WHERE gap.slot IS NOT NULL AND NOT EXISTS (SELECT 1 FROM free) AND NOT EXISTS (SELECT 1 FROM dibs_permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
        ON CONFLICT (name, slot) DO NOTHING
 RETURNING name, slot, owner, holder, fence, acquired_at, held_until
)
SELECT name, slot, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, slot, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, slot, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, slot, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: look_permit
-- The row that tells, if there is one. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, slot, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_permit
 WHERE name = :name AND (slot >= :permits AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
        OR slot < :permits AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
        OR slot < :permits AND (SELECT count(*) FROM dibs_permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)
 ORDER BY CASE WHEN slot >= :permits THEN 0 WHEN held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN slot ELSE held_until END
 FETCH FIRST 1 ROW ONLY;

-- name: begin_run
-- Makes the run's row if there is none. Two who are first at the same instant may meet a duplicate key, which is fine.
INSERT INTO dibs_run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
VALUES (:run, 'running', :by, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, 'started', :batch, :rate, :max_failures, :max_percent, 0, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, 0)
    ON CONFLICT (name) DO NOTHING;

-- name: read_run
-- The run as it is.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint AS read_micros
  FROM dibs_run
 WHERE name = :run;

-- name: list_runs
-- All of them, by name.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint AS read_micros
  FROM dibs_run
 ORDER BY name;

-- name: change_run
-- Runs, pauses or stops it. What has failed before it was started again is forgiven.
UPDATE dibs_run
   SET state = :state, changed_by = :by, changed_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, reason = :reason,
       forgiven = CASE WHEN cast(:state AS varchar(10)) = 'running'
                       THEN (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w WHERE w.run = :run)
                       ELSE forgiven END
 WHERE name = :run;

-- name: stop_failing_run
-- Stops it if it is running still, since too much has failed.
UPDATE dibs_run
   SET state = 'stopped', changed_by = :by, changed_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, reason = :reason
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
UPDATE dibs_run SET finished_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint WHERE name = :run AND finished_at IS NULL;

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
   SET finished_at = NULL, total = NULL, started_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
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
VALUES (:run, :worker, :label, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, 0, 0, 0);

-- name: count_work
-- What it has done so far: the whole, so that a count which is sent twice counts once.
UPDATE dibs_run_worker
   SET done = :done, failed = :failed
 WHERE run = :run AND worker = :worker;

-- name: settle_worker
-- What it has counted, once a transaction of its own that was not answered has ended: the update waits for that.
UPDATE dibs_run_worker SET seen_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint WHERE run = :run AND worker = :worker
-- then
SELECT done, failed FROM dibs_run_worker WHERE run = :run AND worker = :worker;

-- name: see_worker
-- It is alive.
UPDATE dibs_run_worker
   SET seen_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, rate = :rate, in_hand = :in_hand
 WHERE run = :run AND worker = :worker;

-- name: leave_worker
-- A worker ends: in good order, or for the reason :error.
UPDATE dibs_run_worker
   SET seen_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, left_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, done = :done, failed = :failed, rate = 0, in_hand = NULL, error = :error
 WHERE run = :run AND worker = :worker;

-- name: list_workers
-- All that ever were, the latest first.
SELECT worker AS dibs_worker, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_run_worker
 WHERE run = :run
 ORDER BY started_at DESC, worker;

-- name: list_all_workers
-- Of all runs, each run's as list_workers has them.
SELECT run AS dibs_run, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_run_worker
 ORDER BY run, started_at DESC, worker;

-- name: sum_work
-- What all of them have done.
SELECT cast(coalesce(sum(done), 0) AS bigint) AS done, cast(coalesce(sum(failed), 0) AS bigint) AS failed
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
 FETCH FIRST :n ROWS ONLY;

-- name: add_run_row
-- A row has failed for the first time.
INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, :message);

-- name: change_run_row
-- A row has failed again.
UPDATE dibs_run_row
   SET state = :state, attempts = :attempts, failed_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, message = :message
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
VALUES (:run, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, :id, :row_key, :attempt, :worker, :error_class, :message, :stack);

-- name: list_run_errors
-- The latest first.
SELECT row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM dibs_run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id
 FETCH FIRST :n ROWS ONLY;

-- name: issue_new_token
-- Adds a token of random bits. If its key is there already, then this was sent before and has arrived: to look first would cost a
-- quarter more.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :ttl, 0, 0, 0);

-- name: issue_token
-- Adds a token that may have been issued before, unless it is there.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :ttl, 0, 0, 0)
    ON CONFLICT DO NOTHING;

-- name: supersede_token
-- Revokes the one live token of a subject, and makes room for another; not that other one itself, if this is sent again.
UPDATE dibs_token
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = least(ends_at, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole' AND digest <> :digest;

-- name: find_token
-- One row = it is there.
SELECT id AS dibs_token FROM dibs_token WHERE purpose = :purpose AND digest = :digest;

-- name: consume_token
-- Uses a live token up: the row comes back, its owner is ours. A token that was used before counts one replay more, unless by
-- the same attempt. Any other comes back as it is. No row: there is no such token.
-- The plain update first, and all the rest only if it finds nothing: to read the row before costs half of the speed.
UPDATE dibs_token
   SET ended = 'used', ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = :owner, attempt = :attempt
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
-- else
WITH replay AS (
    UPDATE dibs_token
   SET replays = replays + 1
 WHERE purpose = :purpose AND digest = :digest AND ended = 'used' AND attempt <> :attempt
 RETURNING subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
)
SELECT * FROM replay
UNION ALL
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest AND NOT EXISTS (SELECT 1 FROM replay);

-- name: consume_each_token
-- The same for a list of tokens at once, each token once, each for itself. It waits for nobody and counts no replay. A row for each
-- :owner of which is certain what it is told, with nothing but the asker if there is no such token. No row: the token is locked, or was
-- used before by another attempt; its caller asks by consume_token. An error is one for all: nothing was used.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- The list behind a materialized row: see leases.sql. The clock is read once, so that no token is both live and expired. FOR UPDATE, as
-- ends_at is in a unique index.
WITH asked AS MATERIALIZED (
    SELECT :purposes::text[] AS purposes, :digests::bytea[] AS digests, :owners::text[] AS owners,
           :attempt_ids::text[] AS attempts, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS asked_at
), one AS MATERIALIZED (
    SELECT o.purpose, o.digest, o.owner, o.attempt, asked_at
      FROM asked, unnest(purposes, digests, owners, attempts) AS o(purpose, digest, owner, attempt)
), live AS MATERIALIZED (
    SELECT t.purpose, t.digest, one.owner, one.attempt
      FROM one JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = one.digest
     WHERE t.ended IS NULL AND t.ends_at > asked_at
       FOR UPDATE OF t SKIP LOCKED
), used AS (
    UPDATE dibs_token AS t
       SET ended = 'used', ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = live.owner, attempt = live.attempt
      FROM live
     WHERE t.purpose = live.purpose AND t.digest = live.digest
 RETURNING t.subject, t.payload, t.issued_at, t.ends_at, t.ended, t.owner, t.attempt, t.replays
)
SELECT owner AS asker, used.*, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM used
UNION ALL
SELECT one.owner, t.subject, t.payload, t.issued_at, t.ends_at, t.ended, t.owner, t.attempt, t.replays, asked_at
  FROM one LEFT JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = one.digest
 WHERE t.digest IS NULL OR t.ended = 'revoked' OR t.ended = 'used' AND t.attempt = one.attempt
    OR t.ended IS NULL AND t.ends_at <= asked_at;

-- name: peek_token
-- The token as it is.
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest;

-- name: revoke_token
-- Ends a live token. A row changed, or one returned = it was live.
UPDATE dibs_token
   SET ended = 'revoked', ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint;

-- name: revoke_tokens
-- Ends all live tokens and codes of a subject, as many as rows are changed or returned.
UPDATE dibs_token
   SET ended = 'revoked', ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint;

-- name: list_tokens
-- The latest of a subject.
SELECT id, issued_at, ends_at, ended, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND subject = :subject
 ORDER BY issued_at DESC, id
 FETCH FIRST :n ROWS ONLY;

-- name: count_tokens
-- How many tokens of a purpose are in which state: live, used, revoked, expired.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token
         WHERE purpose = :purpose) AS token
 GROUP BY purpose, state;

-- name: count_all_tokens
-- The same of every purpose.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token) AS token
 GROUP BY purpose, state
 ORDER BY purpose;

-- name: issue_code
-- Gives the subject a code, in place of the former one. Wrong tries of the former count on until their window has passed; a new
-- window begins with the next wrong try. Two who are first at the same instant may meet a duplicate key: ask again.
INSERT INTO dibs_token AS t
       (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :ttl, 0, 0, 0)
    ON CONFLICT (purpose, subject, id) DO UPDATE
   SET digest = excluded.digest, payload = excluded.payload, issued_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :ttl, ended = NULL,
       owner = NULL, attempt = NULL, replays = 0,
       tries = CASE WHEN t.window_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint THEN 0 ELSE t.tries END;

-- name: try_code
-- Uses a live code up if the digest is its own, and counts a wrong try if not, of which the last one ends the code: so the
-- count can not be got round by asking many times at once. A code that is not live, or for which :tries wrong ones were given,
-- comes back as it is. No row: the subject has no code.
UPDATE dibs_token
   SET ended = CASE WHEN digest = :digest THEN 'used'
                    WHEN CASE WHEN window_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint THEN 0 ELSE tries END + 1 >= :tries THEN 'revoked' END,
       ends_at = CASE WHEN digest = :digest THEN floor(date_part('epoch', clock_timestamp()) * 1000)::bigint ELSE ends_at END,
       owner = CASE WHEN digest = :digest THEN :owner END,
       attempt = CASE WHEN digest = :digest THEN :attempt END,
       tries = CASE WHEN window_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint THEN 0 ELSE tries END + CASE WHEN digest = :digest THEN 0 ELSE 1 END,
       window_until = CASE WHEN window_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AND digest <> :digest THEN floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :window ELSE window_until END
 WHERE purpose = :purpose AND subject = :subject AND id = 'code' AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   AND (tries < :tries OR window_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
RETURNING subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at, tries, window_until, CASE WHEN digest = :digest THEN 1 ELSE 0 END AS is_right
-- else
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at, tries, window_until, CASE WHEN digest = :digest THEN 1 ELSE 0 END AS is_right
  FROM dibs_token
 WHERE purpose = :purpose AND subject = :subject AND id = 'code';

-- name: purge_tokens
-- Deletes up to :batch tokens of a purpose that ended :retention milliseconds ago, skipping locked ones. A used one stays for a
-- minute at least, a code for as long as its wrong tries count. Rows changed, or one returned that says how many, mean that there may be more. That
-- row may also say up to which ends_at the batch went, for the next one to go on from there (:since).
-- By MERGE: an IN (SELECT ..) is asked anew for every row of the table here.
-- In the order of the index: else a generic plan reads the whole table, live tokens and all. And from where the last batch has
-- ended: else each one steps over all that was deleted before it and is still in the index.
WITH gone AS (
    DELETE FROM dibs_token
     WHERE ctid = ANY (ARRAY(
        SELECT ctid
          FROM dibs_token
         WHERE purpose = :purpose AND ends_at >= :since
           AND ends_at <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention AND window_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AND (coalesce(ended, 'expired') <> 'used' OR ends_at <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - 60000)
         ORDER BY ends_at
         LIMIT :batch
           FOR UPDATE SKIP LOCKED))
 RETURNING ends_at
)
SELECT count(*) AS deleted, max(ends_at) AS up_to FROM gone HAVING count(*) > 0;

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
SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at;

-- name: check_settings
-- A row a finding: level (ok, note, warning, error), subject, message, remedy.
SELECT CASE WHEN current_setting('fsync') = 'on' THEN 'ok' ELSE 'warning' END AS level, 'fsync' AS subject,
       CASE WHEN current_setting('fsync') = 'on' THEN 'on'
            ELSE 'off: after a crash of the machine a lock that was granted can be granted again' END AS message,
       CASE WHEN current_setting('fsync') = 'on' THEN '' ELSE 'Set fsync = on in postgresql.conf' END AS remedy
UNION ALL
SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'warning' ELSE 'ok' END, 'synchronous_commit',
       CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'off: after a crash of the server a lock that was granted can be granted again'
            ELSE current_setting('synchronous_commit') END,
       CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'Set synchronous_commit = on, at least for this user: ALTER ROLE .. SET synchronous_commit = on' ELSE '' END
UNION ALL
SELECT 'error', 'standby', 'this server is a standby: it can not be written to',
       'Give the primary''s address, or targetServerType=primary in the url'
 WHERE pg_is_in_recovery()
UNION ALL
SELECT 'error', 'default_transaction_read_only', 'on: nothing can be written', 'Set default_transaction_read_only = off'
 WHERE current_setting('default_transaction_read_only') = 'on'
UNION ALL
SELECT CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms') THEN 'note' ELSE 'ok' END,
       'idle_in_transaction_session_timeout',
       CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms')
            THEN 'off: a holder that hangs inside a guarded transaction keeps the lock until its connection is dropped'
            ELSE current_setting('idle_in_transaction_session_timeout') END,
       CASE WHEN current_setting('idle_in_transaction_session_timeout') IN ('0', '0ms')
            THEN 'Set it to the longest that a transaction of yours may sit idle, as in 5min' ELSE '' END
UNION ALL
SELECT CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN 'ok' ELSE 'note' END, 'tcp_keepalives_idle',
       CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN current_setting('tcp_keepalives_idle') || ' s'
            ELSE current_setting('tcp_keepalives_idle') || ' s: so long (0: as long as the system has it) a machine that'
              || ' vanished inside a guarded transaction goes unnoticed' END,
       CASE WHEN current_setting('tcp_keepalives_idle')::int BETWEEN 1 AND 300 THEN '' ELSE 'Set tcp_keepalives_idle = 60' END;

-- name: find_index_filters
-- The conditions of the table's indexes, where the driver does not tell them.
SELECT '' AS index_name, '' AS filter
  FROM (SELECT CAST(:table AS char(1000)) AS of_table) AS nothing
 WHERE 1 = 0;

-- name: check_claimed_table
-- A row a finding, as above, on how the table is stored. :token and :until are the columns in which claims are kept.
-- A row that is changed stays where its indexes find it (a HOT update) if its page has room and no index has what changed.
SELECT 'note' AS level, 'claims fillfactor' AS subject,
       'its pages are filled to the last: a claim has to move rows to other pages' AS message,
       'ALTER TABLE ' || :table || ' SET (fillfactor = 70): claims are 10 to 30 % faster once the rows have been written anew' AS remedy
  FROM pg_class AS c
 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
   AND NOT EXISTS (SELECT 1 FROM pg_options_to_table(c.reloptions)
                    WHERE option_name = 'fillfactor' AND option_value::int < 100)
UNION ALL
SELECT 'note', 'claims HOT updates',
       'the index ' || i.relname || ' contains ' || string_agg(a.attname, ', ') || ': each claim has to write all indexes of the row',
       'Leave ' || string_agg(a.attname, ', ') || ' out of it if you can do without'
  FROM pg_index AS x
  JOIN pg_class AS i ON i.oid = x.indexrelid
  JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
 WHERE x.indrelid = to_regclass(:table) AND a.attname IN (:token, :until)
 GROUP BY i.relname
UNION ALL
SELECT 'warning', 'claims vacuum', 'autovacuum is off: what was finished stays in the index, and each claim walks past all of it',
       'Switch it on, or run VACUUM (INDEX_CLEANUP ON) ' || :table || ' often'
  FROM pg_class AS c
 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
   AND NOT (current_setting('autovacuum')::boolean
            AND coalesce((SELECT option_value FROM pg_options_to_table(c.reloptions)
                           WHERE option_name = 'autovacuum_enabled'), 'on')::boolean)
UNION ALL
-- By default it waits for a fifth of the table, and leaves the indexes as they are if less than 2 % of the pages have changed.
SELECT 'note', 'claims vacuum',
       'up to ' || many.rows || ' finished rows stay in the index until VACUUM takes them out: each claim walks past them',
       'ALTER TABLE ' || :table || ' SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,'
         || ' vacuum_index_cleanup = on)'
  FROM (SELECT greatest(o.threshold + o.share * o.rows, CASE WHEN o.all_indexes THEN 0 ELSE 0.02 * o.rows END)::bigint AS rows
          FROM (SELECT greatest(c.reltuples, 0)::float8 AS rows,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'autovacuum_vacuum_threshold'),
                                current_setting('autovacuum_vacuum_threshold'))::float8 AS threshold,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'autovacuum_vacuum_scale_factor'),
                                current_setting('autovacuum_vacuum_scale_factor'))::float8 AS share,
                       coalesce(max(s.option_value) FILTER (WHERE s.option_name = 'vacuum_index_cleanup'), 'auto')
                         IN ('on', 'true', 'yes', '1') AS all_indexes
                  FROM pg_class AS c
                  LEFT JOIN LATERAL pg_options_to_table(c.reloptions) AS s ON true
                 WHERE c.oid = to_regclass(:table) AND c.relkind = 'r'
                 GROUP BY c.oid, c.reltuples) AS o) AS many
 WHERE many.rows > 50000;

-- name: acquire_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- One statement, no wait and no error on any path: a locked row is skipped, and a lost race for a new name inserts nothing.
-- FOR UPDATE before the UPDATE is what a guard (FOR KEY SHARE) conflicts with: without it a takeover would pass under one.
-- The clock stands in the SET itself: whatever is computed beforehand is older than the row lock.
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = :owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: acquire_each_lock
-- The same for a list of (name, owner) pairs at once, each name once, each for itself: for x, where its callers go together. The rows
-- that come back are those that acquire_lock would return for each name. An error is one for all: nothing was taken.
-- As acquire_lock. New rows are made in one order, so that two who make the same ones do not wait for each other.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), seen AS MATERIALIZED (
    SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name
), free AS MATERIALIZED (
    SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pair.owner AS new_owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name
     WHERE l.held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE OF l SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = free.new_owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT pair.name, pair.owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM pair
     WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.name = pair.name)
     ORDER BY pair.name COLLATE "C"
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free WHERE free.name = seen.name);

-- name: look_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = :name;

-- name: renew_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_locks tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_locks.
UPDATE dibs_lock AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken;

-- name: release_unguarded_lock
-- The same for a lease that was never guarded and is not being renewed, so that nobody else should have its row locked: where that
-- is less work, by a plain UPDATE. An error that says "rolled back" = locked just now, too. For locks.
-- It waits for each session that has the row locked, 50 ms at most, and then fails. The settings are for this transaction only.
UPDATE dibs_lock AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE name = :name AND owner = :owner
   AND set_config('synchronous_commit', 'off', true) IS NOT NULL AND set_config('lock_timeout', '50', true) IS NOT NULL
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken;

-- name: release_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) AS woken;

-- name: release_each_lock
-- The same as release_lock for a list of (name, owner) pairs at once, each name once; returns the names that were let go. For x,
-- where its callers go together.
-- As release_lock: it need not wait for the disk, and notifies only for a name that somebody waits for.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken, set_config('synchronous_commit', 'off', true) AS hasty;

-- name: guard_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_lock
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name
      FROM dibs_lock
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_lock AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_lock
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_lock
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: acquire_held_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- One statement, no wait and no error on any path: a locked row is skipped, and a lost race for a new name inserts nothing.
-- FOR UPDATE before the UPDATE is what a guard (FOR KEY SHARE) conflicts with: without it a takeover would pass under one.
-- The clock stands in the SET itself: whatever is computed beforehand is older than the row lock.
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = :owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: look_held_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = :name;

-- name: renew_held_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_held_locks tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = greatest(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease)
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_held_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_held_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_held_locks.
UPDATE dibs_lock AS l
   SET held_until = greatest(floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, l.acquired_at + :hold), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken;

-- name: release_held_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = greatest(floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, l.acquired_at + :hold), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) AS woken;

-- name: guard_held_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_lock
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_held_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name
      FROM dibs_lock
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_lock AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_held_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_lock
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_held_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_lock
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: look_ticket
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_ticket
 WHERE name = :name;

-- name: renew_tickets
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_tickets tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_ticket AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_ticket AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_tickets
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_ticket AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_ticket
-- In the place of release_ticket, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
-- It need not wait for the disk, and wakes who waits: see release_ticket.
DELETE FROM dibs_ticket AS l
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_ticket
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_ticket'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_ticket'::regclass::oid::bigint))::text) END AS woken;

-- name: guard_ticket
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_ticket
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_ticket
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_ticket
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name, owner
      FROM dibs_ticket
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_ticket AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name AND l.owner = mine.owner
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_ticket'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_tickets
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_ticket
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_tickets
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_ticket
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_ticket
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: acquire_gate
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- One statement, no wait and no error on any path: a locked row is skipped, and a lost race for a new name inserts nothing.
-- FOR UPDATE before the UPDATE is what a guard (FOR KEY SHARE) conflicts with: without it a takeover would pass under one.
-- The clock stands in the SET itself: whatever is computed beforehand is older than the row lock.
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_gate
     WHERE name = :name
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_gate
     WHERE name = :name AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_gate AS l
       SET owner = :owner,
           holder = :holder,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_gate (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: look_gate
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_gate
 WHERE name = :name;

-- name: renew_gates
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_gates tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_gate AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_gate AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_gates
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_gate AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_gate
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_gates.
UPDATE dibs_gate AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_gate
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_gate'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_gate'::regclass::oid::bigint))::text) END AS woken;

-- name: release_gates
-- The same for many (name, owner) pairs; returns the names that were let go.
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_gate AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR UPDATE OF l SKIP LOCKED
)
UPDATE dibs_gate AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_gate'::regclass::oid::bigint))::text) AS woken;

-- name: guard_gate
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_gate
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_gate
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_gate
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name
      FROM dibs_gate
     WHERE name = :name AND owner IS NOT NULL
       FOR UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_gate AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_gate'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_gates
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_gate
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_gates
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_gate
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_gate
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: look_reader
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_reader
 WHERE name = :name;

-- name: renew_readers
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_readers tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_reader AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_reader AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_readers
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_reader AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_reader
-- In the place of release_reader, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
-- It need not wait for the disk, and wakes who waits: see release_reader.
DELETE FROM dibs_reader AS l
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_reader
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_reader'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_reader'::regclass::oid::bigint))::text) END AS woken;

-- name: guard_reader
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_reader
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_reader
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_reader
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name, owner
      FROM dibs_reader
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_reader AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name AND l.owner = mine.owner
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_reader'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_readers
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_reader
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_readers
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_reader
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_reader
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: renew_onces
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_onces tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_once AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_once AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_onces
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_once AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_once
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_onces.
UPDATE dibs_once AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_once
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_once'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_once'::regclass::oid::bigint))::text) END AS woken;

-- name: release_onces
-- The same for many (name, owner) pairs; returns the names that were let go.
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_once AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_once AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_once'::regclass::oid::bigint))::text) AS woken;

-- name: guard_once
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_once
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_once
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_once
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name
      FROM dibs_once
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_once AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_once'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: purge_onces
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_once
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_once
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));

-- name: renew_permits
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_permits tells which.
-- A row is found once, and then by its place. One that was changed after this statement's snapshot, as by a renewal that commits just now,
-- is locked in its new place, where the UPDATE does not see it: it counts as locked by somebody, and is asked about again.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_permit AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_permit AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.owner;

-- name: find_permits
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, slot AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_permit AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint);

-- name: release_permit
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_permits.
UPDATE dibs_permit AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_permit
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_permit'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_permit'::regclass::oid::bigint))::text) END AS woken;

-- name: release_permits
-- The same for many (name, owner) pairs; returns the names that were let go.
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), mine AS MATERIALIZED (
    SELECT l.ctid AS place
      FROM pair JOIN dibs_permit AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_permit AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
  FROM mine
 WHERE l.ctid = mine.place
RETURNING l.name, pg_notify('dibs', (hashtextextended(l.name, 'dibs_permit'::regclass::oid::bigint))::text) AS woken;

-- name: guard_permit
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM dibs_permit
 WHERE name = :name AND owner = :owner AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE;

-- name: break_permit
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_permit
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT name, slot
      FROM dibs_permit
     WHERE name = :name AND owner IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED
), broken AS (
    UPDATE dibs_permit AS l
       SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
      FROM mine
     WHERE l.name = mine.name AND l.slot = mine.slot
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pg_notify('dibs', (hashtextextended(l.name, 'dibs_permit'::regclass::oid::bigint))::text) AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM broken;

-- name: list_permits
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) AS read_at
  FROM dibs_permit
 WHERE owner IS NOT NULL AND held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
 ORDER BY name;

-- name: purge_permits
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM dibs_permit
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_permit
     WHERE held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));
