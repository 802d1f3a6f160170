-- fragment: gate_release_row_lock
-- It conflicts with a guard: a gate without an owner is open, and readers that are then admitted do not lock its row.
FOR UPDATE

-- fragment: reader_notify
-- As in leases.sql, for statements on the gate.
pg_notify('dibs', (hashtextextended(l.name, '{prefix_text}reader'::regclass::oid::bigint))::text)

-- name: acquire_reader
-- Two callers that are first add the gate without an error.
INSERT INTO {prefix}reader (name, {lease_columns})
SELECT name, :owner, :holder, fence, {now}, {now} + :lease
  FROM {prefix}gate
 WHERE name = :name AND owner IS NULL
-- then
SELECT r.name, r.owner, r.holder, g.fence, r.acquired_at, r.held_until, {now} AS read_at
  FROM {prefix}gate AS g JOIN {prefix}reader AS r ON r.name = g.name
 WHERE g.name = :name AND g.owner IS NULL AND r.owner = :owner
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > {now}
-- then unless ours
DELETE FROM {prefix}reader WHERE name = :name AND owner = :owner
-- else
WITH stale AS MATERIALIZED (
    SELECT name
      FROM {prefix}gate
     WHERE name = :name AND held_until <= {now_once}
       FOR UPDATE SKIP LOCKED
)
UPDATE {prefix}gate AS g
   SET held_until = 0, owner = NULL
  FROM stale
 WHERE g.name = stale.name
-- else
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO {prefix}gate (name, {lease_columns})
VALUES (:name, NULL, NULL, {now_micros}, {now}, 0)
    ON CONFLICT (name) DO NOTHING;

-- name: release_readers
WITH {pairs}, mine AS MATERIALIZED (
    SELECT l.name, l.owner
      FROM pair JOIN {prefix}reader AS l ON l.name = pair.name AND l.owner = pair.owner
       FOR UPDATE OF l SKIP LOCKED
)
DELETE FROM {prefix}reader AS l
 USING mine
 WHERE l.name = mine.name AND l.owner = mine.owner
RETURNING l.name, {reader_notify} AS woken;

-- name: enter_gate
WITH locked AS MATERIALIZED (
    SELECT ctid AS place, owner
      FROM {prefix}reader
     WHERE name = :name AND held_until <= {now_once}
       FOR UPDATE SKIP LOCKED
), swept AS (
    DELETE FROM {prefix}reader AS l
     WHERE {in_locked}
 RETURNING owner
), remaining AS MATERIALIZED (
    SELECT name, {lease_columns}
      FROM {prefix}reader
     WHERE name = :name AND owner NOT IN (SELECT owner FROM swept)
     LIMIT 1
)
SELECT name, {lease_columns}, {now} AS read_at FROM remaining
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM {prefix}gate
 WHERE name = :name AND owner = :owner AND held_until > {now} AND NOT EXISTS (SELECT 1 FROM remaining);
