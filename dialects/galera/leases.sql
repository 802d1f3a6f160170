-- name: guard_lease
-- A row lock is local to its node; at the commit, the nodes compare which rows have changed. So the guard changes the
-- row, by a millisecond that the next renewal takes back. Of a guarded transaction and a takeover at another node, only
-- one is then committed. A row that is not ours may stay locked to the end of the transaction; its program must then
-- roll it back.
UPDATE {leases}
   SET held_until = held_until + 1
 WHERE name = :name AND owner = :owner AND held_until > {now} AND {in_transaction};
