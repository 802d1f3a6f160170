-- name: issue_token
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, {now}, {now} + :ttl, 0, 0, 0)
    ON CONFLICT DO NOTHING;

-- name: consume_token
-- The plain update comes first, and the other steps only if it finds nothing: to read the row before would halve the
-- throughput.
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
-- It follows the order of the index: else a generic plan reads the whole table, with the live tokens. It starts where
-- the last batch ended: else each batch walks past all deleted rows that are still in the index.
-- The key is compared as in in_locked.
WITH locked AS MATERIALIZED (
    SELECT ctid AS place, purpose, digest
      FROM {prefix}token
     WHERE purpose = :purpose AND ends_at >= :since
       AND ends_at <= {now_once} - :retention AND window_until <= {now_once} AND ({has_been_told})
     ORDER BY ends_at
     LIMIT :batch
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM {prefix}token
     WHERE ctid = ANY (ARRAY(SELECT place FROM locked))
       AND ((purpose, digest) IN (SELECT purpose, digest FROM locked)) IS TRUE
 RETURNING ends_at
)
SELECT count(*) AS deleted, max(ends_at) AS up_to FROM gone HAVING count(*) > 0;
