-- name: list_run_rows
SELECT row_key AS dibs_row, state, attempts, failed_at, message
  FROM {prefix}run_row
 WHERE run = :run AND state = :state
 ORDER BY failed_at, row_key
 LIMIT :n;

-- name: list_run_errors
SELECT row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM {prefix}run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id
 LIMIT :n;
