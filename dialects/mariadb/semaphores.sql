-- A block (BEGIN NOT ATOMIC) is one round trip.

-- fragment: permit_key_columns
name, slot

-- fragment: permit_l_key_columns
l.name, l.slot

-- fragment: permit_g_is_seen
g.name = seen.name AND g.slot = seen.slot

-- fragment: permit_l_is_expired
l.name = expired.name AND l.slot = expired.slot

-- name: acquire_permit
-- As acquire_lock. Expired slots are found without a row lock, and then locked one by one. A locking search would lock
-- every slot that it passes.
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) {exact} DEFAULT :name;
    DECLARE permits bigint DEFAULT :permits;
    DECLARE above int DEFAULT 0;
    DECLARE mine bigint;
    DECLARE gap bigint;
    DECLARE micros bigint;
    DECLARE millis bigint;
    {begin};
    SELECT count(*) INTO above FROM {prefix}permit WHERE name = asked AND slot >= permits AND held_until > {now};
    IF above = 0 THEN
        FOR expired IN (SELECT slot FROM {prefix}permit
                        WHERE name = asked AND slot < permits AND held_until <= {now} ORDER BY slot) DO
            IF mine IS NULL THEN
                SELECT slot INTO mine FROM {prefix}permit
                 WHERE name = asked AND slot = expired.slot AND held_until <= {now} FOR UPDATE SKIP LOCKED;
            END IF;
        END FOR;
    END IF;
    IF mine IS NULL THEN
        SELECT name, slot, {lease_columns}, {now} AS read_at
          FROM {prefix}permit
         WHERE name = asked
           AND (slot >= permits AND held_until > {now}
                OR slot < permits AND held_until <= {now}
                OR slot < permits
                   AND (SELECT count(*) FROM {prefix}permit AS e WHERE e.name = asked AND e.slot < permits) = permits)
         ORDER BY CASE WHEN slot >= permits THEN 0 WHEN held_until <= {now} THEN 1 ELSE 2 END,
                  CASE WHEN slot < permits AND held_until <= {now} THEN slot ELSE held_until END
         LIMIT 1;
        SELECT min(c.slot) INTO gap
          FROM (SELECT 0 AS slot UNION ALL SELECT b.slot + 1 FROM {prefix}permit AS b WHERE b.name = asked) AS c
         WHERE above = 0 AND c.slot < permits
           AND NOT EXISTS (SELECT 1 FROM {prefix}permit AS d WHERE d.name = asked AND d.slot = c.slot);
    ELSE
        SELECT name, slot, {lease_columns}, {now} AS read_at FROM {prefix}permit WHERE name = asked AND slot = mine;
    END IF;
    SET micros = {now_micros};
    SET millis = micros DIV 1000;
    IF mine IS NOT NULL THEN
        UPDATE {prefix}permit
           SET owner = :owner,
               holder = :holder,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + :lease
         WHERE name = asked AND slot = mine;
    ELSEIF gap IS NOT NULL THEN
        INSERT INTO {prefix}permit (name, slot, {lease_columns})
        VALUES (asked, gap, :owner, :holder, micros, millis, millis + :lease)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT name, slot, {lease_columns}, {now} AS read_at
      FROM {prefix}permit
     WHERE name = asked AND slot = coalesce(mine, gap) AND owner = :owner;
    COMMIT;
END;
