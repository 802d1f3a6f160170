-- name: add_column
-- ALTER TABLE waits for each open transaction on the table, and every later statement waits behind it. The driver may
-- send the batch as it is (prepareMethod=none): then the setting would stay.
DECLARE @wait int = @@LOCK_TIMEOUT;
SET LOCK_TIMEOUT 1000;
ALTER TABLE {table} ADD {definition};
SET LOCK_TIMEOUT @wait;
