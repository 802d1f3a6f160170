-- fragment: is_to_run
-- The cast is for drivers that send no types.
cast(:state AS varchar(10)) = 'running'

-- name: begin_run
INSERT INTO {prefix}run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
VALUES (:run, 'running', :by, {now}, 'started', :batch, :rate, :max_failures, :max_percent, 0, {now}, 0)
    ON CONFLICT (name) DO NOTHING;

-- name: count_and_read
-- One statement takes less time than two.
WITH counted AS (
    {counting}
)
{switches};

-- name: enter_worker
INSERT INTO {prefix}run_worker (run, worker, label, started_at, seen_at, done, failed, rate)
VALUES (:run, :worker, :label, {now}, {now}, 0, 0, 0)
    ON CONFLICT (run, worker) DO NOTHING;

-- name: fail_run_row
INSERT INTO {prefix}run_row AS f (run, row_key, state, attempts, failed_at, message)
VALUES (:run, :row_key, :state, :attempts, {now}, :message)
    ON CONFLICT (run, row_key) DO UPDATE
   SET state = excluded.state, attempts = excluded.attempts, failed_at = excluded.failed_at, message = excluded.message
 WHERE f.state <> :kept;
