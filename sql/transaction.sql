-- The transaction that a connection is in.

-- name: mark_transaction
-- Sent before a text that may end the transaction; and before a commit, if a statement of the transaction has failed.
-- No rows = a savepoint marks the transaction. Rows = its numbers, as "mark". An error = the database accepts nothing
-- more in it, and would answer the commit with a rollback.
-- transaction: the caller's
SAVEPOINT dibs_mark;

-- name: find_mark
-- Sent after that text. No rows = the transaction is the same. Rows = its numbers: it is the same if one was there
-- before. Refused, where a savepoint is the mark = the text has ended the transaction.
-- transaction: the caller's
RELEASE SAVEPOINT dibs_mark;

-- name: find_transaction
-- A row, or an error that refuses the statement = the connection has a transaction in which something was done. The
-- statement may begin one itself: roll back after it.
-- transaction: the caller's
SELECT 1 AS found
  FROM information_schema.sessions
 WHERE session_id = session_id() AND contains_uncommitted;
