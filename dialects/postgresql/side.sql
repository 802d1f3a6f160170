-- fragment: key_text
(#)::text

-- fragment: key_text_binary
encode(#, 'hex')

-- fragment: key_part_binary
encode(#, 'hex')

-- fragment: key_part
-- In a text of some collations, nothing can be searched for.
-- The backslash is given by its number: whether it escapes in a text depends on the session.
replace(replace((#)::text COLLATE "C", chr(92), repeat(chr(92), 2)), ',', chr(92) || ',')

-- fragment: key_whole
-- A user's column may have a collation of its own; columns of different collations cannot be compared.
(#) COLLATE "C"

-- fragment: side_asked
-- The rows :keys, behind a materialized row as in claims.sql.
dibs_json AS MATERIALIZED (
    SELECT :keys::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*, {k_row_key} AS dibs_row
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
)

-- fragment: side_mine
-- The claims of these rows that have the token and are not locked.
dibs_mine AS MATERIALIZED (
    SELECT k.*
      FROM dibs_asked AS k, {prefix}claim AS c
     WHERE c.scope = :scope AND c.row_key = k.dibs_row AND c.token = :token AND {side_still}
       FOR NO KEY UPDATE OF c SKIP LOCKED
)

-- fragment: side_lock_rows
dibs_locked AS MATERIALIZED (
    SELECT 1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match}
       FOR NO KEY UPDATE OF t
)

-- fragment: side_settled
-- The sum makes the database lock the user's rows first. After a wait the database looks at the claim again.
dibs_settled AS (
    DELETE FROM {prefix}claim AS c
     USING dibs_asked AS k
     WHERE c.scope = :scope AND c.row_key = k.dibs_row AND c.token = :token AND (SELECT count(*) FROM dibs_locked) >= 0
 RETURNING k.*
)

-- name: claim_side
-- The row lock must conflict with an update of the row: with FOR KEY SHARE, two claims would get it.
WITH dibs_picked AS MATERIALIZED (
    SELECT {t_row_key} AS dibs_row
      FROM {table} AS t
     WHERE {where} AND {side_free} AND {side_once}
     ORDER BY {order}
     LIMIT :n
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
INSERT INTO {prefix}claim AS c (scope, row_key, token, held_until)
SELECT :scope, dibs_row, :token, {side_until} FROM dibs_picked
    ON CONFLICT (scope, row_key) DO UPDATE
   SET held_until = {side_until} + {side_origin}, token = excluded.token
 WHERE c.held_until <= {now_once}
RETURNING row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until;

-- name: side_rows
WITH dibs_json AS MATERIALIZED (
    SELECT :keys::jsonb AS dibs_keys
)
SELECT t.*, {t_row_key} AS dibs_row
  FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list}), {table} AS t
 WHERE {key_match} AND {where}
 ORDER BY {order};

-- name: still_side
WITH {side_asked}
SELECT {key_aliases}
  FROM dibs_asked AS k, {prefix}claim AS c
 WHERE c.scope = :scope AND c.row_key = k.dibs_row AND c.token = :token AND c.held_until > {now_once};

-- name: change_side
WITH {side_asked}, {side_mine}
UPDATE {prefix}claim AS c
   SET {side_change}
  FROM dibs_mine AS k
 WHERE c.scope = :scope AND c.row_key = k.dibs_row
RETURNING {key_aliases};

-- name: drop_side
WITH {side_asked}, {side_mine}
DELETE FROM {prefix}claim AS c
 USING dibs_mine AS k
 WHERE c.scope = :scope AND c.row_key = k.dibs_row
RETURNING {key_aliases}, c.row_key AS dibs_row;

-- name: complete_side
WITH {side_asked}, {side_lock_rows}, {side_settled}
UPDATE {table} AS t
   SET {effect}
  FROM dibs_settled AS k
 WHERE {key_match}
RETURNING {key_aliases};

-- name: delete_side
WITH {side_asked}, {side_lock_rows}, {side_settled}
DELETE FROM {table} AS t
 USING dibs_settled AS k
 WHERE {key_match}
RETURNING {keys_as};

-- name: settle_side
WITH {side_asked}, {side_lock_rows}, {side_settled}
SELECT {key_aliases} FROM dibs_settled;

-- name: release_side
WITH dibs_mine AS MATERIALIZED (
    SELECT c.row_key AS dibs_row
      FROM {prefix}claim AS c
     WHERE c.scope = :scope AND c.token = :token
       FOR NO KEY UPDATE SKIP LOCKED
)
DELETE FROM {prefix}claim AS c
 USING dibs_mine AS k
 WHERE c.scope = :scope AND c.row_key = k.dibs_row
RETURNING c.row_key AS dibs_row;
