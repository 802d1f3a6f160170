-- fragment: in_transaction
-- No variable tells.
TRUE

-- name: find_transaction
-- It is refused (1568) within a transaction. Else it gives the next transaction what the session has.
SET @@transaction_read_only = @@session.transaction_read_only;
