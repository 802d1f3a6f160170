-- What a dialect may say of its database in a few words. A dialect's own dialect.sql gives at least {now}.

-- fragment: now_micros
-- The database's clock in microseconds, for fences.
({now} * 1000)

-- fragment: now_once
-- The clock as read once for all rows of a statement. It may stand still within a transaction, so only statements that
-- are a transaction of their own use it.
{now}

-- fragment: text
-- How strings are bound: plain, or national where a driver may otherwise send them in a code page.
plain

-- fragment: array_type
-- The element type of a list of names as JDBC's createArrayOf takes it.
varchar

-- fragment: binary_type
-- The same of a list of bytes.
varbinary

-- fragment: isolation
-- any, or read_committed where the statements are refused under other isolations.
any

-- fragment: batch
-- How several statements go in one text that is one transaction, as {statements}; or one_by_one, in a transaction of JDBC's.
one_by_one

-- fragment: quote
-- What a name that is quoted in the way of SQL ("order") is quoted with here.
"

-- fragment: notifications
-- postgresql where a release notifies those who wait for it, by wake.sql; none where they only ask by time.
none
