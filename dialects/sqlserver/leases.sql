-- Each statement is one batch. Parameters are bound once, as variables. No batch relies on update counts, which a
-- session under SET NOCOUNT ON does not send: the result comes back as a row. No SELECT follows an INSERT directly:
-- several releases of the driver (12.10, 13.4) lose the result after an INSERT.
--
-- Hints: ROWLOCK and READPAST skip a locked row instead of waiting for it; READCOMMITTEDLOCK makes them do so where the
-- database has READ_COMMITTED_SNAPSHOT on. FORCESEEK keeps a join from scanning: a scan locks every row that it passes,
-- and these rows look busy to others. NOLOCK reads without waiting. That is right here: a statement that locks the row
-- checks it again, and only this instance writes its own owner tokens.
-- A table has name_key beside the name.

-- fragment: asked_pairs
OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair

-- fragment: renewed
{now} + @lease

-- fragment: is_idle
held_until <= {now} - @retention AND acquired_at <= {now} - @retention

-- fragment: row_key
name_key

-- fragment: row_columns
-- The columns of a table of such keys.
name_key nvarchar(201) {exact} NOT NULL

-- fragment: l_is_expired
-- The row that was read before.
l.name_key = expired.name_key

-- fragment: release_one
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
UPDATE {leases} WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = {released}, owner = NULL
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0

-- name: acquire_lease
-- Returns the row as it was, and the row that is ours after an insert or a takeover. A try on a held lock locks
-- nothing. The clock is read once: read for each column, it could tick in between. Error 2627 or 2601: another caller
-- added the row at the same instant; send it again. The UPDATE also runs after an INSERT, and then changes nothing.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @expired int = 0;
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @key;
SELECT @known = count(*), @expired = max(CASE WHEN held_until <= {now} THEN 1 ELSE 0 END)
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @key;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO {leases} (name_key, name, {lease_columns})
    VALUES (@key, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE {leases} WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN fence + 1 > @micros THEN fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
 WHERE @expired = 1 AND name_key = @key AND held_until <= @now;
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_lease
DECLARE @name nvarchar(200) = :name;
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @name + N'.';

-- name: renew_leases
DECLARE @pairs nvarchar(max) = :pairs, @lease bigint = :lease;
DECLARE @renewed TABLE (owner varchar(32) {exact} NOT NULL);
UPDATE l
   SET held_until = {renewed}
OUTPUT inserted.owner INTO @renewed (owner)
  FROM {leases} AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') {exact} AND l.owner = pair.owner {exact}
 WHERE l.held_until > {now};
SELECT owner FROM @renewed;

-- name: find_leases
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, {slot} AS slot, {l_lease_columns}, {now} AS read_at
  FROM {leases} AS l WITH (NOLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') {exact} AND l.owner = pair.owner {exact}
 WHERE l.held_until > {now};

-- name: leave_lease
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @released int = 0;
DELETE FROM {leases} WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @name + N'.' AND owner = @owner;
SET @released = @@ROWCOUNT;
SELECT @released AS released WHERE @released > 0;

-- name: release_leases
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) {exact} NOT NULL);
UPDATE l
   SET held_until = {released}, owner = NULL
OUTPUT inserted.name INTO @released (name)
  FROM {leases} AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') {exact} AND l.owner = pair.owner {exact};
SELECT name FROM @released;

-- name: guard_lease
-- A write keeps its lock to the end of the transaction under every isolation. Under SNAPSHOT it fails (3960) if the row
-- has changed since the snapshot. It must really change the row, since a write of the same value may be optimized away.
-- UPDLOCK keeps the row itself locked for all that time where the database would lock the transaction's number instead
-- (optimized locking). The lease gains a millisecond in the table, on which its holder does not rely. Outside of a
-- transaction no row comes back. The first statement of an implicit transaction (option 2) finds none begun.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @guarded int = 0;
DECLARE @in_transaction bit = CASE WHEN @@TRANCOUNT > 0 OR @@OPTIONS & 2 = 2 THEN 1 ELSE 0 END;
UPDATE {leases} WITH (ROWLOCK, UPDLOCK)
   SET held_until = held_until + 1
 WHERE name_key = @name + N'.' AND owner = @owner AND held_until > {now} AND @in_transaction = 1;
SET @guarded = @@ROWCOUNT;
SELECT @guarded AS guarded WHERE @guarded > 0;

-- name: break_lease
DECLARE @name nvarchar(200) = :name;
DECLARE @key nvarchar(201) = @name + N'.';
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL;
UPDATE {leases} WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = 0, owner = NULL
 WHERE name_key = @key AND {is_busy};
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NULL;

-- name: list_leases
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases} WITH (NOLOCK)
 WHERE owner IS NOT NULL AND held_until > {now}
 ORDER BY name_key;

-- name: purge_leases
-- A DELETE with a search would lock every row that it passes, and these would look busy. So the keys are read without a
-- row lock first. A read without locks may meet a row twice, so the table of keys has no unique index.
DECLARE @retention bigint = :retention, @batch int = :batch;
DECLARE @deleted int = 0;
DECLARE @expired TABLE ({row_columns});
INSERT INTO @expired ({row_key})
SELECT TOP (@batch) {row_key}
  FROM {leases} WITH (NOLOCK)
 WHERE {is_idle};
DELETE l
  FROM {leases} AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @expired AS expired ON {l_is_expired}
 WHERE {is_idle};
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;
