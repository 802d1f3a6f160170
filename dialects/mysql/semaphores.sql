-- fragment: permit_row_json
json_object('name', name, 'slot', slot)

-- fragment: permit_row_columns
name varchar(200) {exact} PATH '$.name', slot bigint PATH '$.slot'

-- name: acquire_permit
-- If all slots are held, or one above is, the first step is the whole answer. The next two acquire the first slot that
-- has expired and is not locked. They find it without a row lock, since a locking search would lock every slot that it
-- passes. If there was none, the last step but one adds a row; if another caller was first, it fails with error 1062:
-- send it again. Only these statements read the variables.
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 LIMIT 1
-- then unless held
SELECT (SELECT json_arrayagg(json_object('slot', slot))
          FROM (SELECT slot FROM {prefix}permit
                 WHERE name = :name AND slot < :permits AND held_until <= {now} AND NOT {permit_above}
                 ORDER BY slot LIMIT 1000) AS free),
       (SELECT gap.slot FROM {permit_gap} AS gap WHERE NOT {permit_above})
  INTO @dibs_free, @dibs_gap
-- then unless held
INSERT INTO {prefix}permit (name, slot, {lease_columns})
SELECT STRAIGHT_JOIN past.name, past.slot, :owner, :holder, greatest(past.fence + 1, {now_micros}), {now}, {now} + :lease
  FROM JSON_TABLE(@dibs_free, '$[*]' COLUMNS (slot bigint PATH '$.slot')) AS free
  JOIN {prefix}permit AS past ON past.slot = free.slot
 WHERE past.name = :name AND past.held_until <= {now}
 LIMIT 1
   FOR UPDATE OF past SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then unless held
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND owner = :owner
-- then unless held
INSERT INTO {prefix}permit (name, slot, {lease_columns})
SELECT :name, @dibs_gap, :owner, :holder, {now_micros}, {now}, {now} + :lease
  FROM DUAL
 WHERE @dibs_gap IS NOT NULL
-- then unless held
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND owner = :owner;
