-- Blocks as in claims.sql: a transaction of its own under READ COMMITTED, or part of the caller's.

-- fragment: key_text
cast(# AS char CHARACTER SET utf8mb4)

-- fragment: key_text_whole
-- Without the zeros of a ZEROFILL column, as in claims.sql.
cast(# + 0 as char CHARACTER SET utf8mb4)

-- fragment: key_part_whole
cast(# + 0 as char CHARACTER SET utf8mb4)

-- fragment: key_text_decimal
cast(# + 0 as char CHARACTER SET utf8mb4)

-- fragment: key_part_decimal
cast(# + 0 as char CHARACTER SET utf8mb4)

-- fragment: key_text_char
-- The same in each session: sql_mode may keep blanks at the end.
rtrim(cast(# AS char CHARACTER SET utf8mb4))

-- fragment: key_part_char
replace(replace(rtrim(cast(# AS char CHARACTER SET utf8mb4)), _utf8mb4 0x5C, _utf8mb4 0x5C5C), ',', _utf8mb4 0x5C2C)

-- fragment: key_text_binary
lower(hex(#))

-- fragment: key_part_binary
lower(hex(#))

-- fragment: key_part
-- The backslash is given by its number: whether it escapes in a text depends on the session.
replace(replace(cast(# AS char CHARACTER SET utf8mb4), _utf8mb4 0x5C, _utf8mb4 0x5C5C), ',', _utf8mb4 0x5C2C)

-- fragment: key_glue
, ',',

-- fragment: key_whole
concat(#) COLLATE utf8mb4_nopad_bin

-- fragment: side_keys
JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k

-- fragment: side_mine
JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k

-- fragment: side_picked
-- JSON_TABLE cuts a longer text without an error. With one character more than the column has, the INSERT refuses it.
JSON_TABLE(dibs_mine, '$[*]' COLUMNS (dibs_row varchar(401) {exact} PATH '$.dibs_row')) AS k

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
-- A claim that is found is ours and stays ours.
{by_key}
    SELECT json_arrayagg(json_object({asked_members})) INTO dibs_mine
      FROM {side_keys} {side_claim_of_key}
     WHERE c.token = :token
       FOR UPDATE

-- fragment: side_settle
{by_key}
    DELETE c FROM {side_mine} {side_claim_of_key}

-- fragment: side_seen
-- The rows that were picked, each with whether its claim exists.
JSON_TABLE(dibs_mine, '$[*]' COLUMNS (
           dibs_row varchar(401) {exact} PATH '$.dibs_row', is_there int PATH '$.is_there')) AS k

-- fragment: side_write
-- Claims the rows that were picked, and returns the claims.
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
      FROM {side_picked} {side_claim_of_row}

-- name: claim_side
-- Existing claims are found without a row lock. A locking search for a missing claim would lock the gap, until the
-- caller's transaction ends. A locked claim, as by its release, is skipped: an INSERT would wait for it.
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object('dibs_row', dibs_row)) INTO dibs_mine
      FROM (SELECT {t_row_key} AS dibs_row
              FROM {table} AS t
             WHERE {where} AND {side_free} AND {side_once}
             ORDER BY {order}
             LIMIT :n
               FOR UPDATE SKIP LOCKED) AS k;
    {side_write};
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
    SELECT json_arrayagg(json_object({asked_members})) INTO dibs_mine
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
    SELECT json_arrayagg(json_object({asked_members})) INTO dibs_mine
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
-- The claims are read without a row lock first: a locking search would lock every claim that it passes.
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object('dibs_row', row_key)) INTO dibs_mine
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
