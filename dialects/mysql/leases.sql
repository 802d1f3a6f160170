-- fragment: row_json
json_object('name', name)

-- fragment: row_columns
-- The same columns, as JSON_TABLE reads them.
name varchar(200) {exact} PATH '$.name'

-- name: acquire_lease
-- If the lock is held, the first step is the whole answer; else it shows the predecessor. The second step adds the row
-- of a new name; if another caller was first, it fails with error 1062: send it again. The third step acquires the row
-- if it has expired.
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name
-- else
INSERT INTO {leases} (name, {lease_columns})
SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
-- then unless held
INSERT INTO {leases} (name, {lease_columns})
SELECT past.name, :owner, :holder, greatest(past.fence + 1, {now_micros}), {now}, {now} + :lease
  FROM {leases} AS past
 WHERE past.name = :name AND past.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
-- then unless held
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner = :owner;

-- name: release_unguarded_lease
-- In MySQL, nothing keeps an UPDATE from waiting for a locked row.
{release_one};

-- name: renew_leases
-- A row was renewed if it ends at least :lease after the first step. Only these statements read the variable.
SET @dibs_asked_at = {now}
-- then
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT STRAIGHT_JOIN {l_key_columns}, {l_columns}, {renewed}
  FROM {asked_pairs}
  JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > {now}
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT STRAIGHT_JOIN l.owner
  FROM {asked_pairs}
  JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + :lease;

-- name: leave_lease
-- The key is compared with values only: with a variable, the DELETE would lock every row of the name.
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT {l_key_columns}, {l_columns}, 0
  FROM {leases} AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
-- then
SELECT max(owner) INTO @dibs_gone FROM {leases} WHERE name = :name AND owner = :owner AND held_until = 0
-- then
DELETE FROM {leases} WHERE name = :name AND owner = :owner AND @dibs_gone IS NOT NULL;

-- name: purge_leases
-- A DELETE with a search would lock every row that it passes. So the names are read without a row lock first, and the
-- rows are found by the key, however small the table is. A scan waits for the first locked row, and keeps all rows
-- before it locked. A DELETE cannot skip a locked row, so these are left out just before it.
SELECT json_arrayagg({row_json}) INTO @dibs_expired
  FROM (SELECT {row} FROM {leases} WHERE {is_idle} LIMIT :batch) AS expired
-- then
SELECT json_arrayagg({row_json}) INTO @dibs_expired
  FROM (SELECT expired.*
          FROM JSON_TABLE(@dibs_expired, '$[*]' COLUMNS ({row_columns})) AS expired
          STRAIGHT_JOIN {leases} AS l FORCE INDEX (PRIMARY) ON {l_is_expired}
         WHERE {is_idle}
           {lock_l}) AS expired
-- then
DELETE l
  FROM JSON_TABLE(@dibs_expired, '$[*]' COLUMNS ({row_columns})) AS expired
  STRAIGHT_JOIN {leases} AS l FORCE INDEX (PRIMARY) ON {l_is_expired}
 WHERE {is_idle};
