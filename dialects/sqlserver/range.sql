-- Several statements that must take effect as one are at least two steps, and so a transaction. Hints as in claims.sql.
-- OUTPUT needs no INTO, since it returns rows of Dibs' own table, which has no triggers.

-- fragment: range_ours
scope = @scope AND id = @token AND token = @token

-- fragment: range_mine
-- The range of the token, unless its row is locked.
FROM {prefix}range WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
 WHERE {range_ours}

-- fragment: range_lock
{side_names};
SELECT 1 AS dibs_locked FROM {prefix}range WITH (ROWLOCK, UPDLOCK, FORCESEEK) WHERE {range_ours}

-- fragment: range_rows
{side_names};
SELECT t.*, r.dibs_until
  FROM {range_found}
 INNER JOIN {table} AS t ON {range_bounds}
 WHERE {where}
 ORDER BY t.{first_key}

-- name: open_ranges
-- HOLDLOCK locks the place of the new row, so that of two callers at the same instant one follows the other.
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
SELECT :scope, 'dibs-cursor', {range_start}, {range_start}, NULL, 9007199254740991
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}range WITH (UPDLOCK, HOLDLOCK) WHERE scope = :scope AND id = 'dibs-cursor');

-- name: claim_range
-- The cursor advances only from where it was read. So no two callers get one range, even where a hint has no effect.
{side_names};
DECLARE @seen bigint, @first bigint, @last bigint;
UPDATE TOP (1) r
   SET held_until = {range_until} + CASE WHEN r.token IS NULL THEN 0 ELSE 1 END, token = @token, id = @token
  FROM {prefix}range AS r WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE r.scope = @scope AND r.held_until <= {now_once};
IF @@ROWCOUNT = 0
BEGIN
    SELECT @seen = last_key
      FROM {prefix}range WITH (ROWLOCK, UPDLOCK, FORCESEEK)
     WHERE scope = @scope AND id = 'dibs-cursor';
    SELECT @first = min(ahead.dibs_key1), @last = max(ahead.dibs_key1)
      FROM (SELECT TOP (:n) {keys_as}
              FROM {table} AS t
             WHERE t.{first_key} > @seen AND {where}
             ORDER BY t.{first_key}) AS ahead;
    IF @last IS NOT NULL
    BEGIN
        UPDATE {prefix}range SET last_key = @last WHERE scope = @scope AND id = 'dibs-cursor' AND last_key = @seen;
        IF @@ROWCOUNT = 1
            INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
            VALUES (@scope, @token, @first, @last, @token, {range_until});
    END;
END
-- then
{range_rows};

-- name: still_range
{side_names};
SELECT first_key AS dibs_range FROM {prefix}range WITH (NOLOCK) WHERE {range_ours} AND held_until > {now_once};

-- name: renew_range
{side_names};
UPDATE {prefix}range
   SET held_until = {now_once} + :lease
OUTPUT inserted.first_key AS dibs_range
  {range_mine} AND held_until > {now_once};

-- name: complete_range
{side_names};
DELETE FROM {prefix}range
OUTPUT 1 AS dibs_range
 WHERE {range_ours};

-- name: advance_range
{side_names};
UPDATE {prefix}range
   SET first_key = {range_advanced}
OUTPUT 1 AS dibs_range
 WHERE {range_ours};

-- name: release_range
{side_names};
UPDATE {prefix}range
   SET held_until = 0, token = NULL
OUTPUT 1 AS dibs_range
  {range_mine};

-- name: scatter_range
{range_lock}
-- then
{side_names};
{asked_keys};
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT @scope, {k_row_key}, r.token, r.held_until
  FROM {prefix}range AS r
 INNER JOIN #dibs_keys_{list} AS k ON k.dibs_key1 >= r.first_key AND k.dibs_key1 <= r.last_key
 WHERE r.scope = @scope AND r.id = @token AND r.token = @token
-- then
{side_names};
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT @scope, {t_row_key}, @token, r.dibs_until
  FROM {range_found}
 INNER JOIN {table} AS t ON {range_bounds}
 WHERE {where}
   AND NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WITH (NOLOCK) WHERE c.scope = @scope AND c.row_key = {t_row_key})
-- then
{side_names};
DELETE FROM {prefix}range WHERE {range_ours};

-- name: claim_scattered
{side_names};
UPDATE TOP (:n) c
   SET held_until = {side_until} + {side_origin}, token = @token
OUTPUT inserted.row_key AS dibs_row, inserted.token AS dibs_token, inserted.held_until AS dibs_until
  FROM {prefix}claim AS c WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE c.scope = @scope AND c.held_until <= {now_once};

-- name: release_scattered
{side_names};
UPDATE {prefix}claim
   SET held_until = 0, token = 'dibs-later'
OUTPUT inserted.row_key AS dibs_row
  FROM {prefix}claim WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE scope = @scope AND token = @token;
