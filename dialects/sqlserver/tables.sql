-- name: add_column
-- ALTER TABLE waits for each open transaction on the table, and every later statement waits behind it. The driver may
-- send the batch as it is (prepareMethod=none): then the setting would stay. Under XACT_ABORT an error ends the batch.
DECLARE @wait int = @@LOCK_TIMEOUT;
SET LOCK_TIMEOUT 1000;
BEGIN TRY
    ALTER TABLE {table} ADD {definition};
END TRY
BEGIN CATCH
    SET LOCK_TIMEOUT @wait;
    THROW;
END CATCH;
SET LOCK_TIMEOUT @wait;
