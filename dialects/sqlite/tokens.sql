-- name: supersede_token
UPDATE {prefix}token
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = min(ends_at, {now})
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole';

-- name: consume_token
{use_token}
RETURNING {used_row}
-- else
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest;

-- name: issue_code
INSERT INTO {prefix}token AS t
       (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, {now}, {now} + :ttl, 0, 0, 0)
    ON CONFLICT (purpose, subject, id) DO UPDATE
   SET digest = excluded.digest, payload = excluded.payload, issued_at = {now}, ends_at = {now} + :ttl, ended = NULL,
       used_at = NULL, owner = NULL, attempt = NULL,
       tries = CASE WHEN t.window_until <= {now} THEN 0 ELSE t.tries END;

-- name: try_code
{use_code}
RETURNING {code_row}
-- else
SELECT {code_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject AND id = 'code';

-- name: purge_tokens
DELETE FROM {prefix}token
 WHERE rowid IN (SELECT rowid FROM {prefix}token
                  WHERE purpose = :purpose AND ends_at <= {now} - :retention AND window_until <= {now}
                    AND ({has_been_told})
                  LIMIT :batch);
