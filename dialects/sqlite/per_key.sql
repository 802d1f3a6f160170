-- fragment: first_n
LIMIT :n

-- name: claim_per_key
UPDATE {table} AS t
   SET {mark}
 WHERE ({t_keys}) IN (SELECT {key_aliases} FROM {asked}) AND {free} AND {where} AND {once}
-- then
SELECT t.*{and_texts} FROM {table} AS t WHERE {token} = :token ORDER BY {order};

-- name: side_per_key
INSERT INTO {prefix}claim AS c (scope, row_key, token, held_until)
SELECT :scope, m.row_key, :token, {side_until}
  FROM (SELECT {t_row_key} AS row_key
          FROM {asked} CROSS JOIN {table} AS t
         WHERE {key_match} AND {where} AND {free} AND {once}) AS m
 WHERE true
    ON CONFLICT (scope, row_key) DO UPDATE
   SET held_until = excluded.held_until + {side_origin}, token = excluded.token
RETURNING row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until;
