-- fragment: is_old
-- 5 is SNAPSHOT. A session may always see its own row. SERIALIZABLE needs no answer: READPAST is refused there (650).
CASE (SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID) WHEN 5 THEN 1 ELSE 0 END

-- name: guard_free_lock
-- UPDLOCK lasts until the transaction ends. With it, READPAST is allowed under SNAPSHOT. A row that a locking search
-- refuses may stay locked, and its holder could not renew it. So a look without locks decides whether to lock.
DECLARE @name nvarchar(200) = :name;
SELECT {is_old} AS is_old, l.owner
  FROM {prefix}lock AS seen WITH (NOLOCK)
 INNER LOOP JOIN {prefix}lock AS l WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON l.name_key = seen.name_key
 WHERE seen.name_key = @name + N'.' AND seen.held_until <= {now} AND l.held_until <= {now};

-- name: take_expired_lock
DECLARE @name nvarchar(200) = :name;
UPDATE {prefix}lock WITH (ROWLOCK)
   SET owner = NULL, held_until = 0
 WHERE name_key = @name + N'.';

-- Batches and hints as in leases.sql.

-- fragment: held_lock_renewed
CASE WHEN held_until > {now} + @lease THEN held_until ELSE {now} + @lease END

-- name: look_locks
DECLARE @pairs nvarchar(max) = :pairs;
SELECT l.name, {l_lease_columns}, {now} AS read_at
  FROM {prefix}lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN {asked_pairs} ON l.name_key = (pair.name + N'.') {exact};

-- name: make_locks
DECLARE @pairs nvarchar(max) = :pairs;
INSERT INTO {prefix}lock (name_key, name, {lease_columns})
SELECT pair.name + N'.', pair.name, NULL, NULL, {now_micros}, {now}, 0
  FROM {asked_pairs}
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}lock AS l WITH (NOLOCK) WHERE l.name_key = (pair.name + N'.') {exact});

-- name: acquire_locks
DECLARE @pairs nvarchar(max) = :pairs, @holder nvarchar(200) = :holder, @lease bigint = :lease;
DECLARE @micros bigint = {now_micros};
DECLARE @now bigint = @micros / 1000;
UPDATE l
   SET owner = pair.owner,
       holder = @holder,
       fence = CASE WHEN l.fence + 1 > @micros THEN l.fence + 1 ELSE @micros END,
       acquired_at = @now,
       held_until = @now + @lease
  FROM {prefix}lock AS l WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
  JOIN {asked_pairs} ON l.name_key = (pair.name + N'.') {exact}
 WHERE l.held_until <= @now;
SELECT l.name, {l_lease_columns}, {now} AS read_at
  FROM {prefix}lock AS l WITH (NOLOCK, FORCESEEK)
  JOIN {asked_pairs} ON l.name_key = (pair.name + N'.') {exact}
 WHERE l.owner = pair.owner {exact};

-- name: delete_lock
DECLARE @name nvarchar(200) = :name;
DELETE FROM {prefix}lock WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK) WHERE name_key = @name + N'.' AND owner IS NULL;
