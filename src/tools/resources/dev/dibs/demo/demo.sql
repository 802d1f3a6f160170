-- The demo's own tables and statements, in SQL that every database accepts. {prefix} is new for each run.
-- Times are milliseconds since 1970 by the clock of the machine that runs the demo, which all of its processes share;
-- but claimed_until is by the database's clock.

-- name: create_file
-- The files to process, in the order of the id. claim_token and claimed_until are the marks of Dibs' claims.
--   done     0: to be processed; 1: processed; 2: skipped, for lack of time
--   planted  1: the demo's own broken jar
CREATE TABLE {prefix}file (
    id            bigint NOT NULL PRIMARY KEY,
    path          varchar(1000) NOT NULL,
    planted       int NOT NULL,
    done          int NOT NULL,
    claim_token   varchar(32),
    claimed_until bigint
);

-- name: create_file_index
CREATE INDEX {prefix}file_to_do ON {prefix}file (done, id);

-- name: create_result
-- One row is the effect of one file's work. No constraint prevents two rows of one file: the claim must do that.
CREATE TABLE {prefix}result (
    file_id    bigint NOT NULL,
    worker     varchar(40) NOT NULL,
    verdict    varchar(20) NOT NULL,
    detail     varchar(500) NOT NULL,
    bytes      bigint NOT NULL,
    entries    bigint NOT NULL,
    compared   int NOT NULL,
    sha1       varchar(40) NOT NULL,
    written_at bigint NOT NULL
);

-- name: create_result_index
CREATE INDEX {prefix}result_file ON {prefix}result (file_id);

-- name: create_report
-- How many files are processed, written now and then by the worker that has the lock "report", in a transaction that it
-- guards.
CREATE TABLE {prefix}report (
    worker     varchar(40) NOT NULL,
    fence      bigint NOT NULL,
    files      bigint NOT NULL,
    bytes      bigint NOT NULL,
    written_at bigint NOT NULL
);

-- name: create_turn
-- Every lease on the lock "report"; from_fence if it was taken over from another worker.
CREATE TABLE {prefix}turn (
    worker      varchar(40) NOT NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    from_fence  bigint
);

-- name: create_refusal
-- A report that the guard refused, because the lease was lost by then.
CREATE TABLE {prefix}refusal (
    worker     varchar(40) NOT NULL,
    fence      bigint NOT NULL,
    refused_at bigint NOT NULL,
    reason     varchar(500) NOT NULL
);

-- name: create_fault
-- What the demo did to a worker that had a file in hand.
--   kind          killed or paused
--   report_fence  the fence of its lease on "report", or NULL if it had none
--   tried_late    1: it came back and wrote its result, too late
CREATE TABLE {prefix}fault (
    kind         varchar(20) NOT NULL,
    worker       varchar(40) NOT NULL,
    file_id      bigint NOT NULL,
    report_fence bigint,
    struck_at    bigint NOT NULL,
    tried_late   int NOT NULL
);

-- name: create_break
-- When the run was paused.
CREATE TABLE {prefix}break (
    still_at   bigint NOT NULL,
    resumed_at bigint NOT NULL,
    reason     varchar(200) NOT NULL
);

-- name: drop_table
DROP TABLE {table};

-- name: add_file
INSERT INTO {prefix}file (id, path, planted, done) VALUES (?, ?, ?, 0);

-- name: leave_out
-- The files that no worker has claimed or tried yet; for the end of the time.
UPDATE {prefix}file SET done = 2 WHERE done = 0 AND claim_token IS NULL;

-- name: find_path
SELECT path FROM {prefix}file WHERE id = ?;

-- name: count_in_hands
-- Rows that a worker processes at the time ?.
SELECT count(*)
  FROM {prefix}file
 WHERE done = 0 AND claimed_until > ? AND claim_token NOT IN ('dibs-later', 'dibs-dead');

-- name: find_result
SELECT worker FROM {prefix}result WHERE file_id = ? ORDER BY written_at;

-- name: add_result
INSERT INTO {prefix}result (file_id, worker, verdict, detail, bytes, entries, compared, sha1, written_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_report
INSERT INTO {prefix}report (worker, fence, files, bytes, written_at) VALUES (?, ?, ?, ?, ?);

-- name: add_turn
INSERT INTO {prefix}turn (worker, fence, acquired_at, from_fence) VALUES (?, ?, ?, ?);

-- name: add_refusal
INSERT INTO {prefix}refusal (worker, fence, refused_at, reason) VALUES (?, ?, ?, ?);

-- name: add_fault
INSERT INTO {prefix}fault (kind, worker, file_id, report_fence, struck_at, tried_late) VALUES (?, ?, ?, ?, ?, 0);

-- name: tried_late
UPDATE {prefix}fault SET tried_late = 1 WHERE file_id = ?;

-- name: add_break
INSERT INTO {prefix}break (still_at, resumed_at, reason) VALUES (?, ?, ?);

-- name: count_files
-- How many files are: processed, skipped, dead, still to be processed.
SELECT sum(CASE WHEN done = 1 THEN 1 ELSE 0 END),
       sum(CASE WHEN done = 2 THEN 1 ELSE 0 END),
       sum(CASE WHEN done = 0 AND claim_token = 'dibs-dead' THEN 1 ELSE 0 END),
       sum(CASE WHEN done = 0 AND (claim_token IS NULL OR claim_token <> 'dibs-dead') THEN 1 ELSE 0 END)
  FROM {prefix}file;

-- name: sum_results
SELECT count(*), sum(bytes), sum(entries), sum(compared) FROM {prefix}result;

-- name: count_by_worker
SELECT worker, count(*) FROM {prefix}result GROUP BY worker ORDER BY worker;

-- name: list_blemishes
SELECT f.path, r.detail
  FROM {prefix}result r
  JOIN {prefix}file f ON f.id = r.file_id
 WHERE r.verdict = ?
 ORDER BY f.path;

-- name: list_faults
-- The worker that processed the file in the end, or NULL.
SELECT f.kind, f.worker, d.path, f.struck_at, f.tried_late, r.worker AS done_by, r.written_at
  FROM {prefix}fault f
  JOIN {prefix}file d ON d.id = f.file_id
  LEFT JOIN {prefix}result r ON r.file_id = f.file_id
 ORDER BY f.struck_at;

-- name: list_breaks
SELECT still_at, resumed_at, reason FROM {prefix}break;

-- name: count_reports
SELECT worker, count(*) FROM {prefix}report GROUP BY worker ORDER BY worker;

-- name: list_refusals
SELECT worker, reason FROM {prefix}refusal ORDER BY refused_at;

-- name: find_never_done
SELECT f.path
  FROM {prefix}file f
 WHERE f.done < 2 AND (f.claim_token IS NULL OR f.claim_token <> 'dibs-dead')
   AND NOT EXISTS (SELECT 1 FROM {prefix}result r WHERE r.file_id = f.id)
 ORDER BY f.id;

-- name: find_done_again
SELECT f.path
  FROM {prefix}file f
 WHERE f.id IN (SELECT r.file_id FROM {prefix}result r GROUP BY r.file_id HAVING count(*) > 1)
 ORDER BY f.id;

-- name: find_half_done
-- A result without the mark, which is set in the same transaction.
SELECT f.path
  FROM {prefix}file f
 WHERE f.done <> 1 AND EXISTS (SELECT 1 FROM {prefix}result r WHERE r.file_id = f.id)
 ORDER BY f.id;

-- name: find_planted_alive
SELECT f.path
  FROM {prefix}file f
 WHERE f.planted = 1 AND (f.claim_token IS NULL OR f.claim_token <> 'dibs-dead')
 ORDER BY f.id;

-- name: find_late_result
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}result r ON r.file_id = f.file_id AND r.worker = f.worker
  JOIN {prefix}file d ON d.id = f.file_id
 ORDER BY d.path;

-- name: find_not_tried
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}file d ON d.id = f.file_id
 WHERE f.kind = 'paused' AND f.tried_late = 0
 ORDER BY d.path;

-- name: find_done_in_break
SELECT f.path
  FROM {prefix}break b
  JOIN {prefix}result r ON r.written_at > b.still_at AND r.written_at < b.resumed_at
  JOIN {prefix}file f ON f.id = r.file_id
 ORDER BY f.id;

-- name: find_fence_not_grown
SELECT DISTINCT later.worker
  FROM {prefix}turn earlier
  JOIN {prefix}turn later ON later.acquired_at > earlier.acquired_at
 WHERE later.fence <= earlier.fence;

-- name: find_late_report
-- Committed under a lease that another worker had already taken over.
SELECT DISTINCT p.worker
  FROM {prefix}report p
  JOIN {prefix}turn t ON t.fence > p.fence AND t.acquired_at < p.written_at;

-- name: find_not_refused
SELECT f.worker
  FROM {prefix}fault f
 WHERE f.kind = 'paused'
   AND NOT EXISTS (SELECT 1 FROM {prefix}refusal n WHERE n.fence = f.report_fence);
