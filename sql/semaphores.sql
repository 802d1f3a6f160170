-- Semaphores: how one of N permits is acquired. What is done with one that is held stands in leases.sql. This is the standard form, as
-- H2 runs it.
--
-- A permit is a slot: a row of (name, slot), with :permits slots from 0 on. Those who ask may differ about :permits, as when it is
-- changed: while a slot at or above the caller's number is held, the caller gets none. To count what is held instead would be wrong:
-- two who count at the same instant both find room for one.
--
-- Every statement is a transaction of its own (autocommit). None waits for a row that someone has locked.

-- fragment: permit_leases
-- The table of this kind of lease.
{prefix}permit

-- fragment: permit_row
name, slot

-- fragment: permit_l_is_mine
l.name = mine.name AND l.slot = mine.slot

-- fragment: permit_slot
slot

-- fragment: all_of_permit
name, slot, owner, holder, fence, acquired_at, held_until

-- fragment: permit_above
-- Somebody still has a slot that the caller's semaphore does not have.
EXISTS (SELECT 1 FROM {prefix}permit AS a WHERE a.name = :name AND a.slot >= :permits AND a.held_until > {now_once})

-- fragment: permit_gap
-- The lowest slot that was never used, or NULL.
(SELECT min(c.slot) AS slot
   FROM (SELECT 0 AS slot UNION ALL SELECT b.slot + 1 FROM {prefix}permit AS b WHERE b.name = :name) AS c
  WHERE c.slot < :permits
    AND NOT EXISTS (SELECT 1 FROM {prefix}permit AS d WHERE d.name = :name AND d.slot = c.slot))

-- fragment: permit_tells
-- A row that says how things stand: it keeps the caller from having any, or has passed, or all slots have been used.
(slot >= :permits AND held_until > {now_once}
        OR slot < :permits AND held_until <= {now_once}
        OR slot < :permits AND (SELECT count(*) FROM {prefix}permit AS e WHERE e.name = :name AND e.slot < :permits) = :permits)

-- fragment: permit_order
-- Those above first, then the lowest that has passed, then the one that passes first.
CASE WHEN slot >= :permits THEN 0 WHEN held_until <= {now_once} THEN 1 ELSE 2 END,
          CASE WHEN slot < :permits AND held_until <= {now_once} THEN slot ELSE held_until END

-- name: acquire_permit
-- Takes the lowest slot below :permits that has passed for :lease milliseconds; else the lowest that was never used. Of the rows that
-- come back, one with owner = :owner means that it is ours; another one is the slot as it was before. If none is ours, the other one
-- tells: held, so all are, or one above is; passed, so it was locked or is just being taken, and should be asked for again. No row at
-- all: two were first at the same instant; ask again.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
(SELECT {all_of_permit}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 FETCH FIRST 1 ROW ONLY)
UNION ALL
SELECT {all_of_permit}, {now}
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
SELECT {all_of_permit}, {now} AS read_at
  FROM FINAL TABLE (
    INSERT INTO {prefix}permit (name, slot, owner, holder, fence, acquired_at, held_until)
    SELECT :name, gap.slot, :owner, :holder, {now_micros}, {now}, {now} + :lease
      FROM {permit_gap} AS gap
     WHERE gap.slot IS NOT NULL AND NOT {permit_above});

-- name: look_permit
-- The row that tells, if there is one. Before an acquire that is likely to be in vain, since it is cheaper: held is held.
SELECT {all_of_permit}, {now} AS read_at
  FROM {prefix}permit
 WHERE name = :name AND {permit_tells}
 ORDER BY {permit_order}
 FETCH FIRST 1 ROW ONLY;
