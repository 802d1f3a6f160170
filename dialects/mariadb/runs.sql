-- name: begin_run
INSERT INTO {prefix}run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, {now}, 'started', :batch, :rate, :max_failures, :max_percent, 0, {now}, 0
  FROM DUAL
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run);

-- name: enter_worker
INSERT INTO {prefix}run_worker (run, worker, label, started_at, seen_at, done, failed, rate)
VALUES (:run, :worker, :label, {now}, {now}, 0, 0, 0)
    ON DUPLICATE KEY UPDATE worker = VALUES(worker);

-- name: fail_run_row
-- The columns are set from left to right, and each looks at the state before.
INSERT INTO {prefix}run_row (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, {now}, :message)
    ON DUPLICATE KEY UPDATE
       attempts = CASE WHEN state = :kept THEN attempts ELSE VALUES(attempts) END,
       failed_at = CASE WHEN state = :kept THEN failed_at ELSE VALUES(failed_at) END,
       message = CASE WHEN state = :kept THEN message ELSE VALUES(message) END,
       state = CASE WHEN state = :kept THEN state ELSE VALUES(state) END;
