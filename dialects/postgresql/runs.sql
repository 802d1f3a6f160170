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
