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
WITH replay AS (
    {replay_token}
 RETURNING {token_row}
)
SELECT * FROM replay
UNION ALL
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest AND NOT EXISTS (SELECT 1 FROM replay);

-- name: consume_each_token
-- The list is behind a materialized row: see leases.sql. The clock is read once, so that no token is both live and
-- expired. CASE: see retake_each_lock. Rows are found again by their ctid, since a join with live, of which the planner
-- expects one row, may read the table once for each token. A ctid is unique only within a partition, so the key is
-- compared as well. A row that was changed meanwhile is not found there, and its caller asks alone.
WITH asked AS MATERIALIZED (
    SELECT :purposes::text[] AS purposes, :digests::bytea[] AS digests, :owners::text[] AS owners,
           :attempt_ids::text[] AS attempts, {now} AS asked_at
), one AS MATERIALIZED (
    SELECT o.purpose, o.digest, o.owner, o.attempt, asked_at
      FROM asked, unnest(purposes, digests, owners, attempts) AS o(purpose, digest, owner, attempt)
), live AS MATERIALIZED (
    SELECT t.ctid AS place, t.purpose, t.digest, one.owner, one.attempt
      FROM one JOIN {prefix}token AS t ON t.purpose = one.purpose AND t.digest = one.digest
     WHERE CASE WHEN one.digest IS NOT NULL AND t.ended IS NULL AND t.ends_at > asked_at THEN true END
       FOR NO KEY UPDATE OF t SKIP LOCKED
), used AS (
    UPDATE {prefix}token AS t
       SET ended = 'used', used_at = {now}, (owner, attempt) = (
           SELECT live.owner, live.attempt FROM live WHERE live.purpose = t.purpose AND live.digest = t.digest)
     WHERE t.ctid = ANY (ARRAY(SELECT place FROM live)) AND (t.purpose, t.digest) IN (SELECT purpose, digest FROM live)
 RETURNING {t_row}
)
SELECT owner AS asker, used.*, {now} AS read_at FROM used
UNION ALL
SELECT one.owner, {t_row}, asked_at
  FROM one LEFT JOIN {prefix}token AS t ON t.purpose = one.purpose AND t.digest = one.digest
 WHERE t.digest IS NULL OR t.ended = 'revoked' OR t.ended = 'used' AND t.attempt = one.attempt
    OR t.ended IS NULL AND t.ends_at <= asked_at;

-- name: issue_code
INSERT INTO {prefix}token AS t
       (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, {now}, {now} + :ttl, 0, 0, 0)
    ON CONFLICT (purpose, subject, id) DO UPDATE
   SET digest = excluded.digest, payload = excluded.payload, issued_at = {now}, ends_at = {now} + :ttl, ended = NULL,
       used_at = NULL, owner = NULL, attempt = NULL, replays = 0,
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
WITH gone AS (
    DELETE FROM {prefix}token
     WHERE ctid = ANY (ARRAY(
        SELECT ctid
          FROM {prefix}token
         WHERE purpose = :purpose AND ends_at >= :since
           AND ends_at <= {now_once} - :retention AND window_until <= {now_once} AND ({has_been_told})
         ORDER BY ends_at
         LIMIT :batch
           FOR UPDATE SKIP LOCKED))
 RETURNING ends_at
)
SELECT count(*) AS deleted, max(ends_at) AS up_to FROM gone HAVING count(*) > 0;
