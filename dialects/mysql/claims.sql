-- A block of MariaDB is several steps here, in one transaction. Only these statements read the variable.

-- fragment: by_key
/*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */

-- fragment: too_large
-- A list that is larger than max_allowed_packet becomes NULL, with a warning alone, as if there was no row. Then this is no
-- JSON, and so an error (3141).
if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))

-- fragment: lock_free
FOR UPDATE OF t SKIP LOCKED

-- fragment: key_type_char
-- Both have the blanks at their end, or neither, as the session's sql_mode wants it: collations here do not ignore them.
char({size}) CHARACTER SET utf8mb4

-- name: claim_rows
SELECT coalesce(json_arrayagg(json_object({key_members})), {too_large}) INTO @dibs_mine
  FROM (SELECT {keys_as}
          FROM {table} AS t
         WHERE {free} AND {where} AND {once}
         ORDER BY {order}
         LIMIT :n
           FOR UPDATE OF t SKIP LOCKED) AS k
-- then
UPDATE {by_key} JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {mark}
-- then
SELECT t.*{and_texts} FROM {table} AS t WHERE {token} = :token ORDER BY {order};

-- name: free_of_rows
SELECT {by_key} {key_texts}
  {given_rows}
 WHERE {free} AND {where}
 {lock_free};

-- name: still_rows
SELECT {by_key} {key_texts}
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token AND {still};

-- name: change_rows
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token AND {still}
   FOR UPDATE OF t SKIP LOCKED
-- then
UPDATE {by_key} JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {change}
-- then
SELECT {by_key} {key_texts}
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match};

-- name: complete_rows
SELECT {by_key} {key_texts}
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token
   FOR UPDATE OF t
-- then
UPDATE {by_key} JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {complete}
 WHERE {token} = :token;

-- name: delete_rows
SELECT {by_key} {key_texts}
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token
   FOR UPDATE OF t
-- then
DELETE {by_key} t
  FROM JSON_TABLE(convert(:keys USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token;

-- name: release_token
-- The keys are read without a lock first. Without an index of the token, a locking search would lock the whole table
-- under REPEATABLE READ.
SELECT coalesce(json_arrayagg(json_object({key_members})), {too_large}) INTO @dibs_mine
  FROM (SELECT {keys_as} FROM {table} AS t WHERE {token} = :token) AS k
-- then
SELECT {by_key} coalesce(json_arrayagg(json_object({asked_members})), {too_large}) INTO @dibs_mine
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = :token
   FOR UPDATE OF t SKIP LOCKED
-- then
UPDATE {by_key} JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {drop}
-- then
SELECT {by_key} {key_texts}
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match};
