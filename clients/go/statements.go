// Code generated from the statements of Dibs; DO NOT EDIT.
// In a clone: mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true

package dibs

// A step of a statement, sent under its condition. Its values are bound in this order.
type step struct {
	when  string
	binds []string
	sql   string
}

// A statement, and whether its steps are one transaction.
type statement struct {
	together bool
	steps    []step
}

// What depends on the type of a key.
type keyTexts struct {
	list, match, member string
}

var allStatements = map[string]map[string]statement{
	"postgresql": {
		"create_lock": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70)
`},
		}},
		"create_token": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    id           varchar(32) COLLATE "C" NOT NULL,
    subject      varchar(200) COLLATE "C" NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE "C",
    used_at      bigint,
    owner        varchar(32) COLLATE "C",
    attempt      varchar(200) COLLATE "C",
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) WITH (fillfactor = 70)
`},
		}},
		"guard_free_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END AS is_old, owner
  FROM dibs_lock
 WHERE name = $1 AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR UPDATE SKIP LOCKED
`},
		}},
		"take_expired_lock": {false, []step{
			{"always", []string{"name"}, `
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = $1
`},
		}},
		"issue_token": {false, []step{
			{"always", []string{"purpose", "digest", "id", "subject", "payload", "ttl"}, `
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES ($1, $2, $3, $4, $5, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $6, 0, 0, 0)
    ON CONFLICT DO NOTHING
`},
		}},
		"consume_token": {false, []step{
			{"always", []string{"owner", "attempt", "purpose", "digest"}, `
UPDATE dibs_token
   SET ended = 'used', used_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = $1, attempt = $2
 WHERE purpose = $3 AND digest = $4 AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
`},
			{"if no row so far", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = $1 AND digest = $2
`},
		}},
		"peek_token": {false, []step{
			{"always", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = $1 AND digest = $2
`},
		}},
		"acquire_lock": {false, []step{
			{"always", []string{"name", "owner", "holder", "lease"}, `
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = $1
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = $1 AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = $2,
           holder = $3,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $4
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT $1, $2, $3, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $4
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free)
`},
		}},
		"look_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = $1
`},
		}},
		"renew_locks": {false, []step{
			{"always", []string{"names", "owners", "lease"}, `
WITH asked AS MATERIALIZED (
    SELECT $1::text[] AS names, $2::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $3
 WHERE l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE
RETURNING l.owner
`},
		}},
		"find_locks": {false, []step{
			{"always", []string{"names", "owners"}, `
WITH asked AS MATERIALIZED (
    SELECT $1::text[] AS names, $2::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
`},
		}},
		"release_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
UPDATE dibs_lock AS l
   SET held_until = 0, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = $1 AND owner = $2 AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
   AND owner = $2
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken
`},
		}},
		"guard_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
SELECT fence
  FROM dibs_lock
 WHERE name = $1 AND owner = $2 AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE
`},
		}},
		"claim_rows": {false, []step{
			{"always", []string{"n", "lease", "token"}, `
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)) AND {where} AND 1 = 1
     ORDER BY {order}
     LIMIT $1
       FOR NO KEY UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {table} AS t
       SET {until} = floor(((SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + $2) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = $3
     WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
 RETURNING t.*
)
SELECT t.*
  FROM (SELECT * FROM dibs_taken AS t WHERE {token} = $3) AS t
  FULL JOIN (SELECT 1 AS dibs_gap
              WHERE (SELECT count(*) FROM dibs_picked)
                    > (SELECT count(*) FROM dibs_taken AS t WHERE {token} = $3)) AS dibs_unmarked ON false
 ORDER BY {order}
`},
		}},
		"find_rows": {false, []step{
			{"always", []string{"token"}, `
SELECT t.*
  FROM {table} AS t
 WHERE {token} = $1
 ORDER BY {order}
`},
		}},
		"still_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
SELECT t.{key} AS dibs_key1
  FROM dibs_asked AS k, {table} AS t
 WHERE {key_match} AND {token} = $2 AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
`},
		}},
		"renew_rows": {false, []step{
			{"always", []string{"keys", "token", "lease"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = $2 AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + $3
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
`},
		}},
		"release_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = $2 AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
`},
		}},
		"postpone_rows": {false, []step{
			{"always", []string{"keys", "token", "delay"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = $2 AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + $3, {token} = 'dibs-later'
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
`},
		}},
		"complete_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
`},
		}},
		"release_token": {false, []step{
			{"always", []string{"token"}, `
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE {token} = $1
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $1
RETURNING t.{key} AS dibs_key1
`},
		}},
		"check_condition": {false, []step{
			{"always", []string{}, `
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
`},
		}},
		"delete_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
DELETE FROM {table} AS t
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
`},
		}},
	},
	"mariadb": {
		"create_lock": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
`},
		}},
		"create_token": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    used_at      bigint,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB
`},
		}},
		"guard_free_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
`},
		}},
		"take_expired_lock": {false, []step{
			{"always", []string{"name"}, `
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
`},
		}},
		"issue_token": {false, []step{
			{"always", []string{"purpose", "digest", "id", "subject", "payload", "ttl"}, `
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
`},
		}},
		"consume_token": {false, []step{
			{"always", []string{"owner", "attempt", "purpose", "digest", "purpose", "digest", "owner"}, `
BEGIN NOT ATOMIC
    UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    SELECT subject, payload, issued_at, used_at AS ends_at, owner FROM dibs_token WHERE purpose = ? AND digest = ? AND owner = ?;
END
`},
			{"if no row so far", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = ? AND digest = ? LOCK IN SHARE MODE
`},
		}},
		"peek_token": {false, []step{
			{"always", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
`},
		}},
		"acquire_lock": {false, []step{
			{"always", []string{"name", "owner", "holder", "lease", "owner", "holder", "lease", "owner"}, `
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT ?;
    DECLARE expired int DEFAULT 0;
    DECLARE known int DEFAULT 0;
    DECLARE micros bigint;
    DECLARE millis bigint;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT count(*), count(CASE WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 END) INTO known, expired FROM dibs_lock WHERE name = asked;
    IF expired = 1 THEN
        SET expired = 0;
        SELECT 1 INTO expired FROM dibs_lock WHERE name = asked AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) FOR UPDATE SKIP LOCKED;
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_lock WHERE name = asked;
    SET micros = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6));
    SET millis = micros DIV 1000;
    IF expired = 1 THEN
        UPDATE dibs_lock
           SET owner = ?,
               holder = ?,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + ?
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
        VALUES (asked, ?, ?, micros, millis, millis + ?)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
      FROM dibs_lock
     WHERE name = asked AND owner = ?;
    COMMIT;
END
`},
		}},
		"look_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
`},
		}},
		"renew_locks": {false, []step{
			{"always", []string{"lease", "pairs"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
RETURNING owner
`},
		}},
		"find_locks": {false, []step{
			{"always", []string{"pairs"}, `
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
		}},
		"release_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_lock AS l
 WHERE l.name = ? AND l.owner = ?
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
`},
		}},
		"guard_lock": {false, []step{
			{"always", []string{"name", "owner", "owner"}, `
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = ? AND owner = ? LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = ? AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND @@in_transaction = 1
   FOR UPDATE
`},
		}},
		"claim_rows": {false, []step{
			{"always", []string{"n", "lease", "token", "token"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1
              FROM {table} AS t
             WHERE ({token} IS NULL OR {until} <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)) AND {where} AND 1 = 1
             ORDER BY {order}
             LIMIT ?
               FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = floor(((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?;
    IF row_count() < json_length(dibs_mine) THEN
        SIGNAL SQLSTATE '45D1B' SET MESSAGE_TEXT = 'a row was read and locked, and is not found by its own key: key type';
    END IF;
    SELECT t.* FROM {table} AS t WHERE {token} = ? ORDER BY {order};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"find_rows": {false, []step{
			{"always", []string{"token"}, `
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
`},
		}},
		"still_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
SELECT t.{key} AS dibs_key1
  FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
		}},
		"renew_rows": {false, []step{
			{"always", []string{"keys", "token", "lease"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"release_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ? AND 1 = 1
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"postpone_rows": {false, []step{
			{"always", []string{"keys", "token", "delay"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ? AND 1 = 1
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, {token} = 'dibs-later';
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"complete_rows": {false, []step{
			{"always", []string{"keys", "token", "keys", "token"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {effect}, {until} = NULL, {token} = NULL
     WHERE {token} = ?;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"release_token": {false, []step{
			{"always", []string{"token"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1 FROM {table} AS t WHERE {token} = ? FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
		"check_condition": {false, []step{
			{"always", []string{}, `
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
`},
		}},
		"delete_rows": {false, []step{
			{"always", []string{"keys", "token", "keys", "token"}, `
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    DELETE t
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
`},
		}},
	},
	"mysql": {
		"create_lock": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
`},
		}},
		"create_token": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    used_at      bigint,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB
`},
		}},
		"guard_free_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
`},
		}},
		"take_expired_lock": {false, []step{
			{"always", []string{"name"}, `
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
`},
		}},
		"issue_token": {false, []step{
			{"always", []string{"purpose", "digest", "id", "subject", "payload", "ttl"}, `
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
`},
		}},
		"consume_token": {false, []step{
			{"always", []string{"owner", "attempt", "purpose", "digest"}, `
UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
			{"always", []string{"purpose", "digest", "owner"}, `
SELECT subject, payload, issued_at, used_at AS ends_at, owner
  FROM dibs_token
 WHERE purpose = ? AND digest = ? AND owner = ?
`},
			{"if no row so far", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
  LOCK IN SHARE MODE
`},
		}},
		"peek_token": {false, []step{
			{"always", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
`},
		}},
		"acquire_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
`},
			{"if no row so far", []string{"name", "owner", "holder", "lease"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT ?, ?, ?, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
`},
			{"unless held", []string{"owner", "holder", "lease", "name"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT past.name, ?, ?, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM dibs_lock AS past
 WHERE past.name = ? AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
`},
			{"unless held", []string{"name", "owner"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ? AND owner = ?
`},
		}},
		"look_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
`},
		}},
		"renew_locks": {false, []step{
			{"always", []string{}, `
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
			{"always", []string{"lease", "pairs"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
`},
			{"always", []string{"pairs", "lease"}, `
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + ?
`},
		}},
		"find_locks": {false, []step{
			{"always", []string{"pairs"}, `
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
		}},
		"release_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_lock AS l
 WHERE l.name = ? AND l.owner = ?
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
`},
		}},
		"guard_lock": {false, []step{
			{"always", []string{"name", "owner", "owner"}, `
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = ? AND owner = ? LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = ? AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND TRUE
   FOR UPDATE
`},
		}},
		"claim_rows": {true, []step{
			{"always", []string{"n"}, `
SELECT coalesce(json_arrayagg(json_object({key_member})), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM (SELECT t.{key} AS dibs_key1
          FROM {table} AS t
         WHERE ({token} IS NULL OR {until} <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)) AND {where} AND 1 = 1
         ORDER BY {order}
         LIMIT ?
           FOR UPDATE OF t SKIP LOCKED) AS k
`},
			{"always", []string{"lease", "token"}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = floor(((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?
`},
			{"always", []string{"token"}, `
SELECT t.* FROM {table} AS t WHERE {token} = ? ORDER BY {order}
`},
		}},
		"find_rows": {false, []step{
			{"always", []string{"token"}, `
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
`},
		}},
		"still_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
`},
		}},
		"renew_rows": {true, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF t SKIP LOCKED
`},
			{"always", []string{"lease"}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
`},
			{"always", []string{}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
`},
		}},
		"release_rows": {true, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND 1 = 1
   FOR UPDATE OF t SKIP LOCKED
`},
			{"always", []string{}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = NULL, {token} = NULL
`},
			{"always", []string{}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
`},
		}},
		"postpone_rows": {true, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND 1 = 1
   FOR UPDATE OF t SKIP LOCKED
`},
			{"always", []string{"delay"}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, {token} = 'dibs-later'
`},
			{"always", []string{}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
`},
		}},
		"complete_rows": {true, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t
`},
			{"always", []string{"keys", "token"}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE {token} = ?
`},
		}},
		"release_token": {true, []step{
			{"always", []string{"token"}, `
SELECT coalesce(json_arrayagg(json_object({key_member})), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM (SELECT t.{key} AS dibs_key1 FROM {table} AS t WHERE {token} = ?) AS k
`},
			{"always", []string{"token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t SKIP LOCKED
`},
			{"always", []string{}, `
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = NULL, {token} = NULL
`},
			{"always", []string{}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
`},
		}},
		"check_condition": {false, []step{
			{"always", []string{}, `
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
`},
		}},
		"delete_rows": {true, []step{
			{"always", []string{"keys", "token"}, `
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t
`},
			{"always", []string{"keys", "token"}, `
DELETE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
`},
		}},
	},
	"sqlite": {
		"create_lock": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
)
`},
		}},
		"create_token": {false, []step{
			{"always", []string{}, `
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) NOT NULL,
    subject      varchar(200) NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10),
    used_at      bigint,
    owner        varchar(32),
    attempt      varchar(200),
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
)
`},
		}},
		"guard_free_lock": {false, []step{
			{"always", []string{"name"}, `
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ? AND held_until <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING 0 AS is_old, owner
`},
		}},
		"take_expired_lock": {false, []step{
			{"always", []string{"name"}, `
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
`},
		}},
		"issue_token": {false, []step{
			{"always", []string{"purpose", "digest", "id", "subject", "payload", "ttl", "purpose", "digest"}, `
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT ?, ?, ?, ?, ?, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM dibs_token WHERE purpose = ? AND digest = ?)
`},
		}},
		"consume_token": {false, []step{
			{"always", []string{"owner", "attempt", "purpose", "digest"}, `
UPDATE dibs_token
   SET ended = 'used', used_at = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
`},
			{"if no row so far", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
`},
		}},
		"peek_token": {false, []step{
			{"always", []string{"purpose", "digest"}, `
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
`},
		}},
		"acquire_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = ?
`},
			{"unless held", []string{"name", "owner", "holder", "lease"}, `
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
VALUES (?, ?, ?, (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) * 1000), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?)
    ON CONFLICT (name) DO UPDATE
   SET owner = excluded.owner,
       holder = excluded.holder,
       fence = max(fence + 1, excluded.fence),
       acquired_at = excluded.acquired_at,
       held_until = excluded.held_until
 WHERE held_until <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
`},
		}},
		"look_lock": {false, []step{
			{"always", []string{"name"}, `
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = ?
`},
		}},
		"renew_locks": {false, []step{
			{"always", []string{"lease", "pairs"}, `
UPDATE dibs_lock AS l
   SET held_until = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(?)) AS pair
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING owner
`},
		}},
		"find_locks": {false, []step{
			{"always", []string{"pairs"}, `
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(?)) AS pair CROSS JOIN dibs_lock AS l
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
`},
		}},
		"release_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
UPDATE dibs_lock
   SET held_until = 0, owner = NULL
 WHERE name = ? AND owner = ?
`},
		}},
		"guard_lock": {false, []step{
			{"always", []string{"name", "owner"}, `
UPDATE dibs_lock
   SET held_until = held_until
 WHERE name = ? AND owner = ? AND held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING fence
`},
		}},
		"claim_rows": {true, []step{
			{"always", []string{"lease", "token", "n"}, `
UPDATE {table} AS t
   SET {until} = (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?) / 4 * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?
 WHERE (t.{key}) IN (SELECT t.{key}
                        FROM {table} AS t
                       WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1
                       ORDER BY {order}
                       LIMIT ?)
`},
			{"always", []string{"n", "token", "token"}, `
SELECT t.*
  FROM (SELECT 0 AS dibs_unmarked
         UNION ALL
        SELECT 1 WHERE changes() < ? AND EXISTS (SELECT 1 FROM {table} AS t WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1)) AS dibs_picked
  LEFT JOIN {table} AS t ON dibs_picked.dibs_unmarked = 0 AND {token} = ?
 WHERE dibs_picked.dibs_unmarked = 1 OR {token} = ?
 ORDER BY {order}
`},
		}},
		"find_rows": {false, []step{
			{"always", []string{"token"}, `
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
`},
		}},
		"still_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
SELECT t.{key} AS dibs_key1
  FROM (SELECT {key_list} FROM json_each(?)) AS k CROSS JOIN {table} AS t
 WHERE {key_match} AND {token} = ? AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
`},
		}},
		"renew_rows": {false, []step{
			{"always", []string{"lease", "keys", "token"}, `
UPDATE {table} AS t
   SET {until} = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING {key} AS dibs_key1
`},
		}},
		"release_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND 1 = 1
RETURNING {key} AS dibs_key1
`},
		}},
		"postpone_rows": {false, []step{
			{"always", []string{"delay", "keys", "token"}, `
UPDATE {table} AS t
   SET {until} = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?, {token} = 'dibs-later'
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND 1 = 1
RETURNING {key} AS dibs_key1
`},
		}},
		"complete_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ?
RETURNING {key} AS dibs_key1
`},
		}},
		"release_token": {false, []step{
			{"always", []string{"token"}, `
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE {token} = ?
RETURNING {key} AS dibs_key1
`},
		}},
		"check_condition": {false, []step{
			{"always", []string{}, `
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
`},
		}},
		"delete_rows": {false, []step{
			{"always", []string{"keys", "token"}, `
DELETE FROM {table} AS t
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ?
RETURNING {key} AS dibs_key1
`},
		}},
	},
}

var allKeyTexts = map[string]map[string]keyTexts{
	"postgresql": {
		"binary": {"dibs_key1 {type}", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
		"number": {"dibs_key1 bigint", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
		"text":   {"dibs_key1 {type}", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
	},
	"mariadb": {
		"binary": {"dibs_key1 varchar(6144) CHARACTER SET latin1 PATH '$.dibs_key1'", "t.{key} = unhex(k.dibs_key1)", "'dibs_key1', hex(dibs_key1)"},
		"number": {"dibs_key1 {type} PATH '$.dibs_key1'", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1 + 0"},
		"text":   {"dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH '$.dibs_key1'", "t.{key} = json_unquote(json_quote(k.dibs_key1))", "'dibs_key1', convert(dibs_key1 USING utf8mb4)"},
	},
	"mysql": {
		"binary": {"dibs_key1 varchar(6144) CHARACTER SET latin1 PATH '$.dibs_key1'", "t.{key} = unhex(k.dibs_key1)", "'dibs_key1', hex(dibs_key1)"},
		"number": {"dibs_key1 {type} PATH '$.dibs_key1'", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1 + 0"},
		"text":   {"dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH '$.dibs_key1'", "t.{key} = json_unquote(json_quote(k.dibs_key1))", "'dibs_key1', convert(dibs_key1 USING utf8mb4)"},
	},
	"sqlite": {
		"binary": {"unhex(json_extract(value, '$.dibs_key1')) AS dibs_key1", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
		"number": {"json_extract(value, '$.dibs_key1') AS dibs_key1", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
		"text":   {"json_extract(value, '$.dibs_key1') AS dibs_key1", "t.{key} = k.dibs_key1", "'dibs_key1', dibs_key1"},
	},
}
