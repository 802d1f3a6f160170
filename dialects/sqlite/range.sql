-- fragment: range_until
({now} + :lease) / 4 * 4

-- fragment: range_mine
{range_ours}

-- fragment: range_lock
-- A change, since the first statement of a transaction must be one.
UPDATE {prefix}range SET held_until = held_until WHERE {range_ours}

-- fragment: range_rows
SELECT t.*, r.dibs_until
  FROM {range_found} CROSS JOIN {table} AS t
 WHERE {range_bounds} AND {where}
 ORDER BY t.{first_key}

-- name: claim_range
UPDATE {prefix}range
   SET held_until = {range_until} + CASE WHEN token IS NULL THEN 0 ELSE 1 END, token = :token, id = :token
 WHERE scope = :scope
   AND id = (SELECT id FROM {prefix}range WHERE scope = :scope AND held_until <= {now} LIMIT 1)
-- then
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, :token, ahead.dibs_first, ahead.dibs_last, :token, {range_until}
  FROM (SELECT min(dibs_key1) AS dibs_first, max(dibs_key1) AS dibs_last
          FROM (SELECT {keys_as}
                  FROM {table} AS t
                 WHERE t.{first_key} > (SELECT last_key FROM {prefix}range WHERE scope = :scope AND id = 'dibs-cursor')
                   AND {where}
                   AND NOT EXISTS (SELECT 1 FROM {prefix}range AS mine WHERE mine.scope = :scope AND mine.id = :token)
                 ORDER BY t.{first_key}
                 LIMIT :n)) AS ahead
 WHERE ahead.dibs_last IS NOT NULL
-- then
UPDATE {prefix}range
   SET last_key = max(last_key, (SELECT made.last_key FROM {prefix}range AS made WHERE made.scope = :scope AND made.id = :token))
 WHERE scope = :scope AND id = 'dibs-cursor'
   AND EXISTS (SELECT 1 FROM {prefix}range AS made WHERE made.scope = :scope AND made.id = :token)
-- then
{range_rows};

-- name: renew_range
UPDATE {prefix}range SET held_until = {now} + :lease WHERE {range_mine} AND held_until > {now}
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
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT r.scope, {k_row_key}, r.token, r.held_until
  FROM {prefix}range AS r CROSS JOIN {asked}
 WHERE r.scope = :scope AND r.id = :token AND r.token = :token
   AND k.dibs_key1 + 0 >= r.first_key AND k.dibs_key1 + 0 <= r.last_key
-- then
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, {t_row_key}, :token, r.dibs_until
  FROM {range_found} CROSS JOIN {table} AS t
 WHERE {range_bounds} AND {where}
   AND NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WHERE c.scope = :scope AND c.row_key = {t_row_key})
-- then
DELETE FROM {prefix}range WHERE {range_ours};

-- name: claim_scattered
UPDATE {prefix}claim
   SET held_until = {range_until} + CASE WHEN token = 'dibs-later' THEN 2 ELSE 1 END, token = :token
 WHERE scope = :scope
   AND row_key IN (SELECT row_key FROM {prefix}claim WHERE scope = :scope AND held_until <= {now} LIMIT :n)
RETURNING row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until;

-- name: release_scattered
UPDATE {prefix}claim
   SET held_until = 0, token = 'dibs-later'
 WHERE scope = :scope AND token = :token
RETURNING row_key AS dibs_row;
