-- The transaction that a connection is in.

-- name: probe_transaction
-- Sent before a commit, if a statement of the transaction has failed. An error = the database accepts nothing more in
-- this transaction, and would answer the commit with a rollback.
-- transaction: the caller's
SELECT 1 AS found;

-- name: find_transaction
-- A row, or an error that refuses the statement = the connection has a transaction in which something was done. The
-- statement may begin one itself: roll back after it.
-- transaction: the caller's
SELECT 1 AS found
  FROM information_schema.sessions
 WHERE session_id = session_id() AND contains_uncommitted;
