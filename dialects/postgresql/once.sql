-- fragment: once_is_due
-- The cast is for drivers that send no types: compared with a constant first, :seen would be an integer.
held_until <= {now_once} AND retry_at <= {now_once} AND coalesce(succeeded_at + :every, 0) <= {now_once}
       AND :due <= {now_once} AND (cast(:seen AS bigint) = -2 OR coalesce(succeeded_at, -1) = :seen)

-- name: acquire_once
-- One statement, without a wait or an error on any path, as acquire_lock.
WITH seen AS MATERIALIZED (
    SELECT {all_of_once}
      FROM {prefix}once
     WHERE name = :name
), free AS MATERIALIZED (
    SELECT {all_of_once}
      FROM {prefix}once
     WHERE name = :name AND {once_is_due}
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE {prefix}once AS l
       SET failures = l.failures + CASE WHEN l.owner IS NULL THEN 0 ELSE 1 END,
           owner = :owner,
           {taking}
      FROM (SELECT name AS free_name FROM free) AS f
     WHERE l.name = f.free_name
 RETURNING {all_of_once}
), made AS (
    INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease, 0, 0
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING {all_of_once}
)
SELECT {all_of_once}, {now} AS read_at FROM taken
UNION ALL SELECT {all_of_once}, {now} FROM made
UNION ALL SELECT {all_of_once}, {now} FROM free
UNION ALL SELECT {all_of_once}, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: complete_once
-- It waits for the disk: a crash must not undo a success.
WITH mine AS MATERIALIZED (
    SELECT name
      FROM {prefix}once
     WHERE name = :name AND owner = :owner
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {prefix}once AS l
   SET duration_ms = {now} - l.acquired_at,
       succeeded_at = {now},
       retry_at = 0,
       failures = 0,
       held_until = 0,
       owner = NULL
  FROM mine
 WHERE l.name = mine.name;

-- name: fail_once
-- The clock is read once, so that the pause is exact.
WITH mine AS MATERIALIZED (
    SELECT name, {now} AS now
      FROM {prefix}once
     WHERE name = :name AND owner = :owner
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {prefix}once AS l
   SET failed_at = mine.now,
       error = :error,
       retry_at = mine.now + :delay,
       failures = l.failures + 1,
       held_until = 0,
       owner = NULL
  FROM mine
 WHERE l.name = mine.name;

-- name: forget_once
WITH idle AS MATERIALIZED (
    SELECT name
      FROM {prefix}once
     WHERE name = :name AND held_until <= {now_once}
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {prefix}once AS l
   SET succeeded_at = NULL,
       retry_at = 0
  FROM idle
 WHERE l.name = idle.name;
