-- A block (BEGIN NOT ATOMIC) is one round trip.

-- fragment: held_lock_renewed
greatest(l.held_until, {now} + :lease)

-- name: retake_lock
-- A plain UPDATE, which fails at once if the row is locked. The fence comes back with the update count: no second
-- statement.
-- key: fence
SET STATEMENT innodb_lock_wait_timeout = 0 FOR
UPDATE {prefix}lock
   SET owner = :owner,
       holder = :holder,
       fence = last_insert_id(greatest(fence + 1, {now_micros})),
       acquired_at = {now},
       held_until = {now} + :lease
 WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= {now};

-- name: look_locks
SELECT STRAIGHT_JOIN l.name, {l_lease_columns}, {now} AS read_at
  FROM {asked_pairs}
  JOIN {prefix}lock AS l ON l.name = pair.name;

-- fragment: insert_without_wait
-- An INSERT that meets a row waits for its lock. This one fails at once, which is a collision.
SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT

-- name: make_locks
-- Existing rows are found without a row lock first. A row that is added and locked meanwhile is met by the INSERT, which
-- then fails. Only these statements read the variable.
{select_list} json_arrayagg(json_object('name', pair.name)) INTO @dibs_new
  FROM {asked_pairs}
  LEFT JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.name IS NULL
-- then
{insert_without_wait} INTO {prefix}lock (name, {lease_columns})
SELECT missing.name, NULL, NULL, {now_micros}, {now}, 0
  FROM JSON_TABLE(@dibs_new, '$[*]' COLUMNS (name varchar(200) {exact} PATH '$.name')) AS missing
    ON DUPLICATE KEY UPDATE name = VALUES(name);

-- name: acquire_locks
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT STRAIGHT_JOIN l.name, pair.owner, :holder, greatest(l.fence + 1, {now_micros}), {now}, {now} + :lease
  FROM {asked_pairs}
  JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.held_until <= {now}
   {lock_l}
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.name, {l_lease_columns}, {now} AS read_at
  FROM {asked_pairs}
  JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.owner = pair.owner;
