-- Each statement is one batch. A token is bound as a variable of the usual type of its column: a national text would
-- keep its index from being used. OUTPUT always goes INTO a table: without INTO, it is refused if the user's table has
-- a trigger (error 334).
--
-- Lists of keys are temporary tables, which take the types and collations of the columns from the user's table itself.
-- They end with the batch if the driver sends it as a procedure, and else (prepareMethod=none) with the session. So a
-- remaining one is dropped first. The whole batch is compiled before that, against the remaining table: with columns of
-- another key it would be refused (error 207). So each table and key has lists of its own. (UNION ALL drops an identity
-- property.) Between an INSERT and a SELECT stands a statement that does nothing, since several releases of the driver
-- lose the result directly after an INSERT.
--
-- READPAST and ROWLOCK skip a locked row instead of waiting for it; READCOMMITTEDLOCK makes them do so where the
-- database has READ_COMMITTED_SNAPSHOT on. UPDLOCK keeps two claims that read a row at once from both marking it. Under
-- SERIALIZABLE and SNAPSHOT, READPAST is refused (error 650): a joined transaction must have another isolation.
-- FORCESEEK and LOOP JOIN look rows up by their key, which must have an index: a scan would lock the rows that it
-- passes, or wait for them. NOLOCK reads without waiting. That is right where only a token of ours matters, since only
-- this instance writes it.

-- fragment: key_list
-- A member of the element; the temporary table's column gives it its type.
json_value(dibs_asked.value, '$.dibs_key#')

-- fragment: key_list_binary
-- As long as the longest key of an index.
convert(varbinary(1700), json_value(dibs_asked.value, '$.dibs_key#'), 2)

-- fragment: key_written
-- The form of ISO 8601, with a T, which is read alike whatever LANGUAGE and DATEFORMAT are. With a blank in place of the
-- T, which some compatible servers write, a datetime column takes the day for the month in some languages.
replace(convert(nvarchar(40), #, 126), N' ', N'T')

-- fragment: key_written_instant
convert(nvarchar(40), switchoffset(#, '+00:00'), 127)

-- fragment: asked_keys
DROP TABLE IF EXISTS #dibs_keys_{list};
SELECT TOP (0) {keys_as} INTO #dibs_keys_{list} FROM {table} AS t UNION ALL SELECT TOP (0) {keys_as} FROM {table} AS t;
INSERT INTO #dibs_keys_{list} ({key_aliases}) SELECT {key_list} FROM OPENJSON(:keys) AS dibs_asked;
DELETE FROM #dibs_keys_{list} WHERE 1 = 0

-- fragment: given
(SELECT {key_list} FROM OPENJSON(:keys) AS dibs_asked) AS k ({key_aliases})

-- fragment: done_keys
DROP TABLE IF EXISTS #dibs_done_{list};
SELECT TOP (0) {keys_as} INTO #dibs_done_{list} FROM {table} AS t UNION ALL SELECT TOP (0) {keys_as} FROM {table} AS t

-- fragment: first_time
NOT EXISTS (SELECT 1 FROM {table} WITH (NOLOCK) WHERE {token} = @token)

-- fragment: marked_rows
SELECT t.*{and_texts}
  FROM #dibs_done_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (FORCESEEK) ON {key_match}
 WHERE {token} = @token
 ORDER BY {order}

-- name: claim_rows
-- One statement picks and marks the rows, since an UPDATE TOP has no order. The rows that it picks stay locked (UPDLOCK),
-- so two claims at once pick different rows.
DECLARE @token varchar(32) = :token;
{done_keys};
UPDATE t
   SET {mark}
OUTPUT {inserted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM (SELECT TOP (:n) {keys_as}
          FROM {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
         WHERE {free} AND {where} AND {once}
         ORDER BY {order}) AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {free};
SELECT t.*{and_texts}
  FROM #dibs_done_{list} AS k
  LEFT LOOP JOIN {table} AS t WITH (FORCESEEK) ON {key_match} AND {token} = @token
 ORDER BY {order};

-- name: free_rows
SELECT TOP (:n) {key_texts}
  FROM {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
 WHERE {free} AND {where} AND {once}
 ORDER BY {order};

-- name: free_of_rows
{asked_keys};
SELECT {key_texts}
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {free} AND {where};

-- name: find_rows
DECLARE @token varchar(32) = :token;
SELECT t.*{and_texts}
  FROM {table} AS t
 WHERE {token} = @token
 ORDER BY {order};

-- name: still_rows
DECLARE @token varchar(32) = :token;
{asked_keys};
SELECT {key_texts}
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (NOLOCK, FORCESEEK) ON {key_match}
 WHERE {token} = @token AND {still};

-- name: change_rows
DECLARE @token varchar(32) = :token;
{asked_keys};
{done_keys};
UPDATE t
   SET {change}
OUTPUT {inserted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {token} = @token AND {still};
SELECT {done_texts} FROM #dibs_done_{list};

-- name: complete_rows
DECLARE @token varchar(32) = :token;
{asked_keys};
{done_keys};
UPDATE t
   SET {complete}
OUTPUT {deleted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {key_match}
 WHERE {token} = @token;
SELECT {done_texts} FROM #dibs_done_{list};

-- name: delete_rows
DECLARE @token varchar(32) = :token;
{asked_keys};
{done_keys};
DELETE t
OUTPUT {deleted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK) ON {key_match}
 WHERE {token} = @token;
SELECT {done_texts} FROM #dibs_done_{list};

-- name: release_token
DECLARE @token varchar(32) = :token;
DROP TABLE IF EXISTS #dibs_keys_{list};
SELECT {keys_as} INTO #dibs_keys_{list} FROM {table} AS t WITH (NOLOCK) WHERE {token} = @token;
{done_keys};
UPDATE t
   SET {drop}
OUTPUT {inserted_keys} INTO #dibs_done_{list} ({key_aliases})
  FROM #dibs_keys_{list} AS k
 INNER LOOP JOIN {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK, FORCESEEK) ON {key_match}
 WHERE {token} = @token;
SELECT {done_texts} FROM #dibs_done_{list};

-- name: left_rows
SELECT TOP (1) 1 AS is_left
  FROM {table} AS t
 WHERE {where} AND ({token} IS NULL OR {token} <> 'dibs-dead') AND {once};

-- name: check_effect
UPDATE t SET {effect} FROM {table} AS t WHERE 1 = 0;

-- name: check_mark
UPDATE t SET {token} = {token} FROM {table} AS t WHERE 1 = 0;
