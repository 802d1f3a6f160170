-- name: find_transaction
-- A transaction that has read or written a table of the user's still has it locked; one that has changed something has
-- a number.
SELECT 1 AS found
 WHERE EXISTS (SELECT 1
                 FROM pg_locks
                WHERE pid = pg_backend_pid()
                  AND (locktype = 'transactionid' OR locktype = 'relation' AND relation >= 16384));
