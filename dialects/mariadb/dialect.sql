-- MariaDB, from 10.6 on (SKIP LOCKED, JSON_TABLE).

-- fragment: now
-- UTC_TIMESTAMP is read when a statement starts and moves on within a transaction. No time zone has a part in it.
(timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)

-- fragment: now_micros
timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))

-- fragment: exact
-- The collation that compares code points and does not pad with blanks.
CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin

-- fragment: lock_l
-- The locking clause of a SELECT that joins the table, as l, to something that is no table.
FOR UPDATE SKIP LOCKED

-- fragment: quote
`
