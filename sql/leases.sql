-- The statements for leases of every kind. Each kind has each statement once, for its own table. Its name replaces
-- "lease" in the statement's name, as in renew_locks. This is the standard form: SQL:2011 with FOR UPDATE SKIP LOCKED,
-- as H2 runs it.
--
-- A kind x exists if a file has the fragment x_leases: its table, which has the columns name, owner, holder, fence,
-- acquired_at and held_until. If there is a fragment x_row, the kind x uses it in place of the fragment row; likewise
-- for the other fragments. A statement that a kind's own file names for the kind, as release_x, replaces the one here,
-- in every dialect.
--
-- Every statement is a transaction of its own (autocommit). The exception is guard_lease, the first statement of the
-- caller's transaction. It is also the only statement that waits for a row lock. A condition of a locking subquery is
-- repeated outside of it: otherwise H2 can give one row to two callers.
-- :owner is the owner token: random, and new for every acquire_lease that is sent. It is never sent in a second one.

-- fragment: asked_pairs
-- The (name, owner) pairs of a list.
unnest(cast(:names AS varchar(200) ARRAY), cast(:owners AS varchar(32) ARRAY)) AS pair(name, owner)

-- fragment: row
-- The columns that identify a row.
name

-- fragment: l_is_mine
-- The same row. An owner token is in one row at most, so a kind with many rows of a name may compare the owner.
l.name = mine.name

-- fragment: slot
-- The number of the slot, for a kind that has several rows of a name.
0

-- fragment: renewed
-- The end of a lease that is renewed.
{now_once} + :lease

-- fragment: released
-- The end of a lease that is released: long past, so that it stays free if the clock is set back.
0

-- fragment: is_busy
-- It has an owner, or is held back.
(owner IS NOT NULL OR held_until > {now_once})

-- fragment: listed
SELECT name, {lease_columns}, {now_once} AS read_at
  FROM {leases}
 WHERE owner IS NOT NULL AND held_until > {now_once}

-- fragment: is_idle
-- The row was not used for :retention milliseconds. A released row has no end of its own, so its acquisition counts.
held_until <= {now_once} - :retention AND acquired_at <= {now_once} - :retention

-- fragment: release_one
UPDATE {leases}
   SET held_until = {released}, owner = NULL
 WHERE name IN (SELECT name FROM {leases}
                 WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED)
   AND owner = :owner

-- fragment: release_pairs
-- Clears the owners of those of the (name, owner) pairs that still hold their leases.
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
-- Acquires :name for :lease milliseconds if it is new or its lease has expired. If a row with owner = :owner comes
-- back, the lease is ours. Another row shows the state before: the holder if the acquire failed, the predecessor if it
-- succeeded.
-- An expired row alone: a guarded transaction has it locked, or another caller is acquiring it just now. A row that has
-- not expired and has no owner: held back.
-- No row at all: two callers acquired a new name at the same instant; send it again with a new owner token. The
-- condition stands twice: see above.
-- existing row: changed if it has expired, else kept; of two that add it at the same instant, one may report a duplicate
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name
UNION ALL
SELECT name, {lease_columns}, {now}
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
SELECT name, {lease_columns}, {now}
  FROM FINAL TABLE (
    INSERT INTO {leases} (name, {lease_columns})
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
     WHERE NOT EXISTS (SELECT 1 FROM {leases} WHERE name = :name));

-- name: acquire_each_lease
-- As acquire_lease, for a list of (name, owner) pairs. Each name stands in the list once, and is acquired or not by
-- itself. Kinds have it whose callers are served in batches. The rows that come back are those that acquire_lease would
-- return for each name. An error is one for all: nothing was acquired.
-- existing row: as acquire_lease
SELECT name, {lease_columns}, {now_once} AS read_at
  FROM {leases}
 WHERE name = ANY(:names)
UNION ALL
SELECT name, {lease_columns}, {now_once}
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
SELECT name, {lease_columns}, {now_once}
  FROM FINAL TABLE (
    INSERT INTO {leases} (name, {lease_columns})
    SELECT pair.name, pair.owner, :holder, {now_micros}, {now_once}, {now_once} + :lease
      FROM {asked_pairs}
     WHERE NOT EXISTS (SELECT 1 FROM {leases} AS l WHERE l.name = pair.name)
     ORDER BY pair.name);

-- name: look_lease
-- Reads the row. It is cheaper than an acquire, so it is sent first when the lease is probably held.
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name;

-- name: renew_leases
-- Extends the leases of those (name, owner) pairs that still hold them, to :lease milliseconds from now, and returns
-- their owners. Expired leases are not extended. An owner that is missing has lost its lease, or its row is locked just
-- now: find_leases shows which.
SELECT owner
  FROM FINAL TABLE (
    MERGE INTO {leases} AS l
    USING (SELECT {row} FROM {leases}
            WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once}
              FOR UPDATE SKIP LOCKED) AS mine
       ON {l_is_mine}
     WHEN MATCHED AND l.owner = ANY(:owners) AND l.held_until > {now_once}
     THEN UPDATE SET held_until = {renewed});

-- name: renew_all_leases
-- Extends the leases of those pairs by a plain UPDATE. If the count equals the number of pairs, all were renewed. If it
-- is less, some were not: renew_leases tells which. An error that means "rolled back": a row is locked just now, and
-- none was renewed; renew_leases skips that row. It is sent only where it cannot wait for long: see
-- features.properties.
UPDATE {leases}
   SET held_until = {renewed}
 WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once};

-- name: find_leases
-- Reads, without a row lock, those of the (name, owner) pairs that still hold their leases. Expired leases are left
-- out.
SELECT name, {slot} AS slot, {lease_columns}, {now_once} AS read_at
  FROM {leases}
 WHERE name = ANY(:names) AND owner = ANY(:owners) AND held_until > {now_once};

-- name: release_lease
-- Ends the lease and clears its owner. One row = the lease was still ours. No row = it is not ours, or the row is
-- locked just now; send it again later if you must know.
{release_one};

-- name: release_unguarded_lease
-- The same for a lease that was never guarded and is not being renewed. A plain UPDATE, where that is less work. An
-- error that means "rolled back": the row is locked just now. For locks only.
{release_one};

-- name: leave_lease
-- Replaces release_lease for a kind x whose row is deleted when it is released: there is a fragment x_leaves. One row =
-- the lease was still ours. No row = it is not ours, or the row is locked just now.
DELETE FROM {leases}
 WHERE name = :name AND owner = :owner
   AND owner IN (SELECT owner FROM {leases}
                  WHERE name = :name AND owner = :owner FOR UPDATE SKIP LOCKED);

-- name: release_leases
-- As release_lease for many (name, owner) pairs; returns the names that were released.
{release_pairs};

-- name: release_each_lease
-- As release_lease for a list of (name, owner) pairs, each name once; returns the names that were released. Kinds have
-- it whose callers are served in batches.
{release_pairs};

-- name: guard_lease
-- Locks the row until the caller's transaction ends, so that nobody can take the lease over before it commits. One row
-- = the lease is ours, and will be at the commit. It must be the first statement of the transaction. Outside of a
-- transaction it guards nothing: the caller must know that it is in one.
-- transaction: the caller's
SELECT fence
  FROM {leases}
 WHERE name = :name AND owner = :owner AND held_until > {now}
   FOR UPDATE;

-- name: break_lease
-- Takes the lease from its holder by force, and frees one that is held back. The row before comes back first, if it had
-- a holder. Then comes the row after, without an owner, unless it is locked just now.
SELECT name, {lease_columns}, {now} AS read_at
  FROM {leases}
 WHERE name = :name AND owner IS NOT NULL
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM FINAL TABLE (
    UPDATE {leases}
       SET held_until = 0, owner = NULL
     WHERE name IN (SELECT name FROM {leases}
                     WHERE name = :name AND {is_busy} FOR UPDATE SKIP LOCKED)
       AND {is_busy});

-- name: list_leases
-- All leases that are held, by name.
{listed}
 ORDER BY name;

-- name: purge_leases
-- Deletes up to :batch rows that were not used for :retention milliseconds, and skips locked ones. A row changed, or
-- one returned, means that there may be more. A new row of the same name starts with the clock as its fence, which is
-- greater than the old fence.
DELETE FROM {leases}
 WHERE ({row}) IN (SELECT {row} FROM {leases}
                  WHERE {is_idle}
                  FETCH FIRST :batch ROWS ONLY FOR UPDATE SKIP LOCKED)
   AND {is_idle};
