-- fragment: asked_pairs
(SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(:pairs)) AS pair

-- fragment: release_one
UPDATE {leases}
   SET held_until = {released}, owner = NULL
 WHERE name = :name AND owner = :owner

-- fragment: release_pairs
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
  FROM {asked_pairs}
 WHERE l.name = pair.name AND l.owner = pair.owner
RETURNING name

-- fragment: taken_over
-- For ON CONFLICT: the row that exists gets the new values.
owner = excluded.owner,
       holder = excluded.holder,
       fence = max(fence + 1, excluded.fence),
       acquired_at = excluded.acquired_at,
       held_until = excluded.held_until

-- name: acquire_lease
-- If the lease is held, the first step is the whole answer: it does not wait for the file. Else it shows the
-- predecessor.
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name
-- then unless held
INSERT INTO {leases} (name, {lease_columns})
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease)
    ON CONFLICT (name) DO UPDATE
   SET {taken_over}
 WHERE held_until <= {now}
RETURNING name, {lease_columns}, {now} AS read_at;

-- name: renew_leases
UPDATE {leases} AS l
   SET held_until = {renewed}
  FROM {asked_pairs}
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > {now}
RETURNING owner;

-- name: find_leases
SELECT l.name, {slot} AS slot, {l_lease_columns}, {now} AS read_at
  FROM {asked_pairs} CROSS JOIN {leases} AS l
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > {now};

-- name: leave_lease
DELETE FROM {leases} WHERE name = :name AND owner = :owner;

-- name: guard_lease
-- It makes the caller's transaction the one that writes the file, and waits for that as long as the connection's
-- busy_timeout says. Nobody can renew, acquire or release in the file before that transaction ends.
UPDATE {leases}
   SET held_until = held_until
 WHERE name = :name AND owner = :owner AND held_until > {now}
RETURNING fence;

-- name: break_lease
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner IS NOT NULL
-- then
UPDATE {leases}
   SET held_until = 0, owner = NULL
 WHERE name = :name AND {is_busy}
RETURNING name, {lease_columns}, {now} AS read_at;

-- name: purge_leases
DELETE FROM {leases}
 WHERE ({row}) IN (SELECT {row} FROM {leases} WHERE {is_idle} LIMIT :batch);
