-- What is done with leases of every kind: each statement is there once for each kind, over the kind's own table, with the kind's
-- name in the place of "lease", as in renew_locks. This is the standard form: SQL:2011 with FOR UPDATE SKIP LOCKED, as H2 runs it.
--
-- A kind x is there if a file has the fragment x_leases: its table, which has the columns name, owner, holder, fence, acquired_at and
-- held_until. Of another fragment, as row, the kind gets its own, x_row, if there is one. A statement that a kind's own file has
-- under the kind's name, as release_x, stands in the place of the one here, in every dialect.
--
-- Every statement is a transaction of its own (autocommit), but guard_lease, which is the first one in the caller's.
-- No statement waits for a row that someone has locked, but guard_lease.
-- :owner is a fresh random token for every acquire_lease that is sent; it is never sent in a second one.

-- fragment: asked_pairs
-- The (name, owner) pairs of a list.
unnest(cast(:names AS varchar(200) ARRAY), cast(:owners AS varchar(32) ARRAY)) AS pair(name, owner)

-- fragment: row
-- The columns that tell one row from all others.
name

-- fragment: l_is_mine
-- The same row. A token is one row's at most, so that a kind with many rows of a name may look at the owner.
l.name = mine.name

-- fragment: slot
-- Which of several of one name it is, where a kind has several.
0

-- fragment: renewed
-- The end of a lease that is renewed.
{now_once} + :lease

-- fragment: released
-- The end of a lease that is given back.
least(held_until, {now_once})

-- fragment: letting_go_of_one
UPDATE {leases}
   SET held_until = {released}, owner = NULL
 WHERE name IN (SELECT name FROM {leases}
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner

-- fragment: letting_go_of_pairs
-- Gives up the owners of those of the (name, owner) pairs that are still theirs.
SELECT name
  FROM FINAL TABLE (
    MERGE INTO {leases} AS l
    USING (SELECT {row} FROM {leases}
            WHERE name = ANY(:names) AND owner = ANY(:owners)
              FOR UPDATE SKIP LOCKED) AS mine
       ON {l_is_mine}
     WHEN MATCHED AND l.owner = ANY(:owners)
     THEN UPDATE SET held_until = {released}, owner = NULL)

-- name: acquire_lease
-- Takes :name for :lease milliseconds if it is new or has passed. Of the rows that come back, one with owner = :owner
-- means that it is ours; another one is the row as it was before: the holder if we lost, the predecessor if we won.
-- A row that has passed, and still not ours: locked by a guarded transaction, or just being taken. A row that has not passed and
-- has no owner: held back.
-- No row at all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {leases}
 WHERE name = :name
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    UPDATE {leases}
       SET owner = :owner,
           holder = :holder,
           fence = greatest(fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease
     WHERE name IN (SELECT name FROM {leases}
                     WHERE name = :name AND held_until <= {now} FOR UPDATE SKIP LOCKED)
       AND held_until <= {now})
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    INSERT INTO {leases} (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
     WHERE NOT EXISTS (SELECT 1 FROM {leases} WHERE name = :name));

-- name: acquire_each_lease
-- The same for a list of (name, owner) pairs at once, each name once, each for itself: for x, where its callers go together. The rows
-- that come back are those that acquire_lease would return for each name. An error is one for all: nothing was taken.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {leases}
 WHERE name = ANY(:names)
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once}
  FROM FINAL TABLE (
    MERGE INTO {leases} AS l
    USING (SELECT name FROM {leases}
            WHERE name = ANY(:names) AND held_until <= {now_once}
              FOR UPDATE SKIP LOCKED) AS free
       ON l.name = free.name
     WHEN MATCHED AND l.held_until <= {now_once}
     THEN UPDATE SET owner = (SELECT pair.owner FROM {asked_pairs} WHERE pair.name = l.name),
                     holder = :holder,
                     fence = greatest(fence + 1, {now_micros}),
                     acquired_at = {now_once},
                     held_until = {now_once} + :lease)
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once}
  FROM FINAL TABLE (
    INSERT INTO {leases} (name, owner, holder, fence, acquired_at, held_until)
    SELECT pair.name, pair.owner, :holder, {now_micros}, {now_once}, {now_once} + :lease
      FROM {asked_pairs}
     WHERE NOT EXISTS (SELECT 1 FROM {leases} AS l WHERE l.name = pair.name)
     ORDER BY pair.name);

-- name: look_lease
-- The row as it is. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {leases}
 WHERE name = :name;

-- name: renew_leases
-- Extends those of the (name, owner) pairs that are still theirs and have not passed to :lease milliseconds from now, and
-- returns their owners. One that does not come back is lost, or locked just now: find_leases tells which.
SELECT owner
  FROM FINAL TABLE (
    MERGE INTO {leases} AS l
    USING (SELECT {row} FROM {leases}
            WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once}
              FOR UPDATE SKIP LOCKED) AS mine
       ON {l_is_mine}
     WHEN MATCHED AND l.owner = ANY(:owners) AND l.held_until > {now_once}
     THEN UPDATE SET held_until = {renewed});

-- name: find_leases
-- Reads, without a lock, those of the (name, owner) pairs that are still theirs and have not passed.
SELECT name, {slot} AS slot, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {leases}
 WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once};

-- name: release_lease
-- Lets the lease pass now and gives up its owner. One row = it was still ours. No row = it is not ours, or locked just
-- now; whoever must know sends it again later.
{letting_go_of_one};

-- name: release_unguarded_lease
-- The same for a lease that was never guarded and is not being renewed, so that nobody else should have its row locked: where that
-- is less work, by a plain UPDATE. An error that says "rolled back" = locked just now, too. For locks.
{letting_go_of_one};

-- name: leave_lease
-- In the place of release_lease, for a kind whose row goes with it: for x, if there is a fragment x_leaves. One row = it was still
-- ours; no row = it is not ours, or locked just now.
DELETE FROM {leases}
 WHERE name = :name AND owner = :owner
   AND owner IN (SELECT owner FROM {leases}
                  WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED);

-- name: release_leases
-- The same for many (name, owner) pairs; returns the names that were let go.
{letting_go_of_pairs};

-- name: release_each_lease
-- The same as release_lease for a list of (name, owner) pairs at once, each name once; returns the names that were let go. For x,
-- where its callers go together.
{letting_go_of_pairs};

-- name: guard_lease
-- Locks the row until the caller's transaction ends, so that nobody can take the lock over before it commits.
-- One row = it is ours, and will be at the commit. The first statement of the transaction.
-- transaction: the caller's
SELECT fence
  FROM {leases}
 WHERE name = :name AND owner = :owner AND held_until > {now}
   FOR UPDATE;

-- name: break_lease
-- Takes the lock from whoever has it. The row as it was comes back, in the first place, if there was a holder; and the row
-- as it is now, with no owner, unless it was locked just now.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner IS NOT NULL
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM FINAL TABLE (
    UPDATE {leases}
       SET held_until = least(held_until, {now}), owner = NULL
     WHERE name IN (SELECT name FROM {leases}
                     WHERE name = :name AND owner IS NOT NULL FOR UPDATE SKIP LOCKED)
       AND owner IS NOT NULL);

-- name: list_leases
-- Who holds what, by name.
SELECT name, owner, holder, fence, acquired_at, held_until, {now_once} AS read_at
  FROM {leases}
 WHERE owner IS NOT NULL AND held_until > {now_once}
 ORDER BY name;

-- name: purge_leases
-- Deletes up to :batch rows that have been free for :retention milliseconds, skipping locked ones.
-- A row changed, or one returned, means that there may be more. A new row of the name
-- starts with the clock as its fence, which is beyond the old one.
DELETE FROM {leases}
 WHERE ({row}) IN (SELECT {row} FROM {leases}
                  WHERE held_until <= {now_once} - :retention
                  FETCH FIRST :batch ROWS ONLY FOR UPDATE SKIP LOCKED)
   AND held_until <= {now_once} - :retention;
