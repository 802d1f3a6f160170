-- fragment: transaction_numbers
-- When it began, to the nanosecond, in the modes in which the time stands still in a transaction; and its number, once it
-- has changed or locked a row. After a rollback to a savepoint it has another beginning. (A savepoint is no mark: the
-- driver releases it without asking the database.)
SELECT 'since ' || EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(9)) AS mark
  FROM information_schema.settings
 WHERE setting_name = 'MODE' AND setting_value IN ('REGULAR', 'STRICT', 'LEGACY', 'PostgreSQL')
UNION ALL
SELECT TRANSACTION_ID() WHERE TRANSACTION_ID() IS NOT NULL

-- name: mark_transaction
{transaction_numbers};

-- name: find_mark
{transaction_numbers};
