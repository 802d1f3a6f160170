<?php

// Made of the statements of Dibs, and not edited by hand.
// In a clone: mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true

declare(strict_types=1);

return [
    'statements' => [
        'postgresql' => [
            'create_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70)
SQL],
            ]],
            'create_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'guard_free_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR UPDATE SKIP LOCKED
SQL],
            ]],
            'take_expired_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
SQL],
            ]],
            'make_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['names', 'owners'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name, NULL, NULL, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, 0
  FROM unnest(?::text[], ?::text[]) AS pair(name, owner)
 WHERE NOT EXISTS (SELECT 1 FROM dibs_lock AS l WHERE l.name = pair.name)
 ORDER BY pair.name COLLATE "C"
    ON CONFLICT (name) DO NOTHING
SQL],
            ]],
            'issue_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl'], 'sql' => <<<'SQL'
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + ?, 0, 0, 0)
    ON CONFLICT DO NOTHING
SQL],
            ]],
            'consume_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['owner', 'attempt', 'purpose', 'digest'], 'sql' => <<<'SQL'
UPDATE dibs_token
   SET ended = 'used', used_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
SQL],
                ['when' => 'if no row so far', 'binds' => ['purpose', 'digest'], 'sql' => <<<'SQL'
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
SQL],
            ]],
            'acquire_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'name', 'owner', 'holder', 'lease', 'name', 'owner', 'holder', 'lease'], 'sql' => <<<'SQL'
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = ?
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = ? AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = ?,
           holder = ?,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + ?
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT ?, ?, ?, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + ?
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free)
SQL],
            ]],
            'look_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
            ]],
            'renew_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['names', 'owners', 'lease'], 'sql' => <<<'SQL'
WITH asked AS MATERIALIZED (
    SELECT ?::text[] AS names, ?::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + ?
 WHERE l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE
RETURNING l.owner
SQL],
            ]],
            'find_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['names', 'owners'], 'sql' => <<<'SQL'
WITH asked AS MATERIALIZED (
    SELECT ?::text[] AS names, ?::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
SQL],
            ]],
            'release_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner', 'owner'], 'sql' => <<<'SQL'
UPDATE dibs_lock AS l
   SET held_until = 0, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = ? AND owner = ? AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
   AND owner = ?
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken
SQL],
            ]],
            'guard_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
SELECT fence
  FROM dibs_lock
 WHERE name = ? AND owner = ? AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE
SQL],
            ]],
            'claim_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['n', 'lease', 'token', 'token', 'token'], 'sql' => <<<'SQL'
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)) AND {where} AND 1 = 1
     ORDER BY {order}
     LIMIT ?
       FOR NO KEY UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {table} AS t
       SET {until} = floor(((SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + ?) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?
     WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
 RETURNING t.*
)
SELECT t.*
  FROM (SELECT * FROM dibs_taken AS t WHERE {token} = ?) AS t
  FULL JOIN (SELECT 1 AS dibs_gap
              WHERE (SELECT count(*) FROM dibs_picked)
                    > (SELECT count(*) FROM dibs_taken AS t WHERE {token} = ?)) AS dibs_unmarked ON false
 ORDER BY {order}
SQL],
            ]],
            'find_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
SQL],
            ]],
            'still_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
SELECT t.{key} AS dibs_key1
  FROM dibs_asked AS k, {table} AS t
 WHERE {key_match} AND {token} = ? AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
SQL],
            ]],
            'renew_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'lease', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = ? AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + ?
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
            'release_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = ? AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
            'postpone_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'delay', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = ? AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + ?, {token} = 'dibs-later'
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
            'complete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
            'release_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token', 'token'], 'sql' => <<<'SQL'
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE {token} = ?
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
            'check_condition' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
SQL],
            ]],
            'delete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
WITH dibs_json AS MATERIALIZED (
    SELECT ?::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
DELETE FROM {table} AS t
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = ?
RETURNING t.{key} AS dibs_key1
SQL],
            ]],
        ],
        'mariadb' => [
            'create_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
SQL],
            ]],
            'create_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'guard_free_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
SQL],
            ]],
            'take_expired_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
SQL],
            ]],
            'make_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object('name', pair.name)) INTO @dibs_new
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  LEFT JOIN dibs_lock AS l ON l.name = pair.name
 WHERE l.name IS NULL
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT missing.name, NULL, NULL, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 0
  FROM JSON_TABLE(@dibs_new, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name')) AS missing
    ON DUPLICATE KEY UPDATE name = VALUES(name)
SQL],
            ]],
            'issue_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl'], 'sql' => <<<'SQL'
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
SQL],
            ]],
            'consume_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['owner', 'attempt', 'purpose', 'digest', 'purpose', 'digest', 'owner'], 'sql' => <<<'SQL'
BEGIN NOT ATOMIC
    UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    SELECT subject, payload, issued_at, used_at AS ends_at, owner FROM dibs_token WHERE purpose = ? AND digest = ? AND owner = ?;
END
SQL],
                ['when' => 'if no row so far', 'binds' => ['purpose', 'digest'], 'sql' => <<<'SQL'
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = ? AND digest = ? LOCK IN SHARE MODE
SQL],
            ]],
            'acquire_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner', 'holder', 'lease', 'owner', 'holder', 'lease', 'owner'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'look_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
            ]],
            'renew_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['lease', 'pairs'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'find_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
            ]],
            'release_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_lock AS l
 WHERE l.name = ? AND l.owner = ?
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
SQL],
            ]],
            'guard_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner', 'owner'], 'sql' => <<<'SQL'
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = ? AND owner = ? LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = ? AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND @@in_transaction = 1
   FOR UPDATE
SQL],
            ]],
            'claim_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['n', 'lease', 'token', 'token'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'find_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
SQL],
            ]],
            'still_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
SELECT t.{key} AS dibs_key1
  FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
            ]],
            'renew_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'lease'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'release_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'postpone_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'delay'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'complete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'keys', 'token'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'release_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'check_condition' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
SQL],
            ]],
            'delete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token', 'keys', 'token'], 'sql' => <<<'SQL'
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
SQL],
            ]],
        ],
        'mysql' => [
            'create_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
SQL],
            ]],
            'create_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'guard_free_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
SQL],
            ]],
            'take_expired_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
SQL],
            ]],
            'make_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
SELECT json_arrayagg(json_object('name', pair.name)) INTO @dibs_new
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  LEFT JOIN dibs_lock AS l ON l.name = pair.name
 WHERE l.name IS NULL
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT missing.name, NULL, NULL, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), 0
  FROM JSON_TABLE(@dibs_new, '$[*]' COLUMNS (name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name')) AS missing
    ON DUPLICATE KEY UPDATE name = VALUES(name)
SQL],
            ]],
            'issue_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl'], 'sql' => <<<'SQL'
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
SQL],
            ]],
            'consume_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['owner', 'attempt', 'purpose', 'digest'], 'sql' => <<<'SQL'
UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
                ['when' => 'always', 'binds' => ['purpose', 'digest', 'owner'], 'sql' => <<<'SQL'
SELECT subject, payload, issued_at, used_at AS ends_at, owner
  FROM dibs_token
 WHERE purpose = ? AND digest = ? AND owner = ?
SQL],
                ['when' => 'if no row so far', 'binds' => ['purpose', 'digest'], 'sql' => <<<'SQL'
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
  LOCK IN SHARE MODE
SQL],
            ]],
            'acquire_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
                ['when' => 'if no row so far', 'binds' => ['name', 'owner', 'holder', 'lease'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT ?, ?, ?, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
SQL],
                ['when' => 'unless held', 'binds' => ['owner', 'holder', 'lease', 'name'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT past.name, ?, ?, greatest(past.fence + 1, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM dibs_lock AS past
 WHERE past.name = ? AND past.held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
       acquired_at = VALUES(acquired_at), held_until = VALUES(held_until)
SQL],
                ['when' => 'unless held', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ? AND owner = ?
SQL],
            ]],
            'look_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
            ]],
            'renew_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SET @dibs_asked_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
                ['when' => 'always', 'binds' => ['lease', 'pairs'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF l SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
SQL],
                ['when' => 'always', 'binds' => ['pairs', 'lease'], 'sql' => <<<'SQL'
SELECT STRAIGHT_JOIN l.owner
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until >= @dibs_asked_at + ?
SQL],
            ]],
            'find_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
            ]],
            'release_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_lock AS l
 WHERE l.name = ? AND l.owner = ?
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
SQL],
            ]],
            'guard_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner', 'owner'], 'sql' => <<<'SQL'
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = ? AND owner = ? LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = ? AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND TRUE
   FOR UPDATE
SQL],
            ]],
            'claim_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['n'], 'sql' => <<<'SQL'
SELECT coalesce(json_arrayagg(json_object({key_member})), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM (SELECT t.{key} AS dibs_key1
          FROM {table} AS t
         WHERE ({token} IS NULL OR {until} <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)) AND {where} AND 1 = 1
         ORDER BY {order}
         LIMIT ?
           FOR UPDATE OF t SKIP LOCKED) AS k
SQL],
                ['when' => 'always', 'binds' => ['lease', 'token'], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = floor(((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?
SQL],
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT t.* FROM {table} AS t WHERE {token} = ? ORDER BY {order}
SQL],
            ]],
            'find_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
SQL],
            ]],
            'still_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
SQL],
            ]],
            'renew_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE OF t SKIP LOCKED
SQL],
                ['when' => 'always', 'binds' => ['lease'], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
SQL],
            ]],
            'release_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND 1 = 1
   FOR UPDATE OF t SKIP LOCKED
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = NULL, {token} = NULL
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
SQL],
            ]],
            'postpone_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND 1 = 1
   FOR UPDATE OF t SKIP LOCKED
SQL],
                ['when' => 'always', 'binds' => ['delay'], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, {token} = 'dibs-later'
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
SQL],
            ]],
            'complete_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t
SQL],
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE {token} = ?
SQL],
            ]],
            'release_token' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT coalesce(json_arrayagg(json_object({key_member})), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM (SELECT t.{key} AS dibs_key1 FROM {table} AS t WHERE {token} = ?) AS k
SQL],
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ coalesce(json_arrayagg(json_object('dibs_key1', k.dibs_key1)), if(count(*) = 0, NULL, cast(concat('[', count(*)) AS json))) INTO @dibs_mine
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t SKIP LOCKED
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
UPDATE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
   SET {until} = NULL, {token} = NULL
SQL],
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(@dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
SQL],
            ]],
            'check_condition' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
SQL],
            ]],
            'delete_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t.{key} AS dibs_key1
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
   FOR UPDATE OF t
SQL],
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
DELETE /*+ SET_VAR(max_seeks_for_key = 1) NO_BNL() */ t
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ?
SQL],
            ]],
        ],
        'sqlite' => [
            'create_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
)
SQL],
            ]],
            'create_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'guard_free_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ? AND held_until <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING 0 AS is_old, owner
SQL],
            ]],
            'take_expired_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
SQL],
            ]],
            'make_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name, NULL, NULL, (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) * 1000), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), 0
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(?)) AS pair
 WHERE true
    ON CONFLICT (name) DO NOTHING
SQL],
            ]],
            'issue_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl', 'purpose', 'digest'], 'sql' => <<<'SQL'
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT ?, ?, ?, ?, ?, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM dibs_token WHERE purpose = ? AND digest = ?)
SQL],
            ]],
            'consume_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['owner', 'attempt', 'purpose', 'digest'], 'sql' => <<<'SQL'
UPDATE dibs_token
   SET ended = 'used', used_at = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
SQL],
                ['when' => 'if no row so far', 'binds' => ['purpose', 'digest'], 'sql' => <<<'SQL'
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_token
 WHERE purpose = ? AND digest = ?
SQL],
            ]],
            'acquire_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
                ['when' => 'unless held', 'binds' => ['name', 'owner', 'holder', 'lease'], 'sql' => <<<'SQL'
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
SQL],
            ]],
            'look_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name'], 'sql' => <<<'SQL'
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = ?
SQL],
            ]],
            'renew_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['lease', 'pairs'], 'sql' => <<<'SQL'
UPDATE dibs_lock AS l
   SET held_until = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(?)) AS pair
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING owner
SQL],
            ]],
            'find_locks' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['pairs'], 'sql' => <<<'SQL'
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(?)) AS pair CROSS JOIN dibs_lock AS l
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
SQL],
            ]],
            'release_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET held_until = 0, owner = NULL
 WHERE name = ? AND owner = ?
SQL],
            ]],
            'guard_lock' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['name', 'owner'], 'sql' => <<<'SQL'
UPDATE dibs_lock
   SET held_until = held_until
 WHERE name = ? AND owner = ? AND held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING fence
SQL],
            ]],
            'claim_rows' => ['together' => true, 'steps' => [
                ['when' => 'always', 'binds' => ['lease', 'token', 'n'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {until} = (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?) / 4 * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?
 WHERE (t.{key}) IN (SELECT t.{key}
                        FROM {table} AS t
                       WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1
                       ORDER BY {order}
                       LIMIT ?)
SQL],
                ['when' => 'always', 'binds' => ['n', 'token', 'token'], 'sql' => <<<'SQL'
SELECT t.*
  FROM (SELECT 0 AS dibs_unmarked
         UNION ALL
        SELECT 1 WHERE changes() < ? AND EXISTS (SELECT 1 FROM {table} AS t WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1)) AS dibs_picked
  LEFT JOIN {table} AS t ON dibs_picked.dibs_unmarked = 0 AND {token} = ?
 WHERE dibs_picked.dibs_unmarked = 1 OR {token} = ?
 ORDER BY {order}
SQL],
            ]],
            'find_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
SQL],
            ]],
            'still_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
SELECT t.{key} AS dibs_key1
  FROM (SELECT {key_list} FROM json_each(?)) AS k CROSS JOIN {table} AS t
 WHERE {key_match} AND {token} = ? AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
SQL],
            ]],
            'renew_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['lease', 'keys', 'token'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {until} = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING {key} AS dibs_key1
SQL],
            ]],
            'release_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND 1 = 1
RETURNING {key} AS dibs_key1
SQL],
            ]],
            'postpone_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['delay', 'keys', 'token'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {until} = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + ?, {token} = 'dibs-later'
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ? AND 1 = 1
RETURNING {key} AS dibs_key1
SQL],
            ]],
            'complete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ?
RETURNING {key} AS dibs_key1
SQL],
            ]],
            'release_token' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['token'], 'sql' => <<<'SQL'
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE {token} = ?
RETURNING {key} AS dibs_key1
SQL],
            ]],
            'check_condition' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => [], 'sql' => <<<'SQL'
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
SQL],
            ]],
            'delete_rows' => ['together' => false, 'steps' => [
                ['when' => 'always', 'binds' => ['keys', 'token'], 'sql' => <<<'SQL'
DELETE FROM {table} AS t
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(?)) AS k) AND {token} = ?
RETURNING {key} AS dibs_key1
SQL],
            ]],
        ],
    ],
    'keys' => [
        'postgresql' => [
            'binary' => ['key_list' => 'dibs_key1 {type}', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
            'number' => ['key_list' => 'dibs_key1 bigint', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
            'text' => ['key_list' => 'dibs_key1 {type}', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
        ],
        'mariadb' => [
            'binary' => ['key_list' => 'dibs_key1 varchar(6144) CHARACTER SET latin1 PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = unhex(k.dibs_key1)', 'key_member' => '\'dibs_key1\', hex(dibs_key1)'],
            'number' => ['key_list' => 'dibs_key1 {type} PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1 + 0'],
            'text' => ['key_list' => 'dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = json_unquote(json_quote(k.dibs_key1))', 'key_member' => '\'dibs_key1\', convert(dibs_key1 USING utf8mb4)'],
        ],
        'mysql' => [
            'binary' => ['key_list' => 'dibs_key1 varchar(6144) CHARACTER SET latin1 PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = unhex(k.dibs_key1)', 'key_member' => '\'dibs_key1\', hex(dibs_key1)'],
            'number' => ['key_list' => 'dibs_key1 {type} PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1 + 0'],
            'text' => ['key_list' => 'dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH \'$.dibs_key1\'', 'key_match' => 't.{key} = json_unquote(json_quote(k.dibs_key1))', 'key_member' => '\'dibs_key1\', convert(dibs_key1 USING utf8mb4)'],
        ],
        'sqlite' => [
            'binary' => ['key_list' => 'unhex(json_extract(value, \'$.dibs_key1\')) AS dibs_key1', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
            'number' => ['key_list' => 'json_extract(value, \'$.dibs_key1\') AS dibs_key1', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
            'text' => ['key_list' => 'json_extract(value, \'$.dibs_key1\') AS dibs_key1', 'key_match' => 't.{key} = k.dibs_key1', 'key_member' => '\'dibs_key1\', dibs_key1'],
        ],
    ],
];
