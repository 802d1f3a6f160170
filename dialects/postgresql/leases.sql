-- fragment: asked_pairs
unnest(:names::text[], :owners::text[]) AS pair(name, owner)

-- fragment: taking
-- The columns that an acquire writes, besides the owner token.
holder = :holder,
           fence = greatest(l.fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease

-- fragment: renewed
{now} + :lease

-- fragment: takeable
-- The row that an acquire may take over, locked.
SELECT name, {lease_columns}
      FROM {leases}
     WHERE name = :name AND held_until <= {now_once}
       FOR UPDATE SKIP LOCKED

-- fragment: pairs
-- The (name, owner) pairs of a list, behind a materialized row: a statement that uses an array parameter directly is
-- planned again each time. The pairs are materialized too: otherwise each locked row carries the whole list with it,
-- megabytes for some hundred pairs.
asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)

-- fragment: in_locked
-- The rows that were locked before, in the same statement. They are found by their ctid: an array of ctids costs half as
-- much as a join with them. A ctid is unique only within a partition, so the owner is compared as well. IS TRUE makes
-- that a look into a hash table. Otherwise the planner would join, and compare each row with each.
l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE

-- fragment: release_pairs
-- Clears the owners of those that still hold their leases.
WITH {pairs}, locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
       {release_row_lock} OF l SKIP LOCKED
)
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE {in_locked}
RETURNING l.name

-- fragment: release_row_lock
-- The lock on a row whose owner is cleared. It does not conflict with a guard; the FOR UPDATE of the next acquire does.
FOR NO KEY UPDATE

-- fragment: waited_for
-- The number of the shared advisory lock that each listening process holds for a name with waiters: see wake.sql.
hashtextextended(l.name, '{leases_text}'::regclass::oid::bigint)

-- fragment: wake
-- If the release gets the advisory lock, there is no waiter. It keeps new waiters out up to the commit, so that they
-- look when the lease is free. It never waits.
CASE WHEN NOT pg_try_advisory_xact_lock({waited_for}) THEN pg_notify('dibs', ({waited_for})::text) END

-- fragment: notify
pg_notify('dibs', ({waited_for})::text)

-- name: acquire_lease
-- One statement, without a wait or an error on any path: a locked row is skipped, and a lost race for a new name
-- inserts nothing. A guard (FOR KEY SHARE) conflicts with the FOR UPDATE before the UPDATE; without it, a takeover
-- would pass under a guard. The clock stands in the SET itself: a value that is computed before is older than the row
-- lock.
WITH seen AS MATERIALIZED (
    SELECT name, {lease_columns}
      FROM {leases}
     WHERE name = :name
), free AS MATERIALIZED (
    {takeable}
), taken AS (
    UPDATE {leases} AS l
       SET owner = :owner,
           {taking}
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, {l_lease_columns}
), made AS (
    INSERT INTO {leases} (name, {lease_columns})
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, {lease_columns}
)
SELECT name, {lease_columns}, {now} AS read_at FROM taken
UNION ALL SELECT name, {lease_columns}, {now} FROM made
UNION ALL SELECT name, {lease_columns}, {now} FROM free
UNION ALL SELECT name, {lease_columns}, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: acquire_each_lease
-- As acquire_lease. New rows are added in one order, so that two callers of the same names do not wait for each other.
WITH {pairs}, seen AS MATERIALIZED (
    SELECT l.name, {l_lease_columns}
      FROM pair JOIN {leases} AS l ON l.name = pair.name
), free AS MATERIALIZED (
    SELECT l.name, {l_lease_columns}, pair.owner AS new_owner
      FROM pair JOIN {leases} AS l ON l.name = pair.name
     WHERE l.held_until <= {now_once}
       FOR UPDATE OF l SKIP LOCKED
), taken AS (
    UPDATE {leases} AS l
       SET owner = free.new_owner,
           {taking}
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, {l_lease_columns}
), made AS (
    INSERT INTO {leases} (name, {lease_columns})
    SELECT pair.name, pair.owner, :holder, {now_micros}, {now}, {now} + :lease
      FROM pair
     WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.name = pair.name)
     ORDER BY pair.name COLLATE "C"
        ON CONFLICT (name) DO NOTHING
 RETURNING name, {lease_columns}
)
SELECT name, {lease_columns}, {now} AS read_at FROM taken
UNION ALL SELECT name, {lease_columns}, {now} FROM made
UNION ALL SELECT name, {lease_columns}, {now} FROM free
UNION ALL SELECT name, {lease_columns}, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free WHERE free.name = seen.name);

-- name: renew_leases
-- If a row was changed after this statement's snapshot, as by a renewal that commits just now, it is locked at its new
-- ctid. The UPDATE does not see it there. The row then counts as locked, and Dibs asks again.
WITH {pairs}, locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > {now_once}
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE {leases} AS l
   SET held_until = {renewed}
 WHERE {in_locked}
RETURNING l.owner;

-- name: renew_all_leases
-- No row is locked before it is changed, which would write to the log, and nothing comes back. It waits for each session
-- that has a row locked, at most 5 ms, and then fails. It does not conflict with a guard (FOR KEY SHARE). The subquery
-- makes the setting once, not for each row, and for this transaction only.
WITH {pairs}
UPDATE {leases} AS l
   SET held_until = {renewed}
  FROM pair
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > {now_once}
   AND (SELECT set_config('lock_timeout', '5', true)) IS NOT NULL;

-- name: find_leases
WITH {pairs}
SELECT l.name, {slot} AS slot, {l_lease_columns}, {now} AS read_at
  FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > {now_once};

-- name: release_lease
-- A release need not wait for the disk: if a crash loses it, the row returns as held, and expires. The setting is for
-- this transaction only. So this statement must be a transaction of its own; in a caller's, the whole commit would not
-- wait for the disk.
-- It notifies only if there is a waiter, since commits that notify are serialized. The row is found by its ctid and its
-- owner: see in_locked.
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM {leases}
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       {release_row_lock} SKIP LOCKED))
   AND owner = :owner
RETURNING {wake} AS woken;

-- name: release_unguarded_lease
-- It waits for each session that has the row locked, at most 50 ms, and then fails. The settings are for this
-- transaction only.
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE name = :name AND owner = :owner
   AND set_config('synchronous_commit', 'off', true) IS NOT NULL AND set_config('lock_timeout', '50', true) IS NOT NULL
RETURNING {wake} AS woken;

-- name: leave_lease
-- It need not wait for the disk, and notifies waiters: see release_lease.
DELETE FROM {leases} AS l
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM {leases}
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR UPDATE SKIP LOCKED))
   AND owner = :owner
RETURNING {wake} AS woken;

-- name: release_leases
-- It always notifies: to look for waiters would take an advisory lock for each of up to 500 names.
{release_pairs}, {notify} AS woken;

-- name: release_each_lease
-- As release_lease: it need not wait for the disk, and notifies only for names with waiters.
{release_pairs}, {wake} AS woken, (SELECT set_config('synchronous_commit', 'off', true)) AS hasty;

-- name: guard_lease
-- FOR KEY SHARE allows the renewal's UPDATE and conflicts with a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM {leases}
 WHERE name = :name AND owner = :owner AND held_until > {now}
   FOR KEY SHARE;

-- name: break_lease
WITH held AS MATERIALIZED (
    SELECT name, {lease_columns}
      FROM {leases}
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT {row}
      FROM {leases}
     WHERE name = :name AND {is_busy}
       {release_row_lock} SKIP LOCKED
), broken AS (
    UPDATE {leases} AS l
       SET held_until = 0, owner = NULL
      FROM mine
     WHERE {l_is_mine}
 RETURNING l.name, {l_lease_columns}, {notify} AS woken
)
SELECT name, {lease_columns}, {now} AS read_at FROM held
UNION ALL SELECT name, {lease_columns}, {now} FROM broken;

-- name: purge_leases
WITH locked AS MATERIALIZED (
    SELECT ctid AS place, {row}
      FROM {leases}
     WHERE {is_idle}
     LIMIT :batch
       FOR UPDATE SKIP LOCKED
)
DELETE FROM {leases}
 WHERE ctid = ANY (ARRAY(SELECT place FROM locked)) AND (({row}) IN (SELECT {row} FROM locked)) IS TRUE;
