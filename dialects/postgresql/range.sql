-- fragment: range_mine
-- The statement's own row lock would wait. So the ctid is looked up only if the row is not locked.
{range_ours} AND ctid = ANY (ARRAY(SELECT ctid FROM {prefix}range WHERE {range_ours} FOR UPDATE SKIP LOCKED))

-- fragment: claim_in_locked
-- See in_locked in leases.sql.
ctid = ANY (ARRAY(SELECT place FROM locked)) AND ((scope, row_key) IN (SELECT scope, row_key FROM locked)) IS TRUE

-- name: open_ranges
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
VALUES (:scope, 'dibs-cursor', {range_start}, {range_start}, NULL, 9007199254740991)
    ON CONFLICT (scope, id) DO NOTHING;

-- name: claim_range
-- One statement. A claim that waits for the cursor sees, after the wait, how far the claim before has moved it.
WITH dibs_late AS MATERIALIZED (
    SELECT id AS dibs_id
      FROM {prefix}range
     WHERE scope = :scope AND held_until <= {now_once}
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {prefix}range AS r
       SET held_until = {range_until} + CASE WHEN token IS NULL THEN 0 ELSE 1 END, token = :token, id = :token
     WHERE r.scope = :scope AND r.id = (SELECT dibs_id FROM dibs_late)
 RETURNING r.first_key AS dibs_first, r.last_key AS dibs_last, r.held_until AS dibs_until
), dibs_cursor AS MATERIALIZED (
    SELECT last_key
      FROM {prefix}range
     WHERE scope = :scope AND id = 'dibs-cursor' AND NOT EXISTS (SELECT 1 FROM dibs_late)
       FOR UPDATE
), dibs_ahead AS MATERIALIZED (
    SELECT t.*
      FROM {table} AS t
     WHERE t.{first_key} > (SELECT last_key FROM dibs_cursor) AND {where}
     ORDER BY t.{first_key}
     LIMIT :n
), dibs_made AS (
    INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
    SELECT :scope, :token, min({first_key}), max({first_key}), :token, {range_until}
      FROM dibs_ahead
    HAVING count(*) > 0
 RETURNING last_key, held_until
), dibs_moved AS (
    UPDATE {prefix}range AS c
       SET last_key = m.last_key
      FROM dibs_made AS m
     WHERE c.scope = :scope AND c.id = 'dibs-cursor'
)
SELECT t.*, (SELECT held_until FROM dibs_made) AS dibs_until FROM dibs_ahead AS t
UNION ALL
SELECT t.*, r.dibs_until
  FROM dibs_taken AS r, {table} AS t
 WHERE {range_bounds} AND {where}
 ORDER BY {first_key};

-- name: renew_range
UPDATE {prefix}range SET held_until = {now_once} + :lease WHERE {range_mine} AND held_until > {now_once}
RETURNING first_key AS dibs_range;

-- name: complete_range
DELETE FROM {prefix}range WHERE {range_ours} RETURNING 1 AS dibs_range;

-- name: advance_range
UPDATE {prefix}range SET first_key = {range_advanced} WHERE {range_ours} RETURNING 1 AS dibs_range;

-- name: release_range
UPDATE {prefix}range SET held_until = 0, token = NULL WHERE {range_mine} RETURNING 1 AS dibs_range;

-- name: scatter_range
{range_lock}
-- then
WITH {side_asked}
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT r.scope, k.dibs_row, r.token, r.held_until
  FROM {prefix}range AS r, dibs_asked AS k
 WHERE r.scope = :scope AND r.id = :token AND r.token = :token
   AND k.dibs_key1 >= r.first_key AND k.dibs_key1 <= r.last_key
-- then
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, {t_row_key}, :token, r.dibs_until
  FROM {range_found}, {table} AS t
 WHERE {range_bounds} AND {where}
   AND NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WHERE c.scope = :scope AND c.row_key = {t_row_key})
-- then
DELETE FROM {prefix}range WHERE {range_ours};

-- name: claim_scattered
WITH locked AS MATERIALIZED (
    SELECT ctid AS place, scope, row_key
      FROM {prefix}claim
     WHERE scope = :scope AND held_until <= {now_once}
     LIMIT :n
       FOR UPDATE SKIP LOCKED
)
UPDATE {prefix}claim
   SET held_until = {range_until} + CASE WHEN token = 'dibs-later' THEN 2 ELSE 1 END, token = :token
 WHERE {claim_in_locked}
RETURNING row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until;

-- name: release_scattered
WITH locked AS MATERIALIZED (
    SELECT ctid AS place, scope, row_key
      FROM {prefix}claim
     WHERE scope = :scope AND token = :token
       FOR UPDATE SKIP LOCKED
)
UPDATE {prefix}claim
   SET held_until = 0, token = 'dibs-later'
 WHERE {claim_in_locked}
RETURNING row_key AS dibs_row;
