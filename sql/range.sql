-- Claims of whole ranges of keys: the user's rows are not written at all. This is the standard form, as H2 runs it. What is known
-- only from the user is named as in claims.sql; the key is one column, {first_key}, a whole number.
--
-- A row of {prefix}range is a range that somebody has claimed, both ends included, and is gone when all of its rows are completed.
-- The row with the id 'cursor' says how far ranges have been claimed. Everybody who claims a new range has that row for
-- the moment until the commit; nobody holds it longer. A row that fails leaves its range: it becomes a row of {prefix}claim.

-- fragment: range_until
-- The last two bits tell the claim what the rows were before: 0 free, 1 left over by somebody who vanished.
floor(({now_once} + :lease) / 4) * 4

-- fragment: range_bounds
t.{first_key} >= r.first_key AND t.{first_key} <= r.last_key

-- fragment: range_mine
-- The ranges that have the token and that nobody has locked.
scope = :scope AND token = :token
AND id IN (SELECT id FROM {prefix}range WHERE scope = :scope AND token = :token FOR UPDATE SKIP LOCKED)

-- name: open_ranges
-- The cursor begins with the first row, which is a range of its own. Two who open at the same instant may meet a duplicate key.
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, 'first', min(t.{first_key}), min(t.{first_key}), NULL, 0
  FROM {table} AS t
 WHERE {where} AND NOT EXISTS (SELECT 1 FROM {prefix}range AS r WHERE r.scope = :scope AND r.id = 'cursor')
HAVING count(*) > 0
-- then
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT r.scope, 'cursor', r.first_key, r.last_key, NULL, 9007199254740991
  FROM {prefix}range AS r
 WHERE r.scope = :scope AND r.id = 'first'
   AND NOT EXISTS (SELECT 1 FROM {prefix}range AS c WHERE c.scope = :scope AND c.id = 'cursor');

-- name: claim_range
-- Takes over a range whose time is over, or else claims the next :n rows, and returns the rows, with the end of the claim.
UPDATE {prefix}range
   SET held_until = {range_until} + CASE WHEN token IS NULL THEN 0 ELSE 1 END, token = :token
 WHERE scope = :scope AND held_until <= {now_once}
   AND id IN (SELECT id FROM {prefix}range
               WHERE scope = :scope AND held_until <= {now_once}
               FETCH FIRST 1 ROW ONLY
                 FOR UPDATE SKIP LOCKED)
-- then
UPDATE {prefix}range
   SET token = :token
 WHERE scope = :scope AND id = 'cursor'
   AND NOT EXISTS (SELECT 1 FROM {prefix}range AS mine WHERE mine.scope = :scope AND mine.token = :token)
-- then
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, :token, min(k), max(k), :token, {range_until}
  FROM (SELECT t.{first_key} AS k
          FROM {prefix}range AS c, {table} AS t
         WHERE c.scope = :scope AND c.id = 'cursor' AND c.token = :token
           AND t.{first_key} > c.last_key AND {where}
         ORDER BY t.{first_key}
         FETCH FIRST :n ROWS ONLY) AS ahead
HAVING count(*) > 0
-- then
UPDATE {prefix}range
   SET last_key = coalesce((SELECT made.last_key FROM {prefix}range AS made WHERE made.scope = :scope AND made.id = :token), last_key),
       token = NULL
 WHERE scope = :scope AND id = 'cursor' AND token = :token
-- then
SELECT t.*, r.held_until AS dibs_until
  FROM {prefix}range AS r, {table} AS t
 WHERE r.scope = :scope AND r.token = :token AND {range_bounds} AND {where}
 ORDER BY t.{first_key};

-- name: find_range
-- The rows of the ranges that have the token.
SELECT t.*, r.held_until AS dibs_until
  FROM {prefix}range AS r, {table} AS t
 WHERE r.scope = :scope AND r.token = :token AND {range_bounds} AND {where}
 ORDER BY t.{first_key};

-- name: still_range
-- A row if the token has a range that has not passed, without a lock.
SELECT 1 AS dibs_range
  FROM {prefix}range
 WHERE scope = :scope AND token = :token AND held_until > {now_once};

-- name: renew_range
-- Extends it, unless it has passed or is locked just now. A row = it was ours.
SELECT 1 AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET held_until = {now_once} + :lease WHERE {range_mine} AND held_until > {now_once});

-- name: complete_range
-- All of its rows are completed. A row = it was ours.
SELECT 1 AS dibs_range
  FROM OLD TABLE (
    DELETE FROM {prefix}range WHERE scope = :scope AND token = :token);

-- name: advance_range
-- Its rows before :first_key are completed. A row = it was ours.
SELECT 1 AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET first_key = :first_key WHERE scope = :scope AND token = :token);

-- name: release_range
-- The next one who claims gets what is left of it, unless it is locked just now. A row = it was ours.
SELECT 1 AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET held_until = 0, token = NULL WHERE {range_mine});

-- name: scatter_range
-- What is left of it becomes a claim of each row, with the same token.
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, {t_row_key}, r.token, r.held_until
  FROM {prefix}range AS r, {table} AS t
 WHERE r.scope = :scope AND r.token = :token AND {range_bounds} AND {where}
-- then
DELETE FROM {prefix}range WHERE scope = :scope AND token = :token;

-- name: claim_scattered
-- Claims up to :n rows that have left their range and are free again.
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM FINAL TABLE (
    UPDATE {prefix}claim
       SET held_until = {range_until} + CASE WHEN token = 'dibs-later' THEN 2 ELSE 1 END, token = :token
     WHERE scope = :scope AND held_until <= {now_once}
       AND row_key IN (SELECT row_key FROM {prefix}claim
                        WHERE scope = :scope AND held_until <= {now_once}
                        FETCH FIRST :n ROWS ONLY
                          FOR UPDATE SKIP LOCKED));

-- name: count_range
-- How many rows there are.
SELECT count(*) AS to_do FROM {table} AS t WHERE {where};

-- name: left_range
-- A row if there are rows beyond the cursor, or ranges or single rows that are not completed and not dead.
SELECT 1 AS is_left
  FROM {prefix}range AS r
 WHERE r.scope = :scope
   AND (r.id <> 'cursor'
        OR EXISTS (SELECT 1 FROM {table} AS t WHERE t.{first_key} > r.last_key AND {where}))
UNION ALL
SELECT 1
  FROM {prefix}claim AS c
 WHERE c.scope = :scope AND c.token <> 'dibs-dead';

-- name: release_scattered
-- All rows that have left their range and have the token are free again, but for those that are locked just now.
SELECT row_key AS dibs_row
  FROM FINAL TABLE (
    UPDATE {prefix}claim
       SET held_until = 0, token = 'dibs-later'
     WHERE scope = :scope AND token = :token
       AND row_key IN (SELECT row_key FROM {prefix}claim
                        WHERE scope = :scope AND token = :token FOR UPDATE SKIP LOCKED));
