-- name: guard_lease
-- A row lock is a node's own; what the nodes compare at the commit is what has changed. So the row is changed, by a millisecond that the
-- next renewal takes back, and of a guarded transaction and a takeover at another node only one is committed. A row that is
-- not ours may stay locked up to the end of the transaction, which its program then rolls back.
UPDATE {leases}
   SET held_until = held_until + 1
 WHERE name = :name AND owner = :owner AND held_until > {now};

-- name: renew_leases
-- A node runs a statement again by itself that collided at its commit (wsrep_retry_autocommit), and the rows that it told before stay told.
-- In a block, which is a transaction, the collision is an error.
BEGIN NOT ATOMIC
    {begin};
    {renewing_pairs};
    COMMIT;
END;

-- name: release_each_lease
BEGIN NOT ATOMIC
    {begin};
    {letting_go_of_pairs}
    RETURNING name;
    COMMIT;
END;
