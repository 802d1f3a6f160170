-- Batches and hints as in leases.sql.

-- fragment: permit_seen
-- The row that decides, as in the standard form.
SELECT TOP (1) name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit WITH (NOLOCK)
 WHERE name_key = @key
   AND (slot >= @permits AND held_until > {now}
        OR slot < @permits AND held_until <= {now}
        OR slot < @permits
           AND (SELECT count(*) FROM {prefix}permit AS e WITH (NOLOCK) WHERE e.name_key = @key AND e.slot < @permits) = @permits)
 ORDER BY CASE WHEN slot >= @permits THEN 0 WHEN held_until <= {now} THEN 1 ELSE 2 END,
          CASE WHEN slot < @permits AND held_until <= {now} THEN slot ELSE held_until END

-- fragment: permit_row_key
name_key, slot

-- fragment: permit_row_columns
name_key nvarchar(201) {exact} NOT NULL, slot bigint NOT NULL

-- fragment: permit_l_is_expired
l.name_key = expired.name_key AND l.slot = expired.slot

-- name: acquire_permit
-- A locking search would lock every slot that it passes, and these would look busy. So expired slots are found without
-- a row lock first, and then acquired by their keys. The last UPDATE does nothing: it stands between the INSERT and the
-- SELECT.
DECLARE @name nvarchar(200) = :name, @owner varchar(32) = :owner, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @permits bigint = :permits;
DECLARE @key nvarchar(201) = @name + N'.';
DECLARE @above int = 0, @taken int = 0;
DECLARE @gap bigint;
DECLARE @free TABLE (slot bigint NOT NULL);
{permit_seen};
SELECT @above = count(*) FROM {prefix}permit WITH (NOLOCK) WHERE name_key = @key AND slot >= @permits AND held_until > {now};
INSERT INTO @free (slot)
SELECT slot FROM {prefix}permit WITH (NOLOCK) WHERE name_key = @key AND slot < @permits AND held_until <= {now} AND @above = 0;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
UPDATE TOP (1) l
   SET owner = @owner,
       holder = @holder,
       fence = CASE WHEN l.fence + 1 > @micros THEN l.fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
  FROM {prefix}permit AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN @free AS f ON l.name_key = @key AND l.slot = f.slot
 WHERE l.held_until <= @now;
SET @taken = @@ROWCOUNT;
SELECT @gap = min(c.slot)
  FROM (SELECT CAST(0 AS bigint) AS slot
        UNION ALL SELECT b.slot + 1 FROM {prefix}permit AS b WITH (NOLOCK) WHERE b.name_key = @key) AS c
 WHERE c.slot < @permits AND @above = 0 AND @taken = 0
   AND NOT EXISTS (SELECT 1 FROM {prefix}permit AS d WITH (NOLOCK) WHERE d.name_key = @key AND d.slot = c.slot);
IF @gap IS NOT NULL
    INSERT INTO {prefix}permit (name_key, slot, name, {lease_columns})
    VALUES (@key, @gap, @name, @owner, @holder, @micros, @now, @now + @lease);
UPDATE {prefix}permit WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
   SET holder = @holder
 WHERE name_key = @key AND slot = -1;
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit WITH (NOLOCK)
 WHERE name_key = @key AND owner = @owner;

-- name: look_permit
DECLARE @name nvarchar(200) = :name;
DECLARE @permits bigint = :permits;
DECLARE @key nvarchar(201) = @name + N'.';
{permit_seen};
