-- name: acquire_reader
-- The first step looks at the gate and adds the reader while it alone writes the file. So that look decides, and no
-- reader is to be removed.
INSERT INTO {prefix}reader (name, {lease_columns})
SELECT name, :owner, :holder, fence, {now}, {now} + :lease
  FROM {prefix}gate
 WHERE name = :name AND owner IS NULL
RETURNING name, {lease_columns}, {now} AS read_at
-- else
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > {now}
-- else
UPDATE {prefix}gate SET held_until = 0, owner = NULL WHERE name = :name AND held_until <= {now}
-- else
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO {prefix}gate (name, {lease_columns})
VALUES (:name, NULL, NULL, {now_micros}, {now}, 0)
    ON CONFLICT (name) DO NOTHING;

-- name: release_readers
DELETE FROM {prefix}reader
 WHERE (name, owner) IN (SELECT pair.name, pair.owner FROM {asked_pairs})
RETURNING name;

-- name: enter_gate
{gate_alone}
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM (SELECT * FROM {prefix}reader WHERE name = :name AND held_until > {now} LIMIT 1)
-- else
DELETE FROM {prefix}reader WHERE name = :name AND held_until <= {now}
-- else
{gate_alone}
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM (SELECT * FROM {prefix}reader WHERE name = :name LIMIT 1);
