-- fragment: in_transaction
-- No variable tells.
TRUE

-- name: find_transaction
-- It is refused (1568) within a transaction. Else it holds for the next transaction, and the rollback takes it back.
SET TRANSACTION READ WRITE;
