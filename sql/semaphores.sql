-- Semaphores: how one of N permits is acquired. leases.sql has the statements for permits that are held. This is the
-- standard form, as H2 runs it.
--
-- A permit is a slot: a row of (name, slot), with :permits slots from 0 on. Callers may have different numbers
-- :permits, as when the number is being changed. While a slot at or above the caller's number is held, the caller gets
-- none. It would be wrong to count the held slots instead: two callers that count at the same instant both find room
-- for one.
--
-- Every statement is a transaction of its own (autocommit). None waits for a row lock.

-- fragment: permit_leases
-- The table of this kind of lease.
{prefix}permit

-- fragment: permit_row
name, slot

-- fragment: permit_l_is_mine
l.name = mine.name AND l.slot = mine.slot

-- fragment: permit_slot
slot

-- fragment: permit_above
-- A slot is still held that the caller's semaphore does not have.
EXISTS (SELECT 1 FROM {prefix}permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > {now_once})

-- fragment: permit_gap
-- The lowest slot that was never used, or NULL.
(SELECT min(c.slot) AS slot
   FROM (SELECT 0 AS slot UNION ALL SELECT b.slot + 1 FROM {prefix}permit AS b WHERE b.name = :name) AS c
  WHERE c.slot < :permits
    AND NOT EXISTS (SELECT 1 FROM {prefix}permit AS d WHERE d.name = :name AND d.slot = c.slot))

-- fragment: permit_tells
-- A row that decides the answer: a held slot above keeps the caller from any, a slot has expired, or all slots have
-- been used.
(slot >= :permits AND held_until > {now_once}
        OR slot < :permits AND held_until <= {now_once}
        OR slot < :permits AND (SELECT count(*) FROM {prefix}permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)

-- fragment: permit_order
-- Held slots above first, then the lowest expired one, then the one that expires first.
CASE WHEN slot >= :permits THEN 0 WHEN held_until <= {now_once} THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= {now_once} THEN slot ELSE held_until END

-- name: acquire_permit
-- Acquires the lowest slot below :permits that has expired, for :lease milliseconds; else the lowest that was never
-- used. If a row with owner = :owner comes back, the permit is ours. Another row is the slot before. If no row is ours,
-- the other row shows why. Held: all slots are held, or one above is. Expired: the slot was locked, or another caller
-- is acquiring it just now; send it again with a new owner token. No row at all: two callers made the same slot at the
-- same instant; send it again with a new owner token.
-- The condition stands twice: see leases.sql.
-- existing row: changed if it has expired, else kept; of two that add it at the same instant, one may report a duplicate
(SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 FETCH FIRST 1 ROW ONLY)
UNION ALL
SELECT name, slot, {lease_columns}, {now}
  FROM FINAL TABLE (
    UPDATE {prefix}permit
       SET owner = :owner,
           holder = :holder,
           fence = greatest(fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease
     WHERE name = :name
       AND slot = (SELECT f.slot FROM {prefix}permit AS f
                    WHERE f.name = :name AND f.slot < :permits AND f.held_until <= {now_once} AND NOT {permit_above}
                    FETCH FIRST 1 ROW ONLY FOR UPDATE SKIP LOCKED)
       AND held_until <= {now_once})
-- then unless held
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM FINAL TABLE (
    INSERT INTO {prefix}permit (name, slot, {lease_columns})
    SELECT :name, gap.slot, :owner, :holder, {now_micros}, {now}, {now} + :lease
      FROM {permit_gap} AS gap
     WHERE gap.slot IS NOT NULL AND NOT {permit_above});

-- name: look_permit
-- The row that decides, if there is one. It is cheaper than an acquire, so it is sent first when all permits are
-- probably held.
SELECT name, slot, {lease_columns}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 {first_row};
