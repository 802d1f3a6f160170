-- H2, from 2.3.230 on (RANDOM_UUID(7)). The standard statements are H2's own, so that only the clock is told here.

-- fragment: now
-- CURRENT_TIMESTAMP stands still within a transaction; the first 48 bits of a version 7 UUID are the clock now.
-- It is evaluated for every row that it meets, 20 microseconds each: see now_once.
cast(x'0000' || substring(cast(random_uuid(7) AS binary(16)) FROM 1 FOR 6) AS bigint)

-- fragment: now_once
-- Not by DATEDIFF, which leaves time zones aside.
cast(floor(extract(EPOCH FROM current_timestamp) * 1000) AS bigint)
