-- Batches and hints as in leases.sql.

-- fragment: once_is_due
held_until <= @now AND retry_at <= @now AND coalesce(succeeded_at + @every, 0) <= @now
       AND @due <= @now AND (@seen = -2 OR coalesce(succeeded_at, -1) = @seen)

-- name: acquire_once
-- As acquire_lock. The clock is read before the row: work that is not due by a later clock is not due by this one.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @every bigint = :every, @due bigint = :due, @seen bigint = :seen;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @is_due int = 0;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @is_due = max(CASE WHEN {once_is_due} THEN 1 ELSE 0 END)
  FROM {prefix}once WITH (NOLOCK)
 WHERE name_key = @key;
SET @micros = {now_micros};
SET @now = @micros / 1000;
IF @known = 0
    INSERT INTO {prefix}once (name_key, name, {lease_columns}, retry_at, failures)
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease, 0, 0);
UPDATE {prefix}once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET failures = failures + CASE WHEN owner IS NULL THEN 0 ELSE 1 END,
       owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @is_due = 1 AND name_key = @key AND {once_is_due};
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_once
DECLARE @name nvarchar(200) = :name;
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: complete_once
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @now bigint = {now};
DECLARE @completed int = 0;
UPDATE {prefix}once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET duration_ms = @now - acquired_at,
       succeeded_at = @now,
       retry_at = 0,
       failures = 0,
       held_until = 0,
       owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @completed = @@ROWCOUNT;
SELECT @completed AS completed WHERE @completed > 0;

-- name: fail_once
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @error nvarchar(1000) = :error, @delay bigint = :delay;
DECLARE @now bigint = {now};
DECLARE @failed int = 0;
UPDATE {prefix}once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET failed_at = @now,
       error = @error,
       retry_at = @now + @delay,
       failures = failures + 1,
       held_until = 0,
       owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @failed = @@ROWCOUNT;
SELECT @failed AS failed WHERE @failed > 0;

-- name: forget_once
DECLARE @name nvarchar(200) = :name;
DECLARE @now bigint = {now};
DECLARE @forgotten int = 0;
UPDATE {prefix}once WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET succeeded_at = NULL,
       retry_at = 0
 WHERE name_key = @name + N'.' AND held_until <= @now;
SET @forgotten = @@ROWCOUNT;
SELECT @forgotten AS forgotten WHERE @forgotten > 0;

-- name: list_onces
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once WITH (NOLOCK)
 ORDER BY name_key;
