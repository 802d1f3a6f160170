-- fragment: asked_pairs
unnest(:names::text[], :owners::text[]) AS pair(name, owner)

-- fragment: taking
-- What whoever takes a row writes, besides the owner's token.
holder = :holder,
           fence = greatest(l.fence + 1, {now_micros}),
           acquired_at = {now},
           held_until = {now} + :lease

-- fragment: renewed
{now} + :lease

-- fragment: released
least(l.held_until, {now})

-- fragment: takeable
-- The row that an acquire may take, locked.
SELECT name, owner, holder, fence, acquired_at, held_until
      FROM {leases}
     WHERE name = :name AND held_until <= {now_once}
       FOR UPDATE SKIP LOCKED

-- fragment: pairs
-- The (name, owner) pairs of a list, hidden behind a materialized row: an array parameter straight in the statement is planned anew each
-- time. The pairs too, or each row that is locked carries all of the list with it, megabytes for some hundred.
asked AS MATERIALIZED (
    SELECT :names::text[] AS names, :owners::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)

-- fragment: letting_go_of_pairs
-- Gives up the owners of those that are still theirs. By place: see renew_leases.
WITH {pairs}
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE l.ctid = ANY (ARRAY(
    SELECT l.ctid
      FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
       {letting_go} OF l SKIP LOCKED))
RETURNING l.name

-- fragment: letting_go
-- How a row is locked whose owner is given up. It passes under a guard: the next one's FOR UPDATE does not.
FOR NO KEY UPDATE

-- fragment: waited_for
-- What those who wait for a name hold a shared advisory lock on, each process that listens: see wake.sql.
hashtextextended(l.name, '{leases}'::regclass::oid::bigint)

-- fragment: wake
-- Who gets the lock alone knows that nobody waits; it keeps waiters out up to the commit, so that one who comes in between
-- looks when the lease is free. It never waits.
CASE WHEN NOT pg_try_advisory_xact_lock({waited_for}) THEN pg_notify('dibs', ({waited_for})::text) END

-- fragment: notify
pg_notify('dibs', ({waited_for})::text)

-- name: acquire_lease
-- One statement, no wait and no error on any path: a locked row is skipped, and a lost race for a new name inserts nothing.
-- FOR UPDATE before the UPDATE is what a guard (FOR KEY SHARE) conflicts with: without it a takeover would pass under one.
-- The clock stands in the SET itself: whatever is computed beforehand is older than the row lock.
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
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
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO {leases} (name, owner, holder, fence, acquired_at, held_until)
    SELECT :name, :owner, :holder, {now_micros}, {now}, {now} + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free);

-- name: acquire_each_lease
-- As acquire_lease. New rows are made in one order, so that two who make the same ones do not wait for each other.
WITH {pairs}, seen AS MATERIALIZED (
    SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
      FROM pair JOIN {leases} AS l ON l.name = pair.name
), free AS MATERIALIZED (
    SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, pair.owner AS new_owner
      FROM pair JOIN {leases} AS l ON l.name = pair.name
     WHERE l.held_until <= {now_once}
       FOR UPDATE OF l SKIP LOCKED
), taken AS (
    UPDATE {leases} AS l
       SET owner = free.new_owner,
           {taking}
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO {leases} (name, owner, holder, fence, acquired_at, held_until)
    SELECT pair.name, pair.owner, :holder, {now_micros}, {now}, {now} + :lease
      FROM pair
     WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.name = pair.name)
     ORDER BY pair.name COLLATE "C"
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free WHERE free.name = seen.name);

-- name: renew_leases
-- A row is found once, and then by its place: an array of places costs half as much as a join with them. A row that was changed after this
-- statement's snapshot, as by a renewal that commits just now, is locked in its new place, where the UPDATE does not see it. It counts as
-- locked by somebody, and is asked about again.
WITH {pairs}
UPDATE {leases} AS l
   SET held_until = {renewed}
 WHERE l.ctid = ANY (ARRAY(
    SELECT l.ctid
      FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > {now_once}
       FOR NO KEY UPDATE OF l SKIP LOCKED))
RETURNING l.owner;

-- name: find_leases
WITH {pairs}
SELECT l.name, {slot} AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, {now} AS read_at
  FROM pair JOIN {leases} AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > {now_once};

-- name: release_lease
-- A release need not wait for the disk: lost in a crash, the row returns as held and ends by time. The setting is for this
-- transaction only, and this statement must be one of its own: in a caller's it would make the whole commit so.
-- It notifies only if somebody waits, since commits that notify go one by one. By place: see renew_leases.
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM {leases}
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       {letting_go} SKIP LOCKED))
RETURNING {wake} AS woken;

-- name: release_unguarded_lease
-- It waits for each session that has the row locked, 50 ms at most, and then fails. The settings are for this transaction only.
UPDATE {leases} AS l
   SET held_until = {released}, owner = NULL
 WHERE name = :name AND owner = :owner
   AND set_config('synchronous_commit', 'off', true) IS NOT NULL AND set_config('lock_timeout', '50', true) IS NOT NULL
RETURNING {wake} AS woken;

-- name: leave_lease
-- It need not wait for the disk, and wakes who waits: see release_lease.
DELETE FROM {leases} AS l
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM {leases}
     WHERE name = :name AND owner = :owner AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR UPDATE SKIP LOCKED))
RETURNING {wake} AS woken;

-- name: release_leases
-- It notifies whether somebody waits or not: to find out would take a lock for each of up to 500.
{letting_go_of_pairs}, {notify} AS woken;

-- name: release_each_lease
-- As release_lease: it need not wait for the disk, and notifies only for a name that somebody waits for.
{letting_go_of_pairs}, {wake} AS woken, set_config('synchronous_commit', 'off', true) AS hasty;

-- name: guard_lease
-- FOR KEY SHARE lets the heartbeat's UPDATE through and stops a takeover's FOR UPDATE. Under REPEATABLE READ and
-- SERIALIZABLE it fails (40001) only after a real takeover, not after a renewal.
SELECT fence
  FROM {leases}
 WHERE name = :name AND owner = :owner AND held_until > {now}
   FOR KEY SHARE;

-- name: break_lease
WITH held AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM {leases}
     WHERE name = :name AND owner IS NOT NULL
), mine AS MATERIALIZED (
    SELECT {row}
      FROM {leases}
     WHERE name = :name AND owner IS NOT NULL
       {letting_go} SKIP LOCKED
), broken AS (
    UPDATE {leases} AS l
       SET held_until = least(l.held_until, {now}), owner = NULL
      FROM mine
     WHERE {l_is_mine}
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, {notify} AS woken
)
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at FROM held
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, {now} FROM broken;

-- name: purge_leases
DELETE FROM {leases}
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM {leases}
     WHERE held_until <= {now_once} - :retention
     LIMIT :batch
       FOR UPDATE SKIP LOCKED));
