-- A setting of the connection, for one statement of ours. Sent only where features.properties says limits_lock_wait.

-- name: find_lock_wait
-- How long a statement on this connection waits for a lock that another one holds, in milliseconds.
SELECT lock_timeout() AS lock_wait;

-- name: limit_lock_wait
-- Sets that to {lock_wait} milliseconds.
SET LOCK_TIMEOUT {lock_wait};
