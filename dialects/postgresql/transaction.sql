-- fragment: transaction_number
-- The guard gives it one; else this does.
SELECT txid_current() AS mark

-- name: mark_transaction
{transaction_number};

-- name: find_mark
{transaction_number};

-- name: find_transaction
-- A transaction that has read or written a table of the user's still has it locked; one that has changed something has
-- a number.
SELECT 1 AS found
 WHERE EXISTS (SELECT 1
                 FROM pg_locks
                WHERE pid = pg_backend_pid()
                  AND (locktype = 'transactionid' OR locktype = 'relation' AND relation >= 16384));
