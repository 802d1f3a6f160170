-- name: acquire_once
-- As acquire_lock. If the work is being done, or is not due, the first step is the whole answer.
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name
-- else
INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease, 0, 0
-- then unless refused
INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
SELECT past.name, :owner, :holder, greatest(past.fence + 1, {now_micros}), {now}, {now} + :lease, 0,
       past.failures + CASE WHEN past.owner IS NULL THEN 0 ELSE 1 END
  FROM {prefix}once AS past
 WHERE past.name = :name AND {once_is_due}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until), failures = VALUES(failures)
-- then unless refused
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name AND owner = :owner;
