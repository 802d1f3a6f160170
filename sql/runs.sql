-- Runs: the state that the workers of one run share. The statements of claims.sql claim the user's rows.

-- name: begin_run
-- Adds the run's row.
-- existing row: kept; of two that add it at the same instant, one may report a duplicate
INSERT INTO {prefix}run (name, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, forgiven,
                         started_at, next_at)
SELECT :run, 'running', :by, {now}, 'started', :batch, :rate, :max_failures, :max_percent, 0, {now}, 0
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run);

-- fragment: of_run
name AS dibs_run, state, changed_by, changed_at, reason, batch, rate, max_failures, max_percent, total,
       started_at, finished_at, done_before, failed_before, {now} AS read_at,
       (SELECT count(*) FROM {prefix}run_row AS f WHERE f.run = name AND f.state = 'retry') AS retrying,
       (SELECT count(*) FROM {prefix}run_row AS f WHERE f.run = name AND f.state = 'again') AS wanted,
       (SELECT count(*) FROM {prefix}run_row AS f WHERE f.run = name AND f.state = 'dead') AS dead,
       (SELECT count(*) FROM {prefix}run_row AS f
         WHERE f.run = name AND f.state = 'dead' AND f.failed_at < started_at) AS dead_before

-- name: read_run
-- Reads the run, and how many of its failed rows are in each state. It is one statement, since rows change their state.
SELECT {of_run}
  FROM {prefix}run
 WHERE name = :run;

-- fragment: of_switches
state AS dibs_state, batch, rate, finished_at, next_at, {now_micros} AS read_micros

-- fragment: switches
SELECT {of_switches}
  FROM {prefix}run
 WHERE name = :run

-- name: read_switches
-- Reads the state and the settings that a worker needs with each claim.
{switches};

-- name: read_idle_run
-- The same for a worker that has found no row, and how many dead rows are to be tried again.
SELECT {of_switches},
       (SELECT count(*) FROM {prefix}run_row AS f WHERE f.run = name AND f.state = 'again') AS wanted
  FROM {prefix}run
 WHERE name = :run;

-- name: list_runs
-- All runs, by name.
SELECT {of_run}
  FROM {prefix}run
 ORDER BY name;

-- fragment: is_to_run
:state = 'running'

-- name: change_run
-- Starts, pauses or stops the run. Failures before a restart no longer count.
UPDATE {prefix}run
   SET state = :state, changed_by = :by, changed_at = {now}, reason = :reason,
       forgiven = CASE WHEN {is_to_run}
                       THEN (SELECT coalesce(sum(w.failed), 0) FROM {prefix}run_worker AS w WHERE w.run = :run)
                       ELSE forgiven END
 WHERE name = :run;

-- name: stop_failing_run
-- Stops the run, if it is still running, because too much has failed.
UPDATE {prefix}run
   SET state = 'stopped', changed_by = :by, changed_at = {now}, reason = :reason
 WHERE name = :run AND state = 'running';

-- name: set_run_batch
-- It takes effect at the next claim of every worker.
UPDATE {prefix}run SET batch = :value WHERE name = :run;

-- name: set_run_rate
-- It takes effect at the next claim of every worker.
UPDATE {prefix}run SET rate = :value, next_at = 0 WHERE name = :run;

-- name: set_run_failures
-- It takes effect at the next failure.
UPDATE {prefix}run SET max_failures = :value WHERE name = :run;

-- name: set_run_percent
-- It takes effect at the next failure.
UPDATE {prefix}run SET max_percent = :value WHERE name = :run;

-- name: set_run_total
-- Only the first count is kept.
UPDATE {prefix}run SET total = :value WHERE name = :run AND total IS NULL;

-- name: take_allowance
-- Uses the rate's allowance from :from to :to, unless another worker was faster; then read the run again.
UPDATE {prefix}run SET next_at = :to WHERE name = :run AND next_at = :from;

-- name: finish_run
-- No row is left. It changes nothing if a dead row is to be tried again: no worker has freed it yet.
UPDATE {prefix}run SET finished_at = {now}
 WHERE name = :run AND finished_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM {prefix}run_row AS f WHERE f.run = :run AND f.state = 'again');

-- name: reopen_run
-- There are rows again.
UPDATE {prefix}run SET finished_at = NULL WHERE name = :run AND finished_at IS NOT NULL;

-- name: begin_pass
-- Starts a run again that had finished at :ended: its counts begin from zero. If several workers send this, only the
-- first finds that :ended. Workers that have ended are deleted. Those that have not ended go on counting, so their
-- counts so far are stored, to be subtracted. Errors of rows that have not succeeded stay.
UPDATE {prefix}run SET next_at = 0 WHERE name = :run AND finished_at = :ended
-- then
DELETE FROM {prefix}run_worker
 WHERE run = :run AND left_at IS NOT NULL
   AND EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run AND finished_at = :ended)
-- then
DELETE FROM {prefix}run_error
 WHERE run = :run AND row_key NOT IN (SELECT row_key FROM {prefix}run_row WHERE run = :run)
   AND EXISTS (SELECT 1 FROM {prefix}run WHERE name = :run AND finished_at = :ended)
-- then
UPDATE {prefix}run
   SET finished_at = NULL, total = NULL, started_at = {now},
       done_before = (SELECT coalesce(sum(w.done), 0) FROM {prefix}run_worker AS w WHERE w.run = :run),
       failed_before = (SELECT coalesce(sum(w.failed), 0) FROM {prefix}run_worker AS w WHERE w.run = :run),
       forgiven = (SELECT coalesce(sum(w.failed), 0) FROM {prefix}run_worker AS w WHERE w.run = :run)
 WHERE name = :run AND finished_at = :ended;

-- name: purge_run
-- Deletes workers that ended or were last seen a week ago, and errors of a month ago whose rows have succeeded. The
-- counts of those workers stay in the sum. The run is locked first, so that each of them is subtracted once.
UPDATE {prefix}run SET next_at = next_at WHERE name = :run
-- then
UPDATE {prefix}run
   SET done_before = done_before - (SELECT coalesce(sum(w.done), 0) FROM {prefix}run_worker AS w
                                     WHERE w.run = :run AND w.seen_at < :worker_before),
       failed_before = failed_before - (SELECT coalesce(sum(w.failed), 0) FROM {prefix}run_worker AS w
                                         WHERE w.run = :run AND w.seen_at < :worker_before),
       forgiven = forgiven - (SELECT coalesce(sum(w.failed), 0) FROM {prefix}run_worker AS w
                               WHERE w.run = :run AND w.seen_at < :worker_before)
 WHERE name = :run
-- then
DELETE FROM {prefix}run_worker WHERE run = :run AND seen_at < :worker_before
-- then
DELETE FROM {prefix}run_error
 WHERE run = :run AND failed_at < :error_before
   AND row_key NOT IN (SELECT row_key FROM {prefix}run_row WHERE run = :run);

-- name: reset_run
-- Deletes the run. Its dead rows are tried again by the next worker of a run of that name, which knows the user's
-- table.
DELETE FROM {prefix}run WHERE name = :run
-- then
DELETE FROM {prefix}run_worker WHERE run = :run
-- then
DELETE FROM {prefix}run_error WHERE run = :run
-- then
DELETE FROM {prefix}run_row WHERE run = :run AND state = 'retry'
-- then
UPDATE {prefix}run_row SET state = 'again' WHERE run = :run AND state = 'dead';

-- name: enter_worker
-- Adds a worker, whose name is random. Sent again after a lost answer, it may find itself.
-- existing row: kept; of two that add it at the same instant, one may report a duplicate
INSERT INTO {prefix}run_worker (run, worker, label, started_at, seen_at, done, failed, rate)
SELECT :run, :worker, :label, {now}, {now}, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}run_worker WHERE run = :run AND worker = :worker);

-- fragment: counting
UPDATE {prefix}run_worker
   SET done = :done, failed = :failed
 WHERE run = :run AND worker = :worker

-- name: count_work
-- Stores the worker's counts. They are totals, so that sending them twice counts once.
{counting};

-- name: count_and_read
-- Both of count_work and read_switches.
{counting}
-- then
{switches};

-- name: settle_worker
-- Reads the worker's counts once its own transaction, whose answer was lost, has ended: the update waits for that.
UPDATE {prefix}run_worker SET seen_at = {now} WHERE run = :run AND worker = :worker
-- then
SELECT done, failed FROM {prefix}run_worker WHERE run = :run AND worker = :worker;

-- name: see_worker
-- The worker is alive.
UPDATE {prefix}run_worker
   SET seen_at = {now}, rate = :rate, in_hand = :in_hand
 WHERE run = :run AND worker = :worker;

-- name: see_idle_workers
-- The workers of one start are alive: their names are those from :worker to :last_worker.
UPDATE {prefix}run_worker
   SET seen_at = {now}
 WHERE run = :run AND worker BETWEEN :worker AND :last_worker AND left_at IS NULL;

-- name: leave_worker
-- A worker ends: normally, or for the reason :error.
UPDATE {prefix}run_worker
   SET seen_at = {now}, left_at = {now}, done = :done, failed = :failed, rate = 0, in_hand = NULL, error = :error
 WHERE run = :run AND worker = :worker;

-- name: list_workers
-- All workers there ever were, the latest first.
SELECT worker AS dibs_worker, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, {now} AS read_at
  FROM {prefix}run_worker
 WHERE run = :run
 ORDER BY started_at DESC, worker;

-- name: list_all_workers
-- The workers of all runs, for each run as in list_workers.
SELECT run AS dibs_run, label, started_at, seen_at, left_at, done, failed, rate, in_hand, error, {now} AS read_at
  FROM {prefix}run_worker
 ORDER BY run, started_at DESC, worker;

-- name: read_failures
-- The limits of failures, and the counts of all workers that are compared with them: without failures before the run
-- was resumed, and without earlier passes. It is one statement, since a new start changes all of it.
SELECT max_failures, max_percent, sum(w.failed) - forgiven AS failed, sum(w.done) - done_before AS done
  FROM {prefix}run AS r
  JOIN {prefix}run_worker AS w ON w.run = r.name
 WHERE r.name = :run
 GROUP BY max_failures, max_percent, forgiven, done_before;

-- name: read_run_row
-- Reads a row that failed before.
SELECT row_key AS dibs_row, state, attempts, failed_at, message
  FROM {prefix}run_row
 WHERE run = :run AND row_key = :row_key;

-- name: list_run_rows
-- Failed rows in one state, the oldest failure first.
SELECT row_key AS dibs_row, state, attempts, failed_at, message
  FROM {prefix}run_row
 WHERE run = :run AND state = :state
 ORDER BY failed_at, row_key
 {first_n};

-- name: fail_run_row
-- A row has failed, or another run has given it up.
-- existing row: changed, unless it is in the state :kept; of two that add it at the same instant, one may report a
-- duplicate
MERGE INTO {prefix}run_row AS f
USING (SELECT 1 AS one) AS one ON f.run = :run AND f.row_key = :row_key
 WHEN MATCHED AND f.state <> :kept THEN
      UPDATE SET state = :state, attempts = :attempts, failed_at = {now}, message = :message
 WHEN NOT MATCHED THEN
      INSERT (run, row_key, state, attempts, failed_at, message)
      VALUES (:run, :row_key, :state, :attempts, {now}, :message);

-- name: forget_run_row
-- A row that had failed is completed, or starts over.
DELETE FROM {prefix}run_row WHERE run = :run AND row_key = :row_key;

-- name: forget_retried_row
-- A dead row that was to be tried again is free again, and has not failed since.
DELETE FROM {prefix}run_row WHERE run = :run AND row_key = :row_key AND state = 'again';

-- name: forget_retries
-- No row is left, so none can come back.
DELETE FROM {prefix}run_row WHERE run = :run AND state = 'retry';

-- name: retry_dead_rows
-- Marks the dead rows, to have them tried again. A worker does that, since it knows the user's table. If there are any,
-- the run has not ended.
UPDATE {prefix}run SET finished_at = NULL
 WHERE name = :run AND finished_at IS NOT NULL
   AND EXISTS (SELECT 1 FROM {prefix}run_row AS f WHERE f.run = :run AND f.state = 'dead')
-- then
UPDATE {prefix}run_row SET state = 'again' WHERE run = :run AND state = 'dead';

-- name: add_run_error
-- Adds a failed attempt to the log of errors.
-- existing row: none, since :id is random
INSERT INTO {prefix}run_error (run, failed_at, id, row_key, attempt, worker, error_class, message, stack)
VALUES (:run, {now}, :id, :row_key, :attempts, :worker, :error_class, :message, :stack);

-- name: list_run_errors
-- The latest errors first.
SELECT row_key AS dibs_error, failed_at, attempt, worker, error_class, message, stack
  FROM {prefix}run_error
 WHERE run = :run
 ORDER BY failed_at DESC, id
 {first_n};
