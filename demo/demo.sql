-- The demo's own tables and statements, in SQL that every database takes. {prefix} is new for each run.
-- Times are milliseconds since 1970 by the clock of the machine that runs the demo, which all of its processes share.

-- name: create_directory
-- What is to be verified. The id is the order in which the directories are handed out; left_out is 1 for what was not
-- handed out before time was up.
CREATE TABLE {prefix}directory (
    id       int NOT NULL PRIMARY KEY,
    path     varchar(1000) NOT NULL,
    jars     bigint NOT NULL,
    left_out int NOT NULL
);

-- name: create_result
-- One row is one committed verification. Nothing here prevents two of one directory: that is what the lease is for.
CREATE TABLE {prefix}result (
    directory_id int NOT NULL,
    worker       varchar(40) NOT NULL,
    fence        bigint NOT NULL,
    jars         bigint NOT NULL,
    bytes        bigint NOT NULL,
    entries      bigint NOT NULL,
    compared     bigint NOT NULL,
    committed_at bigint NOT NULL
);

-- name: create_result_index
CREATE INDEX {prefix}result_directory ON {prefix}result (directory_id);

-- name: create_blemish
-- A jar that is not as it should be, committed together with the result.
CREATE TABLE {prefix}blemish (
    directory_id int NOT NULL,
    jar          varchar(255) NOT NULL,
    verdict      varchar(20) NOT NULL,
    detail       varchar(500) NOT NULL
);

-- name: create_acquisition
-- Every lease on a directory that was not done yet; from_holder and from_fence if it was taken over from somebody.
CREATE TABLE {prefix}acquisition (
    directory_id int NOT NULL,
    worker       varchar(40) NOT NULL,
    fence        bigint NOT NULL,
    acquired_at  bigint NOT NULL,
    from_holder  varchar(200),
    from_fence   bigint,
    stale        bigint
);

-- name: create_refusal
-- A write that the guard refused, because the lease was lost by then.
CREATE TABLE {prefix}refusal (
    directory_id int NOT NULL,
    worker       varchar(40) NOT NULL,
    fence        bigint NOT NULL,
    refused_at   bigint NOT NULL,
    reason       varchar(500) NOT NULL
);

-- name: create_fault
-- What the demo did to a worker that held a lease: kind is killed or paused. Until certain_until, as the worker said
-- last, nobody else may have had the lease.
CREATE TABLE {prefix}fault (
    kind          varchar(20) NOT NULL,
    worker        varchar(40) NOT NULL,
    directory_id  int NOT NULL,
    fence         bigint NOT NULL,
    struck_at     bigint NOT NULL,
    certain_until bigint NOT NULL
);

-- name: drop_table
DROP TABLE {table};

-- name: add_directory
INSERT INTO {prefix}directory (id, path, jars, left_out) VALUES (?, ?, ?, 0);

-- name: find_frontier
-- The last directory that somebody works on or worked on.
SELECT max(directory_id) FROM {prefix}acquisition;

-- name: leave_out
UPDATE {prefix}directory SET left_out = 1 WHERE id > ?;

-- name: find_undone
-- Of the directories from ? to ? those without a result, oldest first.
SELECT d.id, d.path
  FROM {prefix}directory d
 WHERE d.id >= ? AND d.id <= ? AND d.left_out = 0
   AND NOT EXISTS (SELECT 1 FROM {prefix}result r WHERE r.directory_id = d.id)
 ORDER BY d.id;

-- name: count_results
SELECT count(*) FROM {prefix}result WHERE directory_id = ?;

-- name: add_acquisition
INSERT INTO {prefix}acquisition (directory_id, worker, fence, acquired_at, from_holder, from_fence, stale)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: add_result
INSERT INTO {prefix}result (directory_id, worker, fence, jars, bytes, entries, compared, committed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_blemish
INSERT INTO {prefix}blemish (directory_id, jar, verdict, detail) VALUES (?, ?, ?, ?);

-- name: add_refusal
INSERT INTO {prefix}refusal (directory_id, worker, fence, refused_at, reason) VALUES (?, ?, ?, ?, ?);

-- name: add_fault
INSERT INTO {prefix}fault (kind, worker, directory_id, fence, struck_at, certain_until) VALUES (?, ?, ?, ?, ?, ?);

-- name: sum_planned
SELECT count(*), sum(jars) FROM {prefix}directory WHERE left_out = 0;

-- name: count_left_out
SELECT count(*) FROM {prefix}directory WHERE left_out = 1;

-- name: sum_results
SELECT count(*), sum(jars), sum(bytes), sum(entries), sum(compared) FROM {prefix}result;

-- name: list_blemishes
SELECT d.path, b.jar, b.detail
  FROM {prefix}blemish b
  JOIN {prefix}directory d ON d.id = b.directory_id
 WHERE b.verdict = ?
 ORDER BY d.path, b.jar;

-- name: list_takeovers
-- Who committed in the end is NULL if nobody did.
SELECT d.path, a.worker, a.from_holder, a.acquired_at, a.stale, f.kind, f.struck_at, r.worker AS committed_by
  FROM {prefix}acquisition a
  JOIN {prefix}directory d ON d.id = a.directory_id
  LEFT JOIN {prefix}fault f ON f.directory_id = a.directory_id AND f.fence = a.from_fence
  LEFT JOIN {prefix}result r ON r.directory_id = a.directory_id
 WHERE a.from_fence IS NOT NULL
 ORDER BY a.acquired_at;

-- name: list_refusals
SELECT d.path, f.worker, f.reason
  FROM {prefix}refusal f
  JOIN {prefix}directory d ON d.id = f.directory_id
 ORDER BY f.refused_at;

-- name: list_faults
SELECT kind FROM {prefix}fault ORDER BY struck_at;

-- name: find_never_committed
SELECT d.path
  FROM {prefix}directory d
 WHERE d.left_out = 0
   AND NOT EXISTS (SELECT 1 FROM {prefix}result r WHERE r.directory_id = d.id)
 ORDER BY d.id;

-- name: find_committed_again
SELECT d.path
  FROM {prefix}directory d
 WHERE d.id IN (SELECT r.directory_id FROM {prefix}result r GROUP BY r.directory_id HAVING count(*) > 1)
 ORDER BY d.id;

-- name: find_fence_not_grown
SELECT DISTINCT d.path
  FROM {prefix}acquisition earlier
  JOIN {prefix}acquisition later
    ON later.directory_id = earlier.directory_id AND later.acquired_at > earlier.acquired_at
  JOIN {prefix}directory d ON d.id = earlier.directory_id
 WHERE later.fence <= earlier.fence
 ORDER BY d.path;

-- name: find_taken_too_early
-- The holder was certain of its lease, and another one had it all the same.
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}acquisition a ON a.directory_id = f.directory_id AND a.fence > f.fence
  JOIN {prefix}directory d ON d.id = f.directory_id
 WHERE a.acquired_at < f.certain_until
 ORDER BY d.path;

-- name: find_not_taken_over
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}directory d ON d.id = f.directory_id
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}acquisition a
                    WHERE a.directory_id = f.directory_id AND a.from_fence = f.fence AND a.fence > f.fence)
 ORDER BY d.path;

-- name: find_late_write
-- Committed under a lease that somebody had taken over already.
SELECT DISTINCT d.path
  FROM {prefix}result r
  JOIN {prefix}acquisition a
    ON a.directory_id = r.directory_id AND a.fence > r.fence AND a.acquired_at < r.committed_at
  JOIN {prefix}directory d ON d.id = r.directory_id
 ORDER BY d.path;

-- name: find_struck_write
-- Committed by a worker that had been killed or paused past that very lease.
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}result r ON r.directory_id = f.directory_id AND r.fence = f.fence
  JOIN {prefix}directory d ON d.id = f.directory_id
 ORDER BY d.path;

-- name: find_not_refused
SELECT d.path
  FROM {prefix}fault f
  JOIN {prefix}directory d ON d.id = f.directory_id
 WHERE f.kind = 'paused'
   AND NOT EXISTS (SELECT 1 FROM {prefix}refusal n WHERE n.directory_id = f.directory_id AND n.fence = f.fence)
 ORDER BY d.path;
