-- Locks: leases with nothing but a name. leases.sql has most of their statements.

-- fragment: lock_leases
-- The table of this kind of lease.
{prefix}lock

-- fragment: held_lock_leases
-- The same table, for locks that are held back: they stay busy for :hold milliseconds from their acquisition, even if
-- they are released before. They too are acquired by acquire_lock, for :hold if that is longer than the lease.
{prefix}lock

-- fragment: held_lock_renewed
-- A renewal never brings the end forward.
greatest(held_until, {now_once} + :lease)

-- fragment: held_lock_released
-- Without an owner and not yet expired means held back.
CASE WHEN acquired_at + :hold > {now_once} THEN acquired_at + :hold ELSE 0 END

-- fragment: is_old
-- 1 where the transaction may have a snapshot from before its lock. The row does not tell, since nobody changes it.
0

-- name: guard_free_lock
-- Locks the row of :name for one transaction, if its lease has expired and nobody has it locked. One row = it is locked
-- until that transaction ends. If it says is_old, the transaction must be rolled back: it may not see what the one
-- before it has committed. No row = busy, or new: look_lock shows which. A new one is added by make_locks, and not in
-- this transaction. It is the first statement there, outside of any savepoint. If it has an owner, a lease has expired:
-- take_expired_lock comes next.
-- transaction: the caller's
SELECT {is_old} AS is_old, owner
  FROM {prefix}lock
 WHERE name = :name AND held_until <= {now}
   FOR UPDATE SKIP LOCKED;

-- name: take_expired_lock
-- Takes the lock from its last holder, whose lease has expired, for the transaction that guard_free_lock has locked it
-- for. A lease that was once passed over must not come back, as by a clock that is set back, or by its fence.
-- transaction: the caller's
UPDATE {prefix}lock
   SET owner = NULL, held_until = 0
 WHERE name = :name;

-- name: retake_lock
-- Acquires :name again for :lease milliseconds if its row is as this instance released it: expired, without an owner,
-- with :known_fence, the fence of the released lease. The same fence proves that the lock was not acquired since. One
-- row = the lock is ours, and this is its new fence. No row, or an error that means "rolled back" = the row has changed
-- or is locked, and nothing was done; acquire_lock finds out, and may have the same owner token. Never send it after a
-- lease that was guarded: its guard may still be open, and a plain UPDATE may pass under it.
-- The fence is returned as a generated key. The locking subquery stands behind "=", which costs H2 a fifth less than IN.
-- key: fence
UPDATE {prefix}lock
   SET owner = :owner,
       holder = :holder,
       fence = greatest(fence + 1, {now_once} * 1000),
       acquired_at = {now_once},
       held_until = {now_once} + :lease
 WHERE name = (SELECT name FROM {prefix}lock
                WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= {now_once}
                  FOR UPDATE SKIP LOCKED)
   AND fence = :known_fence AND owner IS NULL AND held_until <= {now_once};

-- name: retake_each_lock
-- The same for a list of locks, each name once, each for itself. One row = that lock is ours, with its new fence; nothing
-- was done to the others. An error counts for all: no lock was acquired.
SELECT name, fence
  FROM FINAL TABLE (
    MERGE INTO {prefix}lock AS l
    USING (SELECT l.name, known.owner, known.fence
             FROM unnest(cast(:names AS varchar(200) ARRAY), cast(:owners AS varchar(32) ARRAY),
                         cast(:known_fences AS bigint ARRAY)) AS known(name, owner, fence)
             JOIN {prefix}lock AS l ON l.name = known.name
            WHERE l.fence = known.fence AND l.owner IS NULL AND l.held_until <= {now_once}
              FOR UPDATE SKIP LOCKED) AS known
       ON l.name = known.name
     WHEN MATCHED AND l.fence = known.fence AND l.owner IS NULL AND l.held_until <= {now_once}
     THEN UPDATE SET owner = known.owner,
                     holder = :holder,
                     fence = greatest(l.fence + 1, {now_once} * 1000),
                     acquired_at = {now_once},
                     held_until = {now_once} + :lease);

-- name: look_locks
-- The rows of the list that exist.
SELECT name, {lease_columns}, {now_once} AS read_at
  FROM {prefix}lock
 WHERE name = ANY(:names);

-- name: make_locks
-- Adds the rows of the list that do not exist, as free locks.
-- existing row: kept; of two that add it at the same instant, one may report a duplicate: send it again
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT pair.name, NULL, NULL, {now_micros}, {now_once}, 0
  FROM {asked_pairs}
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}lock AS l WHERE l.name = pair.name);

-- name: acquire_locks
-- Acquires those of the list, sorted by name, that have expired and are not locked; returns them. If there are fewer
-- than asked for, none may be kept. The order of other callers does not matter, since nobody waits for a row lock.
SELECT name, {lease_columns}, {now_once} AS read_at
  FROM FINAL TABLE (
    MERGE INTO {prefix}lock AS l
    USING (SELECT name FROM {prefix}lock
            WHERE name = ANY(:names) AND held_until <= {now_once}
              FOR UPDATE SKIP LOCKED) AS free
       ON l.name = free.name
     WHEN MATCHED AND l.held_until <= {now_once}
     THEN UPDATE SET owner = (SELECT pair.owner FROM {asked_pairs} WHERE pair.name = l.name),
                     holder = :holder,
                     fence = greatest(fence + 1, {now_micros}),
                     acquired_at = {now_once},
                     held_until = {now_once} + :lease);

-- name: delete_lock
-- Deletes the row of a released lock. Only the doctor does so, for a name of its own.
DELETE FROM {prefix}lock WHERE name = :name AND owner IS NULL;
