-- Fair locks: who waits takes a ticket, and whoever came before goes first, over all processes. This is the standard form, as H2 runs it.
--
-- A ticket is a lease of leases.sql: it is renewed while its owner waits, and passes if that dies. Its fence is its number. It gives
-- nobody the lock: who has the first ticket, as a look tells, asks for the lock as everybody does. So an error here costs the order
-- and never the exclusion, and who does not take part (asks without a look) is not kept out.

-- fragment: ticket_leases
{prefix}ticket

-- fragment: ticket_leaves
true

-- fragment: ticket_row
name, owner

-- fragment: ticket_l_is_mine
{reader_l_is_mine}

-- name: acquire_ticket
-- A ticket for :lease milliseconds, with the clock as its number. Two of the same microsecond go by their tokens.
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM FINAL TABLE (
    INSERT INTO {prefix}ticket (name, owner, holder, fence, acquired_at, held_until)
    VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease));

-- name: look_turn
-- Who is in the way of the ticket of :owner with the :number: whoever has the lock (ahead = 0), and one of those who wait and came
-- before (ahead = 1). No row: it is worth to ask.
SELECT 0 AS ahead, name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND held_until > {now}
UNION ALL
(SELECT 1 AS ahead, name, owner, holder, fence, acquired_at, held_until, {now}
   FROM {prefix}ticket
  WHERE name = :name AND held_until > {now}
    AND (fence < :number OR (fence = :number AND owner < :owner))
  FETCH FIRST 1 ROWS ONLY);
