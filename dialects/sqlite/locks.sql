-- name: guard_free_lock
-- It makes the transaction the one that writes the file, and waits for that as long as busy_timeout says.
UPDATE {prefix}lock
   SET owner = NULL, held_until = 0
 WHERE name = :name AND held_until <= {now}
RETURNING 0 AS is_old, owner;

-- fragment: held_lock_renewed
max(held_until, {now} + :lease)

-- name: retake_lock
UPDATE {prefix}lock
   SET owner = :owner,
       holder = :holder,
       fence = max(fence + 1, {now_micros}),
       acquired_at = {now},
       held_until = {now} + :lease
 WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= {now}
RETURNING fence;

-- name: look_locks
SELECT l.name, {l_lease_columns}, {now} AS read_at
  FROM {asked_pairs} CROSS JOIN {prefix}lock AS l
 WHERE l.name = pair.name;

-- name: make_locks
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT pair.name, NULL, NULL, {now_micros}, {now}, 0
  FROM {asked_pairs}
 WHERE true
    ON CONFLICT (name) DO NOTHING;

-- name: acquire_locks
UPDATE {prefix}lock AS l
   SET owner = pair.owner,
       holder = :holder,
       fence = max(l.fence + 1, {now_micros}),
       acquired_at = {now},
       held_until = {now} + :lease
  FROM {asked_pairs}
 WHERE l.name = pair.name AND l.held_until <= {now}
RETURNING name, {lease_columns}, {now} AS read_at;
