-- H2, from 2.3.230 on (RANDOM_UUID(7)). The standard statements are H2's own, so only the clock is defined here.

-- fragment: now
-- CURRENT_TIMESTAMP stands still within a transaction; the first 48 bits of a version 7 UUID are the clock now. H2
-- evaluates it for every row that it meets, 20 microseconds each: see now_once.
cast(x'0000' || substring(cast(random_uuid(7) AS binary(16)) FROM 1 FOR 6) AS bigint)

-- fragment: now_once
-- DATEDIFF ignores time zones, so both values are in UTC. EXTRACT (EPOCH) divides decimal numbers, which takes several
-- times as long.
datediff(MILLISECOND, timestamp '1970-01-01 00:00:00', current_timestamp AT TIME ZONE 'UTC')

-- fragment: exact_text
-- A plain varchar ignores case in a database with IGNORECASE.
varchar_casesensitive
