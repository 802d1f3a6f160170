-- One-time tokens and short codes. This is the standard form, as H2 runs it.
--
-- Every statement is a transaction of its own (autocommit), with two exceptions. consume_token may be part of the
-- caller's transaction. Where a subject may have only one live token, supersede_token and issue_new_token form one
-- transaction.
-- Every statement can be sent again after a lost answer. :owner is random, one for each call to consume. If the row
-- that comes back has our owner, this call has used the token. A consumer waits for another consumer of the same token.
--
-- What a program must know besides:
--   Token   32 random bytes as base64url without padding, 43 characters. A text of another form is unknown: do not ask.
--           :digest is the SHA-256 of these 43 ASCII characters, not of the bytes: 32 bytes, bound as binary.
--   Id      :id is random, up to 32 characters. If a subject may have only one token, :id is "sole": send
--           supersede_token and issue_new_token in one transaction. After a duplicate key roll it back and send
--           peek_token. A row: the token was issued before. No row: another one came first, so begin again.
--           A token under an id of the caller's is base64url of HMAC-SHA-256, with the pepper as the key, of "token",
--           purpose, subject and id, with a NUL byte between each two, in UTF-8.
--   Code    its digest is the same HMAC of "code", purpose, subject and code. The window and the number of tries must be
--           the same in all programs.
--   Use     consume_token with a new random :owner, up to 32 characters, for each call; after a lost answer with the
--           same one. Bind the same text as :attempt if there is none.
--   Purge   at most 500 rows to a transaction. A purge in the background has the lock "dibs-purge-tokens:" plus the
--           purpose, which ends by time, and rests for as long as the transaction took. One by hand does not rest, and
--           has the lock "dibs-purging-tokens:" plus the purpose.
-- A use does not bring the expiry forward: it would change an index, which takes up to twice as long. So a used token
-- stays until a day after its expiry.

-- fragment: use_token
UPDATE {prefix}token
   SET ended = 'used', used_at = {now}, owner = :owner, attempt = :attempt
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > {now}

-- fragment: token_row
-- The row says when the token was used, or else when it ended or will expire.
subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, {now} AS read_at

-- fragment: used_row
-- The row of a token that this call has just used. Its other columns are known: it was live, and is used now.
subject, payload, issued_at, used_at AS ends_at, owner

-- fragment: use_code
-- MariaDB and MySQL assign from left to right, so a column stands behind all those that are computed from its old
-- value.
UPDATE {prefix}token
   SET ended = CASE WHEN digest = :digest THEN 'used'
                    WHEN CASE WHEN window_until <= {now} THEN 0 ELSE tries END + 1 >= :tries THEN 'revoked' END,
       used_at = CASE WHEN digest = :digest THEN {now} END,
       owner = CASE WHEN digest = :digest THEN :owner END,
       attempt = CASE WHEN digest = :digest THEN :attempt END,
       tries = CASE WHEN window_until <= {now} THEN 0 ELSE tries END + CASE WHEN digest = :digest THEN 0 ELSE 1 END,
       window_until = CASE WHEN window_until <= {now} AND digest <> :digest THEN {now} + :window ELSE window_until END
 WHERE purpose = :purpose AND subject = :subject AND id = 'code' AND ended IS NULL AND ends_at > {now}
   AND (tries < :tries OR window_until <= {now})

-- fragment: has_been_told
-- Whether a purge may delete the token. For a while a caller that has used it may ask for the answer again.
coalesce(ended, 'expired') <> 'used' OR used_at <= {now_once} - 60000

-- fragment: code_row
{token_row}, tries, window_until, CASE WHEN digest = :digest THEN 1 ELSE 0 END AS is_right

-- name: issue_new_token
-- Adds a token of random bits. A duplicate key means that this statement was sent before and took effect. To look first
-- would cost a quarter more.
-- existing row: reported as a duplicate
-- transaction: its own, or one for supersede_token and issue_new_token, in this order
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, {now}, {now} + :ttl, 0, 0, 0);

-- name: issue_token
-- Adds a token that may have been issued before.
-- existing row: kept; of two that add it at the same instant, one may report a duplicate
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT :purpose, :digest, :id, :subject, :payload, {now}, {now} + :ttl, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}token WHERE purpose = :purpose AND digest = :digest);

-- name: supersede_token
-- Revokes the one live token of a subject, to make room for the new one. If that one exists already, the duplicate key
-- of issue_new_token rolls this back, too: an old token, issued again, must not revoke its successor.
-- transaction: its own, or one for supersede_token and issue_new_token, in this order
UPDATE {prefix}token
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = least(ends_at, {now})
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole';

-- name: consume_token
-- Uses a live token up: a row comes back with our owner. That row may have only the columns of the fragment used_row. Any
-- other token comes back as it is, and nothing is written. No row: there is no such token.
-- transaction: each step alone, or the caller's
SELECT {used_row}
  FROM FINAL TABLE ({use_token})
-- else
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest;

-- name: peek_token
-- Reads the token.
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND digest = :digest;

-- name: revoke_token
-- Ends a live token. A row changed, or one returned = it was live. :owner is random, one for each call: after a lost
-- answer, peek_token shows whether this call has ended it.
UPDATE {prefix}token
   SET ended = 'revoked', ends_at = {now}, owner = :owner
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > {now};

-- name: revoke_tokens
-- Ends all live tokens and codes of a subject. Their number = the rows changed or returned.
UPDATE {prefix}token
   SET ended = 'revoked', ends_at = {now}
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > {now};

-- name: list_tokens
-- The latest tokens of a subject.
SELECT id, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, {now} AS read_at
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject
 ORDER BY issued_at DESC, id
 {first_n};

-- name: count_tokens
-- How many tokens of a purpose are in which state: live, used, revoked, expired.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > {now_once} THEN 'live' ELSE 'expired' END) AS state
          FROM {prefix}token
         WHERE purpose = :purpose) AS token
 GROUP BY purpose, state;

-- name: count_all_tokens
-- The same for every purpose.
SELECT purpose, state, count(*) AS how_many
  FROM (SELECT purpose, coalesce(ended, CASE WHEN ends_at > {now_once} THEN 'live' ELSE 'expired' END) AS state
          FROM {prefix}token) AS token
 GROUP BY purpose, state
 ORDER BY purpose;

-- name: issue_code
-- Gives the subject a new code, which replaces the former one. Wrong tries of the former code count until their window
-- has ended. The next wrong try begins a new window.
-- existing row: changed; of two that add it at the same instant, one may report a duplicate: send it again
SELECT tries
  FROM FINAL TABLE (
    UPDATE {prefix}token
       SET digest = :digest, payload = :payload, issued_at = {now}, ends_at = {now} + :ttl, ended = NULL, used_at = NULL,
           owner = NULL, attempt = NULL,
           tries = CASE WHEN window_until <= {now} THEN 0 ELSE tries END
     WHERE purpose = :purpose AND subject = :subject AND id = 'code')
-- else
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, {now}, {now} + :ttl, 0, 0, 0);

-- name: try_code
-- Uses a live code up if the digest matches, and counts a wrong try if not. The last allowed wrong try ends the code.
-- One statement does both, so parallel tries cannot evade the count. A code that is not live, or has :tries wrong
-- tries, comes back as it is. No row: the subject has no code.
SELECT {code_row}
  FROM FINAL TABLE ({use_code})
-- else
SELECT {code_row}
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject AND id = 'code';

-- name: purge_tokens
-- Deletes up to :batch tokens of a purpose that expired or were revoked :retention milliseconds ago, and skips locked
-- ones. A use does not bring the end forward. A used token stays for a minute at least, a code for as long as its wrong
-- tries count.
-- Rows changed, or one returned with their number, mean that there may be more. That row may also have the ends_at up
-- to which the batch went: the next batch starts there (:since).
-- It is a MERGE, because H2 evaluates IN (SELECT ..) again for every row of the table.
MERGE INTO {prefix}token AS t
USING (SELECT digest FROM {prefix}token
        WHERE purpose = :purpose AND ends_at >= :since
          AND ends_at <= {now_once} - :retention AND window_until <= {now_once} AND ({has_been_told})
        FETCH FIRST :batch ROWS ONLY FOR UPDATE SKIP LOCKED) AS past
   ON t.purpose = :purpose AND t.digest = past.digest
 WHEN MATCHED AND t.ends_at <= {now_once} - :retention AND t.window_until <= {now_once} AND ({has_been_told}) THEN DELETE;
