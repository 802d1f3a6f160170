-- name: acquire_permit
-- One statement, without a wait or an error on any path, as acquire_lock.
WITH seen AS MATERIALIZED (
    SELECT name, slot, {lease_columns}
      FROM {prefix}permit
     WHERE name = :name AND {permit_tells}
     ORDER BY {permit_order}
     LIMIT 1
), free AS MATERIALIZED (
    SELECT name, slot, {lease_columns}
      FROM {prefix}permit
     WHERE name = :name AND slot < :permits AND held_until <= {now_once} AND NOT {permit_above}
     ORDER BY slot
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE {prefix}permit AS l
       SET owner = :owner,
           {taking}
      FROM free
     WHERE l.name = free.name AND l.slot = free.slot
 RETURNING l.name, l.slot, {l_lease_columns}
), made AS (
    INSERT INTO {prefix}permit (name, slot, {lease_columns})
    SELECT :name, gap.slot, :owner, :holder, {now_micros}, {now}, {now} + :lease
      FROM {permit_gap} AS gap
     WHERE gap.slot IS NOT NULL AND NOT EXISTS (SELECT 1 FROM free) AND NOT {permit_above}
        ON CONFLICT (name, slot) DO NOTHING
 RETURNING name, slot, {lease_columns}
)
SELECT name, slot, {lease_columns}, {now} AS read_at FROM taken
UNION ALL SELECT name, slot, {lease_columns}, {now} FROM made
UNION ALL SELECT name, slot, {lease_columns}, {now} FROM free
UNION ALL SELECT name, slot, {lease_columns}, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);
