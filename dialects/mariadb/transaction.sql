-- fragment: in_transaction
-- Also true in the first statement of a transaction.
@@in_transaction = 1

-- name: find_transaction
SELECT 1 AS found
  FROM DUAL
 WHERE {in_transaction};
