-- A block of MariaDB is several steps here, in one transaction. Only these statements read the variables. A SELECT
-- without a row leaves its variable unchanged, so an aggregate sets it, which always has a row.

-- fragment: range_held
-- The range is found without a row lock first. Under REPEATABLE READ, a locking search for a missing row locks its gap.
-- A claim that waits for the cursor could so lock the gap into which the owner of the cursor inserts.
(SELECT id AS dibs_row FROM {prefix}range WHERE {range_ours} LIMIT 1) AS k
       STRAIGHT_JOIN {prefix}range AS r ON r.scope = :scope AND r.id = k.dibs_row

-- fragment: range_pick
SELECT coalesce(json_arrayagg(json_object('dibs_row', id)), {too_large}) INTO @dibs_mine

-- name: claim_range
-- The cursor is always locked first, so that other locks do not keep its owner from inserting.
SELECT max(last_key) INTO @dibs_last FROM {prefix}range WHERE scope = :scope AND id = 'dibs-cursor' FOR UPDATE
-- then
{range_pick}
  FROM (SELECT id FROM {prefix}range WHERE scope = :scope AND held_until <= {now_once} LIMIT 20) AS late
-- then
{range_pick}
  FROM (SELECT {by_key} r.id FROM {range_taken} WHERE r.held_until <= {now_once} LIMIT 1 FOR UPDATE OF r SKIP LOCKED) AS late
-- then
UPDATE {by_key} {range_taken}
   SET r.held_until = {range_until} + CASE WHEN r.token IS NULL THEN 0 ELSE 1 END, r.token = :token, r.id = :token
-- then
SELECT min(dibs_key1), max(dibs_key1) INTO @dibs_first, @dibs_last
  FROM (SELECT {keys_as}
          FROM {table} AS t
         WHERE t.{first_key} > @dibs_last AND @dibs_mine IS NULL AND {where}
         ORDER BY t.{first_key}
         LIMIT :n) AS ahead
-- then
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, :token, @dibs_first, @dibs_last, :token, {range_until} FROM DUAL WHERE @dibs_last IS NOT NULL
-- then
UPDATE {prefix}range SET last_key = @dibs_last WHERE scope = :scope AND id = 'dibs-cursor' AND @dibs_last IS NOT NULL
-- then
{range_rows};

-- name: renew_range
{range_pick}
  FROM (SELECT id FROM {prefix}range WHERE {range_ours} AND held_until > {now_once} FOR UPDATE SKIP LOCKED) AS mine
-- then
UPDATE {by_key} {range_taken} SET r.held_until = {now_once} + :lease
-- then
SELECT {by_key} r.first_key AS dibs_range FROM {range_taken};

-- name: complete_range
SELECT {by_key} 1 AS dibs_range FROM {range_held} WHERE r.token = :token FOR UPDATE OF r
-- then
DELETE {by_key} r FROM {range_held} WHERE r.token = :token;

-- name: advance_range
SELECT {by_key} 1 AS dibs_range FROM {range_held} WHERE r.token = :token FOR UPDATE OF r
-- then
UPDATE {by_key} {range_held} SET r.first_key = {range_advanced} WHERE r.token = :token;

-- name: release_range
{range_pick}
  FROM (SELECT id FROM {prefix}range WHERE {range_ours} FOR UPDATE SKIP LOCKED) AS mine
-- then
UPDATE {by_key} {range_taken} SET r.held_until = 0, r.token = NULL
-- then
SELECT 1 AS dibs_range FROM DUAL WHERE @dibs_mine IS NOT NULL;

-- name: scatter_range
SELECT max(first_key), max(last_key), max(held_until) INTO @dibs_first, @dibs_last, @dibs_end
  FROM {prefix}range
 WHERE {range_ours}
   FOR UPDATE
-- then
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, {k_row_key}, :token, @dibs_end
  FROM {side_keys}
 WHERE k.dibs_key1 BETWEEN @dibs_first AND @dibs_last
-- then
SELECT coalesce(json_arrayagg(json_object('dibs_row', {t_row_key})), {too_large}) INTO @dibs_mine
  FROM {table} AS t
 WHERE t.{first_key} BETWEEN @dibs_first AND @dibs_last AND {where}
-- then
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, k.dibs_row, :token, @dibs_end FROM {side_picked}
    ON DUPLICATE KEY UPDATE scope = VALUES(scope)
-- then
DELETE FROM {prefix}range WHERE {range_ours};

-- name: claim_scattered
SELECT coalesce(json_arrayagg(json_object('dibs_row', row_key)), {too_large}) INTO @dibs_mine
  FROM (SELECT row_key FROM {prefix}claim WHERE scope = :scope AND held_until <= {now_once} LIMIT :n) AS late
-- then
SELECT {by_key} coalesce(json_arrayagg(json_object('dibs_row', k.dibs_row)), {too_large}) INTO @dibs_mine
  FROM {side_picked} {side_claim_of_row}
 WHERE c.held_until <= {now_once}
   FOR UPDATE OF c SKIP LOCKED
-- then
UPDATE {by_key} {side_picked} {side_claim_of_row}
   SET c.held_until = {side_until} + {side_origin}, c.token = :token
-- then
SELECT {by_key} c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until
  FROM {side_picked} {side_claim_of_row};

-- name: release_scattered
SELECT coalesce(json_arrayagg(json_object('dibs_row', row_key)), {too_large}) INTO @dibs_mine
  FROM {prefix}claim
 WHERE scope = :scope AND token = :token
-- then
SELECT {by_key} coalesce(json_arrayagg(json_object('dibs_row', k.dibs_row)), {too_large}) INTO @dibs_mine
  FROM {side_picked} {side_claim_of_row}
 WHERE c.token = :token
   FOR UPDATE OF c SKIP LOCKED
-- then
UPDATE {by_key} {side_picked} {side_claim_of_row}
   SET c.held_until = 0, c.token = 'dibs-later'
-- then
SELECT dibs_row FROM {side_picked};
