-- A block of MariaDB is several steps here, in one transaction. Only these statements read the variable.

-- fragment: key_whole
concat(#) COLLATE utf8mb4_0900_bin

-- fragment: side_mine
JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k

-- fragment: side_picked
-- JSON_TABLE makes NULL of a longer text. Here the longest key of an index has its place, and the INSERT refuses a text
-- that the column cannot hold, with the right reason.
JSON_TABLE(@dibs_mine, '$[*]' COLUMNS (dibs_row varchar(3072) {exact} PATH '$.dibs_row')) AS k

-- fragment: side_lock_rows
SELECT {by_key} count(*) INTO @dibs_locked
  FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
   FOR UPDATE OF t

-- fragment: side_lock_claims
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM {side_keys} {side_claim_of_key}
 WHERE c.token = :token
   FOR UPDATE OF c

-- fragment: side_settle
DELETE {by_key} c FROM {side_mine} {side_claim_of_key}

-- fragment: side_seen
-- The rows that were picked, each with whether its claim exists.
JSON_TABLE(@dibs_mine, '$[*]' COLUMNS (
           dibs_row varchar(3072) {exact} PATH '$.dibs_row', is_there int PATH '$.is_there')) AS k

-- fragment: side_see
SELECT {by_key} coalesce(json_arrayagg(json_object('dibs_row', k.dibs_row, 'is_there', CASE WHEN c.row_key IS NULL THEN 0 ELSE 1 END)), {too_large})
  INTO @dibs_mine
  FROM {side_picked} LEFT JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = k.dibs_row

-- fragment: side_retake
INSERT {by_key} INTO {prefix}claim (scope, row_key, token, held_until)
SELECT c.scope, c.row_key, :token, {side_until} + {side_origin}
  FROM {side_seen} {side_claim_of_row}
 WHERE k.is_there = 1 AND c.held_until <= {now_once}
   FOR UPDATE OF c SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), token = VALUES(token)

-- fragment: side_add
INSERT INTO {prefix}claim (scope, row_key, token, held_until)
SELECT :scope, k.dibs_row, :token, {side_until} FROM {side_seen}
 WHERE k.is_there = 0
    ON DUPLICATE KEY UPDATE scope = VALUES(scope)

-- fragment: side_found
SELECT {by_key} c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until
  FROM {side_picked} {side_claim_of_row}

-- name: claim_side
SELECT coalesce(json_arrayagg(json_object('dibs_row', dibs_row)), {too_large}) INTO @dibs_mine
  FROM (SELECT {t_row_key} AS dibs_row
          FROM {table} AS t
         WHERE {where} AND {side_free} AND {side_once}
         ORDER BY {order}
         LIMIT :n
           FOR UPDATE OF t SKIP LOCKED) AS k
-- then
{side_see}
-- then
{side_retake}
-- then
{side_add}
-- then
{side_found};

-- name: side_rows
SELECT {by_key} t.*, {t_row_key} AS dibs_row
  FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {where}
 ORDER BY {order};

-- name: still_side
SELECT {by_key} {key_aliases}
  FROM {side_keys} {side_claim_of_key}
 WHERE c.token = :token AND c.held_until > {now_once};

-- name: change_side
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM {side_keys} {side_claim_of_key}
 WHERE c.token = :token AND {side_still}
   FOR UPDATE OF c SKIP LOCKED
-- then
UPDATE {by_key} {side_mine} {side_claim_of_key}
   SET {side_change}
-- then
SELECT {key_aliases} FROM {side_mine};

-- name: drop_side
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM {side_keys} {side_claim_of_key}
 WHERE c.token = :token
   FOR UPDATE OF c SKIP LOCKED
-- then
{side_settle}
-- then
SELECT {key_aliases}, {k_row_key} AS dibs_row FROM {side_mine};

-- name: complete_side
{side_lock_rows}
-- then
{side_lock_claims}
-- then
SELECT {by_key} {keys_as}
  FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
   FOR UPDATE OF t
-- then
UPDATE {by_key} {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {effect}
-- then
{side_settle};

-- name: delete_side
{side_lock_rows}
-- then
{side_lock_claims}
-- then
SELECT {by_key} {keys_as}
  FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
   FOR UPDATE OF t
-- then
DELETE {by_key} t FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
-- then
{side_settle};

-- name: settle_side
{side_lock_rows}
-- then
{side_lock_claims}
-- then
{side_settle}
-- then
SELECT {key_aliases} FROM {side_mine};

-- name: release_side
SELECT coalesce(json_arrayagg(json_object('dibs_row', row_key)), {too_large}) INTO @dibs_mine
  FROM {prefix}claim
 WHERE scope = :scope AND token = :token
-- then
SELECT {by_key} coalesce(json_arrayagg(json_object('dibs_row', k.dibs_row)), {too_large}) INTO @dibs_mine
  FROM {side_picked} {side_claim_of_row}
 WHERE c.token = :token
   FOR UPDATE OF c SKIP LOCKED
-- then
DELETE {by_key} c FROM {side_picked} {side_claim_of_row}
-- then
SELECT dibs_row FROM {side_picked};
