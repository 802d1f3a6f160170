-- fragment: reader_row_json
json_object('name', name, 'owner', owner)

-- fragment: reader_row_columns
name varchar(200) {exact} PATH '$.name', owner varchar(32) {exact} PATH '$.owner'

-- name: acquire_reader
-- The first step reads the gate, since an INSERT that selects from it would lock it. The third one is the look that
-- decides. The gate is added last: an INSERT waits for a row that exists and is locked.
SELECT max(fence) INTO @dibs_fence FROM {prefix}gate WHERE name = :name AND owner IS NULL
-- then
INSERT INTO {prefix}reader (name, {lease_columns})
SELECT :name, :owner, :holder, @dibs_fence, {now}, {now} + :lease
  FROM DUAL
 WHERE @dibs_fence IS NOT NULL
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
{free_gate}
-- else
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO {prefix}gate (name, {lease_columns})
VALUES (:name, NULL, NULL, {now_micros}, {now}, 0)
    ON DUPLICATE KEY UPDATE name = VALUES(name);
