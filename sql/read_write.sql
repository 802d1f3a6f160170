-- Read-write locks: many readers or one writer. This is the standard form, as H2 runs it.
--
-- A read-write lock is a gate and the readers behind it, two kinds of leases of leases.sql. The writer's wish is the lease on the
-- gate: whoever has it keeps new readers out, and writes when the last reader has left. Three rules make it safe:
--   1. Write, commit, look. A reader makes its row and then looks at the gate; a writer takes the gate and then looks at the readers:
--      each in a transaction that begins after the first one is committed. The look decides.
--   2. A row that is there holds. Time only invites to remove it, under the row lock that a guard takes. So a reader needs a gate without
--      an owner, not one whose time has passed, and a writer needs that no reader's row is left.
--   3. A reader's number is the gate's fence at its look: not below that of any writer before it, and below that of every later one.
--      So there is a gate before there is a reader.
--
-- Every statement is a transaction of its own, and so is each of its steps (autocommit). None waits for a row that someone has locked.

-- fragment: gate_leases
{prefix}gate

-- fragment: reader_leases
{prefix}reader

-- fragment: reader_leaves
-- Its row goes with its release.
true

-- fragment: reader_row
name, owner

-- fragment: reader_l_is_mine
l.name = mine.name AND l.owner = mine.owner

-- fragment: gate_alone
-- The gate of its owner, if no reader is left.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner = :owner AND held_until > {now}
   AND NOT EXISTS (SELECT 1 FROM {prefix}reader WHERE name = :name)

-- name: acquire_reader
-- Lets a reader in for :lease milliseconds. A row with owner = :owner: it is in, and the fence is its number. Another row: the gate
-- of a writer, or of one that waits to write. No row: the gate was made, or freed of an owner that had passed; ask again.
-- The DELETE takes the reader's own row away again where a writer has come meanwhile. It is not sent once the row is ours.
INSERT INTO {prefix}reader (name, owner, holder, fence, acquired_at, held_until)
SELECT name, :owner, :holder, fence, {now}, {now} + :lease
  FROM {prefix}gate
 WHERE name = :name AND owner IS NULL
-- then
SELECT r.name, r.owner, r.holder, g.fence, r.acquired_at, r.held_until, {now} AS read_at
  FROM {prefix}gate AS g JOIN {prefix}reader AS r ON r.name = g.name
 WHERE g.name = :name AND g.owner IS NULL AND r.owner = :owner
UNION ALL
SELECT name, owner, holder, fence, acquired_at, held_until, {now}
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > {now}
-- then unless ours
DELETE FROM {prefix}reader WHERE name = :name AND owner = :owner
-- else
UPDATE {prefix}gate
   SET owner = NULL
 WHERE name IN (SELECT name FROM {prefix}gate
                 WHERE name = :name AND held_until <= {now} FOR UPDATE SKIP LOCKED)
   AND held_until <= {now}
-- else
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO {prefix}gate (name, owner, holder, fence, acquired_at, held_until)
SELECT :name, NULL, NULL, {now_micros}, {now}, {now}
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}gate WHERE name = :name);

-- name: release_readers
-- The same for many (name, owner) pairs; returns the names that were let go.
SELECT name
  FROM OLD TABLE (
    MERGE INTO {prefix}reader AS l
    USING (SELECT name, owner FROM {prefix}reader
            WHERE name = ANY(:names) AND owner = ANY(:owners)
              FOR UPDATE SKIP LOCKED) AS mine
       ON {reader_l_is_mine}
     WHEN MATCHED THEN DELETE);

-- name: enter_gate
-- May who has the gate write now? Sent again and again by a writer until it may. The row of the gate, with owner = :owner: no reader
-- is left. Another row: somebody is still there. No row: the gate is not :owner's any more. Readers whose time has passed are
-- removed, but not one that is locked, as by a guarded transaction.
{gate_alone}
UNION ALL
(SELECT name, owner, holder, fence, acquired_at, held_until, {now}
   FROM {prefix}reader
  WHERE name = :name AND held_until > {now_once}
  FETCH FIRST 1 ROWS ONLY)
-- else
DELETE FROM {prefix}reader
 WHERE name = :name AND held_until <= {now_once}
   AND owner IN (SELECT owner FROM {prefix}reader
                  WHERE name = :name AND held_until <= {now_once} FOR UPDATE SKIP LOCKED)
-- else
{gate_alone}
UNION ALL
(SELECT name, owner, holder, fence, acquired_at, held_until, {now}
   FROM {prefix}reader
  WHERE name = :name
  FETCH FIRST 1 ROWS ONLY);

-- name: downgrade_gate
-- Makes the writer :writer a reader too, while it has the gate; it gives that up when it knows that this is done. One row: it is in.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM FINAL TABLE (
    INSERT INTO {prefix}reader (name, owner, holder, fence, acquired_at, held_until)
    SELECT name, :owner, :holder, fence, {now}, {now} + :lease
      FROM {prefix}gate
     WHERE name = :name AND owner = :writer AND held_until > {now});
