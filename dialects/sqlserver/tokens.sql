-- Batches as in leases.sql: the result comes back as a row, and no SELECT follows an INSERT directly. Consumers do not
-- skip a locked row but wait for it: whether the other transaction commits decides who gets the token.

-- name: issue_token
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @ttl bigint = :ttl;
INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT @purpose, @digest, :id, :subject, :payload, {now}, {now} + @ttl, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}token WHERE purpose = @purpose AND digest = @digest);

-- name: supersede_token
UPDATE {prefix}token WITH (ROWLOCK)
   SET id = :moved, ended = coalesce(ended, 'revoked'), ends_at = CASE WHEN ends_at < {now} THEN ends_at ELSE {now} END
 WHERE purpose = :purpose AND subject = :subject AND id = 'sole';

-- name: consume_token
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @owner varchar(32) = :owner,
        @attempt nvarchar(200) = :attempt;
UPDATE {prefix}token WITH (ROWLOCK)
   SET ended = 'used', used_at = {now}, owner = @owner, attempt = @attempt
 WHERE purpose = @purpose AND digest = @digest AND ended IS NULL AND ends_at > {now};
SELECT {token_row}
  FROM {prefix}token
 WHERE purpose = @purpose AND digest = @digest;

-- name: revoke_token
DECLARE @revoked int = 0;
UPDATE {prefix}token WITH (ROWLOCK)
   SET ended = 'revoked', ends_at = {now}, owner = :owner
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > {now};
SET @revoked = @@ROWCOUNT;
SELECT @revoked AS revoked WHERE @revoked > 0;

-- name: revoke_tokens
DECLARE @revoked TABLE (digest binary(32) NOT NULL);
UPDATE {prefix}token WITH (ROWLOCK)
   SET ended = 'revoked', ends_at = {now}
OUTPUT inserted.digest INTO @revoked (digest)
 WHERE purpose = :purpose AND subject = :subject AND ended IS NULL AND ends_at > {now};
SELECT digest FROM @revoked;

-- name: list_tokens
SELECT TOP (:n) id, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, {now} AS read_at
  FROM {prefix}token
 WHERE purpose = :purpose AND subject = :subject
 ORDER BY issued_at DESC, id;

-- name: issue_code
-- Error 2627 or 2601: another caller added the row at the same instant; send it again.
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @subject nvarchar(200) = :subject,
        @payload nvarchar(4000) = :payload, @ttl bigint = :ttl;
UPDATE {prefix}token WITH (ROWLOCK)
   SET digest = @digest, payload = @payload, issued_at = {now}, ends_at = {now} + @ttl, ended = NULL, used_at = NULL,
       owner = NULL, attempt = NULL,
       tries = CASE WHEN window_until <= {now} THEN 0 ELSE tries END
 WHERE purpose = @purpose AND subject = @subject AND id = 'code';
IF @@ROWCOUNT = 0
    INSERT INTO {prefix}token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
    VALUES (@purpose, @digest, 'code', @subject, @payload, {now}, {now} + @ttl, 0, 0, 0);

-- name: try_code
DECLARE @purpose nvarchar(200) = :purpose, @digest binary(32) = :digest, @subject nvarchar(200) = :subject,
        @owner varchar(32) = :owner, @attempt nvarchar(200) = :attempt, @tries bigint = :tries, @window bigint = :window;
UPDATE {prefix}token WITH (ROWLOCK)
   SET ended = CASE WHEN digest = @digest THEN 'used'
                    WHEN CASE WHEN window_until <= {now} THEN 0 ELSE tries END + 1 >= @tries THEN 'revoked' END,
       used_at = CASE WHEN digest = @digest THEN {now} END,
       owner = CASE WHEN digest = @digest THEN @owner END,
       attempt = CASE WHEN digest = @digest THEN @attempt END,
       tries = CASE WHEN window_until <= {now} THEN 0 ELSE tries END + CASE WHEN digest = @digest THEN 0 ELSE 1 END,
       window_until = CASE WHEN window_until <= {now} AND digest <> @digest THEN {now} + @window ELSE window_until END
 WHERE purpose = @purpose AND subject = @subject AND id = 'code' AND ended IS NULL AND ends_at > {now}
   AND (tries < @tries OR window_until <= {now});
SELECT {token_row}, tries, window_until,
       CASE WHEN digest = @digest THEN 1 ELSE 0 END AS is_right
  FROM {prefix}token
 WHERE purpose = @purpose AND subject = @subject AND id = 'code';

-- name: purge_tokens
-- TOP and the index keep the locks below the number at which SQL Server would lock the whole table.
DECLARE @deleted int = 0;
DELETE TOP (:batch)
  FROM {prefix}token WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE purpose = :purpose AND ends_at <= {now} - :retention AND window_until <= {now}
   AND ({has_been_told});
SET @deleted = @@ROWCOUNT;
SELECT @deleted AS deleted WHERE @deleted > 0;
