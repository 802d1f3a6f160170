-- What a dialect may say of its database in a few words. A dialect's own dialect.sql gives at least {now}.

-- fragment: now_micros
-- The database's clock in microseconds, for fences.
({now} * 1000)

-- fragment: now_once
-- The clock as read once for all rows of a statement. It may stand still within a transaction, so only statements that
-- are a transaction of their own use it.
{now}

-- fragment: array_type
-- The element type of a list of names as JDBC's createArrayOf takes it.
varchar

-- fragment: binary_type
-- The same of a list of bytes.
varbinary

-- fragment: quote
-- What a name that is quoted in the way of SQL ("order") is quoted with here.
"
