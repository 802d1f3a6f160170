-- fragment: transaction_numbers
-- When it began, to the nanosecond; and its number, once it has changed or locked a row. After a rollback to a savepoint
-- it has another beginning. (A savepoint is no mark: the driver releases it without asking the database.)
SELECT 'since ' || EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(9)) AS mark
UNION ALL
SELECT TRANSACTION_ID() WHERE TRANSACTION_ID() IS NOT NULL

-- name: mark_transaction
{transaction_numbers};

-- name: find_mark
{transaction_numbers};
