-- Once a period: what somebody has done, and so is not to be done again for a while. This is the standard form, as H2 runs it.
--
-- A row says what has happened, not when it is due: that is for the one who asks, so that a changed period counts at once.
-- Every statement is a transaction of its own (autocommit). None waits for a row that someone has locked.

-- fragment: once_leases
{prefix}once

-- fragment: all_of_once
name, owner, holder, fence, acquired_at, held_until, succeeded_at, retry_at, failures, failed_at, error, duration_ms

-- fragment: once_is_due
-- Nobody is at it, and it is time: :every milliseconds after the last success, or, by a calendar that only the caller knows, at
-- :due, if the last success is still the one that the caller has :seen (-1 = none, -2 = does not matter).
held_until <= {now_once} AND retry_at <= {now_once} AND coalesce(succeeded_at + :every, 0) <= {now_once}
       AND :due <= {now_once} AND (:seen = -2 OR coalesce(succeeded_at, -1) = :seen)

-- name: acquire_once
-- Takes :name for :lease milliseconds if it is due. Of the rows that come back, one with owner = :owner means that it is ours to do;
-- another one is the row as it was before. If none is ours, that one tells: it has an owner whose time has not come, or it is not
-- due, or somebody is just taking it. Who takes it from somebody who has not answered counts that as a failure.
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
    INSERT INTO {prefix}once (name, owner, holder, fence, acquired_at, held_until, retry_at, failures)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease, 0, 0
     WHERE NOT EXISTS (SELECT 1 FROM {prefix}once WHERE name = :name));

-- name: look_once
-- The row as it is.
SELECT {all_of_once}, {now} AS read_at
  FROM {prefix}once
 WHERE name = :name;

-- name: complete_once
-- It is done. One row = it was still ours. No row = it is not ours any more, or locked just now.
UPDATE {prefix}once
   SET duration_ms = {now_once} - acquired_at,
       succeeded_at = {now_once},
       retry_at = 0,
       failures = 0,
       held_until = least(held_until, {now_once}),
       owner = NULL
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner;

-- name: fail_once
-- It was tried in vain, and is due again after :delay milliseconds. The same answer.
UPDATE {prefix}once
   SET duration_ms = {now_once} - acquired_at,
       failed_at = {now_once},
       error = :error,
       retry_at = {now_once} + :delay,
       failures = failures + 1,
       held_until = least(held_until, {now_once}),
       owner = NULL
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner;

-- name: forget_once
-- As if it had never been done, nor been tried in vain: due at once. The same answer: no row = it is not there, or somebody is at it.
UPDATE {prefix}once
   SET succeeded_at = NULL,
       retry_at = 0
 WHERE name IN (SELECT name FROM {prefix}once
                 WHERE name = :name AND held_until <= {now_once} FOR UPDATE SKIP LOCKED)
   AND held_until <= {now_once};

-- name: list_onces
-- All of them, by name.
SELECT {all_of_once}, {now_once} AS read_at
  FROM {prefix}once
 ORDER BY name;
