-- fragment: transaction_numbers
-- A query without a table would begin no transaction. A nested transaction is another one: its commit would not commit.
SELECT TOP (1) concat(CURRENT_TRANSACTION_ID(), N'/', @@TRANCOUNT) AS mark FROM sys.schemas

-- name: mark_transaction
{transaction_numbers};

-- name: find_mark
{transaction_numbers};

-- name: find_transaction
SELECT 1 AS found WHERE @@TRANCOUNT > 0;
