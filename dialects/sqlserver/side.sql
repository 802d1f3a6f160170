-- Several statements that must take effect as one are at least two steps, and so a transaction. Lists of keys are
-- temporary tables, and hints mean the same, as in claims.sql. NOLOCK reads of {prefix}claim may see uncommitted rows:
-- its primary key decides in the end.

-- fragment: key_text
-- A cast cuts a longer text without an error. With one character more than the column has, the INSERT refuses it.
cast(# AS nvarchar(401))

-- fragment: key_text_binary
lower(convert(nvarchar(401), #, 2))

-- fragment: key_part_binary
lower(convert(nvarchar(401), #, 2))

-- fragment: key_part
replace(replace(cast(# AS nvarchar(401)), N'\', N'\\'), N',', N'\,')

-- fragment: key_glue
+ N',' +

-- fragment: key_whole
(#) COLLATE Latin1_General_100_BIN2

-- fragment: side_names
DECLARE @scope nvarchar(200) = :scope, @token varchar(32) = :token

-- fragment: side_free
isnull((SELECT c.held_until
          FROM {prefix}claim AS c WITH (NOLOCK)
         WHERE c.scope = @scope AND c.row_key = {t_row_key}), 0) <= {now_once}

-- fragment: side_first_time
NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WITH (NOLOCK) WHERE c.scope = @scope AND c.token = @token)

-- fragment: side_claim_of_key
c.scope = @scope AND c.row_key = {k_row_key}

-- fragment: side_lock_rows
{asked_keys};
SELECT count(*) AS dibs_locked
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {key_match}

-- fragment: side_done
DECLARE @done TABLE (dibs_row nvarchar(400) {exact} NOT NULL)

-- fragment: side_settle
-- Leaves the keys in the list whose claims were ours.
{side_names};
{asked_keys};
{side_done};
DELETE c
OUTPUT deleted.row_key INTO @done (dibs_row)
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {prefix}claim AS c WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {side_claim_of_key}
 WHERE c.token = @token;
DELETE k
  FROM #dibs_keys_{list} AS k
 WHERE NOT EXISTS (SELECT 1 FROM @done AS d WHERE d.dibs_row = {k_row_key})

-- fragment: side_write
UPDATE c
   SET held_until = {side_until} + {side_origin}, token = @token
  FROM @pick AS p
 INNER LOOP JOIN {prefix}claim AS c WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
    ON c.scope = @scope AND c.row_key = p.dibs_row
 WHERE c.held_until <= {now_once};
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT @scope, p.dibs_row, @token, {side_until}
  FROM @pick AS p
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WITH (NOLOCK) WHERE c.scope = @scope AND c.row_key = p.dibs_row)

-- name: claim_side
{side_names};
DECLARE @pick TABLE (dibs_row nvarchar(400) {exact} NOT NULL);
INSERT INTO @pick (dibs_row)
SELECT TOP (:n) {t_row_key} AS dibs_row
  FROM {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE {where} AND {side_free} AND {side_once}
 ORDER BY {order};
{side_write}
-- then
{side_names};
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM {prefix}claim WITH (NOLOCK)
 WHERE scope = @scope AND token = @token;

-- name: find_side
{side_names};
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM {prefix}claim
 WHERE scope = @scope AND token = @token;

-- name: side_rows
{asked_keys};
SELECT t.*, {t_row_key} AS dibs_row
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (FORCESEEK) ON {key_match}
 WHERE {where}
 ORDER BY {order};

-- name: still_side
{side_names};
{asked_keys};
SELECT {key_aliases}
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {prefix}claim AS c WITH (NOLOCK, FORCESEEK) ON {side_claim_of_key}
 WHERE c.token = @token AND c.held_until > {now_once};

-- name: change_side
{side_names};
{asked_keys};
{side_done};
UPDATE c
   SET {side_change}
OUTPUT inserted.row_key INTO @done (dibs_row)
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {prefix}claim AS c WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {side_claim_of_key}
 WHERE c.token = @token AND {side_still};
SELECT {key_aliases} FROM #dibs_keys_{list} AS k JOIN @done AS d ON d.dibs_row = {k_row_key};

-- name: drop_side
{side_names};
{asked_keys};
{side_done};
DELETE c
OUTPUT deleted.row_key INTO @done (dibs_row)
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {prefix}claim AS c WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {side_claim_of_key}
 WHERE c.token = @token;
SELECT {key_aliases}, dibs_row FROM #dibs_keys_{list} AS k JOIN @done AS d ON d.dibs_row = {k_row_key};

-- name: complete_side
{side_lock_rows}
-- then
{side_settle};
{done_keys};
UPDATE t
   SET {effect}
OUTPUT {deleted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {key_match};
SELECT {key_aliases} FROM #dibs_done_{list};

-- name: delete_side
{side_lock_rows}
-- then
{side_settle};
{done_keys};
DELETE t
OUTPUT {deleted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {key_match};
SELECT {key_aliases} FROM #dibs_done_{list};

-- name: settle_side
{side_lock_rows}
-- then
{side_settle};
SELECT {key_aliases} FROM #dibs_keys_{list};

-- name: release_side
{side_names};
DECLARE @mine TABLE (dibs_row nvarchar(400) {exact} NOT NULL);
{side_done};
INSERT INTO @mine (dibs_row)
SELECT row_key FROM {prefix}claim WITH (NOLOCK) WHERE scope = @scope AND token = @token;
DELETE c
OUTPUT deleted.row_key INTO @done (dibs_row)
  FROM @mine AS p
 INNER LOOP JOIN {prefix}claim AS c WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK)
    ON c.scope = @scope AND c.row_key = p.dibs_row
 WHERE c.token = @token;
SELECT dibs_row FROM @done;

-- name: left_side
SELECT TOP (1) 1 AS is_left
  FROM {table} AS t
 WHERE {where}
   AND coalesce((SELECT c.token
                   FROM {prefix}claim AS c
                  WHERE c.scope = :scope AND c.row_key = {t_row_key}), '') <> 'dibs-dead';
