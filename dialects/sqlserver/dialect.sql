-- SQL Server, from 2016 on (OPENJSON), and compatible databases.

-- fragment: now
-- Milliseconds since 1970; it moves on within a transaction.
datediff_big(millisecond, '19700101', sysutcdatetime())

-- fragment: now_micros
datediff_big(microsecond, '19700101', sysutcdatetime())

-- fragment: exact
-- Identifiers and tokens of Dibs are ASCII.
COLLATE Latin1_General_100_BIN2
