-- Once a period: work that is done by the first caller, and not again before its next period. This is the standard
-- form, as H2 runs it.
--
-- A row records the last success and failure, not the next time. The caller knows the period, so a changed period
-- counts at once. A row is never purged: it records when the work was done.
-- The statement that ends the lease records the success. After a lost answer it is sent again until the outcome is known,
-- for 10 seconds at most.
-- Every statement is a transaction of its own (autocommit). None waits for a row lock.

-- fragment: once_leases
{prefix}once

-- fragment: all_of_once
name, {lease_columns}, succeeded_at, retry_at, failures, failed_at, error, duration_ms

-- fragment: once_is_due
-- It is not being done just now, and it is due: :every milliseconds after the last success, or at :due by the caller's
-- calendar. With a calendar, the last success must be the one that the caller has :seen (-1 = none, -2 = does not
-- matter).
held_until <= {now_once} AND retry_at <= {now_once} AND coalesce(succeeded_at + :every, 0) <= {now_once}
       AND :due <= {now_once} AND (:seen = -2 OR coalesce(succeeded_at, -1) = :seen)

-- name: acquire_once
-- Acquires :name for :lease milliseconds if it is due. If a row with owner = :owner comes back, the work is ours to do.
-- Another row shows the state before. If no row is ours, that row shows why: it is held, it is not due, or another
-- caller is acquiring it just now. A takeover counts a failure for the holder before.
-- existing row: changed if it is due, else kept; of two that add it at the same instant, one may report a duplicate
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name
UNION ALL
SELECT {all_of_once}, {now}
  FROM FINAL TABLE (
    UPDATE {prefix}once
       SET failures = failures + CASE WHEN owner IS NULL THEN 0 ELSE 1 END,
           owner = :owner,
           holder = :holder,
           fence = greatest(fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease
     WHERE name IN (SELECT name FROM {prefix}once
                     WHERE name = :name AND {once_is_due} FOR UPDATE SKIP LOCKED)
       AND {once_is_due})
UNION ALL
SELECT {all_of_once}, {now}
  FROM FINAL TABLE (
    INSERT INTO {prefix}once (name, {lease_columns}, retry_at, failures)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease, 0, 0
     WHERE NOT EXISTS (SELECT 1 FROM {prefix}once WHERE name = :name));

-- name: look_once
-- Reads the row.
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name;

-- name: complete_once
-- The work is done. One row = it was still ours. No row = it is not ours any more, or the row is locked just now.
UPDATE {prefix}once
   SET duration_ms = {now_once} - acquired_at,
       succeeded_at = {now_once},
       retry_at = 0,
       failures = 0,
       held_until = 0,
       owner = NULL
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner;

-- name: fail_once
-- The work failed, and is due again after :delay milliseconds. The duration stays that of the last success. One row =
-- it was still ours. No row = it is not ours any more, or the row is locked just now.
UPDATE {prefix}once
   SET failed_at = {now_once},
       error = :error,
       retry_at = {now_once} + :delay,
       failures = failures + 1,
       held_until = 0,
       owner = NULL
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner;

-- name: forget_once
-- Clears the last success and the wait after a failure, so that the work is due at once. No row = it does not exist, or
-- the work is being done just now.
UPDATE {prefix}once
   SET succeeded_at = NULL,
       retry_at = 0
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND held_until <= {now_once} FOR UPDATE SKIP LOCKED)
   AND held_until <= {now_once};

-- name: list_onces
-- All rows, by name.
SELECT {all_of_once}, {now_once} AS read_at
  FROM {prefix}once
 ORDER BY name;
