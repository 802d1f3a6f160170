-- name: find_transaction
SELECT 1 AS found WHERE @@TRANCOUNT > 0;
