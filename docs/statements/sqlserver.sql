-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed: released and abandoned are the same thing.
-- name         exact: case, blanks and all
-- owner        the random token of one acquisition; NULL when released. Only who knows it may write
-- holder       a label for people: who has it
-- fence        grows with every acquisition of the name
-- acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
-- Even a binary collation ignores trailing blanks in a comparison, so the key is the name and a full stop.
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

-- name: create_once
-- One row is something that is done once a period: when it was last done, and who is at it now. Columns as in lock, and
-- succeeded_at the last success, or NULL
-- retry_at     not before, after a failure
-- failures     in a row, without a success in between
-- failed_at, error   the last failure
-- duration_ms  of the last run that ended
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

-- name: create_permit
-- One row is one slot of a semaphore, held or not. Columns as in lock, and
-- slot         0 for the first one; a semaphore of N permits uses those below N
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

-- name: create_gate
-- One row is the gate of a read-write lock: columns as in lock. It is open for readers while it has no owner; that its owner's time
-- has passed does not open it. The owner is a writer, or one that waits for the last reader to leave.
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

-- name: create_reader
-- One row is one reader behind that gate; its release deletes it. As long as the row is there no writer gets in.
-- fence        the gate's when the row was made
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

-- name: create_ticket
-- One row is somebody who waits for a fair lock; its release deletes it.
-- fence        the number: the lowest one is first
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

-- name: create_claim
-- One row is a claim on a row of a table of the user's, if claims are not kept in that table itself. No row: it is free.
-- scope        the user's table, as the program names it
-- row_key      the key of the row as one text
-- token        the random token of the claim; dibs-later: it is put off; dibs-dead: nobody gets it
-- held_until   milliseconds since 1970 UTC by this database's clock; when it has passed the row is free
-- The key is longer than a clustered one may be.
IF object_id(N'dibs_claim', N'U') IS NULL
CREATE TABLE dibs_claim (
    scope       nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    row_key     nvarchar(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    token       varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY NONCLUSTERED (scope, row_key)
);

-- name: create_range
-- One row is a range of keys that somebody works on, both ends included, or the cursor behind which all is claimed.
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
-- The name of a run has no blank at its end, so that the binary collation is exact enough.
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

-- name: create_run_worker
-- One row is one worker of a run: a thread that claims rows. Nobody else writes it.
-- worker       random, for each start
-- done, failed rows completed, and attempts that failed
-- rate         rows in 1000 seconds, lately
-- seen_at      when it last said that it is alive
-- left_at      when it ended in good order, or NULL
-- in_hand      the key of the row that it works on
-- error        why it ended, if that was a mistake that it could not go on with
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

-- name: create_run_row
-- A row of the user's that has failed and is not completed yet. Only who has claimed that row writes this one.
-- state        retry: it comes back by itself; dead: no more attempts; again: dead, and somebody wants it to be tried again
-- A clustered key may have 900 bytes, this one has up to 1200; one that is not clustered may have 1700.
IF object_id(N'dibs_run_row', N'U') IS NULL
CREATE TABLE dibs_run_row (
    run         nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    row_key     nvarchar(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    state       varchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   bigint NOT NULL,
    message     nvarchar(1000) NULL,
    PRIMARY KEY NONCLUSTERED (run, row_key)
);

-- name: create_run_error
-- Every attempt that failed; without a row_key, why a worker ended.
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
-- Neither a purpose nor a subject has a blank at its end, so that the binary collation is exact enough.
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
    owner        varchar(32) COLLATE Latin1_General_100_BIN2 NULL,
    attempt      nvarchar(200) COLLATE Latin1_General_100_BIN2 NULL,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
);

-- name: find_columns
-- A row for each column of a table of ours that is there, with no error where a table is not. {each_table} are the parts.
SELECT 'dibs_lock' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_lock')
UNION ALL
SELECT 'dibs_once' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_once')
UNION ALL
SELECT 'dibs_permit' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_permit')
UNION ALL
SELECT 'dibs_gate' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_gate')
UNION ALL
SELECT 'dibs_reader' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_reader')
UNION ALL
SELECT 'dibs_ticket' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_ticket')
UNION ALL
SELECT 'dibs_claim' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_claim')
UNION ALL
SELECT 'dibs_range' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_range')
UNION ALL
SELECT 'dibs_run' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_run')
UNION ALL
SELECT 'dibs_run_worker' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_run_worker')
UNION ALL
SELECT 'dibs_run_row' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_run_row')
UNION ALL
SELECT 'dibs_run_error' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_run_error')
UNION ALL
SELECT 'dibs_token' AS in_table, name
  FROM sys.columns
 WHERE object_id = object_id(N'dibs_token');

-- name: retake_lock
-- Takes :name again for :lease milliseconds if its row is still as this program gave it back: without an owner, passed, and with
-- :known_fence, the fence of the lease that was given back, since nobody has had the lock after that. One row = it is ours, and this is its
-- new fence. None, or an error that says "rolled back" = it is not so or somebody has it locked, nothing was changed, and acquire_lock tells
-- the rest. Not to be sent after a lease that was guarded: its guard may still be open, and a plain UPDATE may pass under it.
SELECT fence
  FROM FINAL TABLE (
    UPDATE dibs_lock
       SET owner = :owner,
           holder = :holder,
           fence = greatest(fence + 1, datediff_big(millisecond, '19700101', sysutcdatetime()) * 1000),
           acquired_at = datediff_big(millisecond, '19700101', sysutcdatetime()),
           held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + :lease
     WHERE name IN (SELECT name FROM dibs_lock
                     WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime())
                       FOR UPDATE SKIP LOCKED)
       AND fence = :known_fence AND owner IS NULL AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()));

-- name: look_locks
-- Those of the list that are there, as they are.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2;

-- name: make_locks
-- Makes the rows of the list that are not there, free. Error: somebody else made one at the same instant; ask again.
DECLARE @pairs nvarchar(max) = :pairs;
INSERT INTO dibs_lock (name_key, name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name + N'.', pair.name, NULL, NULL, datediff_big(microsecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime())
  FROM OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
 WHERE NOT EXISTS (SELECT 1 FROM dibs_lock AS l WITH (NOLOCK) WHERE l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2);

-- name: acquire_locks
-- Takes those of the list, sorted by name, that have passed and that nobody has locked; returns them. Fewer than asked for: none may be
-- kept. Since nobody waits for a row, the order in which others take theirs does not matter.
DECLARE @pairs nvarchar(max) = :pairs, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
UPDATE l
   SET owner = pair.owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2
 WHERE l.held_until <= @now;
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2
 WHERE l.owner = pair.owner COLLATE Latin1_General_100_BIN2;

-- name: acquire_ticket
-- A ticket for :lease milliseconds, with the clock as its number. Two of the same microsecond go by their tokens.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
DECLARE @made TABLE (number bigint NOT NULL);
INSERT INTO dibs_ticket (name_key, name, owner, holder, fence, acquired_at, held_until)
OUTPUT inserted.fence INTO @made (number)
VALUES (@name + N'.', @name, @owner, @holder, @micros, @now, @now + @lease);
SET @micros = (SELECT number FROM @made);
SELECT @name AS name, @owner AS owner, @holder AS holder, @micros AS fence, @now AS acquired_at, @now + @lease AS held_until,
       datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at;

-- name: look_turn
-- Who is in the way of the ticket of :owner with the :number: whoever has the lock (ahead = 0), and one of those who wait and came
-- before (ahead = 1). No row: it is worth to ask.
DECLARE @name nvarchar(200) = :name, @number bigint = :number, @owner varchar(32) = :owner;
SELECT 0 AS ahead, name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @name + N'.' AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
UNION ALL
SELECT 1 AS ahead, name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime())
  FROM dibs_ticket WITH (NOLOCK)
 WHERE name_key = @name + N'.' AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
   AND (fence < @number OR (fence = @number AND owner < @owner));

-- name: acquire_reader
-- Lets a reader in for :lease milliseconds. A row with owner = :owner: it is in, and the fence is its number. Another row: the gate
-- of a writer, or of one that waits to write. No row: the gate was made, or freed of an owner that had passed; ask again.
-- Whoever runs the steps stops after the second one if it answers with a row that is held, its own or the gate's: the third one takes
-- the reader's own row away again.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @seen bigint, @number bigint;
SELECT @known = count(*) FROM dibs_gate WITH (NOLOCK) WHERE name_key = @key;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO dibs_gate (name_key, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @name, NULL, NULL, @micros, @now, @now);
SELECT @seen = fence
  FROM dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @key AND owner IS NULL;
IF @seen IS NOT NULL
    INSERT INTO dibs_reader (name_key, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @name, @owner, @holder, @seen, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease);
SELECT @number = fence
  FROM dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @key AND owner IS NULL AND @seen IS NOT NULL;
DELETE FROM dibs_reader WITH (ROWLOCK)
 WHERE name_key = @key AND owner = @owner AND @number IS NULL;
UPDATE dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) AND @number IS NULL;
SELECT name, owner, holder, @number AS fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner AND @number IS NOT NULL
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime())
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL AND @number IS NULL;

-- name: release_readers
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
DELETE l
OUTPUT deleted.name INTO @released (name)
  FROM dibs_reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: enter_gate
-- May who has the gate write now? Sent again and again by a writer until it may. The row of the gate, with owner = :owner: no reader
-- is left. Another row: somebody is still there. No row: the gate is not :owner's any more. Readers whose time has passed are
-- removed, but not one that is locked, as by a guarded transaction.
-- The count locks what it reads for a moment, so that it can neither miss a row that is moved meanwhile nor see one that is not
-- committed; NOWAIT makes a locked one error 1222, which means that somebody is there.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @there int = 1;
DECLARE @passed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (owner)
SELECT owner FROM dibs_reader WITH (NOLOCK) WHERE name_key = @key AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime());
DELETE l
  FROM dibs_reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS p ON l.owner = p.owner
 WHERE l.name_key = @key AND l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime());
BEGIN TRY
    SELECT @there = count(*) FROM dibs_reader WITH (ROWLOCK, READCOMMITTEDLOCK, NOWAIT) WHERE name_key = @key;
END TRY
BEGIN CATCH
    IF error_number() <> 1222
    BEGIN;
        THROW;
    END;
    SET @there = 1;
END CATCH;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime()) AND @there = 0
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime())
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @key AND @there > 0;

-- name: downgrade_gate
-- Makes the writer :writer a reader too, while it has the gate; it gives that up when it knows that this is done. One row: it is in.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.', @writer varchar(32) = :writer;
INSERT INTO dibs_reader (name_key, name, owner, holder, fence, acquired_at, held_until)
SELECT name_key, name, @owner, @holder, fence, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner = @writer AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
-- then
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @name + N'.' AND owner = @owner;

-- name: acquire_once
-- Takes :name for :lease milliseconds if it is due. Of the rows that come back, one with owner = :owner means that it is ours to do;
-- another one is the row as it was before. If none is ours, that one tells: it has an owner whose time has not come, or it is not
-- due, or somebody is just taking it. Who takes it from somebody who has not answered counts that as a failure.
-- As acquire_lock. The clock is read before anything is looked at: it is not due by a later one if it is by that.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @every bigint = :every, @due bigint = :due, @seen bigint = :seen;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @passed int = 0;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @passed = max(CASE WHEN held_until <= @now AND retry_at <= @now AND coalesce(succeeded_at + @every, 0) <= @now
       AND @due <= @now AND (@seen = -2 OR coalesce(succeeded_at, -1) = @seen) THEN 1 ELSE 0 END)
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @key;
SET @micros = datediff_big(microsecond, '19700101', sysutcdatetime());
SET @now = @micros / 1000;
IF @known = 0
    INSERT INTO dibs_once (name_key, name, owner, holder, fence, acquired_at, held_until, retry_at, failures)
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease, 0, 0);
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET failures = failures + CASE WHEN owner IS NULL THEN 0 ELSE 1 END,
       owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @passed = 1 AND name_key = @key AND held_until <= @now AND retry_at <= @now AND coalesce(succeeded_at + @every, 0) <= @now
       AND @due <= @now AND (@seen = -2 OR coalesce(succeeded_at, -1) = @seen);
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_once
-- The row as it is.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: complete_once
-- It is done. One row = it was still ours. No row = it is not ours any more, or locked just now.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @now bigint = datediff_big(millisecond, '19700101', sysutcdatetime());
DECLARE @completed int = 0;
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET duration_ms = @now - acquired_at,
       succeeded_at = @now,
       retry_at = 0,
       failures = 0,
       held_until = CASE WHEN held_until < @now THEN held_until ELSE @now END,
       owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @completed = @@ROWCOUNT;
SELECT @completed AS completed WHERE @completed > 0;

-- name: fail_once
-- It was tried in vain, and is due again after :delay milliseconds. The same answer.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @error nvarchar(1000) = :error, @delay bigint = :delay;
DECLARE @now bigint = datediff_big(millisecond, '19700101', sysutcdatetime());
DECLARE @failed int = 0;
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET duration_ms = @now - acquired_at,
       failed_at = @now,
       error = @error,
       retry_at = @now + @delay,
       failures = failures + 1,
       held_until = CASE WHEN held_until < @now THEN held_until ELSE @now END,
       owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @failed = @@ROWCOUNT;
SELECT @failed AS failed WHERE @failed > 0;

-- name: forget_once
-- As if it had never been done, nor been tried in vain: due at once. The same answer: no row = it is not there, or somebody is at it.
DECLARE @name nvarchar(200) = :name;
DECLARE @now bigint = datediff_big(millisecond, '19700101', sysutcdatetime());
DECLARE @forgotten int = 0;
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET succeeded_at = NULL,
       retry_at = 0
 WHERE name_key = @name + N'.' AND held_until <= @now;
SET @forgotten = @@ROWCOUNT;
SELECT @forgotten AS forgotten WHERE @forgotten > 0;

-- name: list_onces
-- All of them, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 ORDER BY name_key;

-- name: acquire_permit
-- Takes the lowest slot below :permits that has passed for :lease milliseconds; else the lowest that was never used. Of the rows that
-- come back, one with owner = :owner means that it is ours; another one is the slot as it was before. If none is ours, the other one
-- tells: held, so all are, or one above is; passed, so it was locked or is just being taken, and should be asked for again. No row at
-- all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- A search that locks would lock every slot that it passes, and these would look busy: the slots that have passed are found without a
-- lock first, and then taken by their keys. The last UPDATE does nothing: it stands between the INSERT and the SELECT.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @permits bigint = :permits;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @above int = 0, @taken int = 0;
DECLARE @gap bigint;
DECLARE @free TABLE (slot bigint NOT NULL);
SELECT TOP (1) name, slot, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE name_key = @key
   AND (slot >= @permits AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
        OR slot < @permits AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime())
        OR slot < @permits
           AND (SELECT count(*) FROM dibs_permit AS e WITH (NOLOCK) WHERE e.name_key = @key AND e.slot < @permits) = @permits)
 ORDER BY CASE WHEN slot >= @permits THEN 0 WHEN held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 1 ELSE 2 END,
          CASE WHEN slot < @permits AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN slot ELSE held_until END;
SELECT @above = count(*) FROM dibs_permit WITH (NOLOCK) WHERE name_key = @key AND slot >= @permits AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
INSERT INTO @free (slot)
SELECT slot FROM dibs_permit WITH (NOLOCK) WHERE name_key = @key AND slot < @permits AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) AND @above = 0;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
UPDATE TOP (1) l
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
  FROM dibs_permit AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @free AS f ON l.name_key = @key AND l.slot = f.slot
 WHERE l.held_until <= @now;
SET @taken = @@ROWCOUNT;
SELECT @gap = min(c.slot)
  FROM (SELECT CAST(0 AS bigint) AS slot
        UNION ALL SELECT b.slot + 1 FROM dibs_permit AS b WITH (NOLOCK) WHERE b.name_key = @key) AS c
 WHERE c.slot < @permits AND @above = 0 AND @taken = 0
   AND NOT EXISTS (SELECT 1 FROM dibs_permit AS d WITH (NOLOCK) WHERE d.name_key = @key AND d.slot = c.slot);
IF @gap IS NOT NULL
    INSERT INTO dibs_permit (name_key, slot, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @gap, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE dibs_permit WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET holder = @holder
 WHERE name_key = @key AND slot = -1;
SELECT name, slot, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_permit
-- The row that tells, if there is one. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
DECLARE @permits bigint = :permits;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT TOP (1) name, slot, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE name_key = @key
   AND (slot >= @permits AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
        OR slot < @permits AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime())
        OR slot < @permits
           AND (SELECT count(*) FROM dibs_permit AS e WITH (NOLOCK) WHERE e.name_key = @key AND e.slot < @permits) = @permits)
 ORDER BY CASE WHEN slot >= @permits THEN 0 WHEN held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 1 ELSE 2 END,
          CASE WHEN slot < @permits AND held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN slot ELSE held_until END;

-- name: begin_run
-- Makes the run's row if there is none. Two who are first at the same instant may meet a duplicate key, which is fine.
INSERT INTO dibs_run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, datediff_big(millisecond, '19700101', sysutcdatetime()), 'started', :batch, :rate, :max_failures, :max_percent, 0, datediff_big(millisecond, '19700101', sysutcdatetime()), 0
 WHERE NOT EXISTS (SELECT 1 FROM dibs_run WHERE name = :run);

-- name: read_run
-- The run as it is.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at, datediff_big(microsecond, '19700101', sysutcdatetime()) AS read_micros
  FROM dibs_run
 WHERE name = :run;

-- name: list_runs
-- All of them, by name.
SELECT name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven, total,
       started_at, finished_at, next_at, done_before, failed_before, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at, datediff_big(microsecond, '19700101', sysutcdatetime()) AS read_micros
  FROM dibs_run
 ORDER BY name;

-- name: change_run
-- Runs, pauses or stops it. What has failed before it was started again is forgiven.
UPDATE dibs_run
   SET state = :state, changed_by = :by, changed_at = datediff_big(millisecond, '19700101', sysutcdatetime()), reason = :reason,
       forgiven = CASE WHEN :state = 'running'
                       THEN (SELECT coalesce(sum(w.failed), 0) FROM dibs_run_worker AS w WHERE w.run = :run)
                       ELSE forgiven END
 WHERE name = :run;

-- name: stop_failing_run
-- Stops it if it is running still, since too much has failed.
UPDATE dibs_run
   SET state = 'stopped', changed_by = :by, changed_at = datediff_big(millisecond, '19700101', sysutcdatetime()), reason = :reason
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
DECLARE @taken int = @@ROWCOUNT;
SELECT @taken AS taken WHERE @taken > 0;

-- name: finish_run
-- Nothing was left.
UPDATE dibs_run SET finished_at = datediff_big(millisecond, '19700101', sysutcdatetime()) WHERE name = :run AND finished_at IS NULL;

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
   SET finished_at = NULL, total = NULL, started_at = datediff_big(millisecond, '19700101', sysutcdatetime()),
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
VALUES (:run, :worker, :label, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()), 0, 0, 0);

-- name: count_work
-- What it has done so far: the whole, so that a count which is sent twice counts once.
UPDATE dibs_run_worker
   SET done = :done, failed = :failed
 WHERE run = :run AND worker = :worker;

-- name: settle_worker
-- What it has counted, once a transaction of its own that was not answered has ended: the update waits for that.
UPDATE dibs_run_worker SET seen_at = datediff_big(millisecond, '19700101', sysutcdatetime()) WHERE run = :run AND worker = :worker
-- then
SELECT done, failed FROM dibs_run_worker WHERE run = :run AND worker = :worker;

-- name: see_worker
-- It is alive.
UPDATE dibs_run_worker
   SET seen_at = datediff_big(millisecond, '19700101', sysutcdatetime()), rate = :rate, in_hand = :in_hand
 WHERE run = :run AND worker = :worker;

-- name: leave_worker
-- A worker ends: in good order, or for the reason :error.
UPDATE dibs_run_worker
   SET seen_at = datediff_big(millisecond, '19700101', sysutcdatetime()), left_at = datediff_big(millisecond, '19700101', sysutcdatetime()), done = :done, failed = :failed, rate = 0, in_hand = NULL, error = :error
 WHERE run = :run AND worker = :worker;

-- name: list_workers
-- All that ever were, the latest first.
SELECT worker AS dibs_worker, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_run_worker
 WHERE run = :run
 ORDER BY started_at DESC, worker;

-- name: list_all_workers
-- Of all runs, each run's as list_workers has them.
SELECT run AS dibs_run, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
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
SELECT TOP (:n) row_key AS dibs_row, state, attempts, failed_at, message
  FROM dibs_run_row
 WHERE run = :run AND state = :state
 ORDER BY failed_at, row_key;

-- name: add_run_row
-- A row has failed for the first time.
INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, datediff_big(millisecond, '19700101', sysutcdatetime()), :message);

-- name: change_run_row
-- A row has failed again.
UPDATE dibs_run_row
   SET state = :state, attempts = :attempts, failed_at = datediff_big(millisecond, '19700101', sysutcdatetime()), message = :message
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
DECLARE @wanted TABLE (row_key nvarchar(400) NOT NULL);
UPDATE dibs_run_row
   SET state = 'again'
OUTPUT inserted.row_key INTO @wanted (row_key)
 WHERE run = :run AND state = 'dead';
SELECT row_key FROM @wanted;

-- name: add_run_error
-- For the ledger.
INSERT INTO dibs_run_error (run, failed_at, id, row_key, attempt, worker, error_class, message, stack)
VALUES (:run, datediff_big(millisecond, '19700101', sysutcdatetime()), :id, :row_key, :attempt, :worker, :error_class, :message, :stack);

-- name: list_run_errors
-- The latest first.
SELECT TOP (:n) row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM dibs_run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id;

-- name: issue_new_token
-- Adds a token of random bits. If its key is there already, then this was sent before and has arrived: to look first would cost a
-- quarter more.
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()) + :ttl, 0, 0, 0);

-- name: issue_token
-- Adds a token that may have been issued before, unless it is there.
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @ttl bigint = :ttl;
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT @purpose, @digest, :id, :subject, :payload, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()) + @ttl, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM dibs_token WHERE purpose = @purpose AND digest = @digest);

-- name: supersede_token
-- Revokes the one live token of a subject, and makes room for another; not that other one itself, if this is sent again.
UPDATE dibs_token WITH (ROWLOCK)
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = CASE WHEN ends_at < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN ends_at ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole' AND digest <> :digest;

-- name: find_token
-- One row = it is there.
SELECT id AS dibs_token FROM dibs_token WHERE purpose = :purpose AND digest = :digest;

-- name: consume_token
-- Uses a live token up: the row comes back, its owner is ours. A token that was used before counts one replay more, unless by
-- the same attempt. Any other comes back as it is. No row: there is no such token.
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @owner varchar(32) = :owner,
        @attempt nvarchar(200) = :attempt;
UPDATE dibs_token WITH (ROWLOCK)
   SET ended = 'used', ends_at = datediff_big(millisecond, '19700101', sysutcdatetime()), owner = @owner, attempt = @attempt
 WHERE purpose = @purpose AND digest = @digest AND ended IS NULL AND ends_at > datediff_big(millisecond, '19700101', sysutcdatetime());
IF @@ROWCOUNT = 0
    UPDATE dibs_token WITH (ROWLOCK)
       SET replays = replays + 1
     WHERE purpose = @purpose AND digest = @digest AND ended = 'used' AND attempt <> @attempt;
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_token
 WHERE purpose = @purpose AND digest = @digest;

-- name: consume_each_token
-- The same for a list of tokens at once, each token once, each for itself. It waits for nobody and counts no replay. A row for each
-- :owner of which is certain what it is told, with nothing but the asker if there is no such token. No row: the token is locked, or was
-- used before by another attempt; its caller asks by consume_token. An error is one for all: nothing was used.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
SELECT one.owner AS asker, t.subject, t.payload, t.issued_at, t.ends_at, t.ended, t.owner, t.attempt, t.replays, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM unnest(cast(:purposes AS varchar(200) ARRAY), cast(:digests AS varbinary(32) ARRAY), cast(:owners AS varchar(32) ARRAY),
       cast(:attempt_ids AS varchar(200) ARRAY)) AS one(purpose, digest, owner, attempt)
  LEFT JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = one.digest
 WHERE t.digest IS NULL OR t.ended = 'revoked' OR t.ended = 'used' AND t.attempt = one.attempt
    OR t.ended IS NULL AND t.ends_at <= datediff_big(millisecond, '19700101', sysutcdatetime())
UNION ALL
SELECT owner, subject, payload, issued_at, ends_at, ended, owner, attempt, replays, datediff_big(millisecond, '19700101', sysutcdatetime())
  FROM FINAL TABLE (
    MERGE INTO dibs_token AS t
    USING (SELECT t.purpose, t.digest, one.owner, one.attempt
             FROM unnest(cast(:purposes AS varchar(200) ARRAY), cast(:digests AS varbinary(32) ARRAY), cast(:owners AS varchar(32) ARRAY),
       cast(:attempt_ids AS varchar(200) ARRAY)) AS one(purpose, digest, owner, attempt)
             JOIN dibs_token AS t ON t.purpose = one.purpose AND t.digest = one.digest
            WHERE t.ended IS NULL AND t.ends_at > datediff_big(millisecond, '19700101', sysutcdatetime())
              FOR UPDATE SKIP LOCKED) AS live
       ON t.purpose = live.purpose AND t.digest = live.digest
     WHEN MATCHED AND t.ended IS NULL AND t.ends_at > datediff_big(millisecond, '19700101', sysutcdatetime())
     THEN UPDATE SET ended = 'used', ends_at = datediff_big(millisecond, '19700101', sysutcdatetime()), owner = live.owner, attempt = live.attempt);

-- name: peek_token
-- The token as it is.
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest;

-- name: revoke_token
-- Ends a live token. A row changed, or one returned = it was live.
DECLARE @revoked int = 0;
UPDATE dibs_token WITH (ROWLOCK)
   SET ended = 'revoked', ends_at = datediff_big(millisecond, '19700101', sysutcdatetime())
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @revoked = @@ROWCOUNT;
SELECT @revoked AS revoked WHERE @revoked > 0;

-- name: revoke_tokens
-- Ends all live tokens and codes of a subject, as many as rows are changed or returned.
DECLARE @revoked TABLE (digest binary(32) NOT NULL);
UPDATE dibs_token WITH (ROWLOCK)
   SET ended = 'revoked', ends_at = datediff_big(millisecond, '19700101', sysutcdatetime())
OUTPUT inserted.digest INTO @revoked (digest)
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT digest FROM @revoked;

-- name: list_tokens
-- The latest of a subject.
SELECT TOP (:n) id, issued_at, ends_at, ended, replays, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND subject = :subject
 ORDER BY issued_at DESC, id;

-- name: count_tokens
-- How many tokens of a purpose are in which state: live, used, revoked, expired.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token
         WHERE purpose = :purpose) AS token
 GROUP BY purpose, state;

-- name: count_all_tokens
-- The same of every purpose.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 'live' ELSE 'expired' END) AS state
          FROM dibs_token) AS token
 GROUP BY purpose, state
 ORDER BY purpose;

-- name: issue_code
-- Gives the subject a code, in place of the former one. Wrong tries of the former count on until their window has passed; a new
-- window begins with the next wrong try. Two who are first at the same instant may meet a duplicate key: ask again.
-- Error 2627 or 2601: someone else made the row at the same instant; ask again.
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @subject nvarchar(200) = :subject,
        @payload nvarchar(4000) = :payload, @ttl bigint = :ttl;
UPDATE dibs_token WITH (ROWLOCK)
   SET digest = @digest, payload = @payload, issued_at = datediff_big(millisecond, '19700101', sysutcdatetime()), ends_at = datediff_big(millisecond, '19700101', sysutcdatetime()) + @ttl, ended = NULL, owner = NULL,
       attempt = NULL, replays = 0,
       tries = CASE WHEN window_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 0 ELSE tries END
 WHERE purpose = @purpose AND subject = @subject AND id = 'code';
IF @@ROWCOUNT = 0
    INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
    VALUES (@purpose, @digest, 'code', @subject, @payload, datediff_big(millisecond, '19700101', sysutcdatetime()), datediff_big(millisecond, '19700101', sysutcdatetime()) + @ttl, 0, 0, 0);

-- name: try_code
-- Uses a live code up if the digest is its own, and counts a wrong try if not, of which the last one ends the code: so the
-- count can not be got round by asking many times at once. A code that is not live, or for which :tries wrong ones were given,
-- comes back as it is. No row: the subject has no code.
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @subject nvarchar(200) = :subject,
        @owner varchar(32) = :owner, @attempt nvarchar(200) = :attempt, @tries bigint = :tries, @window bigint = :window;
UPDATE dibs_token WITH (ROWLOCK)
   SET ended = CASE WHEN digest = @digest THEN 'used'
                    WHEN CASE WHEN window_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 0 ELSE tries END + 1 >= @tries THEN 'revoked' END,
       ends_at = CASE WHEN digest = @digest THEN datediff_big(millisecond, '19700101', sysutcdatetime()) ELSE ends_at END,
       owner = CASE WHEN digest = @digest THEN @owner END,
       attempt = CASE WHEN digest = @digest THEN @attempt END,
       tries = CASE WHEN window_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 0 ELSE tries END + CASE WHEN digest = @digest THEN 0 ELSE 1 END,
       window_until = CASE WHEN window_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) AND digest <> @digest THEN datediff_big(millisecond, '19700101', sysutcdatetime()) + @window ELSE window_until END
 WHERE purpose = @purpose AND subject = @subject AND id = 'code' AND ended IS NULL AND ends_at > datediff_big(millisecond, '19700101', sysutcdatetime())
   AND (tries < @tries OR window_until <= datediff_big(millisecond, '19700101', sysutcdatetime()));
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, tries, window_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at,
       CASE WHEN digest = @digest THEN 1 ELSE 0 END AS is_right
  FROM dibs_token
 WHERE purpose = @purpose AND subject = @subject AND id = 'code';

-- name: purge_tokens
-- Deletes up to :batch tokens of a purpose that ended :retention milliseconds ago, skipping locked ones. A used one stays for a
-- minute at least, a code for as long as its wrong tries count. Rows changed, or one returned that says how many, mean that there may be more. That
-- row may also say up to which ends_at the batch went, for the next one to go on from there (:since).
-- By MERGE: an IN (SELECT ..) is asked anew for every row of the table here.
-- TOP and the index keep it below the number of locks at which SQL Server would lock the table.
DECLARE @deleted int = 0;
DELETE TOP (:batch)
  FROM dibs_token WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE purpose = :purpose AND ends_at <= datediff_big(millisecond, '19700101', sysutcdatetime()) - :retention AND window_until <= datediff_big(millisecond, '19700101', sysutcdatetime())
   AND (coalesce(ended, 'expired') <> 'used' OR ends_at <= datediff_big(millisecond, '19700101', sysutcdatetime()) - 60000);
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

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
SELECT datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at;

-- name: check_settings
-- A row a finding: level (ok, note, warning, error), subject, message, remedy.
-- is_read_only is 0 on a readable secondary; only Updateability tells. Below level 130 there is no OPENJSON.
SELECT CASE WHEN d.delayed_durability = 2 THEN 'warning' ELSE 'ok' END AS level, 'DELAYED_DURABILITY' AS subject,
       CASE WHEN d.delayed_durability = 2
            THEN 'FORCED: after a crash of the server a lock that was granted can be granted again'
            ELSE 'not forced' END AS message,
       CASE WHEN d.delayed_durability = 2
            THEN 'ALTER DATABASE CURRENT SET DELAYED_DURABILITY = DISABLED' ELSE '' END AS remedy
  FROM sys.databases AS d
 WHERE d.database_id = db_id()
UNION ALL
SELECT 'error', 'compatibility level', 'below 130: this database does not know OPENJSON, and no lease can be renewed',
       'ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 130, or higher'
  FROM sys.databases AS d
 WHERE d.database_id = db_id() AND d.compatibility_level < 130 AND serverproperty('Babelfish') IS NULL
UNION ALL
SELECT 'error', 'read-only', 'this database is read-only: it can not be written to', 'Give the primary''s address'
 WHERE CAST(databasepropertyex(db_name(), 'Updateability') AS nvarchar(20)) = N'READ_ONLY'
UNION ALL
SELECT 'note', 'Babelfish', 'this server ignores lock hints: whoever asks for a lock under guard waits for the transaction',
       'Speak to its PostgreSQL port, which has statements of its own'
 WHERE serverproperty('Babelfish') IS NOT NULL;

-- name: find_index_filters
-- The conditions of the table's indexes, where the driver does not tell them.
SELECT i.name AS index_name, i.filter_definition AS filter
  FROM sys.indexes AS i
 WHERE i.object_id = object_id(:table) AND i.has_filter = 1;

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
-- The row as it was, the new row or the takeover, and the row that is ours. A try on a held lock locks nothing. The clock is
-- read once: a column each would be torn when it ticks in between. Error 2627 or 2601: someone else made the row at the
-- same instant; ask again. The UPDATE runs after an INSERT too, and then finds nothing to do.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @passed int = 0;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @passed = max(CASE WHEN held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 1 ELSE 0 END)
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO dibs_lock (name_key, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @passed = 1 AND name_key = @key AND held_until <= @now;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_locks tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_unguarded_lock
-- The same for a lease that was never guarded and is not being renewed, so that nobody else should have its row locked: where that
-- is less work, by a plain UPDATE. An error that says "rolled back" = locked just now, too. For locks.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: guard_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_lock WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key)
SELECT TOP (@batch) name_key
  FROM dibs_lock WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: acquire_held_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- The row as it was, the new row or the takeover, and the row that is ours. A try on a held lock locks nothing. The clock is
-- read once: a column each would be torn when it ticks in between. Error 2627 or 2601: someone else made the row at the
-- same instant; ask again. The UPDATE runs after an INSERT too, and then finds nothing to do.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @passed int = 0;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @passed = max(CASE WHEN held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 1 ELSE 0 END)
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO dibs_lock (name_key, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @passed = 1 AND name_key = @key AND held_until <= @now;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_held_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_held_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_held_locks tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN held_until > datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease END
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_held_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_held_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN acquired_at + :hold > datediff_big(millisecond, '19700101', sysutcdatetime()) THEN acquired_at + :hold ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_held_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN acquired_at + :hold > datediff_big(millisecond, '19700101', sysutcdatetime()) THEN acquired_at + :hold ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: guard_held_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_lock WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_held_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_held_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_lock WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_held_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key)
SELECT TOP (@batch) name_key
  FROM dibs_lock WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: look_ticket
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_ticket WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_tickets
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_tickets tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_ticket AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_tickets
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_ticket AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_ticket
-- In the place of release_ticket, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
DELETE FROM dibs_ticket WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: guard_ticket
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_ticket WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_ticket
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_ticket WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_ticket WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_ticket WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_tickets
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_ticket WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_tickets
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL, owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key, owner)
SELECT TOP (@batch) name_key, owner
  FROM dibs_ticket WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_ticket AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key AND l.owner = passed.owner
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: acquire_gate
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- The row as it was, the new row or the takeover, and the row that is ours. A try on a held lock locks nothing. The clock is
-- read once: a column each would be torn when it ticks in between. Error 2627 or 2601: someone else made the row at the
-- same instant; ask again. The UPDATE runs after an INSERT too, and then finds nothing to do.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @passed int = 0;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @passed = max(CASE WHEN held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) THEN 1 ELSE 0 END)
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key;
DECLARE @micros bigint = datediff_big(microsecond, '19700101', sysutcdatetime());
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO dibs_gate (name_key, name, owner, holder, fence, acquired_at, held_until)
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @passed = 1 AND name_key = @key AND held_until <= @now;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_gate
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_gates
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_gates tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_gate AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_gates
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_gate
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_gates
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM dibs_gate AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: guard_gate
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_gate WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_gate
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_gates
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_gate WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_gates
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key)
SELECT TOP (@batch) name_key
  FROM dibs_gate WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_gate AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: look_reader
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
DECLARE @name nvarchar(200) = :name;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_readers
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_readers tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_readers
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_reader
-- In the place of release_reader, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
DELETE FROM dibs_reader WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: guard_reader
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_reader WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_reader
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_reader WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_readers
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_reader WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_readers
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL, owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key, owner)
SELECT TOP (@batch) name_key, owner
  FROM dibs_reader WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key AND l.owner = passed.owner
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: renew_onces
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_onces tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_once AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_onces
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_once
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_onces
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM dibs_once AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: guard_once
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_once WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_once
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_once WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: purge_onces
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL);
INSERT INTO @passed (name_key)
SELECT TOP (@batch) name_key
  FROM dibs_once WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_once AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;

-- name: renew_permits
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_permits tells which.
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = datediff_big(millisecond, '19700101', sysutcdatetime()) + @lease
OUTPUT inserted.owner INTO @renewed (owner)
  FROM dibs_permit AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SELECT owner FROM @renewed;

-- name: find_permits
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, slot AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2
 WHERE l.held_until > datediff_big(millisecond, '19700101', sysutcdatetime());

-- name: release_permit
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE dibs_permit WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_permits
-- The same for many (name, owner) pairs; returns the names that were let go.
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL);
UPDATE l
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM dibs_permit AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') COLLATE Latin1_General_100_BIN2 AND l.owner = pair.owner COLLATE Latin1_General_100_BIN2;
SELECT name FROM @released;

-- name: guard_permit
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- A write keeps its lock to the end of the transaction under every isolation; under SNAPSHOT it fails (3960) if the row has
-- changed since the snapshot. It must really change the row, since a write of the same value may be left out. UPDLOCK has
-- the row itself locked for all that time where the database would lock the transaction's number instead (optimized
-- locking). The millisecond that the lease gains in the table is one that its holder does not count on.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
UPDATE dibs_permit WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime());
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_permit
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE dibs_permit WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = CASE WHEN held_until < datediff_big(millisecond, '19700101', sysutcdatetime()) THEN held_until ELSE datediff_big(millisecond, '19700101', sysutcdatetime()) END, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL;
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_permits
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, datediff_big(millisecond, '19700101', sysutcdatetime()) AS read_at
  FROM dibs_permit WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > datediff_big(millisecond, '19700101', sysutcdatetime())
 ORDER BY name_key;

-- name: purge_permits
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
-- A DELETE that searches would lock every row that it passes, and these would look busy: the keys are read without a lock
-- first. A read without locks may meet a row twice, so the table of keys has no unique one.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @passed TABLE (name_key nvarchar(201) COLLATE Latin1_General_100_BIN2 NOT NULL, slot bigint NOT NULL);
INSERT INTO @passed (name_key, slot)
SELECT TOP (@batch) name_key, slot
  FROM dibs_permit WITH (NOLOCK)
 WHERE held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
DELETE l
  FROM dibs_permit AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @passed AS passed ON l.name_key = passed.name_key AND l.slot = passed.slot
 WHERE l.held_until <= datediff_big(millisecond, '19700101', sysutcdatetime()) - @retention;
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;
