-- name: begin_run
INSERT INTO {prefix}run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, {now}, 'started', :batch, :rate, :max_failures, :max_percent, 0, {now}, 0
  FROM DUAL
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run);

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
