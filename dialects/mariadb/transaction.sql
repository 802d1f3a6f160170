-- name: find_transaction
SELECT 1 AS found
  FROM DUAL
 WHERE @@in_transaction = 1;
