-- fragment: transaction_numbers
-- A query without a table would begin no transaction. It counts, since no row of sys.schemas may be visible, and no
-- row would mean that a savepoint is the mark. A nested transaction is another one: its commit would not commit.
SELECT concat(CURRENT_TRANSACTION_ID(), N'/', @@TRANCOUNT) AS mark FROM (SELECT count(*) AS n FROM sys.schemas) AS one

-- name: mark_transaction
{transaction_numbers};

-- name: find_mark
{transaction_numbers};

-- name: find_transaction
SELECT 1 AS found WHERE @@TRANCOUNT > 0;
