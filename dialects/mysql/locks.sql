-- fragment: lock_many
-- There are no blocks here, and the transactions of many would be one only by several round trips.
one_by_one

-- name: retake_lock
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, :owner, :holder, greatest(l.fence + 1, {now_micros}), {now}, {now} + :lease
  FROM {prefix}lock AS l
 WHERE l.name = :name AND l.owner IS NULL AND l.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner = :owner;
