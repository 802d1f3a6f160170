-- How those who wait for a lease hear that it was released in another process. No standard has such a thing: this is PostgreSQL's, and
-- is sent only where features.properties says so by notifies.
--
-- A process that listens keeps one connection for it. For each name that it waits for it holds there a shared advisory lock, by a
-- number that is a hash of the name, with the table's number as its seed. A release tries to get the same lock alone, for its
-- own transaction: if it can not, somebody waits, and it sends the number as the text of a notification. So a release that nobody
-- waits for notifies nobody, nothing is written for a wait, and the lock of a process that dies is gone with its connection. A waiter
-- that has got its lock looks at the row once more before it sleeps: a release that was under way has kept it out until it was
-- committed.
--
-- A notification only says that it is worth to ask. All of it may be lost, and then who waits asks by time, as everybody does elsewhere.

-- name: listen
-- On the connection that is kept. One channel a database; what is not waited for is passed over.
LISTEN dibs;

-- name: unlisten
-- Before that connection goes back to its pool.
UNLISTEN dibs;

-- name: notify_listener
-- Sends :word to all who listen; one of them knows it: to see that notifications come through, or that somebody began to wait.
SELECT pg_notify('dibs', :word) AS sent;

-- name: mark_waiting
-- On the connection that is kept: asks that releases of :name, of the :kind that has a table of that name, are told from now on, by the number that
-- comes back. Not marked: one is just being released; ask again in a moment.
SELECT k.number, pg_try_advisory_lock_shared(k.number) AS marked
  FROM (SELECT hashtextextended(:name, to_regclass('{prefix}' || :kind)::oid::bigint) AS number) AS k;

-- name: unmark_waiting
-- On the same connection. Once for each time that it was marked.
SELECT pg_advisory_unlock_shared(:number) AS unmarked;
