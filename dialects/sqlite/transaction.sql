-- name: find_transaction
-- It is refused within a transaction.
BEGIN;
