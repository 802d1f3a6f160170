-- PostgreSQL, from 12 on.

-- fragment: now
-- now() stands still within a transaction, clock_timestamp() does not. A cast to bigint would round.
floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint

-- fragment: now_micros
floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- fragment: now_once
-- A volatile function in a comparison rules an index out; a subquery is read once and does not.
(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)

-- fragment: array_type
text

-- fragment: batch
-- Up to the end of one message the statements are one transaction.
{statements}
