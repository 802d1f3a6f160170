-- The search, rows_per_key, is in the standard file; what is not here either is in MariaDB's. These statements mark the
-- rows that it has found.

-- name: claim_per_key
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {free} AND {where} AND {once}
   FOR UPDATE OF t SKIP LOCKED
-- then
UPDATE {by_key} JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {mark}
-- then
SELECT t.*{and_texts} FROM {table} AS t WHERE {token} = :token ORDER BY {order};

-- name: side_per_key
SELECT {by_key} coalesce(json_arrayagg(json_object('dibs_row', {t_row_key})), {too_large}) INTO @dibs_mine
  FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {where} AND {free} AND {once}
   FOR UPDATE OF t SKIP LOCKED
-- then
{side_see}
-- then
{side_retake}
-- then
{side_add}
-- then
{side_found};
