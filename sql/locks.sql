-- Leases. This is the standard form: SQL:2011 with FOR UPDATE SKIP LOCKED, as H2 runs it.
--
-- Every statement is a transaction of its own (autocommit), but guard_lock, which is the first one in the caller's.
-- No statement waits for a row that someone has locked, but guard_lock.
-- :owner is a fresh random token for every acquire_lock that is sent; it is never sent in a second one.

-- name: acquire_lock
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    UPDATE {prefix}lock
       SET owner = :owner,
           holder = :holder,
           fence = greatest(fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease
     WHERE name IN (SELECT name FROM {prefix}lock
                     WHERE name = :name AND held_until <= {now} FOR UPDATE SKIP LOCKED)
       AND held_until <= {now})
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
     WHERE NOT EXISTS (SELECT 1 FROM {prefix}lock WHERE name = :name));

-- name: look_lock
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name;

-- name: renew_locks
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_locks tells which.
SELECT owner
  FROM FINAL TABLE (
    MERGE INTO {prefix}lock AS l
    USING (SELECT name FROM {prefix}lock
            WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once}
              FOR UPDATE SKIP LOCKED) AS mine
       ON l.name = mine.name
     WHEN MATCHED AND l.owner = ANY(:owners) AND l.held_until > {now_once}
     THEN UPDATE SET held_until = {now_once} + :lease);

-- name: find_locks
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {prefix}lock
 WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once};

-- name: release_lock
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
UPDATE {prefix}lock
   SET held_until = least(held_until, {now_once}), owner = NULL
 WHERE name IN (SELECT name FROM {prefix}lock
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner;

-- name: release_locks
-- The same for many (name, owner) pairs; returns the names that were let go.
SELECT name
  FROM FINAL TABLE (
    MERGE INTO {prefix}lock AS l
    USING (SELECT name FROM {prefix}lock
            WHERE name = ANY(:names) AND owner = ANY(:owners)
              FOR UPDATE SKIP LOCKED) AS mine
       ON l.name = mine.name
     WHEN MATCHED AND l.owner = ANY(:owners)
     THEN UPDATE SET held_until = least(held_until, {now_once}), owner = NULL);

-- name: guard_lock
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
SELECT fence
  FROM {prefix}lock
 WHERE name = :name AND owner = :owner AND held_until > {now}
   FOR UPDATE;

-- name: break_lock
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner IS NOT NULL
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    UPDATE {prefix}lock
       SET held_until = least(held_until, {now}), owner = NULL
     WHERE name IN (SELECT name FROM {prefix}lock
                     WHERE name = :name AND owner IS NOT NULL FOR UPDATE SKIP LOCKED)
       AND owner IS NOT NULL);

-- name: list_locks
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {prefix}lock
 WHERE owner IS NOT NULL AND held_until > {now_once}
 ORDER BY name;

-- name: purge_locks
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM {prefix}lock
 WHERE name IN (SELECT name FROM {prefix}lock
                 WHERE held_until <= {now_once} - :retention
                 FETCH FIRST :batch ROWS ONLY FOR UPDATE SKIP LOCKED)
   AND held_until <= {now_once} - :retention;
