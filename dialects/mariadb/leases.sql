-- A block (BEGIN NOT ATOMIC) is one round trip.
-- In the subquery of an UPDATE or DELETE, SKIP LOCKED does not skip; in an INSERT .. SELECT it does. ON DUPLICATE KEY
-- UPDATE then meets only rows that this statement has already locked.
-- Rows of a list are found by the key, however small the table is. A scan would lock the rows of others, and their
-- renewals would skip them.

-- fragment: asked_pairs
-- Under NO_BACKSLASH_ESCAPES, a driver may send a text as bytes, which are no JSON.
JSON_TABLE(convert(:pairs USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner')) AS pair

-- fragment: free_pairs
-- Those of the pairs that are new or have expired, in a variable of a block.
JSON_TABLE(free, '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner',
           is_new int PATH '$.is_new')) AS pair

-- fragment: key_columns
-- An INSERT must name the whole key although it never inserts, and columns without a default.
name

-- fragment: l_key_columns
l.name

-- fragment: l_columns
-- As l_lease_columns, without the end.
l.owner, l.holder, l.fence, l.acquired_at

-- fragment: g_is_seen
-- The same row. With the owner, compare the whole key; otherwise other rows of the name are locked too.
g.name = seen.name

-- fragment: renewed
{now} + :lease

-- fragment: l_is_expired
-- The row that was read before.
l.name = expired.name

-- fragment: release_pairs
-- Clears the owners of those that still hold their leases.
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT STRAIGHT_JOIN {l_key_columns}, {l_columns}, {released}
  FROM {asked_pairs}
  JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL

-- fragment: release_one
-- Clears the owner of one lease, unless its row is locked.
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT {l_key_columns}, {l_columns}, {released}
  FROM {leases} AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL

-- name: acquire_lease
-- Looks without a row lock first, and locks the row only if it has expired: a try on a held lock locks and writes
-- nothing. If it began with a locking read, it would lock a held row for an instant, and its release would skip that
-- row.
-- SELECT .. INTO does not lock; IF EXISTS (SELECT ..) would.
-- The clock is read once: read for each column, it could tick in between.
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) {exact} DEFAULT :name;
    DECLARE expired int DEFAULT 0;
    DECLARE known int DEFAULT 0;
    DECLARE micros bigint;
    DECLARE millis bigint;
    {begin};
    SELECT count(*), count(CASE WHEN held_until <= {now} THEN 1 END) INTO known, expired FROM {leases} WHERE name = asked;
    IF expired = 1 THEN
        SET expired = 0;
        SELECT 1 INTO expired FROM {leases} WHERE name = asked AND held_until <= {now} FOR UPDATE SKIP LOCKED;
    END IF;
    SELECT name, {lease_columns}, {now} AS read_at FROM {leases} WHERE name = asked;
    SET micros = {now_micros};
    SET millis = micros DIV 1000;
    IF expired = 1 THEN
        UPDATE {leases}
           SET owner = :owner,
               holder = :holder,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + :lease
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT INTO {leases} (name, {lease_columns})
        VALUES (asked, :owner, :holder, micros, millis, millis + :lease)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT name, {lease_columns}, {now} AS read_at
      FROM {leases}
     WHERE name = asked AND owner = :owner;
    COMMIT;
END;

-- name: acquire_each_lease
-- As acquire_lease: new and expired names are found without a row lock, and nothing else is locked. New rows are added
-- in one order. JSON_ARRAYAGG of no row is NULL.
BEGIN NOT ATOMIC
    DECLARE micros bigint;
    DECLARE millis bigint;
    DECLARE free longtext CHARACTER SET utf8mb4;
    {begin};
    {select_list} json_arrayagg(json_object('name', pair.name, 'owner', pair.owner, 'is_new', CASE WHEN l.name IS NULL THEN 1 ELSE 0 END))
      INTO free
      FROM {asked_pairs} LEFT JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
     WHERE l.name IS NULL OR l.held_until <= {now};
    SELECT STRAIGHT_JOIN l.name, {l_lease_columns}, {now} AS read_at
      FROM {asked_pairs} JOIN {leases} AS l ON l.name = pair.name;
    IF free IS NOT NULL THEN
        SET micros = {now_micros};
        SET millis = micros DIV 1000;
        INSERT INTO {leases} (name, {lease_columns})
        SELECT STRAIGHT_JOIN l.name, pair.owner, :holder, greatest(l.fence + 1, micros), millis, millis + :lease
          FROM {free_pairs} JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
         WHERE pair.is_new = 0 AND l.held_until <= {now}
           {lock_l}
            ON DUPLICATE KEY UPDATE
               owner = VALUES(owner), holder = VALUES(holder), fence = VALUES(fence),
               acquired_at = VALUES(acquired_at), held_until = VALUES(held_until);
        INSERT INTO {leases} (name, {lease_columns})
        SELECT pair.name, pair.owner, :holder, micros, millis, millis + :lease
          FROM {free_pairs}
         WHERE pair.is_new = 1
         ORDER BY pair.name
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT STRAIGHT_JOIN l.name, {l_lease_columns}, {now} AS read_at
      FROM {asked_pairs} JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
     WHERE l.owner = pair.owner;
    COMMIT;
END;

-- name: renew_leases
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT STRAIGHT_JOIN {l_key_columns}, {l_columns}, {renewed}
  FROM {asked_pairs}
  JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > {now}
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
RETURNING owner;

-- name: find_leases
SELECT STRAIGHT_JOIN l.name, {slot} AS slot, {l_lease_columns}, {now} AS read_at
  FROM {asked_pairs}
  JOIN {leases} AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > {now};

-- name: release_unguarded_lease
-- It fails at once if the row is locked.
SET STATEMENT innodb_lock_wait_timeout = 0 FOR
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE name = :name AND owner = :owner;

-- name: leave_lease
BEGIN NOT ATOMIC
    DECLARE mine varchar(32) {exact};
    {begin};
    SELECT owner INTO mine FROM {leases} WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED;
    DELETE FROM {leases} WHERE name = :name AND owner = mine;
    COMMIT;
    SELECT mine AS owner FROM DUAL WHERE mine IS NOT NULL;
END;

-- name: release_each_lease
{release_pairs}
RETURNING name;

-- name: guard_lease
-- The inner SELECT does not lock, and sees the transaction's own snapshot. So a row that is not ours is not locked, nor
-- one whose lease is newer than the snapshot. Such a lock would keep the new holder from renewing. Outside of a
-- transaction no row comes back, where the server can tell.
SELECT g.fence
  FROM (SELECT {row} FROM {leases} WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN {leases} AS g ON {g_is_seen}
 WHERE g.owner = :owner AND g.held_until > {now} AND {in_transaction}
   FOR UPDATE;

-- name: break_lease
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO {leases} ({key_columns}, {lease_columns})
SELECT {l_key_columns}, {l_columns}, 0
  FROM {leases} AS l
 WHERE l.name = :name AND {is_busy}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner IS NULL;

-- name: purge_leases
-- A DELETE with a search would lock every row that it passes, so the names are read without a row lock first. Each row is
-- a commit, which may be slow: a second after the search the caller comes back.
BEGIN NOT ATOMIC
    DECLARE gone int DEFAULT 0;
    DECLARE deleted int DEFAULT 0;
    DECLARE ends_at bigint;
    DECLARE ended_early int DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    purging: FOR expired IN (SELECT {row} FROM {leases} WHERE {is_idle} LIMIT :batch) DO
        SET gone = 0;
        SET ends_at = coalesce(ends_at, {now} + 1000);
        START TRANSACTION;
        SELECT 1 INTO gone FROM {leases} AS l
         WHERE {l_is_expired} AND {is_idle} FOR UPDATE SKIP LOCKED;
        IF gone = 1 THEN
            DELETE l FROM {leases} AS l WHERE {l_is_expired};
            SET deleted = deleted + 1;
        END IF;
        COMMIT;
        IF {now} > ends_at THEN
            SET ended_early = 1;
            LEAVE purging;
        END IF;
    END FOR;
    SELECT deleted FROM DUAL WHERE deleted > 0 OR ended_early = 1;
END;
