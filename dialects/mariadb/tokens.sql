-- Blocks without a transaction: each statement is one of its own, or part of the caller's. A locking read finds the
-- latest row; the snapshot of the caller's transaction may be older than another consumer's commit.

-- name: issue_token
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, :id, :subject, :payload, {now}, {now} + :ttl, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries;

-- name: consume_token
-- A token that this call has used up is read without a lock: its row is ours.
BEGIN NOT ATOMIC
    {use_token};
    SELECT {used_row} FROM {prefix}token WHERE purpose = :purpose AND digest = :digest AND owner = :owner;
END
-- else
SELECT {token_row} FROM {prefix}token WHERE purpose = :purpose AND digest = :digest LOCK IN SHARE MODE;

-- name: revoke_tokens
-- They are found without a lock first. A search with locks might pass the tokens of other subjects, and wait for them.
BEGIN NOT ATOMIC
    DECLARE of_purpose varchar(200) {exact} DEFAULT :purpose;
    DECLARE revoked_at bigint DEFAULT {now};
    {begin};
    FOR mine IN (SELECT digest FROM {prefix}token
                  WHERE purpose = of_purpose AND subject = :subject AND ended IS NULL AND ends_at > revoked_at) DO
        UPDATE {prefix}token SET ended = 'revoked', ends_at = revoked_at
         WHERE purpose = of_purpose AND digest = mine.digest AND ended IS NULL AND ends_at > revoked_at;
    END FOR;
    COMMIT;
    SELECT digest FROM {prefix}token
     WHERE purpose = of_purpose AND subject = :subject AND ended = 'revoked' AND ends_at = revoked_at;
END;

-- name: issue_code
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (:purpose, :digest, 'code', :subject, :payload, {now}, {now} + :ttl, 0, 0, 0)
    ON DUPLICATE KEY UPDATE
       digest = VALUES(digest), payload = VALUES(payload), issued_at = VALUES(issued_at), ends_at = VALUES(ends_at),
       ended = NULL, used_at = NULL, owner = NULL, attempt = NULL,
       tries = CASE WHEN window_until <= {now} THEN 0 ELSE tries END;

-- name: try_code
BEGIN NOT ATOMIC
    {use_code};
    SELECT {code_row}
      FROM {prefix}token
     WHERE purpose = :purpose AND subject = :subject AND id = 'code';
END;

-- name: purge_tokens
BEGIN NOT ATOMIC
    DECLARE of_purpose varchar(200) {exact} DEFAULT :purpose;
    DECLARE deleted int DEFAULT 0;
    {begin};
    FOR past IN (SELECT digest FROM {prefix}token
                  WHERE purpose = of_purpose AND ends_at <= {now} - :retention AND window_until <= {now}
                    AND ({has_been_told})
                  LIMIT :batch FOR UPDATE SKIP LOCKED) DO
        DELETE FROM {prefix}token WHERE purpose = of_purpose AND digest = past.digest;
        SET deleted = deleted + 1;
    END FOR;
    COMMIT;
    SELECT deleted FROM DUAL WHERE deleted > 0;
END;
