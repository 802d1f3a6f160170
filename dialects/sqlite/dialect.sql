-- SQLite, from 3.38 on (->>, JSON functions in every build), in WAL mode: a file that processes of one machine share.
--
-- A file has one writer at a time, and readers do not wait for it. So there are no row locks, and nothing to skip: a
-- statement that writes waits for the transaction that is writing the file just now, and then sees all of its changes.
-- After the wait, no other transaction comes in between. So a change and its condition are one statement, and nothing is
-- checked twice.
--
-- A transaction that has read first cannot write once another one has committed (SQLITE_BUSY_SNAPSHOT, at once and
-- without a wait). So the first statement of each transaction of ours writes, even if it changes nothing.

-- fragment: now
-- The first evaluation within a statement decides. It comes after the wait for the file. A product of floating point
-- numbers is rounded: it is within a twentieth of a millisecond.
cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)

-- fragment: first_n
LIMIT :n

-- fragment: first_row
LIMIT 1
