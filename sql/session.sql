-- Settings of the connection, for one statement or one transaction of ours. Features.properties says where they are sent:
-- limits_lock_wait, locks_more_from.

-- name: find_lock_wait
-- How long a statement on this connection waits for a lock that another one holds, in milliseconds.
SELECT lock_timeout() AS lock_wait;

-- name: limit_lock_wait
-- Sets that to {lock_wait} milliseconds.
SET LOCK_TIMEOUT {lock_wait};

-- name: next_read_committed
-- Makes the transaction that has just begun, or the next one, READ COMMITTED. Those after it have the isolation of the
-- session, so nothing is restored.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
