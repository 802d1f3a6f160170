-- A DELETE waits for locked rows. So rows are marked first, which skips locked rows (see leases.sql). A row whose
-- held_until is 0 has no holder, and only short statements of Dibs lock it. Only these statements read the variables.
-- A query in a SET would lock the rows that it reads; SELECT .. INTO does not. An aggregate always returns a row, so
-- that no old value stays in the variable.

-- fragment: reader_l_is_expired
l.name = expired.name AND l.owner = expired.owner

-- fragment: reader_pairs
JSON_TABLE(@dibs_readers, '$[*]' COLUMNS (
           name varchar(200) {exact} PATH '$.name',
           owner varchar(32) {exact} PATH '$.owner')) AS pair

-- fragment: mark_readers
-- Of the readers in the variable, marks those that are not locked and end at @dibs_before or earlier. The condition is
-- here again, because a renewal may have moved the end between the read and the lock.
INSERT INTO {prefix}reader (name, {lease_columns})
SELECT STRAIGHT_JOIN l.name, {l_columns}, 0
  FROM {reader_pairs}
  JOIN {prefix}reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until <= @dibs_before
   {lock_l}
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)

-- fragment: keep_marked
{select_list} STRAIGHT_JOIN json_arrayagg(json_object('name', l.name, 'owner', l.owner)) INTO @dibs_readers
  FROM {reader_pairs}
  JOIN {prefix}reader AS l ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until = 0

-- fragment: delete_marked
-- A marked row stays marked. It is deleted by its key, however small the table is: a DELETE that scans would wait for
-- locked rows.
DELETE l
  FROM {reader_pairs}
  STRAIGHT_JOIN {prefix}reader AS l FORCE INDEX (PRIMARY) ON l.name = pair.name AND l.owner = pair.owner

-- fragment: free_gate
-- Clears an expired owner of the gate.
INSERT INTO {prefix}gate (name, {lease_columns})
SELECT l.name, {l_columns}, 0
  FROM {prefix}gate AS l
 WHERE l.name = :name AND l.owner IS NOT NULL AND l.held_until <= {now}
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL

-- name: acquire_reader
-- Each statement of the block is a transaction of its own. An INSERT that selects from the gate would lock it; the one
-- that frees the gate runs only if its owner has expired.
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) {exact} DEFAULT :name;
    DECLARE mine varchar(32) {exact} DEFAULT :owner;
    DECLARE number bigint;
    DECLARE known int DEFAULT 0;
    DECLARE expired int DEFAULT 0;
    SELECT fence INTO number FROM {prefix}gate WHERE name = asked AND owner IS NULL;
    IF number IS NOT NULL THEN
        INSERT INTO {prefix}reader (name, {lease_columns})
        VALUES (asked, mine, :holder, number, {now}, {now} + :lease);
        SET number = NULL;
        SELECT fence INTO number FROM {prefix}gate WHERE name = asked AND owner IS NULL;
        IF number IS NULL THEN
            DELETE FROM {prefix}reader WHERE name = asked AND owner = mine;
        END IF;
    END IF;
    IF number IS NULL THEN
        SELECT count(*), count(CASE WHEN owner IS NOT NULL AND held_until <= {now} THEN 1 END) INTO known, expired
          FROM {prefix}gate
         WHERE name = asked;
        IF expired = 1 THEN
            {free_gate};
        ELSEIF known = 0 THEN
            INSERT INTO {prefix}gate (name, {lease_columns})
            VALUES (asked, NULL, NULL, {now_micros}, {now}, 0)
                ON DUPLICATE KEY UPDATE name = VALUES(name);
        END IF;
    END IF;
    SELECT name, owner, holder, number AS fence, acquired_at, held_until, {now} AS read_at
      FROM {prefix}reader
     WHERE name = asked AND owner = mine AND number IS NOT NULL
    UNION ALL
    SELECT name, {lease_columns}, {now}
      FROM {prefix}gate
     WHERE name = asked AND owner IS NOT NULL AND number IS NULL;
END;

-- name: release_readers
SET @dibs_readers = convert(:pairs USING utf8mb4), @dibs_before = 9223372036854775807
-- then
{mark_readers}
-- then
{keep_marked}
-- then
{delete_marked};

-- name: enter_gate
{gate_alone}
UNION ALL
(SELECT name, {lease_columns}, {now}
   FROM {prefix}reader
  WHERE name = :name AND held_until > {now}
  LIMIT 1)
-- else
{select_list} {now}, json_arrayagg(json_object('name', name, 'owner', owner)) INTO @dibs_before, @dibs_readers
  FROM {prefix}reader
 WHERE name = :name AND held_until <= {now}
-- else
{mark_readers}
-- else
{keep_marked}
-- else
{delete_marked}
-- else
{gate_alone}
UNION ALL
(SELECT name, {lease_columns}, {now}
   FROM {prefix}reader
  WHERE name = :name
  LIMIT 1);
