-- Locks: a lease by name and nothing else. Every statement is the one that leases.sql has for all kinds.

-- fragment: lock_leases
-- The table of this kind of lease.
{prefix}lock

-- fragment: held_lock_leases
-- The same table, for locks that stay busy for a while at least (:hold milliseconds from their acquisition), even if they are given
-- back before. They are acquired by acquire_lock too, for :hold if that is longer than the lease.
{prefix}lock

-- fragment: held_lock_renewed
-- Never sooner than it was.
greatest(held_until, {now_once} + :lease)

-- fragment: held_lock_released
-- With no owner and still not passed: held back.
greatest({now_once}, acquired_at + :hold)

-- name: retake_lock
-- Takes :name again for :lease milliseconds if its row is still as this program gave it back: without an owner, passed, and with
-- :known_fence, the fence of the lease that was given back, since nobody has had the lock after that. One row = it is ours, and this is its
-- new fence. None, or an error that says "rolled back" = it is not so or somebody has it locked, nothing was changed, and acquire_lock tells
-- the rest. Not to be sent after a lease that was guarded: its guard may still be open, and a plain UPDATE may pass under it.
-- The fence comes back with the count. The locking subquery stands behind "=", which costs H2 a fifth less than IN.
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
-- The same for a list of locks at once, each name once, each for itself. A row = that lock is ours, with its new fence; nothing was done to
-- the others. An error is one for all: nothing was taken.
SELECT name, fence
  FROM FINAL TABLE (
    MERGE INTO {prefix}lock AS l
    USING (SELECT l.name, known.owner, known.fence
             FROM unnest(cast(:names AS varchar(200) ARRAY), cast(:owners AS varchar(32) ARRAY),
                         cast(:known_fences AS bigint ARRAY)) AS known(name, owner, fence)
             JOIN {prefix}lock AS l ON l.name = known.name
            WHERE l.fence = known.fence AND l.owner IS NULL AND l.held_until <= {now_once}
              FOR UPDATE SKIP LOCKED) AS free
       ON l.name = free.name
     WHEN MATCHED AND l.fence = free.fence AND l.owner IS NULL AND l.held_until <= {now_once}
     THEN UPDATE SET owner = free.owner,
                     holder = :holder,
                     fence = greatest(l.fence + 1, {now_once} * 1000),
                     acquired_at = {now_once},
                     held_until = {now_once} + :lease);

-- name: look_locks
-- Those of the list that are there, as they are.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {prefix}lock
 WHERE name = ANY(:names);

-- name: make_locks
-- Makes the rows of the list that are not there, free. Error: somebody else made one at the same instant; ask again.
INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name, NULL, NULL, {now_micros}, {now_once}, {now_once}
  FROM {asked_pairs}
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}lock AS l WHERE l.name = pair.name);

-- name: acquire_locks
-- Takes those of the list, sorted by name, that have passed and that nobody has locked; returns them. Fewer than asked for: none may be
-- kept. Since nobody waits for a row, the order in which others take theirs does not matter.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
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
