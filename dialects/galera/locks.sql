-- name: guard_free_lock
-- A row lock is local to its node; at the commit, the nodes compare which rows have changed. So this changes the row.
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT l.name, {l_columns}, l.held_until + 1
  FROM {prefix}lock AS l
 WHERE l.name = :name AND l.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;
