-- Claims of whole ranges of keys: the user's rows are not written at all. This is the standard form, as H2 runs it. The
-- user's names are those of claims.sql; the key is one column, {first_key}, a whole number.
--
-- A row of {prefix}range is a claimed range, both ends included. The row is deleted when all rows of the range are
-- completed. Its id is the token of its last claim, so a token has one range at most. The row with the id 'dibs-cursor'
-- is the cursor: it records how far ranges have been claimed. A claim of a new range keeps the cursor locked until its
-- commit. A range is completed as a whole, or from its beginning. If a row is released, postponed, dead or completed out
-- of order, the rest of its range becomes single claims in {prefix}claim.

-- fragment: range_start
(-9223372036854775807 - 1)

-- fragment: range_until
-- The last two bits record the former state of the rows: 0 free, 1 abandoned by a claim that expired.
floor(({now_once} + :lease) / 4) * 4

-- fragment: range_found
-- The range of the token, beside the user's rows: under names that no column of these has.
(SELECT first_key AS dibs_first, last_key AS dibs_last, held_until AS dibs_until
          FROM {prefix}range
         WHERE scope = :scope AND id = :token AND token = :token) AS r

-- fragment: range_bounds
t.{first_key} >= r.dibs_first AND t.{first_key} <= r.dibs_last

-- fragment: range_rows
-- The rows of the token's range, with the end of its claim.
SELECT t.*, r.dibs_until
  FROM {range_found}, {table} AS t
 WHERE {range_bounds} AND {where}
 ORDER BY t.{first_key}

-- fragment: range_advanced
-- It never moves back: a statement whose answer was lost may arrive late.
CASE WHEN first_key < :first_key THEN :first_key ELSE first_key END

-- fragment: range_ours
-- The range of the token, if it was not released.
scope = :scope AND id = :token AND token = :token

-- fragment: range_mine
-- The same, unless its row is locked.
{range_ours} AND id IN (SELECT id FROM {prefix}range WHERE {range_ours} FOR UPDATE SKIP LOCKED)

-- fragment: range_lock
SELECT 1 AS dibs_locked FROM {prefix}range WHERE {range_ours} FOR UPDATE

-- name: open_ranges
-- Adds the cursor, before the smallest number.
-- existing row: kept; of two that add it at the same instant, one may report a duplicate
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, 'dibs-cursor', {range_start}, {range_start}, NULL, 9007199254740991
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}range WHERE scope = :scope AND id = 'dibs-cursor');

-- name: key_at_start
-- A row if the smallest number is a key: the cursor begins there, so no range would have that row.
SELECT 1 AS dibs_first FROM {table} AS t WHERE t.{first_key} = {range_start};

-- name: claim_range
-- Takes over a range whose claim has expired, or else claims the next :n rows. Returns the rows, with the end of the
-- claim.
-- existing row: none, since :token is random
-- transaction: one for all steps
UPDATE {prefix}range
   SET held_until = {range_until} + CASE WHEN token IS NULL THEN 0 ELSE 1 END, token = :token, id = :token
 WHERE scope = :scope AND held_until <= {now_once}
   AND id IN (SELECT id FROM {prefix}range
               WHERE scope = :scope AND held_until <= {now_once}
               FETCH FIRST 1 ROW ONLY
                 FOR UPDATE SKIP LOCKED)
-- then
UPDATE {prefix}range
   SET token = :token
 WHERE scope = :scope AND id = 'dibs-cursor'
   AND NOT EXISTS (SELECT 1 FROM {prefix}range AS mine WHERE mine.scope = :scope AND mine.id = :token)
-- then
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, :token, min(dibs_key1), max(dibs_key1), :token, {range_until}
  FROM (SELECT {keys_as}
          FROM (SELECT last_key AS dibs_last
                  FROM {prefix}range
                 WHERE scope = :scope AND id = 'dibs-cursor' AND token = :token) AS c, {table} AS t
         WHERE t.{first_key} > c.dibs_last AND {where}
         ORDER BY t.{first_key}
         FETCH FIRST :n ROWS ONLY) AS ahead
HAVING count(*) > 0
-- then
UPDATE {prefix}range
   SET last_key = coalesce((SELECT made.last_key FROM {prefix}range AS made WHERE made.scope = :scope AND made.id = :token), last_key),
       token = NULL
 WHERE scope = :scope AND id = 'dibs-cursor' AND token = :token
-- then
{range_rows};

-- name: find_range
-- The rows of the token's range.
{range_rows};

-- name: still_range
-- The first key of the range if the token has a range that has not expired, read without a row lock.
SELECT first_key AS dibs_range
  FROM {prefix}range
 WHERE {range_ours} AND held_until > {now_once};

-- name: renew_range
-- Extends the range, unless it has expired or is locked just now. Returns its first key if it was ours.
-- transaction: one for all steps
SELECT first_key AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET held_until = {now_once} + :lease WHERE {range_mine} AND held_until > {now_once});

-- name: complete_range
-- All rows of the range are completed. A row = it was ours.
-- transaction: one for all steps, or the caller's
SELECT 1 AS dibs_range
  FROM OLD TABLE (
    DELETE FROM {prefix}range WHERE {range_ours});

-- name: advance_range
-- The range's rows before :first_key are completed. A row = it was ours.
-- transaction: one for all steps
SELECT 1 AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET first_key = {range_advanced} WHERE {range_ours});

-- name: release_range
-- The next claim gets the rest of the range. Nothing happens if it is locked just now. A row = it was ours.
-- transaction: one for all steps
SELECT 1 AS dibs_range
  FROM FINAL TABLE (
    UPDATE {prefix}range SET held_until = 0, token = NULL WHERE {range_mine});

-- name: scatter_range
-- Turns the rest of the range into a claim of each row, with the same token. These are the rows :keys, which the worker
-- has, even if they are no longer to be processed, and all other rows of the range. The range is locked before it is
-- read. So it is scattered once, and is neither taken over nor completed in between.
-- existing row: none, since a row that has left its range is in no other one
-- transaction: one for all steps
{range_lock}
-- then
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT r.scope, {k_row_key}, r.token, r.held_until
  FROM {prefix}range AS r, TABLE({key_list}) AS k
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
-- Claims up to :n rows that have left their range and are free again.
-- transaction: one for all steps
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
-- How many rows are beyond the cursor, in ranges, or in single claims that are not dead.
SELECT (SELECT count(*)
          FROM {table} AS t
         WHERE {where}
           AND EXISTS (SELECT 1
                         FROM {prefix}range AS r
                        WHERE r.scope = :scope
                          AND (r.id = 'dibs-cursor' AND t.{first_key} > r.last_key
                               OR r.id <> 'dibs-cursor' AND t.{first_key} >= r.first_key AND t.{first_key} <= r.last_key)))
       + (SELECT count(*) FROM {prefix}claim AS c WHERE c.scope = :scope AND c.token <> 'dibs-dead') AS to_do;

-- name: left_range
-- A row if there are rows beyond the cursor, uncompleted ranges, or single claims that are not dead.
SELECT 1 AS is_left
  FROM {prefix}range AS r
 WHERE r.scope = :scope
   AND (r.id <> 'dibs-cursor'
        OR EXISTS (SELECT 1 FROM {table} AS t WHERE t.{first_key} > r.last_key AND {where}))
UNION ALL
SELECT 1
  FROM {prefix}claim AS c
 WHERE c.scope = :scope AND c.token <> 'dibs-dead';

-- name: release_scattered
-- Releases all rows that have left their range and have the token. Rows that are locked just now are skipped.
-- transaction: one for all steps
SELECT row_key AS dibs_row
  FROM FINAL TABLE (
    UPDATE {prefix}claim
       SET held_until = 0, token = 'dibs-later'
     WHERE scope = :scope AND token = :token
       AND row_key IN (SELECT row_key FROM {prefix}claim
                        WHERE scope = :scope AND token = :token FOR UPDATE SKIP LOCKED));
