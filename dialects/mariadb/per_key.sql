-- A block is what claims.sql says.

-- fragment: group_value_decimal
-- A text would be compared as a binary fraction.
cast(:group# AS {type})

-- fragment: first_n
LIMIT :n

-- name: unfit_columns
-- They are sorted by number, and compared as texts. Not each driver reports them by their types.
SHOW COLUMNS FROM {table} WHERE type REGEXP '^(enum|set)[(]';

-- name: claim_per_key
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {by_key}
    SELECT json_arrayagg(json_object({asked_members})) INTO dibs_mine
      FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {free} AND {where} AND {once}
       FOR UPDATE SKIP LOCKED;
    {mark_mine};
    {commit_own};
END;

-- name: side_per_key
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {by_key}
    SELECT json_arrayagg(json_object('dibs_row', {t_row_key})) INTO dibs_mine
      FROM {side_keys} STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {where} AND {free} AND {once}
       FOR UPDATE SKIP LOCKED;
    {side_write};
    {commit_own};
END;
