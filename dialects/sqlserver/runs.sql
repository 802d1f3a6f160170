-- Under SET NOCOUNT ON no update count is sent: where it decides, the statement returns a row as well.

-- name: take_allowance
UPDATE {prefix}run SET next_at = :to WHERE name = :run AND next_at = :from;
DECLARE @taken int = @@ROWCOUNT;
SELECT @taken AS taken WHERE @taken > 0;

-- name: list_run_rows
SELECT TOP (:n) row_key AS dibs_row, state, attempts, failed_at, message
  FROM {prefix}run_row
 WHERE run = :run AND state = :state
 ORDER BY failed_at, row_key;

-- name: retry_dead_rows
UPDATE {prefix}run SET finished_at = NULL
 WHERE name = :run AND finished_at IS NOT NULL
   AND EXISTS (SELECT 1 FROM {prefix}run_row AS f WHERE f.run = :run AND f.state = 'dead')
-- then
DECLARE @wanted TABLE (row_key nvarchar(400) NOT NULL);
UPDATE {prefix}run_row
   SET state = 'again'
OUTPUT inserted.row_key INTO @wanted (row_key)
 WHERE run = :run AND state = 'dead';
SELECT row_key FROM @wanted;

-- name: list_run_errors
SELECT TOP (:n) row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM {prefix}run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id;

-- name: fail_run_row
-- HOLDLOCK locks the place of the new row, so that of two callers at the same instant one follows the other.
UPDATE {prefix}run_row WITH (UPDLOCK, HOLDLOCK)
   SET state = :state, attempts = :attempts, failed_at = {now}, message = :message
 WHERE run = :run AND row_key = :row_key AND state <> :kept
-- then
INSERT INTO {prefix}run_row (run, row_key, state, attempts, failed_at, message)
SELECT :run, :row_key, :state, :attempts, {now}, :message
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run_row WITH (UPDLOCK, HOLDLOCK) WHERE run = :run AND row_key = :row_key);
