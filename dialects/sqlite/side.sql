-- A claim that is being changed has the end -1 up to the commit. Nobody else writes the file meanwhile, so only this
-- transaction sees that value. RETURNING cannot return the columns of k.

-- fragment: key_text_binary
lower(hex(#))

-- fragment: key_part_binary
lower(hex(#))

-- fragment: side_until
({now} + :lease) / 4 * 4

-- fragment: side_asked
{asked} CROSS JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}

-- fragment: side_settle
UPDATE {prefix}claim AS c
   SET held_until = -1
  FROM {asked}
 WHERE c.scope = :scope AND c.row_key = {k_row_key} AND c.token = :token

-- fragment: side_settled
SELECT k.*
  FROM {asked} CROSS JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.held_until = -1

-- fragment: side_is_settled
scope = :scope AND row_key IN (SELECT {k_row_key} FROM {asked}) AND held_until = -1

-- name: claim_side
INSERT INTO {prefix}claim AS c (scope, row_key, token, held_until)
SELECT :scope, m.row_key, :token, {side_until}
  FROM (SELECT {t_row_key} AS row_key
          FROM {table} AS t
         WHERE {where} AND {side_free} AND {side_once}
         ORDER BY {order}
         LIMIT :n) AS m
 WHERE true
    ON CONFLICT (scope, row_key) DO UPDATE
   SET held_until = excluded.held_until + {side_origin}, token = excluded.token
RETURNING row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until;

-- name: side_rows
SELECT t.*, {t_row_key} AS dibs_row
  FROM {asked} CROSS JOIN {table} AS t
 WHERE {key_match} AND {where}
 ORDER BY {order};

-- name: still_side
SELECT {key_aliases}
  FROM {side_asked}
 WHERE c.token = :token AND c.held_until > {now};

-- name: change_side
{side_settle} AND {side_still}
-- then
SELECT {key_aliases} FROM {side_asked} WHERE c.held_until = -1
-- then
UPDATE {prefix}claim SET {side_change} WHERE {side_is_settled};

-- name: drop_side
{side_settle}
-- then
SELECT {key_aliases}, c.row_key AS dibs_row FROM {side_asked} WHERE c.held_until = -1
-- then
DELETE FROM {prefix}claim WHERE {side_is_settled};

-- name: complete_side
-- RETURNING has the new key only, which {effect} may have changed.
{side_settle}
-- then
SELECT {key_aliases} FROM ({side_settled}) AS k CROSS JOIN {table} AS t WHERE {key_match}
-- then
UPDATE {table} AS t SET {effect} WHERE ({t_keys}) IN ({side_settled})
-- then
DELETE FROM {prefix}claim WHERE {side_is_settled};

-- name: delete_side
{side_settle}
-- then
DELETE FROM {table} AS t WHERE ({t_keys}) IN ({side_settled})
RETURNING {returned_keys}
-- then
DELETE FROM {prefix}claim WHERE {side_is_settled};

-- name: settle_side
{side_settle}
-- then
{side_settled}
-- then
DELETE FROM {prefix}claim WHERE {side_is_settled};

-- name: release_side
DELETE FROM {prefix}claim WHERE scope = :scope AND token = :token
RETURNING row_key AS dibs_row;
