-- A block (BEGIN NOT ATOMIC) is one round trip. It is a transaction of its own under READ COMMITTED, which locks no
-- gaps. As part of the caller's transaction it neither commits nor rolls back.
--
-- In an UPDATE's subquery SKIP LOCKED does not skip. So the keys are picked first, as a JSON text; a joined UPDATE then
-- meets only rows that are already locked. Without join buffers and with cheap seeks, a join looks each row up by its
-- key. A scan would lock, or wait for, every row that it passes. A JSON_AGG is cut off at group_concat_max_len.

-- fragment: key_list
dibs_key# {type} PATH '$.dibs_key#'

-- fragment: key_member_whole
-- As the result of a sum, a ZEROFILL column has no zeros at its front, with which it is no number in JSON.
'dibs_key#', dibs_key# + 0

-- fragment: key_member_decimal
-- As a text: to MySQL, a JSON number with a fraction is a DOUBLE. Without the zeros of a ZEROFILL column.
'dibs_key#', cast(dibs_key# + 0 AS char)

-- fragment: asked_member_decimal
'dibs_key#', cast(k.dibs_key# AS char)

-- fragment: key_type_decimal
decimal({size}, {scale})

-- fragment: key_type_text
varchar({size}) CHARACTER SET utf8mb4

-- fragment: key_type_char
-- Without blanks at its end, whatever sql_mode is: collations ignore them, unless their name has nopad. To the driver, an
-- inet6 is a CHAR, and with blanks it is no address.
varchar({size}) CHARACTER SET utf8mb4

-- fragment: key_type_label
varchar({size}) CHARACTER SET utf8mb4

-- fragment: key_type_datetime
datetime(6)

-- fragment: key_type_uuid
-- Such as uuid, which JSON_TABLE does not know.
varchar(255) CHARACTER SET utf8mb4

-- fragment: key_member_text
-- JSON_OBJECT cannot read utf16 and the like.
'dibs_key#', convert(dibs_key# USING utf8mb4)

-- fragment: key_member_char
'dibs_key#', convert(dibs_key# USING utf8mb4)

-- fragment: key_member_label
'dibs_key#', convert(dibs_key# USING utf8mb4)

-- fragment: key_member_binary
'dibs_key#', hex(dibs_key#)

-- fragment: key_type_binary
-- As hexadecimal digits.
varchar({hex_size}) CHARACTER SET latin1

-- fragment: key_value_binary
unhex(k.dibs_key#)

-- fragment: key_match_binary
t.{key} = unhex(k.dibs_key#)

-- fragment: key_match_text
-- Columns of different collations cannot be compared. The result of a JSON function takes the collation of the user's
-- column. On 11.4.5 it has no characters of four bytes (MDEV-35614), on 10.11.19 it has.
t.{key} = json_unquote(json_quote(k.dibs_key#))

-- fragment: key_match_char
t.{key} = json_unquote(json_quote(k.dibs_key#))

-- fragment: key_match_label
t.{key} = json_unquote(json_quote(k.dibs_key#))

-- fragment: key_match_uuid
t.{key} = json_unquote(json_quote(k.dibs_key#))

-- fragment: key_written
cast(# AS char)

-- fragment: own_or_joined
DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF

-- fragment: commit_own
IF dibs_own THEN
        COMMIT;
    END IF

-- fragment: by_key
SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR

-- fragment: given
JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k

-- fragment: given_rows
FROM {given} STRAIGHT_JOIN {table} AS t ON {key_match}

-- fragment: mark_mine
-- In a block: marks the rows whose keys are in the list, and returns them.
{by_key}
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {mark};
    IF row_count() < json_length(dibs_mine) THEN
        SIGNAL SQLSTATE '45D1B' SET MESSAGE_TEXT = 'a row was read and locked, and is not found by its own key: {key_description}';
    END IF;
    SELECT t.*{and_texts} FROM {table} AS t WHERE {token} = :token ORDER BY {order}

-- name: claim_rows
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object({key_members})) INTO dibs_mine
      FROM (SELECT {keys_as}
              FROM {table} AS t
             WHERE {free} AND {where} AND {once}
             ORDER BY {order}
             LIMIT :n
               FOR UPDATE SKIP LOCKED) AS k;
    {mark_mine};
    {commit_own};
END;

-- name: free_of_rows
{by_key}
SELECT {key_texts}
  {given_rows}
 WHERE {free} AND {where}
 {lock_free};

-- name: still_rows
{by_key}
SELECT {key_texts}
  FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token AND {still};

-- name: change_rows
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {by_key}
    SELECT json_arrayagg(json_object({asked_members})) INTO dibs_mine
      FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = :token AND {still}
       FOR UPDATE SKIP LOCKED;
    {by_key}
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {change};
    {by_key}
    SELECT {key_texts}
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    {commit_own};
END;

-- name: complete_rows
BEGIN NOT ATOMIC
    {own_or_joined};
    {by_key}
    SELECT {key_texts}
      FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = :token
       FOR UPDATE;
    {by_key}
    UPDATE JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {complete}
     WHERE {token} = :token;
    {commit_own};
END;

-- name: delete_rows
BEGIN NOT ATOMIC
    {own_or_joined};
    {by_key}
    SELECT {key_texts}
      FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = :token
       FOR UPDATE;
    {by_key}
    DELETE t
      FROM JSON_TABLE(:keys, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = :token;
    {commit_own};
END;

-- name: release_token
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object({key_members})) INTO dibs_mine
      FROM (SELECT {keys_as} FROM {table} AS t WHERE {token} = :token FOR UPDATE SKIP LOCKED) AS k;
    {by_key}
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {drop};
    {by_key}
    SELECT {key_texts}
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    {commit_own};
END;
