-- Batches and hints as in leases.sql. Each statement of a batch is a transaction of its own. A look with READPAST would
-- take a locked row for a missing one, and a missing gate is not open.

-- fragment: reader_row_key
name_key, owner

-- fragment: reader_row_columns
name_key nvarchar(201) {exact} NOT NULL, owner varchar(32) {exact} NOT NULL

-- fragment: reader_l_is_expired
l.name_key = expired.name_key AND l.owner = expired.owner

-- name: acquire_reader
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @known int = 0, @seen bigint, @number bigint;
SELECT @known = count(*) FROM {prefix}gate WITH (NOLOCK) WHERE name_key = @key;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
IF @known = 0
    INSERT INTO {prefix}gate (name_key, name, {lease_columns})
    VALUES (@key, @name, NULL, NULL, @micros, @now, 0);
SELECT @seen = fence
  FROM {prefix}gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @key AND owner IS NULL;
IF @seen IS NOT NULL
    INSERT INTO {prefix}reader (name_key, name, {lease_columns})
    VALUES (@key, @name, @owner, @holder, @seen, {now}, {now} + @lease);
SELECT @number = fence
  FROM {prefix}gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE name_key = @key AND owner IS NULL AND @seen IS NOT NULL;
DELETE FROM {prefix}reader WITH (ROWLOCK)
 WHERE name_key = @key AND owner = @owner AND @number IS NULL;
UPDATE {prefix}gate WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET held_until = 0, owner = NULL
 WHERE name_key = @key AND owner IS NOT NULL AND held_until <= {now} AND @number IS NULL;
SELECT name, owner, holder, @number AS fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}reader WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner AND @number IS NOT NULL
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM {prefix}gate WITH (NOLOCK)
 WHERE name_key = @key AND owner IS NOT NULL AND @number IS NULL;

-- name: release_readers
DECLARE @pairs nvarchar(max) = :pairs;
DECLARE @released TABLE (name nvarchar(200) {exact} NOT NULL);
DELETE l
OUTPUT deleted.name INTO @released (name)
  FROM {prefix}reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN OPENJSON(@pairs) WITH (name nvarchar(200) '$.name', owner varchar(32) '$.owner') AS pair
    ON l.name_key = (pair.name + N'.') {exact} AND l.owner = pair.owner {exact};
SELECT name FROM @released;

-- name: enter_gate
-- The count locks the rows that it reads for a moment. So it neither misses a row that is moved nor sees an uncommitted
-- one. NOWAIT makes a locked row error 1222, which means that a reader is still there. Under XACT_ABORT that error would
-- doom the transaction (3998 at the end of the batch). 16384 is its bit.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @there int = 1, @abort int = @@OPTIONS & 16384;
DECLARE @expired TABLE (owner varchar(32) {exact} NOT NULL);
INSERT INTO @expired (owner)
SELECT owner FROM {prefix}reader WITH (NOLOCK) WHERE name_key = @key AND held_until <= {now};
DELETE l
  FROM {prefix}reader AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @expired AS p ON l.owner = p.owner
 WHERE l.name_key = @key AND l.held_until <= {now};
SET XACT_ABORT OFF;
BEGIN TRY
    SELECT @there = count(*) FROM {prefix}reader WITH (ROWLOCK, READCOMMITTEDLOCK, NOWAIT) WHERE name_key = @key;
END TRY
BEGIN CATCH
    IF error_number() <> 1222
    BEGIN;
        IF @abort <> 0 SET XACT_ABORT ON;
        THROW;
    END;
    SET @there = 1;
END CATCH;
IF @abort <> 0 SET XACT_ABORT ON;
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner AND held_until > {now} AND @there = 0
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM {prefix}reader WITH (NOLOCK)
 WHERE name_key = @key AND @there > 0;
