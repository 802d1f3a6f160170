-- Read-write locks: many readers or one writer. This is the standard form, as H2 runs it.
--
-- A read-write lock is a gate and the readers behind it, two kinds of leases of leases.sql. The writer's intent is the
-- lease on the gate: it keeps new readers out, and its holder writes when the last reader has left. Three rules make it
-- safe:
--   1. Write, commit, look. A reader adds its row and then looks at the gate. A writer acquires the gate and then looks
--      at the readers. Each looks in a transaction that begins after its write is committed. The look decides.
--   2. A row that exists holds, even if it has expired. An expired row may be removed, under the row lock that a guard
--      takes. So a reader needs a gate without an owner, and a writer needs that no reader's row is left.
--   3. A reader's fence is the gate's fence at its look: at least that of every writer before it, and less than that of
--      every later one. So a gate exists before there is a reader.
--
-- Rule 1 is enough. Say that a reader's look finds the gate open, and the reader's row exists. A writer whose gate is
-- committed later also looks later: it finds that row until the row is released, or has expired and is removed. A writer
-- whose gate was committed earlier had given it up by then, by a release or a takeover. Nothing depends on the order of
-- two reads in one statement, nor on its snapshot being that of one instant. src/lab/model/Shared.tla checks the same
-- with lost and late statements and answers.
-- A reader whose acquire was not answered never gets in by it, though its row may exist: the step that deletes the row
-- may still be on its way. Release that row, and acquire with a new owner token.
-- The next writer deletes the rows of readers that vanished; a purge does when nobody writes for long.
--
-- Every statement is a transaction of its own, and so is each of its steps (autocommit). None waits for a row lock.

-- fragment: gate_leases
{prefix}gate

-- fragment: reader_leases
{prefix}reader

-- fragment: reader_leaves
-- A release deletes the row.
true

-- fragment: reader_row
name, owner

-- fragment: reader_l_is_mine
l.name = mine.name AND l.owner = mine.owner

-- fragment: gate_alone
-- The gate of its owner, if no reader is left.
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner = :owner AND held_until > {now}
   AND NOT EXISTS (SELECT 1 FROM {prefix}reader WHERE name = :name)

-- name: acquire_reader
-- Admits a reader for :lease milliseconds. A row with owner = :owner: the reader is admitted, with that fence. Another
-- row: the gate of a writer, or of a waiting writer. No row: the gate was added, or freed of an expired owner; send it
-- again with a new owner token.
-- The DELETE removes the reader's own row if a writer has come in between. It is not sent once the reader is admitted.
-- existing row: none of a reader, since :owner is random; a gate is kept, and of two that add it at the same instant,
-- one may report a duplicate
INSERT INTO {prefix}reader (name, {lease_columns})
SELECT name, :owner, :holder, fence, {now}, {now} + :lease
  FROM {prefix}gate
 WHERE name = :name AND owner IS NULL
-- then
SELECT r.name, r.owner, r.holder, g.fence, r.acquired_at, r.held_until, {now} AS read_at
  FROM {prefix}gate AS g JOIN {prefix}reader AS r ON r.name = g.name
 WHERE g.name = :name AND g.owner IS NULL AND r.owner = :owner
UNION ALL
SELECT name, {lease_columns}, {now}
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL AND held_until > {now}
-- then unless ours
DELETE FROM {prefix}reader WHERE name = :name AND owner = :owner
-- else
UPDATE {prefix}gate
   SET held_until = 0, owner = NULL
 WHERE name IN (SELECT name FROM {prefix}gate
                 WHERE name = :name AND held_until <= {now} FOR UPDATE SKIP LOCKED)
   AND held_until <= {now}
-- else
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}gate
 WHERE name = :name AND owner IS NOT NULL
-- else
INSERT INTO {prefix}gate (name, {lease_columns})
SELECT :name, NULL, NULL, {now_micros}, {now}, 0
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}gate WHERE name = :name);

-- name: release_readers
-- As release_reader for many (name, owner) pairs; returns the names that were released.
SELECT name
  FROM OLD TABLE (
    MERGE INTO {prefix}reader AS l
    USING (SELECT name, owner FROM {prefix}reader
            WHERE name = ANY(:names) AND owner = ANY(:owners)
              FOR UPDATE SKIP LOCKED) AS mine
       ON {reader_l_is_mine}
     WHEN MATCHED THEN DELETE);

-- name: enter_gate
-- Asks whether the owner of the gate may write now. A writer sends it again until it may. The row of the gate, with
-- owner = :owner: no reader is left. Another row: a reader is still there. No row: the gate is not :owner's any more.
-- Expired readers are removed, except locked ones, as by a guarded transaction.
{gate_alone}
UNION ALL
(SELECT name, {lease_columns}, {now}
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
(SELECT name, {lease_columns}, {now}
   FROM {prefix}reader
  WHERE name = :name
  FETCH FIRST 1 ROWS ONLY);
