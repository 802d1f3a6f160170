-- name: acquire_once
-- As acquire_lock. If the work is being done, or is not due, the first step is the whole answer.
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name
-- then unless refused
INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease, 0, 0)
    ON CONFLICT (name) DO UPDATE
   SET failures = failures + CASE WHEN owner IS NULL THEN 0 ELSE 1 END,
       {taken_over}
 WHERE {once_is_due}
RETURNING {all_of_once}, {now} AS read_at;

-- name: complete_once
UPDATE {prefix}once
   SET duration_ms = {now} - acquired_at,
       succeeded_at = {now},
       retry_at = 0,
       failures = 0,
       held_until = 0,
       owner = NULL
 WHERE name = :name AND owner = :owner;

-- name: fail_once
UPDATE {prefix}once
   SET failed_at = {now},
       error = :error,
       retry_at = {now} + :delay,
       failures = failures + 1,
       held_until = 0,
       owner = NULL
 WHERE name = :name AND owner = :owner;

-- name: forget_once
UPDATE {prefix}once
   SET succeeded_at = NULL,
       retry_at = 0
 WHERE name = :name AND held_until <= {now};
