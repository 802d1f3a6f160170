-- name: consume_token
{use_token}
-- then
SELECT {used_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest AND owner = :owner
-- else
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest
  LOCK IN SHARE MODE;

-- name: try_code
{use_code}
-- then
SELECT {code_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject AND id = 'code';

-- name: purge_tokens
-- The DELETE follows the index, and meets only rows that it deletes. It waits for a row that is locked at that moment.
-- That delays only the purge.
DELETE FROM {prefix}token
 WHERE purpose = :purpose AND ends_at <= {now} - :retention AND window_until <= {now} AND ({has_been_told})
 LIMIT :batch;

-- name: revoke_tokens
-- They are found without a lock first. A search with locks might pass the tokens of other subjects, and wait for them.
-- Only these statements read the variable.
{select_list} json_arrayagg(json_object('digest', hex(digest))) INTO @dibs_revoked
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > {now}
-- then
UPDATE JSON_TABLE(@dibs_revoked, '$[*]' COLUMNS (digest varchar(64) CHARACTER SET latin1 PATH '$.digest')) AS mine
       STRAIGHT_JOIN {prefix}token AS t FORCE INDEX (PRIMARY) ON t.purpose = :purpose AND t.digest = unhex(mine.digest)
   SET t.ended = 'revoked', t.ends_at = {now}
 WHERE t.ended IS NULL AND t.ends_at > {now};
