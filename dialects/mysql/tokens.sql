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
