-- Blocks as in claims.sql: a transaction of its own under READ COMMITTED, or a part of somebody's.

-- fragment: key_text
cast(# AS char CHARACTER SET utf8mb4)

-- fragment: key_part
-- A backslash by its number: in a text it means itself or not, as the session has it.
replace(replace(cast(# AS char CHARACTER SET utf8mb4), _utf8mb4 0x5C, _utf8mb4 0x5C5C), ',', _utf8mb4 0x5C2C)

-- fragment: key_glue
, ',',

-- fragment: key_whole
concat(#) COLLATE utf8mb4_nopad_bin

-- fragment: side_keys
JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k

-- fragment: side_mine
JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k

-- fragment: side_picked
JSON_TABLE(dibs_mine, '$[*]' COLUMNS (dibs_row varchar(400) {exact} PATH '$.dibs_row')) AS k

-- fragment: side_claim_of_key
STRAIGHT_JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}

-- fragment: side_claim_of_row
STRAIGHT_JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = k.dibs_row

-- fragment: side_lock_rows
{by_key}
    SELECT count(*) INTO dibs_locked
      FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
       FOR UPDATE

-- fragment: side_lock_claims
-- What is found is ours and stays so.
{by_key}
    SELECT json_arrayagg(json_object({key_members})) INTO dibs_mine
      FROM {side_keys} {side_claim_of_key}
     WHERE c.token = :token
       FOR UPDATE

-- fragment: side_settle
{by_key}
    DELETE c FROM {side_mine} {side_claim_of_key}

-- fragment: side_seen
-- The rows that were picked, and whether there is a claim of each.
JSON_TABLE(dibs_mine, '$[*]' COLUMNS (
           dibs_row varchar(400) {exact} PATH '$.dibs_row', is_there int PATH '$.is_there')) AS k

-- name: claim_side
-- Which claims are there is found without a lock: a search for one that is not there would lock the gap, for as long as the caller's
-- transaction lasts. One that is there and locked, as by whoever lets go of it, is passed over: an INSERT would wait for it.
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object('dibs_row', dibs_row)) INTO dibs_mine
      FROM (SELECT {t_row_key} AS dibs_row
              FROM {table} AS t
             WHERE {where} AND {side_free} AND {side_once}
             ORDER BY {order}
             LIMIT :n
               FOR UPDATE SKIP LOCKED) AS k;
    {by_key}
    SELECT json_arrayagg(json_object('dibs_row', k.dibs_row, 'is_there', CASE WHEN c.row_key IS NULL THEN 0 ELSE 1 END))
      INTO dibs_mine
      FROM {side_picked} LEFT JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = k.dibs_row;
    {by_key}
    INSERT INTO {prefix}claim (scope, row_key, token, held_until)
    SELECT c.scope, c.row_key, :token, {side_until} + {side_origin}
      FROM {side_seen} {side_claim_of_row}
     WHERE k.is_there = 1 AND c.held_until <= {now_once}
       FOR UPDATE SKIP LOCKED
        ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), token = VALUES(token);
    INSERT INTO {prefix}claim (scope, row_key, token, held_until)
    SELECT :scope, k.dibs_row, :token, {side_until} FROM {side_seen}
     WHERE k.is_there = 0
        ON DUPLICATE KEY UPDATE scope = VALUES(scope);
    {by_key}
    SELECT c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until
      FROM {side_picked} {side_claim_of_row};
    {commit_own};
END;

-- name: side_rows
{by_key}
SELECT t.*, {t_row_key} AS dibs_row
  FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {where}
 ORDER BY {order};

-- name: still_side
{by_key}
SELECT {key_aliases}
  FROM {side_keys} {side_claim_of_key}
 WHERE c.token = :token AND c.held_until > {now_once};

-- name: change_side
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {by_key}
    SELECT json_arrayagg(json_object({key_members})) INTO dibs_mine
      FROM {side_keys} {side_claim_of_key}
     WHERE c.token = :token AND {side_still}
       FOR UPDATE SKIP LOCKED;
    {by_key}
    UPDATE {side_mine} {side_claim_of_key}
       SET {side_change};
    SELECT {key_aliases} FROM {side_mine};
    {commit_own};
END;

-- name: drop_side
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {by_key}
    SELECT json_arrayagg(json_object({key_members})) INTO dibs_mine
      FROM {side_keys} {side_claim_of_key}
     WHERE c.token = :token
       FOR UPDATE SKIP LOCKED;
    {side_settle};
    SELECT {key_aliases}, {k_row_key} AS dibs_row FROM {side_mine};
    {commit_own};
END;

-- name: complete_side
BEGIN NOT ATOMIC
    DECLARE dibs_locked int;
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {side_lock_rows};
    {side_lock_claims};
    {by_key}
    SELECT {keys_as}
      FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
       FOR UPDATE;
    {by_key}
    UPDATE {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {effect};
    {side_settle};
    {commit_own};
END;

-- name: delete_side
BEGIN NOT ATOMIC
    DECLARE dibs_locked int;
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {side_lock_rows};
    {side_lock_claims};
    {by_key}
    SELECT {keys_as}
      FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match}
       FOR UPDATE;
    {by_key}
    DELETE t FROM {side_mine} STRAIGHT_JOIN {table} AS t ON {key_match};
    {side_settle};
    {commit_own};
END;

-- name: settle_side
BEGIN NOT ATOMIC
    DECLARE dibs_locked int;
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {side_lock_rows};
    {side_lock_claims};
    {side_settle};
    SELECT {key_aliases} FROM {side_mine};
    {commit_own};
END;

-- name: release_side
-- Read without a lock first: a search that locks would lock every claim that it passes.
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object('dibs_row', row_key)) INTO dibs_mine
      FROM {prefix}claim
     WHERE scope = :scope AND token = :token;
    {by_key}
    SELECT json_arrayagg(json_object('dibs_row', k.dibs_row)) INTO dibs_mine
      FROM {side_picked} {side_claim_of_row}
     WHERE c.token = :token
       FOR UPDATE SKIP LOCKED;
    {by_key}
    DELETE c FROM {side_picked} {side_claim_of_row};
    SELECT dibs_row FROM {side_picked};
    {commit_own};
END;
