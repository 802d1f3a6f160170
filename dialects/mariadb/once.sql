-- A block (BEGIN NOT ATOMIC) is one round trip. In an INSERT .. SELECT SKIP LOCKED skips: see leases.sql.

-- name: acquire_once
-- As acquire_lock: locks the row only if it is due.
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) {exact} DEFAULT :name;
    DECLARE due int DEFAULT 0;
    DECLARE known int DEFAULT 0;
    DECLARE micros bigint;
    DECLARE millis bigint;
    {begin};
    SELECT count(*) INTO known FROM {prefix}once WHERE name = asked;
    SELECT 1 INTO due FROM {prefix}once WHERE name = asked AND {once_is_due} FOR UPDATE SKIP LOCKED;
    SELECT {all_of_once}, {now} AS read_at FROM {prefix}once WHERE name = asked;
    SET micros = {now_micros};
    SET millis = micros DIV 1000;
    IF due = 1 THEN
        UPDATE {prefix}once
           SET failures = failures + CASE WHEN owner IS NULL THEN 0 ELSE 1 END,
               owner = :owner,
               holder = :holder,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + :lease
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
        VALUES (asked, :owner, :holder, micros, millis, millis + :lease, 0, 0)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT {all_of_once}, {now} AS read_at
      FROM {prefix}once
     WHERE name = asked AND owner = :owner;
    COMMIT;
END;

-- name: complete_once
INSERT INTO {prefix}once (name, {lease_columns}, succeeded_at, retry_at, failures, duration_ms)
SELECT l.name, {l_columns}, 0, {now}, 0, 0, {now} - l.acquired_at
  FROM {prefix}once AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       held_until = VALUES(held_until), succeeded_at = VALUES(succeeded_at), retry_at = VALUES(retry_at),
       failures = VALUES(failures), duration_ms = VALUES(duration_ms), owner = NULL;

-- name: fail_once
INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures, failed_at, error)
SELECT l.name, {l_columns}, 0, {now} + :delay, l.failures + 1, {now}, :error
  FROM {prefix}once AS l
 WHERE l.name = :name AND l.owner = :owner
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       held_until = VALUES(held_until), retry_at = VALUES(retry_at), failures = VALUES(failures), failed_at = VALUES(failed_at),
       error = VALUES(error), owner = NULL;

-- name: forget_once
INSERT INTO {prefix}once (name, {lease_columns}, succeeded_at, retry_at, failures)
SELECT l.name, {l_lease_columns}, NULL, 0, l.failures
  FROM {prefix}once AS l
 WHERE l.name = :name AND l.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE
       succeeded_at = VALUES(succeeded_at), retry_at = VALUES(retry_at);
