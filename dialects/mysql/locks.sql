-- fragment: insert_without_wait
-- MySQL has no such limit for one statement. The library gives up after some seconds, and looks again.
INSERT

-- name: retake_lock
-- In MySQL, nothing keeps an UPDATE from waiting for a locked row. The fence comes back with the update count: no
-- second statement.
-- key: fence
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT l.name, :owner, :holder, greatest(l.fence + 1, {now_micros}), {now}, {now} + :lease
  FROM {prefix}lock AS l
 WHERE l.name = :name AND l.fence = :known_fence AND l.owner IS NULL AND l.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = last_insert_id(VALUES(fence)),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until);
