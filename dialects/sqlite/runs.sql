-- name: fail_run_row
INSERT INTO {prefix}run_row AS f (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, {now}, :message)
    ON CONFLICT (run, row_key) DO UPDATE
   SET state = excluded.state, attempts = excluded.attempts, failed_at = excluded.failed_at, message = excluded.message
 WHERE f.state <> :kept;
