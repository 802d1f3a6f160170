-- fragment: is_old
CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END

-- fragment: held_lock_renewed
greatest(l.held_until, {now} + :lease)

-- fragment: lock_listed
-- Also those without an owner that an open transaction has locked, for its work or only to acquire or purge them now.
-- Its session stands in place of the holder, its number in place of the fence, its begin in place of the acquisition;
-- when it will end is not known. Of the sessions of other users the begin is only shown to pg_monitor. Nobody sees it
-- any more if it locked within a savepoint that it has released.
SELECT name, {lease_columns}, {now_once} AS read_at
  FROM {prefix}lock
 WHERE owner IS NOT NULL AND held_until > {now_once}
UNION ALL
SELECT l.name, NULL, coalesce('a transaction of pid ' || p.pid, 'a prepared transaction'), l.xmax::text::bigint,
       coalesce(floor(date_part('epoch', a.xact_start) * 1000)::bigint, {now_once}), {now_once}, {now_once}
  FROM (SELECT pid, transactionid FROM pg_locks WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock') AS p
  JOIN {prefix}lock AS l ON l.xmax = p.transactionid
  LEFT JOIN pg_stat_activity AS a ON a.pid = p.pid
 WHERE l.owner IS NULL AND l.held_until <= {now_once}

-- name: retake_lock
-- A plain UPDATE. It waits for each session that has the row locked, at most 50 ms, and then fails; the setting is for
-- this transaction only. It does not conflict with a guard (FOR KEY SHARE). That is safe: the lease with the known
-- fence was never guarded. After a guarded lease, any other holder has acquired the lock with FOR UPDATE, and so
-- changed its fence.
UPDATE {prefix}lock AS l
   SET owner = :owner,
       {taking}
 WHERE name = :name AND fence = :known_fence AND owner IS NULL AND held_until <= {now}
   AND set_config('lock_timeout', '50', true) IS NOT NULL
RETURNING fence;

-- name: retake_each_lock
-- As retake_lock. Two programs do not wait for each other here: one alone knows a row's fence. A transaction that has
-- the lock without a lease leaves the fence as it is: it is waited for.
-- CASE: without statistics, or with those of a time when all locks were held, the planner expects no row without an
-- owner, and compares each row of the table with each of the list. For a condition on both it uses no statistics.
WITH asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners, :known_fences::bigint[] AS fences
), known AS MATERIALIZED (
    SELECT k.name, k.owner, k.fence FROM asked, unnest(asked.names, asked.owners, asked.fences) AS k(name, owner, fence)
)
UPDATE {prefix}lock AS l
   SET owner = known.owner,
       {taking}
  FROM known
 WHERE l.name = known.name AND l.fence = known.fence
   AND CASE WHEN known.fence IS NOT NULL AND l.owner IS NULL AND l.held_until <= {now_once} THEN true END
   AND (SELECT set_config('lock_timeout', '50', true)) IS NOT NULL
RETURNING l.name, l.fence;

-- name: make_locks
-- Sorted, so that two callers that add the same rows do not wait for each other.
INSERT INTO {prefix}lock (name, {lease_columns})
SELECT pair.name, NULL, NULL, {now_micros}, {now}, 0
  FROM {asked_pairs}
 WHERE NOT EXISTS (SELECT 1 FROM {prefix}lock AS l WHERE l.name = pair.name)
 ORDER BY pair.name COLLATE "C"
    ON CONFLICT (name) DO NOTHING;

-- name: acquire_locks
-- All or none in one statement. It returns the rows as they were, and, if all were acquired, as they are.
WITH pair AS MATERIALIZED (
    SELECT pair.name, pair.owner FROM {asked_pairs}
), seen AS MATERIALIZED (
    SELECT l.name, {l_lease_columns}
      FROM pair JOIN {prefix}lock AS l ON l.name = pair.name
), free AS MATERIALIZED (
    SELECT l.name, pair.owner AS new_owner
      FROM pair JOIN {prefix}lock AS l ON l.name = pair.name
     WHERE l.held_until <= {now_once}
       AND NOT EXISTS (SELECT 1 FROM seen AS s WHERE s.held_until > {now_once})
       AND (SELECT count(*) FROM seen) = (SELECT count(*) FROM pair)
     ORDER BY l.name
       FOR UPDATE OF l SKIP LOCKED
), taken AS (
    UPDATE {prefix}lock AS l
       SET owner = free.new_owner,
           {taking}
      FROM free
     WHERE l.name = free.name AND (SELECT count(*) FROM free) = (SELECT count(*) FROM pair)
 RETURNING l.name, {l_lease_columns}
)
SELECT name, {lease_columns}, {now} AS read_at FROM taken
UNION ALL SELECT name, {lease_columns}, {now} FROM seen;
