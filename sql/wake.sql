-- Wakes waiters for a lease that another process has released, and idle workers of a run. No standard has this: it is
-- PostgreSQL's, and is read only where features.properties says "notifies = yes".
--
-- A process that listens keeps one connection for it. For each name that it waits for, it holds a shared advisory lock
-- there. The number of that lock is a hash of the name, with the table's number as its seed. A release tries to get the
-- same lock exclusively, for its own transaction. If it cannot, there is a waiter, and the release sends the number as
-- the text of a notification. So a release without waiters notifies nobody, and a wait writes nothing. If a process
-- dies, its locks end with its connection. A waiter that has got its advisory lock looks at the row once more before it
-- sleeps. It cannot miss a release: until its commit, a running release keeps the waiter from the advisory lock.
--
-- A notification only says that it is worth asking. All of them may be lost: then waiters ask at intervals, as on every
-- other database. One may come without need: from two permits of a semaphore, or two readers, that are released at the
-- same instant, and from a forced release.
--
-- The number of a run is made of its name in the same way. A wake may be part of a long transaction, and many are sent
-- at the same time. So it holds the advisory lock only for a moment: it tests for idle workers, and does not keep new
-- ones out. A process that has marked a run looks for rows at once, and a few times more within a second.

-- name: listen
-- On the connection that is kept. There is one channel for each database; a process ignores the numbers that it does
-- not wait for.
LISTEN dibs;

-- name: unlisten
-- Before that connection returns to its pool.
UNLISTEN dibs;

-- name: notify_listener
-- Sends :word to all listeners; only one of them knows it. It tests whether notifications arrive, or reports that a
-- wait has begun.
SELECT pg_notify('dibs', :word) AS sent;

-- name: mark_waiting
-- On the connection that is kept. From now on, releases of :name are notified by the number that comes back. :kind is
-- the kind of lease, or "run" for the wakes of a run: its table has that name. Not marked: a release or a wake is under
-- way just now; send it again in a moment.
SELECT k.number, pg_try_advisory_lock_shared(k.number) AS marked
  FROM (SELECT hashtextextended(:name, to_regclass('{prefix_text}' || :kind)::oid::bigint) AS number) AS k;

-- name: unmark_waiting
-- On the same connection, once for each time that it was marked.
SELECT pg_advisory_unlock_shared(:number) AS unmarked;

-- name: wake_run
-- Wakes idle workers of :run in all processes that have marked it, when this transaction commits. Send it where rows
-- are added. In a trigger of the user's table: FOR EACH STATEMENT, with PERFORM in place of SELECT. It keeps no
-- lock, waits for nothing, and does nothing if the table is missing. (It names the table in two parts, or the library
-- would check it first.) A transaction that has notified cannot be prepared for two-phase commit.
SELECT CASE WHEN pg_try_advisory_lock(k.number) THEN pg_advisory_unlock(k.number)::text
            WHEN k.number IS NOT NULL THEN pg_notify('dibs', k.number::text)::text END AS woken
  FROM (SELECT hashtextextended(:run, to_regclass('{prefix_text}' || 'run')::oid::bigint) AS number) AS k;
