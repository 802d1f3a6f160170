-- PostgreSQL, from 12 on.

-- fragment: now
-- now() stands still within a transaction, clock_timestamp() does not. A cast to bigint would round. EXTRACT would do
-- as well, but computes with decimal numbers, which takes twice as long.
floor(date_part('epoch', clock_timestamp()) * 1000)::bigint

-- fragment: now_micros
floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint

-- fragment: now_once
-- A volatile function in a comparison rules out an index; a subquery is evaluated once and does not.
(SELECT {now})

-- fragment: array_type
text

-- fragment: exact
-- It compares bytes.
COLLATE "C"

-- fragment: digest_type
bytea

-- fragment: free_space
-- On each page, so that an update stays on it and does not touch the index.
WITH (fillfactor = 70)
