-- fragment: permit_free
-- The lowest slot that has expired, else the lowest that was never used, or NULL.
coalesce((SELECT min(f.slot) FROM {prefix}permit AS f
                  WHERE f.name = :name AND f.slot < :permits AND f.held_until <= {now}), {permit_gap})

-- name: acquire_permit
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 LIMIT 1
-- then unless held
INSERT INTO {prefix}permit (name, slot, {lease_columns})
SELECT :name, free.slot, :owner, :holder, {now_micros}, {now}, {now} + :lease
  FROM (SELECT {permit_free} AS slot) AS free
 WHERE free.slot IS NOT NULL AND NOT {permit_above}
    ON CONFLICT (name, slot) DO UPDATE
   SET {taken_over}
RETURNING name, slot, {lease_columns}, {now} AS read_at;
