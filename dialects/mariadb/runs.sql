-- name: begin_run
INSERT INTO {prefix}run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, {now}, 'started', :batch, :rate, :max_failures, :max_percent, 0, {now}, 0
  FROM DUAL
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run);
