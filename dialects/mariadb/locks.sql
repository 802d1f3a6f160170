-- A block (BEGIN NOT ATOMIC) is one round trip. In an UPDATE's or a DELETE's subquery SKIP LOCKED does not skip here; in an
-- INSERT .. SELECT it does, and ON DUPLICATE KEY UPDATE then meets only rows that this statement has locked already.

-- name: acquire_lock
-- Locks the row only if it has passed, so that a try on a held lock locks and writes nothing. READ COMMITTED is for this
-- transaction alone and keeps the gap below an absent name open. SELECT .. INTO does not lock; IF EXISTS (SELECT ..) would.
-- The clock is read once: a column each would be torn when it ticks in between.
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) {exact} DEFAULT :name;
    DECLARE passed int DEFAULT 0;
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
    SELECT count(*) INTO known FROM {prefix}lock WHERE name = asked;
    SELECT 1 INTO passed FROM {prefix}lock WHERE name = asked AND held_until <= {now} FOR UPDATE SKIP LOCKED;
    SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at FROM {prefix}lock WHERE name = asked;
    SET micros = {now_micros};
    SET millis = micros DIV 1000;
    IF passed = 1 THEN
        UPDATE {prefix}lock
           SET owner = :owner,
               holder = :holder,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + :lease
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT IGNORE INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
        VALUES (asked, :owner, :holder, micros, millis, millis + :lease);
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
      FROM {prefix}lock
     WHERE name = asked AND owner = :owner;
    COMMIT;
END;

-- name: renew_locks
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, {now} + :lease
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner')) AS pair
  JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > {now}
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
RETURNING owner;

-- name: find_locks
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, {now} AS read_at
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner')) AS pair
  JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > {now};

-- name: release_lock
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, NULL, l.holder, l.fence, l.acquired_at, least(l.held_until, {now})
  FROM {prefix}lock AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: release_locks
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, NULL, l.holder, l.fence, l.acquired_at, least(l.held_until, {now})
  FROM JSON_TABLE(:pairs, '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner')) AS pair
  JOIN {prefix}lock AS l ON l.name = pair.name
 WHERE l.owner = pair.owner
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL;

-- name: guard_lock
-- The inner look does not lock and sees the transaction's own snapshot: a row that is not ours, or not yet in a snapshot that
-- is older than the lease, is not locked either, which would keep its new holder from renewing.
SELECT g.fence
  FROM (SELECT name FROM {prefix}lock WHERE name = :name AND owner = :owner LIMIT 1) AS seen
  STRAIGHT_JOIN {prefix}lock AS g ON g.name = seen.name
 WHERE g.owner = :owner AND g.held_until > {now}
   FOR UPDATE;

-- name: break_lock
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner IS NOT NULL
-- then
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, NULL, l.holder, l.fence, l.acquired_at, least(l.held_until, {now})
  FROM {prefix}lock AS l
 WHERE l.name = :name AND l.owner IS NOT NULL
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner IS NULL;

-- name: purge_locks
-- A DELETE that searches would lock every row that it passes: the names are read without a lock first.
BEGIN NOT ATOMIC
    DECLARE gone varchar(200) {exact};
    DECLARE deleted int DEFAULT 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    FOR passed IN (SELECT name FROM {prefix}lock WHERE held_until <= {now} - :retention LIMIT :batch) DO
        SET gone = NULL;
        START TRANSACTION;
        SELECT name INTO gone FROM {prefix}lock
         WHERE name = passed.name AND held_until <= {now} - :retention FOR UPDATE SKIP LOCKED;
        DELETE FROM {prefix}lock WHERE name = gone;
        SET deleted = deleted + ROW_COUNT();
        COMMIT;
    END FOR;
    SELECT deleted FROM DUAL WHERE deleted > 0;
END;
