-- Fair locks: a waiter gets a ticket, and the waiters of all processes are served in the order of their tickets. This
-- is the standard form, as H2 runs it.
--
-- A ticket is a lease of leases.sql: its owner renews it while it waits, and it expires if the owner dies. Its fence is
-- its number. A ticket does not give anybody the lock. A waiter that sees that its ticket is the first one acquires the
-- lock in the usual way. So an error here costs the order and never the exclusion. A caller that acquires without a
-- ticket is not kept out.

-- fragment: ticket_leases
{prefix}ticket

-- fragment: ticket_leaves
true

-- fragment: ticket_row
name, owner

-- fragment: ticket_l_is_mine
{reader_l_is_mine}

-- name: acquire_ticket
-- Makes a ticket for :lease milliseconds, with the clock as its number. Tickets of the same microsecond are ordered by
-- their owner tokens.
-- existing row: none, since :owner is random
SELECT name, {lease_columns}, {now} AS read_at
  FROM FINAL TABLE (
    INSERT INTO {prefix}ticket (name, {lease_columns})
    VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease));

-- name: look_turn
-- What is before the ticket of :owner with the :number: the holder of the lock (ahead = 0), and one of the waiters with
-- an earlier ticket (ahead = 1). No row: the ticket's owner may try to acquire.
SELECT 0 AS ahead, name, {lease_columns}, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND held_until > {now}
UNION ALL
(SELECT 1 AS ahead, name, {lease_columns}, {now}
   FROM {prefix}ticket
  WHERE name = :name AND held_until > {now}
    AND (fence < :number OR (fence = :number AND owner < :owner))
  {first_row});
